/* SPDX-License-Identifier: Apache-2.0 */
/* From what was measured to what it means: comparison, verdict, culprits, as a struct result. */
#ifndef FG_CHECK_DECIDE_H
#define FG_CHECK_DECIDE_H

#include "gate/check/measurements/measurements.h"

struct error;
struct result;

/* Stage 1 alone: does it flag something, so that stage 2 must be measured? */
int decide_needs_stage2(const struct measured_benchmark *measured, size_t benchmarks_in_gate,
	bool *needed, struct error *err);

/* All measurements. Never fails: what cannot be decided is in the result. */
struct result *decide_measurements(const struct measurements *measurements);

#endif
