/* SPDX-License-Identifier: Apache-2.0 */
/* Private to run.c, pair.c and call_breakpoints.c: what comes before a run's process, and what
 * after it. */
#ifndef FG_BENCH_RUN_INTERNAL_H
#define FG_BENCH_RUN_INTERNAL_H

#include "gate/base/process/process.h"
#include "gate/bench/run/run.h"

/* A run that is ready to be started with .process, which borrows all else here. */
struct run_launch {
	char *captures, *library, *control;
	struct run_clock_place clock;
	char **env;
	struct process_options process;
};

/*
 * Fresh folders and the environment. with_control: the sampler obeys the page in launch->control
 * (to be made there before the start). Release launch also after an error; run as of run_execute().
 */
int run_prepare(const struct run_options *options, bool with_control, struct run *run,
	struct run_launch *launch, struct error *err);
void run_launch_release(struct run_launch *launch);

/* After run->process is filled: reads the captures and checks that the run counts. */
int run_collect(const struct run_options *options, const struct run_launch *launch, struct run *run,
	struct error *err);

#endif
