/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what a benchmark's work and its output mean for its outcome. */
#ifndef FG_CHECK_MEASURE_WORK_H
#define FG_CHECK_MEASURE_WORK_H

#include "gate/check/runs/measure_side.h"

/*
 * After both probes. ERR_BENCHMARK: base's work is not fixed, and the message says what to do. Into
 * out go a warning where only a part of it is, or where both versions print something else though
 * base prints the same each time; and a note where nothing could be told.
 */
int work_settle(
	struct side sides[VERSION_COUNT], struct measured_benchmark *out, struct error *err);
/* The same of one version that is measured alone. */
int work_settle_alone(struct side *side, struct measured_benchmark *out, struct error *err);

#endif
