/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap as a whole: its size now and when it was largest, and over time. Context: thread, one at
 * a time. Sizes in the units of the entries (capture.h), whole ones in the header and the timeline.
 */
#ifndef FG_SAMPLER_HEAP_TOTALS_H
#define FG_SAMPLER_HEAP_TOTALS_H

#include <stdint.h>

#include "gate/sampler/capture/capture.h"

#define FG_HEAP_MOMENTS                                                                            \
	((uint32_t)((FG_RECORD_BLOCK_BYTES - sizeof(struct fg_block)) / sizeof(struct fg_moment) & \
		    ~UINT64_C(1)))

#define FG_HEAP_SHIFT 10
_Static_assert(FG_HEAP_SCALE == 1 << FG_HEAP_SHIFT, "units of a sampled heap");

/* What one or several allocations and frees have changed. */
struct fg_heap_change {
	int64_t bytes, count;
	uint64_t allocations;
};

/* Zeroed, with shift set, it is an empty heap. */
struct fg_heap_totals {
	unsigned shift; /* a byte is 1 << shift units: 0, or FG_HEAP_SHIFT where it is sampled */
	int64_t bytes, count;
	int64_t peak_bytes;
	/* The timeline: a moment each 1 << grain of what is moved, as soon as it has been. */
	struct fg_block *line; /* NULL: none */
	unsigned grain;
	uint64_t moved, next;
	int64_t most_bytes;       /* since the last moment */
	uint64_t (*cpu_ns)(void); /* the process's CPU clock; NULL where there is no line */
};

void fg_heap_totals_add(struct fg_heap_totals *totals, struct fg_capture_header *header,
	const struct fg_heap_change *change);

/* Before an entry changes: if it has not changed since the heap was largest, keep what it held. */
static inline void fg_heap_keep_peak(struct fg_entry *entry, uint64_t version)
{
	if (entry->peak_version >= version)
		return;
	entry->peak_count = (int64_t)(entry->count - entry->gone_count);
	entry->peak_sum = (int64_t)(entry->sum - entry->gone_sum);
	entry->peak_version = version;
}

#endif
