/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/heap/heap_ranges.h"

#include <string.h>

#include "gate/sampler/raw.h"

enum { FIRST_CAPACITY = 64 };

/* The first range that ends above the address. */
static size_t first_above(const struct fg_ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->items[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool make_room(struct fg_ranges *ranges)
{
	size_t capacity = ranges->capacity ? 2 * ranges->capacity : FIRST_CAPACITY;
	struct fg_range *items;

	if (ranges->count < ranges->capacity)
		return true;
	if (capacity > FG_RANGES_MOST)
		return false;
	items = fg_raw_pages(capacity * sizeof(*items));
	if (!items)
		return false;
	FG_RAW3(SYS_madvise, items, capacity * sizeof(*items), MADV_DONTFORK);
	if (ranges->count)
		memcpy(items, ranges->items, ranges->count * sizeof(*items));
	if (ranges->items)
		fg_raw_unmap(ranges->items, ranges->capacity * sizeof(*items));
	ranges->items = items;
	ranges->capacity = capacity;
	return true;
}

static void insert(struct fg_ranges *ranges, size_t at, const struct fg_range *range)
{
	memmove(&ranges->items[at + 1], &ranges->items[at],
		(ranges->count - at) * sizeof(*ranges->items));
	ranges->items[at] = *range;
	ranges->count++;
}

static void erase(struct fg_ranges *ranges, size_t at)
{
	ranges->count--;
	memmove(&ranges->items[at], &ranges->items[at + 1],
		(ranges->count - at) * sizeof(*ranges->items));
}

bool fg_ranges_add(struct fg_ranges *ranges, const struct fg_range *range)
{
	if (!make_room(ranges))
		return false;
	insert(ranges, first_above(ranges, range->start), range);
	return true;
}

/* Leaves what lies outside of the piece: in place of the range, and behind it. */
static void leave_rests(struct fg_ranges *ranges, size_t at, struct fg_range *piece)
{
	struct fg_range *range = &ranges->items[at], upper = *range;

	upper.start = piece->end;
	if (range->start == piece->start && range->end == piece->end) {
		erase(ranges, at);
		return;
	}
	piece->is_rest = 1;
	if (range->start == piece->start) {
		*range = upper;
		return;
	}
	range->end = piece->start;
	if (upper.start == upper.end)
		return;
	upper.is_rest = 1;
	if (make_room(ranges))
		insert(ranges, at + 1, &upper);
	else
		piece->end = upper.end;
}

bool fg_ranges_take(struct fg_ranges *ranges, uint64_t start, uint64_t end, struct fg_range *piece)
{
	size_t at = first_above(ranges, start);

	if (at == ranges->count || ranges->items[at].start >= end)
		return false;
	*piece = ranges->items[at];
	if (piece->start < start)
		piece->start = start;
	if (piece->end > end)
		piece->end = end;
	leave_rests(ranges, at, piece);
	return true;
}

bool fg_ranges_overlap(const struct fg_ranges *ranges, uint64_t start, uint64_t end)
{
	size_t at = first_above(ranges, start);

	return at < ranges->count && ranges->items[at].start < end;
}
