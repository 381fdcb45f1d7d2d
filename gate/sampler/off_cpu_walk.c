/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sleeper's registers are in the kernel: only pc and sp are told. That is enough while frames are
 * described from sp, and a register is known again once a frame that has saved it is passed. Code
 * that keeps its frame at a frame pointer which nobody below has saved (unoptimised code that calls
 * the C library, alloca) leaves a gap: there the caller's return address is looked for upwards on
 * the stack. What decides is the call before it. A call to this very function is the caller, also
 * by way of the linkage table or a tail call; an indirect one may be; one to another function is
 * not, unless nothing better lies within reach.
 */
#include "gate/sampler/off_cpu_walk.h"

#include <string.h>

#include "gate/sampler/cfi.h"
#include "gate/sampler/code_arch.h"
#include "gate/sampler/unwind_step.h"

/* No address: a step that needed it would fail. */
#define UNKNOWN 1
#define SEARCH_BYTES (UINT64_C(32) << 10)
#define MAX_TAIL_BYTES UINT64_C(1024) /* of a function that is looked through for a tail call */

/* How likely a word on the stack is the return address that is looked for. */
enum fit { FIT_NOT, FIT_OTHER_CALL, FIT_INDIRECT, FIT_INDIRECT_CHAIN, FIT_CALL };

struct search {
	struct fg_steps *walk;
	uint64_t function; /* where the one that we are in begins */
	struct fg_cfi_rule rule;
};

#if defined(__x86_64__)
/* Where the jump through the global offset table at this address goes to, or the address itself. */
static uint64_t behind_linkage(uint64_t target)
{
	static const uint8_t mark[4] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	const uint8_t *code = (const uint8_t *)(uintptr_t)target;
	struct cfi_image image;
	uint64_t entry;

	if (!fg_cfi_image_at(target, &image) || !fg_cfi_span(&image, target, 16))
		return target;
	if (memcmp(code, mark, sizeof(mark)) == 0)
		code += sizeof(mark);
	if (*code == 0xf2) /* bnd */
		code++;
	if (code[0] != 0xff || code[1] != 0x25)
		return target;
	entry = (uint64_t)(uintptr_t)code + 6 +
		(uint64_t)(int64_t)(int32_t) * (const fg_u32 *)(code + 2);
	return fg_cfi_span(&image, entry, 8) ? *(const fg_u64 *)(uintptr_t)entry : target;
}

/* Does the function that begins at `from` end in a jump to the other (a tail call)? */
static bool jumps_to(uint64_t from, uint64_t function)
{
	struct cfi_image image;
	struct cfi_fde fde;
	uint64_t limit;

	if (!fg_cfi_image_at(from, &image) || fg_cfi_find_fde(&image, from, &fde) != CFI_OK)
		return false;
	limit = fde.size < MAX_TAIL_BYTES ? fde.size : MAX_TAIL_BYTES;
	if (fde.start != from || limit < 5 || !fg_cfi_span(&image, from, limit))
		return false;
	for (uint64_t at = from; at <= from + limit - 5; at++) {
		const uint8_t *code = (const uint8_t *)(uintptr_t)at;
		uint64_t relative = (uint64_t)(int64_t)(int32_t) * (const fg_u32 *)(code + 1);

		if (*code == 0xe9 && at + 5 + relative == function)
			return true;
	}
	return false;
}
#else
static uint64_t behind_linkage(uint64_t target)
{
	return target;
}

static bool jumps_to(uint64_t from, uint64_t function)
{
	return from == function;
}
#endif

static bool leads_to(uint64_t target, uint64_t function)
{
	if (target == function)
		return true;
	target = behind_linkage(target);
	return target == function || jumps_to(target, function);
}

/* Is the frame pointer that would be the caller's one of a frame further up? */
static bool is_chained(const struct search *search, uint64_t cfa)
{
	uint64_t saved, above;

	if (search->rule.fp_saved != CFI_SAVED_CFA ||
		!fg_stack_peek(
			&search->walk->stack, cfa + fg_saved_offset(search->rule.fp_words), &saved))
		return false;
	return saved % FG_WORD == 0 && saved >= cfa &&
	       fg_stack_peek(&search->walk->stack, saved, &above);
}

static enum fit fit_of(const struct search *search, uint64_t word, uint64_t cfa)
{
	struct cfi_image image;
	const struct cfi_span *span;
	struct cfi_row row;
	uint64_t target;

