/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk that remembers the thread's last one: for ordinary calls that come often and from nearly
 * the same place each time (malloc, locks), and for samples, whose outer frames seldom change. A
 * step is a function of its frame's registers and of the words that it reads, so once a frame is
 * one of the remembered ones, in all registers that matter above it, only those words are compared,
 * and what lies above is taken as it is, hash included. Same frames as fg_unwind() by construction.
 *
 * Only walks on the thread's own stack are remembered; others (coroutines, alternate stacks),
 * broken ones and those deeper than FG_MAX_DEPTH are walked in full each time.
 */
#ifndef FG_SAMPLER_UNWIND_MEMO_H
#define FG_SAMPLER_UNWIND_MEMO_H

#include "gate/sampler/unwind/unwind.h"

/* Zeroed memory of that size, aligned to 8 bytes, is a valid empty one. One thread uses it. */
struct fg_memo;
size_t fg_memo_bytes(void);

/*
 * thread or handler, and not inside another walk with this memo. Walks from regs, which are those
 * of the calling function or one further up (FG_REGISTERS_HERE), or of interrupted code. layout
 * stands for the objects that are loaded (fg_modules_layout()): the cache must know no other. What
 * walk points at stays until the next call. walk->hash is of another kind than fg_walk_hash()'s.
 */
void fg_memo_walk(struct fg_memo *memo, struct fg_rule_cache *cache, uint32_t layout,
	const struct fg_registers *regs, const struct fg_stack_bounds *bounds,
	struct fg_walk *walk);

#endif
