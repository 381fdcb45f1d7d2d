/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition variables and barriers: each wait is one. Context: thread. They are cancellation points
 * (barriers are not): a cancelled thread unwinds through here, and its wait is not counted.
 */
#include "gate/sampler/interpose/interpose_lock.h"

#include <pthread.h>
#include <threads.h>

FG_EXPORT int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex)
{
	struct fg_wait wait;

	if (FG_LOCK_MISSING(pthread_cond_wait))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_CONDITION))
		return fg_real.pthread_cond_wait(condition, mutex);
	fg_wait_begin(&wait, FG_KIND_CONDITION);
	return fg_lock_waited(&wait, fg_real.pthread_cond_wait(condition, mutex));
}

FG_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict condition,
	pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
	struct fg_wait wait;

	if (FG_LOCK_MISSING(pthread_cond_timedwait))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_CONDITION))
		return fg_real.pthread_cond_timedwait(condition, mutex, until);
	fg_wait_begin(&wait, FG_KIND_CONDITION);
	return fg_lock_waited(&wait, fg_real.pthread_cond_timedwait(condition, mutex, until));
}

FG_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict condition,
	pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict until)
{
	struct fg_wait wait;

	if (FG_LOCK_MISSING(pthread_cond_clockwait))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_CONDITION))
		return fg_real.pthread_cond_clockwait(condition, mutex, clock, until);
	fg_wait_begin(&wait, FG_KIND_CONDITION);
	return fg_lock_waited(
		&wait, fg_real.pthread_cond_clockwait(condition, mutex, clock, until));
}

FG_EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
	struct fg_wait wait;

	if (FG_LOCK_MISSING(cnd_wait))
		return thrd_error;
	if (!fg_lock_counts(FG_KIND_CONDITION))
		return fg_real.cnd_wait(condition, mutex);
	fg_wait_begin(&wait, FG_KIND_CONDITION);
	return fg_lock_waited_c11(&wait, fg_real.cnd_wait(condition, mutex));
}

FG_EXPORT int cnd_timedwait(
	cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until)
{
	struct fg_wait wait;

	if (FG_LOCK_MISSING(cnd_timedwait))
		return thrd_error;
	if (!fg_lock_counts(FG_KIND_CONDITION))
		return fg_real.cnd_timedwait(condition, mutex, until);
	fg_wait_begin(&wait, FG_KIND_CONDITION);
	return fg_lock_waited_c11(&wait, fg_real.cnd_timedwait(condition, mutex, until));
}

/* The last one to come gets PTHREAD_BARRIER_SERIAL_THREAD, and has not waited. */
FG_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct fg_wait wait;

	if (FG_LOCK_MISSING(pthread_barrier_wait))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_CONDITION))
		return fg_real.pthread_barrier_wait(barrier);
	fg_wait_begin(&wait, FG_KIND_CONDITION);
	return fg_lock_waited(&wait, fg_real.pthread_barrier_wait(barrier));
}
