/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator behind the names that interpose_malloc.c takes: the C library's or another one. */
#ifndef FG_SAMPLER_REAL_HEAP_H
#define FG_SAMPLER_REAL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct fg_real_heap {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, ...);
};
extern struct fg_real_heap fg_real_heap __attribute__((visibility("hidden")));

/* thread or init. Looks them up once; false while that is under way: see fg_early_alloc(). */
bool fg_real_heap_init(void);

/*
 * init. Memory for what the loader allocates while it looks names up: zeroed, aligned to 16 bytes,
 * never given back. NULL when there is no more.
 */
void *fg_early_alloc(size_t bytes);
/* any. Bytes of such a block, 0 for any other. */
size_t fg_early_size(const void *block);

#endif
