/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/screen_internal.h"

#include <math.h>

#include "gate/verdict/numeric.h"

#define POWER 0.8
#define INCREASE_MAX 100

/* What an arm would show of a function with this share. */
static struct moments expected(const struct screen *screen, int arm, double share)
{
	double samples = screen->density[arm].samples * share;
	double poisson = screen->density[arm].poisson * share;

	return (struct moments){
		.mean = share,
		.poisson = poisson,
		.variance = (1 + screen->kappa[arm] * samples) * poisson,
		.samples = samples,
	};
}

/* The question that both steps ask of an increase: it is large enough. Once true, it stays so. */
struct question {
	const struct screen *screen;
	double share, alpha, least;
	bool (*enough)(const struct question *question, double increase);
};

static struct estimate seen(const struct question *question, double increase)
{
	const struct screen *screen = question->screen;
	const struct moments base = expected(screen, 0, question->share / screen->factor);
	const struct moments head = expected(screen, 1, question->share + increase);

	return screen_difference(screen, &base, &head, base.mean * base.mean);
}

static bool is_flagged(const struct question *question, double increase)
{
	const struct screen_policy *policy = &question->screen->input->policy;
	struct estimate estimate = seen(question, increase);
	double margin = policy->margin_points + policy->margin_relative * question->share;
	double t = estimate_t(&estimate, margin);

	return numeric_student_upper(t, estimate.df) <= question->alpha;
}

/* Four of five measurements of it come out above the least. */
static bool comes_out_above(const struct question *question, double increase)
{
	double se = seen(question, increase).se;

	return increase - numeric_normal_quantile(1 - POWER) * se >= question->least;
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
	struct question question = {screen, share, alpha, 0, is_flagged};

	question.least = least_increase(&question);
	question.enough = comes_out_above;
	return least_increase(&question);
}
