/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the sampling signal out of the program's hands: it cannot block it, take its handler or
 * wait for it. A program that installs a handler for this number is told that it worked, and may
 * ask for it back; it is never called.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>

#include "gate/sampler/real.h"

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

FG_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sigset_t copy;

	if (!fg_real_init())
		return ENOSYS;
	return fg_real.pthread_sigmask(how, without_ours(set, &copy), old);
}

FG_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sigset_t copy;

	if (!fg_real_init())
		return missing();
	return fg_real.sigprocmask(how, without_ours(set, &copy), old);
}

/* What the program believes to be installed for our signal. */
static struct sigaction pretended;

static int pretend(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before = pretended;

	if (action)
		pretended = *action;
	if (old)
		*old = before;
	return 0;
}

FG_EXPORT int sigaction(
	int number, const struct sigaction *restrict action, struct sigaction *restrict old)
{
	struct sigaction copy;

	if (!fg_real_init())
		return missing();
	if (fg_signal && number == fg_signal)
		return pretend(action, old);
	if (action && fg_signal) {
		copy = *action;
		sigdelset(&copy.sa_mask, fg_signal);
		action = &copy;
	}
	return fg_real.sigaction(number, action, old);
}

typedef void (*handler)(int);

static handler pretend_handler(handler wanted)
{
	struct sigaction action = {.sa_handler = wanted}, old;

	pretend(&action, &old);
	return old.sa_handler;
}

static handler set_handler(handler (*real)(int, handler), int number, handler wanted)
{
	if (fg_signal && number == fg_signal)
		return pretend_handler(wanted);
	if (!real) {
		errno = ENOSYS;
		return SIG_ERR;
	}
	return real(number, wanted);
}

FG_EXPORT handler signal(int number, handler wanted)
{
	fg_real_init();
	return set_handler(fg_real.signal, number, wanted);
}

FG_EXPORT handler sysv_signal(int number, handler wanted)
{
	fg_real_init();
	return set_handler(fg_real.sysv_signal, number, wanted);
}

FG_EXPORT handler __sysv_signal(int number, handler wanted);
FG_EXPORT handler __sysv_signal(int number, handler wanted)
{
	return sysv_signal(number, wanted);
}

FG_EXPORT handler sigset(int number, handler wanted)
{
	fg_real_init();
	return set_handler(fg_real.sigset, number, wanted);
}

FG_EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
	sigset_t copy;

	if (!fg_real_init() || !fg_real.sigwait)
		return ENOSYS;
	return fg_real.sigwait(without_ours(set, &copy), number);
}

FG_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	sigset_t copy;

	if (!fg_real_init() || !fg_real.sigwaitinfo)
		return missing();
	return fg_real.sigwaitinfo(without_ours(set, &copy), info);
}

FG_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
	const struct timespec *restrict timeout)
{
	sigset_t copy;

	if (!fg_real_init())
		return missing();
	return fg_real.sigtimedwait(without_ours(set, &copy), info, timeout);
}

FG_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t copy;

	if (!fg_real_init() || !fg_real.signalfd)
		return missing();
	return fg_real.signalfd(fd, without_ours(set, &copy), flags);
}
