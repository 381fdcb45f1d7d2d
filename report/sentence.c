/* SPDX-License-Identifier: Apache-2.0 */
#include "report/sentence.h"

#include <math.h>
#include <stdbool.h>

#include "gate/base/strbuf.h"
#include "report/figure.h"
#include "report/words.h"

void sentence_init(struct sentence *sentence)
{
	arena_init(&sentence->arena);
	sentence->count = 0;
}

void sentence_release(struct sentence *sentence)
{
	arena_release(&sentence->arena);
	sentence->count = 0;
}

static void add_span(struct sentence *sentence, enum span_kind kind, const char *text)
{
	if (*text && sentence->count < SENTENCE_MAX_SPANS)
		sentence->spans[sentence->count++] = (struct span){kind, text};
}

static void add_text(struct sentence *sentence, const char *text)
{
	add_span(sentence, SPAN_TEXT, text);
}

static void add_name(struct sentence *sentence, const char *name)
{
	add_span(sentence, SPAN_NAME, *name ? name : "(no name)");
}

/* Takes over what figure has become. */
static void add_figure(struct sentence *sentence, struct strbuf *figure)
{
	add_text(sentence, arena_strdup(&sentence->arena, figure->data));
	strbuf_release(figure);
}

static void add_in_place(struct sentence *sentence, const char *file, int64_t line)
{
	struct strbuf place = STRBUF_INIT;

	place_add(&place, file, line);
	if (place.length) {
		add_text(sentence, " in ");
		add_name(sentence, arena_strdup(&sentence->arena, place.data));
	}
	strbuf_release(&place);
}

/* ---- culprits and shifts ----------------------------------------------------------------------
 */

static void add_blame(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	if (culprit->blame == BLAME_CALLED) {
		add_text(sentence, " is called more often");
		if (culprit->caller != RESULT_NONE) {
			add_text(sentence, " by ");
			add_name(sentence, function_name(benchmark, culprit->caller));
		}
		return;
	}
	add_text(sentence, isinf(culprit->relative) ? " is new" : " got slower itself");
}

/* "f in src/f.c:3 got slower itself" */
static void add_culprit(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	add_name(sentence, function_name(benchmark, culprit->function));
	add_in_place(sentence, culprit->file, culprit->line);
	add_blame(sentence, benchmark, culprit);
}

static void add_share(
	struct sentence *sentence, const struct result_culprit *culprit, bool with_interval)
{
	struct strbuf figure = STRBUF_INIT;

	strbuf_addstr(&figure, " (");
	figure_signed_percent(&figure, culprit->change);
	strbuf_addstr(&figure, " of the total");
	if (with_interval && isfinite(culprit->low) && isfinite(culprit->high)) {
		strbuf_addstr(&figure, ", 95 % interval ");
		figure_signed_interval(&figure, culprit->low, culprit->high);
	}
	strbuf_addstr(&figure, ")");
	add_figure(sentence, &figure);
}

void sentence_of_culprit(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	add_culprit(sentence, benchmark, culprit);
	add_share(sentence, culprit, true);
}

void sentence_of_shift(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_shift *shift)
{
	struct strbuf figure = STRBUF_INIT;

	add_text(sentence, "cost moved ");
	if (shift->from != RESULT_NONE) {
		add_text(sentence, "from ");
		add_name(sentence, function_name(benchmark, shift->from));
		add_text(sentence, " ");
	}
	add_text(sentence, "to ");
	add_name(sentence, function_name(benchmark, shift->to));
	strbuf_addstr(&figure, ": ");
	figure_percent(&figure, fabs(shift->moved));
	strbuf_addstr(&figure, " of the total, net ");
	figure_signed_percent(&figure, shift->net);
	add_figure(sentence, &figure);
}

/* ---- the total --------------------------------------------------------------------------------
 */

/* " (95 % interval 3.9 to 6.3 %)"; of how much less it takes if it takes less. */
static void add_total_interval(struct strbuf *out, const struct result_change *total)
{
	if (!has_interval(total))
		return;
	strbuf_addstr(out, " (95 % interval ");
	if (total->change < 0)
		figure_interval(out, -total->high, -total->low);
	else
		figure_interval(out, total->low, total->high);
	strbuf_addch(out, ')');
}

static void add_takes(struct sentence *sentence, const struct result_change *total)
{
	struct strbuf figure = STRBUF_INIT;

	strbuf_addstr(&figure, " takes ");
	figure_more_or_less(&figure, total->change);
	strbuf_addstr(&figure, " CPU time");
	add_total_interval(&figure, total);
	add_figure(sentence, &figure);
}

/* The total itself has moved, beyond its noise. */
static bool total_speaks(const struct result_change *total)
{
	return total->state == STATE_CONFIRMED || (has_interval(total) && total->low > 0);
}

static void add_more_culprits(struct sentence *sentence, size_t more)
{
	struct strbuf figure = STRBUF_INIT;

	if (!more)
		return;
	strbuf_addf(&figure, ", and %zu more ", more);
	strbuf_addstr(&figure, more == 1 ? "function" : "functions");
	add_figure(sentence, &figure);
}

static void say_fail(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	bool speaks = total_speaks(&benchmark->total);

	add_name(sentence, benchmark->name);
	if (speaks || !benchmark->culprit_count)
		add_takes(sentence, &benchmark->total);
	if (!benchmark->culprit_count) {
		add_text(sentence, ", and no single function explains it");
		return;
	}
	add_text(sentence, ": ");
	add_culprit(sentence, benchmark, &benchmark->culprits[0]);
	add_share(sentence, &benchmark->culprits[0], !speaks);
	add_more_culprits(sentence, benchmark->culprit_count - 1);
}

