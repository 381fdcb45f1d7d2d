/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did a function, a call or the total grow? Stage 1 flags, stage 2 confirms, and each gets its
 * change, interval and margin.
 */
#include "gate/verdict/gate.h"

#include <math.h>

#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/localise/unchanged.h"

static double function_margin(const struct gate *gate, const struct moments *moments)
{
	return stage_self_margin(&gate->input->policy, moments);
}

static double node_margin(const struct gate *gate, const struct moments *moments)
{
	return stage_total_margin(&gate->input->policy, moments);
}

/* The two families that are tested alike. */
struct family {
	struct verdict_effect *effects;
	const struct moments *stage[2], *pooled;
	size_t first, count;
	double (*margin)(const struct gate *gate, const struct moments *moments);
};

static struct family functions_of(const struct gate *gate)
{
	return (struct family){gate->result->functions,
		{gate->stage[0].function, gate->stage[1].function}, gate->pooled.function, 0,
		gate->input->function_count, function_margin};
}

static struct family nodes_of(const struct gate *gate)
{
	return (struct family){gate->result->nodes, {gate->stage[0].node, gate->stage[1].node},
		gate->pooled.node, 1, gate->input->node_count, node_margin};
}

static void flag_family(struct gate *gate, const struct family *family, double alpha)
{
	for (size_t i = family->first; i < family->count; i++) {
		struct verdict_effect *effect = &family->effects[i];
		const struct moments *moments = &family->stage[0][i];

		effect->eligible = stage_eligible(gate->input, &gate->stage[0], moments);
		if (!effect->eligible)
			continue;
		effect->p_stage[0] =
			stage_p(&gate->stage[0], moments, family->margin(gate, moments));
		effect->flagged = effect->p_stage[0] <= alpha;
		gate->flagged += effect->flagged;
	}
}

static void flag_total(struct gate *gate)
{
	struct verdict_total *total = &gate->result->total;

	total->alpha_stage[0] = gate->input->policy.alpha_stage1_total;
	total->floor_stage[0] = exp2(-(double)gate->stage[0].pairs.n);
	total->p_stage[0] = gate->stage[0].total_p;
	total->flagged = total->p_stage[0] <= total->alpha_stage[0];
	if (total->floor_stage[0] > total->alpha_stage[0])
		gate->result->reasons |= VERDICT_REASON_UNREACHABLE_STAGE1;
}

static void effects_init(struct verdict_effect *effects, size_t count)
{
	for (size_t i = 0; i < count; i++)
		effects[i].p_stage[0] = effects[i].p_stage[1] = NAN;
}

void effects_flag(struct gate *gate)
{
	const struct verdict_policy *policy = &gate->input->policy;
	struct family functions = functions_of(gate), nodes = nodes_of(gate);
	size_t tests = stage_tests(gate->input, &gate->stage[0]);
	double alpha = policy->alpha_stage1_nodes / (double)(tests ? tests : 1);

	gate->result->tests_stage1 = tests;
	effects_init(functions.effects, functions.count);
	effects_init(nodes.effects, nodes.count);
	flag_family(gate, &functions, alpha);
	flag_family(gate, &nodes, alpha);
	flag_total(gate);
	gate->result->total.p_stage[1] = NAN;
}

static double alpha_stage2(const struct gate *gate)
{
	const struct verdict_policy *policy = &gate->input->policy;

	return policy->alpha_stage2 / (double)policy->benchmarks_in_gate;
}

static void confirm_family(struct gate *gate, const struct family *family, double alpha)
{
	for (size_t i = family->first; i < family->count; i++) {
		struct verdict_effect *effect = &family->effects[i];
		const struct moments *moments = &family->stage[1][i];

		if (!effect->flagged || !stage_eligible(gate->input, &gate->stage[1], moments))
			continue;
		effect->p_stage[1] =
			stage_p(&gate->stage[1], moments, family->margin(gate, moments));
		effect->confirmed = effect->p_stage[1] <= alpha;
	}
}

static void confirm_total(struct gate *gate)
{
	struct verdict_total *total = &gate->result->total;

	total->alpha_stage[1] = alpha_stage2(gate);
	total->floor_stage[1] = exp2(-(double)gate->stage[1].pairs.n);
	total->p_stage[1] = gate->stage[1].total_p;
	total->confirmed = total->flagged && total->p_stage[1] <= total->alpha_stage[1];
	if (total->flagged && total->floor_stage[1] > total->alpha_stage[1])
		gate->result->reasons |= VERDICT_REASON_UNREACHABLE_STAGE2;
}

