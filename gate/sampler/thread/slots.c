/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/thread/slots.h"

#include <time.h>

#include "gate/sampler/raw.h"

#define MAX_SLOTS 65536 /* a power of two */
#define MAX_FDS 65536
#define TID_CHAINS 4096 /* a power of two */

static struct {
	struct fg_thread *all, *free;
	struct fg_thread *by_index[MAX_SLOTS];
	struct fg_thread *by_tid[TID_CHAINS];
	struct fg_thread *by_fd[MAX_FDS];
	int highest_fd;
	uint32_t lock, count, used, adopted;
	uint64_t random, secret;
} slots;

static uint64_t split_mix(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

uint64_t fg_thread_random(struct fg_thread *thread, uint64_t bound)
{
	return split_mix(&thread->random) % bound + 1;
}

void fg_slots_init(uint64_t seed)
{
	slots.random = seed;
	slots.secret = split_mix(&slots.random);
}

/*
 * Tokens are 32 bits drawn by lot, which another process that sends our signal would have to guess,
 * 16 that follow from all the others, and the slot's index.
 */
static uint64_t seal_of(uint64_t token)
{
	uint64_t state = slots.secret ^ (token & ~UINT64_C(0xffff0000));

	return split_mix(&state) >> 48 << 16;
}

static uint64_t draw_token(uint32_t index)
{
	uint64_t token = (split_mix(&slots.random) | 1) << 32 | index;

	return token | seal_of(token);
}

bool fg_slots_made_token(uint64_t token)
{
	return token >> 32 & 1 && (token & 0xffff0000) == seal_of(token);
}

bool fg_slots_lock(void)
{
	return fg_lock(&slots.lock);
}

void fg_slots_unlock(void)
{
	fg_unlock(&slots.lock);
}

struct fg_thread *fg_slots_all(void)
{
	return __atomic_load_n(&slots.all, __ATOMIC_ACQUIRE);
}

uint32_t fg_slots_used(void)
{
	return __atomic_load_n(&slots.used, __ATOMIC_RELAXED);
}

uint32_t fg_slots_adopted(void)
{
	return __atomic_load_n(&slots.adopted, __ATOMIC_RELAXED);
}

static struct fg_thread *map_slot(void)
{
	size_t head = (sizeof(struct fg_thread) + 63) & ~(size_t)63;
	size_t rules = (fg_rule_cache_bytes() + 63) & ~(size_t)63;
	size_t guard = (head + rules + FG_GUARD_BYTES - 1) & ~(FG_GUARD_BYTES - 1);
	unsigned char *memory;
	struct fg_thread *slot;

	if (slots.count == MAX_SLOTS)
		return NULL;
	memory = fg_raw_pages(guard + FG_GUARD_BYTES + FG_ALT_STACK_BYTES);
	slot = (struct fg_thread *)memory;
	if (!memory)
		return NULL;
	slot->rules = (struct fg_rule_cache *)(memory + head);
	slot->alt_stack = memory + guard + FG_GUARD_BYTES;
	FG_RAW3(SYS_mprotect, memory + guard, FG_GUARD_BYTES, PROT_NONE);
	slot->perf_fd = slot->perf_watch = slot->posix.tick = slot->posix.wall = -1;
	slot->index = slots.count++;
	slot->next = slots.all;
	__atomic_store_n(&slots.by_index[slot->index], slot, __ATOMIC_RELEASE);
	__atomic_store_n(&slots.all, slot, __ATOMIC_RELEASE);
	return slot;
}

static struct fg_thread *pop_free(void)
{
	struct fg_thread *slot = slots.free;

	if (slot)
		slots.free = slot->next_free;
	return slot;
}

static struct fg_thread **chain_of(pid_t tid)
{
	return &slots.by_tid[(uint32_t)tid % TID_CHAINS];
}

static void give(struct fg_thread *slot, pid_t tid)
{
	struct fg_thread **chain = chain_of(tid);

	slot->tid = tid;
	slot->next_of_tid = *chain;
	*chain = slot;
	slot->random = split_mix(&slots.random);
	slot->in_use = true;
	__atomic_fetch_add(&slots.used, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->token, draw_token(slot->index), __ATOMIC_RELEASE);
}

struct fg_thread *fg_slot_of_tid(pid_t tid)
{
	struct fg_thread *slot = *chain_of(tid);

	while (slot && slot->tid != tid)
		slot = slot->next_of_tid;
	return slot;
}

struct fg_thread *fg_slot_take(pid_t tid)
{
	struct fg_thread *slot = fg_slot_of_tid(tid);

	if (slot)
		return slot;
	slot = pop_free();
	if (!slot)
		slot = map_slot();
	if (slot)
		give(slot, tid);
	return slot;
}

static void unchain(const struct fg_thread *slot)
{
	struct fg_thread **link = chain_of(slot->tid);

	while (*link && *link != slot)
		link = &(*link)->next_of_tid;
	if (*link)
		*link = slot->next_of_tid;
}

void fg_slot_mark_adopted(struct fg_thread *slot, bool is_adopted)
{
	if (slot->is_adopted == is_adopted)
		return;
	slot->is_adopted = is_adopted;
	__atomic_fetch_add(&slots.adopted, is_adopted ? 1 : UINT32_MAX, __ATOMIC_RELAXED);
}

void fg_slot_release(struct fg_thread *slot)
{
	fg_slot_mark_adopted(slot, false);
	__atomic_store_n(&slot->token, 0, __ATOMIC_RELEASE);
	unchain(slot);
	slot->in_use = false;
	slot->next_free = slots.free;
	slots.free = slot;
	__atomic_fetch_sub(&slots.used, 1, __ATOMIC_RELAXED);
}

struct fg_thread *fg_slot_of_token(uint64_t token)
{
	struct fg_thread *slot =
		__atomic_load_n(&slots.by_index[token % MAX_SLOTS], __ATOMIC_ACQUIRE);

	return slot && token && __atomic_load_n(&slot->token, __ATOMIC_ACQUIRE) == token ? slot
											 : NULL;
}

struct fg_thread *fg_slot_of_fd(int fd)
{
	return fd >= 0 && fd < MAX_FDS ? __atomic_load_n(&slots.by_fd[fd], __ATOMIC_ACQUIRE) : NULL;
}

bool fg_slot_set_fd(struct fg_thread *slot, int fd)
{
	int highest = __atomic_load_n(&slots.highest_fd, __ATOMIC_RELAXED);

	if (fd >= MAX_FDS)
		return false;
	if (slot->perf_fd >= 0)
		__atomic_store_n(&slots.by_fd[slot->perf_fd], NULL, __ATOMIC_RELEASE);
	slot->perf_fd = fd;
	if (fd < 0)
		return true;
	while (fd > highest && !__atomic_compare_exchange_n(&slots.highest_fd, &highest, fd, false,
				       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	__atomic_store_n(&slots.by_fd[fd], slot, __ATOMIC_RELEASE);
	return true;
}

bool fg_threads_own_fd(int fd)
{
	return fg_slot_of_fd(fd) != NULL;
}

int fg_threads_next_fd(unsigned from)
{
	int highest = __atomic_load_n(&slots.highest_fd, __ATOMIC_RELAXED);
	int fd = from < FG_LOWEST_FD ? FG_LOWEST_FD : from < MAX_FDS ? (int)from : MAX_FDS;

	for (; fd <= highest; fd++)
		if (fg_slot_of_fd(fd))
			return fd;
	return -1;
}

/* Another thread may have been at it when the parent forked: all is made anew from the list. */
void fg_slots_forked(struct fg_thread *keep, pid_t tid)
{
	slots.lock = slots.used = slots.adopted = 0;
	slots.free = NULL;
	slots.random ^= (uint64_t)tid << 32 ^ fg_clock_ns(CLOCK_MONOTONIC); /* not its siblings' */
	for (size_t i = 0; i < TID_CHAINS; i++)
		if (slots.by_tid[i])
			slots.by_tid[i] = NULL;
	for (struct fg_thread *slot = slots.all; slot; slot = slot->next) {
		slot->token = 0;
		slot->in_use = slot->is_adopted = false;
		if (slot == keep) {
			give(slot, tid);
		} else {
			slot->next_free = slots.free;
			slots.free = slot;
		}
	}
}
