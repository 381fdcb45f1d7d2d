/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/screen_internal.h"

#include <math.h>

#include "gate/verdict/numeric.h"

#define POWER 0.8
#define INCREASE_MAX 100

/* Sampling noise and samples of an arm, per share 1 and run. */
struct density {
	double poisson, samples;
};

static struct density density_of(const struct screen *screen, int arm)
{
	struct density sum = {0, 0};
	double share = 0;

	for (size_t f = 0; f < screen->input->function_count; f++) {
		const struct moments *moments = &screen->function[arm][f];

		sum.poisson += moments->poisson;
		sum.samples += moments->samples;
		share += moments->mean;
	}
	sum.poisson /= share;
	sum.samples /= share;
	return sum;
}

/* What an arm would show of a function with this share. */
static struct moments expected(const struct screen *screen, int arm, double share)
{
	struct density density = density_of(screen, arm);
	double samples = density.samples * share;
	double inflation = 1 + screen->kappa[arm] * samples;

	return (struct moments){
		.mean = share,
		.poisson = density.poisson * share,
		.variance = inflation * density.poisson * share,
		.samples = samples,
	};
}

static double power_of(const struct screen *screen, double alpha, double share, double increase)
{
	const struct screen_policy *policy = &screen->input->policy;
	const struct moments base = expected(screen, 0, share / screen->factor);
	const struct moments head = expected(screen, 1, share + increase);
	struct estimate estimate = screen_difference(screen, &base, &head, base.mean * base.mean);
	double margin = policy->margin_points + policy->margin_relative * share;
	double critical = numeric_student_quantile(alpha, estimate.df);

	return numeric_student_upper(critical - estimate_t(&estimate, margin), estimate.df);
}

double screen_mde(const struct screen *screen, double alpha, double share)
{
	double low = 0, high = INCREASE_MAX;

	if (!(power_of(screen, alpha, share, high) >= POWER))
		return INFINITY;
	for (int step = 0; step < 60; step++) {
		double middle = (low + high) / 2;

		if (power_of(screen, alpha, share, middle) >= POWER)
			high = middle;
		else
			low = middle;
	}
	return high;
}
