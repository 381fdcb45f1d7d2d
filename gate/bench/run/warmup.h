/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warm-up: what a program does until its first iteration is done, where its work is counted in
 * iterations (flamegate.h): set-up, cold caches, lazy binding. It is no iteration's usual cost.
 */
#ifndef FG_BENCH_WARMUP_H
#define FG_BENCH_WARMUP_H

#include "gate/bench/run/run.h"

#define WARMUP_MIN_TIMES 10 /* as many iterations as the first epoch had: else it is no warm-up */

/*
 * Takes the CPU samples and the iterations of each process's first epoch out of the run; their CPU
 * time counts as paused (run->paused_seconds). A process that paused its counting itself, or made
 * few iterations, keeps all. By the samples' weights: exact to one sampling period.
 * planted_everywhere: what a slowdown has burnt lies in all samples alike, so the warm-up's part of
 * it goes with them (run->planted_seconds).
 */
void warmup_drop(struct run *run, bool planted_everywhere);

#endif
