/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/estimate/noise.h"

#include <math.h>
#include <stdlib.h>

#include "gate/base/arena.h"
#include "gate/verdict/estimate/mde.h"
#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/estimate/robust.h"

#define INTERVAL_TAIL 0.025

static bool are_usable(const double *seconds, size_t pairs)
{
	if (pairs < NOISE_MIN_PAIRS)
		return false;
	for (size_t i = 0; i < 2 * pairs; i++)
		if (!(seconds[i] > 0) || !isfinite(seconds[i]))
			return false;
	return true;
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

static struct robust_mean mean_log_ratio(const double *seconds, size_t pairs)
{
	double *ratios = xcalloc(pairs, sizeof(*ratios));
	struct robust_mean mean;

	for (size_t i = 0; i < pairs; i++)
		ratios[i] = log(seconds[2 * i + 1] / seconds[2 * i]);
	mean = robust_trimmed_mean(ratios, pairs);
	free(ratios);
	return mean;
}

bool noise_of_pairs(const double *seconds, size_t pairs, struct noise *out)
{
	size_t count = 2 * pairs;
	double squares = 0, neighbours = 0, mean;

	if (!are_usable(seconds, pairs))
		return false;
	mean = mean_of(seconds, count);
	for (size_t i = 0; i < count; i++) {
		double off = seconds[i] - mean;

		squares += off * off;
		if (i)
			neighbours += off * (seconds[i - 1] - mean);
	}
	out->mean = mean;
	out->cv = sqrt(squares / (double)(count - 1)) / mean;
	out->autocorrelation = squares > 0 ? neighbours / squares : 0;
	out->pair_deviation = mean_log_ratio(seconds, pairs).se * sqrt((double)pairs);
	return true;
}

double noise_detectable(const struct noise *noise, const struct verdict_policy *policy,
	size_t pairs, size_t confirming)
{
	const struct verdict_total_power total = {
		.n = {(double)pairs, (double)confirming},
		.alpha = {policy->alpha_stage1_total,
			policy->alpha_stage2 / (double)policy->benchmarks_in_gate},
		.deviation = noise->pair_deviation,
		.margin = policy->total_margin,
	};

	return mde_total(&total);
}

bool noise_cost_of_pairs(const double *seconds, size_t pairs, struct noise_cost *out)
{
	struct robust_mean mean;
	double half;

	if (!are_usable(seconds, pairs))
		return false;
	mean = mean_log_ratio(seconds, pairs);
	half = mean.se * numeric_student_quantile(INTERVAL_TAIL, mean.df);
	out->extra = expm1(mean.mean);
	out->low = expm1(mean.mean - half);
	out->high = expm1(mean.mean + half);
	out->clear = out->low > 0 || out->high < 0;
	return true;
}
