/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What depends on the processor, besides unwind information (cfi_arch.h) and system calls (raw.h):
 * an interrupted thread's registers, a call on another stack, a handler's frame. Context: any.
 */
#ifndef FG_SAMPLER_CONTEXT_H
#define FG_SAMPLER_CONTEXT_H

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "gate/sampler/unwind/cfi_arch.h"
#include "gate/sampler/unwind/unwind.h"

#if defined(__x86_64__)

#define FG_ARCH EM_X86_64

static inline void fg_cpu_relax(void)
{
	__builtin_ia32_pause();
}

static inline void fg_registers_of(const ucontext_t *context, struct fg_registers *registers)
{
	const greg_t *saved = context->uc_mcontext.gregs;

	*registers = (struct fg_registers){
		.pc = (uint64_t)saved[REG_RIP],
		.sp = (uint64_t)saved[REG_RSP],
		.fp = (uint64_t)saved[REG_RBP],
		.spare = (uint64_t)saved[REG_RBX],
		.gregs = saved,
	};
}

/* The caller's own registers, as they are here: for walks from ordinary calls. */
#define FG_REGISTERS_HERE(registers)                                                               \
	do {                                                                                       \
		(registers)->gregs = NULL;                                                         \
		__asm__ volatile("leaq 0(%%rip), %%rax\n\t"                                        \
				 "movq %%rax, %0\n\t"                                              \
				 "movq %%rsp, %1\n\t"                                              \
				 "movq %%rbp, %2\n\t"                                              \
				 "movq %%rbx, %3"                                                  \
				 : "=m"((registers)->pc), "=m"((registers)->sp),                   \
				 "=m"((registers)->fp), "=m"((registers)->spare)                   \
				 :                                                                 \
				 : "rax");                                                         \
	} while (0)

/*
 * Did the signal come right behind a system call? Then what that call has returned. Reads the
 * instruction before the interrupted one, but not across a page's start: nothing may be there.
 * A sleep that a stop has interrupted is to be gone on with by restart_syscall(); a handler that
 * runs right before makes that return EINTR.
 */
static inline bool fg_context_behind_call(const ucontext_t *context, long *result)
{
	const greg_t *saved = context->uc_mcontext.gregs;
	const unsigned char *pc = (const unsigned char *)(uintptr_t)saved[REG_RIP];

	if (saved[REG_RAX] == SYS_restart_syscall && pc[0] == 0x0f && pc[1] == 0x05) {
		*result = -EINTR;
		return true;
	}
	if ((saved[REG_RIP] & 4095) < 2 || pc[-2] != 0x0f || pc[-1] != 0x05)
		return false;
	*result = (long)saved[REG_RAX];
	return true;
}

/* Calls function(argument) with the stack pointer at top (16-byte aligned). */
static inline void fg_call_on_stack(unsigned char *top, void (*function)(void *), void *argument)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[function]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(argument)
			 : [top] "r"(top), [function] "r"(function)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0",
			 "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
			 "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}

/* ---- a handler's frame: return address, ucontext, siginfo, and the vector registers above ---- */

#define FG_RED_ZONE 128 /* below the stack pointer, in use (System V ABI) */

/* Its lowest address, in a function that the kernel has called. */
#define FG_FRAME_HERE() ((unsigned char *)__builtin_dwarf_cfa() - sizeof(uint64_t))

static inline ucontext_t *fg_frame_context(unsigned char *frame)
{
	return (ucontext_t *)(void *)(frame + sizeof(uint64_t));
}

/* So many bytes of it have been copied from `from`: what points into it must point here. */
static inline void fg_frame_moved(unsigned char *frame, const unsigned char *from, uint64_t bytes)
{
	mcontext_t *saved = &fg_frame_context(frame)->uc_mcontext;
	uint64_t at = (uint64_t)(uintptr_t)saved->fpregs - (uint64_t)(uintptr_t)from;

	if (at < bytes)
		saved->fpregs = (fpregset_t)(void *)(frame + at);
}

/*
 * Leaves the function that the kernel has called behind, and calls the handler as the kernel would
 * have with its frame here.
 */
#define FG_FRAME_ENTER(frame, from, handler, number) fg_frame_enter((frame), (handler), (number))
static inline _Noreturn void fg_frame_enter(
	unsigned char *frame, void (*handler)(int, siginfo_t *, void *), int number)
{
	enum { SIGINFO_AT = 8 + 40 + 23 * 8 + 8 + 8 * 8 + 8 }; /* behind the kernel's ucontext */
	ucontext_t *context = fg_frame_context(frame);
	register greg_t r8 __asm__("r8") = context->uc_mcontext.gregs[REG_RBP];
	register void (*r9)(int, siginfo_t *, void *) __asm__("r9") = handler;

	__asm__ volatile(
		"movq %%rcx, %%rsp\n\t"
		"movq %%r8, %%rbp\n\t"
		"xorl %%eax, %%eax\n\t"
		"jmp *%%r9"
		:
		: "D"(number), "S"(frame + SIGINFO_AT), "d"(context), "c"(frame), "r"(r8), "r"(r9)
		: "memory");
	__builtin_unreachable();
}

#elif defined(__aarch64__)

#define FG_ARCH EM_AARCH64

static inline void fg_cpu_relax(void)
{
	__asm__ volatile("yield" ::: "memory");
}

