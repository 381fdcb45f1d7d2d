/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what the configuration says of production. A file is read before the
 * first build, which could write into it; a server is asked after the pairs, and what was read goes
 * into the measurements. Only ERR_INTERRUPTED is an error.
 */
#ifndef FG_CHECK_MEASURE_PRODUCTION_H
#define FG_CHECK_MEASURE_PRODUCTION_H

#include "gate/check/plan/plan.h"

int plan_read_production(struct plan *plan, struct error *err);
int plan_weigh(struct plan *plan, struct error *err);

#endif
