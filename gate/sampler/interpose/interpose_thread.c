/* SPDX-License-Identifier: Apache-2.0 */
/* Threads begin in a trampoline of ours; they end through a key's destructor (threads.c). */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <threads.h>

#include "gate/sampler/real.h"
#include "gate/sampler/signal/handlers.h"

#define POOL_SIZE 256

union routine {
	void *(*posix)(void *);
	thrd_start_t c11;
};

struct start {
	uint32_t taken;
	union routine routine;
	void *argument;
	size_t stack_bytes;
	bool believes; /* it begins with our number blocked, for all that the program knows */
};

/* Threads are created by allocators too: malloc only when very many start at the same time. */
static struct start pool[POOL_SIZE];

/* What its thread may use, the guard left out; 0: not known. */
static size_t stack_bytes(const pthread_attr_t *attributes)
{
	size_t size = 0, guard = 0;
	pthread_attr_t defaults;

	if (!attributes && pthread_attr_init(&defaults) != 0)
		return 0;
	if (pthread_attr_getstacksize(attributes ? attributes : &defaults, &size) != 0 ||
		pthread_attr_getguardsize(attributes ? attributes : &defaults, &guard) != 0)
		size = 0;
	if (!attributes)
		pthread_attr_destroy(&defaults);
	return size > guard ? size - guard : 0;
}

/* As the C library gives the thread its mask: by its attributes, or its maker's. */
static bool belief(const pthread_attr_t *attributes)
{
	sigset_t mask;

	if (attributes && pthread_attr_getsigmask_np(attributes, &mask) == 0)
		return sigismember(&mask, fg_signal) == 1;
	return fg_mask_believed;
}

static struct start *take_start(
	union routine routine, void *argument, const pthread_attr_t *attributes)
{
	struct start *start = NULL;

	for (size_t i = 0; i < POOL_SIZE && !start; i++)
		if (!__atomic_exchange_n(&pool[i].taken, 1, __ATOMIC_ACQUIRE))
			start = &pool[i];
	if (!start)
		start = malloc(sizeof(*start));
	if (start) {
		start->routine = routine;
		start->argument = argument;
		start->stack_bytes = stack_bytes(attributes);
		start->believes = belief(attributes);
	}
	return start;
}

static void drop_start(struct start *start)
{
	if (start >= pool && start < pool + POOL_SIZE)
		__atomic_store_n(&start->taken, 0, __ATOMIC_RELEASE);
	else
		free(start);
}

static struct start begin(void *opaque)
{
	struct start start = *(struct start *)opaque;

	drop_start(opaque);
	fg_mask_believed = start.believes;
	fg_thread_begin_on(start.stack_bytes);
	if (start.believes)
		fg_signal_block(false);
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

/*
 * In earnest while a thread is made that shall believe our number blocked: none that is sent to the
 * process may find it before it does. With attributes of its own it has that from them. True: to be
 * opened again.
 */
static bool block_for(const struct start *start)
{
	return start->believes && !fg_signal_block(true);
}

/* Another library's constructor may create threads before ours has run. */
static bool is_sampling(void)
{
	fg_process_start();
	return fg_process_is_ours(false);
}

FG_EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
	void *(*routine)(void *), void *restrict argument)
{
	struct start *start;
	bool blocked;
	int error;

	if (!fg_real_init())
		return EAGAIN;
	if (!is_sampling())
		return fg_real.pthread_create(thread, attributes, routine, argument);
	start = take_start((union routine){.posix = routine}, argument, attributes);
	if (!start)
		return EAGAIN;
	blocked = block_for(start);
	error = fg_real.pthread_create(thread, attributes, run_posix, start);
	if (blocked)
		fg_signal_block(false);
	if (error)
		drop_start(start);
	return error;
}

FG_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	struct start *start;
	bool blocked;
	int error;

	if (!fg_real_init() || !fg_real.thrd_create)
		return thrd_error;
	if (!is_sampling())
		return fg_real.thrd_create(thread, routine, argument);
	start = take_start((union routine){.c11 = routine}, argument, NULL);
	if (!start)
		return thrd_nomem;
	blocked = block_for(start);
	error = fg_real.thrd_create(thread, run_c11, start);
	if (blocked)
		fg_signal_block(false);
	if (error != thrd_success)
		drop_start(start);
	return error;
}
