/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/self_test/self_test_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/decide/decide.h"
#include "gate/check/result.h"
#include "gate/check/runs/work_judge.h"
#include "gate/verdict/estimate/robust.h"
#include "gate/verdict/verdict.h"

/* A planted slowdown of which half was never burnt has not been planted. */
#define LEAST_BURNT 0.5

static bool wrong(struct self_test *test, enum self_test_outcome outcome, const char *detail)
{
	test->outcome = outcome;
	test->detail = detail;
	return false;
}

static void fill_gate(struct self_test_gate *gate, const struct result_benchmark *benchmark)
{
	*gate = (struct self_test_gate){
		.was_run = true,
		.status = benchmark->status,
		.stage1_pairs = benchmark->stage1_pairs,
		.stage2_pairs = benchmark->stage2_pairs,
		.change = benchmark->total.change,
		.low = benchmark->total.low,
		.high = benchmark->total.high,
		.detectable_total = benchmark->mde_total,
	};
}

/* What check would say of it; NULL: there is no verdict. */
static struct result *decide(struct self_test *test, const struct measurements *measurements,
	struct self_test_gate *gate)
{
	struct result *result = decide_measurements(measurements);
	const struct result_benchmark *benchmark = result->benchmarks;

	fill_gate(gate, benchmark);
	if (benchmark->outcome == OUTCOME_MEASURED && benchmark->status != RESULT_ERROR)
		return result;
	gate->status = RESULT_ERROR; /* whatever the policy says of a base that does not build */
	wrong(test, SELF_TEST_UNMEASURED, arena_strdup(&test->arena, benchmark->detail));
	result_free(result);
	return NULL;
}

static const char *culprit_name(const struct result_benchmark *benchmark, size_t i)
{
	return benchmark->functions[benchmark->culprits[i].function].name;
}

/* ---- no change ----------------------------------------------------------------------------- */

bool self_test_judge_null(struct self_test *test, const struct measurements *measurements)
{
	struct result *result = decide(test, measurements, &test->null);
	bool passed;

	if (!result)
		return false;
	passed = result->benchmarks[0].status != RESULT_FAIL;
	if (!passed)
		wrong(test, SELF_TEST_FALSE_ALARM,
			arena_printf(&test->arena,
				"two runs of the same build were called a regression%s%s: the "
				"benchmark does not do the same work in each run (random input, "
				"time, other processes?), or the machine disturbs it",
				result->benchmarks[0].culprit_count ? " in " : "",
				result->benchmarks[0].culprit_count
					? culprit_name(&result->benchmarks[0], 0)
					: ""));
	result_free(result);
	return passed;
}

/* ---- where to plant ------------------------------------------------------------------------ */

static const char *undetectable_text(struct self_test *test, const struct verdict_power *power,
	const struct self_test_place *nearest)
{
	double percent = 100 * test->slowdown;
	size_t pairs;

	if (!isfinite(nearest->detectable))
		return arena_printf(&test->arena,
			"this machine and benchmark cannot find +%.3g %%, or any other slowdown, "
			"in one function: there is too much noise for %.0f pairs of runs",
			percent, power->stage[0].n + power->stage[1].n);
	pairs = self_test_pairs_needed(power, nearest->share, test->slowdown);
	if (!pairs)
		return arena_printf(&test->arena,
			"this machine and benchmark cannot find +%.3g %%: the smallest slowdown "
			"that can be found in one function is +%.2g %% (in %s), and no number of "
			"pairs would do (policy.margin allows less); try --slowdown %.2g%%",
			percent, 100 * nearest->detectable, nearest->name,
			110 * nearest->detectable);
	return arena_printf(&test->arena,
		"this machine and benchmark cannot find +%.3g %%: the smallest slowdown that can "
		"be found in one function is +%.2g %% (in %s); +%.3g %% needs about %zu pairs of "
		"runs (policy.pairs), or a quieter machine",
		percent, 100 * nearest->detectable, nearest->name, percent, pairs);
}

static void take_place(struct self_test *test, const struct self_test_place *place)
{
	test->picked = arena_strdup(&test->arena, place->name);
	test->picked_file = arena_strdup(&test->arena, place->file);
	test->picked_rank = place->rank;
	test->picked_share = place->share;
	test->picked_detectable = place->detectable;
	test->picked_part = test->slowdown / place->share;
}

