/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of a walk: for unwind_memo.c, which walks, and unwind_memo_keep.c. */
#ifndef FG_SAMPLER_UNWIND_MEMO_INTERNAL_H
#define FG_SAMPLER_UNWIND_MEMO_INTERNAL_H

#include "gate/sampler/unwind/unwind_memo.h"
#include "gate/sampler/unwind/unwind_step.h"

enum { END = FG_MAX_DEPTH, WORDS_END = FG_LOADS * FG_MAX_DEPTH };

enum {
	NEEDS_FP = 1,
	NEEDS_SPARE = 2,
	USES_FP = 4, /* the step itself */
	USES_SPARE = 8,
	EXACT = 16,     /* where execution stands: the leaf, or what a signal has interrupted */
	EXACT_UP = 32,  /* this frame or one above was interrupted by a signal */
	REPEATED = 64,  /* its step reads what is not written down: taken anew each time */
	UNMATCHED = 128 /* no walk joins here */
};

struct remembered {
	struct fg_frame frame;
	struct fg_step_loads loads;
	uint64_t hash;  /* of this frame and all above */
	uint32_t words; /* its first word */
	uint32_t flags;
};

/* A word that a step has read. */
struct word {
	uint64_t address, value;
};

struct fg_memo {
	uint64_t stack_high;
	uint32_t layout;
	uint32_t depth; /* frames [END - depth, END) are remembered */
	enum fg_walk_end end;
	bool has_exact; /* a bit in exact is set */
	uint64_t never; /* 0: what REPEATED frames are compared with */
	uint64_t exact[FG_MAX_DEPTH / 64];
	uint64_t pcs[END];
	struct remembered frames[END];
	struct remembered fresh[END]; /* of the walk under way, leaf first */
	struct word words[WORDS_END];
};

static inline uint64_t word_at(uint64_t address)
{
	return *(const fg_u64 *)(uintptr_t)address;
}

/* From the root to the leaf, so that the part above a frame has a hash of its own. */
uint64_t fg_memo_root_hash(enum fg_walk_end end, uint32_t layout);
uint64_t fg_memo_frame_hash(uint64_t above, uint64_t pc, bool interrupted);

/* Puts the count fresh frames in front of the remembered ones from `at` on. */
void fg_memo_remember(struct fg_memo *memo, uint32_t count, uint32_t at);

#endif
