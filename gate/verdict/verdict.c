/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/verdict.h"

#include <math.h>
#include <string.h>

#include "gate/verdict/check_input.h"
#include "gate/verdict/estimate/mde.h"
#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/gate.h"
#include "gate/verdict/localise/unchanged.h"

#define LARGE_RANK 5

struct verdict_policy verdict_policy_default(bool whole_runs)
{
	return (struct verdict_policy){
		.margin_points = 0.002,
		.margin_self_relative = 0.02,
		.margin_total_relative = 0.01,
		.total_margin = whole_runs ? 0.01 : 0.005,
		.alpha_stage1_nodes = 0.04,
		.alpha_stage1_total = 0.01,
		.alpha_stage2 = 0.01,
		.benchmarks_in_gate = 1,
		.stage2_pairs = 24,
		.layouts = 1,
		.whole_runs = whole_runs,
		.min_samples = 20,
		.min_pairs = 8,
		.min_coverage = 0.7,
		.max_coverage_gap = 0.2,
	};
}

/* The pairs of stage 2: those that are planned as long as there are none. */
static double pairs_of(const struct gate *gate, int stage)
{
	if (stage == 1 && !gate->has_stage2)
		return (double)gate->input->policy.stage2_pairs;
	return (double)gate->stage[stage].pairs.n;
}

static double alpha_per_test(const struct gate *gate, int stage)
{
	const struct verdict_policy *policy = &gate->input->policy;
	size_t tests = gate->result->tests_stage1;
	size_t flagged = gate->flagged ? gate->flagged : TYPICAL_FLAGGED;

	if (stage == 0)
		return policy->alpha_stage1_nodes / (double)(tests ? tests : 1);
	return policy->alpha_stage2 / (double)(policy->benchmarks_in_gate * flagged);
}

static struct verdict_total_power total_power(const struct gate *gate)
{
	const struct verdict_policy *policy = &gate->input->policy;

	return (struct verdict_total_power){
		.n = {pairs_of(gate, 0), pairs_of(gate, 1)},
		.alpha = {policy->alpha_stage1_total,
			policy->alpha_stage2 / (double)policy->benchmarks_in_gate},
		.deviation = gate->pooled.log_ratio.se * sqrt((double)gate->pooled.pairs.n),
		.df = gate->pooled.log_ratio.df,
		.margin = policy->total_margin,
		.allowance = unchanged_layout_of_all(gate, NULL),
	};
}

/* Mean of both versions: it knows nothing of their difference. */
static double large_share(const struct gate *gate)
{
	double largest[LARGE_RANK] = {0};
	size_t count = gate->input->function_count;

	for (size_t f = 0; f < count; f++) {
		const struct moments *moments = &gate->pooled.function[f];
		double share = (moments->base + moments->head) / 2;

		for (size_t rank = 0; rank < LARGE_RANK; rank++)
			if (share > largest[rank]) {
				double smaller = largest[rank];

				largest[rank] = share;
				share = smaller;
			}
	}
	return largest[(count < LARGE_RANK ? count : LARGE_RANK) - 1];
}

static void set_power(struct gate *gate)
{
	const struct verdict_policy *policy = &gate->input->policy;
	struct verdict_power *power = &gate->result->power;
	double share = 0;

	for (size_t f = 0; f < gate->input->function_count; f++) {
		const struct moments *moments = &gate->pooled.function[f];

		power->poisson += moments->poisson;
		power->samples_per_run += moments->samples;
		share += (moments->base + moments->head) / 2;
	}
	power->poisson /= share;
	power->samples_per_run /= share;
	power->kappa = gate->result->kappa = gate->pooled.kappa;
	power->kappa_seen = moderate_kappa_seen(
		gate->pooled.function, gate->input->function_count, policy->min_samples);
	if (gate->input->node_count > 1)
		power->kappa_calls = moderate_kappa_seen(
			gate->pooled.node + 1, gate->input->node_count - 1, policy->min_samples);
	power->large_share = large_share(gate);
	power->margin_points = policy->margin_points;
	power->margin_self_relative = policy->margin_self_relative;
	power->margin_total_relative = policy->margin_total_relative;
	power->allowance_relative = unchanged_layout_relative(policy);
	power->of_base = stage_of_base(&gate->pooled);
	for (int stage = 0; stage < 2; stage++) {
		power->stage[stage].n = pairs_of(gate, stage);
		power->stage[stage].df = power->stage[stage].n + 9;
		power->stage[stage].t_critical = numeric_student_quantile(
			alpha_per_test(gate, stage), power->stage[stage].df);
	}
	power->total = total_power(gate);
	gate->result->total.mde = mde_total(&power->total);
	gate->result->mde_function = verdict_mde(power, VERDICT_TYPICAL_SHARE);
}

