/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clone(), and the way into syscall(). A clone by syscall() that shares memory returns a second
 * time on whatever stack its caller has prepared, and may (like vfork) use up ours below the return
 * address: between the kernel and the caller's own code there must be nothing. All others go on to
 * interpose_syscall.c.
 *
 * A thread that is made here is sampled like any other: the maker tells (fg_thread_adopt), the
 * thread itself may have no thread-local storage that we could touch.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdarg.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/real.h"
#include "gate/sampler/waits/syscalls.h"

/* Called from the stub below. */
bool fg_clone_shares_memory(long number, long first, long second) __attribute__((used));
long fg_clone_made(long result) __attribute__((used));

static bool shares_memory(long number, long first, long second)
{
	if (number == SYS_clone)
		return first & CLONE_VM;
#ifdef SYS_vfork
	if (number == SYS_vfork)
		return true;
#endif
	if (number != SYS_clone3 || !first || (unsigned long)second < sizeof(uint64_t))
		return false;
	return ((const struct clone_args *)first)->flags & CLONE_VM;
}

bool fg_clone_shares_memory(long number, long first, long second)
{
	bool shares = shares_memory(number, first, second);

	if (shares)
		fg_thread_births(1);
	return shares;
}

static void adopt(pid_t child)
{
	int saved_errno = errno;

	if (fg_process_is_ours(true) && FG_RAW3(SYS_tgkill, getpid(), child, 0) == 0)
		fg_thread_adopt(child);
	errno = saved_errno;
}

/* In the parent. */
long fg_clone_made(long result)
{
	if (fg_raw_failed(result)) {
		errno = (int)-result;
		result = -1;
	} else {
		adopt((pid_t)result);
	}
	fg_thread_births(-1);
	return result;
}

#if defined(__x86_64__)
/* The kernel's arguments are one place further than syscall()'s, and the fourth is in r10. */
__asm__(".text\n\t"
	".p2align 4\n\t"
	".globl syscall\n\t"
	".type syscall, @function\n"
	"syscall:\n\t"
	".cfi_startproc\n\t"
	"cmpl $56, %edi\n\t" /* clone */
	"je 1f\n\t"
	"cmpl $58, %edi\n\t" /* vfork */
	"je 1f\n\t"
	"cmpl $435, %edi\n\t" /* clone3 */
	"je 1f\n\t"
	"jmp fg_syscall\n"
	"1:\n\t"
	"pushq %rdi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rsi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rdx\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rcx\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %r8\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %r9\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"subq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"call fg_clone_shares_memory\n\t"
	"addq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %r9\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %r8\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rcx\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rdx\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rsi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rdi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"testb %al, %al\n\t"
	"je fg_syscall\n\t"
	"movq %rdi, %rax\n\t"
	"movq %rsi, %rdi\n\t"
	"movq %rdx, %rsi\n\t"
	"movq %rcx, %rdx\n\t"
	"movq %r8, %r10\n\t"
	"movq %r9, %r8\n\t"
	"movq 8(%rsp), %r9\n\t"
	"syscall\n\t"
	"testq %rax, %rax\n\t"
	"je 2f\n\t"
	"movq %rax, %rdi\n\t"
	"jmp fg_clone_made\n"
	"2:\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size syscall, .-syscall\n\t");
#elif defined(__aarch64__)
__asm__(".text\n\t"
	".p2align 4\n\t"
	".globl syscall\n\t"
	".type syscall, @function\n"
	"syscall:\n\t"
	".cfi_startproc\n\t"
	"cmp w0, #220\n\t" /* clone */
	"b.eq 1f\n\t"
	"cmp w0, #435\n\t" /* clone3 */
	"b.eq 1f\n\t"
	"b fg_syscall\n"
	"1:\n\t"
	"stp x29, x30, [sp, #-80]!\n\t"
	".cfi_def_cfa_offset 80\n\t"
	".cfi_offset 29, -80\n\t"
	".cfi_offset 30, -72\n\t"
	"stp x0, x1, [sp, #16]\n\t"
	"stp x2, x3, [sp, #32]\n\t"
	"stp x4, x5, [sp, #48]\n\t"
	"str x6, [sp, #64]\n\t"
	"bl fg_clone_shares_memory\n\t"
	"mov w9, w0\n\t"
	"ldp x0, x1, [sp, #16]\n\t"
	"ldp x2, x3, [sp, #32]\n\t"
	"ldp x4, x5, [sp, #48]\n\t"
	"ldr x6, [sp, #64]\n\t"
	"ldp x29, x30, [sp], #80\n\t"
	".cfi_restore 29\n\t"
	".cfi_restore 30\n\t"
	".cfi_def_cfa_offset 0\n\t"
	"tbz w9, #0, 3f\n\t"
	"mov x8, x0\n\t"
	"mov x0, x1\n\t"
	"mov x1, x2\n\t"
	"mov x2, x3\n\t"
	"mov x3, x4\n\t"
	"mov x4, x5\n\t"
	"mov x5, x6\n\t"
	"svc #0\n\t"
	"cbz x0, 2f\n\t"
	"b fg_clone_made\n"
	"2:\n\t"
	"ret\n"
	"3:\n\t"
	"b fg_syscall\n\t"
	".cfi_endproc\n\t"
	".size syscall, .-syscall\n\t");
#else
#error "interpose_clone.c knows x86-64 and aarch64 only"
#endif

/* A child with memory of its own is a fork, on another stack. */
struct forked {
	int (*function)(void *);
	void *argument;
	bool is_sampled;
};

static int run_forked(void *opaque)
{
	const struct forked *forked = opaque;

	if (forked->is_sampled)
		fg_fork_child();
	else
		fg_fork_parent(); /* it opens the signal again, as it was */
	return forked->function(forked->argument);
}

struct rest {
	void *parent_tid, *tls, *child_tid;
};

static int clone_fork(
	int (*function)(void *), void *stack, int flags, void *argument, const struct rest *rest)
{
	struct forked forked = {function, argument, !(flags & CLONE_FILES)};
	int child;

	fg_fork_before();
	child = fg_real.clone(
		run_forked, stack, flags, &forked, rest->parent_tid, rest->tls, rest->child_tid);
	fg_fork_parent();
	return child;
}

/* What the caller has not passed the kernel is not told to look at. */
FG_EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	struct rest rest;
	va_list list;
	int child;

	va_start(list, argument);
	rest.parent_tid = va_arg(list, void *);
	rest.tls = va_arg(list, void *);
	rest.child_tid = va_arg(list, void *);
	va_end(list);
	if (!fg_real_init() || !fg_real.clone)
		return errno = ENOSYS, -1;
	if (function && stack && !(flags & CLONE_VM) && fg_process_is_ours(true))
		return clone_fork(function, stack, flags, argument, &rest);
	fg_thread_births(1);
	child = fg_real.clone(
		function, stack, flags, argument, rest.parent_tid, rest.tls, rest.child_tid);
	if (child > 0 && flags & CLONE_THREAD)
		adopt(child);
	fg_thread_births(-1);
	return child;
}
