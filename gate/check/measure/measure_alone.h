/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: head measured alone, without pairs. */
#ifndef FG_CHECK_MEASURE_ALONE_H
#define FG_CHECK_MEASURE_ALONE_H

#include "gate/check/plan/plan.h"

struct alone;

/* Begins head's recording in out (out->head_only). Head's build must stand in plan->builds.of. */
struct alone *alone_new(
	struct plan *plan, const struct config_benchmark *config, struct measured_benchmark *out);
void alone_free(struct alone *alone);
int alone_probe(struct alone *alone, struct error *err);
/* After the probe: work_settle_alone(). */
int alone_settle_work(struct alone *alone, struct error *err);
int alone_round(struct alone *alone, struct error *err);
/* What a round is expected to take. After the probe. */
double alone_round_seconds(const struct alone *alone);
/* After the last round: version_runs_tell(). */
void alone_tell(struct alone *alone);

/*
 * All of it at once: probe, rounds, recordings on disk. Without ERR_OK nothing is left in out.
 * is_work_settled: base's was.
 */
int alone_measure(struct plan *plan, const struct config_benchmark *config,
	struct measured_benchmark *out, uint32_t rounds, bool is_work_settled, struct error *err);

#endif
