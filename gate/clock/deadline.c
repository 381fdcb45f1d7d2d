/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Absolute deadlines. The program's time lies behind the real one, or runs ahead of it: it waits as
 * long as it meant to when it was told the time (fg_clock_told).
 */
#include <stddef.h>

#include "gate/clock/clock.h"

/* No machine is up for longer, and no date before it is one of today. */
#define YEARS_OF_UPTIME (INT64_C(100000000))
/* A deadline beyond it is "never", whatever the clock says. */
#define NEVER_SECONDS (INT64_C(10) * 366 * 86400)

static bool base_of(clockid_t clock, const struct timespec *wanted, enum fg_clock_base *base)
{
	switch (clock) {
	case CLOCK_REALTIME:
		*base = FG_CLOCK_BASE_REALTIME;
		return true;
	case CLOCK_MONOTONIC:
		*base = FG_CLOCK_BASE_MONOTONIC;
		return true;
	case CLOCK_BOOTTIME:
		*base = FG_CLOCK_BASE_BOOTTIME;
		return true;
	case FG_CLOCK_ANY:
		*base = wanted->tv_sec >= YEARS_OF_UPTIME ? FG_CLOCK_BASE_REALTIME
							  : FG_CLOCK_BASE_MONOTONIC;
		return true;
	default:
		return false;
	}
}

static clockid_t clock_of(enum fg_clock_base base)
{
	return base == FG_CLOCK_BASE_REALTIME    ? CLOCK_REALTIME
	       : base == FG_CLOCK_BASE_MONOTONIC ? CLOCK_MONOTONIC
						 : CLOCK_BOOTTIME;
}

const struct timespec *fg_clock_deadline(
	clockid_t clock, const struct timespec *wanted, struct timespec *storage)
{
	enum fg_clock_base base;
	int64_t told, now, ns;

	if (!wanted || !fg_clock_thread() || wanted->tv_nsec < 0 || wanted->tv_nsec >= FG_NS ||
		!base_of(clock, wanted, &base))
		return wanted;
	told = fg_clock_told(base);
	if (!told && clock == FG_CLOCK_ANY && base == FG_CLOCK_BASE_MONOTONIC)
		told = fg_clock_told(base = FG_CLOCK_BASE_BOOTTIME);
	if (!told || wanted->tv_sec - told / FG_NS > NEVER_SECONDS || wanted->tv_sec < 0)
		return wanted;
	now = fg_clock_real_ns(clock_of(base));
	ns = (int64_t)wanted->tv_sec * FG_NS + wanted->tv_nsec - told + now;
	if (ns < 0)
		ns = 0;
	*storage = (struct timespec){ns / FG_NS, ns % FG_NS};
	return storage;
}

const struct itimerspec *fg_clock_timer(const struct itimerspec *wanted, struct itimerspec *storage)
{
	struct timespec first;

	if (!wanted || (!wanted->it_value.tv_sec && !wanted->it_value.tv_nsec))
		return wanted;
	storage->it_interval = wanted->it_interval;
	storage->it_value = *fg_clock_deadline(FG_CLOCK_ANY, &wanted->it_value, &first);
	return storage;
}
