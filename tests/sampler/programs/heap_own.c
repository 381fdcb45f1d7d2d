/* SPDX-License-Identifier: Apache-2.0 */
/* A program with an allocator linked in: the sampler cannot see its heap, and must say so. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static unsigned char room[1 << 20] __attribute__((aligned(16)));
static size_t used;

void *malloc(size_t bytes)
{
	size_t size = (bytes + 31) & ~(size_t)15;
	unsigned char *block = room + used;

	if (bytes > sizeof(room) || size > sizeof(room) - used)
		return NULL;
	used += size;
	memcpy(block, &bytes, sizeof(bytes));
	return block + 16;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t count, size_t size)
{
	return size && count > SIZE_MAX / size ? NULL : malloc(count * size);
}

void *realloc(void *old, size_t bytes)
{
	unsigned char *block = malloc(bytes);
	size_t had = 0;

	if (block && old) {
		memcpy(&had, (unsigned char *)old - 16, sizeof(had));
		memcpy(block, old, had < bytes ? had : bytes);
	}
	return block;
}

int main(void)
{
	for (int i = 0; i < 100; i++) {
		void *block = malloc(1000);

		__asm__ volatile("" : : "r"(block) : "memory");
		free(block);
	}
	return 0;
}
