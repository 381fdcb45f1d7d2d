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
#include "gate/sampler/heap_table.h"

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

/*
 * Around the real call: what an allocator does inside (one function by another, mmap) is its own
 * matter. False: this call is such a one, and not to be counted.
 */
bool fg_heap_call_begin(const void *frame);
void fg_heap_call_end(void);

/* Is this allocation to be counted? All are unless the heap is sampled. */
bool fg_heap_is_due(size_t bytes);
/* NULL is not counted; here: the interposer's registers (FG_REGISTERS_HERE). Keeps errno. */
void fg_heap_allocated(const void *block, size_t bytes, const struct fg_registers *here);
/* Keeps errno. */
void fg_heap_freed(const void *block);

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
