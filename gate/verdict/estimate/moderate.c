/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/estimate/moderate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/verdict/estimate/robust.h"

#define KAPPA_FUNCTIONS 40 /* the largest show common noise best */

static void sum_add(struct moments_sum *sum, size_t k, const struct verdict_cell *base,
	const struct verdict_cell *head)
{
	double f0 = sum->pairs->factor[0][k], f1 = sum->pairs->factor[1][k];

	sum->version[0][k] += base->x * f0;
	sum->version[1][k] += head->x * f1;
	sum->poisson[k] += base->squares * f0 * f0 + head->squares * f1 * f1;
	sum->sampled += base->samples + head->samples;
}

void moments_sum_init(struct moments_sum *sum, const struct pairs *pairs, struct arena *arena)
{
	sum->pairs = pairs;
	sum->sampled = 0;
	sum->version[0] = arena_array(arena, pairs->n, sizeof(double));
	sum->version[1] = arena_array(arena, pairs->n, sizeof(double));
	sum->poisson = arena_array(arena, pairs->n, sizeof(double));
}

void moments_sum_add(
	struct moments_sum *sum, const struct verdict_cell *base, const struct verdict_cell *head)
{
	for (size_t k = 0; k < sum->pairs->n; k++) {
		size_t pair = sum->pairs->pair[k];

		sum_add(sum, k, &base[pair], &head[pair]);
	}
}

static double variance_about(const struct moments_sum *sum, double mean)
{
	size_t n = sum->pairs->n;
	double squares = 0;

	for (size_t k = 0; k < n; k++) {
		double away = sum->version[1][k] - sum->version[0][k] - mean;

		squares += away * away;
	}
	return n > 1 ? squares / (double)(n - 1) : 0;
}

void moments_sum_finish(const struct moments_sum *sum, struct moments *moments)
{
	double n = (double)sum->pairs->n;

	memset(moments, 0, sizeof(*moments));
	if (sum->pairs->n == 0)
		return;
	for (size_t k = 0; k < sum->pairs->n; k++) {
		moments->base += sum->version[0][k] / n;
		moments->head += sum->version[1][k] / n;
		moments->poisson += sum->poisson[k] / n;
	}
	moments->mean = moments->head - moments->base;
	moments->variance = variance_about(sum, moments->mean);
	moments->sampled = sum->sampled;
	moments->samples = sum->sampled / (2 * n);
}

void moments_of_row(const struct pairs *pairs, const struct verdict_cell *base,
	const struct verdict_cell *head, struct moments *moments)
{
	double version[2][VERDICT_PAIRS_MAX], poisson[VERDICT_PAIRS_MAX];
	struct moments_sum sum = {pairs, {version[0], version[1]}, poisson, 0};

	memset(version[0], 0, pairs->n * sizeof(double));
	memset(version[1], 0, pairs->n * sizeof(double));
	memset(poisson, 0, pairs->n * sizeof(double));
	moments_sum_add(&sum, base, head);
	moments_sum_finish(&sum, moments);
}

static int compare_sampled(const void *left, const void *right)
{
	const struct moments *a = *(const struct moments *const *)left;
	const struct moments *b = *(const struct moments *const *)right;

	if (a->sampled != b->sampled)
		return a->sampled > b->sampled ? -1 : 1;
	return (a > b) - (a < b); /* the order must not depend on qsort */
}

double moderate_kappa(
	const struct moments *functions, size_t count, double min_sampled, struct arena *arena)
{
	const struct moments **largest = arena_array(arena, count, sizeof(*largest));
	double excess[KAPPA_FUNCTIONS];
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (functions[i].sampled >= min_sampled && functions[i].poisson > 0)
			largest[found++] = &functions[i];
	if (found == 0)
		return 0;
	qsort(largest, found, sizeof(*largest), compare_sampled);
	if (found > KAPPA_FUNCTIONS)
		found = KAPPA_FUNCTIONS;
	for (size_t i = 0; i < found; i++)
		excess[i] = (largest[i]->variance / largest[i]->poisson - 1) / largest[i]->samples;
	return fmax(0, robust_median(excess, found));
}

double moderate_kappa_seen(const struct moments *functions, size_t count, double min_sampled)
{
	double excess = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		double samples = functions[i].samples;

		if (functions[i].sampled < min_sampled || functions[i].poisson <= 0)
			continue;
		excess += samples * (functions[i].variance / functions[i].poisson - 1);
		squares += samples * samples;
	}
	return squares > 0 ? fmax(0, excess / squares) : 0;
}

struct estimate moderate(const struct moments *moments, size_t n, double kappa)
{
	double pairs = (double)n, prior = 1 + kappa * moments->samples, inflation;
	struct estimate result = {moments->mean, 0, pairs - 1};

	if (n < 2) {
		result.se = INFINITY;
		return result;
	}
	if (moments->poisson <= 0) {
		result.se = sqrt(moments->variance / pairs);
		return result;
	}
	inflation = MODERATE_PRIOR_DF * prior + (pairs - 1) * moments->variance / moments->poisson;
	inflation = fmax(1, inflation / (MODERATE_PRIOR_DF + pairs - 1));
	result.se = sqrt(inflation * moments->poisson / pairs);
	result.df = MODERATE_PRIOR_DF + pairs - 1;
	return result;
}

double estimate_t(const struct estimate *estimate, double margin)
{
	double above = estimate->change - margin;

	if (estimate->se > 0)
		return above / estimate->se;
	if (above > 0)
		return INFINITY;
	return above < 0 ? -INFINITY : 0;
}
