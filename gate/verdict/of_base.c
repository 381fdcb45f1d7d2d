/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests divide a pair's costs by the mean of both totals, which cancels drift and treats both
 * versions alike. Readers compare a change with what base takes, as the total's own change does.
 *
 * What lies between them, (1 + T1 / T0) / 2, is an estimate too. Its error is next to nothing where
 * the total hardly changed, and most of the whole error of a function that takes many times base's
 * total: there the difference over the mean is close to 2 whatever head takes. How both errors hang
 * together is not known, so that they add up, and not their squares.
 */
#include "gate/verdict/gate.h"

#include <math.h>

#include "gate/verdict/estimate/numeric.h"

struct conversion {
	double factor;
	double se, half; /* of factor: standard error, half of the 95 % interval */
};

static struct conversion conversion_of(const struct stage *stage)
{
	const struct robust_mean *log_ratio = &stage->log_ratio;
	double se = exp(log_ratio->mean) / 2 * log_ratio->se;

	return (struct conversion){.factor = stage_of_base(stage),
		.se = se,
		.half = numeric_student_quantile(0.025, log_ratio->df) * se};
}

static void convert_interval(
	const struct conversion *by, double *change, double *se, double *low, double *high)
{
	double size = fabs(*change);
	double further = size > 0 ? size * by->half : 0; /* of one pair the half is infinite */

	*se = *se * by->factor + (size > 0 ? size * by->se : 0);
	*low = *low * by->factor - further;
	*high = *high * by->factor + further;
	*change *= by->factor;
}

static void convert_effects(
	struct verdict_effect *effects, size_t count, const struct conversion *by)
{
	for (size_t i = 0; i < count; i++) {
		struct verdict_effect *effect = &effects[i];

		convert_interval(by, &effect->change, &effect->se, &effect->low, &effect->high);
		effect->margin *= by->factor;
		effect->base *= by->factor;
		effect->head *= by->factor;
	}
}

static void convert_known(struct verdict_known *known, size_t count, const struct conversion *by)
{
	for (size_t i = 0; i < count; i++) {
		double se = 0;

		convert_interval(by, &known[i].change, &se, &known[i].low, &known[i].high);
		known[i].base *= by->factor;
		known[i].head *= by->factor;
	}
}

static void convert_parts(struct verdict_part *parts, size_t count, const struct conversion *by)
{
	for (size_t i = 0; i < count; i++) {
		parts[i].base *= by->factor;
		parts[i].head *= by->factor;
		parts[i].change *= by->factor;
	}
}

static void convert_culprits(
	struct verdict_culprit *culprits, size_t count, const struct conversion *by)
{
	for (size_t i = 0; i < count; i++) {
		struct verdict_culprit *culprit = &culprits[i];

		convert_interval(by, &culprit->change, &culprit->se, &culprit->low, &culprit->high);
		culprit->base *= by->factor;
		culprit->together *= by->factor;
		culprit->score *= by->factor;
	}
}

static void convert_shifts(struct verdict_shift *shifts, size_t count, const struct conversion *by)
{
	for (size_t i = 0; i < count; i++) {
		struct verdict_shift *shift = &shifts[i];

		shift->se = shift->se * by->factor + fabs(shift->compensation) * by->se;
		shift->moved *= by->factor;
		shift->compensation *= by->factor;
		shift->net *= by->factor;
	}
}

void of_base_convert(struct gate *gate)
{
	struct verdict_result *result = gate->result;
	const struct verdict_input *input = gate->input;
	const struct conversion shown = conversion_of(effects_shown(gate));
	const struct conversion all = conversion_of(&gate->pooled);

	convert_effects(result->functions, input->function_count, &shown);
	convert_effects(result->nodes, input->node_count, &shown);
	convert_known(result->known, input->known_count, &shown);
	convert_parts(result->node_self, input->node_count, &shown);
	convert_culprits(result->culprits, result->culprit_count, &shown);
	convert_shifts(result->shifts, result->shift_count, &all);
}
