/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: a benchmark that was killed for memory, and what it had in use. */
#ifndef FG_CHECK_MEASURE_DEATH_H
#define FG_CHECK_MEASURE_DEATH_H

#include "gate/check/runs/version_runs.h"

/* Killed by SIGKILL (but not by us), or it says itself that it ran out of memory. */
bool died_for_memory(const struct run *run);

/*
 * After a run that failed with err. If it died for memory: writes the in-use profile at its death
 * into the output's folder and says in err's message where it is and who holds most. A run that did
 * not look at the heap is repeated once with it. What cannot be had is said. Returns err's code,
 * which stays but for ERR_INTERRUPTED.
 */
int death_describe(struct version_runs *runs, const struct run *run, struct error *err);

#endif
