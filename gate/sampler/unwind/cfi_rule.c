/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/unwind/cfi_rule.h"

#include "gate/sampler/unwind/code_arch.h"

static struct fg_cfi_rule plain(enum cfi_rule_kind kind)
{
	return (struct fg_cfi_rule){.kind = (unsigned)kind & 0xfu};
}

/* 0 sp, 1 fp, 2 spare: the offset of a kind from its family's first; -1 for another register. */
static int base_of(int dwarf)
{
	if (dwarf == DWARF_SPARE)
		return FG_LINK_REGISTER ? -1 : 2;
	return dwarf == DWARF_SP ? 0 : dwarf == DWARF_FP ? 1 : -1;
}

/* The place as a symbolic value: what it is equal to, or the address where it is saved. */
static bool symbolic(const struct cfi_place *place, uint64_t pc, struct cfi_value *value)
{
	static const struct cfi_value cfa = {.reg = CFI_REG_CFA};

	switch (place->how) {
	case CFI_IN_REG:
		*value = (struct cfi_value){.add = (uint64_t)place->offset, .reg = place->reg};
		return true;
	case CFI_AT_CFA:
		*value = (struct cfi_value){.add = (uint64_t)place->offset, .reg = CFI_REG_CFA};
		return true;
	case CFI_AT_EXPR:
		return fg_cfi_evaluate(place, NULL, pc, &cfa, value);
	case CFI_IS_EXPR:
		return fg_cfi_evaluate(place, NULL, pc, NULL, value);
	default:
		return false;
	}
}

static bool pack_cfa(const struct cfi_row *row, uint64_t pc, struct fg_cfi_rule *rule)
{
	struct cfi_value value;
	int64_t offset;
	int base;

	if (!symbolic(&row->cfa, pc, &value))
		return false;
	base = base_of(value.reg);
	offset = (int64_t)(value.deref ? value.pre : value.add);
	if (base < 0 || offset != (int32_t)offset)
		return false;
	if (value.deref && (value.add % FG_WORD || value.add / FG_WORD > 15))
		return false;
	rule->kind = (unsigned)((value.deref ? CFI_RULE_DEREF_SP : CFI_RULE_SP) + base) & 0xfu;
	rule->add_words = (unsigned)(value.deref ? value.add / FG_WORD : 0) & 0xfu;
	rule->cfa_offset = (int32_t)offset;
	return true;
}

static bool pack_saved(
	const struct cfi_place *place, uint64_t pc, enum cfi_saved *saved, uint32_t *words)
{
	struct cfi_value value;
	int64_t offset;

	/* A lost register keeps its value:
	 * rules of the caller that need it would be wrong anyway. */
	*saved = CFI_SAVED_NOT;
	*words = 0;
	if (place->how == CFI_SAME || place->how == CFI_UNDEFINED)
		return true;
	if (place->how != CFI_AT_CFA && place->how != CFI_AT_EXPR)
		return false;
	if (!symbolic(place, pc, &value) || value.deref)
		return false;
	if (value.reg != CFI_REG_CFA && value.reg != DWARF_FP)
		return false;
	offset = (int64_t)value.add;
	*words = (uint32_t)(offset / FG_WORD) & 0x3ffu;
	if (fg_saved_offset(*words) != (uint64_t)offset)
		return false;
	*saved = value.reg == DWARF_FP ? CFI_SAVED_FP : CFI_SAVED_CFA;
	return true;
}

static bool saved_at_sp(const struct cfi_place *place, uint64_t pc, int offset)
{
	struct cfi_value value;

	return place->how == CFI_AT_EXPR && symbolic(place, pc, &value) && !value.deref &&
	       value.reg == DWARF_SP && value.add == (uint64_t)offset;
}

/* glibc describes the kernel's frame register by register; it is always the same one. */
static bool is_kernel_signal_frame(const struct cfi_row *row, uint64_t pc)
{
	struct cfi_value cfa;

	return symbolic(&row->cfa, pc, &cfa) && cfa.deref && cfa.reg == DWARF_SP && cfa.add == 0 &&
	       cfa.pre == SIGNAL_SP && saved_at_sp(&row->reg[FG_PC], pc, SIGNAL_PC) &&
	       saved_at_sp(&row->reg[FG_FP], pc, SIGNAL_FP) &&
	       saved_at_sp(&row->reg[FG_SPARE], pc, SIGNAL_SPARE);
}

/*
 * A saved return address lies below the CFA. glibc 2.36's _dl_runtime_resolve on aarch64 forgets
 * what the linkage stub has pushed last, the return address: there the CFA is right above it.
 */
