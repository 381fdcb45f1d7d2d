/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/object/range_table.h"

#include <stdlib.h>

#include "gate/base/arena.h"

void range_table_init(struct range_table *table)
{
	*table = (struct range_table){NULL, 0, 0};
}

void range_table_release(struct range_table *table)
{
	free(table->ranges);
	range_table_init(table);
}

void range_table_add(
	struct range_table *table, uint64_t low, uint64_t high, uint32_t depth, uint32_t entry)
{
	if (low >= high)
		return;
	table->ranges = grow_array(
		table->ranges, &table->capacity, table->count + 1, sizeof(*table->ranges));
	table->ranges[table->count++] = (struct address_range){low, high, depth, entry};
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Outer ranges first, so that a sweep meets a range after everything that encloses it. */
static int compare_ranges(const void *left, const void *right)
{
	const struct address_range *a = left, *b = right;
	if (a->low != b->low)
		return compare_u64(a->low, b->low);
	if (a->depth != b->depth)
		return compare_u64(a->depth, b->depth);
	if (a->high != b->high)
		return compare_u64(b->high, a->high);
	return compare_u64(a->entry, b->entry);
}

struct sweep {
	struct range_table flat;
	struct address_range *open; /* the ranges around the cursor, innermost last */
	size_t open_count, open_capacity;
	uint64_t cursor;
};

static void sweep_emit(struct sweep *sweep, uint64_t until, const struct address_range *range)
{
	range_table_add(&sweep->flat, sweep->cursor, until, 0, range->entry);
	if (until > sweep->cursor)
		sweep->cursor = until;
}

static void sweep_close_before(struct sweep *sweep, uint64_t address)
{
	while (sweep->open_count > 0 && sweep->open[sweep->open_count - 1].high <= address) {
		const struct address_range *inner = &sweep->open[--sweep->open_count];
		sweep_emit(sweep, inner->high, inner);
	}
}

static void sweep_open(struct sweep *sweep, struct address_range range)
{
	if (sweep->open_count > 0) {
		const struct address_range *outer = &sweep->open[sweep->open_count - 1];
		sweep_emit(sweep, range.low, outer);
		if (range.high > outer->high)
			range.high = outer->high;
	}
	sweep->cursor = range.low;
	sweep->open = grow_array(
		sweep->open, &sweep->open_capacity, sweep->open_count + 1, sizeof(*sweep->open));
	sweep->open[sweep->open_count++] = range;
}

void range_table_flatten(struct range_table *table)
{
	struct sweep sweep = {.open = NULL};
	if (table->count > 1)
		qsort(table->ranges, table->count, sizeof(*table->ranges), compare_ranges);
	for (size_t i = 0; i < table->count; i++) {
		sweep_close_before(&sweep, table->ranges[i].low);
		sweep_open(&sweep, table->ranges[i]);
	}
	sweep_close_before(&sweep, UINT64_MAX);
	free(sweep.open);
	free(table->ranges);
	*table = sweep.flat;
}

uint32_t range_table_find(const struct range_table *table, uint64_t address)
{
	size_t low = 0, high = table->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (table->ranges[middle].high <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->count || table->ranges[low].low > address)
		return RANGE_NONE;
	return table->ranges[low].entry;
}
