/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/heap/heap_totals.h"

#include <stdbool.h>
#include <stddef.h>

#define CALL_WEIGHT 64 /* bytes: many small blocks are something too */
#define MOST_GRAIN 62

/* Threads tell late what they did: for a moment more may be gone than was there. */
static uint64_t whole(const struct fg_heap_totals *totals, int64_t units)
{
	return units > 0 ? (uint64_t)units >> totals->shift : 0;
}

/* Of several changes that a thread has kept to itself, what is left of them. */
static uint64_t moved_by(const struct fg_heap_totals *totals, const struct fg_heap_change *change)
{
	int64_t bytes = change->bytes < 0 ? -change->bytes : change->bytes;

	return whole(totals, bytes) + CALL_WEIGHT;
}

static void set(uint64_t *field, uint64_t value)
{
	__atomic_store_n(field, value, __ATOMIC_RELAXED);
}

static struct fg_moment *moments_of(struct fg_block *line)
{
	return (struct fg_moment *)(line + 1);
}

/* Of those in one grain the last stays, and the most of all. */
static uint64_t merge(struct fg_moment *moments, uint64_t count, unsigned grain)
{
	uint64_t kept = 0;

	for (uint64_t i = 1; i < count; i++) {
		bool same = moments[i].moved >> grain == moments[kept].moved >> grain;
		uint64_t most = same ? moments[kept].most_bytes : 0;

		kept += !same;
		moments[kept] = moments[i];
		if (moments[kept].most_bytes < most)
			moments[kept].most_bytes = most;
	}
	return kept + 1;
}

/* Half as many moments at most, all of them as fine as the others. */
static uint64_t make_coarser(struct fg_heap_totals *totals, uint64_t count)
{
	while (count > FG_HEAP_MOMENTS / 2 && totals->grain < MOST_GRAIN)
		count = merge(moments_of(totals->line), count, ++totals->grain);
	return count;
}

static void add_moment(struct fg_heap_totals *totals)
{
	struct fg_block *line = totals->line;
	uint64_t count = line->used / sizeof(struct fg_moment);

	moments_of(line)[count++] = (struct fg_moment){
		.moved = totals->moved,
		.live_bytes = whole(totals, totals->bytes),
		.live_count = whole(totals, totals->count),
		.most_bytes = whole(totals, totals->most_bytes),
		.cpu_ns = totals->cpu_ns(),
	};
	if (count == FG_HEAP_MOMENTS)
		count = make_coarser(totals, count);
	__atomic_store_n(&line->used, count * sizeof(struct fg_moment), __ATOMIC_RELEASE);
	totals->most_bytes = totals->bytes;
	totals->next = ((totals->moved >> totals->grain) + 1) << totals->grain;
}

static void note_peak(struct fg_heap_totals *totals, struct fg_capture_header *header)
{
	totals->peak_bytes = totals->bytes;
	set(&header->peak_bytes, whole(totals, totals->bytes));
	set(&header->peak_count, whole(totals, totals->count));
	set(&header->peak_version, header->peak_version + 1);
}

void fg_heap_totals_add(struct fg_heap_totals *totals, struct fg_capture_header *header,
	const struct fg_heap_change *change)
{
	totals->bytes += change->bytes;
	totals->count += change->count;
	totals->moved += moved_by(totals, change);
	set(&header->live_bytes, whole(totals, totals->bytes));
	set(&header->live_count, whole(totals, totals->count));
	if (totals->bytes > totals->peak_bytes)
		note_peak(totals, header);
	if (totals->bytes > totals->most_bytes)
		totals->most_bytes = totals->bytes;
	if (totals->line && totals->moved >= totals->next)
		add_moment(totals);
}
