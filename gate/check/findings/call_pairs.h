/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: who calls whom in the samples of both versions. */
#ifndef FG_CHECK_CALL_PAIRS_H
#define FG_CHECK_CALL_PAIRS_H

#include "gate/base/map.h"
#include "gate/check/measurements/measurements.h"
#include "gate/compare/comparison.h"

struct call_pair {
	uint32_t caller, callee;     /* matched functions */
	double total[VERSION_COUNT]; /* what the calls cost with all below them, all pairs */
};

struct call_pairs {
	struct map index;        /* (caller, callee) -> items */
	struct call_pair *items; /* as met in the tree */
	size_t count, capacity;
};

void call_pairs_init(struct call_pairs *pairs, const struct comparison *comparison);
void call_pairs_release(struct call_pairs *pairs);
/* 0: no sample has the one calling the other. */
double call_pairs_total(
	const struct call_pairs *pairs, int version, uint32_t caller, uint32_t callee);

#endif
