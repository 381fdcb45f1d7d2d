/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/unwind.h"

#include "gate/sampler/cfi_rule.h"
#include "gate/sampler/unwind_guess.h"
#include "gate/sampler/unwind_stack.h"

enum { SLOT_BITS = 12, BUCKET = 4 };
_Static_assert(FG_RULE_SLOTS == 1 << SLOT_BITS, "the hash yields an index of SLOT_BITS bits");

/*
 * tag is the key xor the bits, so a slot whose two words come from different writers (a handler
 * that interrupted this one in the middle) matches no key. A zeroed slot matches only address 0.
 */
struct slot {
	uint64_t tag, bits;
};

struct fg_rule_cache {
	struct slot slots[FG_RULE_SLOTS];
	struct fg_stack_copy copy;
};

union packed {
	struct fg_cfi_rule rule;
	uint64_t bits;
};

/* A step's outcome: the walk's end, or this. */
enum { GO_ON = FG_END_COUNT };

struct walk {
	struct fg_rule_cache *cache;
	struct fg_stack stack;
	/* Where the registers that we do not follow are, in an interrupted frame only. */
	const long long *gregs;
	uint64_t gregs_at; /* or on the stack, in a signal frame */
};

size_t fg_rule_cache_bytes(void)
{
	return sizeof(struct fg_rule_cache);
}

void fg_rule_cache_forget(struct fg_rule_cache *cache)
{
	for (size_t i = 0; i < FG_RULE_SLOTS; i++)
		cache->slots[i] = (struct slot){0, 0};
}

/* ---- the cache --------------------------------------------------------------------------------
 */

static size_t home_of(uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15ULL) >> (64 - SLOT_BITS);
}

static void put(struct fg_rule_cache *cache, uint64_t key, uint64_t bits)
{
	size_t home = home_of(key), index = home;

	for (size_t i = 0; i < BUCKET; i++) {
		const struct slot *slot = &cache->slots[home ^ i];

		if ((slot->tag | slot->bits) == 0) {
			index = home ^ i;
			break;
		}
	}
	cache->slots[index] = (struct slot){key ^ bits, bits};
}

static __attribute__((noinline)) struct fg_cfi_rule find_rule(
	struct fg_rule_cache *cache, uint64_t pc, bool exact)
{
	union packed found;
	bool cacheable;

	found.rule = fg_cfi_rule_at(pc, exact, &cacheable);
	if (cacheable)
		put(cache, exact ? pc : pc - 1, found.bits);
	return found.rule;
}

static inline struct fg_cfi_rule rule_for(struct fg_rule_cache *cache, uint64_t pc, bool exact)
{
	uint64_t key = exact ? pc : pc - 1;
	size_t home = home_of(key);

	for (size_t i = 0; i < BUCKET; i++) {
		const struct slot *slot = &cache->slots[home ^ i];
		union packed packed = {.bits = slot->bits};

		if ((slot->tag ^ packed.bits) == key && key)
			return packed.rule;
	}
	return find_rule(cache, pc, exact);
}

/* ---- steps by unwind information --------------------------------------------------------------
 */

/* Frames grow towards higher addresses, except where the code switches stacks. */
static inline bool goes_up(const struct walk *walk, uint64_t sp, uint64_t cfa)
{
	return cfa > sp || !fg_stack_same(&walk->stack, sp, cfa);
}

/*
 * A caller's register is saved between sp and the CFA. GCC's epilogue of a realigned frame has
 * popped rbp while the rule still says "at rbp": then rbp, and with it this place, is the caller's
 * already.
 */
static inline bool restored_already(uint64_t place, uint64_t sp, uint64_t cfa)
{
	return place - sp >= cfa - sp;
}

static inline __attribute__((always_inline)) bool load_saved(struct walk *walk,
	enum cfi_saved saved, int8_t words, uint64_t cfa, const struct fg_frame *frame,
	uint64_t *value)
{
	uint64_t offset = (uint64_t)(int64_t)words * FG_WORD;

	if (saved == CFI_SAVED_NOT)
		return true;
	if (saved == CFI_SAVED_CFA)
		return fg_stack_load(&walk->stack, cfa + offset, value);
	return restored_already(frame->bp + offset, frame->sp, cfa) ||
	       fg_stack_load(&walk->stack, frame->bp + offset, value);
}

