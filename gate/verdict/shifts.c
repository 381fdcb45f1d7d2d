/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/shifts.h"

#include <math.h>
#include <stdlib.h>

#include "gate/verdict/guard.h"
#include "gate/verdict/numeric.h"

#define COMPENSATED_PART 0.5

static bool total_has_grown(const struct stage *pooled)
{
	const struct robust_mean *log_ratio = &pooled->log_ratio;

	return log_ratio->mean > numeric_student_quantile(0.025, log_ratio->df) * log_ratio->se;
}

/* One standard error is granted, as the guard does. Positive. */
static double granted(const struct estimate *estimate)
{
	return fmax(estimate->se - estimate->change, 0);
}

/* What went down in all: where single functions show it, or where the guard saw it in a sum. */
static double all_that_decreased(const struct gate *gate, const bool *decreased)
{
	const struct verdict_input *input = gate->input;
	const struct verdict_result *result = gate->result;
	struct arena scratch = ARENA_INIT;
	struct moments_sum sum;
	struct moments moments;
	struct estimate estimate;
	double most;

	moments_sum_init(&sum, &gate->pooled.blocks, &scratch);
	for (size_t f = 0; f < input->function_count; f++)
		if (decreased[f])
			moments_sum_add(&sum, input->self[0] + f * input->blocks,
				input->self[1] + f * input->blocks);
	moments_sum_finish(&sum, &moments);
	estimate = stage_estimate(&gate->pooled, &moments);
	most = granted(&estimate);
	arena_release(&scratch);
	for (size_t i = 0; i < result->shift_count; i++)
		most = fmax(most, result->shifts[i].se - result->shifts[i].compensation);
	return most;
}

static size_t largest_shift(const struct verdict_result *result)
{
	size_t largest = 0;

	for (size_t i = 1; i < result->shift_count; i++)
		if (result->shifts[i].moved > result->shifts[largest].moved)
			largest = i;
	return largest;
}

/* True if it counts. */
static bool take_back(struct gate *gate, const struct guard *guard, size_t i)
{
	struct verdict_result *result = gate->result;
	struct verdict_shift shift = result->shifts[i];
	bool vetoed = guard_total_contradicts(guard, shift.moved);

	for (result->shift_count--; i < result->shift_count; i++)
		result->shifts[i] = result->shifts[i + 1];
	result->functions[shift.function].state = vetoed ? VERDICT_VETOED : VERDICT_CONFIRMED;
	result->reasons |= vetoed ? VERDICT_REASON_VETOED : 0;
	return !vetoed;
}

bool shifts_take_back(struct gate *gate, const struct guard *guard)
{
	struct verdict_result *result = gate->result;
	double moved = 0, most;
	bool confirmed = false;

	if (!result->shift_count || !total_has_grown(&gate->pooled))
		return false;
	for (size_t i = 0; i < result->shift_count; i++)
		moved += result->shifts[i].moved;
	most = all_that_decreased(gate, guard->decreased);
	while (result->shift_count && COMPENSATED_PART * moved > most) {
		size_t largest = largest_shift(result);

		moved -= result->shifts[largest].moved;
		confirmed |= take_back(gate, guard, largest);
	}
	if (!result->shift_count)
		result->reasons &= ~(uint32_t)VERDICT_REASON_SHIFTED;
	return confirmed;
}

static int compare_shifts(const void *left, const void *right)
{
	const struct verdict_shift *a = left, *b = right;

	if (a->moved != b->moved)
		return a->moved > b->moved ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->node < b->node) - (a->node > b->node); /* the function itself: VERDICT_NONE */
}

void shifts_sort(struct verdict_result *result)
{
	if (result->shift_count)
		qsort(result->shifts, result->shift_count, sizeof(*result->shifts), compare_shifts);
}
