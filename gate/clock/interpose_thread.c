/* SPDX-License-Identifier: Apache-2.0 */
/* Threads are numbered by who makes them, so that a thread has the same key in every run. */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <threads.h>

#include "gate/clock/clock.h"
#include "gate/sampler/raw.h"

#define POOL_SIZE 256

struct start {
	uint32_t is_taken;
	uint64_t key;
	union {
		void *(*posix)(void *);
		thrd_start_t c11;
	} routine;
	void *argument;
};

/* Allocators make threads too, so nothing is allocated here but pages. */
static struct start pool[POOL_SIZE];

static struct start *take_start(void)
{
	for (size_t i = 0; i < POOL_SIZE; i++)
		if (!__atomic_exchange_n(&pool[i].is_taken, 1, __ATOMIC_ACQUIRE))
			return &pool[i];
	return fg_raw_pages(sizeof(struct start));
}

static void drop_start(struct start *start)
{
	if (start >= pool && start < pool + POOL_SIZE)
		__atomic_store_n(&start->is_taken, 0, __ATOMIC_RELEASE);
	else
		fg_raw_unmap(start, sizeof(*start));
}

static struct start begin(struct start *opaque)
{
	struct start start = *opaque;

	drop_start(opaque);
	fg_clock_thread_begin(start.key);
	return start;
}

static void *run_posix(void *opaque)
{
	struct start start = begin(opaque);

	return start.routine.posix(start.argument);
}

static int run_c11(void *opaque)
{
	struct start start = begin(opaque);

	return start.routine.c11(start.argument);
}

FG_EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
	void *(*routine)(void *), void *restrict argument)
{
	static __typeof__(pthread_create) *real;
	struct start *start;
	int error;

	if (!real)
		fg_clock_look_up(&real, "pthread_create");
	if (!fg_clock_page() || !(start = take_start()))
		return real(thread, attributes, routine, argument);
	start->key = fg_clock_next_child();
	start->routine.posix = routine;
	start->argument = argument;
	error = real(thread, attributes, run_posix, start);
	if (error)
		drop_start(start);
	return error;
}

FG_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	static __typeof__(thrd_create) *real;
	struct start *start;
	int result;

	if (!real)
		fg_clock_look_up(&real, "thrd_create");
	if (!fg_clock_page() || !(start = take_start()))
		return real(thread, routine, argument);
	start->key = fg_clock_next_child();
	start->routine.c11 = routine;
	start->argument = argument;
	result = real(thread, run_c11, start);
	if (result != thrd_success)
		drop_start(start);
	return result;
}
