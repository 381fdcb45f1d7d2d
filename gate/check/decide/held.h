/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: a stored baseline held against head, as the verdict's numbers. */
#ifndef FG_CHECK_HELD_H
#define FG_CHECK_HELD_H

#include "gate/check/session/session.h"
#include "gate/compare/comparison.h"
#include "gate/verdict/screen/screen.h"

/* One stored baseline held against head, with what both tests need. */
struct held {
	struct arena *arena;
	const struct recording *recordings[ARM_COUNT];
	const struct repo_diff *diff; /* or NULL */
	struct sources *sources;      /* NULL, as hold() leaves it: no tree can be asked */
	struct comparison comparison;
	double *total[ARM_COUNT], *work[ARM_COUNT];
};

/* Checks and unites both; release held->comparison after ERR_OK. diff may be NULL; all is borrowed.
 */
int hold(struct held *held, const struct recording *baseline, const struct recording *head,
	const struct repo_diff *diff, struct arena *arena, struct error *err);
void screen_held(struct held *held, struct screen_result *result);

#endif
