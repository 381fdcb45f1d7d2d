/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two POSIX timers per thread, for machines where perf does not open.
 *
 * The kernel looks at a CPU-clock timer on its tick alone: 250 expiries a second at most, and in
 * step with whatever else runs by the tick (a function that takes 30 % of each 4 ms reads 0 or
 * 100 %). So a thread that runs is timed by the wall clock: the first sample at a random point of
 * a period, the others a step apart, which is drawn anew every few samples, so that nothing can
 * keep step with it for long. The kernel repeats a step by itself: setting a timer for each sample
 * costs as much as a third of one. If an expiry comes before the thread has used that much CPU
 * time, it was kept from running: the rest is armed, so that samples lie in CPU time as they were
 * drawn, however busy the machine is.
 *
 * A wall-clock timer must not wake a sleeper (EINTR). The kernel counts how often a thread has gone
 * to sleep by itself. Once an expiry finds that it has, the thread is timed by the tick, which
 * never comes while it sleeps, until it has not slept between two ticks; between more of them each
 * time it is caught again soon. What remains: the first sleep after a while of computing, or after
 * a thread's begin, may be interrupted once (wait calls of the C library are retried).
 *
 * A thread that sleeps meets a tick by chance, after one tick's length of its CPU time on average:
 * each weighs the CPU time since the sample before, or since the thread was first timed so. What a
 * thread has used since its last tick when it ends is one tick's length on average, too; its first
 * sample by the tick adds that. Where a period is longer than a tick, ticks are left out by lot.
 *
 * Raw system calls: the kernel's timer number, no helper thread of the C library.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "gate/sampler/raw.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define SAME_STEP 16         /* samples a step apart before another step is drawn */
#define SLACK 16             /* an expiry this part of a period early counts as due */
#define SHORTEST_NS 20000    /* between two expiries of a thread that was kept from running */
#define MOST_TICKS_WANTED 16 /* without a sleep, after it was caught asleep again and again */
#define GOOD_RUN 64          /* samples by the wall clock, after which that is forgotten */

static uint64_t period_ns(void)
{
	return UINT64_C(1000000000) / fg_config.rate_hz;
}

static uint64_t tick_ns(void)
{
	struct timespec resolution;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) != 0 || resolution.tv_nsec < 100000)
		return UINT64_C(4000000);
	return (uint64_t)resolution.tv_nsec;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){
		(time_t)(ns / UINT64_C(1000000000)), (long)(ns % UINT64_C(1000000000))};
}

/* delay_ns 0: disarms. each_ns 0: once. */
static void arm(int timer, uint64_t delay_ns, uint64_t each_ns)
{
	const struct itimerspec when = {timespec_of(each_ns), timespec_of(delay_ns)};

	FG_RAW6(SYS_timer_settime, timer, 0, &when, 0, 0, 0);
}

static void disarm(int timer)
{
	if (timer >= 0)
		arm(timer, 0, 0);
}

int fg_timer_create(const struct fg_thread *thread, clockid_t clock, int *timer)
{
	struct sigevent event;
	long error;
	int made;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = fg_signal;
	event.sigev_value.sival_ptr = (void *)(uintptr_t)thread->token;
	event.sigev_notify_thread_id = thread->tid;
	error = FG_RAW3(SYS_timer_create, clock, &event, &made);
	if (!error)
		*timer = made;
	return (int)-error;
}

/* Creates it at its first use. */
static int need(const struct fg_thread *thread, int *timer, clockid_t clock)
{
	return *timer >= 0 ? 0 : fg_timer_create(thread, clock, timer);
}

static int need_wall(struct fg_thread *thread)
{
	return need(thread, &thread->posix.wall, CLOCK_MONOTONIC);
}

static int need_tick(struct fg_thread *thread)
{
	return need(thread, &thread->posix.tick, fg_thread_clock(thread->tid));
}

/* Of the calling thread. */
static long sleeps(void)
{
	struct rusage usage;

	return fg_raw_failed(FG_RAW3(SYS_getrusage, RUSAGE_THREAD, &usage, 0)) ? -1
									       : usage.ru_nvcsw;
}

static void arm_until_due(const struct fg_thread *thread, uint64_t now_ns)
{
	const struct fg_posix_timer *posix = &thread->posix;
	uint64_t least = posix->on_wall ? SHORTEST_NS : 1;
	uint64_t left = posix->target_ns > now_ns + least ? posix->target_ns - now_ns : least;

	if (posix->on_wall)
		arm(posix->wall, left, posix->step_ns);
	else
		arm(posix->tick, left, 0);
}

/*
 * The first sample by the wall clock comes after a part of a period and stands for all of it, as
 * what follows the last one stands for nothing. The first steps are of a period, so that a thread
 * that ends during them has as many samples as it should.
 */
static void begin_steps(struct fg_thread *thread, uint64_t now_ns)
{
	struct fg_posix_timer *posix = &thread->posix;
	uint64_t first = fg_thread_random(thread, period_ns());

	posix->target_ns = now_ns + first;
	posix->since_ns -= period_ns() - first;
	posix->step_ns = period_ns();
	posix->steps_left = SAME_STEP;
}

/*
 * True when the timer has to be told: of another step, or not to make up for a late expiry (it
 * would come early, as if the thread had slept).
 */
static bool next_step(struct fg_thread *thread, uint64_t now_ns)
{
	struct fg_posix_timer *posix = &thread->posix;
	bool is_late = now_ns > posix->target_ns + period_ns() / SLACK;
	bool is_new = --posix->steps_left == 0;

	if (is_new) {
		posix->step_ns = period_ns() / 2 + fg_thread_random(thread, period_ns());
		posix->steps_left = SAME_STEP;
	}
	posix->target_ns = now_ns + posix->step_ns;
	return is_new || is_late;
}

