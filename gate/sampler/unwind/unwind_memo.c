/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The remembered frames lie leaf first at the end of their array, so that a walk which shares the
 * root's side with the last one puts its own frames in front and touches nothing else.
 *
 * Most frames leave most registers alone: of the two that are followed besides pc and sp only those
 * are compared that some step above uses before it is loaded again ("needed").
 */
#include "gate/sampler/unwind/unwind_memo_internal.h"

#include <string.h>

size_t fg_memo_bytes(void)
{
	return sizeof(struct fg_memo);
}

/* ---- joining the last walk
 * ------------------------------------------------------------------------
 */

static inline bool is_same(
	const struct remembered *old, const struct fg_frame *frame, uint32_t exact)
{
	return old->frame.pc == frame->pc && old->frame.sp == frame->sp &&
	       (old->flags & (EXACT | UNMATCHED)) == exact &&
	       (old->frame.fp == frame->fp || !(old->flags & NEEDS_FP)) &&
	       (old->frame.spare == frame->spare || !(old->flags & NEEDS_SPARE));
}

/*
 * What was not compared may have changed: before a walk goes on at `to`, the frames from `from` on,
 * which is *frame, get the registers that they have now.
 */
static void refresh(struct fg_memo *memo, uint32_t from, uint32_t to, const struct fg_frame *frame)
{
	memo->frames[from].frame = *frame;
	for (uint32_t i = from; i < to; i++) {
		const struct remembered *callee = &memo->frames[i];
		struct fg_frame *caller = &memo->frames[i + 1].frame;
		uint64_t fp = callee->loads.address[FG_LOAD_FP];
		uint64_t spare = callee->loads.address[FG_LOAD_SPARE];

		caller->fp = fp ? word_at(fp) : callee->frame.fp;
		if (!FG_LINK_REGISTER)
			caller->spare = spare ? word_at(spare) : callee->frame.spare;
	}
}

static inline uint64_t difference(const struct word *word)
{
	return word_at(word->address) ^ word->value;
}

/* The first word from `at` on that is another one now; words + WORDS_END: there is none. */
static inline const struct word *first_difference(const struct fg_memo *memo, uint32_t at)
{
	const struct word *word = memo->words + at, *end = memo->words + WORDS_END;

	while (end - word >= 4 && !(difference(word) | difference(word + 1) | difference(word + 2) |
					  difference(word + 3)))
		word += 4;
	while (word < end && !difference(word))
		word++;
	return word;
}

/* The first frame from `at` on whose step reads other words than it did; END: there is none. */
static uint32_t first_changed(const struct fg_memo *memo, uint32_t at)
{
	uint32_t word = (uint32_t)(first_difference(memo, memo->frames[at].words) - memo->words);

	if (word == WORDS_END)
		return END;
	while (at + 1 < END && memo->frames[at + 1].words <= word)
		at++;
	return at;
}

/* Is this very walk the last one? */
static bool is_unchanged(const struct fg_memo *memo, const struct fg_frame *frame)
{
	const struct remembered *leaf = &memo->frames[END - memo->depth];

	return memo->depth && is_same(leaf, frame, EXACT) &&
	       first_difference(memo, leaf->words) == memo->words + WORDS_END;
}

/* ---- remembering
 * ----------------------------------------------------------------------------------
 */

static uint32_t uses_of(struct fg_cfi_rule rule)
{
	uint32_t base = (uint32_t)rule.kind % 3;
	uint32_t uses = base == 1 ? USES_FP : base == 2 ? USES_SPARE : 0;

	if (rule.fp_saved == CFI_SAVED_FP || rule.spare_saved == CFI_SAVED_FP)
		uses |= USES_FP;
	return FG_LINK_REGISTER ? uses | USES_SPARE : uses;
}

/*
 * What lies below the frame may be another callee's by the next walk, and a guess writes nothing
 * down.
 */
