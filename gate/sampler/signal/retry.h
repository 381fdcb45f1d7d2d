/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that go on when nothing but our signal has ended them. SA_RESTART does not restart poll,
 * nanosleep, sem_timedwait and their like (signal(7)), nor does it complete a transfer that was cut
 * short. The sample handler notes in thread->ended_calls and cut_calls what it came right behind
 * while no signal of the program's own was waiting; the interposed call asks here.
 *
 *	struct fg_retry retry;
 *
 *	fg_retry_begin_ms(&retry, timeout);
 *	do
 *		result = fg_real_waits()->poll(fds, count, retry.ms);
 *	while (result == -1 && fg_retry_again(&retry));
 *
 * A handler of the program's that ran meanwhile (handlers.h) ends the wait whatever was noted: it
 * may have been meant to. Calls that swap the signal mask (ppoll, sigsuspend) lose no wake-up: when
 * they return the program's signals are blocked again, and one that comes meanwhile ends the next
 * attempt.
 *
 * Context: thread. Nothing here touches errno but fg_retry_again(), which gives back the one from
 * before the call when it says yes: a call that succeeds after all leaves errno alone.
 */
#ifndef FG_SAMPLER_RETRY_H
#define FG_SAMPLER_RETRY_H

#include <errno.h>
#include <time.h>

#include "gate/sampler/sampler.h"
#include "gate/sampler/signal/handlers.h"

struct fg_retry {
	struct fg_thread *thread; /* NULL: not sampled, so no signal of ours */
	uint32_t ended, cut, handlers;
	int saved_errno;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: the time-out, if any, needs no reckoning */
	int ms;
	const struct timespec *time;
	struct timespec left; /* what time points to after the first attempt */
};

static inline void fg_retry_mark(struct fg_retry *retry)
{
	if (retry->thread) {
		retry->ended = retry->thread->ended_calls;
		retry->cut = retry->thread->cut_calls;
		retry->handlers = fg_handlers_entered;
	}
}

/* Without a time-out, with an absolute one, or where the kernel writes back what is left. */
static inline void fg_retry_begin(struct fg_retry *retry)
{
	retry->thread = fg_self;
	retry->deadline_ns = 0;
	retry->saved_errno = errno;
	fg_retry_mark(retry);
}

/* Pass retry->ms: rounded up from the second attempt on, a wait is never too short. */
void fg_retry_begin_ms(struct fg_retry *retry, int ms);
/* Pass retry->time. NULL and wrong ones are passed as they are. */
void fg_retry_begin_time(struct fg_retry *retry, const struct timespec *time);

/* The call has ended with EINTR: was that our signal alone? Then the next attempt's time is set. */
bool fg_retry_was_ours(struct fg_retry *retry);

/* The same for calls that return -1 and set errno, whatever the error. */
static inline bool fg_retry_again(struct fg_retry *retry)
{
	if (errno != EINTR || !fg_retry_was_ours(retry))
		return false;
	errno = retry->saved_errno;
	return true;
}

/* It cannot be gone on with: counted if that was our signal alone. */
void fg_retry_give_up(const struct fg_retry *retry);

/* The call gave less than was asked for: did our signal alone come right behind it? */
bool fg_retry_was_cut(struct fg_retry *retry);

/* A call without a relative time-out, as often as it takes. */
#define FG_RETRIED(call)                                                                           \
	({                                                                                         \
		struct fg_retry retry_;                                                            \
		__typeof__(call) result_;                                                          \
		fg_retry_begin(&retry_);                                                           \
		do                                                                                 \
			result_ = (call);                                                          \
		while (result_ == -1 && fg_retry_again(&retry_));                                  \
		result_;                                                                           \
	})

#endif
