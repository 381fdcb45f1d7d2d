/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went down can make up for only so much. The finder compares each increase with what
 * decreased, one by one; where the total has grown all the same, one decrease must not excuse
 * several increases that are together far more than it.
 */
#ifndef FG_VERDICT_SHIFTS_H
#define FG_VERDICT_SHIFTS_H

#include "gate/verdict/gate.h"
#include "gate/verdict/localise/shift_finder.h"

/*
 * Takes back the largest shifts of functions in result->shifts (their states become
 * VERDICT_CONFIRMED or, if the total contradicts, VERDICT_CONTRADICTED) until those that stay are
 * together at most 1 / part of what decreased. Does nothing unless the total's 97.5 % lower bound
 * is above zero. SHIFTS_PART: the finder's own half, for all of them at once; call before nodes are
 * judged. SHIFTS_PART_OF_FAILURE: where the total is a regression by itself nothing is at stake but
 * who is named, and what grew must be nearly made up for not to be. Returns whether a function is
 * confirmed now that was not.
 */
#define SHIFTS_PART 0.5
#define SHIFTS_PART_OF_FAILURE 0.75
bool shifts_take_back(struct gate *gate, const struct shift_finder *finder, double part);

/* Takes a call's entry off the list: it is no shift. */
void shifts_forget_call(struct verdict_result *result, uint32_t node);

/* The largest first: what a reader should know of. */
void shifts_sort(struct verdict_result *result);

#endif
