/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/sentence.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "gate/base/strbuf.h"
#include "gate/check/result.h"
#include "report/findings/claim_text.h"
#include "report/findings/metric_words.h"
#include "report/findings/reference_words.h"
#include "report/findings/sentence_spans.h"
#include "report/words/cost_words.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define LITTLE_OF 2 /* a cause has less than half of what grew by it */

/* ---- culprits and cost that moved ------------------------------------------------------------ */

/* A culprit may have next to nothing of what it caused: then the sum is told beside it. */
static double with_all_of_them(const struct result_culprit *culprit)
{
	bool has_little = culprit->together > LITTLE_OF * culprit->change;

	return has_little ? culprit->together : (double)NAN;
}

/* "`f` itself is slower, at `src/f.c:3`" */
static struct result_claim add_culprit(struct sentence *sentence,
	const struct result_benchmark *benchmark, const struct result_culprit *culprit)
{
	struct result_claim claim = claim_of_culprit(benchmark, culprit);

	sentence_add_claim(sentence, benchmark, &claim);
	sentence_add_place(
		sentence, culprit->line > 0 ? ", at " : ", in ", culprit->file, culprit->line);
	return claim;
}

void sentence_of_culprit(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct result_claim claim = add_culprit(sentence, benchmark, culprit);

	sentence_add_amount(
		sentence, benchmark, &claim, claim.low, claim.high, with_all_of_them(culprit));
}

void sentence_of_moved(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_claim *claim)
{
	sentence_add_claim(sentence, benchmark, claim);
}

/* ---- the total ------------------------------------------------------------------------------- */

/* " (+51 ms a run, 95 % interval 3.9 to 6.3 %)"; of how much less it takes if it takes less. */
static void add_total_difference(struct strbuf *out, const struct result_benchmark *benchmark)
{
	const struct result_change *total = &benchmark->total;

	strbuf_addstr(out, " (");
	difference_add(out, benchmark, total->base, total->head);
	if (has_interval(total)) {
		strbuf_addstr(out, ", 95 % interval ");
		if (total->change < 0)
			figure_interval(out, -total->high, -total->low);
		else
			figure_interval(out, total->low, total->high);
	}
	strbuf_addch(out, ')');
}

/* A total of nothing, or below it (a delta of heap profiles), has no percentage more or less. */
static void add_went(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	struct strbuf figure = STRBUF_INIT;

	strbuf_addstr(&figure, " went from ");
	figure_cost(&figure, benchmark->total.base, benchmark->unit);
	strbuf_addstr(&figure, " to ");
	figure_cost_of(&figure, benchmark->total.head, benchmark->unit);
	sentence_add_figure(sentence, &figure);
}

static void add_takes(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	const struct result_change *total = &benchmark->total;
	const struct cost_words *words = cost_words_of(benchmark);
	struct strbuf figure = STRBUF_INIT;

	if (!(total->base > 0) || total->head < 0) {
		add_went(sentence, benchmark);
		return;
	}
	strbuf_addstr(&figure, words->takes);
	figure_more_or_less(&figure, total->change, words->many);
	if (words->more_of)
		strbuf_addstr(&figure, words->more_of);
	else
		unit_noun_add(&figure, benchmark->unit);
	add_total_difference(&figure, benchmark);
	sentence_add_figure(sentence, &figure);
}

/* The total itself has moved, beyond its noise. */
static bool total_speaks(const struct result_change *total)
{
	return total->state == STATE_CONFIRMED || (has_interval(total) && total->low > 0);
}

static void add_more_functions(struct sentence *sentence, size_t more)
{
	struct strbuf figure = STRBUF_INIT;

	if (!more)
		return;
	strbuf_addf(&figure, ", and %zu more ", more);
	strbuf_addstr(&figure, more == 1 ? "function" : "functions");
	sentence_add_figure(sentence, &figure);
}

