/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest increase of a function that the screen can be relied on to find. */
#include "gate/verdict/screen/screen_internal.h"

#include <math.h>

#include "gate/verdict/estimate/mde.h"
#include "gate/verdict/estimate/numeric.h"

#define POWER 0.8
#define INCREASE_MAX 100

/* The variance between runs with which moderate() arrives at this inflation. */
static double variance_for(double inflation, double prior, double n, double poisson)
{
	double total = (MODERATE_PRIOR_DF + n - 1) * inflation;

	return poisson * (total - MODERATE_PRIOR_DF * prior) / (n - 1);
}

/*
 * What a version will show of a function with this share: as noisy as it is, or as noisy as the
 * test will take it for.
 */
static struct moments expected(
	const struct screen *screen, int version, double share, bool as_tested)
{
	double n = (double)screen->input->pairs[version], kappa = screen->kappa[version];
	double samples = screen->density[version].samples * share, truth = 1 + kappa * samples;
	double poisson = screen->density[version].poisson * share, inflation = truth;
	struct moments result = {.mean = share, .poisson = poisson, .samples = samples};

	if (n < 2)
		return result;
	if (as_tested)
		inflation = mde_expected_inflation(kappa, n, samples, truth);
	result.variance = variance_for(inflation, truth, n, poisson);
	return result;
}

/* The question that both steps ask of an increase: it is large enough. Once true, it stays so. */
struct question {
	const struct screen *screen;
	double share, alpha;
	double least, widening; /* what must be seen; how much its own limit varies */
	bool (*enough)(const struct question *question, double increase);
};

static struct estimate seen(const struct question *question, double increase, bool as_tested)
{
	const struct screen *screen = question->screen;
	const struct moments base =
		expected(screen, 0, question->share / screen->factor, as_tested);
	const struct moments head = expected(screen, 1, question->share + increase, as_tested);

	return screen_difference(screen, &base, &head, base.mean * base.mean);
}

static double t_of(const struct question *question, const struct estimate *estimate)
{
	const struct screen_policy *policy = &question->screen->input->policy;

	return estimate_t(
		estimate, policy->margin_points + policy->margin_relative * question->share);
}

static bool is_flagged(const struct question *question, double increase)
{
	struct estimate estimate = seen(question, increase, true);

	return numeric_student_upper(t_of(question, &estimate), estimate.df) <= question->alpha;
}

/* Four of five measurements of it come out above the least. */
static bool comes_out_above(const struct question *question, double increase)
{
	double se = seen(question, increase, false).se * question->widening;

	return increase - numeric_normal_quantile(1 - POWER) * se >= question->least;
}

/*
 * The standard error that the test goes by is an estimate itself, so its limit moves from gate to
 * gate: the normal approximation of the noncentral t (Johnson and Welch 1940).
 */
static double widening_at(const struct question *question, double least)
{
	struct estimate estimate = seen(question, least, true);
	double t = t_of(question, &estimate);

	return isfinite(t) ? sqrt(1 + t * t / (2 * estimate.df)) : 1;
}

static double least_increase(const struct question *question)
{
	double low = 0, high = INCREASE_MAX;

	if (!question->enough(question, high))
		return INFINITY;
	for (int step = 0; step < 60; step++) {
		double middle = (low + high) / 2;

		if (question->enough(question, middle))
			high = middle;
		else
			low = middle;
	}
	return high;
}

/*
 * A larger increase brings more sampling noise into the very test that it has to pass; so first
 * what must be seen, then what must be there for it to be seen.
 */
double screen_mde(const struct screen *screen, double alpha, double share)
{
	struct question question = {screen, share, alpha, 0, 1, is_flagged};

	question.least = least_increase(&question);
	question.widening = widening_at(&question, question.least);
	question.enough = comes_out_above;
	return least_increase(&question);
}
