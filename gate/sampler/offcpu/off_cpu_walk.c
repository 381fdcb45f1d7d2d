/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sleeper's registers are in the kernel: only pc and sp are told. That is enough while frames are
 * described from sp, and a register is known again once a frame that has saved it is passed. Code
 * that keeps its frame at a frame pointer which nobody below has saved (unoptimised code that calls
 * the C library, alloca) leaves a gap, which off_cpu_search.h closes.
 */
#include "gate/sampler/offcpu/off_cpu_walk.h"

#include <string.h>

#include "gate/sampler/offcpu/off_cpu_search.h"

static int described_step(
	struct fg_steps *walk, struct fg_cfi_rule rule, struct fg_frame *frame, bool exact)
{
	if (fg_lacks_frame_pointer(rule, frame) && !fg_find_frame_pointer(walk, rule, frame, exact))
		return FG_END_BAD_LOAD;
	if (frame->fp == FG_UNKNOWN_REGISTER && rule.fp_saved == CFI_SAVED_FP)
		rule.fp_saved = CFI_SAVED_NOT;
	if (frame->fp == FG_UNKNOWN_REGISTER && rule.spare_saved == CFI_SAVED_FP)
		rule.spare_saved = CFI_SAVED_NOT;
	return fg_packed_step(walk, rule, frame, NULL);
}

static int step(struct fg_steps *walk, struct fg_cfi_rule rule, struct fg_frame *frame, bool *exact)
{
	int end;

	if (rule.kind <= CFI_RULE_DEREF_SPARE) {
		end = described_step(walk, rule, frame, *exact);
		*exact = false;
	} else {
		end = fg_rare_step(walk, (enum cfi_rule_kind)rule.kind, frame, exact);
	}
	return end == FG_GO_ON && frame->pc == 0 && !*exact ? (int)FG_END_ROOT : end;
}

size_t fg_unwind_sleeper(struct fg_rule_cache *cache, uint64_t pc, uint64_t sp, uint64_t *pcs,
	uint64_t *exact, size_t max, enum fg_walk_end *end)
{
	struct fg_steps walk = {.cache = cache};
	struct fg_frame frame = {
		.pc = pc, .sp = sp, .fp = FG_UNKNOWN_REGISTER, .spare = FG_SPARE_UNKNOWN};
	bool stands = true; /* the frame is where execution stands, not a caller */
	int ended = FG_GO_ON;
	size_t count = 0;

	memset(exact, 0, (max + 63) / 64 * sizeof(*exact));
	fg_stack_open(&walk.stack, &cache->copy, 0, 0, sp);
	while (ended == FG_GO_ON && count < max) {
		struct fg_cfi_rule rule = fg_rule_for(cache, frame.pc, stands);

		if (stands && count)
			exact[count / 64] |= UINT64_C(1) << (count % 64);
		pcs[count++] = frame.pc;
		ended = step(&walk, rule, &frame, &stands);
	}
	fg_stack_close(&walk.stack);
	*end = ended == FG_GO_ON ? FG_END_DEPTH : (enum fg_walk_end)ended;
	return count;
}
