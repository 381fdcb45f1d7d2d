/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_plan.h"

#include "gate/check/analysis/decision.h"
#include "gate/verdict/plan.h"

#include <math.h>

#define MOST_TIMES 4 /* as many blocks as policy.blocks asks for */

/* What budget and cap allow, in the proportion of least[]. */
static void limit(
	const size_t least[2], double block_seconds, double budget_seconds, size_t most[2])
{
	double all = (double)(least[0] + least[1]);
	double times = block_seconds > 0 ? budget_seconds / (block_seconds * all) : MOST_TIMES;

	times = fmin(fmin(times, MOST_TIMES), VERDICT_BLOCKS_MAX / all);
	for (int stage = 0; stage < 2; stage++) {
		most[stage] = (size_t)((double)least[stage] * times);
		if (most[stage] < least[stage])
			most[stage] = least[stage];
	}
}

static void tell(struct session *session, struct session_benchmark *measured, const size_t least[2],
	double budget_seconds, const struct verdict_plan *plan)
{
	double promise = measured->recordings[ARM_HEAD].policy.promise;
	struct arena *arena = &session->arena;

	if (plan->blocks[0] > least[0])
		session_add_line(session, &measured->notes,
			arena_printf(arena,
				"by the noise of the first %zu blocks there are %zu and, to "
				"confirm, "
				"%zu blocks instead of %zu and %zu",
				least[0], plan->blocks[0], plan->blocks[1], least[0], least[1]));
	if (!plan->reached)
		session_add_line(session, &measured->notes,
			arena_printf(arena,
				"policy.promise (%.3g %%) is out of reach within the budget "
				"(%.3g s) and %d times policy.blocks: %.2g %% is what can be found",
				promise * 100, budget_seconds, MOST_TIMES, plan->detectable * 100));
}

static void use(struct session_benchmark *measured, const struct verdict_plan *plan)
{
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		measured->recordings[arm].policy.stage1_blocks = (uint32_t)plan->blocks[0];
		measured->recordings[arm].policy.stage2_blocks = (uint32_t)plan->blocks[1];
	}
}

const char *plan_budget(
	struct session *session, const size_t blocks[2], double pair_seconds, double budget_seconds)
{
	double look = pair_seconds * (double)blocks[0], confirm = pair_seconds * (double)blocks[1];

	if (look + confirm <= budget_seconds)
		return "";
	return arena_printf(&session->arena,
		"the budget (%.3g s) will not do for policy.blocks: the first %zu are run in any "
		"case and take about %.0f s, %zu more, about %.0f s, if something is to be "
		"confirmed",
		budget_seconds, blocks[0], look, blocks[1], confirm);
}

void plan_blocks(struct session *session, struct session_benchmark *measured,
	size_t benchmarks_in_gate, double pilot_seconds, double budget_seconds)
{
	const struct recording *recordings = measured->recordings;
	const struct config_policy *policy = &recordings[ARM_HEAD].policy;
	const size_t least[2] = {policy->stage1_blocks, policy->stage2_blocks};
	struct decision decision;
	struct verdict_plan plan;
	struct error ignored;
	size_t most[2];

	if (!(policy->promise > 0))
		return;
	if (decision_prepare(&decision, &recordings[ARM_BASE], &recordings[ARM_HEAD], NULL,
		    benchmarks_in_gate, &ignored) == ERR_OK) {
		verdict_stage1(&decision.input, &decision.scratch, &decision.verdict);
		limit(least, pilot_seconds / (double)least[0], budget_seconds, most);
		if (decision.verdict.status != VERDICT_CANNOT_DECIDE) {
			verdict_plan(&decision.input.policy, &decision.verdict, policy->promise,
				least, most, &plan);
			tell(session, measured, least, budget_seconds, &plan);
			use(measured, &plan);
		}
	}
	decision_release(&decision);
}
