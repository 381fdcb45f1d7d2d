/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/heap/real_heap.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { EARLY_BYTES = 16384, EARLY_ALIGN = 16 };

struct fg_real_heap fg_real_heap;

static struct {
	unsigned char bytes[EARLY_BYTES] __attribute__((aligned(EARLY_ALIGN)));
	size_t used;
} early;

/* As in real.c. */
static void look_up(void *function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, sizeof(found));
}

bool fg_real_heap_init(void)
{
	static uint32_t state; /* 1: under way, 2: done */

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2)
		return true;
	if (__atomic_exchange_n(&state, 1, __ATOMIC_ACQ_REL) == 1)
		return false;
	look_up(&fg_real_heap.malloc, "malloc");
	look_up(&fg_real_heap.calloc, "calloc");
	look_up(&fg_real_heap.realloc, "realloc");
	look_up(&fg_real_heap.free, "free");
	look_up(&fg_real_heap.posix_memalign, "posix_memalign");
	look_up(&fg_real_heap.aligned_alloc, "aligned_alloc");
	look_up(&fg_real_heap.memalign, "memalign");
	look_up(&fg_real_heap.valloc, "valloc");
	look_up(&fg_real_heap.pvalloc, "pvalloc");
	look_up(&fg_real_heap.mmap, "mmap");
	look_up(&fg_real_heap.munmap, "munmap");
	look_up(&fg_real_heap.mremap, "mremap");
	__atomic_store_n(&state, 2, __ATOMIC_RELEASE);
	return true;
}

/* Each block has its size in the 16 bytes before it. */
void *fg_early_alloc(size_t bytes)
{
	size_t room = (bytes + EARLY_ALIGN - 1) & ~(size_t)(EARLY_ALIGN - 1), at;

	if (bytes > EARLY_BYTES)
		return NULL;
	at = __atomic_fetch_add(&early.used, room + EARLY_ALIGN, __ATOMIC_RELAXED);
	if (at > EARLY_BYTES || room + EARLY_ALIGN > EARLY_BYTES - at)
		return NULL;
	memcpy(early.bytes + at, &bytes, sizeof(bytes));
	return early.bytes + at + EARLY_ALIGN;
}

size_t fg_early_size(const void *block)
{
	size_t bytes;

	if ((uintptr_t)block - (uintptr_t)early.bytes >= EARLY_BYTES)
		return 0;
	memcpy(&bytes, (const unsigned char *)block - EARLY_ALIGN, sizeof(bytes));
	return bytes ? bytes : 1;
}
