/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/waits/wait.h"

#include <errno.h>

#include "gate/sampler/context.h"
#include "gate/sampler/raw.h"
#include "gate/sampler/regions.h"

/*
 * The calling thread's slot, entered, if it is its own: a vfork child and a raw clone may run with
 * another thread's thread-local storage.
 */
static struct fg_thread *enter(void)
{
	if (!fg_self || fg_self->tid != (pid_t)FG_RAW3(SYS_gettid, 0, 0, 0))
		return NULL;
	return fg_enter();
}

static bool store_stack(struct fg_thread *thread, struct fg_wait *wait)
{
	struct fg_registers here;
	struct fg_walk walk;

	FG_REGISTERS_HERE(&here);
	if (!fg_capture_open() || !fg_walk_here(thread, &here, &walk))
		return false;
	wait->hash = walk.hash;
	wait->stack = fg_capture_stack(thread, &walk);
	return wait->stack != 0;
}

static bool begin(struct fg_wait *wait, enum fg_kind kind)
{
	struct fg_thread *thread = enter();
	bool stored;

	if (!thread)
		return false;
	wait->tid = thread->tid;
	wait->kind = kind;
	wait->epoch = fg_epoch();
	wait->context = thread->context;
	stored = store_stack(thread, wait);
	fg_leave(thread);
	return stored;
}

static bool end(const struct fg_wait *wait, uint64_t waited_ns)
{
	const struct fg_key key = {wait->kind, wait->epoch, wait->context};
	struct fg_thread *thread = enter();
	struct fg_entry *entry = NULL;

	if (!thread)
		return false;
	if (thread->tid == wait->tid)
		entry = fg_capture_entry_of(thread, wait->hash, wait->stack, &key);
	if (entry) {
		entry->count++;
		entry->sum += waited_ns;
		fg_entry_publish(entry, wait->hash, &key);
	}
	fg_leave(thread);
	return entry != NULL;
}

void fg_wait_begin(struct fg_wait *wait, enum fg_kind kind)
{
	int saved_errno = errno;

	wait->stack = 0;
	if (!fg_process_is_ours(false) || fg_paused())
		return;
	if (!begin(wait, kind))
		fg_count(FG_COUNTER_WAITS_LOST);
	errno = saved_errno;
	wait->began_ns = fg_clock_ns(CLOCK_MONOTONIC);
}

void fg_wait_end(const struct fg_wait *wait)
{
	uint64_t now = fg_clock_ns(CLOCK_MONOTONIC);
	int saved_errno = errno;

	if (!wait->stack || !fg_process_is_ours(false))
		return;
	if (!end(wait, now - wait->began_ns))
		fg_count(FG_COUNTER_WAITS_LOST);
	errno = saved_errno;
}
