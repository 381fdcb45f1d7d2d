/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semaphores and message queues: they go on when our signal alone has ended them (retry.h), and
 * waits for semaphores are counted where locks are asked for (wait.h). mq_timedreceive() and
 * mq_timedsend() need nothing: SA_RESTART restarts them.
 */
#include "gate/sampler/sampler.h"

#include "gate/sampler/signal/retry.h"
#include "gate/sampler/waits/real_waits.h"
#include "gate/sampler/waits/wait.h"

/* Is the semaphore to be had at once? Keeps errno. */
static bool is_free(sem_t *semaphore)
{
	int saved_errno = errno;
	bool taken = fg_real_waits()->sem_trywait(semaphore) == 0;

	errno = saved_errno;
	return taken;
}

/* The real functions refuse a wrong deadline before they look at the semaphore. */
static bool counts(const struct timespec *until)
{
	return fg_waits_wanted(FG_KIND_CONDITION) &&
	       (!until || (until->tv_nsec >= 0 && until->tv_nsec < 1000000000));
}

static int counted(const struct fg_wait *wait, int result)
{
	if (result == 0 || errno == ETIMEDOUT)
		fg_wait_end(wait);
	return result;
}

FG_EXPORT int sem_wait(sem_t *semaphore)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_wait wait;

	if (!counts(NULL))
		return FG_RETRIED(real->sem_wait(semaphore));
	if (is_free(semaphore))
		return 0;
	fg_wait_begin(&wait, FG_KIND_CONDITION);
	return counted(&wait, FG_RETRIED(real->sem_wait(semaphore)));
}

FG_EXPORT int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_wait wait;

	if (!counts(until))
		return FG_RETRIED(real->sem_timedwait(semaphore, until));
	if (is_free(semaphore))
		return 0;
	fg_wait_begin(&wait, FG_KIND_CONDITION);
	return counted(&wait, FG_RETRIED(real->sem_timedwait(semaphore, until)));
}

FG_EXPORT int sem_clockwait(
	sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until)
{
	const struct fg_real_waits *real = fg_real_waits();
	bool is_known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
	struct fg_wait wait;

	if (!is_known || !counts(until))
		return FG_RETRIED(real->sem_clockwait(semaphore, clock, until));
	if (is_free(semaphore))
		return 0;
	fg_wait_begin(&wait, FG_KIND_CONDITION);
	return counted(&wait, FG_RETRIED(real->sem_clockwait(semaphore, clock, until)));
}

FG_EXPORT int semop(int id, struct sembuf *operations, size_t count)
{
	const struct fg_real_waits *real = fg_real_waits();

	return FG_RETRIED(real->semop(id, operations, count));
}

FG_EXPORT int semtimedop(
	int id, struct sembuf *operations, size_t count, const struct timespec *timeout)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	int result;

	fg_retry_begin_time(&retry, timeout);
	do
		result = real->semtimedop(id, operations, count, retry.time);
	while (result == -1 && fg_retry_again(&retry));
	return result;
}

FG_EXPORT int msgsnd(int id, const void *message, size_t bytes, int flags)
{
	const struct fg_real_waits *real = fg_real_waits();

	return FG_RETRIED(real->msgsnd(id, message, bytes, flags));
}

FG_EXPORT ssize_t msgrcv(int id, void *message, size_t bytes, long type, int flags)
{
	const struct fg_real_waits *real = fg_real_waits();

	return FG_RETRIED(real->msgrcv(id, message, bytes, type, flags));
}
