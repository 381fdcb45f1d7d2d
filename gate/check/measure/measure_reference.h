/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: the store of baselines, and what it has for the base. None of it stops
 * a check: what cannot be had is said, and the pairs decide.
 */
#ifndef FG_CHECK_MEASURE_REFERENCE_H
#define FG_CHECK_MEASURE_REFERENCE_H

#include "gate/check/plan/plan.h"

/*
 * expanded: of those benchmarks alone that plan_expand() has made, after it; else of all others,
 * before anything of the repository runs.
 */
void plan_find_references(struct plan *plan, bool expanded);

#endif
