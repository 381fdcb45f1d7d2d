/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cause is one culprit. The localisation finds functions and calls that grew, each with its own
 * evidence: of a changed function that calls sixteen others more often that is sixteen. What hangs
 * on another culprit is put below it:
 *   - two calls by one function whose code has changed, or its calls and its own cost: below the
 *     largest of them;
 *   - what grew below a changed function, with no other changed one between, and is not changed
 *     itself: below what that function is blamed for;
 *   - what is new and the own cost of the changed function that alone calls it: below the larger;
 *   - what grew below a call that is made more often, and is not known to be changed: below it.
 * Such a group is headed by its largest member that is not below the call that it hangs on, where
 * this has less than a quarter of it; what the call carries goes with it.
 * What may have grown by its place in memory alone (same_work.h) is none of them.
 * And every confirmed function is named: one that nobody names is carried by the call that it grew
 * below or, where everything grew, by everything; else it is a cause of its own.
 */
#ifndef FG_VERDICT_CAUSES_H
#define FG_VERDICT_CAUSES_H

#include "gate/verdict/localise/localise.h"

struct causes {
	const struct localise *localise;
	const struct stage *display; /* what the culprits' numbers are of */
	const bool *confirmed;       /* [function] */
	const bool *decreased;       /* [function]: clearly went down */
	double increase;             /* of the total: (head - base) / the mean of both */
	bool *in_place;              /* [function], out: its place explains what was found of it */
	struct arena *arena;
};

/*
 * Completes what localise_run() found and sorts it: the causes, then what hangs on them; their
 * cause, together and explained are set. Returns how many are causes.
 */
size_t causes_find(const struct causes *causes, struct localised *found);

#endif