static bool pick(struct self_test *test, const struct recording *recording,
	const struct verdict_power *power, struct slowdown_place *code)
{
	const struct self_test_place *picked, *nearest;
	struct self_test_places places;

	self_test_places(recording, power, &test->arena, &places);
	test->picked_of = places.functions;
	picked = self_test_pick(&places, test->slowdown, test->seed, &nearest);
	if (picked) {
		take_place(test, picked);
		*code = picked->code;
		return true;
	}
	if (nearest)
		return wrong(test, SELF_TEST_UNDETECTABLE, undetectable_text(test, power, nearest));
	return wrong(test, SELF_TEST_NO_PLACE,
		arena_printf(&test->arena,
			"none of the %zu functions that were seen has code of its own and costs "
			"enough to take +%.3g %% of the benchmark (at least a third of that): %s",
			places.functions, 100 * test->slowdown,
			places.functions > 1 ? "try a smaller --slowdown"
					     : "is it built with symbols?"));
}

bool self_test_judge_places(struct self_test *test, const struct measurements *measurements,
	struct slowdown_place *code)
{
	const struct measured_benchmark *measured = &measurements->benchmarks[0];
	const struct recording *base = &measured->recordings[VERSION_BASE];
	struct analysis analysis;
	struct error err = {0};
	bool picked;

	if (analysis_prepare(&analysis, base, &measured->recordings[VERSION_HEAD],
		    &measurements->diff, 1, &err)) {
		wrong(test, SELF_TEST_UNMEASURED, arena_strdup(&test->arena, err.message));
		picked = false;
	} else {
		verdict_decide(&analysis.input, &analysis.scratch, &analysis.verdict);
		picked = pick(test, base, &analysis.verdict.power, code);
	}
	analysis_release(&analysis);
	return picked;
}

/* ---- fixed work ---------------------------------------------------------------------------- */

struct work {
	double *before, *after, *planted, *follows;
	size_t count;
};

static struct work_tally tally_of(const struct recording_round *round)
{
	return (struct work_tally){round->cpu_seconds, round->iterations, round->planted_seconds};
}

/* Of each pair. */
static void collect_work(
	const struct measured_benchmark *measured, struct arena *arena, struct work *work)
{
	const struct recording *base = &measured->recordings[VERSION_BASE];
	const struct recording *head = &measured->recordings[VERSION_HEAD];
	size_t pairs =
		base->round_count < head->round_count ? base->round_count : head->round_count;
	double **lists[] = {&work->before, &work->after, &work->planted, &work->follows};

	work->count = 0;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		*lists[i] = arena_array(arena, pairs, sizeof(double));
	for (size_t i = 0; i < pairs; i++) {
		const struct work_tally plain = tally_of(&base->rounds[i]);
		const struct work_tally slowed = tally_of(&head->rounds[i]);
		struct work_round round;

		if (!work_round_of(&plain, &slowed, &round))
			continue;
		work->before[work->count] = round.before;
		work->after[work->count] = round.after;
		work->planted[work->count] = round.burnt;
		work->follows[work->count++] = work_follows(&round);
	}
}

static const char *fixed_time_text(struct self_test *test)
{
	const struct work_round typical = {test->work_before, test->work_after, test->work_planted};

	return test->work_is_counted ? work_count_text(&typical, &test->arena)
				     : work_text(&typical, WORK_ADVICE, &test->arena);
}

bool self_test_judge_work(struct self_test *test, const struct measurements *measurements)
{
	const struct measured_benchmark *measured = &measurements->benchmarks[0];
	struct work work = {0};

	if (measured->outcome != OUTCOME_MEASURED || !measured->recorded)
		return wrong(
			test, SELF_TEST_UNMEASURED, arena_strdup(&test->arena, measured->detail));
	collect_work(measured, &test->arena, &work);
	if (!work.count)
		return wrong(test, SELF_TEST_UNMEASURED,
			"the sampler did not slow the benchmark down: no sample was taken in it");
	test->has_work = true;
	test->work_is_counted = measured->recordings[VERSION_HEAD].counted_work;
	test->work_before = robust_median(work.before, work.count);
	test->work_after = robust_median(work.after, work.count);
	test->work_planted = robust_median(work.planted, work.count);
	test->work_follows = robust_median(work.follows, work.count);
	if (work_is_fixed(test->work_follows))
		return true;
	return wrong(test, SELF_TEST_FIXED_TIME, fixed_time_text(test));
}

