/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of unusual form. */
#include "tests/sampler/unwind/unwind_target.h"

#include <alloca.h>
#include <setjmp.h>
#include <stddef.h>

static volatile unsigned long sink;

/*
 * Locals that need more alignment than the stack has, of a size known only here, and arguments on
 * the stack: on x86-64 the frame's address is saved in it and restored from there.
 */
#ifdef __x86_64__
__attribute__((target("avx2")))
#endif
ALONE static long
aligned_frames(int depth, long b, long c, long d, long e, long f, long g, long h)
{
	char over_aligned[64] __attribute__((aligned(64)));
	volatile char *room = alloca((size_t)depth * 16 + 1);
	long result = 0;

	room[0] = over_aligned[0] = (char)depth;
	__asm__ volatile("" ::"r"(over_aligned) : "memory");
	if (depth)
		result = aligned_frames(depth - 1, b, c, d, e, f, g, h);
	else
		burn_step();
	__asm__ volatile("" ::"r"(over_aligned), "r"(room) : "memory");
	return result + room[0] + g + h;
}

void mode_aligned(void)
{
	while (time_left())
		aligned_frames(5, 2, 3, 4, 5, 6, 7, 8);
}

static ALONE void variable_frames(int depth)
{
	volatile char room[depth * 100 + 1];

	room[depth] = 1;
	if (depth)
		variable_frames(depth - 1);
	else
		burn_step();
	sink += (unsigned long)room[depth];
}

void mode_variable(void)
{
	while (time_left())
		variable_frames(5);
}

/* Larger than what a packed rule describes on aarch64. */
static ALONE void large_frames(int depth)
{
	volatile char room[20000];

	room[depth] = 1;
	if (depth)
		large_frames(depth - 1);
	else
		burn_step();
	sink += (unsigned long)room[depth];
}

void mode_large(void)
{
	while (time_left())
		large_frames(4);
}

/* Jumped to: it has replaced its caller. */
static ALONE void tail_last(void)
{
	burn_step();
	NO_TAIL_CALL;
}

static ALONE void tail_first(void)
{
	sink++;
	tail_last();
}

static ALONE void tail_caller(void)
{
	tail_first();
	NO_TAIL_CALL;
}

void mode_tail(void)
{
	while (time_left())
		tail_caller();
}

static ALONE int deep_frames(int depth)
{
	int result = 0;

	if (depth)
		result = deep_frames(depth - 1);
	else
		while (time_left())
			burn_step();
	NO_TAIL_CALL;
	return result + 1;
}

void mode_deep(void)
{
	sink += (unsigned long)deep_frames(100000);
}

static jmp_buf jump_buffer;

static ALONE void jump_back(void)
{
	burn_step();
	longjmp(jump_buffer, 1);
}

static ALONE void jump_from(int depth)
{
	if (depth)
		jump_from(depth - 1);
	else
		jump_back();
	NO_TAIL_CALL;
}

static ALONE void jump_caller(void)
{
	if (!setjmp(jump_buffer))
		jump_from(8);
	NO_TAIL_CALL;
}

void mode_jump(void)
{
	while (time_left())
		jump_caller();
}

static ALONE void under_bare(void)
{
	burn_step();
	NO_TAIL_CALL;
}

void mode_bare(void)
{
	while (time_left())
		bare_outer(under_bare);
}
