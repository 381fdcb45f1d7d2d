/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arena: many small allocations, one release. Owned by the thing whose strings and nodes it holds.
 * Not thread safe. Running out of memory aborts: a CLI that cannot allocate cannot report either;
 * hostile inputs are bounded by the decoders' limits before anything is allocated.
 */
#ifndef FG_BASE_ARENA_H
#define FG_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk;
	size_t used_bytes; /* handed out in all, for limits */
};

#define ARENA_INIT                                                                                 \
	{                                                                                          \
		NULL, 0                                                                            \
	}

void arena_init(struct arena *arena);
void arena_release(struct arena *arena);

/* Zeroed memory, aligned for any type, alive until arena_release(). size may be 0. */
void *arena_alloc(struct arena *arena, size_t size);
/* Zeroed array; aborts on overflow of count * size. */
void *arena_array(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *string);
char *arena_strndup(struct arena *arena, const char *string, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* malloc family that aborts with a message instead of returning NULL. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc_array(void *old, size_t count, size_t size);
char *xstrdup(const char *string);

/*
 * Makes room for one more element in a growing malloc'd array. *capacity is the count allocated.
 * Usage: items = grow_array(items, &capacity, count + 1, sizeof(*items));
 */
void *grow_array(void *items, size_t *capacity, size_t needed, size_t size);

#endif
