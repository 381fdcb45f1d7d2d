/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests divide a pair's costs by the mean of both totals, which cancels drift and treats both
 * versions alike. Readers hold a change against what base takes, as the total's own change does.
 */
#include "gate/verdict/gate.h"

static void convert_effects(struct verdict_effect *effects, size_t count, double of_base)
{
	for (size_t i = 0; i < count; i++) {
		struct verdict_effect *effect = &effects[i];

		effect->change *= of_base;
		effect->se *= of_base;
		effect->low *= of_base;
		effect->high *= of_base;
		effect->margin *= of_base;
		effect->base *= of_base;
		effect->head *= of_base;
	}
}

static void convert_known(struct verdict_known *known, size_t count, double of_base)
{
	for (size_t i = 0; i < count; i++) {
		known[i].base *= of_base;
		known[i].head *= of_base;
		known[i].change *= of_base;
		known[i].low *= of_base;
		known[i].high *= of_base;
	}
}

static void convert_parts(struct verdict_part *parts, size_t count, double of_base)
{
	for (size_t i = 0; i < count; i++) {
		parts[i].base *= of_base;
		parts[i].head *= of_base;
		parts[i].change *= of_base;
	}
}

static void convert_culprits(struct verdict_culprit *culprits, size_t count, double of_base)
{
	for (size_t i = 0; i < count; i++) {
		culprits[i].change *= of_base;
		culprits[i].se *= of_base;
		culprits[i].low *= of_base;
		culprits[i].high *= of_base;
		culprits[i].base *= of_base;
		culprits[i].score *= of_base;
	}
}

static void convert_shifts(struct verdict_shift *shifts, size_t count, double of_base)
{
	for (size_t i = 0; i < count; i++) {
		shifts[i].moved *= of_base;
		shifts[i].compensation *= of_base;
		shifts[i].se *= of_base;
		shifts[i].net *= of_base;
	}
}

void of_base_convert(struct gate *gate)
{
	struct verdict_result *result = gate->result;
	const struct verdict_input *input = gate->input;
	double of_base = stage_of_base(effects_shown(gate));

	convert_effects(result->functions, input->function_count, of_base);
	convert_effects(result->nodes, input->node_count, of_base);
	convert_known(result->known, input->known_count, of_base);
	convert_parts(result->node_self, input->node_count, of_base);
	convert_culprits(result->culprits, result->culprit_count, of_base);
	convert_shifts(result->shifts, result->shift_count, stage_of_base(&gate->pooled));
}
