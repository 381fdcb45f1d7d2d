/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen: head's runs compared with a stored baseline's, from another time and maybe another
 * machine. Unpaired; base is scaled by a size factor, the
 * median of head / base over the 60 largest functions, so that a slower machine cancels. It
 * therefore cannot see a uniform slowdown, and it never proves a change harmless: it orders
 * benchmarks and warns.
 *
 * Pure functions of numbers, as verdict.h; cells and units as there. Version 0 is the stored base,
 * version 1 head.
 */
#ifndef FG_VERDICT_SCREEN_H
#define FG_VERDICT_SCREEN_H

#include "gate/verdict/verdict.h"

struct screen_policy {
	double margin_points;   /* fraction of the total: 0.005 */
	double margin_relative; /* of the function's base cost: 0.10 */
	double alpha;           /* over all eligible functions of the benchmark: 0.001 */
	double min_samples;     /* pooled, to be eligible: 20 */
	size_t size_functions;  /* for the size factor: 60 */
};
struct screen_policy screen_policy_default(void);

struct screen_input {
	struct screen_policy policy;
	size_t pairs[2]; /* runs; they may differ, and be 1 (head's probe, or a pooled profile) */
	size_t row;      /* cells per function in self[]: at least both of pairs[] */
	const double *total[2]; /* [pair] CPU seconds */
	const double *work[2];  /* [pair]; NULL fixed */
	size_t function_count;
	const struct verdict_cell *self[2]; /* [function * row + pair] */
	/* For the cost-shift finder, as in struct verdict_input; or NULL. */
	const uint32_t *function_file;
	const uint8_t *function_flags; /* enum verdict_function_flag */
};

enum screen_status {
	SCREEN_CLEAR,   /* nothing above its margin; never a pass by itself */
	SCREEN_FLAGGED, /* some function grew beyond its margin */
	SCREEN_CANNOT,  /* too few functions, samples or runs: reason says which */
};

struct screen_effect {
	uint32_t function;
	double change; /* fraction of the scaled base's total, what base takes on head's machine */
	double se, low, high, t, p, margin;
	double base; /* what it cost there, the same fraction; 0: new */
};

struct screen_result {
	enum screen_status status;
	const char *reason;  /* static; "" unless SCREEN_CANNOT */
	double size_factor;  /* head / base of the typical function */
	double size_spread;  /* interquartile range / median of those ratios */
	double total_ratio;  /* head / base of the totals, unscaled */
	size_t tests;        /* functions tested */
	double suspicion;    /* largest t: to order benchmarks by */
	double mde_function; /* of a function with 1 % share, 80 % power, the same fraction;
				INFINITY if no increase is enough */
	struct screen_effect *flagged; /* largest change first; in the arena */
	size_t flagged_count;
	struct screen_effect *shifted; /* they grew too, but related ones shrank: no reason to flag
					*/
	size_t shifted_count;
};

void screen_decide(
	const struct screen_input *input, struct arena *arena, struct screen_result *result);

#endif
