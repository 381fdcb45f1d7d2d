/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what the culprits weigh in production
 * (gate/bench/recording/production_shares.h). */
#ifndef FG_CHECK_PRODUCTION_H
#define FG_CHECK_PRODUCTION_H

#include "gate/check/analysis/analysis.h"
#include "gate/check/measurements/measurements.h"

struct error;
struct result_culprit;
struct result_production;

/*
 * What the measurements' recordings have functions of, into measurements->production. ERR_CORRUPT
 * where the profile has no CPU time; the measurements are untouched then.
 */
int production_take(
	struct measurements *measurements, const struct profile *profile, struct error *err);

/*
 * What is known there of a culprit that is filled but for this: of its own cost or, where it is
 * called more often, of these calls. NULL: nothing was read, or, by measurements of before calls
 * were stored, nothing of that.
 */
const struct result_production *production_of(
	const struct analysis *analysis, const struct result_culprit *culprit, struct arena *arena);

#endif
