/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/unwind/unwind_guess.h"

#include "gate/sampler/unwind/cfi_rule.h"
#include "gate/sampler/unwind/code_arch.h"

enum {
	LOWEST_CODE = 4096,
	RECORD = 2 * FG_WORD,    /* a frame record: the frame pointer before, the return address */
	FURTHEST = 64 << 10,     /* a function's largest distance from its beginning */
	NEIGHBOURHOOD = 4 << 10, /* what is no further apart may be one function */
};

enum code {
	CODE_UNKNOWN, /* no loaded object: a JIT's memory, or nothing */
	CODE_RETURN,  /* an object's code, right behind a call */
	CODE_OTHER,   /* an object's, but nothing returns there */
};

static enum code classify(uint64_t pc)
{
	struct cfi_image image;
	const struct cfi_span *span;

	if (pc < LOWEST_CODE || !fg_cfi_image_at(pc - 1, &image))
		return CODE_UNKNOWN;
	span = fg_cfi_span(&image, pc - FG_CALL_BEFORE, FG_CALL_BEFORE + FG_CALL_BEHIND);
	if (!span || !span->code)
		return CODE_OTHER;
	return fg_code_follows_call(pc) ? CODE_RETURN : CODE_OTHER;
}

/* ---- code that has not saved where it returns to --------------------------------------------- */

/*
 * Code that has not moved the stack pointer far: a jump through a null pointer, a linkage stub
 * (at most two words pushed), an assembler leaf.
 */
static bool return_near_sp(const struct fg_stack *stack, struct fg_frame *frame, int words)
{
	uint64_t value;

	for (int i = 0; i < words; i++) {
		uint64_t at = frame->sp + (uint64_t)i * FG_WORD;

		if (!fg_stack_peek(stack, at, &value))
			return false;
		if (classify(value) == CODE_RETURN) {
			if (frame->fp == at - FG_WORD) /* it has just set up its record */
				fg_stack_peek(stack, frame->fp, &frame->fp);
			frame->pc = value;
			frame->sp = at + FG_WORD;
			return true;
		}
	}
	return false;
}

/* How many words on top of the stack may be where the code that is interrupted at pc returns to. */
static int words_near_sp(uint64_t pc)
{
	enum { IN_A_STUB = 3 };
	struct cfi_image image;
	const struct cfi_span *span;

	if (pc < LOWEST_CODE)
		return 1;
	span = fg_cfi_image_at(pc, &image) ? fg_cfi_span(&image, pc, 1) : NULL;
	if (!span)
		return 0;
	return fg_cfi_made_by_go(pc) ? fg_code_go_return_words(pc, span->low, span->high)
				     : IN_A_STUB;
}

static bool same_object(uint64_t a, uint64_t b)
{
	struct cfi_image image;

	return fg_cfi_image_at(a, &image) && fg_cfi_span(&image, b, 1);
}

/*
 * Code that has called something still holds the address which that call returned to: inside
 * itself. The call before a true return address leads to pc's function.
 */
static bool is_stale(uint64_t pc, uint64_t link)
{
	uint64_t target = fg_code_call_target(link);

	if (!same_object(pc, link))
		return false;
	if (target)
		return pc - target >= FURTHEST;
	return pc - link + NEIGHBOURHOOD < 2 * NEIGHBOURHOOD;
}

static bool return_in_link(const struct fg_stack *stack, struct fg_frame *frame)
{
	uint64_t link = fg_code_address(frame->spare), value;

	if (classify(link) != CODE_RETURN || is_stale(frame->pc, link))
		return false;
	/* A frame record that holds it says where sp will be, too. */
	if (frame->fp >= frame->sp && fg_stack_peek(stack, frame->fp + FG_WORD, &value) &&
		value == frame->spare && frame->fp != frame->sp)
		return false;
	frame->pc = link;
	frame->spare = FG_SPARE_DOUBTFUL_SP;
	return true;
}

