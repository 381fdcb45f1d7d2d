/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pairs of several checks of the same two builds, from which further checks are drawn. Of a
 * drawn pair the versions may be swapped: where both builds are the same code, nobody can tell them
 * apart, and what the verdict says of the drawn check is chance.
 */
#ifndef FG_BENCH_REAL_POOL_H
#define FG_BENCH_REAL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/check/measurements/measurements.h"

struct error;

/* A pair of one of the checks. */
struct pool_pair {
	size_t set;
	uint32_t pair;
};

/* The samples of one version of one check, by pair. */
struct pool_index {
	uint32_t *samples; /* in the order of their pairs */
	size_t *start;     /* [pairs + 1] */
};

struct pool {
	struct measurements **sets; /* one benchmark each */
	struct pool_index (*index)[VERSION_COUNT];
	size_t set_count;
	struct pool_pair *pairs;
	size_t pair_count;
};

/* Recordings that were measured in another mode or of another benchmark than the first are an
 * error. Release also after one. */
int pool_init(struct pool *pool, const char *const *folders, size_t count, struct error *err);
void pool_release(struct pool *pool);

/* Where a pair of a drawn check comes from. */
struct pool_draw {
	size_t pair; /* of the pool's */
	bool swapped;
};

/* `count` different pairs in random order; swapped by a coin if `swap`. count <= pair_count. */
void pool_draw(const struct pool *pool, uint64_t *random, size_t count, bool swap,
	struct pool_draw *draws);

/* The check that these pairs make, as if it had been measured with this seed. Free it with
 * measurements_free(). */
struct measurements *pool_measurements(
	const struct pool *pool, const struct pool_draw *draws, size_t count, uint64_t seed);

#endif
