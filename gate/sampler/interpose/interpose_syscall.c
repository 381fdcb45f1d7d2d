/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall(). A clone that shares memory may return twice on one stack, or on a stack of its own: it
 * is made in interpose_clone.c, where no frame is in the way. Arguments that the caller has not
 * passed are whatever lies there; the kernel does not look at them.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/signal/handlers.h"
#include "gate/sampler/signal/quiet.h"
#include "gate/sampler/signal/retry.h"
#include "gate/sampler/waits/syscalls.h"

#define MASK_BYTES 8

static long straight(long number, const long *a)
{
	return fg_raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* -1 and errno as the kernel's number. */
static long from_errno(long result)
{
	return result == -1 ? -errno : result;
}

/* By the C library's function of this name, which is ours; errno is set when it fails alone. */
static long by_close(long number, long *a)
{
	if (fg_threads_own_fd((int)a[0]))
		return -EBADF;
	return straight(number, a);
}

static long by_close_range(long number, long *a)
{
	(void)number;
	return from_errno(close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]));
}

static long by_dup(long number, long *a)
{
	return from_errno(number == SYS_dup3 ? dup3((int)a[0], (int)a[1], (int)a[2])
					     : dup2((int)a[0], (int)a[1]));
}

static long by_sigaction(long number, long *a)
{
	if (a[3] != MASK_BYTES)
		return straight(number, a);
	return fg_handlers_set_raw(
		(int)a[0], (const struct fg_kernel_action *)a[1], (struct fg_kernel_action *)a[2]);
}

/* The C library's set is longer than the kernel's. */
static const sigset_t *widen(long pointer, sigset_t *set)
{
	if (!pointer)
		return NULL;
	sigemptyset(set);
	memcpy(set, (const void *)pointer, MASK_BYTES);
	return set;
}

static long by_sigprocmask(long number, long *a)
{
	sigset_t set, old;
	long result;

	if (a[3] != MASK_BYTES)
		return straight(number, a);
	result = from_errno(sigprocmask((int)a[0], widen(a[1], &set), &old));
	if (result == 0 && a[2])
		memcpy((void *)a[2], &old, MASK_BYTES);
	return result;
}

static long by_sigtimedwait(long number, long *a)
{
	sigset_t set;

	if (a[3] != MASK_BYTES || !a[0])
		return straight(number, a);
	return from_errno(
		sigtimedwait(widen(a[0], &set), (siginfo_t *)a[1], (const struct timespec *)a[2]));
}

static long by_altstack(long number, long *a)
{
	(void)number;
	return from_errno(sigaltstack((const stack_t *)a[0], (stack_t *)a[1]));
}

/* signalfd and signalfd4: the latter has flags. */
static long by_signalfd(long number, long *a)
{
	uint64_t set;

	if (a[2] != MASK_BYTES || !a[1] || !fg_signal)
		return straight(number, a);
	memcpy(&set, (const void *)a[1], sizeof(set));
	set &= ~(UINT64_C(1) << (fg_signal - 1));
	return FG_RAW6(number, a[0], &set, a[2], a[3], 0, 0);
}

static long by_namespace(long number, long *a)
{
	return from_errno(number == SYS_setns ? setns((int)a[0], (int)a[1]) : unshare((int)a[0]));
}

static long by_exec(long number, long *a)
{
	struct fg_exec_guard guard;
	long result;

	fg_exec_before(&guard);
	result = straight(number, a);
	fg_exec_failed(&guard);
	return result;
}

/* A child with memory of its own, and so on this stack. */
static long by_fork(long number, long *a)
{
	bool shares_files = number == SYS_clone && a[0] & CLONE_FILES;
	long result;

	fg_fork_before();
	result = straight(number, a);
	if (result == 0 && !shares_files)
		fg_fork_child();
	else
		fg_fork_parent();
	return result;
}

/* A filter may end the process at the next call of ours: we fall silent before (quiet.h). */
static long by_filter(long number, long *a)
{
	if (number == SYS_seccomp ? a[0] <= SECCOMP_SET_MODE_FILTER : a[0] == PR_SET_SECCOMP)
		fg_quiet();
	return straight(number, a);
}

static long (*const rules[])(long, long *) = {
	[SYS_close] = by_close,
	[SYS_dup3] = by_dup,
	[SYS_rt_sigaction] = by_sigaction,
	[SYS_rt_sigprocmask] = by_sigprocmask,
	[SYS_rt_sigtimedwait] = by_sigtimedwait,
	[SYS_sigaltstack] = by_altstack,
	[SYS_signalfd4] = by_signalfd,
	[SYS_prctl] = by_filter,
	[SYS_seccomp] = by_filter,
	[SYS_unshare] = by_namespace,
	[SYS_setns] = by_namespace,
	[SYS_execve] = by_exec,
	[SYS_execveat] = by_exec,
	[SYS_clone] = by_fork,
#ifdef SYS_clone3
	[SYS_clone3] = by_fork,
#endif
#ifdef SYS_close_range
	[SYS_close_range] = by_close_range,
#endif
#ifdef SYS_fork
	[SYS_fork] = by_fork,
	[SYS_dup2] = by_dup,
	[SYS_signalfd] = by_signalfd,
#endif
};
#define RULES ((long)(sizeof(rules) / sizeof(rules[0])))

/* One that is ended by our signal and that nobody knows how to go on with. */
static long watched(long number, const long *a)
{
	struct fg_retry retry;
	long result;

	fg_retry_begin(&retry);
	result = straight(number, a);
	if (result == -EINTR)
		fg_retry_give_up(&retry);
	return result;
}

static long dispatch(long number, long *a)
{
	if (!fg_process_is_ours(false))
		return straight(number, a);
	if (number >= 0 && number < RULES && rules[number])
		return rules[number](number, a);
	if (fg_syscall_waits(number))
		return fg_syscall_wait(number, a);
	return watched(number, a);
}

long fg_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long arguments[FG_CALL_ARGUMENTS] = {a, b, c, d, e, f};
	int saved_errno = errno;
	long result = dispatch(number, arguments);

	if (fg_raw_failed(result)) {
		errno = (int)-result;
		return -1;
	}
	errno = saved_errno;
	return result;
}

/* Like the kernel, it gets five numbers from everybody and looks at those that it needs. */
FG_EXPORT int prctl(int option, ...)
{
	long a[FG_CALL_ARGUMENTS] = {option};
	va_list list;

	va_start(list, option);
	for (int i = 1; i < 5; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	return (int)fg_syscall(SYS_prctl, a[0], a[1], a[2], a[3], a[4], 0);
}
