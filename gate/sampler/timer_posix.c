/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POSIX CPU timer per thread, for machines where perf does not open. The kernel looks at it on its
 * tick alone, so expiries are whole ticks: the period is a number k of ticks, and the first expiry
 * is at one of the next k of them by lot, which with the thread's own start inside a tick is
 * uniform in (0, period]. Each expiry is armed half a tick early, so that the tick finds it due.
 *
 * Raw system calls: the kernel's timer number, no helper thread of the C library.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <linux/time_types.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gate/sampler/raw.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static uint64_t tick_ns(void)
{
	struct timespec resolution;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) != 0 || resolution.tv_nsec < 100000)
		return UINT64_C(4000000);
	return (uint64_t)resolution.tv_nsec;
}

static uint64_t ticks_per_period(void)
{
	uint64_t tick = tick_ns(), wanted = UINT64_C(1000000000) / fg_config.rate_hz;
	uint64_t ticks = (wanted + tick / 2) / tick;

	return ticks ? ticks : 1;
}

static uint64_t period_ns(void)
{
	return ticks_per_period() * tick_ns();
}

static int arm(int timer, uint64_t delay_ns)
{
	struct itimerspec when;

	memset(&when, 0, sizeof(when));
	when.it_value.tv_sec = (time_t)(delay_ns / UINT64_C(1000000000));
	when.it_value.tv_nsec = (long)(delay_ns % UINT64_C(1000000000));
	return (int)FG_RAW6(SYS_timer_settime, timer, 0, &when, 0, 0, 0);
}

static int start(struct fg_thread *thread)
{
	uint64_t skipped = fg_thread_random(thread, ticks_per_period()) - 1;
	struct sigevent event;
	int timer, error;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = fg_signal;
	event.sigev_value.sival_ptr = thread;
	event.sigev_notify_thread_id = thread->tid;
	error = (int)FG_RAW3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer);
	if (error)
		return -error;
	thread->posix_timer = timer;
	error = arm(timer, skipped ? skipped * tick_ns() : 1);
	if (error)
		FG_RAW3(SYS_timer_delete, timer, 0, 0);
	return -error;
}

static bool owns(const struct fg_thread *thread, const siginfo_t *info)
{
	return info->si_code == SI_TIMER && info->si_value.sival_ptr == thread;
}

static void again(struct fg_thread *thread, const siginfo_t *info)
{
	(void)info;
	arm(thread->posix_timer, period_ns() - tick_ns() / 2);
}

static void suspend(struct fg_thread *thread)
{
	arm(thread->posix_timer, 0);
}

static void resume(struct fg_thread *thread)
{
	again(thread, NULL);
}

static void stop(struct fg_thread *thread)
{
	FG_RAW3(SYS_timer_delete, thread->posix_timer, 0, 0);
	thread->posix_timer = -1;
}

/* A forked child has none of its parent's timers; the number may already be another's. */
static void forget(struct fg_thread *thread)
{
	thread->posix_timer = -1;
}

const struct fg_timer fg_timer_posix = {
	.mechanism = FG_MECHANISM_POSIX,
	.start = start,
	.owns = owns,
	.again = again,
	.suspend = suspend,
	.resume = resume,
	.stop = stop,
	.forget = forget,
	.period_ns = period_ns,
};
