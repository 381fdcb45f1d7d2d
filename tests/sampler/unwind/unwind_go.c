/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Go's linker makes, as far as a walk can tell: a note, code with frame pointers and without
 * unwind tables, a bottom that nothing has called from, and work on another stack. Compiled as
 * unwind_bare.c is.
 */
#include <stddef.h>

#include "tests/sampler/unwind/unwind_target.h"

__asm__(".pushsection .note.go.buildid,\"a\",%note\n"
	"	.p2align 2\n"
	"	.long 4, 4, 4\n"
	"	.ascii \"Go\\0\\0none\"\n"
	".popsection\n");

void go_begin(void *stack, void (*first)(void));
void go_system_stack(void *stack, void (*work)(void));
#if defined(__x86_64__)
__asm__(".text\n"
	"go_begin:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	mov %rsp, %rbx\n"
	"	mov %rdi, %rsp\n"
	"	lea 1+go_exit(%rip), %rax\n"
	"	push %rax\n"
	"	xor %ebp, %ebp\n"
	"	jmp *%rsi\n"
	"go_exit:\n"
	"	nop\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	"go_system_stack:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	mov %rdi, %rsp\n"
	"	call *%rsi\n"
	"	mov %rbp, %rsp\n"
	"	pop %rbp\n"
	"	ret\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".p2align 2\n"
	"go_begin:\n"
	"	stp x29, x30, [sp, #-32]!\n"
	"	str x19, [sp, #16]\n"
	"	mov x19, sp\n"
	"	mov sp, x0\n"
	"	adr x30, go_exit + 4\n"
	"	mov x29, xzr\n"
	"	br x1\n"
	"go_exit:\n"
	"	nop\n"
	"	mov sp, x19\n"
	"	ldr x19, [sp, #16]\n"
	"	ldp x29, x30, [sp], #32\n"
	"	ret\n"
	"go_system_stack:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"	mov sp, x0\n"
	"	blr x1\n"
	"	mov sp, x29\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n");
#endif

/*
 * Leaves as Go's compiler makes them, aligned and with int3 between them: one with a frame, at
 * whose lower end lies what an earlier call has returned to, in another function; one without a
 * frame.
 */
#if defined(__x86_64__)
void go_framed(void);
void go_frameless(void);
__asm__(".text\n"
	"	.p2align 5, 0xcc\n"
	"	int3\n"
	"	.p2align 5, 0xcc\n"
	"go_framed:\n"
	"	cmp $0, %rsp\n"
	"	je 3f\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $72, %rsp\n"
	"	lea 1+go_exit(%rip), %rax\n"
	"	mov %rax, (%rsp)\n"
	"	lea go_returned(%rip), %rax\n"
	"	mov %rax, 8(%rsp)\n"
	"	mov $100000, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	add $72, %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	"3:	call go_frameless\n"
	"go_returned:\n"
	"	jmp go_framed\n"
	"	int3\n"
	"	.p2align 5, 0xcc\n"
	"go_frameless:\n"
	"	mov $100000, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	ret\n"
	"	int3\n"
	"	.p2align 5, 0xcc\n");

static void (*volatile leaves[])(void) = {go_framed, go_frameless};

static ALONE void leaf_work(void)
{
	leaves[0]();
	leaves[1]();
	NO_TAIL_CALL;
}
#else
#define leaf_work NULL
#endif

/* The goroutine's lies below the other, as Go's do: the way leads downwards, and far. */
enum { STACK_BYTES = 256 << 10 };
enum { GOROUTINE, SYSTEM };
static _Alignas(64) char stacks[2][STACK_BYTES];
static callback work;
static bool (*goes_on)(void);

static ALONE void system_work(void)
{
	work();
	NO_TAIL_CALL;
}

static ALONE void goroutine_work(void)
{
	go_system_stack(stacks[SYSTEM] + STACK_BYTES, system_work);
	NO_TAIL_CALL;
}

static ALONE void goroutine_main(void)
{
	while (goes_on())
		goroutine_work();
	NO_TAIL_CALL;
}

/* Without work of the caller's it is the leaves'. */
void go_run(bool (*wanted_on)(void), callback wanted_work);
void go_run(bool (*wanted_on)(void), callback wanted_work)
{
	goes_on = wanted_on;
	work = wanted_work ? wanted_work : leaf_work;
	go_begin(stacks[GOROUTINE] + STACK_BYTES, goroutine_main);
	NO_TAIL_CALL;
}
