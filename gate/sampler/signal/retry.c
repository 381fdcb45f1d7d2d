/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/signal/retry.h"

#include <limits.h>

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)
#define LONGEST_S (INT64_C(1) << 32) /* a longer wait has no end that anybody could see */

static void set_deadline(struct fg_retry *retry, uint64_t ns)
{
	if (ns && retry->thread)
		retry->deadline_ns = fg_clock_ns(CLOCK_MONOTONIC) + ns;
}

void fg_retry_begin_ms(struct fg_retry *retry, int ms)
{
	fg_retry_begin(retry);
	retry->ms = ms;
	set_deadline(retry, ms > 0 ? (uint64_t)ms * MS_NS : 0);
	fg_retry_mark(retry); /* the clock may have been a system call */
}

static uint64_t duration_ns(const struct timespec *time)
{
	if (!time || time->tv_sec < 0 || time->tv_sec > LONGEST_S || time->tv_nsec < 0 ||
		time->tv_nsec >= (long)SECOND_NS)
		return 0;
	return (uint64_t)time->tv_sec * SECOND_NS + (uint64_t)time->tv_nsec;
}

void fg_retry_begin_time(struct fg_retry *retry, const struct timespec *time)
{
	fg_retry_begin(retry);
	retry->time = time;
	set_deadline(retry, duration_ns(time));
	fg_retry_mark(retry);
}

static void reckon(struct fg_retry *retry)
{
	uint64_t now = fg_clock_ns(CLOCK_MONOTONIC);
	uint64_t left = now < retry->deadline_ns ? retry->deadline_ns - now : 0;
	uint64_t ms = (left + MS_NS - 1) / MS_NS;

	retry->ms = ms < INT_MAX ? (int)ms : INT_MAX;
	retry->left.tv_sec = (time_t)(left / SECOND_NS);
	retry->left.tv_nsec = (long)(left % SECOND_NS);
	retry->time = &retry->left;
}

static bool was_ours(const struct fg_retry *retry)
{
	return retry->thread && retry->thread->ended_calls != retry->ended &&
	       retry->handlers == fg_handlers_entered;
}

bool fg_retry_was_ours(struct fg_retry *retry)
{
	if (!was_ours(retry))
		return false;
	fg_count(FG_COUNTER_RETRIED);
	if (retry->deadline_ns)
		reckon(retry);
	fg_retry_mark(retry);
	return true;
}

void fg_retry_give_up(const struct fg_retry *retry)
{
	if (was_ours(retry))
		fg_count(FG_COUNTER_INTERRUPTED);
}

bool fg_retry_was_cut(struct fg_retry *retry)
{
	struct fg_thread *thread = retry->thread;

	if (!thread || thread->cut_calls == retry->cut || retry->handlers != fg_handlers_entered)
		return false;
	fg_count(FG_COUNTER_RETRIED);
	return true;
}