static bool raise_cfa(struct fg_cfi_rule *rule, uint32_t *fp_words, uint32_t *spare_words)
{
	int64_t by = (int64_t)fg_saved_offset(*spare_words) + FG_WORD;
	int64_t fp = (int64_t)fg_saved_offset(*fp_words) - by;

	if (rule->kind > CFI_RULE_SPARE ||
		__builtin_add_overflow(rule->cfa_offset, by, &rule->cfa_offset))
		return false;
	*spare_words = -1U & 0x3ffu;
	*fp_words = (uint32_t)(fp / FG_WORD) & 0x3ffu;
	return fg_saved_offset(*fp_words) == (uint64_t)fp;
}

struct fg_cfi_rule fg_cfi_pack(const struct cfi_row *row, uint64_t pc)
{
	const struct cfi_place *ret = &row->reg[FG_PC];
	struct fg_cfi_rule rule = {0};
	uint32_t fp_words, spare_words;
	enum cfi_saved fp, spare;

	if (ret->how == CFI_UNDEFINED)
		return plain(CFI_RULE_ROOT);
	if (row->signal)
		return plain(is_kernel_signal_frame(row, pc) ? CFI_RULE_SIGNAL : CFI_RULE_SLOW);
	if (!FG_LINK_REGISTER && (ret->how != CFI_AT_CFA || ret->offset != -FG_WORD))
		return plain(CFI_RULE_SLOW);
	if (row->reg[FG_SP].how != CFI_SAME || !pack_cfa(row, pc, &rule) ||
		!pack_saved(&row->reg[FG_FP], pc, &fp, &fp_words) ||
		!pack_saved(
			&row->reg[FG_LINK_REGISTER ? FG_PC : FG_SPARE], pc, &spare, &spare_words))
		return plain(CFI_RULE_SLOW);
	if (FG_LINK_REGISTER && spare == CFI_SAVED_CFA &&
		(int64_t)fg_saved_offset(spare_words) >= 0 &&
		!raise_cfa(&rule, &fp_words, &spare_words))
		return plain(CFI_RULE_SLOW);
	rule.fp_saved = (unsigned)fp & 3u;
	rule.fp_words = fp_words & 0x3ffu;
	rule.spare_saved = (unsigned)spare & 3u;
	rule.spare_words = spare_words & 0x3ffu;
	return rule;
}

/* A restorer that nobody described (Go, musl, aarch64's vdso). */
static bool is_restorer(const struct cfi_image *image, uint64_t pc, bool exact)
{
	if (!fg_cfi_span(image, pc - FG_RESTORER_BEFORE, FG_RESTORER_BEFORE + FG_RESTORER_BEHIND))
		return false;
	return exact ? fg_code_in_restorer(pc) : fg_code_is_restorer(pc);
}

/* The loader's entry code goes on behind its first call (it runs the constructors). */
static bool is_entry(const struct cfi_image *image, uint64_t pc)
{
	enum { ENTRY_SIZE = 64 };

	return image->entry && pc - image->entry < ENTRY_SIZE;
}

/*
 * Nothing covers the address before a return address. When a function begins right there, no call
 * can have put it on the stack: it was planted, as makecontext() does with the code that ends a
 * coroutine, and the coroutine starts here. Or a signal's restorer begins there.
 */
static struct fg_cfi_rule undescribed(const struct cfi_image *image, uint64_t pc, bool exact)
{
	struct cfi_row row;

	if (is_entry(image, exact ? pc : pc - 1))
		return plain(CFI_RULE_START);
	if (is_restorer(image, pc, exact))
		return plain(CFI_RULE_SIGNAL);
	if (exact)
		return plain(CFI_RULE_NONE);
	if (fg_cfi_row_at(image, pc, &row) == CFI_OK && row.start == pc) {
		struct fg_cfi_rule rule = fg_cfi_pack(&row, pc);

		return rule.kind == CFI_RULE_SIGNAL ? rule : plain(CFI_RULE_START);
	}
	return plain(CFI_RULE_NONE);
}

struct fg_cfi_rule fg_cfi_rule_at(uint64_t pc, bool exact, bool *cacheable)
{
	uint64_t lookup = exact ? pc : pc - 1;
	struct cfi_image image;
	struct cfi_row row;

	/* A JIT's memory may hold a library tomorrow. */
	*cacheable = fg_cfi_image_at(lookup, &image);
	if (!*cacheable)
		return plain(CFI_RULE_NONE);
	switch (fg_cfi_row_at(&image, lookup, &row)) {
	case CFI_OK:
		return fg_cfi_pack(&row, pc);
	case CFI_NONE:
		return undescribed(&image, pc, exact);
	default:
		return plain(CFI_RULE_BAD);
	}
}
