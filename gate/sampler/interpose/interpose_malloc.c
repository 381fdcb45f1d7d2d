/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The malloc family. What the C library allocates itself (strdup, getline, stdio) comes through
 * these names too. In libflamegate-heap.so alone, as operator new and mmap: a test and a jump where
 * no heap is asked for were 2.4 % more instructions of quickjs with libc's malloc, and none of
 * quickjs with arenas of its own.
 *
 * A realloc counts as an allocation of the new size and a free of the old block, as valgrind has
 * it.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "gate/sampler/heap/heap.h"
#include "gate/sampler/heap/real_heap.h"
#include "gate/sampler/sampler.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define SLOW __attribute__((noinline))
#define FRAME __builtin_frame_address(0)

/* Newer than this C library's. */
void free_sized(void *block, size_t bytes);
void free_aligned_sized(void *block, size_t alignment, size_t bytes);

/*
 * A real call that is to be counted. Undecided: the loader may be looking the real one up, which
 * then is not there yet.
 */
static bool counts(void)
{
	return *fg_heap_mode == FG_HEAP_ON || fg_heap_begin();
}

static void *not_there(void)
{
	errno = ENOMEM;
	return NULL;
}

/* ---- malloc, calloc -------------------------------------------------------------------------- */

static SLOW void *counted_malloc(size_t bytes)
{
	bool count = counts() && fg_heap_call_begin(FRAME);
	void *block;

	if (!fg_real_heap.malloc)
		return fg_early_alloc(bytes);
	block = fg_real_heap.malloc(bytes);
	if (!count)
		return block;
	fg_heap_call_end();
	if (fg_heap_is_due(bytes))
		FG_HEAP_ALLOCATED(block, bytes);
	return block;
}

FG_EXPORT void *malloc(size_t bytes)
{
	if (fg_heap_is_off())
		return fg_real_heap.malloc(bytes);
	return counted_malloc(bytes);
}

static SLOW void *counted_calloc(size_t count, size_t size)
{
	bool counted = counts() && fg_heap_call_begin(FRAME);
	void *block;

	if (!fg_real_heap.calloc)
		return size && count > SIZE_MAX / size ? NULL : fg_early_alloc(count * size);
	block = fg_real_heap.calloc(count, size);
	if (!counted)
		return block;
	fg_heap_call_end();
	if (block && fg_heap_is_due(count * size))
		FG_HEAP_ALLOCATED(block, count * size);
	return block;
}

FG_EXPORT void *calloc(size_t count, size_t size)
{
	if (fg_heap_is_off())
		return fg_real_heap.calloc(count, size);
	return counted_calloc(count, size);
}

/* ---- free, realloc --------------------------------------------------------------------------- */

static SLOW void counted_free(void *block)
{
	if (!block || fg_early_size(block))
		return;
	if (!counts()) {
		if (fg_real_heap.free)
			fg_real_heap.free(block);
		return;
	}
	if (fg_heap_call_begin(FRAME)) {
		fg_heap_freed(block);
		fg_real_heap.free(block);
		fg_heap_call_end();
	} else {
		fg_real_heap.free(block);
	}
}

FG_EXPORT void free(void *block)
{
	if (fg_heap_is_off() && LIKELY(!fg_early_size(block)))
		fg_real_heap.free(block);
	else
		counted_free(block);
}

FG_EXPORT void free_sized(void *block, size_t bytes)
{
	(void)bytes;
	free(block);
}

FG_EXPORT void free_aligned_sized(void *block, size_t alignment, size_t bytes)
{
	(void)alignment;
	(void)bytes;
	free(block);
}

/* Out of the early memory into the real one, which may not be there yet. */
static void *move_early(const void *early, size_t old_bytes, size_t bytes)
{
	void *block = fg_real_heap.malloc ? malloc(bytes) : fg_early_alloc(bytes);

	if (block)
		memcpy(block, early, old_bytes < bytes ? old_bytes : bytes);
	return block;
}

static SLOW void *counted_realloc(void *old, size_t bytes)
{
	size_t early = fg_early_size(old);
	struct fg_heap_move move;
	void *block;

	if (early)
		return move_early(old, early, bytes);
	if (!counts() || !fg_heap_call_begin(FRAME))
		return fg_real_heap.realloc ? fg_real_heap.realloc(old, bytes)
					    : fg_early_alloc(bytes);
	fg_heap_move_begin(&move, old);
	block = fg_real_heap.realloc(old, bytes);
	fg_heap_call_end();
	if (!block && bytes) {
		fg_heap_move_failed(&move);
		return NULL;
	}
	if (old)
		fg_heap_moved(&move);
	if (block && fg_heap_is_due(bytes))
		FG_HEAP_ALLOCATED(block, bytes);
	return block;
}

FG_EXPORT void *realloc(void *old, size_t bytes)
{
	if (fg_heap_is_off() && LIKELY(!fg_early_size(old)))
		return fg_real_heap.realloc(old, bytes);
	return counted_realloc(old, bytes);
}

/* As the C library's own, which would come back to realloc(). */
FG_EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return not_there();
	return realloc(old, bytes);
}

/* ---- aligned --------------------------------------------------------------------------------- */

static SLOW int counted_posix_memalign(void **block, size_t alignment, size_t bytes)
{
	bool count = counts() && fg_heap_call_begin(FRAME);
	int error;

	if (!fg_real_heap.posix_memalign)
		return ENOMEM;
	error = fg_real_heap.posix_memalign(block, alignment, bytes);
	if (!count)
		return error;
	fg_heap_call_end();
	if (!error && fg_heap_is_due(bytes))
		FG_HEAP_ALLOCATED(*block, bytes);
	return error;
}

FG_EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
	if (fg_heap_is_off())
		return fg_real_heap.posix_memalign(block, alignment, bytes);
	return counted_posix_memalign(block, alignment, bytes);
}

typedef void *align_function(size_t, size_t);

static SLOW void *counted_align(align_function *const *real, size_t alignment, size_t bytes)
{
	bool count = counts() && fg_heap_call_begin(FRAME);
	void *block;

	if (!*real)
		return not_there();
	block = (*real)(alignment, bytes);
	if (!count)
		return block;
	fg_heap_call_end();
	if (fg_heap_is_due(bytes))
		FG_HEAP_ALLOCATED(block, bytes);
	return block;
}

FG_EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
	if (fg_heap_is_off())
		return fg_real_heap.aligned_alloc(alignment, bytes);
	return counted_align(&fg_real_heap.aligned_alloc, alignment, bytes);
}

FG_EXPORT void *memalign(size_t alignment, size_t bytes)
{
	if (fg_heap_is_off())
		return fg_real_heap.memalign(alignment, bytes);
	return counted_align(&fg_real_heap.memalign, alignment, bytes);
}

typedef void *page_function(size_t);

static SLOW void *counted_pages(page_function *const *real, size_t bytes)
{
	bool count = counts() && fg_heap_call_begin(FRAME);
	void *block;

	if (!*real)
		return not_there();
	block = (*real)(bytes);
	if (!count)
		return block;
	fg_heap_call_end();
	if (fg_heap_is_due(bytes))
		FG_HEAP_ALLOCATED(block, bytes);
	return block;
}

FG_EXPORT void *valloc(size_t bytes)
{
	if (fg_heap_is_off())
		return fg_real_heap.valloc(bytes);
	return counted_pages(&fg_real_heap.valloc, bytes);
}

FG_EXPORT void *pvalloc(size_t bytes)
{
	if (fg_heap_is_off())
		return fg_real_heap.pvalloc(bytes);
	return counted_pages(&fg_real_heap.pvalloc, bytes);
}
