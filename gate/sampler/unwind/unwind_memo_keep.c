/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a walk down: its hashes, and the words that the next one compares. */
#include "gate/sampler/unwind/unwind_memo_internal.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 32);
}

uint64_t fg_memo_root_hash(enum fg_walk_end end, uint32_t layout)
{
	return mix(UINT64_C(0x2545f4914f6cdd1d), (uint64_t)end << 32 | layout);
}

uint64_t fg_memo_frame_hash(uint64_t above, uint64_t pc, bool interrupted)
{
	return mix(above, pc | (uint64_t)interrupted << 63);
}

static uint32_t needs_of(const struct remembered *frame, uint32_t above)
{
	uint32_t needs = 0;

	if (frame->flags & REPEATED)
		return NEEDS_FP | NEEDS_SPARE;
	if ((frame->flags & USES_FP) || (!frame->loads.address[FG_LOAD_FP] && (above & NEEDS_FP)))
		needs |= NEEDS_FP;
	if ((frame->flags & USES_SPARE) ||
		(!frame->loads.address[FG_LOAD_SPARE] && (above & NEEDS_SPARE)))
		needs |= NEEDS_SPARE;
	return needs;
}

static uint32_t put_word(struct fg_memo *memo, uint32_t at, uint64_t address)
{
	memo->words[--at] = (struct word){address, word_at(address)};
	return at;
}

/* The words in front of `at` that the frame's step is compared by; above: the caller's flags. */
static uint32_t put_words(
	struct fg_memo *memo, uint32_t at, const struct remembered *frame, uint32_t above)
{
	const uint64_t *address = frame->loads.address;

	if (frame->flags & REPEATED) {
		memo->words[--at] = (struct word){(uint64_t)(uintptr_t)&memo->never, 1};
		return at;
	}
	if (address[FG_LOAD_SPARE] && (above & NEEDS_SPARE))
		at = put_word(memo, at, address[FG_LOAD_SPARE]);
	if (address[FG_LOAD_FP] && (above & NEEDS_FP))
		at = put_word(memo, at, address[FG_LOAD_FP]);
	if (address[FG_LOAD_PC])
		at = put_word(memo, at, address[FG_LOAD_PC]);
	if (address[FG_LOAD_CFA])
		at = put_word(memo, at, address[FG_LOAD_CFA]);
	return at;
}

void fg_memo_remember(struct fg_memo *memo, uint32_t count, uint32_t at)
{
	uint32_t above = at < END ? memo->frames[at].flags : 0;
	uint32_t words = at < END ? memo->frames[at].words : WORDS_END;
	uint64_t hash =
		at < END ? memo->frames[at].hash : fg_memo_root_hash(memo->end, memo->layout);

	memo->depth = count + (END - at);
	while (count-- > 0) {
		struct remembered *frame = &memo->frames[--at];
		bool interrupted;

		*frame = memo->fresh[count];
		interrupted = count && (frame->flags & EXACT);
		frame->flags &= ~(uint32_t)(NEEDS_FP | NEEDS_SPARE | EXACT_UP);
		frame->flags |= needs_of(frame, above);
		frame->flags |= interrupted ? EXACT_UP : above & EXACT_UP;
		words = put_words(memo, words, frame, above);
		hash = fg_memo_frame_hash(hash, frame->frame.pc, interrupted);
		frame->words = words;
		frame->hash = hash;
		memo->pcs[at] = frame->frame.pc;
		above = frame->flags;
	}
}
