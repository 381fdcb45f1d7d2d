/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounting of waits for locks, condition variables, semaphores and futexes: where the program
 * waited, how often and for how long by CLOCK_MONOTONIC.
 *
 *	if (!fg_waits_wanted(FG_KIND_FUTEX))
 *		return real(...);
 *	fg_wait_begin(&wait, FG_KIND_FUTEX);
 *	result = real(...);
 *	if (it has waited)
 *		fg_wait_end(&wait);
 *
 * The stack is walked before the wait, not behind it: behind it the lock is held, and time spent
 * there would make others wait. A wait that is not ended (cancelled, or not over when the process
 * is) is not counted. Neither touches errno.
 */
#ifndef FG_SAMPLER_WAIT_H
#define FG_SAMPLER_WAIT_H

#include "gate/sampler/sampler.h"

struct fg_wait {
	uint32_t stack; /* 0: not counted */
	uint32_t epoch, context;
	enum fg_kind kind;
	uint64_t hash, began_ns;
	pid_t tid; /* a signal's handler may fork while this waits: the child counts nothing */
};

/* any. Have waits of this kind been asked for? */
static inline bool fg_waits_wanted(enum fg_kind kind)
{
	return fg_config.kinds >> kind & 1;
}

/* thread. What cannot be counted though it was asked for is counted as FG_COUNTER_WAITS_LOST. */
void fg_wait_begin(struct fg_wait *wait, enum fg_kind kind);
void fg_wait_end(const struct fg_wait *wait);

#endif
