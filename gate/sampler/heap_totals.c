/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/heap_totals.h"

#include <stddef.h>

/* Threads tell late what they did: for a moment more may be gone than was there. */
static uint64_t whole(const struct fg_heap_totals *totals, int64_t units)
{
	return units > 0 ? (uint64_t)units >> totals->shift : 0;
}

static void set(uint64_t *field, uint64_t value)
{
	__atomic_store_n(field, value, __ATOMIC_RELAXED);
}

static struct fg_moment *moments_of(struct fg_block *line)
{
	return (struct fg_moment *)(line + 1);
}

/* Two moments become one: half as many, over twice the time. */
static uint64_t make_coarser(struct fg_block *line, uint64_t count)
{
	struct fg_moment *moments = moments_of(line);

	for (uint64_t i = 0; i < count / 2; i++) {
		uint64_t first_most = moments[2 * i].most_bytes;

		moments[i] = moments[2 * i + 1];
		if (moments[i].most_bytes < first_most)
			moments[i].most_bytes = first_most;
	}
	return count / 2;
}

static void add_moment(struct fg_heap_totals *totals)
{
	struct fg_block *line = totals->line;
	uint64_t count = line->used / sizeof(struct fg_moment);

	if (!totals->step)
		totals->step = 1;
	moments_of(line)[count++] = (struct fg_moment){
		.allocations = totals->allocations,
		.live_bytes = whole(totals, totals->bytes),
		.live_count = whole(totals, totals->count),
		.most_bytes = whole(totals, totals->most_bytes),
	};
	if (count == FG_HEAP_MOMENTS) {
		count = make_coarser(line, count);
		totals->step *= 2;
	}
	__atomic_store_n(&line->used, count * sizeof(struct fg_moment), __ATOMIC_RELEASE);
	totals->most_bytes = totals->bytes;
	totals->next = totals->allocations / totals->step * totals->step + totals->step;
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
	totals->allocations += change->allocations;
	set(&header->live_bytes, whole(totals, totals->bytes));
	set(&header->live_count, whole(totals, totals->count));
	if (totals->bytes > totals->peak_bytes)
		note_peak(totals, header);
	if (totals->bytes > totals->most_bytes)
		totals->most_bytes = totals->bytes;
	if (totals->line && change->allocations && totals->allocations >= totals->next)
		add_moment(totals);
}
