/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/calls/unchanged_calls.h"

/* A confirmed function, a call or the total. */
#define EXCUSED_REASONS                                                                            \
	(VERDICT_REASON_UNCHANGED_CODE | VERDICT_REASON_NODE_UNEXPLAINED |                         \
		VERDICT_REASON_TOTAL_UNCHANGED)

static bool has_grown(const struct analysis *analysis, uint32_t function)
{
	return analysis->input.function_flags[function] & VERDICT_FUNCTION_UNCHANGED &&
	       analysis->verdict.functions[function].change > 0;
}

static bool is_before(const struct analysis *analysis, uint32_t left, uint32_t right)
{
	const struct verdict_effect *a = &analysis->verdict.functions[left];
	const struct verdict_effect *b = &analysis->verdict.functions[right];

	if (a->confirmed != b->confirmed)
		return a->confirmed;
	return a->change > b->change;
}

bool unchanged_calls_wanted(struct analysis *analysis)
{
	uint32_t *found;
	size_t count = 0;

	if (!(analysis->verdict.reasons & EXCUSED_REASONS))
		return false;
	found = arena_array(&analysis->scratch, UNCHANGED_CALLS_MOST + 1, sizeof(*found));
	for (uint32_t f = 0; f < analysis->input.function_count; f++) {
		size_t at = count;

		if (!has_grown(analysis, f))
			continue;
		for (; at > 0 && is_before(analysis, f, found[at - 1]); at--)
			found[at] = found[at - 1];
		found[at] = f;
		count += count < UNCHANGED_CALLS_MOST;
	}
	analysis->doubted = found;
	analysis->doubted_count = count;
	return count > 0;
}

static bool is_among(const uint32_t *functions, size_t count, uint32_t function)
{
	for (size_t i = 0; i < count; i++)
		if (functions[i] == function)
			return true;
	return false;
}

void giver_calls_want(struct analysis *analysis)
{
	const struct verdict_result *verdict = &analysis->verdict;
	uint32_t *found = arena_array(&analysis->scratch, verdict->shift_count + 1, sizeof(*found));
	size_t count = 0;

	for (size_t i = 0; i < verdict->shift_count; i++) {
		uint32_t from = verdict->shifts[i].from;

		if (from != VERDICT_NONE && !is_among(found, count, from))
			found[count++] = from;
	}
	analysis->givers = found;
	analysis->giver_count = count;
}
