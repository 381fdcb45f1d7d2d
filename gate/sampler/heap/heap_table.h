/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live blocks of the heap, by address: open-addressed shards in private memory that a fork's
 * child does not have. Context: thread.
 */
#ifndef FG_SAMPLER_HEAP_TABLE_H
#define FG_SAMPLER_HEAP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fg_live_block {
	uint64_t address; /* 0: free slot */
	uint64_t bytes;
	uint64_t walk_hash; /* of the stack that allocated it, which is stored at `stack` */
	uint32_t stack, context;
};
_Static_assert(sizeof(struct fg_live_block) == 32, "two in a cache line");

#define FG_HEAP_SHARDS 16

struct fg_heap_shard {
	uint32_t lock;
	uint32_t bits; /* 1 << bits slots */
	uint64_t used;
	struct fg_live_block *slots; /* NULL: nothing was ever put */
} __attribute__((aligned(64)));

/* Zeroed, with most_bytes set, it is an empty one. */
struct fg_heap_table {
	struct fg_heap_shard shards[FG_HEAP_SHARDS];
	uint64_t most_bytes; /* a bound for all slots together */
};

enum fg_put { FG_PUT_NEW, FG_PUT_REPLACED, FG_PUT_FULL };

/*
 * shared: other threads may be at it. REPLACED: a block with this address was there, whose end
 * nobody saw; it is in *old now. FULL: no room, nothing is changed.
 */
enum fg_put fg_heap_put(struct fg_heap_table *table, const struct fg_live_block *block, bool shared,
	struct fg_live_block *old);
/* This address is about to be put: its place may be far away in memory. */
void fg_heap_expect(const struct fg_heap_table *table, uint64_t address);
/* Removes the block into *block; false when it is not there. */
bool fg_heap_take(
	struct fg_heap_table *table, uint64_t address, bool shared, struct fg_live_block *block);
/* Gives the memory back. */
void fg_heap_table_release(struct fg_heap_table *table);

#endif
