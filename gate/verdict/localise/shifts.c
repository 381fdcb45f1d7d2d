/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/shifts.h"

#include <math.h>
#include <stdlib.h>

#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/localise/shift_finder.h"

static bool total_has_grown(const struct stage *pooled)
{
	const struct robust_mean *log_ratio = &pooled->log_ratio;

	return log_ratio->mean > numeric_student_quantile(0.025, log_ratio->df) * log_ratio->se;
}

/* One standard error is granted, as the finder does. Positive. */
static double granted(const struct estimate *estimate)
{
	return fmax(estimate->se - estimate->change, 0);
}

/* What went down in all: where single functions show it, or where the finder saw it in a sum. */
static double all_that_decreased(const struct gate *gate, const bool *decreased)
{
	const struct verdict_input *input = gate->input;
	const struct verdict_result *result = gate->result;
	struct arena scratch = ARENA_INIT;
	struct moments_sum sum;
	struct moments moments;
	struct estimate estimate;
	double most;

	moments_sum_init(&sum, &gate->pooled.pairs, &scratch);
	for (size_t f = 0; f < input->function_count; f++)
		if (decreased[f])
			moments_sum_add(&sum, input->self[0] + f * input->pairs,
				input->self[1] + f * input->pairs);
	moments_sum_finish(&sum, &moments);
	estimate = stage_estimate(&gate->pooled, &moments);
	most = granted(&estimate);
	arena_release(&scratch);
	for (size_t i = 0; i < result->shift_count; i++)
		most = fmax(most, result->shifts[i].se - result->shifts[i].compensation);
	return most;
}

/* It is of a function's own cost: a call's shift stands for what its functions did. */
static bool is_of_a_function(const struct verdict_shift *shift)
{
	return shift->node == VERDICT_NONE;
}

/* The function's that is largest; VERDICT_NONE: there is none of a function. */
static uint32_t largest_shift(const struct verdict_result *result)
{
	uint32_t largest = VERDICT_NONE;

	for (uint32_t i = 0; i < result->shift_count; i++)
		if (is_of_a_function(&result->shifts[i]) &&
			(largest == VERDICT_NONE ||
				result->shifts[i].moved > result->shifts[largest].moved))
			largest = i;
	return largest;
}

/* Its calls are no shifts either. */
static void forget_function(struct verdict_result *result, uint32_t function)
{
	size_t kept = 0;

	for (size_t i = 0; i < result->shift_count; i++)
		if (result->shifts[i].function != function)
			result->shifts[kept++] = result->shifts[i];
	result->shift_count = kept;
}

void shifts_forget_call(struct verdict_result *result, uint32_t node)
{
	size_t kept = 0;

	for (size_t i = 0; i < result->shift_count; i++)
		if (result->shifts[i].node != node)
			result->shifts[kept++] = result->shifts[i];
	result->shift_count = kept;
	if (!kept)
		result->reasons &= ~(uint32_t)VERDICT_REASON_SHIFTED;
}

/* True if it counts. */
static bool take_back(
	struct gate *gate, const struct shift_finder *finder, const struct verdict_shift *shift)
{
	struct verdict_result *result = gate->result;
	uint32_t function = shift->function;
	bool contradicted = shift_total_contradicts(finder, shift->moved);

	forget_function(result, function);
	result->functions[function].state = contradicted ? VERDICT_CONTRADICTED : VERDICT_CONFIRMED;
	result->reasons |= contradicted ? VERDICT_REASON_CONTRADICTED : 0;
	return !contradicted;
}

static double all_that_moved(const struct verdict_result *result)
{
	double moved = 0;

	for (size_t i = 0; i < result->shift_count; i++)
		moved += is_of_a_function(&result->shifts[i]) ? result->shifts[i].moved : 0;
	return moved;
}

bool shifts_take_back(struct gate *gate, const struct shift_finder *finder, double part)
{
	struct verdict_result *result = gate->result;
	double most;
	bool confirmed = false;

	if (!result->shift_count || !total_has_grown(&gate->pooled))
		return false;
	most = all_that_decreased(gate, finder->decreased);
	while (part * all_that_moved(result) > most)
		confirmed |= take_back(gate, finder, &result->shifts[largest_shift(result)]);
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
