/* SPDX-License-Identifier: Apache-2.0 */
/* What the heap's files share (heap.c, heap_count.c, heap_map.c). Context: thread. */
#ifndef FG_SAMPLER_HEAP_INTERNAL_H
#define FG_SAMPLER_HEAP_INTERNAL_H

#include <sys/single_threaded.h>

#include "gate/sampler/heap/heap.h"
#include "gate/sampler/heap/heap_ranges.h"
#include "gate/sampler/heap/heap_totals.h"
#include "gate/sampler/sampler.h"

#define FG_HEAP_FILTER_SLOTS 16384 /* a power of two */

/* One for the image; a fork's child finds it zeroed. */
struct fg_heap_shared {
	uint32_t mode; /* enum fg_heap_mode */
	struct fg_capture_header *header;
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

/* Are there other threads that could be at it? */
static inline bool fg_heap_has_threads(void)
{
	return !__libc_single_threaded;
}

/* This thread has counted with a slot of its own before. */
extern __thread bool fg_heap_had_slot __attribute__((visibility("hidden")));
/* The spare slot, under its lock; see fg_heap_enter(). */
struct fg_thread *fg_heap_enter_other(void);

/*
 * The slot to count with, until fg_heap_leave(): the thread's own, or the spare one where the
 * thread has ended, was never begun or stands on another stack than its own. NULL: count nothing.
 * frame: of the caller's.
 */
static inline struct fg_thread *fg_heap_enter(const void *frame)
{
	struct fg_thread *thread = fg_self;
	uint64_t sp = (uint64_t)(uintptr_t)frame;

	if (__builtin_expect(!thread || sp < thread->stack_low || sp >= thread->stack_high, 0))
		return fg_heap_enter_other();
	fg_heap_had_slot = true;
	thread = fg_enter();
	/* A handler of the program's that has interrupted our own accounting. */
	if (__builtin_expect(!thread, 0))
		fg_count(FG_COUNTER_HEAP_LOST);
	return thread;
}

static inline void fg_heap_leave(struct fg_thread *thread)
{
	if (__builtin_expect(thread == fg_heap->spare, 0))
		fg_unlock(&fg_heap->spare_lock);
	else
		fg_leave(thread);
}

#endif
