/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of rules packed into a word, so that a cached step is two loads and an addition. What does
 * not fit stays CFI_RULE_SLOW and is interpreted anew each time. Context: handler.
 */
#ifndef FG_SAMPLER_CFI_RULE_H
#define FG_SAMPLER_CFI_RULE_H

#include "gate/sampler/unwind/cfi.h"

/* The first six are the hot ones; the base register is the kind modulo 3 (sp, fp, spare). */
enum cfi_rule_kind {
	CFI_RULE_SP, /* CFA = register + cfa_offset */
	CFI_RULE_FP,
	CFI_RULE_SPARE,
	CFI_RULE_DEREF_SP, /* CFA = *(register + cfa_offset) + add_words * 8 */
	CFI_RULE_DEREF_FP,
	CFI_RULE_DEREF_SPARE,
	CFI_RULE_SIGNAL, /* the kernel's signal frame lies at sp */
	CFI_RULE_ROOT,   /* no caller */
	CFI_RULE_START,  /* a start function that has no unwind information */
	CFI_RULE_NONE,   /* not described */
	CFI_RULE_SLOW,   /* described, but not in this form */
	CFI_RULE_BAD,    /* described in a way that we cannot interpret */
};

enum cfi_saved {
	CFI_SAVED_NOT,
	CFI_SAVED_CFA, /* at CFA + words * 8 */
	CFI_SAVED_FP,  /* at fp + words * 8 */
};

/*
 * The caller's sp is the CFA. The return address is at CFA - 8 or, with a link register, where that
 * one (the spare register) is saved, or still in it.
 */
struct fg_cfi_rule {
	int32_t cfa_offset; /* bytes */
	uint32_t kind : 4, add_words : 4;
	uint32_t fp_saved : 2, spare_saved : 2;
	uint32_t fp_words : 10, spare_words : 10; /* signed: fg_saved_offset() */
};

_Static_assert(
	sizeof(struct fg_cfi_rule) == 8, "a rule and its key share a cache line with three others");

/* Bytes. */
static inline uint64_t fg_cfa_offset(struct fg_cfi_rule rule)
{
	return (uint64_t)(int64_t)rule.cfa_offset;
}

/* A field of ten bits in bytes. */
static inline uint64_t fg_saved_offset(uint32_t words)
{
	return (uint64_t)((int64_t)((uint64_t)words << 54) >> 51);
}

struct fg_cfi_rule fg_cfi_pack(const struct cfi_row *row, uint64_t pc);

/* The rule for code at pc (a return address when !exact), from the loaded objects' tables. */
struct fg_cfi_rule fg_cfi_rule_at(uint64_t pc, bool exact, bool *cacheable);

#endif
