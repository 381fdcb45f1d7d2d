/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/calls/calls_settle.h"
#include "gate/base/error.h"

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

/* What the counts cleared is no culprit any more, and is cleared only as long as they are kept. */
static void keep_asked(struct analysis *again, const struct analysis *before)
{
	size_t count = before->doubted_count + before->verdict.culprit_count;
	uint32_t *asked = arena_array(&again->scratch, count + 1, sizeof(*asked));

	count = 0;
	for (size_t i = 0; i < before->doubted_count; i++)
		asked[count++] = before->doubted[i];
	for (size_t i = 0; i < before->verdict.culprit_count; i++)
		asked[count++] = before->verdict.culprits[i].function;
	again->doubted = asked;
	again->doubted_count = count;
	again->givers = before->givers;
	again->giver_count = before->giver_count;
}

void calls_settle(const struct analysis *analysis, size_t benchmarks_in_gate, bool excuse_unchanged,
	const struct counted_calls counted[VERSION_COUNT],
	struct recording recordings[VERSION_COUNT])
{
	struct analysis again;
	struct error ignored;

	calls_pick(analysis, counted, recordings);
	if (!calls_decide(&again, recordings, analysis->diff, benchmarks_in_gate, excuse_unchanged,
		    &ignored) &&
		calls_has_culprits(&again)) {
		keep_asked(&again, analysis);
		calls_pick(&again, counted, recordings);
	}
	analysis_release(&again);
}
