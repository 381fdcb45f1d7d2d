/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of the program's own making, and code that it writes itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/sampler/unwind/unwind_target.h"

enum { STACK_BYTES = 256 << 10 };

static void *new_stack(void)
{
	void *stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		abort();
	return stack;
}

/* ---- the C library's contexts ---------------------------------------------------------------- */

static ucontext_t main_context, other_context;

static ALONE void coroutine_work(int depth)
{
	if (depth)
		coroutine_work(depth - 1);
	else
		burn_step();
	NO_TAIL_CALL;
}

static void coroutine(void)
{
	for (;;) {
		coroutine_work(5);
		swapcontext(&other_context, &main_context);
	}
}

static void make_context(ucontext_t *context, void (*function)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = new_stack();
	context->uc_stack.ss_size = STACK_BYTES;
	context->uc_link = NULL;
	makecontext(context, function, 0);
}

void mode_ucontext(void)
{
	make_context(&other_context, coroutine);
	while (time_left())
		swapcontext(&main_context, &other_context);
}

static void context_main(void)
{
	while (time_left())
		coroutine_work(5);
	setcontext(&main_context);
}

void mode_set_context(void)
{
	make_context(&other_context, context_main);
	swapcontext(&main_context, &other_context);
}

/* ---- a switch like that of coroutine libraries: saved registers, and a new stack pointer ----- */

void switch_stack(void **from, void *to);
#if defined(__x86_64__)
__asm__(".text\n"
	"switch_stack:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n");
/* Six registers, where to begin, and where that one returns to: nowhere. */
enum { SAVED_WORDS = 9, ENTRY_WORD = 6 };
#elif defined(__aarch64__)
__asm__(".text\n"
	".p2align 2\n"
	"switch_stack:\n"
	"	stp x29, x30, [sp, #-96]!\n"
	"	stp x19, x20, [sp, #16]\n"
	"	stp x21, x22, [sp, #32]\n"
	"	stp x23, x24, [sp, #48]\n"
	"	stp x25, x26, [sp, #64]\n"
	"	stp x27, x28, [sp, #80]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #16]\n"
	"	ldp x21, x22, [sp, #32]\n"
	"	ldp x23, x24, [sp, #48]\n"
	"	ldp x25, x26, [sp, #64]\n"
	"	ldp x27, x28, [sp, #80]\n"
	"	ldp x29, x9, [sp], #96\n"
	"	mov x30, xzr\n" /* only for the first time: who returns has it on its stack */
	"	br x9\n");
enum { SAVED_WORDS = 14, ENTRY_WORD = 1 };
#endif

static void *main_sp, *other_sp;

static ALONE void switched_work(int depth)
{
	if (depth)
		switched_work(depth - 1);
	else
		burn_step();
	NO_TAIL_CALL;
}

static ALONE void switched_main(void)
{
	for (;;) {
		switched_work(5);
		switch_stack(&other_sp, main_sp);
	}
}

void mode_switch(void)
{
	uint64_t *top = (uint64_t *)((char *)new_stack() + STACK_BYTES);
	void (*entry)(void) = switched_main;

	top -= SAVED_WORDS + SAVED_WORDS % 2;
	memcpy(&top[ENTRY_WORD], &entry, sizeof(entry));
	other_sp = top;
	while (time_left())
		switch_stack(&main_sp, other_sp);
}

/* ---- code written at run time, with frame pointers as compilers for languages do ------------- */

#if defined(__x86_64__)
/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const uint8_t generated_code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
#elif defined(__aarch64__)
/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
static const uint32_t generated_code[] = {
	0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0};
#endif

static void (*generated)(callback);

static ALONE void under_generated(void)
{
	burn_step();
	NO_TAIL_CALL;
}

/* Generated code calls compiled code that calls generated code. */
static ALONE void between_generated(void)
{
	generated(under_generated);
	NO_TAIL_CALL;
}

void mode_generated(void)
{
	void *code = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		abort();
	memcpy(code, generated_code, sizeof(generated_code));
	__builtin___clear_cache((char *)code, (char *)code + sizeof(generated_code));
	memcpy(&generated, &code, sizeof(code));
	while (time_left())
		generated(between_generated);
}
