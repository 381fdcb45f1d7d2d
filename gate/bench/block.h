/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of a benchmark under the sampler, and the pairs of runs that a verdict is made from.
 * Whole runs in random-order pairs: the slices of the duet will come between block_run() and its caller.
 */
#ifndef FG_BENCH_BLOCK_H
#define FG_BENCH_BLOCK_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/error.h"
#include "gate/base/process.h"
#include "gate/bench/preload.h"
#include "gate/profile/capture_read.h"

#define SAMPLER_RATE_HZ 997

struct run_options {
	const char *const *argv;
	const char *const *env;	  /* without the sampler's variables */
	const char *directory;
	const char *scratch;	  /* existing private folder: capture and output land in fresh subfolders */
	const char *iterations_path; /* absolute; removed before the run, read after it; NULL: fixed work */
	uint64_t timeout_ns;
	const cpu_set_t *cpus;	  /* NULL: all of ours */
	uint32_t rate_hz;	  /* 0: SAMPLER_RATE_HZ */
	bool inherit_stdio;	  /* flamegate run */
};

struct run {
	struct process_result process;
	struct capture_set captures;
	double iterations;	/* 1 for fixed work */
	double cpu_seconds;	/* of the process tree */
	double sampled_seconds; /* sum of all weights */
	char *output_path;	/* what the benchmark printed; removed by run_release() with the captures */
	char *folder;
	uint32_t max_threads;	/* over all processes */
};

/*
 * Runs once. ERR_BENCHMARK when it exits non-zero, is killed or times out: the message says what
 * happened and shows the output's last lines, and run holds the profile so far (release it).
 */
int block_run(const struct run_options *options, struct run *run, struct error *err);
void run_release(struct run *run);

#endif
