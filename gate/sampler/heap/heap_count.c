/* SPDX-License-Identifier: Apache-2.0 */
/* What an allocation and its end do to entries, the table of live blocks, and the totals. */
#include "gate/sampler/heap/heap_internal.h"

#include <errno.h>

#include "gate/sampler/heap/heap_sample.h"
#include "gate/sampler/regions.h"
#include "gate/sampler/thread/slots.h"

/*
 * With threads each tells the totals of so much at a time, and of fewer bytes where they are many:
 * the peak's bytes are uncertain by some FEW_THREADS times that, however many there are.
 */
#define PENDING_BYTES 4096
#define PENDING_EVENTS 16
#define FEW_THREADS 8

static int64_t magnitude(int64_t value)
{
	return value < 0 ? -value : value;
}

static int64_t pending_bytes(void)
{
	return PENDING_BYTES >> (31 - __builtin_clz(1 + fg_slots_used() / FEW_THREADS));
}

static void tell_totals(struct fg_heap_change *pending, bool shared)
{
	if (shared && !fg_lock(&fg_heap->totals_lock))
		return;
	fg_heap_totals_add(&fg_heap->totals, fg_heap->header, pending);
	if (shared)
		fg_unlock(&fg_heap->totals_lock);
	*pending = (struct fg_heap_change){0, 0, 0};
}

static void change_totals(struct fg_heap_thread *heap, const struct fg_heap_change *change)
{
	struct fg_heap_change *pending = &heap->pending;
	bool shared = fg_heap_has_threads();
	int64_t unit = INT64_C(1) << fg_heap->totals.shift;

	pending->bytes += change->bytes;
	pending->count += change->count;
	pending->allocations += change->allocations;
	if (!shared || magnitude(pending->bytes) >= pending_bytes() * unit ||
		magnitude(pending->count) >= PENDING_EVENTS * unit ||
		pending->allocations >= PENDING_EVENTS)
		tell_totals(pending, shared);
}

/* ---- entries --------------------------------------------------------------------------------- */

static struct fg_heap_found *place_of(
	struct fg_heap_thread *heap, uint64_t walk_hash, const struct fg_key *key)
{
	uint64_t mixed = walk_hash ^ (uint64_t)key->epoch * 0x9e3779b9 ^ key->context;

	return &heap->found[(mixed >> 8) & (FG_HEAP_ENTRIES - 1)];
}

static bool is_it(const struct fg_heap_found *found, uint64_t walk_hash, const struct fg_key *key)
{
	return found->entry && found->walk_hash == walk_hash && found->epoch == key->epoch &&
	       found->context == key->context;
}

/* The one thing here that asks the C library for anything: errno stays the program's. */
static __attribute__((noinline)) struct fg_entry *look_up_entry(struct fg_thread *thread,
	struct fg_heap_found *found, const struct fg_walk *walk, uint32_t stack,
	const struct fg_key *key)
{
	int saved_errno = errno;
	struct fg_entry *entry = walk->depth ? fg_capture_entry(thread, walk, key)
					     : fg_capture_entry_of(thread, walk->hash, stack, key);

	errno = saved_errno;
	if (entry)
		*found = (struct fg_heap_found){walk->hash, key->epoch, key->context, entry};
	return entry;
}

/* walk without frames: the stack with its hash is stored already, at `stack`. */
static inline struct fg_entry *entry_for(struct fg_thread *thread, struct fg_heap_thread *heap,
	const struct fg_walk *walk, uint32_t stack, const struct fg_key *key)
{
	struct fg_heap_found *found = place_of(heap, walk->hash, key);

	if (is_it(found, walk->hash, key))
		return found->entry;
	return look_up_entry(thread, found, walk, stack, key);
}

static struct fg_heap_weight weigh(uint64_t bytes)
{
	uint64_t period = fg_config.heap_period_bytes;

	return period ? fg_heap_weigh(bytes, period) : (struct fg_heap_weight){1, bytes};
}

static void publish(struct fg_entry *entry, uint64_t walk_hash, const struct fg_key *key)
{
	if (!entry->key)
		fg_entry_publish(entry, walk_hash, key);
}

