/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that wait until a point of time. Those that wait for a while pass: it is real. */
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/timerfd.h>
#include <threads.h>

#include "gate/clock/clock.h"
#include "gate/clock/real_deadlines.h"

FG_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict condition,
	pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
	struct timespec shifted;

	return fg_clock_deadlines()->pthread_cond_timedwait(
		condition, mutex, fg_clock_deadline(FG_CLOCK_ANY, until, &shifted));
}

FG_EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
	clockid_t clock, const struct timespec *until)
{
	struct timespec shifted;

	return fg_clock_deadlines()->pthread_cond_clockwait(
		condition, mutex, clock, fg_clock_deadline(clock, until, &shifted));
}

FG_EXPORT int cnd_timedwait(
	cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until)
{
	struct timespec shifted;

	return fg_clock_deadlines()->cnd_timedwait(
		condition, mutex, fg_clock_deadline(CLOCK_REALTIME, until, &shifted));
}

FG_EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
	struct timespec shifted;

	return fg_clock_deadlines()->mtx_timedlock(
		mutex, fg_clock_deadline(CLOCK_REALTIME, until, &shifted));
}

/* Functions of one thing to wait for and a point of the wall clock's time. */
#define UNTIL(name, type)                                                                          \
	FG_EXPORT int name(type *restrict what, const struct timespec *restrict until)             \
	{                                                                                          \
		struct timespec shifted;                                                           \
                                                                                                   \
		return fg_clock_deadlines()->name(                                                 \
			what, fg_clock_deadline(CLOCK_REALTIME, until, &shifted));                 \
	}
UNTIL(pthread_mutex_timedlock, pthread_mutex_t)
UNTIL(pthread_rwlock_timedrdlock, pthread_rwlock_t)
UNTIL(pthread_rwlock_timedwrlock, pthread_rwlock_t)
UNTIL(sem_timedwait, sem_t)

/* The same with a clock. */
#define UNTIL_CLOCK(name, type)                                                                    \
	FG_EXPORT int name(type *what, clockid_t clock, const struct timespec *until)              \
	{                                                                                          \
		struct timespec shifted;                                                           \
                                                                                                   \
		return fg_clock_deadlines()->name(                                                 \
			what, clock, fg_clock_deadline(clock, until, &shifted));                   \
	}
UNTIL_CLOCK(pthread_mutex_clocklock, pthread_mutex_t)
UNTIL_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t)
UNTIL_CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t)
UNTIL_CLOCK(sem_clockwait, sem_t)

FG_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
	struct timespec shifted;

	return fg_clock_deadlines()->pthread_timedjoin_np(
		thread, result, fg_clock_deadline(CLOCK_REALTIME, until, &shifted));
}

FG_EXPORT int pthread_clockjoin_np(
	pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
	struct timespec shifted;

	return fg_clock_deadlines()->pthread_clockjoin_np(
		thread, result, clock, fg_clock_deadline(clock, until, &shifted));
}

FG_EXPORT int clock_nanosleep(
	clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
	struct timespec shifted;

	if (flags & TIMER_ABSTIME)
		wanted = fg_clock_deadline(clock, wanted, &shifted);
	return fg_clock_deadlines()->clock_nanosleep(clock, flags, wanted, left);
}

FG_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict wanted,
	struct itimerspec *restrict old)
{
	struct itimerspec shifted;

	if (flags & TIMER_ABSTIME)
		wanted = fg_clock_timer(wanted, &shifted);
	return fg_clock_deadlines()->timer_settime(timer, flags, wanted, old);
}

FG_EXPORT int timerfd_settime(
	int fd, int flags, const struct itimerspec *wanted, struct itimerspec *old)
{
	struct itimerspec shifted;

	if (flags & TFD_TIMER_ABSTIME)
		wanted = fg_clock_timer(wanted, &shifted);
	return fg_clock_deadlines()->timerfd_settime(fd, flags, wanted, old);
}

FG_EXPORT int mq_timedsend(mqd_t queue, const char *message, size_t size, unsigned priority,
	const struct timespec *until)
{
	struct timespec shifted;

	return fg_clock_deadlines()->mq_timedsend(
		queue, message, size, priority, fg_clock_deadline(CLOCK_REALTIME, until, &shifted));
}

FG_EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict message, size_t size,
	unsigned *restrict priority, const struct timespec *restrict until)
{
	struct timespec shifted;

	return fg_clock_deadlines()->mq_timedreceive(
		queue, message, size, priority, fg_clock_deadline(CLOCK_REALTIME, until, &shifted));
}
