/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/unwind/unwind_step.h"

size_t fg_rule_cache_bytes(void)
{
	return sizeof(struct fg_rule_cache);
}

void fg_rule_cache_forget(struct fg_rule_cache *cache)
{
	for (size_t i = 0; i < FG_RULE_SLOTS; i++)
		cache->slots[i] = (struct fg_rule_slot){0, 0};
}

static void put(struct fg_rule_cache *cache, size_t home, uint64_t key, uint64_t bits)
{
	size_t index = home;

	for (size_t i = 0; i < FG_RULE_BUCKET; i++) {
		const struct fg_rule_slot *slot = &cache->slots[home ^ i];

		if ((slot->tag | slot->bits) == 0) {
			index = home ^ i;
			break;
		}
	}
	cache->slots[index] = (struct fg_rule_slot){key ^ bits, bits};
}

struct fg_cfi_rule fg_rule_find(struct fg_rule_cache *cache, uint64_t pc, bool exact)
{
	uint64_t key = fg_rule_key(pc, exact);
	size_t home = fg_rule_home(pc);
	union fg_packed_rule found;
	bool cacheable;

	for (size_t i = 1; i < FG_RULE_BUCKET; i++) {
		const struct fg_rule_slot *slot = &cache->slots[home ^ i];

		found.bits = slot->bits;
		if ((slot->tag ^ found.bits) == key)
			return found.rule;
	}
	found.rule = fg_cfi_rule_at(pc, exact, &cacheable);
	if (cacheable)
		put(cache, home, key, found.bits);
	return found.rule;
}

/* ---- steps that are rare --------------------------------------------------------------------- */

static int signal_step(struct fg_steps *walk, struct fg_frame *frame)
{
	struct fg_frame next;
	uint64_t sp = frame->sp;

	if (!fg_stack_load(&walk->stack, sp + SIGNAL_PC, &next.pc) ||
		!fg_stack_load(&walk->stack, sp + SIGNAL_SP, &next.sp) ||
		!fg_stack_load(&walk->stack, sp + SIGNAL_FP, &next.fp) ||
		!fg_stack_load(&walk->stack, sp + SIGNAL_SPARE, &next.spare))
		return FG_END_BAD_LOAD;
	walk->gregs_at = sp + SIGNAL_GREGS;
	*frame = next;
	return FG_GO_ON;
}

/* Guesses only look at what is readable: another stack's first frame may not have been yet. */
static void cover_frame(struct fg_steps *walk, const struct fg_frame *frame)
{
	uint64_t ignored;

	fg_stack_load(&walk->stack, frame->sp, &ignored);
}

int fg_guess_step(struct fg_steps *walk, struct fg_frame *frame)
{
	cover_frame(walk, frame);
	return fg_guess_caller(&walk->stack, frame, false) ? FG_GO_ON : FG_END_NO_RULE;
}

/* Code that nobody described. */
static int undescribed_step(struct fg_steps *walk, struct fg_frame *frame, bool *exact)
{
	bool was_exact = *exact;

	cover_frame(walk, frame);
	*exact = fg_guess_is_signal_frame(&walk->stack, frame);
	if (*exact)
		return signal_step(walk, frame);
	if (!was_exact && fg_guess_is_root(frame))
		return FG_END_ROOT;
	return fg_guess_caller(&walk->stack, frame, was_exact) ? FG_GO_ON : FG_END_NO_RULE;
}

/* ---- steps that are interpreted each time ---------------------------------------------------- */

struct interpretation {
	struct fg_steps *walk;
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

	switch (number) {
	case DWARF_PC:
		*value = in->frame->pc;
		return true;
	case DWARF_SP:
		*value = in->frame->sp;
		return true;
	case DWARF_FP:
		*value = in->frame->fp;
		return true;
	case DWARF_SPARE:
		*value = in->frame->spare;
		return !FG_LINK_REGISTER || *value >= FG_SPARE_STATES;
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
		return (!in->signal && fg_restored_already(result.add, in->frame->sp, in->cfa)) ||
		       load_word(in, result.add, value);
	default:
		return true;
	}
}

static bool interpret(struct interpretation *in, const struct cfi_row *row, struct fg_frame *next)
{
	static const struct cfi_place in_link = {.how = CFI_IN_REG, .reg = DWARF_RETURN};
	const struct cfi_place *ret = &row->reg[FG_PC];

	if (!follow(in, &row->cfa, &in->cfa))
		return false;
	next->sp = in->cfa;
	if (ret->how == CFI_SAME && !FG_LINK_REGISTER)
		return false;
	if (!follow(in, ret->how == CFI_SAME ? &in_link : ret, &next->pc) ||
		!follow(in, &row->reg[FG_SP], &next->sp) ||
		!follow(in, &row->reg[FG_FP], &next->fp) ||
		!follow(in, &row->reg[FG_SPARE], &next->spare))
		return false;
	next->pc = fg_code_address(next->pc);
	if (FG_LINK_REGISTER)
		next->spare = FG_SPARE_UNKNOWN;
	return true;
}

static int slow_step(struct fg_steps *walk, struct fg_frame *frame, bool *exact)
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
	if (!row.signal && !(*exact && next.sp == frame->sp) &&
		!fg_goes_up(walk, frame->sp, next.sp))
		return FG_END_BAD_LOAD;
	*frame = next;
	*exact = row.signal;
	walk->gregs = NULL;
	walk->gregs_at = 0;
	return FG_GO_ON;
}

int fg_rare_step(
	struct fg_steps *walk, enum cfi_rule_kind kind, struct fg_frame *frame, bool *exact)
{
	if (kind == CFI_RULE_SLOW)
		return slow_step(walk, frame, exact);
	walk->gregs = NULL;
	walk->gregs_at = 0;
	switch (kind) {
	case CFI_RULE_SIGNAL:
		*exact = true;
		return signal_step(walk, frame);
	case CFI_RULE_NONE:
		return undescribed_step(walk, frame, exact);
	case CFI_RULE_ROOT:
		return FG_END_ROOT;
	case CFI_RULE_START:
		return FG_END_START;
	default:
		return FG_END_BAD_RULE;
	}
}

/* ---- the walk -------------------------------------------------------------------------------- */

static size_t walk_frames(struct fg_steps *walk, struct fg_frame frame, uint64_t *pcs,
	uint64_t *exact_bits, size_t max, int *end)
{
	bool exact = true;
	size_t count = 0;

	for (;;) {
		struct fg_cfi_rule rule = fg_rule_for(walk->cache, frame.pc, exact);

		if (exact && count)
			exact_bits[count / 64] |= 1ULL << (count % 64);
		pcs[count++] = frame.pc;
		if (__builtin_expect(rule.kind <= CFI_RULE_DEREF_SPARE, 1)) {
			*end = fg_packed_step(walk, rule, &frame, NULL);
			walk->gregs = NULL;
			walk->gregs_at = 0;
			exact = false;
		} else {
			struct fg_frame copy = frame; /* keeps frame itself in registers */

			*end = fg_rare_step(walk, rule.kind, &copy, &exact);
			frame = copy;
		}
		if (__builtin_expect(*end != FG_GO_ON, 0))
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
	struct fg_steps walk = {.cache = cache, .gregs = regs->gregs};
	struct fg_frame frame = {
		.pc = regs->pc, .sp = regs->sp, .fp = regs->fp, .spare = regs->spare};
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
