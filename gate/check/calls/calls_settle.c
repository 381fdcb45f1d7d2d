/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/calls/calls_settle.h"

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

static bool may_change(const struct analysis *analysis)
{
	return analysis->doubted_count || analysis->giver_count;
}

void calls_settle(const struct analysis *analysis, size_t benchmarks_in_gate, bool excuse_unchanged,
	const struct counted_calls counted[VERSION_COUNT],
	struct recording recordings[VERSION_COUNT])
{
	struct analysis again;
	struct error ignored;

	calls_pick(analysis, counted, recordings);
	if (!may_change(analysis))
		return;
	if (!calls_decide(&again, recordings, analysis->diff, benchmarks_in_gate, excuse_unchanged,
		    &ignored) &&
		calls_has_culprits(&again)) {
		again.doubted = analysis->doubted;
		again.doubted_count = analysis->doubted_count;
		again.givers = analysis->givers;
		again.giver_count = analysis->giver_count;
		calls_pick(&again, counted, recordings);
	}
	analysis_release(&again);
}
