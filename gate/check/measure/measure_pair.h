/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: one pair of runs: in slices, or one whole run after the other. */
#ifndef FG_CHECK_MEASURE_PAIR_H
#define FG_CHECK_MEASURE_PAIR_H

#include "gate/check/runs/measure_side.h"

struct pairing {
	struct side *sides; /* ARM_COUNT of them */
	uint64_t random;    /* state of splitmix64 */
	uint64_t slice_ns;  /* 0: whole runs */
	char unsliced[512]; /* why, although slices were asked for; "" */
	uint32_t repeated;  /* duets that were run again (pairing_may_repeat) */
};

/*
 * May a duet in which an arm did not stand still be run again? A machine that stalls at the wrong
 * moment must not cost the benchmark its turns; one that cannot stand still never does, so two
 * failures in a row are enough. attempt: 0 for the duet's first run. Counts.
 */
bool pairing_may_repeat(struct pairing *pairing, uint32_t attempt);

/* How pairs will be run, as far as the configuration and both probes tell. */
void pairing_choose(struct pairing *pairing);
/* After pairing_choose(): what to say where turns were asked for and threads speak against them;
 * "".
 */
const char *pairing_threads_note(const struct pairing *pairing, struct arena *arena);

/*
 * Runs a pair and adds it to both recordings. *again: the arms could not take turns any more.
 * Nothing was added then, all earlier blocks are forgotten (a stage holds one kind of pairs), and
 * from now on runs are whole: begin anew.
 */
int pairing_run(struct pairing *pairing, bool *again, struct error *err);

#endif