/* regs, sp and pc lie one behind the other: the gregs that the unwinder counts through. */
static inline void fg_registers_of(const ucontext_t *context, struct fg_registers *registers)
{
	const mcontext_t *saved = &context->uc_mcontext;

	*registers = (struct fg_registers){
		.pc = saved->pc,
		.sp = saved->sp,
		.fp = saved->regs[29],
		.spare = saved->regs[30],
		.gregs = (const long long *)saved->regs,
	};
}

/* The caller's own registers, as they are here: for walks from ordinary calls. */
#define FG_REGISTERS_HERE(registers)                                                               \
	do {                                                                                       \
		(registers)->gregs = NULL;                                                         \
		__asm__ volatile("adr x9, .\n\t"                                                   \
				 "str x9, %0\n\t"                                                  \
				 "mov x9, sp\n\t"                                                  \
				 "str x9, %1\n\t"                                                  \
				 "str x29, %2\n\t"                                                 \
				 "str x30, %3"                                                     \
				 : "=m"((registers)->pc), "=m"((registers)->sp),                   \
				 "=m"((registers)->fp), "=m"((registers)->spare)                   \
				 :                                                                 \
				 : "x9");                                                          \
	} while (0)

/*
 * Did the signal come right behind a system call? Then what that call has returned. Reads the
 * instruction before the interrupted one, but not across a page's start: nothing may be there.
 * A sleep that a stop has interrupted is to be gone on with by restart_syscall(); a handler that
 * runs right before makes that return EINTR.
 */
static inline bool fg_context_behind_call(const ucontext_t *context, long *result)
{
	const mcontext_t *saved = &context->uc_mcontext;
	const uint32_t *pc = (const uint32_t *)(uintptr_t)saved->pc;

	if (saved->regs[8] == SYS_restart_syscall && pc[0] == 0xd4000001) {
		*result = -EINTR;
		return true;
	}
	if (saved->pc % 4096 == 0 || pc[-1] != 0xd4000001) /* svc #0 */
		return false;
	*result = (long)saved->regs[0];
	return true;
}

/* Calls function(argument) with the stack pointer at top (16-byte aligned). */
static inline void fg_call_on_stack(unsigned char *top, void (*function)(void *), void *argument)
{
	register void *x0 __asm__("x0") = argument;
	register unsigned char *to __asm__("x20") = top;
	register void (*call)(void *) __asm__("x21") = function;

	__asm__ volatile("mov x19, sp\n\t"
			 "mov sp, %[to]\n\t"
			 "blr %[call]\n\t"
			 "mov sp, x19"
			 : "+r"(x0)
			 : [to] "r"(to), [call] "r"(call)
			 : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
			 "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "v0", "v1",
			 "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
			 "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
			 "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}

/* ---- a handler's frame: siginfo, ucontext with the vector registers, a frame record on top --- */

#define FG_RED_ZONE 0

/* Its lowest address, in a function that the kernel has called. */
#define FG_FRAME_HERE() ((unsigned char *)__builtin_dwarf_cfa())

static inline ucontext_t *fg_frame_context(unsigned char *frame)
{
	return (ucontext_t *)(void *)(frame + sizeof(siginfo_t));
}

/* So many bytes of it have been copied from `from`: what points into it must point here. */
static inline void fg_frame_moved(unsigned char *frame, const unsigned char *from, uint64_t bytes)
{
	mcontext_t *saved = &fg_frame_context(frame)->uc_mcontext;
	unsigned char *at = saved->__reserved, *end = at + sizeof(saved->__reserved);

	(void)bytes;
	while (at < end) {
		struct _aarch64_ctx *record = (struct _aarch64_ctx *)(void *)at;

		if (record->magic == EXTRA_MAGIC)
			((struct extra_context *)(void *)at)->datap +=
				(uint64_t)(uintptr_t)frame - (uint64_t)(uintptr_t)from;
		if (!record->magic || !record->size)
			break;
		at += record->size;
	}
}

/*
 * Leaves the function that the kernel has called behind, and calls the handler as the kernel would
 * have with its frame here: with x29 at the frame's record, which moved along, and x30 at what the
 * function would have returned to.
 */
#define FG_FRAME_ENTER(frame, from, handler, number)                                               \
	fg_frame_enter((frame), (handler), (number),                                               \
		*(const uint64_t *)__builtin_frame_address(0) + (uint64_t)((frame) - (from)),      \
		fg_code_address((uint64_t)(uintptr_t)__builtin_return_address(0)))
static inline _Noreturn void fg_frame_enter(unsigned char *frame,
	void (*handler)(int, siginfo_t *, void *), int number, uint64_t record, uint64_t link)
{
	register long x0 __asm__("x0") = number;
	register unsigned char *x1 __asm__("x1") = frame;
	register ucontext_t *x2 __asm__("x2") = fg_frame_context(frame);
	register uint64_t x9 __asm__("x9") = record;
	register uint64_t x10 __asm__("x10") = link;
	register void (*x16)(int, siginfo_t *, void *) __asm__("x16") = handler;

	/* x16: the register that a function's landing pad takes jumps from. */
	__asm__ volatile("mov sp, x1\n\t"
			 "mov x29, x9\n\t"
			 "mov x30, x10\n\t"
			 "br x16"
			 :
			 : "r"(x0), "r"(x1), "r"(x2), "r"(x9), "r"(x10), "r"(x16)
			 : "memory");
	__builtin_unreachable();
}

#else
#error "context.h knows x86-64 and aarch64"
#endif

#endif
