/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function's share in each version and the difference between the versions, with the noise of
 * each: that of its runs, of sampling, and of the size factor.
 */
#include "gate/verdict/screen/screen_internal.h"

#include <math.h>
#include <string.h>

#define DF_MAX 1000 /* as good as a known variance */

void screen_sum_init(const struct screen *screen, struct screen_sum *sum, struct arena *arena)
{
	memset(sum, 0, sizeof(*sum));
	for (int version = 0; version < 2; version++)
		sum->share[version] =
			arena_array(arena, screen->input->pairs[version], sizeof(double));
}

void screen_sum_add(const struct screen *screen, struct screen_sum *sum, size_t function)
{
	const struct screen_input *input = screen->input;
	double base = 0;

	for (int version = 0; version < 2; version++)
		for (size_t b = 0; b < input->pairs[version]; b++) {
			const struct verdict_cell *cell =
				&input->self[version][function * input->row + b];
			double total = input->total[version][b], share = cell->x / total;

			sum->share[version][b] += share;
			sum->poisson[version] += cell->squares / (total * total);
			sum->sampled[version] += cell->samples;
			base += version == 0 ? share : 0;
		}
	base /= (double)input->pairs[0];
	sum->base_squares += base * base;
	sum->functions++;
}

static struct moments version_moments(
	const struct screen *screen, const struct screen_sum *sum, int version)
{
	size_t pairs = screen->input->pairs[version];
	double n = (double)pairs, squares = 0;
	struct moments moments = {
		.poisson = sum->poisson[version] / n,
		.samples = sum->sampled[version] / n,
		.sampled = sum->sampled[version],
	};

	for (size_t b = 0; b < pairs; b++)
		moments.mean += sum->share[version][b] / n;
	for (size_t b = 0; b < pairs; b++) {
		double away = sum->share[version][b] - moments.mean;

		squares += away * away;
	}
	moments.variance = pairs > 1 ? squares / (n - 1) : 0;
	return moments;
}

static struct screen_density density_of(const struct moments *functions, size_t count)
{
	struct screen_density sum = {0, 0};
	double share = 0;

	for (size_t f = 0; f < count; f++) {
		sum.poisson += functions[f].poisson;
		sum.samples += functions[f].samples;
		share += functions[f].mean;
	}
	sum.poisson /= share;
	sum.samples /= share;
	return sum;
}

/* A version of one run cannot show its own noise; it is taken to be as noisy as the other. */
static void measure_noise(struct screen *screen)
{
	const struct screen_input *input = screen->input;

	for (int version = 0; version < 2; version++)
		if (input->pairs[version] > 1)
			screen->kappa[version] = moderate_kappa(screen->function[version],
				input->function_count, input->policy.min_samples, screen->arena);
	for (int version = 0; version < 2; version++)
		if (input->pairs[version] == 1)
			screen->kappa[version] = screen->kappa[!version];
}

void screen_measure(struct screen *screen)
{
	size_t functions = screen->input->function_count;
	struct arena scratch = ARENA_INIT;
	struct screen_sum sum;

	for (int version = 0; version < 2; version++)
		screen->function[version] =
			arena_array(screen->arena, functions, sizeof(struct moments));
	screen_sum_init(screen, &sum, &scratch);
	for (size_t f = 0; f < functions; f++) {
		for (int version = 0; version < 2; version++) {
			memset(sum.share[version], 0,
				screen->input->pairs[version] * sizeof(double));
			sum.poisson[version] = sum.sampled[version] = 0;
		}
		screen_sum_add(screen, &sum, f);
		for (int version = 0; version < 2; version++)
			screen->function[version][f] = version_moments(screen, &sum, version);
	}
	arena_release(&scratch);
	for (int version = 0; version < 2; version++)
		screen->density[version] = density_of(screen->function[version], functions);
	measure_noise(screen);
}

/*
 * What a single run can be taken for: the sampling's noise, which is known, and what such a
 * function has above it, which is the other version's estimate.
 */
static struct estimate single_run(const struct moments *moments, double kappa)
{
	double excess = kappa * moments->samples, inflation = 1 + excess;
	struct estimate result = {moments->mean, 0, DF_MAX};

	if (moments->poisson > 0)
		result.se = sqrt(inflation * moments->poisson);
	else if (moments->mean > 0)
		result.se = INFINITY;
	if (excess > 0)
		result.df =
			fmin(DF_MAX, MODERATE_PRIOR_DF * inflation * inflation / (excess * excess));
	return result;
}

struct estimate screen_version(
	const struct screen *screen, int version, const struct moments *moments)
{
	size_t n = screen->input->pairs[version];

	return n > 1 ? moderate(moments, n, screen->kappa[version])
		     : single_run(moments, screen->kappa[version]);
}

/* One of the independent parts of a difference's variance. */
struct part {
	double variance, df;
};

/* Degrees of freedom of a sum of variances: Welch 1947, Satterthwaite 1946. */
static double joint_df(const struct part *parts, size_t count, double variance)
{
	double sum = 0, least = parts[0].df;

	for (size_t i = 0; i < count; i++) {
		sum += parts[i].variance * parts[i].variance / parts[i].df;
		least = fmin(least, parts[i].df);
	}
	return sum > 0 ? variance * variance / sum : least;
}

/*
 * That a function has few samples in head or none does not mean that it surely lost its cost: had
 * it kept what it cost in base, the sampling would have had the noise of that.
 */
static struct moments with_floor(const struct moments *head, double poisson)
{
	struct moments result = *head;

	result.poisson = fmax(head->poisson, poisson);
	return result;
}

struct estimate screen_difference(const struct screen *screen, const struct moments *of_base,
	const struct moments *of_head, double base_squares)
{
	double factor = screen->factor, scaled = factor * of_base->mean;
	const struct moments floored = with_floor(of_head, screen->density[1].poisson * scaled);
	struct estimate base = screen_version(screen, 0, of_base);
	struct estimate head = screen_version(screen, 1, &floored);
	double own = screen->spread * factor, common = screen->factor_se * scaled;
	const struct part parts[] = {
		{head.se * head.se, head.df},
		{factor * factor * base.se * base.se, base.df},
		{own * own * base_squares + common * common, screen->spread_df},
	};
	double variance = parts[0].variance + parts[1].variance + parts[2].variance;
	struct estimate result = {head.change - scaled, sqrt(variance), 1};

	if (isfinite(variance))
		result.df = joint_df(parts, sizeof(parts) / sizeof(*parts), variance);
	return result;
}

struct estimate screen_change(const struct screen *screen, size_t function)
{
	const struct moments *base = &screen->function[0][function];

	return screen_difference(
		screen, base, &screen->function[1][function], base->mean * base->mean);
}

struct estimate screen_sum_change(const struct screen *screen, const struct screen_sum *sum)
{
	const struct moments base = version_moments(screen, sum, 0),
			     head = version_moments(screen, sum, 1);

	return screen_difference(screen, &base, &head, sum->base_squares);
}

double screen_base(const struct screen *screen, size_t function)
{
	return screen->factor * screen->function[0][function].mean;
}
