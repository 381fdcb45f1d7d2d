/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of several checks of the same two builds, from which further checks are drawn. Of a
 * drawn block the arms may be swapped: where both builds are the same code, nobody can tell them
 * apart, and what the verdict says of the drawn check is chance.
 */
#ifndef FG_BENCH_REAL_POOL_H
#define FG_BENCH_REAL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/error.h"
#include "gate/check/session/session.h"

/* A block of one of the checks. */
struct pool_block {
	size_t session;
	uint32_t block;
};

/* The samples of one arm of one check, by block. */
struct pool_index {
	uint32_t *samples; /* in the order of their blocks */
	size_t *start;     /* [blocks + 1] */
};

struct pool {
	struct session **sessions; /* one benchmark each */
	struct pool_index (*index)[ARM_COUNT];
	size_t session_count;
	struct pool_block *blocks;
	size_t block_count;
};

/* Recordings that were measured in another mode or of another benchmark than the first are an
 * error. Release also after one. */
int pool_init(struct pool *pool, const char *const *folders, size_t count, struct error *err);
void pool_release(struct pool *pool);

/* Where a block of a drawn check comes from. */
struct pool_draw {
	size_t block; /* of the pool's */
	bool swapped;
};

/* `count` different blocks in random order; swapped by a coin if `swap`. count <= block_count. */
void pool_draw(const struct pool *pool, uint64_t *random, size_t count, bool swap,
	struct pool_draw *draws);

/* The check that these blocks make, as if it had been measured with this seed. Free it with
 * session_free(). */
struct session *pool_session(
	const struct pool *pool, const struct pool_draw *draws, size_t count, uint64_t seed);

#endif
