/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much the same work varies from run to run on a machine, what that lets the gate find there,
 * and what a treatment (sampling) adds to a run. Times are CPU seconds of runs in their order.
 */
#ifndef FG_VERDICT_NOISE_H
#define FG_VERDICT_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/verdict/verdict.h"

#define NOISE_MIN_PAIRS 4

struct noise {
	double mean;            /* seconds */
	double cv;              /* standard deviation / mean */
	double autocorrelation; /* of neighbouring runs (lag 1), -1..1: drift shows as near 1 */
	double pair_deviation;  /* robust SD of log(second / first) of runs 2i and 2i + 1 */
};

/* False, and *out untouched, for fewer than NOISE_MIN_PAIRS pairs
 * or a time that is not positive. */
bool noise_of_pairs(const double *seconds, size_t pairs, struct noise *out);

/*
 * The relative increase of the total that so many pairs, and (unless 0) as many fresh ones as
 * confirmation, find with 80 % power: mde_total() with the gate's own error rates. INFINITY if no
 * increase is found.
 */
double noise_detectable(const struct noise *noise, const struct verdict_policy *policy,
	size_t pairs, size_t confirming);

/* What the second run of each pair costs above the first: a part of it, with its 95 % interval. */
struct noise_cost {
	double extra, low, high;
	bool clear; /* the interval is on one side of 0 */
};
/* As noise_of_pairs(). The 20 % trimmed mean of log(second / first), Yuen's interval. */
bool noise_cost_of_pairs(const double *seconds, size_t pairs, struct noise_cost *out);

#endif