static bool is_repeated(const struct remembered *frame)
{
	uint64_t spare = frame->frame.spare;

	if (FG_LINK_REGISTER && spare < FG_SPARE_STATES &&
		(spare != FG_SPARE_UNKNOWN || !frame->loads.address[FG_LOAD_PC]))
		return true;
	for (int i = 0; i < FG_LOADS; i++)
		if (frame->loads.address[i] && frame->loads.address[i] < frame->frame.sp)
			return true;
	return false;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* One step, written down in *fresh. FG_GO_ON, or how the walk ended. */
static inline int step(struct fg_steps *steps, struct fg_frame *frame, bool *exact, bool is_leaf,
	struct remembered *fresh)
{
	struct fg_cfi_rule rule = fg_rule_for(steps->cache, frame->pc, *exact);
	int end;

	fresh->frame = *frame;
	fresh->loads = (struct fg_step_loads){{0}};
	fresh->flags = !*exact ? 0 : is_leaf ? EXACT : EXACT | REPEATED | UNMATCHED;
	if (__builtin_expect(rule.kind <= CFI_RULE_DEREF_SPARE, 1)) {
		end = fg_packed_step(steps, rule, frame, &fresh->loads);
		fresh->flags |= uses_of(rule) | (is_repeated(fresh) ? REPEATED : 0);
		steps->gregs = NULL;
		steps->gregs_at = 0;
		*exact = false;
		return end;
	}
	if (rule.kind != CFI_RULE_ROOT && rule.kind != CFI_RULE_START)
		fresh->flags |= REPEATED;
	return fg_rare_step(steps, (enum cfi_rule_kind)rule.kind, frame, exact);
}

/* A walk under way. */
struct course {
	struct fg_steps steps;
	struct fg_frame frame;
	bool exact;
	uint32_t count; /* fresh frames */
	uint32_t old;   /* the first remembered frame that it may still join */
};

/* GOES_ON: `course` stands at a frame whose step is still to be taken. */
enum outcome { GOES_ON, REMEMBERED, GIVEN_UP };

/* Takes over what is as it was, if the frame is a remembered one. */
static inline enum outcome join(struct fg_memo *memo, struct course *course)
{
	uint32_t from, to;

	while (course->old < END && memo->frames[course->old].frame.sp < course->frame.sp)
		course->old++;
	from = course->old;
	if (from == END || !is_same(&memo->frames[from], &course->frame, course->exact ? EXACT : 0))
		return GOES_ON;
	to = first_changed(memo, from);
	if (course->count + (to - from) > FG_MAX_DEPTH)
		return GIVEN_UP;
	if (to == END) {
		fg_memo_remember(memo, course->count, from);
		return REMEMBERED;
	}
	refresh(memo, from, to, &course->frame);
	memcpy(&memo->fresh[course->count], &memo->frames[from],
		(to - from) * sizeof(memo->fresh[0]));
	course->count += to - from;
	if (to > from)
		course->steps.gregs = NULL; /* they are the leaf's */
	course->frame = memo->frames[to].frame;
	course->exact = (memo->frames[to].flags & EXACT) != 0;
	course->old = to + 1;
	return GOES_ON;
}

/* GIVEN_UP: not one to remember, as it has left the thread's stack, is broken or too deep. */
static enum outcome walk_on(struct fg_memo *memo, struct course *course)
{
	for (;;) {
		enum outcome outcome = join(memo, course);
		int end;

		if (outcome != GOES_ON)
			return outcome;
		if (course->count == FG_MAX_DEPTH)
			return GIVEN_UP;
		end = step(&course->steps, &course->frame, &course->exact, course->count == 0,
			&memo->fresh[course->count]);
		course->count++;
		if (end == FG_END_BAD_LOAD || course->steps.stack.owner)
			return GIVEN_UP;
		if (end == FG_GO_ON && course->frame.pc == 0 && !course->exact)
			end = FG_END_ROOT;
		if (end != FG_GO_ON) {
			memo->end = (enum fg_walk_end)end;
			fg_memo_remember(memo, course->count, END);
			return REMEMBERED;
		}
	}
}

/* Loaded alone: a wide load of what was stored in halves just before has to wait for it. */
static inline uint64_t alone(uint64_t word)
{
	__asm__("" : "+r"(word));
	return word;
}

static enum outcome try_memo(struct fg_memo *memo, struct fg_rule_cache *cache,
	const struct fg_registers *regs, const struct fg_stack_bounds *bounds)
{
	struct fg_frame frame = {.pc = alone(regs->pc),
		.sp = alone(regs->sp),
		.fp = alone(regs->fp),
		.spare = alone(regs->spare)};
	struct course course;
	enum outcome outcome;

	if (frame.sp < bounds->low || frame.sp >= bounds->high)
		return GIVEN_UP;
	if (is_unchanged(memo, &frame))
		return REMEMBERED;
	course.steps.cache = cache;
	course.steps.gregs = regs->gregs;
	course.steps.gregs_at = 0;
	course.frame = frame;
	course.exact = true;
	course.count = 0;
	course.old = END - memo->depth;
	fg_stack_open(&course.steps.stack, &cache->copy, bounds->low, bounds->high, frame.sp);
	outcome = walk_on(memo, &course);
	fg_stack_close(&course.steps.stack);
	return outcome;
}

static void set_exact_bits(struct fg_memo *memo, uint32_t first)
{
	bool any = (memo->frames[first].flags & EXACT_UP) != 0;

	if (!any && !memo->has_exact)
		return;
	memo->has_exact = any;
	memset(memo->exact, 0, sizeof(memo->exact));
	for (uint32_t i = first + 1; any && i < END; i++)
		if (memo->frames[i].flags & EXACT)
			memo->exact[(i - first) / 64] |= UINT64_C(1) << ((i - first) % 64);
}

static void walk_in_full(struct fg_memo *memo, struct fg_rule_cache *cache,
	const struct fg_registers *regs, const struct fg_stack_bounds *bounds, struct fg_walk *walk)
{
	memo->depth = 0;
	memo->has_exact = true;
	walk->pcs = memo->pcs;
	walk->depth =
		fg_unwind(cache, regs, bounds, memo->pcs, memo->exact, FG_MAX_DEPTH, &walk->end);
	walk->hash = fg_memo_root_hash(walk->end, memo->layout);
	for (size_t i = walk->depth; i-- > 0;)
		walk->hash = fg_memo_frame_hash(
			walk->hash, memo->pcs[i], memo->exact[i / 64] >> (i % 64) & 1);
}

void fg_memo_walk(struct fg_memo *memo, struct fg_rule_cache *cache, uint32_t layout,
	const struct fg_registers *regs, const struct fg_stack_bounds *bounds, struct fg_walk *walk)
{
	/* A stack at the same place that ends elsewhere is another thread's. */
	if (memo->layout != layout || memo->stack_high != bounds->high)
		memo->depth = 0;
	memo->layout = layout;
	memo->stack_high = bounds->high;
	walk->exact = memo->exact;
	if (try_memo(memo, cache, regs, bounds) == REMEMBERED) {
		uint32_t first = END - memo->depth;

		set_exact_bits(memo, first);
		walk->pcs = memo->pcs + first;
		walk->depth = memo->depth;
		walk->end = memo->end;
		walk->hash = memo->frames[first].hash;
	} else {
		walk_in_full(memo, cache, regs, bounds, walk);
	}
	walk->hash |= 1;
}
