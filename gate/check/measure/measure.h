/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: from options to measurements. */
#ifndef FG_CHECK_MEASURE_H
#define FG_CHECK_MEASURE_H

#include "gate/check/check.h"
#include "gate/check/measurements/measurements.h"

/* *out is new and untouched on failure. Leaves no process, worktree or half-written file. */
int measure_check(
	const struct check_options *options, struct measurements **out, struct error *err);

#endif
