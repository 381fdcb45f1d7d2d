/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step of a walk, from a frame to its caller's: the rule cache and what is done with a packed
 * rule, inline for the two walks that are made of them (unwind.c, unwind_memo.c). Context: handler.
 */
#ifndef FG_SAMPLER_UNWIND_STEP_H
#define FG_SAMPLER_UNWIND_STEP_H

#include "gate/sampler/unwind/cfi_rule.h"
#include "gate/sampler/unwind/unwind.h"
#include "gate/sampler/unwind/unwind_guess.h"
#include "gate/sampler/unwind/unwind_stack.h"

enum { FG_RULE_SLOT_BITS = 12, FG_RULE_BUCKET = 4 };
_Static_assert(
	FG_RULE_SLOTS == 1 << FG_RULE_SLOT_BITS, "the hash yields an index of that many bits");

/*
 * tag is the key xor the bits, so a slot whose two words come from different writers (a handler
 * that interrupted this one in the middle) matches no key. A zeroed slot matches none.
 */
struct fg_rule_slot {
	uint64_t tag, bits;
};

struct fg_rule_cache {
	struct fg_rule_slot slots[FG_RULE_SLOTS];
	struct fg_stack_copy copy;
};

union fg_packed_rule {
	struct fg_cfi_rule rule;
	uint64_t bits;
};

/* A step's outcome: the walk's end (enum fg_walk_end), or this. */
enum { FG_GO_ON = FG_END_COUNT };

/* A walk under way. */
struct fg_steps {
	struct fg_rule_cache *cache;
	struct fg_stack stack;
	/* Where the registers that we do not follow are, in an interrupted frame only. */
	const long long *gregs;
	uint64_t gregs_at; /* or on the stack, in a signal frame */
};

/* What a packed step has read: a step is a function of its frame's registers and these words. */
enum { FG_LOAD_CFA, FG_LOAD_PC, FG_LOAD_FP, FG_LOAD_SPARE, FG_LOADS };

struct fg_step_loads {
	uint64_t address[FG_LOADS]; /* 0: not read */
};

/* From the pc alone: what a walk waits for is this, from one frame's load to the next. */
static inline size_t fg_rule_home(uint64_t pc)
{
	return (pc * 0x9e3779b97f4a7c15ULL) >> (64 - FG_RULE_SLOT_BITS);
}

/* Never 0: a walk ends at a return address of 0. */
static inline uint64_t fg_rule_key(uint64_t pc, bool exact)
{
	return pc << 1 | exact;
}

/* A step by what calling conventions leave behind, from a return address. */
int fg_guess_step(struct fg_steps *walk, struct fg_frame *frame);

/* In another slot of the cache, or in the loaded objects; then it is kept if it may be. */
struct fg_cfi_rule fg_rule_find(struct fg_rule_cache *cache, uint64_t pc, bool exact);

static inline __attribute__((always_inline)) struct fg_cfi_rule fg_rule_for(
	struct fg_rule_cache *cache, uint64_t pc, bool exact)
{
	const struct fg_rule_slot *slot = &cache->slots[fg_rule_home(pc)];
	union fg_packed_rule packed = {.bits = slot->bits};

	if (__builtin_expect((slot->tag ^ packed.bits) == fg_rule_key(pc, exact), 1))
		return packed.rule;
	return fg_rule_find(cache, pc, exact);
}

/* Frames grow towards higher addresses, except where the code switches stacks. */
static inline bool fg_goes_up(const struct fg_steps *walk, uint64_t sp, uint64_t cfa)
{
	return cfa > sp || !fg_stack_same(&walk->stack, sp, cfa);
}

/*
 * A caller's register is saved between sp and the CFA. GCC's epilogue of a realigned frame has
 * popped fp while the rule still says "at fp": then fp, and with it this place, is the caller's
 * already.
 */
static inline bool fg_restored_already(uint64_t place, uint64_t sp, uint64_t cfa)
{
	return place - sp >= cfa - sp;
}

/* A frame's registers, its CFA, and at how many addresses from sp
 * on a word can be read in place. */
struct fg_extent {
	uint64_t sp, cfa, room;
};

static inline __attribute__((always_inline)) struct fg_extent fg_extent_of(
	const struct fg_stack *stack, uint64_t sp, uint64_t cfa)
{
	uint64_t size = cfa - sp, left = stack->high - sp;
	bool in_place = sp >= stack->low && size <= left && left <= stack->high - stack->low;

	return (struct fg_extent){sp, cfa, in_place && size >= FG_WORD ? size - FG_WORD + 1 : 0};
}

/* As fg_stack_load(), which is the way for what lies outside the frame. */
static inline __attribute__((always_inline)) bool fg_extent_load(
	struct fg_steps *walk, const struct fg_extent *extent, uint64_t place, uint64_t *value)
{
	if (__builtin_expect(place - extent->sp >= extent->room, 0))
		return fg_stack_load(&walk->stack, place, value);
	*value = *(const fg_u64 *)(uintptr_t)place;
	return true;
}

/* *address becomes where the value was read, if it was. */
static inline __attribute__((always_inline)) bool fg_load_saved(struct fg_steps *walk,
	const struct fg_extent *extent, enum cfi_saved saved, uint32_t words, uint64_t fp,
	uint64_t *value, uint64_t *address)
{
	uint64_t place = extent->cfa + fg_saved_offset(words);

	if (saved == CFI_SAVED_NOT)
		return true;
	if (__builtin_expect(saved == CFI_SAVED_FP, 0)) {
		place += fp - extent->cfa;
		if (fg_restored_already(place, extent->sp, extent->cfa))
			return true;
	}
	if (address)
		*address = place;
	return fg_extent_load(walk, extent, place, value);
}

