/* SPDX-License-Identifier: Apache-2.0 */
#include "waits_scenes.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, inherits, robust, recursive;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static mtx_t c11, c11_guard;
static cnd_t c11_condition;
static sem_t semaphore;

void die(const char *what)
{
	fprintf(stderr, "waits: %s\n", what);
	exit(1);
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static const struct timespec *after_ns(clockid_t clock, uint64_t ns)
{
	static __thread struct timespec until;
	uint64_t then = clock_ns(clock) + ns;

	until.tv_sec = (time_t)(then / 1000000000);
	until.tv_nsec = (long)(then % 1000000000);
	return &until;
}

#define LATER(clock) after_ns(clock, UINT64_C(600) * 1000000000)
#define SOON(clock) after_ns(clock, 3000000)

/* ---- scenes: take and let_go are the main thread's, wait and leave the waiter's -------------- */

#define MUTEX_SCENE(name, mutex, call)                                                             \
	static void take_##name(void)                                                              \
	{                                                                                          \
		pthread_mutex_lock(&(mutex));                                                      \
	}                                                                                          \
	static __attribute__((noinline)) int wait_##name(void)                                     \
	{                                                                                          \
		int result = call;                                                                 \
		__asm__ volatile("" ::: "memory");                                                 \
		return result;                                                                     \
	}                                                                                          \
	static void let_go_##name(void)                                                            \
	{                                                                                          \
		pthread_mutex_unlock(&(mutex));                                                    \
	}
#define SCENE(name, result)                                                                        \
	{                                                                                          \
		take_##name, wait_##name, let_go_##name, let_go_##name, result                     \
	}
#define TIMEOUT(name)                                                                              \
	{                                                                                          \
		take_##name, wait_##name, let_go_##name, NULL, ETIMEDOUT                           \
	}

MUTEX_SCENE(plain, plain, pthread_mutex_lock(&plain))
MUTEX_SCENE(timed, plain, pthread_mutex_timedlock(&plain, LATER(CLOCK_REALTIME)))
MUTEX_SCENE(
	clocked, plain, pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, LATER(CLOCK_MONOTONIC)))
MUTEX_SCENE(inherits, inherits, pthread_mutex_lock(&inherits))
MUTEX_SCENE(robust, robust, pthread_mutex_lock(&robust))
MUTEX_SCENE(recursive, recursive, pthread_mutex_lock(&recursive))
MUTEX_SCENE(late, plain, pthread_mutex_timedlock(&plain, SOON(CLOCK_REALTIME)))
MUTEX_SCENE(clocked_late, plain,
	pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, SOON(CLOCK_MONOTONIC)))

static void take_c11(void)
{
	mtx_lock(&c11);
}

static __attribute__((noinline)) int wait_c11(void)
{
	return mtx_lock(&c11) == thrd_success ? 0 : EINVAL;
}

static __attribute__((noinline)) int wait_c11_timed(void)
{
	return mtx_timedlock(&c11, LATER(CLOCK_REALTIME)) == thrd_success ? 0 : EINVAL;
}

static __attribute__((noinline)) int wait_c11_late(void)
{
	return mtx_timedlock(&c11, SOON(CLOCK_REALTIME)) == thrd_timedout ? ETIMEDOUT : 0;
}

static void let_go_c11(void)
{
	mtx_unlock(&c11);
}

const struct scene mutex_scenes[] = {SCENE(plain, 0), SCENE(timed, 0), SCENE(clocked, 0),
	SCENE(inherits, 0), SCENE(robust, 0), SCENE(recursive, 0),
	{take_c11, wait_c11, let_go_c11, let_go_c11, 0},
	{take_c11, wait_c11_timed, let_go_c11, let_go_c11, 0}, TIMEOUT(late), TIMEOUT(clocked_late),
	{take_c11, wait_c11_late, let_go_c11, NULL, ETIMEDOUT}, {0}};

static void take_read(void)
{
	pthread_rwlock_rdlock(&shared);
}

static void take_write(void)
{
	pthread_rwlock_wrlock(&shared);
}

static void let_go_shared(void)
{
	pthread_rwlock_unlock(&shared);
}

#define SHARED_WAIT(name, call)                                                                    \
	static __attribute__((noinline)) int wait_##name(void)                                     \
	{                                                                                          \
		int result = call;                                                                 \
		__asm__ volatile("" ::: "memory");                                                 \
		return result;                                                                     \
	}

SHARED_WAIT(read, pthread_rwlock_rdlock(&shared))
SHARED_WAIT(read_timed, pthread_rwlock_timedrdlock(&shared, LATER(CLOCK_REALTIME)))
SHARED_WAIT(
	read_clocked, pthread_rwlock_clockrdlock(&shared, CLOCK_MONOTONIC, LATER(CLOCK_MONOTONIC)))
SHARED_WAIT(write, pthread_rwlock_wrlock(&shared))
SHARED_WAIT(write_timed, pthread_rwlock_timedwrlock(&shared, LATER(CLOCK_REALTIME)))
SHARED_WAIT(
	write_clocked, pthread_rwlock_clockwrlock(&shared, CLOCK_MONOTONIC, LATER(CLOCK_MONOTONIC)))
SHARED_WAIT(read_late, pthread_rwlock_timedrdlock(&shared, SOON(CLOCK_REALTIME)))
SHARED_WAIT(write_late, pthread_rwlock_timedwrlock(&shared, SOON(CLOCK_REALTIME)))

