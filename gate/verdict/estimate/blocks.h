/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks count, and how a cost becomes a fraction of the benchmark's total. */
#ifndef FG_VERDICT_BLOCKS_H
#define FG_VERDICT_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "gate/verdict/verdict.h"

/*
 * The blocks of one stage (or of both) without outliers. A cost x of an arm in block[k] is the
 * fraction x * factor[arm][k]: divided by the arm's work, then by the mean of the pair's totals.
 * Scaling both arms by the same number cancels drift; dividing each by its own total would turn
 * every regression into improvements of everything else.
 */
struct blocks {
	size_t n;
	uint32_t *block;
	double *factor[2];
	double *log_base;  /* log T0 */
	double *log_ratio; /* log(T1 / T0) */
};

/*
 * Blocks first .. end - 1 but those with |log(T1/T0) - median| > 4 max(1.4826 MAD, 0.004); sets
 * dropped[] of each. With fewer than 16 blocks the limit is wider. Totals and work must be
 * positive.
 */
void blocks_select(const struct verdict_input *input, size_t first, size_t end, bool *dropped,
	struct arena *arena, struct blocks *blocks);

/* The kept blocks of both. */
void blocks_join(const struct blocks *first, const struct blocks *second, struct arena *arena,
	struct blocks *joined);

#endif