/* The return address was pushed by the call, right below the CFA. */
static inline __attribute__((always_inline)) int fg_pushed_step(struct fg_steps *walk,
	struct fg_cfi_rule rule, uint64_t cfa, struct fg_frame *frame, struct fg_step_loads *loads)
{
	const struct fg_extent extent = fg_extent_of(&walk->stack, frame->sp, cfa);
	uint64_t fp = frame->fp, spare = frame->spare, pc;

	if (loads)
		loads->address[FG_LOAD_PC] = cfa - FG_WORD;
	if (!extent.room && !fg_goes_up(walk, frame->sp, cfa))
		return FG_END_BAD_LOAD;
	if (!fg_extent_load(walk, &extent, cfa - FG_WORD, &pc) ||
		!fg_load_saved(walk, &extent, rule.fp_saved, rule.fp_words, frame->fp, &fp,
			loads ? &loads->address[FG_LOAD_FP] : NULL) ||
		!fg_load_saved(walk, &extent, rule.spare_saved, rule.spare_words, frame->fp, &spare,
			loads ? &loads->address[FG_LOAD_SPARE] : NULL))
		return FG_END_BAD_LOAD;
	*frame = (struct fg_frame){.pc = pc, .sp = cfa, .fp = fp, .spare = spare};
	return FG_GO_ON;
}

/* The return address is in the link register, or saved like any other. */
static inline __attribute__((always_inline)) int fg_linked_step(struct fg_steps *walk,
	struct fg_cfi_rule rule, uint64_t cfa, struct fg_frame *frame, struct fg_step_loads *loads)
{
	const struct fg_extent extent = fg_extent_of(&walk->stack, frame->sp, cfa);
	bool is_leaf = rule.spare_saved == CFI_SAVED_NOT;
	uint64_t fp = frame->fp, pc = frame->spare;

	/* glibc 2.36's swapcontext says so where it has made calls, too. */
	if (is_leaf && pc < FG_SPARE_STATES)
		return fg_guess_step(walk, frame);
	if (!extent.room && !(is_leaf && cfa == frame->sp) && !fg_goes_up(walk, frame->sp, cfa))
		return FG_END_BAD_LOAD;
	if (!fg_load_saved(walk, &extent, rule.spare_saved, rule.spare_words, frame->fp, &pc,
		    loads ? &loads->address[FG_LOAD_PC] : NULL) ||
		!fg_load_saved(walk, &extent, rule.fp_saved, rule.fp_words, frame->fp, &fp,
			loads ? &loads->address[FG_LOAD_FP] : NULL))
		return FG_END_BAD_LOAD;
	*frame = (struct fg_frame){.pc = fg_code_address(pc), .sp = cfa, .fp = fp};
	return FG_GO_ON;
}

/*
 * A caller found without unwind information may not know its sp. It has set its frame pointer to
 * where it saved the one before, and its rule says where that lies below the CFA. False: it has no
 * such frame.
 */
static inline bool fg_cfa_by_record(
	struct fg_cfi_rule rule, const struct fg_frame *frame, uint64_t *cfa)
{
	bool has_record = rule.fp_saved == CFI_SAVED_CFA && frame->fp >= frame->sp;

	if (rule.kind != CFI_RULE_SP || frame->spare == FG_SPARE_UNKNOWN ||
		frame->spare >= FG_SPARE_STATES)
		return true;
	if (has_record)
		*cfa = frame->fp - fg_saved_offset(rule.fp_words);
	return has_record || frame->spare == FG_SPARE_DOUBTFUL_SP;
}

/* loads may be NULL; otherwise it comes zeroed. */
static inline __attribute__((always_inline)) int fg_packed_step(struct fg_steps *walk,
	struct fg_cfi_rule rule, struct fg_frame *frame, struct fg_step_loads *loads)
{
	bool deref = rule.kind >= CFI_RULE_DEREF_SP;
	int base = (int)rule.kind - (deref ? CFI_RULE_DEREF_SP : CFI_RULE_SP);
	uint64_t cfa = base == 0 ? frame->sp : base == 1 ? frame->fp : frame->spare;

	cfa += fg_cfa_offset(rule);
	if (__builtin_expect(deref, 0)) {
		if (loads)
			loads->address[FG_LOAD_CFA] = cfa;
		if (!fg_stack_load(&walk->stack, cfa, &cfa))
			return FG_END_BAD_LOAD;
		cfa += (uint64_t)rule.add_words * FG_WORD;
	}
	if (!FG_LINK_REGISTER)
		return fg_pushed_step(walk, rule, cfa, frame, loads);
	if (!fg_cfa_by_record(rule, frame, &cfa))
		return fg_guess_step(walk, frame);
	return fg_linked_step(walk, rule, cfa, frame, loads);
}

/*
 * The step of all other rules. *exact: frame's pc is where execution stands; afterwards whether the
 * caller's is.
 */
int fg_rare_step(
	struct fg_steps *walk, enum cfi_rule_kind kind, struct fg_frame *frame, bool *exact);

#endif
