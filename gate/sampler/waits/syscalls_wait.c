/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits made by syscall(): which calls they are, where their time-out and mask stand, and how they
 * go on when our signal alone has ended them. Context: thread.
 */
#include "gate/sampler/waits/syscalls.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/signal/opened.h"
#include "gate/sampler/signal/retry.h"
#include "gate/sampler/waits/wait.h"

enum form {
	NO_WAIT,
	PLAIN,    /* no time-out, an absolute one, or one that the kernel counts down in place */
	MS,       /* a number of milliseconds */
	RELATIVE, /* a struct timespec that stays as it was */
	SLEEP,    /* clock_nanosleep: relative unless a flag says otherwise */
	FUTEX,
};

static const struct {
	uint8_t form, timeout; /* which argument, from 0 */
	uint8_t mask;          /* which argument, from 1; 0: none */
} waits[] = {
#ifdef SYS_poll
	[SYS_poll] = {MS, 2, 0},
	[SYS_select] = {PLAIN, 0, 0},
	[SYS_epoll_wait] = {MS, 3, 0},
	[SYS_pause] = {PLAIN, 0, 0},
#endif
	[SYS_ppoll] = {PLAIN, 0, 4},
	[SYS_pselect6] = {PLAIN, 0, 6},
	[SYS_epoll_pwait] = {MS, 3, 5},
#ifdef SYS_epoll_pwait2
	[SYS_epoll_pwait2] = {RELATIVE, 3, 5},
#endif
	[SYS_nanosleep] = {RELATIVE, 0, 0},
	[SYS_clock_nanosleep] = {SLEEP, 2, 0},
	[SYS_rt_sigsuspend] = {PLAIN, 0, 1},
	[SYS_semop] = {PLAIN, 0, 0},
	[SYS_semtimedop] = {RELATIVE, 3, 0},
	[SYS_msgsnd] = {PLAIN, 0, 0},
	[SYS_msgrcv] = {PLAIN, 0, 0},
	[SYS_io_getevents] = {RELATIVE, 4, 0},
	[SYS_accept] = {PLAIN, 0, 0},
	[SYS_accept4] = {PLAIN, 0, 0},
	[SYS_recvfrom] = {PLAIN, 0, 0},
	[SYS_recvmsg] = {PLAIN, 0, 0},
	[SYS_sendto] = {PLAIN, 0, 0},
	[SYS_sendmsg] = {PLAIN, 0, 0},
	[SYS_read] = {PLAIN, 0, 0},
	[SYS_write] = {PLAIN, 0, 0},
	[SYS_futex] = {FUTEX, 3, 0},
#ifdef SYS_io_uring_enter
	[SYS_io_uring_enter] = {PLAIN, 0, 0},
#endif
#ifdef SYS_futex_waitv
	[SYS_futex_waitv] = {FUTEX, 3, 0},
#endif
};
#define KNOWN (sizeof(waits) / sizeof(waits[0]))

bool fg_syscall_waits(long number)
{
	return number >= 0 && (unsigned long)number < KNOWN && waits[number].form != NO_WAIT;
}

static bool futex_waits(long number, const long *arguments)
{
	if (number != SYS_futex)
		return true;
	switch (arguments[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case 13: /* FUTEX_LOCK_PI2, newer than some headers */
		return true;
	default:
		return false;
	}
}

/* FUTEX_WAIT alone has a time-out from now on. */
static enum form futex_form(long number, const long *arguments)
{
	bool is_relative = number == SYS_futex && (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT;

	return is_relative ? RELATIVE : PLAIN;
}

static enum form form_of(long number, const long *arguments)
{
	switch (waits[number].form) {
	case FUTEX:
		return futex_form(number, arguments);
	case SLEEP:
		return arguments[1] & TIMER_ABSTIME ? PLAIN : RELATIVE;
	default:
		return waits[number].form;
	}
}

static void begin(struct fg_retry *retry, enum form form, long timeout)
{
	if (form == MS)
		fg_retry_begin_ms(retry, (int)timeout);
	else if (form == RELATIVE)
		fg_retry_begin_time(retry, (const struct timespec *)timeout);
	else
		fg_retry_begin(retry);
}

/* pselect6's last argument is the address of both, the mask's own and its size. NULL: none that the
 * kernel would take. */
static const uint64_t *mask_of(long number, const long *a)
{
	struct {
		const uint64_t *mask;
		size_t size;
	} given = {(const uint64_t *)a[waits[number].mask - 1], 0};

	if (given.mask && number == SYS_pselect6)
		memcpy(&given, given.mask, sizeof(given));
	else if (given.mask)
		given.size = (size_t)a[waits[number].mask];
	return given.size == sizeof(*given.mask) ? given.mask : NULL;
}

/* The wait's own mask, as the C library has it, or NULL. */
static const sigset_t *own_mask(long number, const long *a, sigset_t *set)
{
	const uint64_t *mask = NULL;

	/* Else it is the kernel's alone to look at, and to refuse. */
	if (waits[number].mask && fg_mask_believed)
		mask = mask_of(number, a);
	if (!mask)
		return NULL;
	sigemptyset(set);
	memcpy(set, mask, sizeof(*mask));
	return set;
}

static long retried(long number, long *a)
{
	enum form form = form_of(number, a);
	long *timeout = &a[waits[number].timeout];
	struct fg_opened opened;
	struct fg_retry retry;
	sigset_t mask;
	long result;

	fg_open(&opened, own_mask(number, a, &mask));
	begin(&retry, form, *timeout);
	while ((result = fg_raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5])) == -EINTR &&
		fg_retry_was_ours(&retry)) {
		if (form == MS)
			*timeout = retry.ms;
		else if (form == RELATIVE)
			*timeout = FG_RAW_ARGUMENT(retry.time);
	}
	fg_close(&opened);
	return result;
}

long fg_syscall_wait(long number, long *arguments)
{
	struct fg_wait wait;
	long result;

	if (waits[number].form != FUTEX || !fg_waits_wanted(FG_KIND_FUTEX) ||
		!futex_waits(number, arguments))
		return retried(number, arguments);
	fg_wait_begin(&wait, FG_KIND_FUTEX);
	result = retried(number, arguments);
	if (result >= 0 || result == -ETIMEDOUT || result == -EINTR)
		fg_wait_end(&wait);
	return result;
}
