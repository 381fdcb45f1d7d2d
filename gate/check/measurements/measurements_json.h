/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: the words of check.json that writer and reader share. */
#ifndef FG_CHECK_MEASUREMENTS_JSON_H
#define FG_CHECK_MEASUREMENTS_JSON_H

#include "gate/check/measurements/measurements.h"

#define MEASUREMENTS_OUTCOME_COUNT (OUTCOME_SCREENED + 1)

/* By enum result_outcome. */
extern const char *const measurements_outcome_names[MEASUREMENTS_OUTCOME_COUNT];

#define MEASUREMENTS_WORK_COUNT (RESULT_WORK_STEPPED + 1)

/* By enum result_work_kind. */
extern const char *const measurements_work_names[MEASUREMENTS_WORK_COUNT];

#endif
