/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/estimate/paired.h"

#include <math.h>
#include <string.h>

#include "gate/verdict/check_input.h"
#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/estimate/robust.h"
#include "gate/verdict/estimate/wilcoxon.h"

#define TWO_SIDED_95 0.025

/* How a difference is expressed. */
enum scale { SCALE_LOG, SCALE_PART, SCALE_UNITS };

struct pairs {
	const struct paired_input *input;
	struct arena *arena;
	enum scale scale;
	double *difference; /* [count] */
	double margin;      /* in the same scale */
};

/* ---- the numbers --------------------------------------------------------------------------- */

static const char *check_values(const struct paired_input *input)
{
	if (!check_number(input->threshold) || !check_number(input->least) ||
		!(input->alpha > 0 && input->alpha < 1))
		return "the threshold makes no sense";
	if (input->count > PAIRED_MAX)
		return "too many pairs";
	for (int version = 0; version < 2; version++)
		for (size_t i = 0; i < input->count; i++) {
			double value = input->value[version][i];

			if (!check_number(input->differences ? fabs(value) : value))
				return "a number is none that a measurement can give";
		}
	return "";
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / (double)count : 0;
}

static bool all_same(const double *values, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (values[i] < values[0] || values[i] > values[0])
			return false;
	return true;
}

static bool has_zeros(const struct paired_input *input)
{
	for (int version = 0; version < 2; version++)
		for (size_t i = 0; i < input->count; i++)
			if (!check_divisor(input->value[version][i]))
				return true;
	return false;
}

/* ---- exact --------------------------------------------------------------------------------- */

static double relative_change(double base, double head)
{
	if (base > 0)
		return head / base - 1;
	return head > base ? INFINITY : 0;
}

/* The least that matters, as a fraction of the base's. */
static double relative_margin(const struct paired_input *input, double base)
{
	double least = base > 0 ? input->least / base : 0;

	return fmax(input->threshold, least);
}

static enum paired_status status_of_exact(const struct paired_result *result, double least)
{
	double grown = result->head - result->base;

	if (grown > 0 && grown >= least && result->change >= result->margin)
		return PAIRED_GREW;
	if (grown < 0 && -grown >= least && -result->change >= result->margin)
		return PAIRED_SHRANK;
	return PAIRED_SAME;
}

static void describe_exactly(const struct paired_input *input, struct paired_result *result)
{
	result->exact = true;
	if (input->differences) {
		result->change = result->head - result->base;
		result->margin = input->least;
	} else {
		result->change = relative_change(result->base, result->head);
		result->margin = relative_margin(input, result->base);
	}
}

static bool decide_exactly(const struct paired_input *input, struct paired_result *result)
{
	if (!input->exact_first || input->count < PAIRED_EXACT_MIN ||
		!all_same(input->value[0], input->count) ||
		!all_same(input->value[1], input->count))
		return false;
	describe_exactly(input, result);
	result->status = status_of_exact(result, input->least);
	return true;
}

/* ---- paired -------------------------------------------------------------------------------- */

static double difference_of(enum scale scale, double base, double head)
{
	double sum = base + head;

	if (scale == SCALE_UNITS)
		return head - base;
	if (scale == SCALE_LOG)
		return log(head / base);
	return sum > 0 ? 2 * (head - base) / sum : 0;
}

static void take_differences(struct pairs *pairs, const struct paired_result *result)
{
	const struct paired_input *input = pairs->input;
	double margin = relative_margin(input, result->base);

	/* Of nothing there is no fraction: what came up is compared with `least` alone. */
	pairs->scale = input->differences || !(result->base > 0) ? SCALE_UNITS
		       : has_zeros(input)                        ? SCALE_PART
								 : SCALE_LOG;
	pairs->margin = pairs->scale == SCALE_UNITS ? input->least
			: pairs->scale == SCALE_LOG ? log1p(margin)
						    : 2 * margin / (2 + margin);
	pairs->difference = arena_array(pairs->arena, input->count, sizeof(double));
	for (size_t i = 0; i < input->count; i++)
		pairs->difference[i] =
			difference_of(pairs->scale, input->value[0][i], input->value[1][i]);
}

static struct robust_mean plain_mean(const double *values, size_t count)
{
	struct robust_mean mean = {.mean = mean_of(values, count), .df = (double)(count - 1)};
	double squares = 0;

	for (size_t i = 0; i < count; i++)
		squares += (values[i] - mean.mean) * (values[i] - mean.mean);
	mean.se = sqrt(squares / mean.df / (double)count);
	return mean;
}

