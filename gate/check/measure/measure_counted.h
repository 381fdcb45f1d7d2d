/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what is counted besides CPU time (benchmarks[].profiles). Each kind
 * has three runs of its own on each side; base's only where no stored baseline of the base fits.
 */
#ifndef FG_CHECK_MEASURE_COUNTED_H
#define FG_CHECK_MEASURE_COUNTED_H

#include "gate/check/plan/plan.h"
#include "gate/profile/profile_kind.h"

#define COUNTED_RUNS 3

/* Of config's profiles the n-th that is counted, or NULL. */
const struct profile_kind *counted_kind(const struct config_benchmark *config, size_t n);

/*
 * Counts head, and base where it must and can be, into out->references, one entry a value type;
 * writes nothing. What cannot be counted is a warning of the benchmark: only ERR_INTERRUPTED is an
 * error. The builds must stand in plan->builds.of; base's may be missing.
 */
int plan_count(struct plan *plan, const struct config_benchmark *config,
	struct measured_benchmark *out, struct error *err);

#endif
