/* SPDX-License-Identifier: Apache-2.0 */
/* One step without unwind information: by what compilers and calling conventions leave behind. */
#ifndef FG_SAMPLER_UNWIND_GUESS_H
#define FG_SAMPLER_UNWIND_GUESS_H

#include "gate/sampler/unwind_stack.h"

/* The registers of one frame. */
struct fg_frame {
	uint64_t pc, sp, bp, bx;
};

/*
 * Replaces frame by its caller's if there is a plausible one. `exact`: frame's pc is where
 * execution stands, so that a callee may not have set up its frame yet. A frame pointer chain's end
 * (a zero return address below a zero frame pointer) gives pc 0. Context: handler.
 */
bool fg_guess_caller(const struct fg_stack *stack, struct fg_frame *frame, bool exact);

#endif
