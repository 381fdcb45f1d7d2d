/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the interposed locks and conditions share. Where locks are not asked for, each is a test and
 * a jump to the real one. Where they are, a lock is tried first and only one that is taken is
 * timed: the real function does the waiting, so types, owners that died, priorities, deadlocks that
 * it detects and cancellation are as without us.
 *
 * Invisible: locks inside the C library (stdio, malloc, the loader), which it takes by other names,
 * and spin locks, whose waits are CPU time. pthread_join() waits for a thread's end, not for its
 * turn: it is off-CPU time (off_cpu.h) and no contention.
 */
#ifndef FG_SAMPLER_INTERPOSE_LOCK_H
#define FG_SAMPLER_INTERPOSE_LOCK_H

#include <errno.h>

#include "gate/sampler/real.h"
#include "gate/sampler/waits/wait.h"

/* Other libraries' constructors lock before ours has run. */
#define FG_LOCK_MISSING(name)                                                                      \
	(__builtin_expect(!fg_real.name, 0) && (fg_real_init(), !fg_real.name))

static inline bool fg_lock_counts(enum fg_kind kind)
{
	return __builtin_expect(fg_waits_wanted(kind), 0);
}

/*
 * The real functions look at a deadline and its clock before the lock, or after it, or not at all:
 * what they may refuse is left to them untried.
 */
static inline bool fg_lock_deadline_is_plain(clockid_t clock, const struct timespec *until)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && until->tv_nsec >= 0 &&
	       until->tv_nsec < 1000000000;
}

/* Counts the wait unless the real function has refused to wait. Returns what that returned. */
static inline int fg_lock_waited(const struct fg_wait *wait, int error)
{
	if (error == 0 || error == ETIMEDOUT || error == EOWNERDEAD)
		fg_wait_end(wait);
	return error;
}

/* The same for the functions of threads.h. */
static inline int fg_lock_waited_c11(const struct fg_wait *wait, int result)
{
	if (result == thrd_success || result == thrd_timedout)
		fg_wait_end(wait);
	return result;
}

#endif