#define SHARED_SCENE(take, name)                                                                   \
	{                                                                                          \
		take_##take, wait_##name, let_go_shared, let_go_shared, 0                          \
	}

const struct scene shared_scenes[] = {SHARED_SCENE(write, read), SHARED_SCENE(write, read_timed),
	SHARED_SCENE(write, read_clocked), SHARED_SCENE(read, write), SHARED_SCENE(write, write),
	SHARED_SCENE(read, write_timed), SHARED_SCENE(read, write_clocked),
	{take_write, wait_read_late, let_go_shared, NULL, ETIMEDOUT},
	{take_read, wait_write_late, let_go_shared, NULL, ETIMEDOUT}, {0}};

static void take_nothing(void)
{
}

static void wake(void)
{
	pthread_mutex_lock(&guard);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&guard);
}

#define CONDITION_WAIT(name, call)                                                                 \
	static __attribute__((noinline)) int wait_##name(void)                                     \
	{                                                                                          \
		int result;                                                                        \
		pthread_mutex_lock(&guard);                                                        \
		result = call;                                                                     \
		pthread_mutex_unlock(&guard);                                                      \
		return result;                                                                     \
	}

CONDITION_WAIT(condition, pthread_cond_wait(&condition, &guard))
CONDITION_WAIT(condition_timed, pthread_cond_timedwait(&condition, &guard, LATER(CLOCK_REALTIME)))
CONDITION_WAIT(condition_clocked,
	pthread_cond_clockwait(&condition, &guard, CLOCK_MONOTONIC, LATER(CLOCK_MONOTONIC)))
CONDITION_WAIT(condition_late, pthread_cond_timedwait(&condition, &guard, SOON(CLOCK_REALTIME)))

static __attribute__((noinline)) int wait_c11_condition(void)
{
	int result;

	mtx_lock(&c11_guard);
	result = cnd_wait(&c11_condition, &c11_guard);
	mtx_unlock(&c11_guard);
	return result == thrd_success ? 0 : EINVAL;
}

static __attribute__((noinline)) int wait_c11_condition_timed(void)
{
	int result;

	mtx_lock(&c11_guard);
	result = cnd_timedwait(&c11_condition, &c11_guard, LATER(CLOCK_REALTIME));
	mtx_unlock(&c11_guard);
	return result == thrd_success ? 0 : EINVAL;
}

static void wake_c11(void)
{
	mtx_lock(&c11_guard);
	cnd_signal(&c11_condition);
	mtx_unlock(&c11_guard);
}

static __attribute__((noinline)) int wait_barrier(void)
{
	int result = pthread_barrier_wait(&barrier);

	return result;
}

static void come_last(void)
{
	if (pthread_barrier_wait(&barrier) != PTHREAD_BARRIER_SERIAL_THREAD)
		die("the last one is not told so");
}

static void post(void)
{
	sem_post(&semaphore);
}

static __attribute__((noinline)) int wait_semaphore(void)
{
	int result = sem_wait(&semaphore);

	return result;
}

static __attribute__((noinline)) int wait_semaphore_timed(void)
{
	int result = sem_timedwait(&semaphore, LATER(CLOCK_REALTIME));

	return result;
}

static __attribute__((noinline)) int wait_semaphore_late(void)
{
	return sem_timedwait(&semaphore, SOON(CLOCK_REALTIME)) == 0 ? 0 : errno;
}

const struct scene condition_scenes[] = {{take_nothing, wait_condition, wake, NULL, 0},
	{take_nothing, wait_condition_timed, wake, NULL, 0},
	{take_nothing, wait_condition_clocked, wake, NULL, 0},
	{take_nothing, wait_condition_late, take_nothing, NULL, ETIMEDOUT},
	{take_nothing, wait_c11_condition, wake_c11, NULL, 0},
	{take_nothing, wait_c11_condition_timed, wake_c11, NULL, 0},
	{take_nothing, wait_barrier, come_last, NULL, 0},
	{take_nothing, wait_semaphore, post, NULL, 0},
	{take_nothing, wait_semaphore_timed, post, NULL, 0},
	{take_nothing, wait_semaphore_late, take_nothing, NULL, ETIMEDOUT}, {0}};

/* Locks that are not the C library's: 1 is locked. */
static uint32_t word;

static void take_word(void)
{
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
}

static void let_go_word(void)
{
	__atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static __attribute__((noinline)) int wait_word(void)
{
	int result = (int)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);

	return result == 0 ? 0 : errno;
}

static __attribute__((noinline)) int wait_word_late(void)
{
	int result = (int)syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 1,
		SOON(CLOCK_MONOTONIC), NULL, FUTEX_BITSET_MATCH_ANY);

	return result == 0 ? 0 : errno;
}

const struct scene futex_scenes[] = {{take_word, wait_word, let_go_word, NULL, 0},
	{take_word, wait_word_late, let_go_word, NULL, ETIMEDOUT}, {0}};

void make_locks(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inherits, &attributes);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attributes);
	pthread_barrier_init(&barrier, NULL, 2);
	mtx_init(&c11, mtx_timed);
	mtx_init(&c11_guard, mtx_plain);
	cnd_init(&c11_condition);
	sem_init(&semaphore, 0, 0);
}