static void say_fail(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	const struct result_culprit *first = benchmark->culprits;
	bool speaks = total_speaks(&benchmark->total);
	struct result_claim claim;

	sentence_add_name(sentence, benchmark->name);
	if (speaks || !benchmark->culprit_count)
		add_takes(sentence, benchmark);
	if (!benchmark->culprit_count) {
		sentence_add_text(sentence, ", and no single function explains it");
		return;
	}
	sentence_add_text(sentence, ": ");
	claim = add_culprit(sentence, benchmark, first);
	sentence_add_amount(sentence, benchmark, &claim, speaks ? (double)NAN : claim.low,
		claim.high, with_all_of_them(first));
	add_more_functions(sentence, benchmark->culprit_count - 1);
}

/* ": `f` takes less time in its own code (-12 ms per run, ...)": the largest comes first. */
static void add_improvements(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	const struct result_claim *claim =
		benchmark->improvement_count
			? claim_of_improvement(benchmark, benchmark->improvements[0])
			: NULL;

	if (!claim)
		return;
	sentence_add_text(sentence, ": ");
	sentence_add_claim(sentence, benchmark, claim);
	sentence_add_amount(sentence, benchmark, claim, (double)NAN, (double)NAN, (double)NAN);
	add_more_functions(sentence, benchmark->improvement_count - 1);
}

/* Less time in all is the news, whatever else there is to say: more than the noise and the code's
 * place in memory explain. */
static bool has_improved(const struct result_benchmark *benchmark)
{
	return benchmark->total.state == STATE_IMPROVED;
}

static void add_improvement(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	add_takes(sentence, benchmark);
	add_improvements(sentence, benchmark);
}

/* What warns of a benchmark that takes less time. */
static void add_warning_beside(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	sentence_add_text(sentence, "; but ");
	if (reference_that_decides(benchmark))
		reference_add_verdict(sentence, reference_that_decides(benchmark));
	else if (metric_that_decides(benchmark))
		sentence_of_metric(sentence, metric_that_decides(benchmark));
	else if (benchmark->warning_count)
		sentence_add_detail(sentence, benchmark->warnings[0]);
	else
		sentence_add_text(sentence, "with a warning");
}

/* The first warning where there is no better reason. */
static void add_reason(
	struct sentence *sentence, const struct result_benchmark *benchmark, const char *reason)
{
	if (!*reason && benchmark->warning_count)
		reason = benchmark->warnings[0];
	if (!*reason)
		return;
	sentence_add_text(sentence, ": ");
	sentence_add_detail(sentence, reason);
}

static void add_uncounted(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	add_takes(sentence, benchmark);
	sentence_add_text(sentence, ", which does not count as a regression");
	add_reason(sentence, benchmark, cpu_time_why_uncounted(benchmark));
}

/* Beyond noise and what the code's place in memory explains; else there is nothing to say of it. */
static bool grew_for_sure(const struct result_benchmark *benchmark)
{
	return benchmark->total.state != STATE_UNCHANGED && total_speaks(&benchmark->total);
}

static void say_warn(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	size_t place = 0;
	const struct result_claim *moved = next_moved(benchmark, &place);

	sentence_add_name(sentence, benchmark->name);
	if (has_improved(benchmark)) {
		add_improvement(sentence, benchmark);
		add_warning_beside(sentence, benchmark);
		return;
	}
	if (moved && grew_for_sure(benchmark)) { /* else it is no reason to warn */
		sentence_add_text(sentence, ": ");
		sentence_of_moved(sentence, benchmark, moved);
		return;
	}
	if (reference_that_decides(benchmark)) {
		sentence_add_text(sentence, ": no regression measured, but ");
		reference_add_verdict(sentence, reference_that_decides(benchmark));
		return;
	}
	if (metric_that_decides(benchmark)) {
		sentence_add_text(sentence, ": no regression of the CPU time, but ");
		sentence_of_metric(sentence, metric_that_decides(benchmark));
		return;
	}
	if (grew_for_sure(benchmark)) {
		add_uncounted(sentence, benchmark);
	} else {
		sentence_add_text(sentence, ": no regression, with a warning");
		add_reason(sentence, benchmark, "");
	}
}

