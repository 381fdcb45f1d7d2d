/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The moderated paired test. A pair's difference d has at least the variance of the sampling
 * itself (Poisson); what it has above that is estimated from few pairs and therefore shrunk
 * towards what the largest functions of the same benchmark show (as in limma: Smyth 2004,
 * doi 10.2202/1544-6115.1027).
 */
#ifndef FG_VERDICT_MODERATE_H
#define FG_VERDICT_MODERATE_H

#include <stddef.h>

#include "gate/verdict/estimate/pairs.h"

#define MODERATE_PRIOR_DF 10 /* how many pairs the other functions' noise is worth */

/* Of the differences of one function, node or group of them. Fractions of the benchmark's total. */
struct moments {
	double mean, variance; /* of d over the pairs */
	double poisson;        /* sampling variance of d, mean over the pairs */
	double base, head;     /* mean shares */
	double samples;        /* per run, mean over both versions */
	double sampled;        /* both versions, all pairs */
};

struct estimate {
	double change, se, df;
};

/* base and head are rows: one cell per pair of the input. */
void moments_of_row(const struct pairs *pairs, const struct verdict_cell *base,
	const struct verdict_cell *head, struct moments *moments);

/* Sums rows: moments of a group. add() any number of rows, then finish(). */
struct moments_sum {
	const struct pairs *pairs;
	double *version[2], *poisson; /* [k] */
	double sampled;
};
void moments_sum_init(struct moments_sum *sum, const struct pairs *pairs, struct arena *arena);
void moments_sum_add(
	struct moments_sum *sum, const struct verdict_cell *base, const struct verdict_cell *head);
void moments_sum_finish(const struct moments_sum *sum, struct moments *moments);

/*
 * Common noise: max(0, median over the 40 functions with most samples of (variance / poisson - 1) /
 * samples). Moves whole runs in proportion, so it grows with a function's size. count may be 0.
 */
double moderate_kappa(
	const struct moments *functions, size_t count, double min_sampled, struct arena *arena);

/* The same slope by least squares, ruled by the largest functions:
 * for predictions, not for tests. */
double moderate_kappa_seen(const struct moments *functions, size_t count, double min_sampled);

/* Where there is no sampling variance (exact counts) this is the plain paired mean with n - 1. */
struct estimate moderate(const struct moments *moments, size_t n, double kappa);

/* (change - margin) / se; infinite when se is 0 and change is not at the margin. */
double estimate_t(const struct estimate *estimate, double margin);

#endif
