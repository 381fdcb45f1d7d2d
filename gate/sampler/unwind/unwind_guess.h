/* SPDX-License-Identifier: Apache-2.0 */
/* One step without unwind information: by what compilers and calling conventions leave behind. */
#ifndef FG_SAMPLER_UNWIND_GUESS_H
#define FG_SAMPLER_UNWIND_GUESS_H

#include "gate/sampler/unwind/cfi_arch.h"
#include "gate/sampler/unwind/unwind_stack.h"

/* The registers of one frame. */
struct fg_frame {
	uint64_t pc, sp, fp, spare;
};

/*
 * With a link register, which a frame that was not interrupted cannot know, spare says instead what
 * is known of it. An address is never so small.
 */
enum {
	FG_SPARE_UNKNOWN,
	FG_SPARE_NO_SP, /* sp is only a lower bound: the frame was found by its frame pointer */
	FG_SPARE_DOUBTFUL_SP, /* what the link register led here from may have moved sp */
	FG_SPARE_STATES
};

/*
 * Replaces frame by its caller's if there is a plausible one. `exact`: frame's pc is where
 * execution stands, so that a callee may not have set up its frame yet. A frame pointer chain's end
 * (a zero return address below a zero frame pointer) gives pc 0. Context: handler.
 */
bool fg_guess_caller(struct fg_stack *stack, struct fg_frame *frame, bool exact);

/* Is this return address the last? Only Go's code says so, by its frame pointer. */
bool fg_guess_is_root(const struct fg_frame *frame);

/*
 * Has a handler returned to this frame, in memory that no object holds? Known by the frame record
 * that aarch64's kernel leaves next to the signal's frame; elsewhere never.
 */
bool fg_guess_is_signal_frame(const struct fg_stack *stack, const struct fg_frame *frame);

#endif
