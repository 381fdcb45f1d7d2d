/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the C library: their begin, their end, their fork. */
#include "gate/sampler/sampler.h"

#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "gate/sampler/heap/heap.h"
#include "gate/sampler/raw.h"
#include "gate/sampler/signal/held.h"
#include "gate/sampler/signal/quiet.h"
#include "gate/sampler/thread/slots.h"
#include "gate/sampler/thread/thread_stack.h"

#define KEY_ROUNDS 4 /* PTHREAD_DESTRUCTOR_ITERATIONS */

__thread struct fg_thread *fg_self __attribute__((visibility("hidden")));

static pthread_key_t key;
static bool has_key;

/* Other keys' destructors may burn CPU after this one: stay until the last round. */
static void key_destroyed(void *value)
{
	struct fg_thread *thread = value;

	if (thread == fg_self && thread->ends_left-- > 0 && pthread_setspecific(key, thread) == 0)
		return;
	fg_thread_end();
}

int fg_threads_init(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t seed = fg_clock_ns(CLOCK_MONOTONIC) ^ (uint64_t)getpid() << 40, kernels = 0;
	int error = has_key ? 0 : pthread_key_create(&key, key_destroyed);

	if (random)
		memcpy(&kernels, random, sizeof(kernels));
	has_key = error == 0;
	fg_slots_init(seed ^ kernels);
	return error;
}

/* As in the kernel's posix-timers.h: a thread's number, negated, and its scheduler's clock. */
clockid_t fg_thread_clock(pid_t tid)
{
	return (clockid_t)(~(unsigned)tid << 3 | 4U | 2U);
}

static void count_untimed(const struct fg_thread *thread, int error)
{
	struct fg_capture_header *header = fg_capture();

	if (header)
		__atomic_store_n(&header->timer_errno, (uint64_t)error, __ATOMIC_RELAXED);
	fg_count(thread->is_adopted ? FG_COUNTER_UNSAMPLED : FG_COUNTER_UNTIMED);
}

/* A machine may let some threads have perf and not others (descriptor limits). */
static void start_timer(struct fg_thread *thread)
{
	int error;

	thread->timer = fg_timer;
	if (!fg_timer || (error = fg_timer->start(thread)) == 0)
		return;
	if (fg_timer != &fg_timer_posix && (error = fg_timer_posix.start(thread)) == 0) {
		thread->timer = &fg_timer_posix;
		fg_count(FG_COUNTER_FALLBACK);
		return;
	}
	thread->timer = NULL;
	count_untimed(thread, error);
}

void fg_thread_start(struct fg_thread *thread)
{
	thread->is_first = true;
	thread->was_seen = false;
	thread->has_rested = false;
	thread->missed_io = false;
	thread->unignored_ns = 0;
	thread->samples = 0;
	thread->busy = 0;
	thread->context = 0;
	thread->ended_calls = thread->cut_calls = 0;
	thread->ends_left = KEY_ROUNDS - 1;
	/* What an adopted thread has used before it was found counts too. */
	thread->last_ns = thread->is_adopted ? 0 : fg_clock_ns(fg_thread_clock(thread->tid));
	start_timer(thread);
}

/* A scan may have taken this thread for one that never comes here. */
static struct fg_thread *own_slot(void)
{
	struct fg_thread *thread;

	if (!fg_slots_lock())
		return NULL;
	thread = fg_slot_take(gettid());
	if (thread && thread->timer)
		thread->timer->stop(thread);
	if (thread) {
		thread->timer = NULL;
		fg_slot_mark_adopted(thread, false);
	}
	fg_slots_unlock();
	return thread;
}

static void begin(bool is_main, size_t stack_bytes)
{
	struct fg_thread *thread;

	if (!fg_signal || fg_self || fg_is_quiet())
		return;
	fg_signal_block(true);
	thread = own_slot();
	if (thread) {
		if (is_main)
			fg_stack_of_main(thread);
		else
			fg_stack_of_pthread(thread, stack_bytes);
		fg_alt_stack_set(thread);
		fg_self = thread;
		if (!is_main)
			pthread_setspecific(key, thread);
		fg_thread_start(thread);
	} else {
		fg_count(FG_COUNTER_UNTIMED);
	}
	fg_signal_block(false);
}

void fg_thread_begin(bool is_main)
{
	begin(is_main, 0);
}

void fg_thread_begin_on(size_t stack_bytes)
{
	begin(false, stack_bytes);
}

/* The signal stays blocked: nothing of ours comes to a thread that has no slot. */
void fg_thread_end(void)
{
	struct fg_thread *thread = fg_self;

	if (!thread || fg_is_quiet())
		return;
	fg_signal_block(true);
	if (thread->timer)
		thread->timer->stop(thread);
	thread->timer = NULL;
	fg_held_thread_ends();
	fg_heap_thread_ends();
	fg_self = NULL;
	fg_alt_stack_drop(thread);
	if (!fg_slots_lock())
		return;
	fg_slot_release(thread);
	fg_slots_unlock();
}

void fg_threads_forked(void)
{
	for (struct fg_thread *slot = fg_slots_all(); slot; slot = slot->next) {
		memset(&slot->writer, 0, sizeof(slot->writer));
		if (slot->timer)
			slot->timer->forget(slot);
		slot->timer = NULL;
	}
	fg_scan_forked();
	fg_slots_forked(fg_self, gettid());
	if (fg_self) {
		uint32_t context = fg_self->context; /* its regions are still open */

		fg_thread_start(fg_self);
		fg_self->context = context;
	}
}
