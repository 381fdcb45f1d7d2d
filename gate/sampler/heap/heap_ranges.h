/* SPDX-License-Identifier: Apache-2.0 */
/* The program's own mappings, sorted by address, each with the stack that made it. Context: thread,
 * one at a time. */
#ifndef FG_SAMPLER_HEAP_RANGES_H
#define FG_SAMPLER_HEAP_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fg_range {
	uint64_t start, end;
	uint64_t walk_hash;
	uint32_t stack, context;
	uint64_t
		is_rest; /* 1: another part of the same mapping stands for it where it is counted */
};

#define FG_RANGES_MOST 65536

/* Zeroed it is empty. */
struct fg_ranges {
	struct fg_range *items;
	size_t count, capacity;
};

/* Adds a range that overlaps no other; false when there is no room. */
bool fg_ranges_add(struct fg_ranges *ranges, const struct fg_range *range);
/*
 * Takes the lowest piece that lies in [start, end) out, which may leave two rests of its range;
 * false when there is none. piece->is_rest: what is left, or was there before, still stands for the
 * mapping. Where there is no room for a second rest that one is taken too.
 */
bool fg_ranges_take(struct fg_ranges *ranges, uint64_t start, uint64_t end, struct fg_range *piece);
bool fg_ranges_overlap(const struct fg_ranges *ranges, uint64_t start, uint64_t end);

#endif
