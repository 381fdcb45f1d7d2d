/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: everything that a check looks at, each in one line, and what those
 * that are no profile (the largest resident set, elapsed time, threads, waits, leaks) do to the
 * status.
 */
#ifndef FG_CHECK_DECIDE_METRICS_H
#define FG_CHECK_DECIDE_METRICS_H

#include "gate/check/measurements/measurements.h"

struct result;
struct result_benchmark;

/* What the policy of this benchmark lets an increase do; never METRIC_BY_DEFAULT. */
enum metric_gate gate_of(const struct measured_benchmark *measured, enum metric metric);

/* What the CPU time's own verdict becomes under policy.gate. */
enum result_status gated_status(
	const struct measured_benchmark *measured, enum result_status by_cpu_time);

/* What the CPU time's own verdict was, before policy.gate. */
struct by_cpu_time {
	enum result_status status;
	const char *why; /* it did not count that it grew, or it could not be decided; "" unsaid */
	bool is_layout;  /* it grew within what the code's place in memory explains */
};

/*
 * Fills out->metrics, and raises out->status by those that grew. After decide_references().
 */
void decide_metrics(const struct measured_benchmark *measured, size_t benchmarks_in_gate,
	const struct by_cpu_time *by_cpu_time, struct result *result, struct result_benchmark *out);

#endif
