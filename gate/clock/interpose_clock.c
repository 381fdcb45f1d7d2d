/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that read a clock. */
#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "gate/clock/clock.h"
#include "gate/sampler/raw.h"

#define US INT64_C(1000)
#define TICK (FG_NS / 100) /* of times(): USER_HZ is 100 on every Linux of ours */

/* ---- what a clock says now ----------------------------------------------------------------- */

/* None: counted from the process's start. */
static bool base_of(enum fg_clock_kind kind, enum fg_clock_base *base)
{
	switch (kind) {
	case FG_CLOCK_KIND_REALTIME:
	case FG_CLOCK_KIND_REALTIME_COARSE:
	case FG_CLOCK_KIND_GETTIMEOFDAY:
	case FG_CLOCK_KIND_TIME:
		*base = FG_CLOCK_BASE_REALTIME;
		return true;
	case FG_CLOCK_KIND_MONOTONIC:
	case FG_CLOCK_KIND_MONOTONIC_COARSE:
		*base = FG_CLOCK_BASE_MONOTONIC;
		return true;
	case FG_CLOCK_KIND_BOOTTIME:
		*base = FG_CLOCK_BASE_BOOTTIME;
		return true;
	case FG_CLOCK_KIND_RAW:
		*base = FG_CLOCK_BASE_RAW;
		return true;
	default:
		return false;
	}
}

static int64_t stepped(void)
{
	static uint64_t calls;

	return (int64_t)(__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) *
			 fg_clock_page()->step_ns);
}

static int64_t at_speed(int64_t passed_ns)
{
	return passed_ns * (int64_t)fg_clock_page()->speed;
}

/* A process's or thread's, by its number: the rest of them count from before the run. */
static bool is_cpu_clock(clockid_t clock)
{
	return clock < 0 && (clock & 3) != 3;
}

/* Of a clock without an origin: it is ahead by as much as the others. */
static int64_t beside_others(clockid_t clock)
{
	int64_t passed = fg_clock_real_ns(CLOCK_MONOTONIC) -
			 fg_clock_page()->origin_ns[FG_CLOCK_BASE_MONOTONIC];

	return fg_clock_real_ns(clock) + at_speed(passed) - passed;
}

static int64_t clock_ns(const struct fg_clock_call *call)
{
	const struct fg_clock_page *page = fg_clock_page();
	enum fg_clock_base base;
	int64_t origin = base_of(call->kind, &base) ? page->origin_ns[base] : 0;

	if (page->mode == FG_CLOCK_STEPPED)
		return origin + stepped();
	if (call->kind == FG_CLOCK_KIND_OTHER && !is_cpu_clock(call->clock))
		return beside_others(call->clock);
	return origin + at_speed(fg_clock_real_ns(call->clock) - origin);
}

static void ask_ns(const struct fg_clock_call *call, int64_t *values)
{
	values[0] = clock_ns(call);
}

static void ask_us(const struct fg_clock_call *call, int64_t *values)
{
	values[0] = clock_ns(call) / US;
}

static void ask_seconds(const struct fg_clock_call *call, int64_t *values)
{
	values[0] = clock_ns(call) / FG_NS;
}

/* ---- entry --------------------------------------------------------------------------------- */

static bool is_coarse(enum fg_clock_kind kind)
{
	return kind == FG_CLOCK_KIND_TIME || kind == FG_CLOCK_KIND_REALTIME_COARSE ||
	       kind == FG_CLOCK_KIND_MONOTONIC_COARSE;
}

static void tell(struct fg_clock_thread *thread, enum fg_clock_kind kind, int64_t ns)
{
	enum fg_clock_base base;

	if (base_of(kind, &base))
		fg_clock_tell(thread, base, ns, is_coarse(kind));
}

/* False: this call passes. */
static bool next(const struct fg_clock_call *call, int64_t unit_ns, int64_t *values)
{
	struct fg_clock_thread *thread = fg_clock_thread();

	if (!thread)
		return false;
	if (thread->busy) {
		fg_clock_repeat(thread, call, values);
		tell(thread, call->kind, values[0] * unit_ns);
		return true;
	}
	thread->busy = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	fg_clock_next(thread, call, values);
	tell(thread, call->kind, values[0] * unit_ns);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->busy = 0;
	return true;
}

static enum fg_clock_kind kind_of(clockid_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
		return FG_CLOCK_KIND_REALTIME;
	case CLOCK_MONOTONIC:
		return FG_CLOCK_KIND_MONOTONIC;
	case CLOCK_BOOTTIME:
		return FG_CLOCK_KIND_BOOTTIME;
	case CLOCK_MONOTONIC_RAW:
		return FG_CLOCK_KIND_RAW;
	case CLOCK_REALTIME_COARSE:
		return FG_CLOCK_KIND_REALTIME_COARSE;
	case CLOCK_MONOTONIC_COARSE:
		return FG_CLOCK_KIND_MONOTONIC_COARSE;
	case CLOCK_PROCESS_CPUTIME_ID:
		return FG_CLOCK_KIND_PROCESS;
	case CLOCK_THREAD_CPUTIME_ID:
		return FG_CLOCK_KIND_THREAD;
	default:
		return FG_CLOCK_KIND_OTHER;
	}
}

