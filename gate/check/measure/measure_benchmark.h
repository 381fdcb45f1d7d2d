/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: one benchmark's pairs. The probe decides what needs no pairs
 * (out->outcome); the measurement fills its recordings. Only ERR_INTERRUPTED is returned as an
 * error: everything else is that benchmark's own outcome.
 */
#ifndef FG_CHECK_MEASURE_BENCHMARK_H
#define FG_CHECK_MEASURE_BENCHMARK_H

#include "gate/check/plan/plan.h"

struct series;

/* Both builds must stand in plan->builds.of. */
struct series *series_new(struct plan *plan, const struct config_benchmark *config,
	struct measured_benchmark *out, size_t benchmarks_in_gate);
void series_free(struct series *series);
int series_probe(struct series *series, struct error *err);
/* What the configuration counts besides; before series_measure(), which writes it. */
int series_count(struct series *series, struct error *err);
int series_measure(struct series *series, struct error *err);
/* How much the probe's run stands out against the stored baseline; 0 without one. */
double series_suspicion(const struct series *series);

#endif
