/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many pairs it takes to detect an increase, from the noise of the first ones: an internal
 * pilot. It is blind to what the test is about: it looks at the spread of the pairs' differences
 * and at the pooled samples of both versions, never at a mean difference, nor at what stage 1
 * flagged. For normal differences the spread tells nothing of the mean, so that the tests' error
 * rates stay what they were (Stein 1945; Wittes and Brittain, "The role of internal pilot studies",
 * Statistics in Medicine 9, 1990).
 */
#ifndef FG_VERDICT_PILOT_H
#define FG_VERDICT_PILOT_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/verdict/verdict.h"

struct verdict_plan {
	size_t pairs[2];   /* per stage */
	bool reached;      /* with them it is detected */
	double detectable; /* by them, in a function with the typical share: fraction of the mean of
			      both totals, since base's against head's is not to be known */
};

/*
 * The fewest pairs, from `least` to `most` of each stage and in the proportion of `least`, with
 * which an increase of `detect` (fraction of the total) is found with 80 % power: in a function
 * with a share of 1 %, which is what policy.detect is about, and in the fifth largest, whose own
 * samples scatter more; most[] where that is not enough. result: verdict_stage1() of the pilot, not
 * VERDICT_CANNOT_DECIDE.
 */
void verdict_plan(const struct verdict_policy *policy, const struct verdict_result *pilot,
	double detect, const size_t least[2], const size_t most[2], struct verdict_plan *plan);

#endif
