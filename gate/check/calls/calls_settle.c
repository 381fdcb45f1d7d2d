/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/calls/calls_settle.h"

#include <stdlib.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/check/calls/unchanged_calls.h"

#define CALLS_SETTLE_MOST 4 /* verdicts; two are the rule */

int calls_decide(struct analysis *analysis, const struct recording recordings[VERSION_COUNT],
	const struct repo_diff *diff, size_t benchmarks_in_gate, bool excuse_unchanged,
	struct error *err)
{
	int rc = analysis_prepare(analysis, &recordings[VERSION_BASE], &recordings[VERSION_HEAD],
		diff, benchmarks_in_gate, err);

	if (rc)
		return rc;
	if (!excuse_unchanged)
		analysis_judge_unchanged(analysis);
	verdict_decide(&analysis->input, &analysis->scratch, &analysis->verdict);
	return ERR_OK;
}

bool calls_has_culprits(const struct analysis *analysis)
{
	return analysis->verdict.status == VERDICT_REGRESSION && analysis->verdict.culprit_count;
}

/* ---- whose calls are asked for --------------------------------------------------------------- */

/* Matched functions, which are the same ones for each verdict on two recordings. */
struct asked {
	uint32_t *functions;
	size_t count, capacity;
};

static bool ask(struct asked *asked, uint32_t function)
{
	for (size_t i = 0; i < asked->count; i++)
		if (asked->functions[i] == function)
			return false;
	asked->functions = grow_array(
		asked->functions, &asked->capacity, asked->count + 1, sizeof(*asked->functions));
	asked->functions[asked->count++] = function;
	return true;
}

/* Whether the verdict names one that was not asked for. */
static bool ask_all(struct asked *asked, const struct analysis *analysis)
{
	bool is_new = false;

	for (size_t i = 0; i < analysis->verdict.culprit_count; i++)
		is_new |= ask(asked, analysis->verdict.culprits[i].function);
	for (size_t i = 0; i < analysis->doubted_count; i++)
		is_new |= ask(asked, analysis->doubted[i]);
	for (size_t i = 0; i < analysis->giver_count; i++)
		is_new |= ask(asked, analysis->givers[i]);
	return is_new;
}

/* ---- until the verdict names nobody new ------------------------------------------------------ */

static bool are_exact(const struct recording recordings[VERSION_COUNT])
{
	return recordings[VERSION_BASE].calls.exact && recordings[VERSION_HEAD].calls.exact;
}

/* What the counts cleared is no culprit any more, and is cleared only as long as they are kept: so
 * all that was asked for is told again. And one that is not counted alike in all runs must not take
 * the others' counts away. */
static bool pick_all(struct analysis *analysis, const struct asked *asked,
	const struct counted_calls counted[VERSION_COUNT],
	struct recording recordings[VERSION_COUNT])
{
	struct call_counts before[VERSION_COUNT];
	bool were_exact = are_exact(recordings);

	for (int version = 0; version < VERSION_COUNT; version++)
		before[version] = recordings[version].calls;
	analysis->doubted = asked->functions;
	analysis->doubted_count = asked->count;
	calls_pick(analysis, counted, recordings);
	if (!were_exact || are_exact(recordings))
		return true;
	for (int version = 0; version < VERSION_COUNT; version++)
		recordings[version].calls = before[version];
	return false;
}

/* Whether there may be more to tell. */
static bool tell_next(struct asked *asked, const struct analysis *first, size_t benchmarks_in_gate,
	bool excuse_unchanged, const struct counted_calls counted[VERSION_COUNT],
	struct recording recordings[VERSION_COUNT])
{
	struct analysis again;
	struct error ignored;
	bool more = !calls_decide(&again, recordings, first->diff, benchmarks_in_gate,
			    excuse_unchanged, &ignored) &&
		    calls_has_culprits(&again);

	if (more)
		giver_calls_want(&again);
	more = more && ask_all(asked, &again) && pick_all(&again, asked, counted, recordings);
	analysis_release(&again);
	return more;
}

void calls_settle(const struct analysis *analysis, size_t benchmarks_in_gate, bool excuse_unchanged,
	const struct counted_calls counted[VERSION_COUNT],
	struct recording recordings[VERSION_COUNT])
{
	struct asked asked = {0};
	int left = CALLS_SETTLE_MOST;

	ask_all(&asked, analysis);
	calls_pick(analysis, counted, recordings);
	while (left-- > 0 && tell_next(&asked, analysis, benchmarks_in_gate, excuse_unchanged,
				     counted, recordings))
		;
	free(asked.functions);
}
