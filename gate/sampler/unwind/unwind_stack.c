/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/unwind/unwind_stack.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/unwind/cfi_arch.h"

enum { PAGE = 4096, PAGES = FG_STACK_COPY / PAGE, MAX_COPIES = 4 };

void fg_stack_open(struct fg_stack *stack, struct fg_stack_copy *copy, uint64_t low, uint64_t high,
	uint64_t sp)
{
	*stack = (struct fg_stack){
		.thread_low = low, .thread_high = high, .copy = copy, .copies_left = MAX_COPIES};
	if (sp >= low && sp < high) {
		stack->low = sp;
		stack->high = high;
	}
}

void fg_stack_close(struct fg_stack *stack)
{
	if (stack->owner)
		__atomic_store_n(&stack->copy->busy, 0, __ATOMIC_RELAXED);
}

/* A walk that this one interrupted may be using the copy; then this one does without. */
static bool own_copy(struct fg_stack *stack)
{
	if (!stack->owner)
		stack->owner = !__atomic_exchange_n(&stack->copy->busy, 1, __ATOMIC_RELAXED);
	return stack->owner;
}

/* Asks the kernel to read a signal set there, for a change of the mask that there is not. */
static bool is_readable(uint64_t page)
{
	enum { NO_SUCH_CHANGE = -1 };

	return FG_RAW6(SYS_rt_sigprocmask, NO_SUCH_CHANGE, page, 0, FG_WORD, 0, 0) != -EFAULT;
}

/*
 * Where the kernel will not copy (a container's filter, an emulator). A page that goes between the
 * question and the copy would be a fault; those of a thread's own stacks do not while it walks, and
 * walks of other threads say that they do not know the bounds.
 */
static uint64_t copy_readable(struct fg_stack_copy *copy, uint64_t from, uint64_t pages)
{
	uint64_t count = 0;

	while (count < pages && is_readable(from + count * PAGE)) {
		memcpy(copy->bytes + count * PAGE, (const void *)(uintptr_t)(from + count * PAGE),
			PAGE);
		count++;
	}
	return count * PAGE;
}

/*
 * One call, page by page: the kernel documents that a partial read ends between elements, so the
 * pages before the first unreadable one always arrive. Returns the bytes read.
 */
static uint64_t copy_pages(const struct fg_stack *stack, uint64_t from, uint64_t pages)
{
	struct iovec local = {.iov_base = stack->copy->bytes, .iov_len = pages * PAGE};
	struct iovec remote[PAGES];
	long self = FG_RAW3(SYS_getpid, 0, 0, 0);
	long got;

	for (uint64_t i = 0; i < pages; i++)
		remote[i] = (struct iovec){
			.iov_base = (void *)(uintptr_t)(from + i * PAGE), .iov_len = PAGE};
	got = FG_RAW6(SYS_process_vm_readv, self, &local, 1, remote, pages, 0);
	if ((got == -ENOSYS || got == -EPERM) && stack->thread_low != stack->thread_high)
		return copy_readable(stack->copy, from, pages);
	return got > 0 ? (uint64_t)got : 0;
}

/* A thread's stack is one mapping: what lies above a page that is there is there too. */
static bool enter_thread_stack(struct fg_stack *stack, uint64_t from)
{
	if (copy_pages(stack, from, 1) != PAGE)
		return false;
	stack->low = from < stack->thread_low ? stack->thread_low : from;
	stack->high = stack->thread_high;
	return true;
}

bool fg_stack_cover(struct fg_stack *stack, uint64_t address)
{
	uint64_t from = address & ~(uint64_t)(PAGE - 1);

	if (from == 0 || stack->copies_left == 0 || !own_copy(stack))
		return false;
	stack->copies_left--;
	stack->copy_low = stack->copy_high = 0;
	if (stack->low == stack->high && address >= stack->thread_low &&
		address < stack->thread_high)
		return enter_thread_stack(stack, from);
	stack->copy_high = from + copy_pages(stack, from, PAGES);
	stack->copy_low = from;
	return stack->copy_high > address;
}

bool fg_stack_same(const struct fg_stack *stack, uint64_t a, uint64_t b)
{
	bool in_place = a >= stack->low && a < stack->high && b >= stack->low && b < stack->high;
	bool in_copy = a >= stack->copy_low && a < stack->copy_high && b >= stack->copy_low &&
		       b < stack->copy_high;

	return in_place || in_copy;
}
