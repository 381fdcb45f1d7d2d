/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of a benchmark under the sampler: half of a pair. Its caller makes pairs of runs in
 * random order; pair.h has two of them take turns.
 */
#ifndef FG_BENCH_RUN_H
#define FG_BENCH_RUN_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/process/process.h"
#include "gate/bench/preload/preload.h"
#include "gate/bench/run/run_clock.h"
#include "gate/profile/capture/capture_read.h"
#include "gate/profile/profile_kind.h"

struct error;

#define SAMPLER_RATE_HZ 997

struct run_options {
	const char *const *argv;
	const char *const *env; /* without the sampler's variables; NULL: ours */
	const char *directory;  /* NULL: ours */
	/* existing private folder: capture and output land in fresh subfolders */
	const char *scratch;
	/* absolute; removed before the run, read after it; NULL: fixed work */
	const char *iterations_path;
	bool marks; /* the work is what the program tells by flamegate_iteration() */
	uint64_t timeout_ns;
	const cpu_set_t *cpus;           /* NULL: all of ours */
	const struct profile_kind *kind; /* what to count; NULL: cpu */
	uint64_t heap_period_bytes;      /* 0: count every allocation */
	/* Names of the programs that count (processes.h); NULL: all but shells, build tools and
	 * debuggers. */
	const char *const *processes;
	bool start_paused;     /* count nothing before the program's first mark (flamegate.h) */
	const char *slowdown;  /* to be planted: FG_ENV_SLOWDOWN's text; NULL: none */
	uint32_t rate_hz;      /* 0: SAMPLER_RATE_HZ */
	const char *mechanism; /* NULL: "auto"; "perf", "posix" */
	const struct run_clock *clock; /* NULL: the real one */
	bool inherit_stdio;            /* flamegate run */
};

struct run {
	const struct profile_kind *kind; /* what was counted */
	struct process_result process;
	struct capture_set captures;
	double iterations;      /* 1 for fixed work */
	double cpu_seconds;     /* of the process tree, but for what does not count or was paused */
	double sampled_seconds; /* sum of the CPU samples' weights in the captures */
	double sum_squares_s2;  /* sum of their squared weights, in seconds squared */
	double own_seconds;     /* CPU time in the sample handlers (estimate) */
	double paused_seconds;  /* CPU time that the program itself has left out (flamegate.h), and
				   warm-up (warmup.h) */
	double left_out_seconds; /* CPU time of the processes that do not count */
	double planted_seconds;  /* burnt by options->slowdown; part of cpu_seconds */
	/* What the benchmark printed, to stdout and to stderr; removed by run_release() with
	 * captures. NULL: to the user's terminal. */
	char *output_path, *error_path;
	char *folder;
	uint32_t max_threads;       /* of the process image that had most */
	struct run_clock_use clock; /* all 0 where it is the real one */
	char *left_out; /* processes that do not count, one line for people; NULL: none */
};

/*
 * Runs once. ERR_BENCHMARK when it exits non-zero, is killed or times out: the message says what
 * happened and shows the output's last lines, and run holds the profile so far; also when its clock
 * cannot be recorded or replayed. ERR_MEASURE when no
 * process wrote a capture or one is damaged. run is valid in every case: release it.
 */
int run_execute(const struct run_options *options, struct run *run, struct error *err);
void run_release(struct run *run);

/*
 * The CPUs for a benchmark: the last `wanted` of those that we may use; if wanted is 0, the last
 * one for a benchmark whose processes have one thread each (the first CPUs handle most interrupts),
 * otherwise all.
 */
void run_choose_cpus(uint32_t wanted, uint32_t max_threads, cpu_set_t *out);

#endif
