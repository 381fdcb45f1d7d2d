/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the sampling signal out of the program's hands: it cannot block it, take its handler
 * (handlers.h) or wait for it. What the program believes of its mask is told back to it.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/real.h"
#include "gate/sampler/signal/handlers.h"
#include "gate/sampler/signal/held.h"
#include "gate/sampler/signal/quiet.h"
#include "gate/sampler/signal/retry.h"

/* The set without our signal; NULL stays NULL. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *copy)
{
	if (!set || !fg_signal)
		return set;
	*copy = *set;
	sigdelset(copy, fg_signal);
	return copy;
}

static int missing(void)
{
	errno = ENOSYS;
	return -1;
}

/* What the program will believe of our number once this has worked. */
static bool belief_after(int how, const sigset_t *set)
{
	if (!set || !fg_signal)
		return fg_mask_believed;
	if (how == SIG_SETMASK)
		return sigismember(set, fg_signal) == 1;
	return sigismember(set, fg_signal) == 1 ? how == SIG_BLOCK : fg_mask_believed;
}

static void tell_belief(sigset_t *old, bool belief)
{
	if (old && fg_signal) {
		if (fg_mask_believed)
			sigaddset(old, fg_signal);
		else
			sigdelset(old, fg_signal);
	}
	fg_mask_believed = belief;
	if (!belief)
		fg_held_release();
}

FG_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	bool belief = belief_after(how, set);
	sigset_t copy;
	int error;

	if (!fg_real_init())
		return ENOSYS;
	error = fg_real.pthread_sigmask(how, without_ours(set, &copy), old);
	if (error == 0)
		tell_belief(old, belief);
	return error;
}

FG_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	bool belief = belief_after(how, set);
	sigset_t copy;
	int result;

	if (!fg_real_init())
		return missing();
	result = fg_real.sigprocmask(how, without_ours(set, &copy), old);
	if (result == 0)
		tell_belief(old, belief);
	return result;
}

FG_EXPORT int sigaction(
	int number, const struct sigaction *restrict action, struct sigaction *restrict old)
{
	if (!fg_real_init())
		return missing();
	return fg_handlers_set(number, action, old, fg_real.sigaction);
}

static sighandler_t no_handler(int number, sighandler_t wanted)
{
	(void)number;
	(void)wanted;
	errno = ENOSYS;
	return SIG_ERR;
}

FG_EXPORT sighandler_t signal(int number, sighandler_t wanted)
{
	fg_real_init();
	return fg_handlers_set_simple(number, wanted, fg_real.signal ? fg_real.signal : no_handler);
}

FG_EXPORT sighandler_t sysv_signal(int number, sighandler_t wanted)
{
	fg_real_init();
	return fg_handlers_set_simple(
		number, wanted, fg_real.sysv_signal ? fg_real.sysv_signal : no_handler);
}

FG_EXPORT sighandler_t __sysv_signal(int number, sighandler_t wanted);
FG_EXPORT sighandler_t __sysv_signal(int number, sighandler_t wanted)
{
	return sysv_signal(number, wanted);
}

FG_EXPORT sighandler_t sigset(int number, sighandler_t wanted)
{
	fg_real_init();
	return fg_handlers_set_simple(number, wanted, fg_real.sigset ? fg_real.sigset : no_handler);
}

/*
 * sigtimedwait() without our signal, which is waited for among those that are held. One comes with
 * EINTR: the handler runs, and puts it there.
 */
static int wait_for(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	bool wants_ours = set && fg_signal && !fg_is_quiet() && sigismember(set, fg_signal) == 1;
	struct fg_retry retry;
	siginfo_t found;
	sigset_t copy;
	int result;

	fg_retry_begin_time(&retry, timeout);
	if (wants_ours)
		fg_held_wait_begin();
	do {
		if (wants_ours && fg_held_take(&found)) {
			if (info)
				*info = found;
			result = fg_signal;
			break;
		}
		result = fg_real.sigtimedwait(without_ours(set, &copy), info, retry.time);
	} while (result == -1 &&
		 (fg_retry_again(&retry) || (wants_ours && errno == EINTR && fg_held_any())));
	if (wants_ours)
		fg_held_wait_end();
	return result;
}

FG_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	return fg_real_init() ? wait_for(set, info, NULL) : missing();
}

FG_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
	const struct timespec *restrict timeout)
{
	return fg_real_init() ? wait_for(set, info, timeout) : missing();
}

/* Waits on whatever handlers run meanwhile. */
FG_EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
	int saved_errno = errno, result, error;

	if (!fg_real_init())
		return ENOSYS;
	do
		result = wait_for(set, NULL, NULL);
	while (result == -1 && errno == EINTR);
	error = errno;
	errno = saved_errno;
	if (result == -1)
		return error;
	*number = result;
	return 0;
}

/* A sample that the call itself has raised is none of the program's. */
FG_EXPORT int sigpending(sigset_t *set)
{
	uint64_t kernels = 0;

	FG_RAW3(SYS_rt_sigpending, &kernels, sizeof(kernels), 0);
	sigemptyset(set);
	memcpy(set, &kernels, sizeof(kernels));
	if (fg_signal && fg_mask_believed && fg_held_any())
		sigaddset(set, fg_signal);
	else if (fg_signal)
		sigdelset(set, fg_signal);
	return 0;
}

/* Our own stack for handlers is not the program's: where it has none, it sees none. */
FG_EXPORT int sigaltstack(const stack_t *restrict wanted, stack_t *restrict old)
{
	stack_t was;
	long result = FG_RAW3(SYS_sigaltstack, wanted, &was, 0);

	if (fg_raw_failed(result)) {
		errno = (int)-result;
		return -1;
	}
	if (fg_self && was.ss_sp == fg_self->alt_stack)
		was = (stack_t){.ss_flags = SS_DISABLE};
	if (old)
		*old = was;
	return 0;
}

FG_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t copy;

	if (!fg_real_init() || !fg_real.signalfd)
		return missing();
	return fg_real.signalfd(fd, without_ours(set, &copy), flags);
}
