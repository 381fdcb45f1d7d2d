/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may grow without being a regression: code whose machine code is the same in both versions
 * grows by its place in memory, or by what the machine does to it, and by nothing that the change
 * did. That has a bound. Where a function of unchanged code grew more than that, what it works on
 * has changed: another input, another table, memory that was taken in another order. It is judged
 * like any other then.
 *
 * The bound: the lower end of the increase's 95 % interval is above UNCHANGED_PART of the
 * function's cost, the mean of both versions, and above UNCHANGED_LEAST of the total. Of several
 * functions, where each has its own place: above UNCHANGED_PART of the root of the sum of their
 * squared costs. UNCHANGED_PART is 1/2 where each version is one build, which is two thirds more
 * than in base: 3 % of bias per build are assumed, 10 % for one function in twenty, and this is 3.5
 * SD of the latter; what is published of single loops reaches 30 %. It is 1/4 where the pairs took
 * turns at four layouts or more.
 *
 * Nor is code excused that is known to be called more often, called_more.h.
 *
 * Where both versions run the very same build (policy.same_build: a script or a file has changed),
 * code has its place in common: nobody is excused, and nothing is allowed for the layout.
 */
#ifndef FG_VERDICT_UNCHANGED_H
#define FG_VERDICT_UNCHANGED_H

#include "gate/verdict/gate.h"
#include "gate/verdict/localise/localise.h"
#include "gate/verdict/localise/tree.h"

struct unchanged {
	const struct gate *gate;
	const struct tree *tree;
	bool *unchanged; /* [function]: unchanged code, not called more often */
	/*
	 * [function]: unchanged, grew, and is within the bound: it does not count. Where layouts
	 * were varied, what shrank does not count either: of those that grew alone, chance would
	 * make what the others did look smaller than it is. With one build each it does: places
	 * that happen to be good and bad are larger than what is looked for there, and a false
	 * alarm is worse.
	 */
	bool *excused;
	bool *outgrown;  /* [function]: would be excused, had it grown less */
	bool *caused;    /* [function]: outgrown, or called more often: the change has reached it */
	double *part[2]; /* [function]: scratch, 0 between calls */
	size_t count;    /* of the excused */
};

/*
 * After effects_describe(). What a confirmed call or a confirmed total holds of unchanged code may
 * be too much although each function is within its bound: their excuses are taken back.
 */
void unchanged_init(struct unchanged *unchanged, const struct gate *gate, const struct tree *tree,
	struct localise *localise, struct arena *arena);

/*
 * After the culprits are named: unchanged code grew more than its place explains, and counts. Not
 * what grew for the most part below a call that is blamed on a caller whose code is not the same:
 * that works on more of the same, unless it is blamed itself.
 */
bool unchanged_has_outgrown(const struct unchanged *unchanged);

/*
 * What one layout per version may add to the cost of several functions that are not excused: 2.5 SD
 * of the sum of biases of 3 % each. A fraction of the total. Zero where the layout was varied, or
 * is common; of 1 % each for the functions that both versions have from one file. excused:
 * [function] or NULL, nobody.
 */
double unchanged_layout_below(struct unchanged *unchanged, uint32_t node);
double unchanged_layout_of_all(const struct gate *gate, const bool *excused);
/* Whether an increase, of at least low, is more than the places of functions explain; squares: the
 * sum of their squared costs. Fractions of the mean of both totals. */
bool unchanged_is_above(const struct verdict_policy *policy, double low, double squares);
/* The same of one function, as a part of its cost. */
double unchanged_layout_relative(const struct verdict_policy *policy);

#endif
