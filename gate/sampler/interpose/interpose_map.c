/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings that the program makes itself. The C library's own, for its allocator and threads, do
 * not come through these names; another allocator's do, inside its malloc(), and are left out.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "gate/sampler/heap/heap.h"
#include "gate/sampler/heap/real_heap.h"
#include "gate/sampler/raw.h"
#include "gate/sampler/sampler.h"

#define FRAME __builtin_frame_address(0)

static bool counts(void)
{
	bool counted;

	if (!(*fg_heap_mode == FG_HEAP_ON || fg_heap_begin()))
		return false;
	counted = fg_heap_call_begin(FRAME);
	if (counted)
		fg_heap_call_end();
	return counted;
}

static __attribute__((noinline)) void *counted_mmap(
	void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	bool count = counts();
	void *start;

	/* The old mappings end inside the call: nobody else can be given their place before. */
	start = fg_real_heap.mmap(address, bytes, protection, flags, fd, offset);
	if (!count || start == MAP_FAILED)
		return start;
	if ((flags & MAP_ANONYMOUS) && protection != PROT_NONE) {
		struct fg_registers here;

		FG_REGISTERS_HERE(&here);
		fg_heap_mapped(start, bytes, &here);
	} else if (flags & MAP_FIXED) {
		fg_heap_unmapped(start, bytes);
	}
	return start;
}

/* While the real one is being looked up. */
static __attribute__((noinline)) void *plain_mmap(
	void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	long result = FG_RAW6(SYS_mmap, address, bytes, protection, flags, fd, offset);

	if (!fg_raw_failed(result))
		return (void *)result;
	errno = (int)-result;
	return MAP_FAILED;
}

FG_EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (fg_heap_is_off())
		return fg_real_heap.mmap(address, bytes, protection, flags, fd, offset);
	if (!fg_real_heap_init())
		return plain_mmap(address, bytes, protection, flags, fd, offset);
	return counted_mmap(address, bytes, protection, flags, fd, offset);
}

FG_EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return mmap(address, bytes, protection, flags, fd, offset);
}

FG_EXPORT int munmap(void *start, size_t bytes)
{
	if (fg_heap_is_off())
		return fg_real_heap.munmap(start, bytes);
	if (!fg_real_heap_init())
		return (int)FG_RAW3(SYS_munmap, start, bytes, 0);
	if (counts())
		fg_heap_unmapped(start, bytes);
	return fg_real_heap.munmap(start, bytes);
}

/*
 * A mapping that stays where it is is counted anew afterwards: it may fail, and often does. One
 * that may move or shrink is gone before, as its place may be another thread's at once.
 */
static __attribute__((noinline)) void *counted_mremap(
	void *old, size_t old_bytes, size_t bytes, int flags, void *target)
{
	bool count = counts() && old_bytes && fg_heap_is_mapped(old, old_bytes);
	bool before = count && ((flags & MREMAP_MAYMOVE) || bytes <= old_bytes);
	struct fg_registers here;
	void *start;

	if (before)
		fg_heap_unmapped(old, old_bytes);
	start = fg_real_heap.mremap(old, old_bytes, bytes, flags, target);
	FG_REGISTERS_HERE(&here);
	if (before && start == MAP_FAILED)
		fg_heap_mapped(old, old_bytes, &here);
	else if (count && start != MAP_FAILED)
		fg_heap_mapped(start, bytes, &here);
	return start;
}

FG_EXPORT void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	void *target = NULL;
	va_list list;

	va_start(list, flags);
	if (flags & MREMAP_FIXED)
		target = va_arg(list, void *);
	va_end(list);
	if (fg_heap_is_off() || !fg_real_heap_init())
		return fg_real_heap.mremap(old, old_bytes, bytes, flags, target);
	return counted_mremap(old, old_bytes, bytes, flags, target);
}
