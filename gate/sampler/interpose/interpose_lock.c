/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes. Context: thread. */
#include "gate/sampler/interpose/interpose_lock.h"

#include <linux/futex.h>
#include <pthread.h>
#include <threads.h>

#include "gate/sampler/raw.h"

static bool is_robust(const pthread_mutex_t *mutex)
{
	return mutex->__data.__kind & 16; /* PTHREAD_MUTEX_ROBUST_NORMAL_NP of the C library */
}

/* The word of a robust mutex holds its owner's number.
 * True also where no call of ours may be made. */
static bool is_free_robust(const pthread_mutex_t *mutex)
{
	unsigned owner;

	if (!is_robust(mutex))
		return false;
	if (!fg_process_is_ours(false))
		return true;
	owner = (unsigned)__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) & FUTEX_TID_MASK;
	return !owner || owner == (unsigned)FG_RAW3(SYS_gettid, 0, 0, 0);
}

/* A robust one is not tried: the C library leaves one that is lost locked behind that. */
static int try_mutex(pthread_mutex_t *mutex)
{
	return is_robust(mutex) ? EBUSY : fg_real.pthread_mutex_trylock(mutex);
}

FG_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	struct fg_wait wait;
	int error;

	if (FG_LOCK_MISSING(pthread_mutex_lock))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_MUTEX) || is_free_robust(mutex))
		return fg_real.pthread_mutex_lock(mutex);
	error = try_mutex(mutex);
	if (error != EBUSY)
		return error;
	fg_wait_begin(&wait, FG_KIND_MUTEX);
	return fg_lock_waited(&wait, fg_real.pthread_mutex_lock(mutex));
}

FG_EXPORT int pthread_mutex_timedlock(
	pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
	struct fg_wait wait;
	int error;

	if (FG_LOCK_MISSING(pthread_mutex_timedlock))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_MUTEX) || !fg_lock_deadline_is_plain(CLOCK_REALTIME, until) ||
		is_free_robust(mutex))
		return fg_real.pthread_mutex_timedlock(mutex, until);
	error = try_mutex(mutex);
	if (error != EBUSY)
		return error;
	fg_wait_begin(&wait, FG_KIND_MUTEX);
	return fg_lock_waited(&wait, fg_real.pthread_mutex_timedlock(mutex, until));
}

FG_EXPORT int pthread_mutex_clocklock(
	pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict until)
{
	struct fg_wait wait;
	int error;

	if (FG_LOCK_MISSING(pthread_mutex_clocklock))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_MUTEX) || !fg_lock_deadline_is_plain(clock, until) ||
		is_free_robust(mutex))
		return fg_real.pthread_mutex_clocklock(mutex, clock, until);
	error = try_mutex(mutex);
	if (error != EBUSY)
		return error;
	fg_wait_begin(&wait, FG_KIND_MUTEX);
	return fg_lock_waited(&wait, fg_real.pthread_mutex_clocklock(mutex, clock, until));
}

FG_EXPORT int mtx_lock(mtx_t *mutex)
{
	struct fg_wait wait;
	int result;

	if (FG_LOCK_MISSING(mtx_lock))
		return thrd_error;
	if (!fg_lock_counts(FG_KIND_MUTEX))
		return fg_real.mtx_lock(mutex);
	result = fg_real.mtx_trylock(mutex);
	if (result != thrd_busy)
		return result;
	fg_wait_begin(&wait, FG_KIND_MUTEX);
	return fg_lock_waited_c11(&wait, fg_real.mtx_lock(mutex));
}

FG_EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
	struct fg_wait wait;
	int result;

	if (FG_LOCK_MISSING(mtx_timedlock))
		return thrd_error;
	if (!fg_lock_counts(FG_KIND_MUTEX) || !fg_lock_deadline_is_plain(CLOCK_REALTIME, until))
		return fg_real.mtx_timedlock(mutex, until);
	result = fg_real.mtx_trylock(mutex);
	if (result != thrd_busy)
		return result;
	fg_wait_begin(&wait, FG_KIND_MUTEX);
	return fg_lock_waited_c11(&wait, fg_real.mtx_timedlock(mutex, until));
}
