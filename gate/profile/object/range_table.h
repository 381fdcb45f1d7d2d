/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address ranges that nest (functions, what is inlined into them, symbols, units), flattened into
 * disjoint pieces that each name the innermost entry, for a binary search.
 */
#ifndef FG_PROFILE_RANGE_TABLE_H
#define FG_PROFILE_RANGE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define RANGE_NONE UINT32_MAX

struct address_range {
	uint64_t low, high; /* [low, high) */
	uint32_t depth;     /* of two that start together the deeper one is the inner */
	uint32_t entry;
};

struct range_table {
	struct address_range *ranges;
	size_t count, capacity;
};

void range_table_init(struct range_table *table);
void range_table_release(struct range_table *table);
/* Empty ranges are left out. */
void range_table_add(
	struct range_table *table, uint64_t low, uint64_t high, uint32_t depth, uint32_t entry);
/* To be called once, after the last range_table_add().
 * A range ends no later than the one it is in. */
void range_table_flatten(struct range_table *table);
/* The innermost entry at address, or RANGE_NONE. Only after range_table_flatten(). */
uint32_t range_table_find(const struct range_table *table, uint64_t address);

#endif