	if (word < FG_CALL_BEFORE || word >= FG_CODE_LIMIT || !fg_cfi_image_at(word - 1, &image))
		return FIT_NOT;
	span = fg_cfi_span(&image, word - FG_CALL_BEFORE, FG_CALL_BEFORE + FG_CALL_BEHIND);
	if (!span || !span->code || !fg_code_follows_call(word) ||
		fg_cfi_row_at(&image, word - 1, &row) != CFI_OK)
		return FIT_NOT;
	target = fg_code_call_target(word);
	if (!target)
		return is_chained(search, cfa) ? FIT_INDIRECT_CHAIN : FIT_INDIRECT;
	if (leads_to(target, search->function))
		return FIT_CALL;
	return is_chained(search, cfa) ? FIT_OTHER_CALL : FIT_NOT;
}

/* The CFA of the frame, by the best return address above sp; the nearest of equals. 0: none. */
static uint64_t find_cfa(const struct search *search, uint64_t sp)
{
	enum fit best = FIT_NOT;
	uint64_t found = 0, word;

	for (uint64_t at = sp; at - sp < SEARCH_BYTES && best < FIT_CALL; at += FG_WORD) {
		enum fit fit;

		if (!fg_stack_peek(&search->walk->stack, at, &word))
			break;
		fit = fit_of(search, word, at + FG_WORD);
		if (fit > best) {
			best = fit;
			found = at + FG_WORD;
		}
	}
	return found;
}

static bool find_frame_pointer(
	struct fg_steps *walk, struct fg_cfi_rule rule, struct fg_frame *frame, bool exact)
{
	struct search search = {.walk = walk, .rule = rule};
	struct cfi_image image;
	struct cfi_row row;
	uint64_t lookup = exact ? frame->pc : frame->pc - 1, cfa, ignored;

	if (FG_LINK_REGISTER || rule.kind != CFI_RULE_FP || !fg_cfi_image_at(lookup, &image) ||
		fg_cfi_row_at(&image, lookup, &row) != CFI_OK ||
		!fg_stack_load(&walk->stack, frame->sp, &ignored))
		return false;
	search.function = row.start;
	cfa = find_cfa(&search, frame->sp);
	if (!cfa)
		return false;
	frame->fp = cfa - fg_cfa_offset(rule);
	return true;
}

static bool is_based_on_frame_pointer(struct fg_cfi_rule rule)
{
	return rule.kind == CFI_RULE_FP || rule.kind == CFI_RULE_DEREF_FP;
}

static int described_step(
	struct fg_steps *walk, struct fg_cfi_rule rule, struct fg_frame *frame, bool exact)
{
	if (frame->fp == UNKNOWN && is_based_on_frame_pointer(rule) &&
		!find_frame_pointer(walk, rule, frame, exact))
		return FG_END_BAD_LOAD;
	if (frame->fp == UNKNOWN && rule.fp_saved == CFI_SAVED_FP)
		rule.fp_saved = CFI_SAVED_NOT;
	if (frame->fp == UNKNOWN && rule.spare_saved == CFI_SAVED_FP)
		rule.spare_saved = CFI_SAVED_NOT;
	return fg_packed_step(walk, rule, frame, NULL);
}

static int step(struct fg_steps *walk, struct fg_cfi_rule rule, struct fg_frame *frame, bool *exact)
{
	int end;

	if (rule.kind <= CFI_RULE_DEREF_SPARE) {
		end = described_step(walk, rule, frame, *exact);
		*exact = false;
	} else {
		end = fg_rare_step(walk, (enum cfi_rule_kind)rule.kind, frame, exact);
	}
	return end == FG_GO_ON && frame->pc == 0 && !*exact ? (int)FG_END_ROOT : end;
}

size_t fg_unwind_sleeper(struct fg_rule_cache *cache, uint64_t pc, uint64_t sp, uint64_t *pcs,
	uint64_t *exact, size_t max, enum fg_walk_end *end)
{
	struct fg_steps walk = {.cache = cache};
	struct fg_frame frame = {.pc = pc, .sp = sp, .fp = UNKNOWN, .spare = FG_SPARE_UNKNOWN};
	bool stands = true; /* the frame is where execution stands, not a caller */
	int ended = FG_GO_ON;
	size_t count = 0;

	memset(exact, 0, (max + 63) / 64 * sizeof(*exact));
	fg_stack_open(&walk.stack, &cache->copy, 0, 0, sp);
	while (ended == FG_GO_ON && count < max) {
		struct fg_cfi_rule rule = fg_rule_for(cache, frame.pc, stands);

		if (stands && count)
			exact[count / 64] |= UINT64_C(1) << (count % 64);
		pcs[count++] = frame.pc;
		ended = step(&walk, rule, &frame, &stands);
	}
	fg_stack_close(&walk.stack);
	*end = ended == FG_GO_ON ? FG_END_DEPTH : (enum fg_walk_end)ended;
	return count;
}