static void describe(struct gate *gate)
{
	effects_describe(gate);
	set_power(gate);
}

static void refuse(struct verdict_result *result, uint32_t reasons)
{
	result->status = VERDICT_CANNOT_DECIDE;
	result->reasons |= reasons;
	result->functions = NULL;
	result->nodes = NULL;
	result->known = NULL;
}

static bool select_pairs(struct gate *gate, int stage, size_t first, size_t end)
{
	struct verdict_result *result = gate->result;
	struct pairs *pairs = &gate->stage[stage].pairs;

	pairs_select(gate->input, first, end, result->dropped, gate->arena, pairs);
	result->kept[stage] = pairs->n;
	result->dropped_count += end - first - pairs->n;
	return pairs->n >= gate->input->policy.min_pairs;
}

/* False: result says why not. */
static bool gate_start(struct gate *gate, const struct verdict_input *input, struct arena *arena,
	struct verdict_result *result)
{
	uint32_t reasons;

	memset(result, 0, sizeof(*result));
	result->bad_pair = SIZE_MAX;
	*gate = (struct gate){.input = input, .arena = arena, .result = result};
	reasons = check_input(input, result);
	if (reasons) {
		refuse(result, reasons);
		return false;
	}
	result->dropped = arena_array(arena, input->pairs, sizeof(bool));
	result->functions = arena_array(arena, input->function_count, sizeof(*result->functions));
	result->nodes = arena_array(arena, input->node_count, sizeof(*result->nodes));
	return true;
}

static bool measure_stage1(struct gate *gate)
{
	if (!select_pairs(gate, 0, 0, gate->input->stage1_pairs)) {
		refuse(gate->result, VERDICT_REASON_FEW_PAIRS_STAGE1);
		return false;
	}
	stage_measure(gate->input, gate->arena, &gate->stage[0]);
	gate->pooled = gate->stage[0];
	effects_flag(gate);
	return true;
}

static bool is_flagged(const struct gate *gate)
{
	return gate->flagged > 0 || gate->result->total.flagged;
}

void verdict_stage1(
	const struct verdict_input *input, struct arena *arena, struct verdict_result *result)
{
	struct gate gate;

	if (!gate_start(&gate, input, arena, result) || !measure_stage1(&gate))
		return;
	describe(&gate);
	judge_improvements(&gate);
	of_base_convert(&gate);
	result->status = is_flagged(&gate) ? VERDICT_UNDECIDED : VERDICT_PASS;
}

static bool measure_stage2(struct gate *gate)
{
	bool enough = select_pairs(gate, 1, gate->input->stage1_pairs, gate->input->pairs);

	gate->has_stage2 = true;
	stage_measure(gate->input, gate->arena, &gate->stage[1]);
	pairs_join(&gate->stage[0].pairs, &gate->stage[1].pairs, gate->arena, &gate->pooled.pairs);
	stage_measure(gate->input, gate->arena, &gate->pooled);
	if (enough || !is_flagged(gate))
		return true;
	refuse(gate->result, VERDICT_REASON_FEW_PAIRS_STAGE2);
	return false;
}

void verdict_decide(
	const struct verdict_input *input, struct arena *arena, struct verdict_result *result)
{
	struct gate gate;

	if (input->pairs == input->stage1_pairs) {
		verdict_stage1(input, arena, result);
		return;
	}
	if (!gate_start(&gate, input, arena, result) || !measure_stage1(&gate) ||
		!measure_stage2(&gate))
		return;
	effects_confirm(&gate);
	describe(&gate);
	result->status = VERDICT_PASS;
	if (is_flagged(&gate))
		judge_confirmed(&gate);
	judge_improvements(&gate);
	of_base_convert(&gate);
}
