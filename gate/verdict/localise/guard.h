/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost-shift guard. Code that is moved, renamed, inlined or split makes one function "slower"
 * and another "faster"; nothing got slower. An increase is suppressed when something related went
 * down by more than half of it, significantly; where the total is a regression by itself, by three
 * quarters (shifts.h).
 *
 * Not by what the change cannot have reached: a function of unchanged code that is called through
 * unchanged code alone gave nothing away. It went down by its place in memory, which moves single
 * loops by 10 to 25 % on some processors, and as the next build moves them elsewhere. Nor by code
 * that is the same and is counted to do the same (same_work.h).
 */
#ifndef FG_VERDICT_GUARD_H
#define FG_VERDICT_GUARD_H

#include "gate/verdict/localise/tree.h"
#include "gate/verdict/stage.h"

struct guard {
	const struct verdict_input *input;
	const struct stage *pooled;
	const struct tree *tree;
	bool *unreached;  /* [function]: by the change, see above; nobody where there is no tree */
	double elsewhere; /* what they changed by, together: a fraction of the total */
	bool *decreased;  /* [function]: t < -3, and reached */
	uint8_t *mark;    /* [node]: scratch */
};

/* caused: [function], see excuse.h: the change has reached them by what they work on, or how often.
 */
void guard_init(struct guard *guard, const struct verdict_input *input, const struct stage *pooled,
	const struct tree *tree, const bool *caused, struct arena *arena);

/* Whether the increase of function's self cost is compensated; fills *shift if so. */
bool guard_function(struct guard *guard, uint32_t function, struct verdict_shift *shift);

/* The same for the inclusive cost of a node of a real tree (not the root). */
bool guard_node(struct guard *guard, uint32_t node, struct verdict_shift *shift);

/* Whether the total's 97.5 % bound, without what the change cannot have reached, is below half of
 * this increase, a fraction of the mean of both totals. */
bool guard_total_contradicts(const struct guard *guard, double increase);

#endif
