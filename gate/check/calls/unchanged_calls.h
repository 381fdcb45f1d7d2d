/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: whose calls are counted beside the culprits'. Of what is excused as
 * unchanged code: what is called more often is not, and that is a fact which can be counted. And of
 * what cost is said to have moved from: what does the same gave nothing away.
 */
#ifndef FG_CHECK_UNCHANGED_CALLS_H
#define FG_CHECK_UNCHANGED_CALLS_H

#include "gate/check/analysis/analysis.h"

#define UNCHANGED_CALLS_MOST 8

/*
 * After the verdict. Fills analysis's doubted: where something is excused, the unchanged functions
 * that grew; the confirmed ones first, the largest first. False: there are none.
 */
bool unchanged_calls_wanted(struct analysis *analysis);

/* After the verdict. Fills analysis's givers: where the shifts came from, each once. */
void giver_calls_want(struct analysis *analysis);

#endif
