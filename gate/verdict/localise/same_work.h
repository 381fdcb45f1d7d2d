/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that is the same and is called as often does the same, or was given more work: which of the
 * two, counts of calls do not tell. Where it grew no more than its place in memory explains, or
 * does not execute more instructions where these were counted too, and something new or changed
 * grew more beside it, it is no cause: what it costs more, caches and predictors do, of which the
 * other has its part.
 */
#ifndef FG_VERDICT_SAME_WORK_H
#define FG_VERDICT_SAME_WORK_H

#include "gate/verdict/localise/localise.h"

/* The same code, counted to be called as often and to execute as many instructions of its own: what
 * it gained or lost is of the machine. */
bool same_work_is_counted(const struct verdict_input *input, uint32_t function);
/* Counted, and all that grew is the same code, and executes as many instructions or is within what
 * its place explains. */
bool same_work_explains(const struct localise *localise, const struct verdict_culprit *culprit);
/* New, or its code has changed, or it is counted to be called more often. */
bool same_work_never(const struct localise *localise, const struct verdict_culprit *culprit);

#endif
