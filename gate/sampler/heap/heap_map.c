/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that the program maps itself: anonymous and accessible when it is mapped (reservations
 * without access are address space, not memory). A mapping that is unmapped in parts is gone when
 * its last part is; its bytes go with each part.
 */
#include "gate/sampler/heap/heap_internal.h"
#include "gate/sampler/regions.h"

#include <errno.h>

#define PAGE UINT64_C(4096)

static uint64_t page_up(uint64_t address)
{
	return (address + PAGE - 1) & ~(PAGE - 1);
}

static bool is_asked_for(void)
{
	return (fg_config.kinds & UINT32_C(1) << FG_KIND_MAPPED) != 0;
}

static bool lock_ranges(void)
{
	return !fg_heap_has_threads() || fg_lock(&fg_heap->ranges_lock);
}

static void unlock_ranges(void)
{
	if (fg_heap_has_threads())
		fg_unlock(&fg_heap->ranges_lock);
}

static void count_end(struct fg_thread *thread, const struct fg_range *piece)
{
	const struct fg_key key = {FG_KIND_MAPPED, fg_epoch(), piece->context};
	struct fg_entry *entry = fg_capture_entry_of(thread, piece->walk_hash, piece->stack, &key);

	if (!entry) {
		fg_count(FG_COUNTER_HEAP_LOST);
		return;
	}
	entry->gone_count += !piece->is_rest;
	entry->gone_sum += piece->end - piece->start;
	fg_entry_publish(entry, piece->walk_hash, &key);
}

static void unmap(struct fg_thread *thread, uint64_t start, uint64_t end)
{
	struct fg_range piece;

	while (fg_ranges_take(&fg_heap->ranges, start, end, &piece))
		count_end(thread, &piece);
}

static void map(
	struct fg_thread *thread, uint64_t start, uint64_t end, const struct fg_registers *here)
{
	const struct fg_key key = {FG_KIND_MAPPED, fg_epoch(), thread->context};
	struct fg_range range = {.start = start, .end = end, .context = key.context};
	struct fg_entry *entry;
	struct fg_walk walk;

	if (!fg_walk_here(thread, here, &walk) ||
		!(entry = fg_capture_entry(thread, &walk, &key))) {
		fg_count(FG_COUNTER_HEAP_LOST);
		return;
	}
	entry->count++;
	entry->sum += end - start;
	fg_entry_publish(entry, walk.hash, &key);
	range.walk_hash = walk.hash;
	range.stack = entry->stack;
	if (!fg_ranges_add(&fg_heap->ranges, &range))
		fg_count(FG_COUNTER_UNTRACKED);
}

/* here NULL: what was there goes; otherwise it is replaced. */
static void change(
	const void *start, size_t bytes, const void *frame, const struct fg_registers *here)
{
	uint64_t low = (uint64_t)(uintptr_t)start, high = page_up(low + bytes);
	struct fg_thread *thread;
	int saved_errno = errno;

	if (!is_asked_for() || high <= low || !(thread = fg_heap_enter(frame)))
		return;
	if (lock_ranges()) {
		unmap(thread, low, high);
		if (here && !fg_paused())
			map(thread, low, high, here);
		unlock_ranges();
	}
	fg_heap_leave(thread);
	errno = saved_errno;
}

void fg_heap_mapped(const void *start, size_t bytes, const struct fg_registers *here)
{
	change(start, bytes, (const void *)here->sp, here);
}

void fg_heap_unmapped(const void *start, size_t bytes)
{
	change(start, bytes, __builtin_frame_address(0), NULL);
}

bool fg_heap_is_mapped(const void *start, size_t bytes)
{
	uint64_t low = (uint64_t)(uintptr_t)start;
	bool found = false;

	if (is_asked_for() && lock_ranges()) {
		found = fg_ranges_overlap(&fg_heap->ranges, low, page_up(low + bytes));
		unlock_ranges();
	}
	return found;
}
