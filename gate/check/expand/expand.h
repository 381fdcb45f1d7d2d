/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: entries whose programs hold many benchmarks become these. */
#ifndef FG_CHECK_EXPAND_H
#define FG_CHECK_EXPAND_H

#include "gate/check/plan/plan.h"

/*
 * After all builds: each version's program is asked for its list, and each name takes its place in
 * configurations and measurements. What only head has is new, what only base has is said to be
 * gone. An entry that cannot be asked fails alone; ERR_INTERRUPTED, or as plan_check_names().
 */
int plan_expand(struct plan *plan, struct error *err);

#endif
