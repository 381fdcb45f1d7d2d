/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/real/rivals.h"

#include <math.h>
#include <stdlib.h>

#include "gate/bench/recording/recording.h"
#include "gate/check/analysis/analysis.h"

#define THRESHOLD 0.05
#define FUNCTION_SHARE 0.005
#define ALPHA 0.05
#define EXACT_MAX 100

/* ---- Mann-Whitney ---------------------------------------------------------------------------- */

/* How often a value of x is above one of y; ties count half. */
static double count_above(
	const double *x, size_t x_count, const double *y, size_t y_count, bool *ties)
{
	double above = 0;

	for (size_t i = 0; i < x_count; i++)
		for (size_t k = 0; k < y_count; k++) {
			above += x[i] > y[k] ? 1 : x[i] < y[k] ? 0 : 0.5;
			*ties |= !(x[i] > y[k]) && !(x[i] < y[k]);
		}
	return above;
}

/*
 * P(U <= u) of n and m values. ways[k][v]: orders of i and k values with U = v, built up from i - 1
 * values: the last in order is one of x, above all k of y, or one of y.
 */
static double exact_below(size_t n, size_t m, size_t u)
{
	size_t width = n * m + 1;
	double *ways = calloc((m + 1) * width, sizeof(*ways)), below = 0, all = 0;

	if (!ways)
		abort();
	for (size_t k = 0; k <= m; k++)
		ways[k * width] = 1;
	for (size_t i = 1; i <= n; i++)
		for (size_t k = 1; k <= m; k++)
			for (size_t v = width; v-- > 0;)
				ways[k * width + v] = (v >= k ? ways[k * width + v - k] : 0) +
						      ways[(k - 1) * width + v];
	for (size_t v = 0; v < width; v++) {
		all += ways[m * width + v];
		below += v <= u ? ways[m * width + v] : 0;
	}
	free(ways);
	return below / all;
}

/* Ties make the variance smaller than this; among CPU times in nanoseconds they are rare. */
static double normal_below(size_t n, size_t m, double u)
{
	double mean = (double)n * (double)m / 2;
	double deviation = sqrt(mean * (double)(n + m + 1) / 6);

	return 0.5 * erfc((mean - u - 0.5) / deviation / sqrt(2));
}

double mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count)
{
	bool ties = false;
	double above = count_above(x, x_count, y, y_count, &ties);
	double least = fmin(above, (double)x_count * (double)y_count - above);
	double below = ties || x_count + y_count > EXACT_MAX
			       ? normal_below(x_count, y_count, least)
			       : exact_below(x_count, y_count, (size_t)least);

	return fmin(1, 2 * below);
}

/* ---- totals ---------------------------------------------------------------------------------- */

static double *totals_of(const struct recording *recording)
{
	double *totals = xcalloc(recording->round_count, sizeof(*totals));

	for (size_t i = 0; i < recording->round_count; i++)
		totals[i] = recording->rounds[i].cpu_seconds / recording->rounds[i].iterations;
	return totals;
}

static double mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

static void describe_ratios(
	const double *base, const double *head, size_t count, struct rivals *out)
{
	double *ratios = xcalloc(count, sizeof(*ratios)), squares = 0;

	for (size_t i = 0; i < count; i++)
		ratios[i] = log(head[i] / base[i]);
	out->log_mean = mean(ratios, count);
	for (size_t i = 0; i < count; i++)
		squares += (ratios[i] - out->log_mean) * (ratios[i] - out->log_mean);
	out->log_deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
	free(ratios);
}

static void decide_totals(
	const struct recording *base, const struct recording *head, struct rivals *out)
{
	size_t count = base->round_count;
	double *a = totals_of(base), *b = totals_of(head);
	bool ties;

	out->change = mean(b, count) / mean(a, count) - 1;
	out->threshold = out->change > THRESHOLD;
	out->p = mann_whitney(b, count, a, count);
	out->mann_whitney = out->p < ALPHA && 2 * count_above(b, count, a, count, &ties) >
						      (double)count * (double)count;
	describe_ratios(a, b, count, out);
	free(a);
	free(b);
}

/* ---- functions ------------------------------------------------------------------------------- */

static double own_cost(const struct verdict_input *input, int version, size_t function)
{
	double sum = 0;

	for (size_t i = 0; i < input->pairs; i++)
		sum += input->self[version][function * input->pairs + i].x /
		       (input->work[version] ? input->work[version][i] : 1);
	return sum;
}

static bool any_function_grew(const struct verdict_input *input)
{
	double total = 0;

	for (size_t i = 0; i < input->pairs; i++)
		total += input->total[0][i] / (input->work[0] ? input->work[0][i] : 1);
	for (size_t f = 0; f < input->function_count; f++) {
		double base = own_cost(input, 0, f), head = own_cost(input, 1, f);

		if (fmax(base, head) > FUNCTION_SHARE * total && head > (1 + THRESHOLD) * base)
			return true;
	}
	return false;
}

int rivals_decide(const struct recording *base, const struct recording *head, struct rivals *out,
	struct error *err)
{
	struct analysis analysis;
	int rc = analysis_prepare(&analysis, base, head, NULL, 1, err);

	if (!rc) {
		decide_totals(base, head, out);
		out->functions = any_function_grew(&analysis.input);
	}
	analysis_release(&analysis);
	return rc;
}
