/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/quantity.h"

#include <math.h>
#include <string.h>

#include "report/findings/sentence_spans.h"
#include "report/words/figure.h"
#include "report/words/words.h"

bool quantities_are_shown(const struct result_benchmark *benchmark)
{
	return benchmark->quantity_count > 1;
}

static bool is_exact(const struct result_quantity *quantity)
{
	return strcmp(quantity->test, "exact") == 0;
}

/* Less of it has a test of its own, which also knows what the code's place in memory explains. */
static bool is_by_function(const struct result_quantity *quantity)
{
	return strcmp(quantity->test, "by function") == 0;
}

/* What does not count may well have grown: the interval tells, or the exact numbers. By function a
 * reason stands beside it, unless it is within what the code's place in memory explains. */
static const char *verdict_of_same(const struct result_quantity *quantity)
{
	double low = is_exact(quantity) ? quantity->change : quantity->low;
	double high = is_exact(quantity) ? quantity->change : quantity->high;

	if (low > 0)
		return is_by_function(quantity) && !*quantity->detail ? "no significant change"
								      : "grew, not counted";
	if (high < 0)
		return is_by_function(quantity) ? "no significant change" : "shrank";
	return is_exact(quantity) ? "the same" : "not shown to grow";
}

const char *quantity_verdict(const struct result_quantity *quantity)
{
	static const char *const grew[] = {
		[GATE_FAIL] = "fails", [GATE_WARN] = "warns", [GATE_SHOW] = "grew"};

	switch (quantity->state) {
	case HELD_GREW:
		return quantity->decides || quantity->gate == GATE_SHOW ? grew[quantity->gate]
									: "grew";
	case HELD_SHRANK:
		return "shrank";
	case HELD_CANNOT:
		return "not decided";
	default:
		return verdict_of_same(quantity);
	}
}

static void add_sign(struct strbuf *out, double number)
{
	if (number > 0)
		strbuf_addch(out, '+');
}

void quantity_interval(struct strbuf *out, const struct result_quantity *quantity)
{
	if (quantity->state == HELD_CANNOT || !isfinite(quantity->low) || !isfinite(quantity->high))
		return;
	strbuf_addstr(out, " (");
	if (quantity->absolute) {
		figure_cost(out, quantity->low, quantity->unit);
		strbuf_addstr(out, " to ");
		figure_cost(out, quantity->high, quantity->unit);
	} else {
		figure_signed_interval(out, quantity->low, quantity->high);
	}
	strbuf_addch(out, ')');
}

void quantity_change(struct strbuf *out, const struct result_quantity *quantity, bool with_interval)
{
	if (quantity->state == HELD_CANNOT && !isfinite(quantity->low))
		return;
	if (quantity->absolute) {
		add_sign(out, quantity->change);
		figure_cost(out, quantity->change, quantity->unit);
	} else if (isinf(quantity->change)) {
		strbuf_addstr(out, "new");
	} else if (is_exact(quantity)) {
		figure_exact_percent(out, quantity->change);
	} else {
		figure_signed_percent(out, quantity->change);
	}
	if (with_interval)
		quantity_interval(out, quantity);
}

void quantity_test(struct strbuf *out, const struct result_quantity *quantity)
{
	strbuf_addstr(out, quantity->test);
	if (!quantity->runs)
		return;
	strbuf_addstr(out, *quantity->test ? ", " : "");
	figure_plural(out, quantity->runs, "run");
	if (*quantity->detail)
		strbuf_addf(out, ": %s", quantity->detail);
}

void quantity_cost(struct strbuf *out, const struct result_quantity *quantity, double cost)
{
	if (quantity->state != HELD_CANNOT || cost > 0)
		figure_cost(out, cost, quantity->unit);
}

/* Those of profiles say more in the list of baselines. */
static bool is_said_elsewhere(
	const struct result_benchmark *benchmark, const struct result_quantity *quantity)
{
	if (strcmp(quantity->name, "cpu") == 0)
		return true;
	for (size_t i = 0; i < benchmark->stored_count; i++)
		if (strcmp(benchmark->stored[i].profile_type, quantity->name) == 0)
			return true;
	return false;
}

bool quantity_decides(
	const struct result_benchmark *benchmark, const struct result_quantity *quantity)
{
	enum result_gate gate = benchmark->status == RESULT_FAIL ? GATE_FAIL : GATE_WARN;

	return (benchmark->status == RESULT_FAIL || benchmark->status == RESULT_WARN) &&
	       quantity->decides && quantity->gate == gate;
}

const struct result_quantity *quantity_that_decides(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->quantity_count; i++) {
		const struct result_quantity *quantity = &benchmark->quantities[i];

		if (quantity_decides(benchmark, quantity) &&
			!is_said_elsewhere(benchmark, quantity))
			return quantity;
	}
	return NULL;
}

bool counts_decide(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->quantity_count; i++)
		if (quantity_decides(benchmark, &benchmark->quantities[i]) &&
			strcmp(benchmark->quantities[i].name, "cpu") != 0)
			return true;
	return false;
}

static const struct result_quantity *cpu_time_of(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->quantity_count; i++)
		if (strcmp(benchmark->quantities[i].name, "cpu") == 0)
			return &benchmark->quantities[i];
	return NULL;
}

bool cpu_time_decides(const struct result_benchmark *benchmark)
{
	const struct result_quantity *cpu = cpu_time_of(benchmark);

	if (benchmark->status == RESULT_WARN && benchmark->shift_count)
		return true;
	return cpu ? quantity_decides(benchmark, cpu) : benchmark->culprit_count > 0;
}

const char *cpu_time_why_uncounted(const struct result_benchmark *benchmark)
{
	const struct result_quantity *cpu = cpu_time_of(benchmark);

	return cpu && cpu->state == HELD_SAME ? cpu->detail : "";
}

bool cpu_time_is_let_pass(const struct result_benchmark *benchmark)
{
	const struct result_quantity *cpu = cpu_time_of(benchmark);

	return cpu && cpu->state == HELD_GREW && cpu->gate != GATE_FAIL;
}

void sentence_of_quantity(struct sentence *sentence, const struct result_quantity *quantity)
{
	struct strbuf figure = STRBUF_INIT;

	sentence_add_name(sentence, quantity->meaning);
	strbuf_addstr(&figure, " grew: ");
	quantity_cost(&figure, quantity, quantity->base);
	strbuf_addstr(&figure, " -> ");
	quantity_cost(&figure, quantity, quantity->head);
	strbuf_addstr(&figure, ", ");
	quantity_change(&figure, quantity, true);
	sentence_add_figure(sentence, &figure);
}