/* A pass says what it could exclude. */
static void say_bound(struct sentence *sentence, double bound, double detect)
{
	struct strbuf figure = STRBUF_INIT;

	if (!isfinite(bound)) {
		strbuf_addstr(&figure, ": no regression found, but no bound could be computed");
	} else if (detect > 0 && bound > detect) {
		strbuf_addstr(&figure, ": no regression found, but a slowdown of up to ");
		figure_percent(&figure, bound);
		strbuf_addstr(&figure, " cannot be ruled out");
	} else if (bound <= 0) {
		strbuf_addstr(&figure, ": no regression: any slowdown would have been detected "
				       "(97.5 % confidence)");
	} else {
		strbuf_addstr(&figure, ": no regression: any slowdown above ");
		figure_percent(&figure, bound);
		strbuf_addstr(&figure, " would have been detected (97.5 % confidence)");
	}
	sentence_add_figure(sentence, &figure);
}

/* It grew for sure, for a reason that does not count and stands first among the notes. */
static bool grew_uncounted(const struct result_benchmark *benchmark)
{
	return benchmark->total.state == STATE_UNCHANGED_CODE && total_speaks(&benchmark->total);
}

static void say_pass(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	sentence_add_name(sentence, benchmark->name);
	if (has_improved(benchmark))
		add_improvement(sentence, benchmark);
	else if (grew_uncounted(benchmark))
		add_uncounted(sentence, benchmark);
	else
		say_bound(sentence, benchmark->bound, benchmark->mde_total);
}

static bool is_accepted(const struct result_benchmark *benchmark)
{
	return benchmark->accepted && *benchmark->accepted;
}

/* A regression of the CPU time that the policy lets pass is one all the same. */
static void say_gated(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	say_fail(sentence, benchmark);
	sentence_add_text(sentence, "; policy.gate lets it pass");
}

static void say_measured(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	if (benchmark->status == RESULT_FAIL || is_accepted(benchmark))
		say_fail(sentence, benchmark);
	else if (cpu_time_is_let_pass(benchmark))
		say_gated(sentence, benchmark);
	else if (benchmark->status == RESULT_WARN)
		say_warn(sentence, benchmark);
	else
		say_pass(sentence, benchmark);
}

/* ---- the other outcomes ---------------------------------------------------------------------- */

static void say_with_detail(
	struct sentence *sentence, const struct result_benchmark *benchmark, const char *text)
{
	sentence_add_name(sentence, benchmark->name);
	sentence_add_text(sentence, text);
	if (*benchmark->detail) {
		sentence_add_text(sentence, ": ");
		sentence_add_detail(sentence, benchmark->detail);
	}
}

static void say_plainly(
	struct sentence *sentence, const struct result_benchmark *benchmark, const char *text)
{
	sentence_add_name(sentence, benchmark->name);
	sentence_add_text(sentence, text);
}

static void say_profile(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	const struct cost_words *words = cost_words_of(benchmark);
	struct strbuf figure = STRBUF_INIT;

	sentence_add_name(sentence, benchmark->name);
	if (has_base(benchmark)) {
		add_takes(sentence, benchmark);
		sentence_add_text(sentence, "; one profile of each version: cannot decide");
		return;
	}
	strbuf_addstr(&figure, words->took);
	figure_cost_of(&figure, benchmark->total.head, benchmark->unit);
	strbuf_addstr(&figure, words->took_what);
	sentence_add_figure(sentence, &figure);
}

static void say_new(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	struct strbuf figure = STRBUF_INIT;

	if (*benchmark->detail) {
		say_with_detail(sentence, benchmark, ": New");
		return;
	}
	say_plainly(sentence, benchmark, ": New: ran in ");
	figure_seconds(&figure, benchmark->wall_seconds);
	sentence_add_figure(sentence, &figure);
	sentence_add_text(sentence, ", not in base, so not compared");
}

