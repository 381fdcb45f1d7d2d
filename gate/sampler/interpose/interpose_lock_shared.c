/* SPDX-License-Identifier: Apache-2.0 */
/* Locks for readers and writers. Context: thread. */
#include "gate/sampler/interpose/interpose_lock.h"

#include <pthread.h>

FG_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	struct fg_wait wait;
	int error;

	if (FG_LOCK_MISSING(pthread_rwlock_rdlock))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_RWLOCK))
		return fg_real.pthread_rwlock_rdlock(lock);
	error = fg_real.pthread_rwlock_tryrdlock(lock);
	if (error != EBUSY)
		return error;
	fg_wait_begin(&wait, FG_KIND_RWLOCK);
	return fg_lock_waited(&wait, fg_real.pthread_rwlock_rdlock(lock));
}

FG_EXPORT int pthread_rwlock_timedrdlock(
	pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
	struct fg_wait wait;
	int error;

	if (FG_LOCK_MISSING(pthread_rwlock_timedrdlock))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_RWLOCK) || !fg_lock_deadline_is_plain(CLOCK_REALTIME, until))
		return fg_real.pthread_rwlock_timedrdlock(lock, until);
	error = fg_real.pthread_rwlock_tryrdlock(lock);
	if (error != EBUSY)
		return error;
	fg_wait_begin(&wait, FG_KIND_RWLOCK);
	return fg_lock_waited(&wait, fg_real.pthread_rwlock_timedrdlock(lock, until));
}

FG_EXPORT int pthread_rwlock_clockrdlock(
	pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict until)
{
	struct fg_wait wait;
	int error;

	if (FG_LOCK_MISSING(pthread_rwlock_clockrdlock))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_RWLOCK) || !fg_lock_deadline_is_plain(clock, until))
		return fg_real.pthread_rwlock_clockrdlock(lock, clock, until);
	error = fg_real.pthread_rwlock_tryrdlock(lock);
	if (error != EBUSY)
		return error;
	fg_wait_begin(&wait, FG_KIND_RWLOCK);
	return fg_lock_waited(&wait, fg_real.pthread_rwlock_clockrdlock(lock, clock, until));
}

FG_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	struct fg_wait wait;
	int error;

	if (FG_LOCK_MISSING(pthread_rwlock_wrlock))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_RWLOCK))
		return fg_real.pthread_rwlock_wrlock(lock);
	error = fg_real.pthread_rwlock_trywrlock(lock);
	if (error != EBUSY)
		return error;
	fg_wait_begin(&wait, FG_KIND_RWLOCK);
	return fg_lock_waited(&wait, fg_real.pthread_rwlock_wrlock(lock));
}

FG_EXPORT int pthread_rwlock_timedwrlock(
	pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
	struct fg_wait wait;
	int error;

	if (FG_LOCK_MISSING(pthread_rwlock_timedwrlock))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_RWLOCK) || !fg_lock_deadline_is_plain(CLOCK_REALTIME, until))
		return fg_real.pthread_rwlock_timedwrlock(lock, until);
	error = fg_real.pthread_rwlock_trywrlock(lock);
	if (error != EBUSY)
		return error;
	fg_wait_begin(&wait, FG_KIND_RWLOCK);
	return fg_lock_waited(&wait, fg_real.pthread_rwlock_timedwrlock(lock, until));
}

FG_EXPORT int pthread_rwlock_clockwrlock(
	pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict until)
{
	struct fg_wait wait;
	int error;

	if (FG_LOCK_MISSING(pthread_rwlock_clockwrlock))
		return ENOSYS;
	if (!fg_lock_counts(FG_KIND_RWLOCK) || !fg_lock_deadline_is_plain(clock, until))
		return fg_real.pthread_rwlock_clockwrlock(lock, clock, until);
	error = fg_real.pthread_rwlock_trywrlock(lock);
	if (error != EBUSY)
		return error;
	fg_wait_begin(&wait, FG_KIND_RWLOCK);
	return fg_lock_waited(&wait, fg_real.pthread_rwlock_clockwrlock(lock, clock, until));
}
