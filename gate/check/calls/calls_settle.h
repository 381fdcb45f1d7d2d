/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what was counted for a verdict may change it. What is called more
 * often is excused no longer, what does as before gave nothing away, and what is the same code and
 * does as much is no culprit; then others are the culprits, and it is theirs that have to be told.
 */
#ifndef FG_CHECK_CALLS_SETTLE_H
#define FG_CHECK_CALLS_SETTLE_H

#include "gate/check/calls/calls_pick.h"

/* A verdict on both recordings. Release with analysis_release() also after an error. */
int calls_decide(struct analysis *analysis, const struct recording recordings[VERSION_COUNT],
	const struct repo_diff *diff, size_t benchmarks_in_gate, bool excuse_unchanged,
	struct error *err);

/* A regression that has culprits. */
bool calls_has_culprits(const struct analysis *analysis);

/*
 * Into both recordings' calls: what calls_pick() takes for this verdict and, as long as the counts
 * make one of it that names others, for these too. What was asked for once is told to the end: what
 * its counts cleared would be named again without them. The other arguments are those the analysis
 * was made with.
 */
void calls_settle(const struct analysis *analysis, size_t benchmarks_in_gate, bool excuse_unchanged,
	const struct counted_calls counted[VERSION_COUNT],
	struct recording recordings[VERSION_COUNT]);

#endif
