/* SPDX-License-Identifier: Apache-2.0 */
/* What a finished run tells besides its profile: one number each (gate/bench/config/metric.h). */
#ifndef FG_BENCH_READINGS_H
#define FG_BENCH_READINGS_H

#include "gate/bench/run/run.h"

struct recording;
struct recording_round;

#define LEAK_EPOCHS_MIN 6 /* after the warm-up; fewer make no slope */

/*
 * Fills round's max_rss_bytes, threads, off_cpu_seconds, lock_seconds, contentions, leak_bytes and
 * leak_epochs, of the processes that count. leak_bytes is the least-squares slope of what is in use
 * at the end of each of the program's own epochs (flamegate_iteration) over its iterations, the
 * first quarter left out as warm-up; of several processes that have epochs, the sum.
 */
void readings_take(const struct run *run, struct recording_round *round);
/* Bytes: the largest resident set of one of them; 0: none told. */
uint64_t readings_resident(const struct run *run);

/*
 * Adds the run's heap over time (memory_line.h) to recording->memory, in recording->arena; nothing
 * where the run counted no heap.
 */
void readings_take_memory(const struct run *run, struct recording *recording);

/* Of one more run of the same round: what grows with the work adds up,
 * of levels the largest stays. */
void readings_add(const struct run *run, struct recording_round *round);

#endif
