/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/wait.h"

#include <errno.h>

#include "gate/sampler/context.h"
#include "gate/sampler/raw.h"

/*
 * The calling thread's slot, entered, and really its own: a vfork child and a raw clone may run
 * with another thread's thread-local storage.
 */
static struct fg_thread *enter(void)
{
	struct fg_thread *thread;

	if (!fg_self || fg_self->tid != (pid_t)FG_RAW3(SYS_gettid, 0, 0, 0))
		return NULL;
	thread = fg_enter();
	return thread;
}

/* Published at once, with nothing in it: the slot must not go to a sample's entry meanwhile. */
static struct fg_entry *find_entry(struct fg_thread *thread, enum fg_kind kind)
{
	const struct fg_key key = {kind, fg_epoch(), thread->context};
	struct fg_registers here;
	struct fg_entry *entry;
	struct fg_walk walk;

	if (!fg_capture_open())
		return NULL;
	FG_REGISTERS_HERE(&here);
	fg_walk_thread(thread, &here, &walk);
	entry = fg_capture_entry(thread, &walk, &key);
	if (entry)
		fg_entry_publish(entry, walk.hash, &key);
	return entry;
}

void fg_wait_begin(struct fg_wait *wait, enum fg_kind kind)
{
	struct fg_thread *thread;
	int saved_errno = errno;

	wait->entry = NULL;
	if (!fg_process_is_ours(false) || fg_paused())
		return;
	thread = enter();
	if (thread) {
		wait->tid = thread->tid;
		wait->entry = find_entry(thread, kind);
		fg_leave(thread);
	}
	if (!wait->entry)
		fg_count(FG_COUNTER_WAITS_LOST);
	wait->began_ns = fg_clock_ns(CLOCK_MONOTONIC);
	errno = saved_errno;
}

void fg_wait_end(const struct fg_wait *wait)
{
	uint64_t waited_ns;
	struct fg_thread *thread;

	if (!wait->entry || !fg_process_is_ours(false))
		return;
	waited_ns = fg_clock_ns(CLOCK_MONOTONIC) - wait->began_ns;
	thread = enter();
	if (thread && thread->tid == wait->tid) {
		wait->entry->count++;
		wait->entry->sum += waited_ns;
	}
	if (thread)
		fg_leave(thread);
	else
		fg_count(FG_COUNTER_WAITS_LOST);
}