/* As many ticks as leave one sample a period: what is left out is the lot's, not the program's. */
static void choose_tick(struct fg_thread *thread)
{
	uint64_t tick = tick_ns(), left_out = 0;

	while (fg_thread_random(thread, period_ns()) > tick)
		left_out++;
	thread->posix.target_ns = thread->posix.since_ns;
	if (left_out) /* between two ticks of a thread that meets them all */
		thread->posix.target_ns += left_out * tick + tick / 2;
}

/* A thread that begins runs; whether an adopted one does is not known from outside. */
static int start(struct fg_thread *thread)
{
	struct fg_posix_timer *posix = &thread->posix;
	int error;

	*posix = (struct fg_posix_timer){.tick = -1, .wall = -1, .wanted = 1};
	posix->since_ns = thread->last_ns;
	posix->on_wall = !thread->is_adopted && need_wall(thread) == 0;
	if (posix->on_wall) {
		begin_steps(thread, thread->last_ns);
		posix->sleeps = sleeps();
		posix->knows_sleeps = true;
	} else {
		choose_tick(thread);
		if ((error = need_tick(thread)) != 0)
			return error;
	}
	arm_until_due(thread, thread->last_ns);
	return 0;
}

static uint64_t weigh(struct fg_thread *thread, uint64_t now_ns)
{
	struct fg_posix_timer *posix = &thread->posix;
	uint64_t weight = now_ns - posix->since_ns, tick = tick_ns();

	if (!posix->on_wall && !posix->tick_seen) {
		weight += period_ns() > tick ? period_ns() : tick;
		posix->tick_seen = true;
	}
	posix->since_ns = now_ns;
	return weight;
}

static bool due(struct fg_thread *thread, const siginfo_t *info, uint64_t now_ns, uint64_t *weight)
{
	struct fg_posix_timer *posix = &thread->posix;
	uint64_t slack = posix->on_wall ? period_ns() / SLACK : 0;

	(void)info;
	posix->is_due = now_ns + slack >= posix->target_ns;
	if (posix->is_due)
		*weight = weigh(thread, now_ns);
	return posix->is_due;
}

/* Since the last look. What it slept in our own handler does not count. */
static bool has_slept(struct fg_thread *thread)
{
	struct fg_posix_timer *posix = &thread->posix;
	long before = posix->sleeps;
	bool knew = posix->knows_sleeps && !thread->has_rested;

	posix->sleeps = sleeps();
	posix->knows_sleeps = true;
	thread->has_rested = false;
	return knew && posix->sleeps != before;
}

/* What was used since the last sample stands for nothing; a new account begins here. */
static void to_tick(struct fg_thread *thread, uint64_t now_ns)
{
	struct fg_posix_timer *posix = &thread->posix;

	if (need_tick(thread) != 0)
		return;
	disarm(posix->wall);
	posix->on_wall = false;
	posix->since_ns = now_ns;
	choose_tick(thread);
	posix->clean = 0;
	if (posix->run >= GOOD_RUN)
		posix->wanted = 1;
	else if (posix->wanted < MOST_TICKS_WANTED)
		posix->wanted *= 2;
}

static void to_wall(struct fg_thread *thread, uint64_t now_ns)
{
	if (need_wall(thread) != 0)
		return;
	thread->posix.on_wall = true;
	thread->posix.run = 0;
	begin_steps(thread, now_ns);
}

/* True when the timer has to be told. An expiry that was not looked at comes again soon. */
static bool after_wall(struct fg_thread *thread, bool was_due, uint64_t now_ns)
{
	if (was_due) {
		thread->posix.run++;
		return next_step(thread, now_ns);
	}
	if (now_ns < thread->posix.target_ns && has_slept(thread))
		to_tick(thread, now_ns);
	return true;
}

static void after_tick(struct fg_thread *thread, bool was_due, uint64_t now_ns)
{
	bool knew = thread->posix.knows_sleeps;

	if (was_due)
		choose_tick(thread);
	if (has_slept(thread))
		thread->posix.clean = 0;
	else if (knew && ++thread->posix.clean >= thread->posix.wanted)
		to_wall(thread, now_ns);
}

static void again(struct fg_thread *thread, const siginfo_t *info, uint64_t now_ns)
{
	struct fg_posix_timer *posix = &thread->posix;
	bool was_due = posix->is_due;

	(void)info;
	posix->is_due = false;
	if (!posix->on_wall)
		after_tick(thread, was_due, now_ns);
	else if (!after_wall(thread, was_due, now_ns))
		return;
	arm_until_due(thread, now_ns);
}

static void suspend(struct fg_thread *thread)
{
	disarm(thread->posix.wall);
	disarm(thread->posix.tick);
}

static void resume(struct fg_thread *thread)
{
	arm_until_due(thread, fg_clock_ns(fg_thread_clock(thread->tid)));
}

static void drop(int *timer)
{
	if (*timer >= 0)
		FG_RAW3(SYS_timer_delete, *timer, 0, 0);
	*timer = -1;
}

static void stop(struct fg_thread *thread)
{
	drop(&thread->posix.wall);
	drop(&thread->posix.tick);
}

/* A forked child has none of its parent's timers; the numbers may already be another's. */
static void forget(struct fg_thread *thread)
{
	thread->posix.wall = thread->posix.tick = -1;
}

const struct fg_timer fg_timer_posix = {
	.mechanism = FG_MECHANISM_POSIX,
	.start = start,
	.due = due,
	.again = again,
	.suspend = suspend,
	.resume = resume,
	.stop = stop,
	.forget = forget,
	.period_ns = period_ns,
};