/* ---- code that keeps a chain of frame records ------------------------------------------------ */

static bool is_frame_above(const struct fg_stack *stack, uint64_t fp, uint64_t below)
{
	uint64_t ignored;

	return fp % FG_WORD == 0 && fp >= below && fg_stack_peek(stack, fp, &ignored);
}

/*
 * Where makecontext() lets a coroutine's first function return to, and Go a goroutine's
 * (runtime.goexit): nothing has called from there.
 */
static bool is_planted(uint64_t pc)
{
	bool ignored;

	return fg_cfi_rule_at(pc, false, &ignored).kind == CFI_RULE_START || fg_cfi_made_by_go(pc);
}

/*
 * Go's runtime works on another stack than the goroutine that has called it, and C code that a
 * goroutine has called does, too: the frame pointer still leads to the goroutine's.
 */
static bool leads_to_another_stack(struct fg_stack *stack, const struct fg_frame *frame)
{
	uint64_t ignored;

	return frame->fp && frame->fp % FG_WORD == 0 && fg_cfi_made_by_go(frame->pc) &&
	       fg_stack_load(stack, frame->fp, &ignored) &&
	       !fg_stack_same(stack, frame->sp, frame->fp);
}

static bool plausible_return(const struct fg_stack *stack, uint64_t pc, uint64_t fp, uint64_t saved)
{
	switch (classify(pc)) {
	case CODE_RETURN:
		return true;
	case CODE_UNKNOWN:
		if (pc == 0)
			return saved == 0;
		return pc >= LOWEST_CODE && pc < FG_CODE_LIMIT &&
		       is_frame_above(stack, saved, fp + RECORD);
	default:
		/* The chain's end, or any function's address would do. */
		return saved == 0 && is_planted(pc);
	}
}

static bool frame_pointer(struct fg_stack *stack, struct fg_frame *frame)
{
	uint64_t saved, pc;

	if ((!is_frame_above(stack, frame->fp, frame->sp) &&
		    !leads_to_another_stack(stack, frame)) ||
		!fg_stack_peek(stack, frame->fp, &saved) ||
		!fg_stack_peek(stack, frame->fp + FG_WORD, &pc))
		return false;
	pc = fg_code_address(pc);
	if (!plausible_return(stack, pc, frame->fp, saved))
		return false;
	frame->sp = frame->fp + RECORD;
	frame->fp = saved;
	frame->pc = pc;
	/* aarch64's record lies at the frame's lower end, not right below the caller's. */
	if (FG_LINK_REGISTER)
		frame->spare = FG_SPARE_NO_SP;
	return true;
}

bool fg_guess_is_root(const struct fg_frame *frame)
{
	return frame->fp == 0 && fg_cfi_made_by_go(frame->pc);
}

bool fg_guess_caller(struct fg_stack *stack, struct fg_frame *frame, bool exact)
{
	if (FG_LINK_REGISTER)
		return (exact && return_in_link(stack, frame)) || frame_pointer(stack, frame);
	if ((exact || frame->pc < LOWEST_CODE) &&
		return_near_sp(stack, frame, words_near_sp(frame->pc)))
		return true;
	return frame_pointer(stack, frame);
}

bool fg_guess_is_signal_frame(const struct fg_stack *stack, const struct fg_frame *frame)
{
	uint64_t saved_fp, saved_link, fp, link;
	struct cfi_image image;

	if (!FG_LINK_REGISTER || frame->fp <= frame->sp || fg_cfi_image_at(frame->pc, &image))
		return false;
	return fg_stack_peek(stack, frame->sp + SIGNAL_FP, &saved_fp) &&
	       fg_stack_peek(stack, frame->sp + SIGNAL_SPARE, &saved_link) &&
	       fg_stack_peek(stack, frame->fp, &fp) &&
	       fg_stack_peek(stack, frame->fp + FG_WORD, &link) && fp == saved_fp &&
	       link == saved_link;
}