/* In whole bytes: what the variance of a sampled total is made of. */
static void add_square(struct fg_entry *entry, uint64_t scaled)
{
	unsigned __int128 squares =
		(unsigned __int128)entry->squares_high << 64 | entry->squares_low;
	uint64_t bytes = scaled / FG_HEAP_SCALE;

	squares += (unsigned __int128)bytes * bytes;
	entry->squares_low = (uint64_t)squares;
	entry->squares_high = (uint64_t)(squares >> 64);
}

/* ---- the end of a block ---------------------------------------------------------------------- */

static void count_end(
	struct fg_thread *thread, struct fg_heap_thread *heap, const struct fg_live_block *block)
{
	const struct fg_key key = {FG_KIND_HEAP, fg_epoch(), block->context};
	struct fg_heap_weight weight = weigh(block->bytes);
	struct fg_heap_change change = {-(int64_t)weight.bytes, -(int64_t)weight.count, 0};
	const struct fg_walk walk = {.hash = block->walk_hash};
	struct fg_entry *entry = entry_for(thread, heap, &walk, block->stack, &key);

	if (!entry) {
		fg_count(FG_COUNTER_HEAP_LOST);
		return;
	}
	fg_heap_keep_peak(entry, fg_heap->header->peak_version);
	entry->gone_count += weight.count;
	entry->gone_sum += weight.bytes;
	publish(entry, block->walk_hash, &key);
	change_totals(heap, &change);
}

/* ---- the table, and what may be in it -------------------------------------------------------- */

static uint8_t *filter_of(uint64_t address)
{
	uint64_t hash = (address >> 4) * UINT64_C(0x9e3779b97f4a7c15);

	return &fg_heap->filter[hash >> 40 & (FG_HEAP_FILTER_SLOTS - 1)];
}

