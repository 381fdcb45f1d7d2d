/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that hang on a frame pointer which nobody has saved. Context: any. */
#ifndef FG_SAMPLER_OFF_CPU_SEARCH_H
#define FG_SAMPLER_OFF_CPU_SEARCH_H

#include "gate/sampler/unwind/unwind_step.h"

/* No address: a step that needed it would fail. */
#define FG_UNKNOWN_REGISTER 1

/* Is the frame described from a frame pointer that is not known? */
static inline bool fg_lacks_frame_pointer(struct fg_cfi_rule rule, const struct fg_frame *frame)
{
	return frame->fp == FG_UNKNOWN_REGISTER &&
	       (rule.kind == CFI_RULE_FP || rule.kind == CFI_RULE_DEREF_FP);
}

/*
 * Finds it by looking for the caller's return address upwards on the stack, as far as it can be
 * read at once. False: there is none that could be. exact: frame's pc is where execution stands.
 */
bool fg_find_frame_pointer(
	struct fg_steps *walk, struct fg_cfi_rule rule, struct fg_frame *frame, bool exact);

#endif
