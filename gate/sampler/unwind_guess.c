/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/unwind_guess.h"

#include "gate/sampler/cfi.h"

enum { LOWEST_CODE = 4096, LONGEST_CALL = 7 };

enum code {
	CODE_UNKNOWN, /* no loaded object: a JIT's memory, or nothing */
	CODE_RETURN,  /* an object's code, right behind a call */
	CODE_OTHER,   /* an object's, but nothing returns there */
};

/* Bytes of an indirect call (opcode FF /2) that begins at code, 0 if that is something else. */
static size_t indirect_call_size(const uint8_t *code)
{
	uint8_t mode = code[1] >> 6, rm = code[1] & 7;
	size_t size = 2;

	if (code[0] != 0xff || ((code[1] >> 3) & 7) != 2)
		return 0;
	if (mode != 3 && rm == 4)
		size += 1 + (mode == 0 && (code[2] & 7) == 5 ? 4u : 0u);
	if (mode == 1)
		size += 1;
	if (mode == 2 || (mode == 0 && rm == 5))
		size += 4;
	return size;
}

static bool follows_call(const uint8_t *code)
{
	if (code[-5] == 0xe8)
		return true;
	for (size_t size = 2; size <= LONGEST_CALL; size++)
		if (indirect_call_size(code - size) == size)
			return true;
	return false;
}

static enum code classify(uint64_t pc)
{
	struct cfi_image image;
	const struct cfi_span *span;

	if (pc < LOWEST_CODE || !fg_cfi_image_at(pc - 1, &image))
		return CODE_UNKNOWN;
	/* The byte at pc too: decoding a short form looks one byte further. */
	span = fg_cfi_span(&image, pc - LONGEST_CALL, LONGEST_CALL + 1);
	if (!span || !span->code)
		return CODE_OTHER;
	return follows_call((const uint8_t *)(uintptr_t)pc) ? CODE_RETURN : CODE_OTHER;
}

/*
 * Code that has not moved the stack pointer far: a jump through a null pointer, a linkage stub
 * (at most two words pushed), an assembler leaf.
 */
static bool return_near_sp(const struct fg_stack *stack, struct fg_frame *frame, int words)
{
	uint64_t value;

	for (int i = 0; i < words; i++) {
		if (!fg_stack_peek(stack, frame->sp + (uint64_t)i * 8, &value))
			return false;
		if (classify(value) == CODE_RETURN) {
			frame->pc = value;
			frame->sp += (uint64_t)(i + 1) * 8;
			return true;
		}
	}
	return false;
}

static bool is_frame_above(const struct fg_stack *stack, uint64_t bp, uint64_t below)
{
	uint64_t ignored;

	return bp % 8 == 0 && bp >= below && fg_stack_peek(stack, bp, &ignored);
}

static bool plausible_return(const struct fg_stack *stack, uint64_t pc, uint64_t bp, uint64_t saved)
{
	switch (classify(pc)) {
	case CODE_RETURN:
		return true;
	case CODE_UNKNOWN:
		if (pc == 0)
			return saved == 0;
		return pc >= LOWEST_CODE && pc < FG_CODE_LIMIT &&
		       is_frame_above(stack, saved, bp + 16);
	default:
		return false;
	}
}

static bool frame_pointer(const struct fg_stack *stack, struct fg_frame *frame)
{
	uint64_t saved, pc;

	if (!is_frame_above(stack, frame->bp, frame->sp) ||
		!fg_stack_peek(stack, frame->bp, &saved) ||
		!fg_stack_peek(stack, frame->bp + 8, &pc) ||
		!plausible_return(stack, pc, frame->bp, saved))
		return false;
	frame->sp = frame->bp + 16;
	frame->bp = saved;
	frame->pc = pc;
	return true;
}

bool fg_guess_caller(const struct fg_stack *stack, struct fg_frame *frame, bool exact)
{
	struct cfi_image image;

	if (frame->pc < LOWEST_CODE)
		return return_near_sp(stack, frame, 1) || frame_pointer(stack, frame);
	if (exact && fg_cfi_image_at(frame->pc, &image) && return_near_sp(stack, frame, 3))
		return true;
	return frame_pointer(stack, frame);
}
