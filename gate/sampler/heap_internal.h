/* SPDX-License-Identifier: Apache-2.0 */
/* What the heap's files share (heap.c, heap_count.c, heap_map.c). Context: thread. */
#ifndef FG_SAMPLER_HEAP_INTERNAL_H
#define FG_SAMPLER_HEAP_INTERNAL_H

#include "gate/sampler/heap.h"
#include "gate/sampler/heap_ranges.h"
#include "gate/sampler/heap_totals.h"
#include "gate/sampler/sampler.h"

#define FG_HEAP_FILTER_SLOTS 16384 /* a power of two */

/* One for the image; a fork's child finds it zeroed. */
struct fg_heap_shared {
	uint32_t mode; /* enum fg_heap_mode */
	uint32_t totals_lock, ranges_lock, spare_lock;
	struct fg_heap_totals totals;
	struct fg_heap_table table;
	struct fg_ranges ranges;
	struct fg_thread *spare; /* for threads without a slot of their own */
	/*
	 * Sampled heaps: how many blocks in the table have an address that falls here, 255: at
	 * least so many. Most frees are of blocks that are not there.
	 */
	uint8_t filter[FG_HEAP_FILTER_SLOTS];
};
extern struct fg_heap_shared *fg_heap __attribute__((visibility("hidden")));
extern uint32_t fg_heap_image __attribute__((visibility("hidden"))); /* changes with a fork */

#define FG_HEAP_ENTRIES 512 /* a power of two */

struct fg_heap_thread {
	uint32_t image;
	bool was_inside;   /* a call came while `inside` was set */
	uintptr_t inside;  /* the frame of the real call under way; 0: none */
	const void *last;  /* what was counted last (operator new) */
	const void *going; /* what operator delete has counted already */
	double gap;        /* bytes to the next sample */
	bool has_gap;
	struct fg_heap_change pending; /* not yet told to the totals */
	/* Entries found lately: the writer looks through all its blocks. */
	struct fg_heap_found {
		uint64_t walk_hash;
		uint32_t epoch, context;
		struct fg_entry *entry;
	} found[FG_HEAP_ENTRIES];
};

/* Are there other threads that could be at it? */
bool fg_heap_has_threads(void);
/* The slot's state in this image; NULL: there is no memory for it. */
struct fg_heap_thread *fg_heap_state(struct fg_thread *thread);
/*
 * The slot to count with: the thread's own, or the spare one, under its lock, where the thread has
 * ended, was never begun or stands on another stack than its own. NULL: count nothing.
 */
struct fg_thread *fg_heap_enter(const void *frame);
void fg_heap_leave(struct fg_thread *thread);

#endif
