/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_plan.h"

#include <math.h>

#include "gate/base/error.h"
#include "gate/check/analysis/analysis.h"
#include "gate/verdict/pilot.h"

#define MOST_TIMES 4 /* as many pairs as policy.pairs asks for */

/* What budget and cap allow, in the proportion of least[]. */
static void limit(const size_t least[2], double pair_seconds, double budget_seconds, size_t most[2])
{
	double all = (double)(least[0] + least[1]);
	double times = pair_seconds > 0 ? budget_seconds / (pair_seconds * all) : MOST_TIMES;

	times = fmin(fmin(times, MOST_TIMES), VERDICT_PAIRS_MAX / all);
	for (int stage = 0; stage < 2; stage++) {
		most[stage] = (size_t)((double)least[stage] * times);
		if (most[stage] < least[stage])
			most[stage] = least[stage];
	}
}

static void tell(struct measurements *measurements, struct measured_benchmark *measured,
	const size_t least[2], double budget_seconds, const struct verdict_plan *plan)
{
	double detect = measured->recordings[VERSION_HEAD].policy.detect;
	struct arena *arena = &measurements->arena;

	if (plan->pairs[0] > least[0])
		measurements_add_line(measurements, &measured->notes,
			arena_printf(arena,
				"by the noise of the first %zu pairs there are %zu and, to "
				"confirm, %zu pairs instead of %zu and %zu",
				least[0], plan->pairs[0], plan->pairs[1], least[0], least[1]));
	if (!plan->reached)
		measurements_add_line(measurements, &measured->notes,
			arena_printf(arena,
				"policy.detect (%.3g %%) is out of reach within the budget "
				"(%.3g s) and %d times policy.pairs: %.2g %% is what can be found",
				detect * 100, budget_seconds, MOST_TIMES, plan->detectable * 100));
}

static void use(struct measured_benchmark *measured, const struct verdict_plan *plan)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		measured->recordings[version].policy.stage1_pairs = (uint32_t)plan->pairs[0];
		measured->recordings[version].policy.stage2_pairs = (uint32_t)plan->pairs[1];
	}
}

const char *plan_budget(struct measurements *measurements, const size_t pairs[2],
	double pair_seconds, double budget_seconds)
{
	double look = pair_seconds * (double)pairs[0], confirm = pair_seconds * (double)pairs[1];

	if (look + confirm <= budget_seconds)
		return "";
	return arena_printf(&measurements->arena,
		"the budget (%.3g s) will not do for policy.pairs: the first %zu are run in any "
		"case and take about %.0f s, %zu more, "
		"about %.0f s, if something is to be confirmed",
		budget_seconds, pairs[0], look, pairs[1], confirm);
}

void plan_pairs(struct measurements *measurements, struct measured_benchmark *measured,
	size_t benchmarks_in_gate, double pilot_seconds, double budget_seconds)
{
	const struct recording *recordings = measured->recordings;
	const struct config_policy *policy = &recordings[VERSION_HEAD].policy;
	const size_t least[2] = {policy->stage1_pairs, policy->stage2_pairs};
	struct analysis analysis;
	struct verdict_plan plan;
	struct error ignored;
	size_t most[2];

	if (!(policy->detect > 0))
		return;
	if (analysis_prepare(&analysis, &recordings[VERSION_BASE], &recordings[VERSION_HEAD], NULL,
		    benchmarks_in_gate, &ignored) == ERR_OK) {
		verdict_stage1(&analysis.input, &analysis.scratch, &analysis.verdict);
		limit(least, pilot_seconds / (double)least[0], budget_seconds, most);
		if (analysis.verdict.status != VERDICT_CANNOT_DECIDE) {
			verdict_plan(&analysis.input.policy, &analysis.verdict, policy->detect,
				least, most, &plan);
			tell(measurements, measured, least, budget_seconds, &plan);
			use(measured, &plan);
		}
	}
	analysis_release(&analysis);
}