void effects_confirm(struct gate *gate)
{
	struct family functions = functions_of(gate), nodes = nodes_of(gate);
	double alpha = alpha_stage2(gate) / (double)(gate->flagged ? gate->flagged : 1);

	gate->result->tests_stage2 = gate->flagged;
	confirm_family(gate, &functions, alpha);
	confirm_family(gate, &nodes, alpha);
	confirm_total(gate);
}

const struct stage *effects_shown(const struct gate *gate)
{
	bool flagged = gate->flagged > 0 || gate->result->total.flagged;

	return flagged && gate->has_stage2 ? &gate->stage[1] : &gate->pooled;
}

static void describe(const struct gate *gate, const struct family *family, size_t i)
{
	struct verdict_effect *effect = &family->effects[i];
	const struct stage *stage = effects_shown(gate);
	const struct moments *moments =
		stage == &gate->pooled ? &family->pooled[i] : &family->stage[1][i];
	struct estimate estimate = stage_estimate(stage, moments);
	double half = stage_half_width(stage, &estimate);

	effect->change = estimate.change;
	effect->se = estimate.se;
	effect->df = estimate.df;
	effect->low = estimate.change - half;
	effect->high = estimate.change + half;
	effect->margin = family->margin(gate, moments);
	effect->t = estimate_t(&estimate, effect->margin);
	effect->p = numeric_student_upper(effect->t, estimate.df);
	effect->base = moments->base;
	effect->head = moments->head;
	effect->state = effect->flagged    ? VERDICT_FLAGGED
			: effect->eligible ? VERDICT_UNCHANGED
					   : VERDICT_INELIGIBLE;
}

static void describe_total(struct gate *gate)
{
	struct verdict_total *total = &gate->result->total;
	const struct stage *stage = effects_shown(gate);
	const struct robust_mean *log_ratio = &stage->log_ratio;
	const struct robust_mean *pooled = &gate->pooled.log_ratio;
	double half = numeric_student_quantile(0.025, log_ratio->df) * log_ratio->se;

	total->base = stage->total[0];
	total->head = stage->total[1];
	total->change = expm1(log_ratio->mean);
	total->low = expm1(log_ratio->mean - half);
	total->high = expm1(log_ratio->mean + half);
	total->upper95 = expm1(
		log_ratio->mean + numeric_student_quantile(0.05, log_ratio->df) * log_ratio->se);
	total->state = total->flagged ? VERDICT_FLAGGED : VERDICT_UNCHANGED;
	gate->result->layout = unchanged_layout_of_all(gate, NULL) * stage_of_base(&gate->pooled);
	gate->result->bound =
		expm1(pooled->mean + numeric_student_quantile(0.025, pooled->df) * pooled->se) +
		gate->result->layout;
}

static void describe_known(struct gate *gate)
{
	const struct verdict_input *input = gate->input;
	const struct stage *stage = effects_shown(gate);

	gate->result->known =
		arena_array(gate->arena, input->known_count, sizeof(*gate->result->known));
	for (size_t i = 0; i < input->known_count; i++) {
		struct moments moments;
		struct estimate estimate;
		double half;

		moments_of_row(&stage->pairs, input->known_total[0] + i * input->pairs,
			input->known_total[1] + i * input->pairs, &moments);
		estimate = stage_estimate(stage, &moments);
		half = stage_half_width(stage, &estimate);
		gate->result->known[i] = (struct verdict_known){moments.base, moments.head,
			estimate.change, estimate.change - half, estimate.change + half};
	}
}

static void describe_node_self(struct gate *gate)
{
	const struct verdict_input *input = gate->input;
	const struct stage *stage = effects_shown(gate);
	struct verdict_part *parts = arena_array(gate->arena, input->node_count, sizeof(*parts));

	for (size_t v = 0; v < input->node_count; v++) {
		struct moments moments;

		moments_of_row(&stage->pairs, input->node_self[0] + v * input->pairs,
			input->node_self[1] + v * input->pairs, &moments);
		parts[v] = (struct verdict_part){moments.base, moments.head, moments.mean};
	}
	gate->result->node_self = parts;
}

void effects_describe(struct gate *gate)
{
	struct family functions = functions_of(gate), nodes = nodes_of(gate);

	for (size_t i = 0; i < functions.count; i++)
		describe(gate, &functions, i);
	for (size_t i = 0; i < nodes.count; i++)
		describe(gate, &nodes, i);
	if (nodes.count > 0)
		nodes.effects[0].state =
			VERDICT_INELIGIBLE; /* the total's own test stands for the root */
	gate->result->fresh = effects_shown(gate) != &gate->pooled;
	describe_total(gate);
	describe_known(gate);
	describe_node_self(gate);
}
