/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes. Context: thread. */
#include "gate/sampler/interpose_lock.h"

#include <pthread.h>
#include <threads.h>

FG_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	struct fg_wait wait;
	int error;

	if (FG_LOCK_MISSING(pthread_mutex_lock))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_MUTEX))
		return fg_real.pthread_mutex_lock(mutex);
	error = fg_real.pthread_mutex_trylock(mutex);
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
	if (!fg_lock_counts(FG_KIND_MUTEX) || !fg_lock_deadline_is_plain(CLOCK_REALTIME, until))
		return fg_real.pthread_mutex_timedlock(mutex, until);
	error = fg_real.pthread_mutex_trylock(mutex);
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
	if (!fg_lock_counts(FG_KIND_MUTEX) || !fg_lock_deadline_is_plain(clock, until))
		return fg_real.pthread_mutex_clocklock(mutex, clock, until);
	error = fg_real.pthread_mutex_trylock(mutex);
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
