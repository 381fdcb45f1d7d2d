/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/metric_words.h"

#include <math.h>
#include <string.h>

#include "report/findings/sentence_spans.h"
#include "report/words/figure.h"
#include "report/words/words.h"

bool metrics_are_shown(const struct result_benchmark *benchmark)
{
	return benchmark->metric_count > 1;
}

static bool is_exact(const struct result_metric *metric)
{
	return strcmp(metric->test, "exact") == 0;
}

/* Less of it has a test of its own, which also knows what the code's place in memory explains. */
static bool is_by_function(const struct result_metric *metric)
{
	return strcmp(metric->test, "by function") == 0;
}

/* What does not count may well have grown: the interval tells, or the exact numbers. By function a
 * reason stands beside it, unless it is within what the code's place in memory explains. */
static const char *verdict_of_same(const struct result_metric *metric)
{
	double low = is_exact(metric) ? metric->change : metric->low;
	double high = is_exact(metric) ? metric->change : metric->high;

	if (low > 0)
		return is_by_function(metric) && !*metric->detail ? "no significant change"
								  : "grew, not counted";
	if (high < 0)
		return is_by_function(metric) ? "no significant change" : "shrank";
	return is_exact(metric) ? "the same" : "not shown to grow";
}

const char *metric_verdict(const struct result_metric *metric)
{
	static const char *const grew[] = {
		[GATE_FAIL] = "fails", [GATE_WARN] = "warns", [GATE_SHOW] = "grew"};

	switch (metric->state) {
	case METRIC_GREW:
		return metric->decides || metric->gate == GATE_SHOW ? grew[metric->gate] : "grew";
	case METRIC_SHRANK:
		return "shrank";
	case METRIC_UNDECIDED:
		return "not decided";
	default:
		return verdict_of_same(metric);
	}
}

static void add_sign(struct strbuf *out, double number)
{
	if (number > 0)
		strbuf_addch(out, '+');
}

void metric_interval(struct strbuf *out, const struct result_metric *metric)
{
	if (metric->state == METRIC_UNDECIDED || !isfinite(metric->low) || !isfinite(metric->high))
		return;
	strbuf_addstr(out, " (");
	if (metric->absolute) {
		figure_cost(out, metric->low, metric->unit);
		strbuf_addstr(out, " to ");
		figure_cost(out, metric->high, metric->unit);
	} else {
		figure_signed_interval(out, metric->low, metric->high);
	}
	strbuf_addch(out, ')');
}

void metric_change(struct strbuf *out, const struct result_metric *metric, bool with_interval)
{
	if (metric->state == METRIC_UNDECIDED && !isfinite(metric->low))
		return;
	if (metric->absolute) {
		add_sign(out, metric->change);
		figure_cost(out, metric->change, metric->unit);
	} else if (isinf(metric->change)) {
		strbuf_addstr(out, "new");
	} else if (is_exact(metric)) {
		figure_exact_percent(out, metric->change);
	} else {
		figure_signed_percent(out, metric->change);
	}
	if (with_interval)
		metric_interval(out, metric);
}

void metric_test(struct strbuf *out, const struct result_metric *metric)
{
	strbuf_addstr(out, metric->test);
	if (!metric->runs)
		return;
	strbuf_addstr(out, *metric->test ? ", " : "");
	figure_plural(out, metric->runs, "run");
	if (*metric->detail)
		strbuf_addf(out, ": %s", metric->detail);
}

void metric_cost(struct strbuf *out, const struct result_metric *metric, double cost)
{
	if (metric->state != METRIC_UNDECIDED || cost > 0)
		figure_cost(out, cost, metric->unit);
}

/* Those of profiles say more in the list of baselines. */
static bool is_said_elsewhere(
	const struct result_benchmark *benchmark, const struct result_metric *metric)
{
	if (strcmp(metric->name, "cpu") == 0)
		return true;
	for (size_t i = 0; i < benchmark->reference_count; i++)
		if (strcmp(benchmark->references[i].profile_type, metric->name) == 0)
			return true;
	return false;
}

bool metric_decides(const struct result_benchmark *benchmark, const struct result_metric *metric)
{
	enum result_gate gate = benchmark->status == RESULT_FAIL ? GATE_FAIL : GATE_WARN;

	return (benchmark->status == RESULT_FAIL || benchmark->status == RESULT_WARN) &&
	       metric->decides && metric->gate == gate;
}

const struct result_metric *metric_that_decides(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->metric_count; i++) {
		const struct result_metric *metric = &benchmark->metrics[i];

		if (metric_decides(benchmark, metric) && !is_said_elsewhere(benchmark, metric))
			return metric;
	}
	return NULL;
}

bool counts_decide(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->metric_count; i++)
		if (metric_decides(benchmark, &benchmark->metrics[i]) &&
			strcmp(benchmark->metrics[i].name, "cpu") != 0)
			return true;
	return false;
}

static const struct result_metric *cpu_time_of(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->metric_count; i++)
		if (strcmp(benchmark->metrics[i].name, "cpu") == 0)
			return &benchmark->metrics[i];
	return NULL;
}

bool cpu_time_decides(const struct result_benchmark *benchmark)
{
	const struct result_metric *cpu = cpu_time_of(benchmark);

	if (benchmark->status == RESULT_WARN && benchmark->shift_count)
		return true;
	return cpu ? metric_decides(benchmark, cpu) : benchmark->culprit_count > 0;
}

const char *cpu_time_why_uncounted(const struct result_benchmark *benchmark)
{
	const struct result_metric *cpu = cpu_time_of(benchmark);

	return cpu && cpu->state == METRIC_SAME ? cpu->detail : "";
}

bool cpu_time_is_let_pass(const struct result_benchmark *benchmark)
{
	const struct result_metric *cpu = cpu_time_of(benchmark);

	return cpu && cpu->state == METRIC_GREW && cpu->gate != GATE_FAIL;
}

void sentence_of_metric(struct sentence *sentence, const struct result_metric *metric)
{
	struct strbuf figure = STRBUF_INIT;

	sentence_add_name(sentence, metric->meaning);
	strbuf_addstr(&figure, " grew: ");
	metric_cost(&figure, metric, metric->base);
	strbuf_addstr(&figure, " -> ");
	metric_cost(&figure, metric, metric->head);
	strbuf_addstr(&figure, ", ");
	metric_change(&figure, metric, true);
	sentence_add_figure(sentence, &figure);
}
