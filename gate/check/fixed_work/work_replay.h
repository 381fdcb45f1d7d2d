/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: the same work in every run, by base's clock. One run of base is
 * recorded, with a clock that runs faster, so that a harness settles on less work; all others get
 * what it was told (gate/bench/run/run_clock.h). It is proven or refused: by exact counts of calls
 * in every run, and by a slowed base that costs what was burnt although its clock says nothing of it.
 */
#ifndef FG_CHECK_WORK_REPLAY_H
#define FG_CHECK_WORK_REPLAY_H

#include "gate/check/fixed_work/work_probe.h"

/*
 * After side_probe() of base. Then its clock is set, it has been probed with it, out has what its
 * runs printed, and work says what was done. ERR_BENCHMARK with the reason (a sentence without an
 * end) where it cannot be proven; then the clock is the real one. stepped: by a clock of equal
 * steps instead.
 */
int work_replay(struct side *base, bool stepped, struct work_finding *out, struct result_work *work,
	struct error *err);

#endif
