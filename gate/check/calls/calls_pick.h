/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: of all calls that were counted, those that tell why a regression's
 * culprits got slower, whether what is excused is called more often, or whether cost can have moved
 * from where it went down: how often they are called, and by whom; what they call, and how often.
 */
#ifndef FG_CHECK_CALLS_PICK_H
#define FG_CHECK_CALLS_PICK_H

#include "gate/bench/instructions/call_sites.h"
#include "gate/check/analysis/analysis.h"

/* Callers, and callees, of one culprit: those that the CPU profiles have, and of these those that
 * call or are called most. */
#define CALLS_PICK_MOST 12

/* One version's calls, as call_sites_profile() has them. */
struct counted_calls {
	const struct profile *profile;
	unsigned runs;
	double iterations[CALL_SITES_RUNS];
	bool lost;
};

/*
 * After the verdict: fills both recordings' calls, from callgrind, with names and files as the
 * comparison of both CPU profiles has them. What one version does not call although both caller and
 * callee run as functions of their own there has the count 0. What of libc is sampled under one
 * processor's name has the calls, and the instructions, that callgrind counts under another's
 * (gate/profile/ifunc_variant.h). Owned by the recordings' arenas.
 */
void calls_pick(const struct analysis *analysis, const struct counted_calls counted[VERSION_COUNT],
	struct recording recordings[VERSION_COUNT]);

#endif
