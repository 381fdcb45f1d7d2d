/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What decides on a word of the stack is the call before the address that it may be. A call to this
 * very function is the caller, also by way of the linkage table or a tail call; an indirect one may
 * be; one to another function is not, unless nothing better lies within reach. Words of calls that
 * are long over lie about, too: from a caller, the next few frames must be callers as well.
 */
#include "gate/sampler/offcpu/off_cpu_search.h"

#include <string.h>

#include "gate/sampler/unwind/cfi.h"
#include "gate/sampler/unwind/code_arch.h"

#define SEARCH_BYTES (UINT64_C(32) << 10)
#define MAX_TAIL_BYTES UINT64_C(1024) /* of a function that is looked through for a tail call */
#define TRIAL_FRAMES 6

/* How likely a word on the stack is the return address that is looked for. */
enum fit { FIT_NOT, FIT_OTHER_CALL, FIT_INDIRECT, FIT_CALL, FIT_COUNT };

/* Open: the way leads through code of no object, a JIT's or none at all, or ends at a zero. */
enum trial { TRIAL_FAILED, TRIAL_OPEN, TRIAL_PASSED };

struct search {
	struct fg_steps *walk;
	struct fg_frame frame; /* whose frame pointer is looked for */
	struct fg_cfi_rule rule;
	uint64_t function; /* where its function begins */
};

/* ---- what was called ------------------------------------------------------------------------- */

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

/* ---- candidates ------------------------------------------------------------------------------ */

enum code { CODE_UNKNOWN, CODE_RETURN, CODE_OTHER };

/* Is it the address behind a call? Not known outside of objects: a JIT's code. */
static enum code code_at(uint64_t pc)
{
	const struct cfi_span *span;
	struct cfi_image image;

	if (pc < FG_CALL_BEFORE || pc >= FG_CODE_LIMIT)
		return CODE_OTHER;
	if (!fg_cfi_image_at(pc - 1, &image))
		return CODE_UNKNOWN;
	span = fg_cfi_span(&image, pc - FG_CALL_BEFORE, FG_CALL_BEFORE + FG_CALL_BEHIND);
	return span && span->code && fg_code_follows_call(pc) ? CODE_RETURN : CODE_OTHER;
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
	struct cfi_row row;
	uint64_t target;

	if (code_at(word) != CODE_RETURN || !fg_cfi_image_at(word - 1, &image) ||
		fg_cfi_row_at(&image, word - 1, &row) != CFI_OK)
		return FIT_NOT;
	target = fg_code_call_target(word);
	if (!target)
		return FIT_INDIRECT;
	if (leads_to(target, search->function))
		return FIT_CALL;
	return is_chained(search, cfa) ? FIT_OTHER_CALL : FIT_NOT;
}

static struct fg_frame frame_with(const struct search *search, uint64_t cfa)
{
	struct fg_frame frame = search->frame;

	frame.fp = cfa - fg_cfa_offset(search->rule);
	return frame;
}

/* Beyond what is at hand there is no judging. */
static bool ends_with_copy(
	const struct fg_steps *walk, struct fg_cfi_rule rule, const struct fg_frame *frame)
{
	return rule.kind == CFI_RULE_SP &&
	       frame->sp + fg_cfa_offset(rule) > walk->stack.copy_high - FG_WORD;
}

/* Are the next frames callers, too? */
static enum trial try_frame(const struct search *search, uint64_t cfa)
{
	struct fg_frame frame = frame_with(search, cfa);
	struct fg_cfi_rule rule = search->rule;
	struct fg_steps trial = *search->walk;

	trial.stack.copies_left = 0;
	for (int i = 0; i < TRIAL_FRAMES; i++) {
		if (rule.kind > CFI_RULE_DEREF_SPARE || fg_lacks_frame_pointer(rule, &frame))
			return TRIAL_PASSED;
		if (fg_packed_step(&trial, rule, &frame, NULL) != FG_GO_ON)
			return ends_with_copy(&trial, rule, &frame) ? TRIAL_PASSED : TRIAL_FAILED;
		if (frame.pc == 0)
			return TRIAL_OPEN;
		if (code_at(frame.pc) != CODE_RETURN)
			return code_at(frame.pc) == CODE_OTHER ? TRIAL_FAILED : TRIAL_OPEN;
		rule = fg_rule_for(trial.cache, frame.pc, false);
	}
	return TRIAL_PASSED;
}

/* How good a candidate the word is, 0 for none: first by the trial, then by the call. */
static int score_of(const struct search *search, uint64_t word, uint64_t cfa)
{
	enum fit fit = fit_of(search, word, cfa);
	enum trial trial = fit == FIT_NOT ? TRIAL_FAILED : try_frame(search, cfa);

	return trial == TRIAL_FAILED ? 0 : (int)trial * (int)FIT_COUNT + (int)fit;
}

/* The CFA of the frame, by the best return address above sp; the nearest of equals. 0: none. */
static uint64_t find_cfa(const struct search *search)
{
	const int perfect = (int)TRIAL_PASSED * (int)FIT_COUNT + (int)FIT_CALL;
	uint64_t found = 0, word, sp = search->frame.sp;
	int best = 0;

	for (uint64_t at = sp; at - sp < SEARCH_BYTES && best < perfect; at += FG_WORD) {
		int score;

		if (!fg_stack_peek(&search->walk->stack, at, &word))
			break;
		score = score_of(search, word, at + FG_WORD);
		if (score > best) {
			best = score;
			found = at + FG_WORD;
		}
	}
	return found;
}

bool fg_find_frame_pointer(
	struct fg_steps *walk, struct fg_cfi_rule rule, struct fg_frame *frame, bool exact)
{
	struct search search = {.walk = walk, .rule = rule, .frame = *frame};
	struct cfi_image image;
	struct cfi_row row;
	uint64_t lookup = exact ? frame->pc : frame->pc - 1, cfa, ignored;

	if (FG_LINK_REGISTER || rule.kind != CFI_RULE_FP || !fg_cfi_image_at(lookup, &image) ||
		fg_cfi_row_at(&image, lookup, &row) != CFI_OK ||
		!fg_stack_load(&walk->stack, frame->sp, &ignored))
		return false;
	search.function = row.start;
	cfa = find_cfa(&search);
	if (cfa)
		*frame = frame_with(&search, cfa);
	return cfa != 0;
}
