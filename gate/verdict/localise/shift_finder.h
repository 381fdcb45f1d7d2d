/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost shifts. Code that is moved, renamed, inlined or split makes one function "slower"
 * and another "faster"; nothing got slower. An increase is suppressed when something related went
 * down by more than half of it, significantly; where the total is a regression by itself, by three
 * quarters (shifts.h).
 *
 * Not by what the change cannot have reached: a function of unchanged code that is called through
 * unchanged code alone gave nothing away. It went down by its place in memory, which moves single
 * loops by 10 to 25 % on some processors, and as the next build moves them elsewhere. Nor by code
 * that is the same and is counted to do the same (same_work.h).
 */
#ifndef FG_VERDICT_SHIFT_FINDER_H
#define FG_VERDICT_SHIFT_FINDER_H

#include "gate/verdict/localise/tree.h"
#include "gate/verdict/stage.h"

struct shift_finder {
	const struct verdict_input *input;
	const struct stage *pooled;
	const struct tree *tree;
	bool *unreached;  /* [function]: by the change, see above; nobody where there is no tree */
	double elsewhere; /* what they changed by, together: a fraction of the total */
	bool *decreased;  /* [function]: t < -3, and reached */
	uint8_t *mark;    /* [node]: scratch */
};

/* caused: [function], see unchanged.h: the change has reached them by what they work on, or how
 * often. */
void shift_finder_init(struct shift_finder *finder, const struct verdict_input *input,
	const struct stage *pooled, const struct tree *tree, const bool *caused,
	struct arena *arena);

/* Whether the increase of function's self cost is compensated; fills *shift if so. */
bool shift_of_function(struct shift_finder *finder, uint32_t function, struct verdict_shift *shift);

/* The same for the inclusive cost of a node of a real tree (not the root). */
bool shift_of_node(struct shift_finder *finder, uint32_t node, struct verdict_shift *shift);

/* Whether the total's 97.5 % bound, without what the change cannot have reached, is below half of
 * this increase, a fraction of the mean of both totals. */
bool shift_total_contradicts(const struct shift_finder *finder, double increase);

#endif
