/* SPDX-License-Identifier: Apache-2.0 */
/* Walks of ordinary calls. */
#include "gate/sampler/raw.h"
#include "gate/sampler/sampler.h"
#include "gate/sampler/unwind_memo.h"

bool fg_walk_here(
	struct fg_thread *thread, const struct fg_registers *registers, struct fg_walk *walk)
{
	const struct fg_stack_bounds bounds = {thread->stack_low, thread->stack_high};
	uint32_t layout = fg_modules_layout();

	if (!thread->memo && !(thread->memo = fg_raw_pages(fg_memo_bytes())))
		return false;
	if (thread->layout != layout) {
		fg_rule_cache_forget(thread->rules);
		thread->layout = layout;
	}
	fg_memo_walk(thread->memo, thread->rules, layout, registers, &bounds, walk);
	return true;
}
