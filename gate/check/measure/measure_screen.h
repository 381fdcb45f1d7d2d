/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: head alone, where a stored baseline replaces pairs. Only
 * ERR_INTERRUPTED is an error.
 */
#ifndef FG_CHECK_MEASURE_SCREEN_H
#define FG_CHECK_MEASURE_SCREEN_H

#include "gate/check/plan/plan.h"

/* Before the pairs: policy.screen fast, what the base's own baseline of this very environment
 * clears needs none. */
int plan_screen_first(struct plan *plan, struct error *err);
/* After them: a base that could not be measured leaves the stored baseline to look at. */
int plan_screen_failed(struct plan *plan, struct error *err);

#endif
