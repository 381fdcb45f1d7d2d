/* SPDX-License-Identifier: Apache-2.0 */
/* Walks of a thread's stack: for a sample, and for ordinary calls that come often. */
#include <string.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/sampler.h"
#include "gate/sampler/unwind/unwind_memo.h"

#define MEMO_FROM 16 /* samples after which a thread is worth the memory */

static void forget_if_changed(struct fg_thread *thread, uint32_t layout)
{
	if (thread->layout != layout)
		fg_rule_cache_forget(thread->rules);
	thread->layout = layout;
}

static bool walk_by_memo(struct fg_thread *thread, const struct fg_registers *registers,
	const struct fg_stack_bounds *bounds, struct fg_walk *walk)
{
	uint32_t layout = fg_modules_layout();

	if (!thread->memo && !(thread->memo = fg_raw_pages(fg_memo_bytes())))
		return false;
	forget_if_changed(thread, layout);
	fg_memo_walk(thread->memo, thread->rules, layout, registers, bounds, walk);
	return true;
}

bool fg_walk_here(
	struct fg_thread *thread, const struct fg_registers *registers, struct fg_walk *walk)
{
	const struct fg_stack_bounds bounds = {thread->stack_low, thread->stack_high};

	return walk_by_memo(thread, registers, &bounds, walk);
}

/* Below sp the stack may not be there. */
static struct fg_stack_bounds bounds_at(const struct fg_thread *thread, uint64_t sp)
{
	struct fg_stack_bounds bounds = {thread->stack_low, thread->stack_high};

	if (sp >= bounds.low && sp < bounds.high)
		bounds.low = sp;
	return bounds;
}

void fg_walk_thread(
	struct fg_thread *thread, const struct fg_registers *registers, struct fg_walk *walk)
{
	struct fg_stack_bounds bounds = bounds_at(thread, registers->sp);

	if (thread->samples >= MEMO_FROM && walk_by_memo(thread, registers, &bounds, walk))
		return;
	forget_if_changed(thread, fg_modules_layout());
	memset(thread->exact, 0, sizeof(thread->exact));
	walk->pcs = thread->pcs;
	walk->exact = thread->exact;
	walk->depth = fg_unwind(thread->rules, registers, &bounds, thread->pcs, thread->exact,
		FG_MAX_DEPTH, &walk->end);
	walk->hash = fg_walk_hash(walk);
}
