/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: one benchmark's pairs. The probe decides what needs no pairs
 * (out->outcome); the measurement fills its recordings. Only ERR_INTERRUPTED is returned as an
 * error: everything else is that benchmark's own outcome.
 */
#ifndef FG_CHECK_MEASURE_BENCHMARK_H
#define FG_CHECK_MEASURE_BENCHMARK_H

#include "gate/check/plan/plan.h"

struct duel;

/* Both arms must stand in plan->builds.arm_of. */
struct duel *duel_new(struct plan *plan, const struct config_benchmark *config,
	struct session_benchmark *out, size_t benchmarks_in_gate);
void duel_free(struct duel *duel);
int duel_probe(struct duel *duel, struct error *err);
/* What the configuration counts besides; before duel_measure(), which writes it. */
int duel_count(struct duel *duel, struct error *err);
int duel_measure(struct duel *duel, struct error *err);
/* How much the probe's run stands out against the stored baseline; 0 without one. */
double duel_suspicion(const struct duel *duel);

#endif