static void say_warn(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	add_name(sentence, benchmark->name);
	if (benchmark->shift_count) {
		add_text(sentence, ": ");
		sentence_of_shift(sentence, benchmark, &benchmark->shifts[0]);
		return;
	}
	if (total_speaks(&benchmark->total)) {
		add_takes(sentence, &benchmark->total);
		add_text(sentence, ", which does not count as a regression");
	} else {
		add_text(sentence, ": no regression, with a warning");
	}
	if (benchmark->warning_count) {
		add_text(sentence, ": ");
		add_span(sentence, SPAN_DETAIL, benchmark->warnings[0]);
	}
}

/* A pass says what it could exclude. */
static void say_bound(struct sentence *sentence, double bound, double promise)
{
	struct strbuf figure = STRBUF_INIT;

	if (!isfinite(bound)) {
		strbuf_addstr(&figure, ": no regression found, but no bound could be computed");
	} else if (promise > 0 && bound > promise) {
		strbuf_addstr(&figure, ": no regression found, but could not exclude ");
		figure_signed_percent(&figure, bound);
		strbuf_addstr(&figure, " (97.5 % bound)");
	} else if (bound <= 0) {
		strbuf_addstr(&figure, ": no regression: not even a small one could hide (97.5 % "
				       "bound ");
		figure_signed_percent(&figure, bound);
		strbuf_addstr(&figure, ")");
	} else {
		strbuf_addstr(&figure, ": no regression: nothing above ");
		figure_percent(&figure, bound);
		strbuf_addstr(&figure, " could hide (97.5 % bound)");
	}
	add_figure(sentence, &figure);
}

static void say_pass(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	const struct result_change *total = &benchmark->total;

	add_name(sentence, benchmark->name);
	if (has_interval(total) && total->high < 0)
		add_takes(sentence, total);
	else
		say_bound(sentence, benchmark->bound, benchmark->mde_total);
}

static void say_measured(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	if (benchmark->status == RESULT_FAIL)
		say_fail(sentence, benchmark);
	else if (benchmark->status == RESULT_WARN)
		say_warn(sentence, benchmark);
	else
		say_pass(sentence, benchmark);
}

/* ---- the other outcomes -----------------------------------------------------------------------
 */

static void say_with_detail(
	struct sentence *sentence, const struct result_benchmark *benchmark, const char *text)
{
	add_name(sentence, benchmark->name);
	add_text(sentence, text);
	if (*benchmark->detail) {
		add_text(sentence, ": ");
		add_span(sentence, SPAN_DETAIL, benchmark->detail);
	}
}

static void say_plainly(
	struct sentence *sentence, const struct result_benchmark *benchmark, const char *text)
{
	add_name(sentence, benchmark->name);
	add_text(sentence, text);
}

static void say_profile(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	struct strbuf figure = STRBUF_INIT;

	add_name(sentence, benchmark->name);
	if (has_base(benchmark)) {
		add_takes(sentence, &benchmark->total);
		add_text(sentence, "; one profile of each version: shown, not decided");
		return;
	}
	strbuf_addstr(&figure, " took ");
	figure_seconds(&figure, benchmark->total.head);
	strbuf_addstr(&figure, " of CPU time");
	add_figure(sentence, &figure);
}

void sentence_of_benchmark(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	enum result_outcome outcome = benchmark->outcome;

	if (outcome == OUTCOME_BASE_FAILED)
		say_with_detail(sentence, benchmark,
			": the base does not build or run, so there is nothing to compare with");
	else if (outcome == OUTCOME_ERROR || benchmark->status == RESULT_ERROR)
		say_with_detail(sentence, benchmark, " could not be measured");
	else if (outcome == OUTCOME_IDENTICAL)
		say_plainly(sentence, benchmark,
			": both versions execute the same files: nothing to measure");
	else if (outcome == OUTCOME_NEW)
		say_plainly(
			sentence, benchmark, " is new: the base has nothing to compare it with");
	else if (outcome == OUTCOME_PROFILE)
		say_profile(sentence, benchmark);
	else
		say_measured(sentence, benchmark);
}

/* ---- the whole check --------------------------------------------------------------------------
 */

/* The status enum is in order of severity but for one: a regression outranks what could not be
 * measured. */
static int severity(const struct result_benchmark *benchmark)
{
	static const int of_status[] = {0, 1, 3, 2};

	return of_status[benchmark->status];
}

static const struct result_benchmark *worst_benchmark(const struct result *result)
{
	const struct result_benchmark *worst = NULL;

	for (size_t i = 0; i < result->benchmark_count; i++) {
		const struct result_benchmark *one = &result->benchmarks[i];

		if (!worst || severity(one) > severity(worst) ||
			(severity(one) == severity(worst) &&
				one->total.change > worst->total.change))
			worst = one;
	}
	return worst;
}

static void add_others(
	struct sentence *sentence, const struct result *result, enum result_status status)
{
	static const char *const what[] = {
		" more passed", " more with a warning", " more regressed", " more not measured"};
	struct strbuf figure = STRBUF_INIT;
	size_t same = 0;

	for (size_t i = 0; i < result->benchmark_count; i++)
		same += result->benchmarks[i].status == status;
	if (same < 2)
		return;
	strbuf_addf(&figure, "; %zu%s", same - 1, what[status]);
	add_figure(sentence, &figure);
}

void sentence_of_result(struct sentence *sentence, const struct result *result)
{
	const struct result_benchmark *worst = worst_benchmark(result);

	if (!worst) {
		add_text(sentence, "no benchmark was run");
		return;
	}
	sentence_of_benchmark(sentence, worst);
	add_others(sentence, result, worst->status);
}
