/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: calls of culprits counted by breakpoints, where valgrind cannot. */
#ifndef FG_CHECK_CALLS_TRAP_H
#define FG_CHECK_CALLS_TRAP_H

#include "gate/check/analysis/analysis.h"
#include "gate/check/runs/measure_side.h"

/*
 * After the verdict: how often its culprits, or the functions that are excused, are called by all
 * their callers, and if there is room (BREAKPOINTS_MOST) what they call and who calls them, in two
 * runs of each version, into both recordings' calls. A function that is called more than
 * BREAKPOINTS_MOST_CALLS times in a run of either version is left out. No run begins after the
 * deadline (monotonic_seconds()). ERR_MEASURE with one clause where nothing can be counted; the
 * recordings are untouched then.
 */
int calls_trap(struct side sides[VERSION_COUNT], const struct analysis *analysis,
	struct recording recordings[VERSION_COUNT], double deadline, struct error *err);

#endif
