/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a turn of a pair (pair.h) should be. Who gets the turn finds the caches filled by the
 * other, and has its own working set brought in again: 0.2 ms for a megabyte that is read in order,
 * 1 ms or more where it is not. Where the two work on as much memory that is as much for both, and
 * the ratio of their times hardly changes; where one works on more, it is compared with that one.
 * (Measured: particles of 128 bytes instead of 20, 4.3 MB more; alone +5.5 %, in turns of 100 ms
 * +5.2 %, in turns of 20 ms +9.4 %.)
 *
 * So a turn is 20 times as long as it takes to bring in, at 1 ms for a megabyte, what one works on
 * more than the other; and, up to 100 ms, what either works on, less 3 MB for code that stays
 * unused. Of resident memory no more counts than the caches hold.
 */
#ifndef FG_BENCH_SLICE_LENGTH_H
#define FG_BENCH_SLICE_LENGTH_H

#include <stdint.h>

struct slice_needs {
	uint64_t resident[2]; /* bytes, of each version's largest process */
	uint64_t cache;       /* bytes of the last level */
	double shorter;       /* CPU seconds of the shorter run */
};

/* Of this machine, or a usual size where it does not say. */
uint64_t slice_cache_size(void);

/* Bytes that one version works on more than the other, as far as the caches hold them. */
uint64_t slice_more(const struct slice_needs *needs);
/* ns; PAIR_SLICE_NS at least. No longer than the shorter run has PAIR_MIN_SLICES of, but by what
 * one version works on more: where that forbids turns, the result is longer (turns of more than
 * SLICE_LONGEST_NS are none). */
#define SLICE_LONGEST_NS UINT64_C(1000000000)
uint64_t slice_length(const struct slice_needs *needs);

#endif
