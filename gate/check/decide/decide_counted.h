/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: counts (instructions, allocations), which need no statistics. */
#ifndef FG_CHECK_DECIDE_COUNTED_H
#define FG_CHECK_DECIDE_COUNTED_H

#include "gate/check/decide/reference.h"
#include "gate/check/measurements/measurements.h"
#include "gate/check/result.h"

/*
 * Fills out. Exact where the runs of a version agree; else by their pairs, if they were measured in
 * pairs. True: head may well be worse, though nothing proves it.
 */
bool decide_counted(struct reference *reference, const struct measured_reference *from,
	size_t benchmarks_in_gate, struct result *result, struct result_reference *out);

/* Every run counted the same (per unit of work). */
bool counts_agree(const struct recording *recording);

/*
 * Counts of two builds by different tools, or on CPUs with other features, differ without any
 * change of the code. False: *difference says in what (arena or static).
 */
bool counts_are_comparable(const struct recording *baseline, const struct recording *head,
	struct arena *arena, const char **difference);

/* For all that is compared with a baseline. */
void reference_cannot(struct result *result, struct result_reference *out, const char *why);
/* callers: of callers_find(). */
struct result_reference_finding reference_finding_of(const struct reference *reference,
	const uint32_t *callers, struct arena *arena, uint32_t function);

#endif