static inline __attribute__((always_inline)) int packed_step(
	struct walk *walk, struct fg_cfi_rule rule, struct fg_frame *frame)
{
	bool deref = rule.kind >= CFI_RULE_DEREF_SP;
	int base = rule.kind - (deref ? CFI_RULE_DEREF_SP : CFI_RULE_SP);
	uint64_t bp = frame->bp, bx = frame->bx, pc;
	uint64_t cfa = base == 0 ? frame->sp : base == 1 ? bp : bx;

	cfa += (uint64_t)(int64_t)rule.cfa_offset;
	if (__builtin_expect(deref, 0)) {
		if (!fg_stack_load(&walk->stack, cfa, &cfa))
			return FG_END_BAD_LOAD;
		cfa += (uint64_t)rule.add_words * FG_WORD;
	}
	if (!goes_up(walk, frame->sp, cfa) || !fg_stack_load(&walk->stack, cfa - FG_WORD, &pc) ||
		!load_saved(walk, rule.bp_saved, rule.bp_words, cfa, frame, &bp) ||
		!load_saved(walk, rule.bx_saved, rule.bx_words, cfa, frame, &bx))
		return FG_END_BAD_LOAD;
	*frame = (struct fg_frame){.pc = pc, .sp = cfa, .bp = bp, .bx = bx};
	return GO_ON;
}

static int signal_step(struct walk *walk, struct fg_frame *frame)
{
	struct fg_frame next;
	uint64_t sp = frame->sp;

	if (!fg_stack_load(&walk->stack, sp + SIGNAL_PC, &next.pc) ||
		!fg_stack_load(&walk->stack, sp + SIGNAL_SP, &next.sp) ||
		!fg_stack_load(&walk->stack, sp + SIGNAL_BP, &next.bp) ||
		!fg_stack_load(&walk->stack, sp + SIGNAL_BX, &next.bx))
		return FG_END_BAD_LOAD;
	walk->gregs_at = sp + SIGNAL_GREGS;
	*frame = next;
	return GO_ON;
}

/* ---- steps that are interpreted each time -----------------------------------------------------
 */

struct interpretation {
	struct walk *walk;
	const struct fg_frame *frame;
	uint64_t cfa;
	bool signal, bad_load;
};

static bool load_word(void *context, uint64_t address, uint64_t *value)
{
	struct interpretation *in = context;
	bool loaded = fg_stack_load(&in->walk->stack, address, value);

	in->bad_load = in->bad_load || !loaded;
	return loaded;
}

static bool read_register(void *context, uint64_t number, uint64_t *value)
{
	struct interpretation *in = context;
	int greg = fg_greg_of_dwarf(number);

	switch (fg_tracked_of_dwarf(number)) {
	case FG_PC:
		*value = in->frame->pc;
		return true;
	case FG_SP:
		*value = in->frame->sp;
		return true;
	case FG_BP:
		*value = in->frame->bp;
		return true;
	case FG_BX:
		*value = in->frame->bx;
		return true;
	default:
		break;
	}
	if (greg >= 0 && in->walk->gregs) {
		*value = (uint64_t)in->walk->gregs[greg];
		return true;
	}
	return greg >= 0 && in->walk->gregs_at &&
	       load_word(in, in->walk->gregs_at + (uint64_t)greg * FG_WORD, value);
}

/* *value holds what the register is in this frame. */
static bool follow(struct interpretation *in, const struct cfi_place *place, uint64_t *value)
{
	const struct cfi_machine machine = {read_register, load_word, in};
	const struct cfi_value cfa = {.add = in->cfa, .reg = CFI_NO_REG};
	const struct cfi_value *first = place->how == CFI_AT_EXPR ? &cfa : NULL;
	struct cfi_value result;

	switch (place->how) {
	case CFI_AT_CFA:
		return load_word(in, in->cfa + (uint64_t)place->offset, value);
	case CFI_IS_CFA:
		*value = in->cfa + (uint64_t)place->offset;
		return true;
	case CFI_IN_REG:
		if (!read_register(in, place->reg, value))
			return false;
		*value += (uint64_t)place->offset;
		return true;
	case CFI_AT_EXPR:
	case CFI_IS_EXPR:
		if (!fg_cfi_evaluate(place, &machine, in->frame->pc, first, &result))
			return false;
		if (place->how == CFI_IS_EXPR) {
			*value = result.add;
			return true;
		}
		return (!in->signal && restored_already(result.add, in->frame->sp, in->cfa)) ||
		       load_word(in, result.add, value);
	default:
		return true;
	}
}

