/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack walk: lazy .eh_frame rules with a per-thread rule cache, frame pointers where there are
 * none. Context: handler. Nothing here allocates, locks or calls what is not async-signal-safe.
 */
#ifndef FG_SAMPLER_UNWIND_H
#define FG_SAMPLER_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FG_MAX_DEPTH                                                                               \
	512 /* frames; a deeper stack keeps its leaf-side frames and is marked FG_END_DEPTH */

/* How a walk ended. ROOT and START are complete stacks. */
enum fg_walk_end {
	FG_END_ROOT,     /* a frame whose return address is undefined (or zero) */
	FG_END_START,    /* the thread's or the process's start function */
	FG_END_DEPTH,    /* cut at the depth limit */
	FG_END_NO_RULE,  /* code without unwind information, and no plausible frame pointer */
	FG_END_BAD_LOAD, /* a saved register would have been read outside the stack */
	FG_END_BAD_RULE, /* unwind information that we cannot interpret */
	FG_END_COUNT
};

struct fg_registers {
	uint64_t pc, sp;
	uint64_t fp;    /* x86-64: rbp; aarch64: x29 */
	uint64_t spare; /* x86-64: rbx, a base of some frames; aarch64: x30, the link register */
	/*
	 * mcontext's general registers (context.h), or NULL. Only the first frame may need them:
	 * code that keeps its frame's address in another register for a while (realigning
	 * prologues, vfork, assembly).
	 */
	const long long *gregs;
};

/* What a walk has found: pcs and exact as from fg_unwind(). */
struct fg_walk {
	const uint64_t *pcs, *exact;
	size_t depth;
	enum fg_walk_end end;
	/* Stands for all the above and the modules' layout; never 0. By fg_walk_hash(), or of the
	 * walker's own making where that is cheaper: one kind of hash for one kind of entry. */
	uint64_t hash;
};

struct fg_cfi_rule;

#define FG_RULE_SLOTS 4096 /* per cache, a power of two */

/*
 * PC -> rule cache, and the memory for copies of other stacks; zeroed memory of that size, aligned
 * to 8 bytes (64 is faster), is a valid empty one. One thread uses it. A walk that is interrupted
 * by another one on the same cache (a handler in a handler) is fine: slots check themselves. After
 * dlclose() another object may take the addresses: forget then. A load is always checked against
 * the stack's bounds, so the worst case of a stale rule is a stack cut short.
 */
struct fg_rule_cache;
size_t fg_rule_cache_bytes(void);
void fg_rule_cache_forget(struct fg_rule_cache *cache);

/*
 * The thread's stack, [low, high). Everything in [sp, high) must be mapped when sp lies in it: the
 * caller may pass the whole stack or the part above sp. low == high: not known.
 */
struct fg_stack_bounds {
	uint64_t low, high;
};

/*
 * Walks from regs. pcs[0] is the interrupted pc; the others are return addresses (look them up at
 * pc - 1), except behind a signal frame, where the bit in `exact` is set (bit i of exact[i / 64];
 * the (max + 63) / 64 words are cleared first; bit 0 stays clear). Returns the number of frames
 * written to pcs (>= 1) and sets *end. max is at least 1. When sp lies outside bounds (coroutine,
 * alternate stack) a bounded copy of the stack is read by one process_vm_readv and walked instead.
 */
size_t fg_unwind(struct fg_rule_cache *cache, const struct fg_registers *regs,
	const struct fg_stack_bounds *bounds, uint64_t *pcs, uint64_t *exact, size_t max,
	enum fg_walk_end *end);

#endif
