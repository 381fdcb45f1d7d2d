/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap's accounting, as the interposers see it (interpose_malloc.c, interpose_new.c,
 * interpose_map.c). Where no heap is asked for they test fg_heap_is_off() and go on. Context:
 * thread.
 *
 * An allocation is counted after the real one, a free before the real one: from there on the
 * address may be another thread's.
 */
#ifndef FG_SAMPLER_HEAP_H
#define FG_SAMPLER_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/sampler/context.h"
#include "gate/sampler/heap/heap_table.h"
#include "gate/sampler/heap/heap_totals.h"
#include "gate/sampler/sampler.h"

/* In memory that a fork wipes while it is ON: a child decides anew, once it has a capture. */
enum fg_heap_mode { FG_HEAP_UNDECIDED, FG_HEAP_OFF, FG_HEAP_ON };
extern const uint32_t *fg_heap_mode __attribute__((visibility("hidden")));

static inline bool fg_heap_is_off(void)
{
	return __builtin_expect(*fg_heap_mode == FG_HEAP_OFF, 1);
}

/* init or thread. Starts the sampler if that is still to be done; true when the heap is counted. */
bool fg_heap_begin(void);
/* init. All objects are loaded: does the program allocate with somebody else's malloc()? */
void fg_heap_loaded(void);

/* ---- the thread's state ---------------------------------------------------------------------- */

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

extern uint32_t fg_heap_image __attribute__((visibility("hidden"))); /* changes with a fork */

/* Makes or cleans it; NULL: there is no memory for it. */
struct fg_heap_thread *fg_heap_prepare_thread(struct fg_thread *thread);

/* A slot's state in this image, or NULL. */
static inline struct fg_heap_thread *fg_heap_state(struct fg_thread *thread)
{
	struct fg_heap_thread *heap = thread->heap;

	if (__builtin_expect(heap && heap->image == fg_heap_image, 1))
		return heap;
	return fg_heap_prepare_thread(thread);
}

/* The calling thread's, or NULL. */
static inline struct fg_heap_thread *fg_heap_self(void)
{
	return fg_self ? fg_heap_state(fg_self) : NULL;
}

/*
 * Around the real call: what an allocator does inside (one function by another, mmap) is its own
 * matter. False: this call is such a one, and not to be counted. A call that was left by a jump is
 * known by its frame, which is below the present one.
 */
static inline bool fg_heap_call_begin(const void *frame)
{
	struct fg_heap_thread *heap = fg_heap_self();

	if (!heap)
		return true;
	if (heap->inside && (uintptr_t)frame < heap->inside) {
		heap->was_inside = true;
		return false;
	}
	heap->inside = (uintptr_t)frame;
	return true;
}

static inline void fg_heap_call_end(void)
{
	if (fg_self && fg_self->heap)
		fg_self->heap->inside = 0;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Is this allocation to be counted? A sampled heap leaves that to chance. */
bool fg_heap_is_sampled(size_t bytes);
static inline bool fg_heap_is_due(size_t bytes)
{
	return !fg_config.heap_period_bytes || fg_heap_is_sampled(bytes);
}

/* NULL is not counted; here: the interposer's registers (FG_REGISTERS_HERE). Keeps errno. */
void fg_heap_allocated(const void *block, size_t bytes, const struct fg_registers *here);
/* Keeps errno. */
void fg_heap_freed(const void *block);
/* The calling thread ends: tells what it has kept to itself (PENDING_BYTES). */
void fg_heap_thread_ends(void);

/* realloc(): the old block is out of the table during the real call, and back if that fails. */
struct fg_heap_move {
	bool was_known;
	struct fg_live_block block;
};
void fg_heap_move_begin(struct fg_heap_move *move, const void *block);
void fg_heap_move_failed(const struct fg_heap_move *move);
void fg_heap_moved(const struct fg_heap_move *move);

/* operator new and delete: has the real one come through malloc() and free() of ours? */
void fg_heap_new_begin(void);
bool fg_heap_new_was_seen(const void *block);
void fg_heap_delete_begin(const void *block);
void fg_heap_delete_end(void);

/* Mappings (FG_KIND_MAPPED). Pages [start, start + bytes). */
void fg_heap_mapped(const void *start, size_t bytes, const struct fg_registers *here);
void fg_heap_unmapped(const void *start, size_t bytes);
/* Is any page of it counted? */
bool fg_heap_is_mapped(const void *start, size_t bytes);

#define FG_HEAP_ALLOCATED(block, bytes)                                                            \
	do {                                                                                       \
		struct fg_registers here_;                                                         \
		FG_REGISTERS_HERE(&here_);                                                         \
		fg_heap_allocated(block, bytes, &here_);                                           \
	} while (0)

#endif