/* Of differences whose sign is `sign`, above the margin. */
static double p_of(const struct pairs *pairs, const struct robust_mean *mean, double sign)
{
	size_t count = pairs->input->count;
	double *above, beyond = sign * mean->mean - pairs->margin;

	if (pairs->input->test == PAIRED_T) {
		if (!(mean->se > 0))
			return beyond > 0 ? 0 : 1;
		return numeric_student_upper(beyond / mean->se, mean->df);
	}
	above = arena_array(pairs->arena, count, sizeof(*above));
	for (size_t i = 0; i < count; i++)
		above[i] = sign * pairs->difference[i] - pairs->margin;
	return wilcoxon_upper(above, count, pairs->arena);
}

static struct robust_mean estimate_of(const struct pairs *pairs)
{
	size_t count = pairs->input->count;
	double *copy;

	if (pairs->input->test == PAIRED_T)
		return plain_mean(pairs->difference, count);
	copy = arena_array(pairs->arena, count, sizeof(*copy));
	memcpy(copy, pairs->difference, count * sizeof(*copy));
	return robust_trimmed_mean(copy, count);
}

/* Of one version in the pairs that the estimate keeps: geometric where it is of ratios. */
static double mean_of_kept(
	const struct pairs *pairs, int version, const size_t *kept, size_t first, size_t end)
{
	double sum = 0;

	for (size_t i = first; i < end; i++) {
		double value = pairs->input->value[version][kept[i]];

		sum += pairs->scale == SCALE_LOG ? log(value) : value;
	}
	sum /= (double)(end - first);
	return pairs->scale == SCALE_LOG ? exp(sum) : sum;
}

/* Means that differ by just what is said to be the change: of all runs they might contradict it. */
static void describe_means(const struct pairs *pairs, struct paired_result *result)
{
	size_t count = pairs->input->count;
	size_t cut = pairs->input->test == PAIRED_T ? 0 : robust_trimmed(count);
	size_t *order = arena_array(pairs->arena, count, sizeof(*order));

	robust_order(pairs->difference, count, order);
	result->base = mean_of_kept(pairs, 0, order, cut, count - cut);
	result->head = mean_of_kept(pairs, 1, order, cut, count - cut);
}

/* A difference in pairs' scale as people read it. */
static double as_change(enum scale scale, double difference)
{
	return scale == SCALE_LOG ? expm1(difference) : difference;
}

static void describe(
	const struct pairs *pairs, const struct robust_mean *mean, struct paired_result *result)
{
	double half = numeric_student_quantile(TWO_SIDED_95, mean->df) * mean->se;

	if (!pairs->input->differences && !(result->base > 0)) {
		result->change = relative_change(result->base, result->head);
		result->margin = pairs->input->threshold;
		return;
	}
	result->margin = as_change(pairs->scale, pairs->margin);
	if (pairs->scale == SCALE_PART) {
		result->change = relative_change(result->base, result->head);
		return;
	}
	describe_means(pairs, result);
	result->change = as_change(pairs->scale, mean->mean);
	result->low = as_change(pairs->scale, mean->mean - half);
	result->high = as_change(pairs->scale, mean->mean + half);
}

void paired_decide(
	const struct paired_input *input, struct arena *arena, struct paired_result *result)
{
	struct pairs pairs = {.input = input, .arena = arena};
	struct robust_mean mean;

	*result = (struct paired_result){
		.status = PAIRED_CANNOT, .low = NAN, .high = NAN, .p = NAN, .reason = ""};
	result->reason = check_values(input);
	if (*result->reason)
		return;
	result->base = mean_of(input->value[0], input->count);
	result->head = mean_of(input->value[1], input->count);
	if (decide_exactly(input, result))
		return;
	if (input->count < PAIRED_MIN) {
		result->reason = "too few pairs of runs";
		return;
	}
	if (input->test == PAIRED_RANKS && exp2(-(double)input->count) > input->alpha) {
		result->reason = "too few pairs of runs for this error rate";
		return;
	}
	take_differences(&pairs, result);
	mean = estimate_of(&pairs);
	describe(&pairs, &mean, result);
	result->p = p_of(&pairs, &mean, 1);
	result->status = result->p <= input->alpha                 ? PAIRED_GREW
			 : p_of(&pairs, &mean, -1) <= input->alpha ? PAIRED_SHRANK
								   : PAIRED_SAME;
}
