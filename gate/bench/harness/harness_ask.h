/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks a program for its benchmarks: runs it, as a run of the benchmark would, with the harness's
 * own arguments. Time, memory, output and number of names are bounded; what it prints is hostile.
 */
#ifndef FG_BENCH_HARNESS_ASK_H
#define FG_BENCH_HARNESS_ASK_H

#include "gate/bench/harness/harness.h"

struct error;

#define HARNESS_ASK_SECONDS 120
#define HARNESS_MEMORY_BYTES ((uint64_t)8 << 30) /* of its data */

/* A benchmark's program in one version. */
struct harness_program {
	const struct config_benchmark *benchmark;
	const char *const *env; /* NULL-terminated, all of it */
	const char *directory;  /* absolute */
};

/*
 * By the configuration, else by what stands in the program's file and which libraries it needs.
 * NULL: none that is known, or one that only its run can tell.
 */
const struct harness *harness_find(const struct harness_program *program);

/*
 * names are initialised, and released by the caller. ERR_BENCHMARK where it lists nothing, fails or
 * takes too long, ERR_LIMIT and ERR_CORRUPT as of harness_names_add(); ERR_INTERRUPTED.
 */
int harness_ask_names(const struct harness_program *program, const struct harness *harness,
	struct harness_names *names, struct error *err);

/* It has a flag for a number of iterations, in the version that it is linked with. */
bool harness_has_count(const struct harness_program *program, const struct harness *harness);
/*
 * How many iterations of this one take about HARNESS_TRIAL_SECONDS, rounded to 1, 2 or 5 times a
 * power of ten, so that two trials seldom differ. ERR_BENCHMARK where it fails or does not tell.
 */
int harness_ask_count(const struct harness_program *program, const struct harness *harness,
	unsigned question, const char *name, uint64_t *count, struct error *err);

#endif
