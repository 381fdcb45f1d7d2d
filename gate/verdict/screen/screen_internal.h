/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the screen's files share. Costs are shares of each run's own total: whatever makes a whole
 * run slower (drift, jitter, the machine) divides out before anything is compared, and so does the
 * work. What is left between the versions is the size factor of shares: a function that grew takes
 * its share from all others.
 */
#ifndef FG_VERDICT_SCREEN_INTERNAL_H
#define FG_VERDICT_SCREEN_INTERNAL_H

#include "gate/verdict/estimate/moderate.h"
#include "gate/verdict/screen/screen.h"

/* Sampling noise and samples of a version: per run, for a share of 1. */
struct screen_density {
	double poisson, samples;
};

struct screen {
	const struct screen_input *input;
	struct arena *arena;
	struct screen_result *result;
	struct moments *function[2]; /* of one version's shares; base and head are not set */
	struct screen_density density[2];
	double kappa[2];
	double factor;    /* head / base of the typical function's share */
	double factor_se; /* relative */
	double spread;    /* how much functions differ between the versions beyond what their runs
			     explain: relative SD */
	double spread_df;
};

/* The shares of a function or of a group, run by run. */
struct screen_sum {
	double *share[2]; /* [pair] */
	double poisson[2], sampled[2];
	double base_squares; /* sum of the functions' squared base shares */
	size_t functions;
};

void screen_sum_init(const struct screen *screen, struct screen_sum *sum, struct arena *arena);
void screen_sum_add(const struct screen *screen, struct screen_sum *sum, size_t function);

/* Fills function, density and kappa. */
void screen_measure(struct screen *screen);
/* Fills factor and spread, and the result's of the same meaning. False: too few functions. */
bool screen_find_size(struct screen *screen);

/* One version's share; INFINITY as se where a single run of exact counts tells nothing of it. */
struct estimate screen_version(
	const struct screen *screen, int version, const struct moments *moments);
/*
 * head - scaled base, fraction of head's total. base_squares: sum of the squared base shares of the
 * functions in it, which differ between machines each on its own.
 */
struct estimate screen_difference(const struct screen *screen, const struct moments *base,
	const struct moments *head, double base_squares);
struct estimate screen_change(const struct screen *screen, size_t function);
struct estimate screen_sum_change(const struct screen *screen, const struct screen_sum *sum);
/* The function's scaled base. */
double screen_base(const struct screen *screen, size_t function);

/* What the shift finder knows before it is asked: which functions went down beyond their margin. */
bool *screen_decreased(const struct screen *screen);
/* Related functions shrank by more than half of what this one grew, or the whole did not grow. */
bool screen_shifted(
	const struct screen *screen, const bool *decreased, size_t function, double increase);

/* The increase that a function with this share of the total needs to be flagged with 80 % power. */
double screen_mde(const struct screen *screen, double alpha, double share);

#endif
