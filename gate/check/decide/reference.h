/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: head compared with a stored baseline, as the verdict's numbers. */
#ifndef FG_CHECK_REFERENCE_H
#define FG_CHECK_REFERENCE_H

#include "gate/check/measurements/measurements.h"
#include "gate/compare/comparison.h"
#include "gate/verdict/screen/screen.h"

/* A stored baseline that head is compared with, and what both tests need. */
struct reference {
	struct arena *arena;
	const struct recording *recordings[VERSION_COUNT];
	const struct repo_diff *diff; /* or NULL */
	struct sources *sources; /* NULL, as reference_compare() leaves it: no tree can be asked */
	struct comparison comparison;
	double *total[VERSION_COUNT], *work[VERSION_COUNT];
};

/* Checks and unites both; release reference->comparison after ERR_OK. diff may be NULL;
 * all is borrowed. */
int reference_compare(struct reference *reference, const struct recording *baseline,
	const struct recording *head, const struct repo_diff *diff, struct arena *arena,
	struct error *err);
void reference_screen(struct reference *reference, struct screen_result *result);

#endif
