/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (64 * 1024)
#define ALIGNMENT _Alignof(max_align_t)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size, used;
	_Alignas(max_align_t) unsigned char data[];
};

static void die_of_memory(size_t size)
{
	fprintf(stderr, "flamegate: out of memory (%zu bytes)\n", size);
	abort();
}

static size_t product(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		die_of_memory(SIZE_MAX);
	return bytes;
}

void *xmalloc(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		die_of_memory(size);
	return memory;
}

void *xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		die_of_memory(product(count, size));
	return memory;
}

void *xrealloc_array(void *old, size_t count, size_t size)
{
	size_t bytes = product(count, size);
	void *memory = realloc(old, bytes ? bytes : 1);

	if (!memory)
		die_of_memory(bytes);
	return memory;
}

char *xstrdup(const char *string)
{
	size_t bytes = strlen(string) + 1;

	return memcpy(xmalloc(bytes), string, bytes);
}

void *grow_array(void *items, size_t *capacity, size_t needed, size_t size)
{
	size_t wanted = *capacity ? *capacity : 8;

	if (needed <= *capacity)
		return items;
	while (wanted < needed)
		wanted = product(wanted, 2);
	items = xrealloc_array(items, wanted, size);
	*capacity = wanted;
	return items;
}

void arena_init(struct arena *arena)
{
	*arena = (struct arena)ARENA_INIT;
}

void arena_release(struct arena *arena)
{
	struct arena_chunk *chunk = arena->chunk;

	while (chunk) {
		struct arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	arena_init(arena);
}

static struct arena_chunk *chunk_new(size_t size)
{
	struct arena_chunk *chunk = xmalloc(sizeof(*chunk) + size);

	chunk->size = size;
	chunk->used = 0;
	return chunk;
}

/* Large requests get a chunk of their own behind the current one, so that its rest stays usable. */
static struct arena_chunk *chunk_with_room(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunk;

	if (chunk && chunk->size - chunk->used >= size)
		return chunk;
	if (chunk && size > CHUNK_BYTES / 4) {
		struct arena_chunk *own = chunk_new(size);

		own->next = chunk->next;
		chunk->next = own;
		return own;
	}
	chunk = chunk_new(size > CHUNK_BYTES ? size : CHUNK_BYTES);
	chunk->next = arena->chunk;
	arena->chunk = chunk;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk;
	void *memory;

	if (size > SIZE_MAX - ALIGNMENT - sizeof(*chunk))
		die_of_memory(size);
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	chunk = chunk_with_room(arena, size);
	memory = chunk->data + chunk->used;
	chunk->used += size;
	arena->used_bytes += size;
	return memset(memory, 0, size);
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	return arena_alloc(arena, product(count, size));
}

char *arena_strndup(struct arena *arena, const char *string, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	if (length)
		memcpy(copy, string, length);
	copy[length] = '\0';
	return copy;
}

char *arena_strdup(struct arena *arena, const char *string)
{
	return arena_strndup(arena, string, strlen(string));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, args);
	va_end(args);
	return text;
}