static bool interpret(struct interpretation *in, const struct cfi_row *row, struct fg_frame *next)
{
	if (!follow(in, &row->cfa, &in->cfa))
		return false;
	next->sp = in->cfa;
	if (row->reg[FG_PC].how == CFI_SAME)
		return false;
	return follow(in, &row->reg[FG_PC], &next->pc) && follow(in, &row->reg[FG_SP], &next->sp) &&
	       follow(in, &row->reg[FG_BP], &next->bp) && follow(in, &row->reg[FG_BX], &next->bx);
}

static int slow_step(struct walk *walk, struct fg_frame *frame, bool *exact)
{
	struct interpretation in = {.walk = walk, .frame = frame};
	struct fg_frame next = *frame;
	struct cfi_image image;
	struct cfi_row row;
	uint64_t lookup = *exact ? frame->pc : frame->pc - 1;

	if (!fg_cfi_image_at(lookup, &image) || fg_cfi_row_at(&image, lookup, &row) != CFI_OK)
		return FG_END_BAD_RULE;
	in.signal = row.signal;
	if (!interpret(&in, &row, &next))
		return in.bad_load ? FG_END_BAD_LOAD : FG_END_BAD_RULE;
	/* Only where execution stands may the return address be in a register, off the stack. */
	if (!row.signal && !(*exact && next.sp == frame->sp) && !goes_up(walk, frame->sp, next.sp))
		return FG_END_BAD_LOAD;
	*frame = next;
	*exact = row.signal;
	walk->gregs = NULL;
	walk->gregs_at = 0;
	return GO_ON;
}

static int rare_step(
	struct walk *walk, enum cfi_rule_kind kind, struct fg_frame *frame, bool *exact)
{
	bool was_exact = *exact;

	if (kind == CFI_RULE_SLOW)
		return slow_step(walk, frame, exact);
	walk->gregs = NULL;
	walk->gregs_at = 0;
	switch (kind) {
	case CFI_RULE_SIGNAL:
		*exact = true;
		return signal_step(walk, frame);
	case CFI_RULE_NONE:
		*exact = false;
		return fg_guess_caller(&walk->stack, frame, was_exact) ? GO_ON : FG_END_NO_RULE;
	case CFI_RULE_ROOT:
		return FG_END_ROOT;
	case CFI_RULE_START:
		return FG_END_START;
	default:
		return FG_END_BAD_RULE;
	}
}

/* ---- the walk ---------------------------------------------------------------------------------
 */

static size_t walk_frames(struct walk *walk, struct fg_frame frame, uint64_t *pcs,
	uint64_t *exact_bits, size_t max, int *end)
{
	bool exact = true;
	size_t count = 0;

	for (;;) {
		struct fg_cfi_rule rule = rule_for(walk->cache, frame.pc, exact);

		if (exact && count)
			exact_bits[count / 64] |= 1ULL << (count % 64);
		pcs[count++] = frame.pc;
		if (__builtin_expect(rule.kind <= CFI_RULE_DEREF_BX, 1)) {
			*end = packed_step(walk, rule, &frame);
			walk->gregs = NULL;
			walk->gregs_at = 0;
			exact = false;
		} else {
			struct fg_frame copy = frame; /* keeps frame itself in registers */

			*end = rare_step(walk, rule.kind, &copy, &exact);
			frame = copy;
		}
		if (__builtin_expect(*end != GO_ON, 0))
			return count;
		*end = frame.pc == 0 && !exact ? FG_END_ROOT : FG_END_DEPTH;
		if (__builtin_expect(*end == FG_END_ROOT || count == max, 0))
			return count;
	}
}

size_t fg_unwind(struct fg_rule_cache *cache, const struct fg_registers *regs,
	const struct fg_stack_bounds *bounds, uint64_t *pcs, uint64_t *exact, size_t max,
	enum fg_walk_end *end)
{
	struct walk walk = {.cache = cache, .gregs = regs->gregs};
	struct fg_frame frame = {.pc = regs->pc, .sp = regs->sp, .bp = regs->bp, .bx = regs->bx};
	size_t count;
	int ended;

	for (size_t i = 0; i < (max + 63) / 64; i++)
		exact[i] = 0;
	fg_stack_open(&walk.stack, &cache->copy, bounds->low, bounds->high, frame.sp);
	count = walk_frames(&walk, frame, pcs, exact, max, &ended);
	fg_stack_close(&walk.stack);
	*end = (enum fg_walk_end)ended;
	return count;
}
