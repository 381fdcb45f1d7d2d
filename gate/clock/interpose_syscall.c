/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall(), by which Rust's library waits and some programs read clocks. Calls that have nothing
 * to do with time jump on without a frame of ours: some of them return twice.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "gate/clock/clock.h"
#include "gate/sampler/raw.h"

#define WATCHED 512
#define FUTEX_LOCK_PI_MONOTONIC 13 /* FUTEX_LOCK_PI2, which older headers do not have */

long fg_clock_syscall(long number, long a, long b, long c, long d, long e, long f)
	__attribute__((used, visibility("hidden")));
static long early(long number, ...);

/* Used by the stub below. Not 0: the call is one of time's. */
__attribute__((used, visibility("hidden"))) const unsigned char fg_clock_watched[WATCHED] = {
	[SYS_clock_gettime] = 1,
	[SYS_gettimeofday] = 1,
#ifdef SYS_time
	[SYS_time] = 1,
#endif
	[SYS_times] = 1,
	[SYS_getrusage] = 1,
	[SYS_clock_nanosleep] = 1,
	[SYS_futex] = 1,
#ifdef SYS_futex_waitv
	[SYS_futex_waitv] = 1,
#endif
	[SYS_timer_settime] = 1,
	[SYS_timerfd_settime] = 1,
	[SYS_mq_timedsend] = 1,
	[SYS_mq_timedreceive] = 1,
#ifdef SYS_io_uring_setup
	[SYS_io_uring_setup] = 1,
#endif
};
__attribute__((used, visibility("hidden"))) long (*fg_clock_real_syscall)(long, ...) = early;

/* Before the constructor. */
static long early(long number, ...)
{
	long a[6], result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	result = fg_raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (!fg_raw_failed(result))
		return result;
	errno = (int)-result;
	return -1;
}

__attribute__((constructor)) static void look_up(void)
{
	long (*found)(long, ...) = NULL;

	fg_clock_look_up(&found, "syscall");
	if (found)
		fg_clock_real_syscall = found;
}

/* The deadline of a futex operation, if it has an absolute one. */
static bool futex_clock(long operation, clockid_t *clock)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI_MONOTONIC:
		*clock = operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
		return true;
	case FUTEX_LOCK_PI:
		*clock = CLOCK_REALTIME;
		return true;
	default:
		return false;
	}
}

static long shift(clockid_t clock, long until, struct timespec *storage)
{
	return (long)fg_clock_deadline(clock, (const struct timespec *)until, storage);
}

/* By the C library's function of this name, which is ours. */
static bool answer(long number, long a, long b, long *result)
{
	switch (number) {
	case SYS_clock_gettime:
		*result = clock_gettime((clockid_t)a, (struct timespec *)b);
		return true;
	case SYS_gettimeofday:
		*result = gettimeofday((struct timeval *)a, (struct timezone *)b);
		return true;
#ifdef SYS_time
	case SYS_time:
		*result = time((time_t *)a);
		return true;
#endif
	case SYS_times:
		*result = times((struct tms *)a);
		return true;
	case SYS_getrusage:
		*result = getrusage((int)a, (struct rusage *)b);
		return true;
	default:
		return false;
	}
}

long fg_clock_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	struct timespec storage;
	struct itimerspec timer;
	clockid_t clock;
	long result;

	if (!fg_clock_page())
		return fg_clock_real_syscall(number, a, b, c, d, e, f);
	if (answer(number, a, b, &result))
		return result;
	if (number == SYS_futex && futex_clock(b, &clock))
		d = shift(clock, d, &storage);
	if (number == SYS_mq_timedsend || number == SYS_mq_timedreceive)
		e = shift(CLOCK_REALTIME, e, &storage);
	if (number == SYS_clock_nanosleep && b & TIMER_ABSTIME)
		c = shift((clockid_t)a, c, &storage);
	/* Of both kinds of timers it is the same bit. */
	if ((number == SYS_timer_settime || number == SYS_timerfd_settime) && b & TIMER_ABSTIME)
		c = (long)fg_clock_timer((const struct itimerspec *)c, &timer);
#ifdef SYS_futex_waitv
	if (number == SYS_futex_waitv)
		d = shift((clockid_t)e, d, &storage);
#endif
#ifdef SYS_io_uring_setup
	if (number == SYS_io_uring_setup)
		fg_clock_trouble(FG_CLOCK_TROUBLE_DEADLINE);
#endif
	return fg_clock_real_syscall(number, a, b, c, d, e, f);
}

#if defined(__x86_64__)
__asm__(".text\n\t"
	".p2align 4\n\t"
	".globl syscall\n\t"
	".type syscall, @function\n"
	"syscall:\n\t"
	".cfi_startproc\n\t"
	"cmpq $511, %rdi\n\t"
	"ja 1f\n\t"
	"leaq fg_clock_watched(%rip), %rax\n\t"
	"cmpb $0, (%rax,%rdi)\n\t"
	"jne fg_clock_syscall\n"
	"1:\n\t"
	"jmpq *fg_clock_real_syscall(%rip)\n\t"
	".cfi_endproc\n\t"
	".size syscall, .-syscall\n");
#elif defined(__aarch64__)
__asm__(".text\n\t"
	".p2align 4\n\t"
	".globl syscall\n\t"
	".type syscall, @function\n"
	"syscall:\n\t"
	".cfi_startproc\n\t"
	"cmp x0, #511\n\t"
	"b.hi 1f\n\t"
	"adrp x16, fg_clock_watched\n\t"
	"add x16, x16, :lo12:fg_clock_watched\n\t"
	"ldrb w16, [x16, x0]\n\t"
	"cbnz w16, 2f\n"
	"1:\n\t"
	"adrp x16, fg_clock_real_syscall\n\t"
	"ldr x16, [x16, :lo12:fg_clock_real_syscall]\n\t"
	"br x16\n"
	"2:\n\t"
	"b fg_clock_syscall\n\t"
	".cfi_endproc\n\t"
	".size syscall, .-syscall\n");
#endif