int fg_clock_gettime(clockid_t clock, struct timespec *time)
{
	const struct fg_clock_call call = {kind_of(clock), 1, clock, ask_ns};
	int64_t ns;

	/* Of the others some do not exist. */
	if (!time || (call.kind == FG_CLOCK_KIND_OTHER && fg_clock_real(clock, time) != 0) ||
		!next(&call, 1, &ns))
		return fg_clock_real(clock, time);
	time->tv_sec = ns / FG_NS;
	time->tv_nsec = ns % FG_NS;
	return 0;
}

/* ---- the names ----------------------------------------------------------------------------- */

FG_EXPORT int clock_gettime(clockid_t clock, struct timespec *time)
{
	return fg_clock_gettime(clock, time);
}

FG_EXPORT int timespec_get(struct timespec *time, int base)
{
	return base == TIME_UTC && fg_clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

FG_EXPORT int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	static const struct fg_clock_call call = {
		FG_CLOCK_KIND_GETTIMEOFDAY, 1, CLOCK_REALTIME, ask_us};
	int64_t us;

	if (zone)
		*(struct timezone *)zone = (struct timezone){0, 0};
	if (!next(&call, US, &us))
		us = fg_clock_real_ns(CLOCK_REALTIME) / US;
	/* The header says that it is never NULL, but the kernel takes it. */
	__asm__("" : "+r"(time));
	if (time)
		*time = (struct timeval){us / 1000000, us % 1000000};
	return 0;
}

FG_EXPORT time_t time(time_t *out)
{
	/* The kernel's own is that of its last tick, too. */
	static const struct fg_clock_call call = {
		FG_CLOCK_KIND_TIME, 1, CLOCK_REALTIME_COARSE, ask_seconds};
	int64_t seconds;

	if (!next(&call, FG_NS, &seconds))
		seconds = fg_clock_real_ns(CLOCK_REALTIME_COARSE) / FG_NS;
	if (out)
		*out = seconds;
	return seconds;
}

FG_EXPORT clock_t clock(void)
{
	static const struct fg_clock_call call = {
		FG_CLOCK_KIND_CLOCK, 1, CLOCK_PROCESS_CPUTIME_ID, ask_us};
	int64_t us;

	if (!next(&call, US, &us))
		us = fg_clock_real_ns(CLOCK_PROCESS_CPUTIME_ID) / US;
	return us;
}

/* ---- several values ------------------------------------------------------------------------ */

/* Of what comes from the kernel; while time is stepped all of it is the user's. */
static void ask_times(const struct fg_clock_call *call, int64_t *values)
{
	bool is_stepped = fg_clock_page()->mode == FG_CLOCK_STEPPED;
	struct tms times;
	long ticks = FG_RAW3(SYS_times, &times, 0, 0);

	(void)call;
	values[0] = is_stepped ? stepped() / TICK : at_speed(ticks);
	values[1] = is_stepped ? values[0] : at_speed(times.tms_utime);
	values[2] = is_stepped ? 0 : at_speed(times.tms_stime);
	values[3] = at_speed(times.tms_cutime);
	values[4] = at_speed(times.tms_cstime);
}

FG_EXPORT clock_t times(struct tms *out)
{
	static const struct fg_clock_call call = {FG_CLOCK_KIND_TIMES, 5, 0, ask_times};
	int64_t values[FG_CLOCK_MOST_VALUES];

	if (!next(&call, TICK, values))
		return FG_RAW3(SYS_times, out, 0, 0);
	if (out)
		*out = (struct tms){values[1], values[2], values[3], values[4]};
	return values[0];
}

static int64_t us_of(const struct timeval *time)
{
	return (int64_t)time->tv_sec * 1000000 + time->tv_usec;
}

/* clock: whose, as getrusage() names it. */
static void ask_usage(const struct fg_clock_call *call, int64_t *values)
{
	struct rusage usage = {0};

	FG_RAW3(SYS_getrusage, call->clock, &usage, 0);
	if (fg_clock_page()->mode == FG_CLOCK_STEPPED) {
		values[0] = stepped() / US;
		values[1] = 0;
		return;
	}
	values[0] = at_speed(us_of(&usage.ru_utime));
	values[1] = at_speed(us_of(&usage.ru_stime));
}

FG_EXPORT int getrusage(__rusage_who_t who, struct rusage *usage)
{
	const struct fg_clock_call call = {(int)who == RUSAGE_CHILDREN
						   ? FG_CLOCK_KIND_RUSAGE_CHILDREN
					   : (int)who == RUSAGE_THREAD ? FG_CLOCK_KIND_RUSAGE_THREAD
								       : FG_CLOCK_KIND_RUSAGE,
		2, (clockid_t)who, ask_usage};
	int64_t values[FG_CLOCK_MOST_VALUES];
	long result = FG_RAW3(SYS_getrusage, who, usage, 0);

	if (fg_raw_failed(result)) {
		errno = (int)-result;
		return -1;
	}
	if (next(&call, US, values)) {
		usage->ru_utime = (struct timeval){values[0] / 1000000, values[0] % 1000000};
		usage->ru_stime = (struct timeval){values[1] / 1000000, values[1] % 1000000};
	}
	return 0;
}
