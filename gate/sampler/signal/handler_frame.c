/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/signal/handler_frame.h"

#include <stdbool.h>
#include <string.h>

#include "gate/sampler/context.h"
#include "gate/sampler/sampler.h"

#define ALIGNMENT 64 /* of the saved vector registers, the largest in a frame */

static bool frames_stay;

void fg_handler_frames_stay(void)
{
	__atomic_store_n(&frames_stay, true, __ATOMIC_RELAXED);
}

/*
 * Looks at thread-local storage last: a thread made by a raw clone may have none, but then our
 * stack is not its either. A frame that interrupts another one there has nowhere to go.
 */
static bool is_on_our_stack(const unsigned char *frame, const stack_t *stack, uint64_t interrupted)
{
	uint64_t low = (uint64_t)(uintptr_t)stack->ss_sp;

	return stack->ss_size == FG_ALT_STACK_BYTES &&
	       (uint64_t)(uintptr_t)frame - low < FG_ALT_STACK_BYTES &&
	       interrupted - low >= FG_ALT_STACK_BYTES && fg_self &&
	       fg_self->alt_stack == stack->ss_sp;
}

/* Where a frame of so many bytes lies below the interrupted stack pointer, aligned as this one. */
static unsigned char *place_below(uint64_t interrupted, const unsigned char *frame, size_t bytes)
{
	uint64_t place = interrupted - FG_RED_ZONE - bytes;

	place -= (place - (uint64_t)(uintptr_t)frame) % ALIGNMENT;
	return (unsigned char *)(uintptr_t)place;
}

unsigned char *fg_handler_frame_move(unsigned char *frame)
{
	const ucontext_t *context = fg_frame_context(frame);
	unsigned char *top = (unsigned char *)context->uc_stack.ss_sp + FG_ALT_STACK_BYTES, *place;
	struct fg_registers registers;
	size_t bytes = (size_t)(top - frame);

	fg_registers_of(context, &registers);
	if (__atomic_load_n(&frames_stay, __ATOMIC_RELAXED) ||
		!is_on_our_stack(frame, &context->uc_stack, registers.sp))
		return NULL;
	place = place_below(registers.sp, frame, bytes);
	memcpy(place, frame, bytes);
	fg_frame_moved(place, frame, bytes);
	return place;
}
