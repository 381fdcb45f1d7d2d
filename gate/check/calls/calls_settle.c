/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/calls/calls_settle.h"

int calls_decide(struct decision *decision, const struct recording recordings[ARM_COUNT],
	const struct repo_diff *diff, size_t benchmarks_in_gate, bool exonerate, struct error *err)
{
	int rc = decision_prepare(decision, &recordings[ARM_BASE], &recordings[ARM_HEAD], diff,
		benchmarks_in_gate, err);

	if (rc)
		return rc;
	if (!exonerate)
		decision_exonerate_none(decision);
	verdict_decide(&decision->input, &decision->scratch, &decision->verdict);
	return ERR_OK;
}

bool calls_has_culprits(const struct decision *decision)
{
	return decision->verdict.status == VERDICT_REGRESSION && decision->verdict.culprit_count;
}

static bool may_change(const struct decision *decision)
{
	return decision->doubted_count || decision->giver_count;
}

void calls_settle(const struct decision *decision, size_t benchmarks_in_gate, bool exonerate,
	const struct counted_calls counted[ARM_COUNT], struct recording recordings[ARM_COUNT])
{
	struct decision again;
	struct error ignored;

	calls_pick(decision, counted, recordings);
	if (!may_change(decision))
		return;
	if (!calls_decide(
		    &again, recordings, decision->diff, benchmarks_in_gate, exonerate, &ignored) &&
		calls_has_culprits(&again)) {
		again.doubted = decision->doubted;
		again.doubted_count = decision->doubted_count;
		again.givers = decision->givers;
		again.giver_count = decision->giver_count;
		calls_pick(&again, counted, recordings);
	}
	decision_release(&again);
}
