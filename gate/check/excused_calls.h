/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: whose calls are counted although there is no regression, because what
 * grew is excused as unchanged code. If it is called more often it is not, and that is a fact which
 * can be counted.
 */
#ifndef FG_CHECK_EXCUSED_CALLS_H
#define FG_CHECK_EXCUSED_CALLS_H

#include "gate/check/decision.h"

#define EXCUSED_CALLS_MOST 8

/*
 * After the verdict. Fills decision's doubted: of a pass with something excused, the unchanged
 * functions that grew; the confirmed ones first, the largest first. False: there are none.
 */
bool excused_calls_wanted(struct decision *decision);

#endif
