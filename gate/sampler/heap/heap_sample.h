/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampling the heap by a Poisson process over its bytes, so that totals are unbiased for any mix of
 * sizes: an allocation of n bytes is met with p = 1 - exp(-(n + 1) / period) and then stands for
 * 1 / p of its kind. (One byte more, so that empty blocks are met too.) Context: thread.
 */
#ifndef FG_SAMPLER_HEAP_SAMPLE_H
#define FG_SAMPLER_HEAP_SAMPLE_H

#include <stdint.h>

/* In 1 / FG_HEAP_SCALE blocks and bytes. The same for the same size: a free finds it again. */
struct fg_heap_weight {
	uint64_t count, bytes;
};
struct fg_heap_weight fg_heap_weigh(uint64_t bytes, uint64_t period);

/* Bytes to the next sample; random is uniform in (0, 2^53]. */
double fg_heap_gap(uint64_t random, uint64_t period);

/* Natural logarithm of (0, 1], and 1 - exp(-x) of x >= 0: relative error below 1e-13. */
double fg_heap_log(double x);
double fg_heap_hit(double x);

#endif
