/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step of a walk, from a frame to its caller's: the rule cache and what is done with a packed
 * rule, inline for the two walks that are made of them (unwind.c, unwind_memo.c). Context: handler.
 */
#ifndef FG_SAMPLER_UNWIND_STEP_H
#define FG_SAMPLER_UNWIND_STEP_H

#include "gate/sampler/cfi_rule.h"
#include "gate/sampler/unwind.h"
#include "gate/sampler/unwind_guess.h"
#include "gate/sampler/unwind_stack.h"

enum { FG_RULE_SLOT_BITS = 12, FG_RULE_BUCKET = 4 };
_Static_assert(
	FG_RULE_SLOTS == 1 << FG_RULE_SLOT_BITS, "the hash yields an index of that many bits");

/*
 * tag is the key xor the bits, so a slot whose two words come from different writers (a handler
 * that interrupted this one in the middle) matches no key. A zeroed slot matches only address 0.
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
enum { FG_LOAD_CFA, FG_LOAD_PC, FG_LOAD_BP, FG_LOAD_BX, FG_LOADS };

struct fg_step_loads {
	uint64_t address[FG_LOADS]; /* 0: not read */
};

static inline size_t fg_rule_home(uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15ULL) >> (64 - FG_RULE_SLOT_BITS);
}

/* Looks the rule up in the loaded objects, and keeps it if it may be kept. */
struct fg_cfi_rule fg_rule_find(struct fg_rule_cache *cache, uint64_t pc, bool exact);

static inline struct fg_cfi_rule fg_rule_for(struct fg_rule_cache *cache, uint64_t pc, bool exact)
{
	uint64_t key = exact ? pc : pc - 1;
	size_t home = fg_rule_home(key);

	for (size_t i = 0; i < FG_RULE_BUCKET; i++) {
		const struct fg_rule_slot *slot = &cache->slots[home ^ i];
		union fg_packed_rule packed = {.bits = slot->bits};

		if ((slot->tag ^ packed.bits) == key && key)
			return packed.rule;
	}
	return fg_rule_find(cache, pc, exact);
}

/* Frames grow towards higher addresses, except where the code switches stacks. */
static inline bool fg_goes_up(const struct fg_steps *walk, uint64_t sp, uint64_t cfa)
{
	return cfa > sp || !fg_stack_same(&walk->stack, sp, cfa);
}

/*
 * A caller's register is saved between sp and the CFA. GCC's epilogue of a realigned frame has
 * popped rbp while the rule still says "at rbp": then rbp, and with it this place, is the caller's
 * already.
 */
static inline bool fg_restored_already(uint64_t place, uint64_t sp, uint64_t cfa)
{
	return place - sp >= cfa - sp;
}

/* *address becomes where the value was read, if it was. */
static inline __attribute__((always_inline)) bool fg_load_saved(struct fg_steps *walk,
	enum cfi_saved saved, int8_t words, uint64_t cfa, const struct fg_frame *frame,
	uint64_t *value, uint64_t *address)
{
	uint64_t place =
		(saved == CFI_SAVED_CFA ? cfa : frame->bp) + (uint64_t)(int64_t)words * FG_WORD;

	if (saved == CFI_SAVED_NOT)
		return true;
	if (saved == CFI_SAVED_BP && fg_restored_already(place, frame->sp, cfa))
		return true;
	if (address)
		*address = place;
	return fg_stack_load(&walk->stack, place, value);
}

/* loads may be NULL; otherwise it comes zeroed. */
static inline __attribute__((always_inline)) int fg_packed_step(struct fg_steps *walk,
	struct fg_cfi_rule rule, struct fg_frame *frame, struct fg_step_loads *loads)
{
	bool deref = rule.kind >= CFI_RULE_DEREF_SP;
	int base = rule.kind - (deref ? CFI_RULE_DEREF_SP : CFI_RULE_SP);
	uint64_t bp = frame->bp, bx = frame->bx, pc;
	uint64_t cfa = base == 0 ? frame->sp : base == 1 ? bp : bx;

	cfa += (uint64_t)(int64_t)rule.cfa_offset;
	if (__builtin_expect(deref, 0)) {
		if (loads)
			loads->address[FG_LOAD_CFA] = cfa;
		if (!fg_stack_load(&walk->stack, cfa, &cfa))
			return FG_END_BAD_LOAD;
		cfa += (uint64_t)rule.add_words * FG_WORD;
	}
	if (loads)
		loads->address[FG_LOAD_PC] = cfa - FG_WORD;
	if (!fg_goes_up(walk, frame->sp, cfa) || !fg_stack_load(&walk->stack, cfa - FG_WORD, &pc) ||
		!fg_load_saved(walk, rule.bp_saved, rule.bp_words, cfa, frame, &bp,
			loads ? &loads->address[FG_LOAD_BP] : NULL) ||
		!fg_load_saved(walk, rule.bx_saved, rule.bx_words, cfa, frame, &bx,
			loads ? &loads->address[FG_LOAD_BX] : NULL))
		return FG_END_BAD_LOAD;
	*frame = (struct fg_frame){.pc = pc, .sp = cfa, .bp = bp, .bx = bx};
	return FG_GO_ON;
}

/*
 * The step of all other rules. *exact: frame's pc is where execution stands; afterwards whether the
 * caller's is.
 */
int fg_rare_step(
	struct fg_steps *walk, enum cfi_rule_kind kind, struct fg_frame *frame, bool *exact);

#endif
