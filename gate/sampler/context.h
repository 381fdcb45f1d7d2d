/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What depends on the processor, besides unwind information (cfi_arch.h) and system calls (raw.h):
 * an interrupted thread's registers, a call on another stack. Context: any.
 */
#ifndef FG_SAMPLER_CONTEXT_H
#define FG_SAMPLER_CONTEXT_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "gate/sampler/unwind.h"

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
		.bp = (uint64_t)saved[REG_RBP],
		.bx = (uint64_t)saved[REG_RBX],
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
				 "=m"((registers)->bp), "=m"((registers)->bx)                      \
				 :                                                                 \
				 : "rax");                                                         \
	} while (0)

/*
 * The signal came right behind a system call that it has ended with EINTR. Reads the instruction
 * before the interrupted one: it was just executed, so it is there.
 */
static inline bool fg_context_ended_call(const ucontext_t *context)
{
	const greg_t *saved = context->uc_mcontext.gregs;
	const unsigned char *pc = (const unsigned char *)(uintptr_t)saved[REG_RIP];

	return saved[REG_RAX] == -4 && pc[-2] == 0x0f && pc[-1] == 0x05;
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

#else
#error "context.h knows x86-64 only"
#endif

#endif
