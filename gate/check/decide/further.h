/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what a benchmark costs besides what its report is about, as trees of
 * their own. They are shown, and nothing is decided by them.
 */
#ifndef FG_CHECK_FURTHER_H
#define FG_CHECK_FURTHER_H

#include "gate/check/measurements/measurements.h"

struct result;
struct result_benchmark;

/* More than any sampler has; a hostile pprof file may have more. */
#define FURTHER_MOST 16

/*
 * Adds to out->profiles the other value types that both recordings' profiles have, in head's order.
 * Not those that only say how a time was sampled, and none of which there is nothing. After
 * out->profile_type is known.
 */
void further_types(const struct recording *base, const struct recording *head,
	struct result *result, struct result_benchmark *out);
/* Adds what was counted or waited for besides; head alone where it has no baseline. */
void further_counted(const struct measured_benchmark *measured, const struct repo_diff *diff,
	struct result *result, struct result_benchmark *out);

#endif
