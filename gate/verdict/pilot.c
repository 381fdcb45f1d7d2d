/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/pilot.h"

#include <math.h>

#include "gate/verdict/estimate/mde.h"
#include "gate/verdict/estimate/numeric.h"

/* What a regression would flag: how many the pilot flagged is not for us to know. */
static double alpha_of(
	const struct verdict_policy *policy, const struct verdict_result *pilot, int stage)
{
	size_t tests = pilot->tests_stage1 ? pilot->tests_stage1 : 1;

	return stage == 0 ? policy->alpha_stage1_nodes / (double)tests
			  : policy->alpha_stage2 /
				    (double)(policy->benchmarks_in_gate * TYPICAL_FLAGGED);
}

static struct verdict_power power_of(const struct verdict_policy *policy,
	const struct verdict_result *pilot, const size_t pairs[2])
{
	struct verdict_power power = pilot->power;

	/* Base's total against the mean of both is a mean difference, which is not to be known. */
	power.of_base = 1;
	for (int stage = 0; stage < 2; stage++) {
		power.stage[stage].n = (double)pairs[stage];
		power.stage[stage].df = power.stage[stage].n + 9;
		power.stage[stage].t_critical = numeric_student_quantile(
			alpha_of(policy, pilot, stage), power.stage[stage].df);
		power.total.n[stage] = (double)pairs[stage];
	}
	return power;
}

static size_t at_most(size_t pairs, size_t most)
{
	return pairs < most ? pairs : most;
}

void verdict_plan(const struct verdict_policy *policy, const struct verdict_result *pilot,
	double detect, const size_t least[2], const size_t most[2], struct verdict_plan *plan)
{
	for (size_t first = least[0];; first++) {
		struct verdict_power power;

		plan->pairs[0] = at_most(first, most[0]);
		plan->pairs[1] = at_most((first * least[1] + least[0] - 1) / least[0], most[1]);
		power = power_of(policy, pilot, plan->pairs);
		plan->detectable = verdict_mde(&power, VERDICT_TYPICAL_SHARE);
		plan->reached = plan->detectable <= detect;
		if ((plan->reached && verdict_mde(&power, power.large_share) <= detect) ||
			first >= most[0])
			return;
	}
}
