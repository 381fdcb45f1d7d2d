/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: one pair of runs: in slices, or one whole run after the other. */
#ifndef FG_CHECK_MEASURE_PAIR_H
#define FG_CHECK_MEASURE_PAIR_H

#include "gate/check/runs/measure_side.h"

struct pair_runner {
	struct side *sides; /* VERSION_COUNT of them */
	uint64_t random;    /* state of splitmix64 */
	uint64_t slice_ns;  /* 0: whole runs */
	char unsliced[512]; /* why, although slices were asked for; "" */
	uint32_t repeated;  /* pairs that were run again (pair_runner_may_repeat) */
};

/*
 * May a pair in which a version did not stand still be run again? A machine that stalls at the
 * wrong moment must not cost the benchmark its turns; one that cannot stand still never does, so
 * two failures in a row are enough. attempt: 0 for the pair's first run. Counts.
 */
bool pair_runner_may_repeat(struct pair_runner *runner, uint32_t attempt);

/* How pairs will be run, as far as the configuration and both probes tell. */
void pair_runner_choose(struct pair_runner *runner);
/* After pair_runner_choose(): what to say where turns were asked for and threads speak against
 * them; "" nothing. */
const char *pair_runner_threads_note(const struct pair_runner *runner, struct arena *arena);

/*
 * Runs a pair and adds a round to both recordings. *again: the versions could not take turns any
 * more. Nothing was added then, all earlier pairs are forgotten (a stage holds one kind of pairs),
 * and from now on runs are whole: begin anew.
 */
int pair_runner_run(struct pair_runner *runner, bool *again, struct error *err);

#endif