static void say_base_failed(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	const struct result_reference *reference = reference_that_speaks(benchmark);

	if (!reference) {
		say_with_detail(sentence, benchmark,
			": the base does not build or run, so there is nothing to compare with");
		return;
	}
	say_plainly(sentence, benchmark, ": the base could not be rebuilt; ");
	reference_add_verdict(sentence, reference);
	if (benchmark->status != RESULT_FAIL && reference->kind == REFERENCE_SCREEN)
		sentence_add_text(sentence, " (a screen, not a proof)");
}

static void say_screened(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	const struct result_reference *reference = reference_that_speaks(benchmark);

	if (!reference) {
		say_with_detail(sentence, benchmark, ": not proven");
		return;
	}
	say_plainly(
		sentence, benchmark, benchmark->status == RESULT_FAIL ? ": " : ": not proven: ");
	reference_add_verdict(sentence, reference);
}

/* The CPU time says more than any other metric. */
static bool cpu_time_speaks(const struct result_benchmark *benchmark)
{
	return benchmark->culprit_count || benchmark->shift_count ||
	       benchmark->total.state == STATE_CONFIRMED || benchmark->status == RESULT_ERROR;
}

/* A counted metric made the status, and there is nothing measured that says more. */
static const struct result_reference *deciding_count(const struct result_benchmark *benchmark)
{
	const struct result_reference *reference = reference_that_decides(benchmark);

	return reference && reference->kind == REFERENCE_EXACT && !cpu_time_speaks(benchmark)
		       ? reference
		       : NULL;
}

/* A metric that is in no profile failed it. */
static const struct result_metric *failing_metric(const struct result_benchmark *benchmark)
{
	return benchmark->status == RESULT_FAIL && !cpu_time_speaks(benchmark)
		       ? metric_that_decides(benchmark)
		       : NULL;
}

static void say_benchmark(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	enum result_outcome outcome = benchmark->outcome;

	if (deciding_count(benchmark)) {
		sentence_add_name(sentence, benchmark->name);
		reference_add_count(sentence, deciding_count(benchmark));
	} else if (failing_metric(benchmark)) {
		sentence_add_name(sentence, benchmark->name);
		sentence_add_text(sentence, ": ");
		sentence_of_metric(sentence, failing_metric(benchmark));
	} else if (outcome == OUTCOME_BASE_FAILED)
		say_base_failed(sentence, benchmark);
	else if (outcome == OUTCOME_SCREENED && benchmark->status != RESULT_ERROR)
		say_screened(sentence, benchmark);
	else if (outcome == OUTCOME_MEASURED && benchmark->status == RESULT_ERROR)
		say_with_detail(
			sentence, benchmark, " was measured, but too noisy for policy.detect");
	else if (outcome == OUTCOME_ERROR || benchmark->status == RESULT_ERROR)
		say_with_detail(sentence, benchmark, " could not be measured");
	else if (outcome == OUTCOME_IDENTICAL)
		say_plainly(sentence, benchmark,
			": both versions execute the same files: nothing to measure");
	else if (outcome == OUTCOME_NEW)
		say_new(sentence, benchmark);
	else if (outcome == OUTCOME_PROFILE || !has_base(benchmark))
		say_profile(sentence, benchmark);
	else
		say_measured(sentence, benchmark);
}

void sentence_of_benchmark(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	say_benchmark(sentence, benchmark);
	if (!is_accepted(benchmark))
		return;
	sentence_add_text(sentence, "; accepted: ");
	sentence_add_detail(sentence, benchmark->accepted);
}

bool detail_is_said(const struct result_benchmark *benchmark)
{
	enum result_outcome outcome = benchmark->outcome;
	bool reference = outcome == OUTCOME_BASE_FAILED || outcome == OUTCOME_SCREENED;
	bool said = outcome == OUTCOME_ERROR || outcome == OUTCOME_NEW ||
		    benchmark->status == RESULT_ERROR ||
		    (reference && !reference_that_speaks(benchmark));

	if (!*benchmark->detail)
		return true;
	return said && strlen(benchmark->detail) <= DETAIL_COLUMNS &&
	       !strpbrk(benchmark->detail, "\r\n");
}