/* ---- the planted slowdown ------------------------------------------------------------------ */

/* Burnt in head, as a part of base's CPU time. */
static double burnt_part(const struct measured_benchmark *measured)
{
	double burnt = 0, before = 0;

	for (size_t i = 0; i < measured->recordings[VERSION_HEAD].round_count; i++)
		burnt += measured->recordings[VERSION_HEAD].rounds[i].planted_seconds;
	for (size_t i = 0; i < measured->recordings[VERSION_BASE].round_count; i++)
		before += measured->recordings[VERSION_BASE].rounds[i].cpu_seconds;
	return before > 0 ? burnt / before : 0;
}

static const struct result_function *find_function(
	const struct result_benchmark *benchmark, const char *name)
{
	for (size_t i = 0; i < benchmark->function_count; i++)
		if (strcmp(benchmark->functions[i].name, name) == 0)
			return &benchmark->functions[i];
	return NULL;
}

static const char *state_text(enum result_state state)
{
	static const char *const texts[] = {
		[STATE_UNCHANGED] = "what it grew by was not significant in stage 1",
		[STATE_FLAGGED] = "stage 1 flagged it, stage 2 did not confirm it",
		[STATE_CONFIRMED] = "it was confirmed",
		[STATE_SHIFTED] = "it was taken for cost that moved",
		[STATE_CONTRADICTED] = "the total contradicts it",
		[STATE_UNCHANGED_CODE] = "it was excused, as its code is the same",
		[STATE_IMPROVED] = "it was seen as an improvement",
		[STATE_INELIGIBLE] = "it had too few samples",
	};

	return texts[state];
}

static bool missed(struct self_test *test, const struct result_benchmark *benchmark)
{
	const struct result_function *function = find_function(benchmark, test->picked);

	if (!function)
		return wrong(test, SELF_TEST_MISSED,
			arena_printf(&test->arena, "%s was not seen again", test->picked));
	return wrong(test, SELF_TEST_MISSED,
		arena_printf(&test->arena,
			"+%.2f %% planted in %s (+%.2f %% burnt) was not called a regression: %s; "
			"measured %+.2f %% (%.2f to %.2f %%). One in five is missed at the "
			"detectable effect (+%.2f %%); try again, or a larger --slowdown",
			100 * test->slowdown, test->picked, 100 * test->burnt,
			state_text(function->self.state), 100 * function->self.change,
			100 * function->self.low, 100 * function->self.high,
			100 * test->picked_detectable));
}

static bool judge_culprit(struct self_test *test, const struct result_benchmark *benchmark)
{
	const struct result_culprit *first = benchmark->culprits;

	if (!benchmark->culprit_count)
		return wrong(test, SELF_TEST_WRONG_CULPRIT,
			arena_printf(&test->arena,
				"a regression was found, and nobody was blamed; "
				"it was planted in %s",
				test->picked));
	test->blamed = arena_strdup(&test->arena, culprit_name(benchmark, 0));
	test->blamed_change = first->change;
	test->blamed_low = first->low;
	test->blamed_high = first->high;
	if (strcmp(test->blamed, test->picked) == 0)
		return true;
	return wrong(test, SELF_TEST_WRONG_CULPRIT,
		arena_printf(&test->arena, "planted in %s, but %s was blamed first", test->picked,
			test->blamed));
}

static bool judge_verdict(struct self_test *test, const struct result_benchmark *benchmark)
{
	if (test->burnt < LEAST_BURNT * test->slowdown)
		return wrong(test, SELF_TEST_UNMEASURED,
			arena_printf(&test->arena,
				"of +%.2f %% only +%.2f %% could be planted in %s: it runs less "
				"often than when it was picked",
				100 * test->slowdown, 100 * test->burnt, test->picked));
	if (benchmark->status != RESULT_FAIL)
		return missed(test, benchmark);
	return judge_culprit(test, benchmark);
}

bool self_test_judge_planted(struct self_test *test, const struct measurements *measurements)
{
	struct result *result = decide(test, measurements, &test->planted);
	bool right;

	if (!result)
		return false;
	test->burnt = burnt_part(&measurements->benchmarks[0]);
	right = judge_verdict(test, &result->benchmarks[0]);
	result_free(result);
	return right;
}
