/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What simpler rules would have decided on the same recordings; all look at all pairs there are.
 *
 *   a fixed threshold    the mean CPU time grew by more than 5 %
 *   Mann-Whitney         as benchstat does it: the medians of the CPU times differ at p < 0.05, two
 *                        sided, exact without ties (Mann and Whitney 1947), and head's is larger
 *   each function        the mean own cost of any function with more than 0.5 % of the total
 *                        grew by more than 5 %; no test, and cost that only moved is not found
 */
#ifndef FG_BENCH_REAL_RIVALS_H
#define FG_BENCH_REAL_RIVALS_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct recording;

struct rivals {
	double change; /* of the means: head / base - 1 */
	double p;      /* Mann-Whitney's */
	bool threshold, mann_whitney, functions;
	/* Mean and standard deviation of log(head / base) of a pair, no pair left out. */
	double log_mean, log_deviation;
};

/* The two-sided p that x and y are of one distribution. Exact up to 100 values without ties, else
 * by the normal approximation. */
double mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count);

/* Of pairs that add up; other recordings give an error. */
int rivals_decide(const struct recording *base, const struct recording *head, struct rivals *out,
	struct error *err);

#endif
