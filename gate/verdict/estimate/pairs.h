/* SPDX-License-Identifier: Apache-2.0 */
/* Which pairs count, and how a cost becomes a fraction of the benchmark's total. */
#ifndef FG_VERDICT_PAIRS_H
#define FG_VERDICT_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "gate/verdict/verdict.h"

/*
 * The pairs of one stage (or of both) without outliers. A cost x of a version in pair[k] is the
 * fraction x * factor[version][k]: divided by the version's work, then by the mean of the pair's
 * totals. Scaling both versions by the same number cancels drift; dividing each by its own total
 * would turn every regression into improvements of everything else.
 */
struct pairs {
	size_t n;
	uint32_t *pair;
	double *factor[2];
	double *log_base;  /* log T0 */
	double *log_ratio; /* log(T1 / T0) */
};

/*
 * Pairs first .. end - 1 but those with |log(T1/T0) - median| > 4 max(1.4826 MAD, 0.004); sets
 * dropped[] of each. With fewer than 16 pairs the limit is wider. Totals and work must be
 * positive.
 */
void pairs_select(const struct verdict_input *input, size_t first, size_t end, bool *dropped,
	struct arena *arena, struct pairs *pairs);

/* The kept pairs of both. */
void pairs_join(const struct pairs *first, const struct pairs *second, struct arena *arena,
	struct pairs *joined);

#endif
