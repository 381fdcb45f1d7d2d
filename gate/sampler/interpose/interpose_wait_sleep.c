/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleeps, and waits for a signal of the program's own: they go on when ours alone has ended them
 * (retry.h). The kernel says what is left of a sleep.
 */
#include "gate/sampler/sampler.h"

#include "gate/sampler/signal/opened.h"
#include "gate/sampler/signal/retry.h"
#include "gate/sampler/waits/real_waits.h"

FG_EXPORT int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct timespec rest;
	struct fg_retry retry;
	int result;

	fg_retry_begin(&retry);
	while ((result = real->nanosleep(wanted, &rest)) == -1 && fg_retry_again(&retry))
		wanted = &rest;
	if (result == -1 && errno == EINTR && left)
		*left = rest;
	return result;
}

FG_EXPORT int clock_nanosleep(
	clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
	const struct fg_real_waits *real = fg_real_waits();
	bool is_relative = !(flags & TIMER_ABSTIME);
	struct timespec rest;
	struct fg_retry retry;
	int error;

	fg_retry_begin(&retry);
	while ((error = real->clock_nanosleep(clock, flags, wanted, &rest)) == EINTR &&
		fg_retry_was_ours(&retry))
		if (is_relative)
			wanted = &rest;
	if (error == EINTR && left && is_relative)
		*left = rest;
	return error;
}

FG_EXPORT int usleep(useconds_t us)
{
	const struct timespec wanted = {us / 1000000, (long)(us % 1000000) * 1000};

	return nanosleep(&wanted, NULL);
}

/* What is left when a signal of the program's came, in whole seconds; errno is kept. */
FG_EXPORT unsigned sleep(unsigned seconds)
{
	struct timespec time = {seconds, 0};
	int saved_errno = errno;

	if (nanosleep(&time, &time) != 0)
		return (unsigned)time.tv_sec;
	errno = saved_errno;
	return 0;
}

FG_EXPORT int thrd_sleep(const struct timespec *wanted, struct timespec *left)
{
	int error = clock_nanosleep(CLOCK_REALTIME, 0, wanted, left);

	return error == EINTR ? -1 : error ? -2 : 0;
}

FG_EXPORT int pause(void)
{
	const struct fg_real_waits *real = fg_real_waits();

	return FG_RETRIED(real->pause());
}

FG_EXPORT int sigsuspend(const sigset_t *mask)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_opened opened;
	int result;

	fg_open(&opened, mask);
	result = FG_RETRIED(real->sigsuspend(mask));
	fg_close(&opened);
	return result;
}
