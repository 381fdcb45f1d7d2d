/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack memory that a walk may read: [sp, high) of the thread's own stack in place, any other
 * stack through a bounded copy that the kernel makes, so that a wrong address is an error and never
 * a fault. A walk that comes onto the thread's stack from another one (a handler's, a coroutine's)
 * reads it in place once the kernel has shown that it is there. Context: handler.
 */
#ifndef FG_SAMPLER_UNWIND_STACK_H
#define FG_SAMPLER_UNWIND_STACK_H

#include "gate/sampler/unwind/cfi_reader.h"

#define FG_STACK_COPY (64 * 1024)

/* Memory for copies. A signal can interrupt a walk and start another on the same thread. */
struct fg_stack_copy {
	uint32_t busy;
	uint8_t bytes[FG_STACK_COPY];
};

struct fg_stack {
	uint64_t low, high; /* readable in place; empty until the walk is on the thread's stack */
	uint64_t thread_low, thread_high;
	uint64_t copy_low, copy_high; /* addresses that the copy holds */
	struct fg_stack_copy *copy;
	int copies_left;
	bool owner; /* this walk has set copy->busy */
};

/* low and high bound the thread's stack; sp is where the walk begins. */
void fg_stack_open(struct fg_stack *stack, struct fg_stack_copy *copy, uint64_t low, uint64_t high,
	uint64_t sp);
void fg_stack_close(struct fg_stack *stack);

/* Makes address readable if the kernel can read it; a few times per walk. */
bool fg_stack_cover(struct fg_stack *stack, uint64_t address);

/* Both in the part that is readable in place, or both in the copy. */
bool fg_stack_same(const struct fg_stack *stack, uint64_t a, uint64_t b);

/* True when 8 bytes at address can be read as things are. */
static inline bool fg_stack_peek(const struct fg_stack *stack, uint64_t address, uint64_t *value)
{
	if (__builtin_expect(
		    address >= stack->low && address < stack->high && stack->high - address >= 8,
		    1)) {
		*value = *(const fg_u64 *)(uintptr_t)address;
		return true;
	}
	if (address >= stack->copy_low && address < stack->copy_high &&
		stack->copy_high - address >= 8) {
		*value = *(const fg_u64 *)(stack->copy->bytes + (address - stack->copy_low));
		return true;
	}
	return false;
}

/* As peek, but follows unwind information onto another stack. */
static inline bool fg_stack_load(struct fg_stack *stack, uint64_t address, uint64_t *value)
{
	return fg_stack_peek(stack, address, value) ||
	       (fg_stack_cover(stack, address) && fg_stack_peek(stack, address, value));
}

#endif