/* Exact to 254; from there on it stays, and only costs a search. */
static void filter_add(uint64_t address, int change)
{
	uint8_t *slot = filter_of(address), now = __atomic_load_n(slot, __ATOMIC_RELAXED);

	while (now != UINT8_MAX && !__atomic_compare_exchange_n(slot, &now, (uint8_t)(now + change),
					   true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static bool may_be_there(uint64_t address)
{
	return !fg_config.heap_period_bytes ||
	       __atomic_load_n(filter_of(address), __ATOMIC_RELAXED);
}

static void put(
	struct fg_thread *thread, struct fg_heap_thread *heap, const struct fg_live_block *block)
{
	struct fg_live_block old;

	switch (fg_heap_put(&fg_heap->table, block, fg_heap_has_threads(), &old)) {
	case FG_PUT_NEW:
		if (fg_config.heap_period_bytes)
			filter_add(block->address, 1);
		break;
	case FG_PUT_REPLACED:
		count_end(thread, heap, &old);
		break;
	case FG_PUT_FULL:
		fg_count(FG_COUNTER_UNTRACKED);
		break;
	}
}

static bool take(const void *address, struct fg_live_block *block)
{
	uint64_t at = (uint64_t)(uintptr_t)address;

	if (!fg_heap_take(&fg_heap->table, at, fg_heap_has_threads(), block))
		return false;
	if (fg_config.heap_period_bytes)
		filter_add(at, -1);
	return true;
}

/* ---- what the interposers call --------------------------------------------------------------- */

static double draw_gap(void)
{
	return fg_heap_gap(
		fg_thread_random(fg_self, UINT64_C(1) << 53), fg_config.heap_period_bytes);
}

/* The thread's first gap begins with this allocation, and may end in it. */
static bool gap_ended(struct fg_heap_thread *heap, double bytes)
{
	if (!heap->has_gap) {
		heap->has_gap = true;
		heap->gap = draw_gap() - bytes;
		if (heap->gap > 0)
			return false;
	}
	heap->gap = draw_gap();
	return true;
}

bool fg_heap_is_sampled(size_t bytes)
{
	struct fg_heap_thread *heap = fg_heap_self();

	if (!heap)
		return false;
	heap->gap -= (double)bytes + 1;
	return heap->gap <= 0 && gap_ended(heap, (double)bytes + 1);
}

static bool count_start(struct fg_thread *thread, struct fg_heap_thread *heap,
	const struct fg_registers *here, struct fg_live_block *block)
{
	const struct fg_key key = {FG_KIND_HEAP, fg_epoch(), thread->context};
	struct fg_heap_weight weight = weigh(block->bytes);
	struct fg_heap_change change = {(int64_t)weight.bytes, (int64_t)weight.count, 1};
	struct fg_entry *entry;
	struct fg_walk walk;

	fg_heap_expect(&fg_heap->table, block->address);
	if (!fg_walk_here(thread, here, &walk))
		return false;
	entry = entry_for(thread, heap, &walk, 0, &key);
	if (!entry)
		return false;
	fg_heap_keep_peak(entry, fg_heap->header->peak_version);
	entry->count += weight.count;
	entry->sum += weight.bytes;
	if (fg_config.heap_period_bytes)
		add_square(entry, weight.bytes);
	publish(entry, walk.hash, &key);
	block->walk_hash = walk.hash;
	block->stack = entry->stack;
	block->context = key.context;
	put(thread, heap, block);
	change_totals(heap, &change);
	return true;
}

void fg_heap_allocated(const void *address, size_t bytes, const struct fg_registers *here)
{
	struct fg_live_block block = {.address = (uint64_t)(uintptr_t)address, .bytes = bytes};
	struct fg_heap_thread *heap;
	struct fg_thread *thread;

	if (!address || fg_paused() || !(thread = fg_heap_enter((const void *)here->sp)))
		return;
	heap = fg_heap_state(thread);
	if (!heap || !count_start(thread, heap, here, &block))
		fg_count(FG_COUNTER_HEAP_LOST);
	if (heap)
		heap->last = address;
	fg_heap_leave(thread);
}

/* operator delete has counted it, and calls free(). */
static bool is_going(const void *address)
{
	struct fg_heap_thread *heap = fg_self ? fg_self->heap : NULL;

	if (!heap || heap->going != address)
		return false;
	heap->going = NULL;
	return true;
}

/* Threads that have not begun free what they have allocated unseen. */
static void count_unknown(void)
{
	if (fg_self && !fg_config.heap_period_bytes)
		fg_count(FG_COUNTER_UNKNOWN_FREES);
}

void fg_heap_freed(const void *address)
{
	struct fg_heap_thread *heap;
	struct fg_live_block block;
	struct fg_thread *thread;

	if (!address || !may_be_there((uint64_t)(uintptr_t)address) || is_going(address))
		return;
	thread = fg_heap_enter(__builtin_frame_address(0));
	if (!thread)
		return;
	heap = fg_heap_state(thread);
	if (heap && take(address, &block))
		count_end(thread, heap, &block);
	else
		count_unknown();
	fg_heap_leave(thread);
}

void fg_heap_thread_ends(void)
{
	struct fg_thread *thread = *fg_heap_mode == FG_HEAP_ON ? fg_enter() : NULL;

	if (!thread)
		return;
	if (thread->heap && thread->heap->image == fg_heap_image)
		tell_totals(&thread->heap->pending, fg_heap_has_threads());
	fg_leave(thread);
}

void fg_heap_move_begin(struct fg_heap_move *move, const void *address)
{
	struct fg_thread *thread;

	move->was_known = false;
	if (!address || !may_be_there((uint64_t)(uintptr_t)address) ||
		!(thread = fg_heap_enter(__builtin_frame_address(0))))
		return;
	move->was_known = take(address, &move->block);
	fg_heap_leave(thread);
}

static void end_move(const struct fg_heap_move *move, bool failed)
{
	struct fg_heap_thread *heap;
	struct fg_thread *thread;

	if (!move->was_known) {
		if (!failed)
			count_unknown();
		return;
	}
	thread = fg_heap_enter(__builtin_frame_address(0));
	if (!thread)
		return;
	heap = fg_heap_state(thread);
	if (heap && failed)
		put(thread, heap, &move->block);
	else if (heap)
		count_end(thread, heap, &move->block);
	fg_heap_leave(thread);
}

void fg_heap_move_failed(const struct fg_heap_move *move)
{
	end_move(move, true);
}

void fg_heap_moved(const struct fg_heap_move *move)
{
	end_move(move, false);
}
