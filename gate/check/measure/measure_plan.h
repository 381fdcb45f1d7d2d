/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: how many blocks a benchmark gets, once its noise is known. */
#ifndef FG_CHECK_MEASURE_PLAN_H
#define FG_CHECK_MEASURE_PLAN_H

#include "gate/check/session/session.h"

/*
 * After the blocks of policy.blocks' first number: the recordings' policy gets the blocks that
 * policy.promise needs, as far as the budget reaches; never fewer than policy.blocks.
 * pilot_seconds: what those blocks took. Notes what was planned. Measurements that do not add up
 * change nothing: deciding on them says so.
 */
void plan_blocks(struct session *session, struct session_benchmark *measured,
	size_t benchmarks_in_gate, double pilot_seconds, double budget_seconds);

/*
 * Of the benchmark's blocks, before they are run: "" if the budget reaches for both stages, else
 * what they are expected to take, in the session's arena. Those of the first stage are run all the
 * same, those of the second if something is to be confirmed.
 */
const char *plan_budget(struct session *session, const size_t blocks[2], double pair_seconds,
	double budget_seconds);

#endif
