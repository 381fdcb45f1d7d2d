/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: head's builds, and one run of each benchmark that there is no base
 * for: the new ones, and those whose base does not build. What head cannot build or run is that
 * benchmark's OUTCOME_ERROR; only what stops the whole check is returned.
 */
#ifndef FG_CHECK_MEASURE_TRIAL_H
#define FG_CHECK_MEASURE_TRIAL_H

#include "gate/check/plan/plan.h"

int plan_prepare_head(struct plan *plan, struct error *err);
int plan_try_head(struct plan *plan, struct error *err);
/* Has head anything to run that base has not been built for? */
bool plan_has_trials(const struct plan *plan);

#endif
