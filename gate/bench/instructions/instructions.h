/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many instructions a benchmark executes, which for deterministic work is the same number in
 * every run: address space randomisation is off, and the environment is as given. Who counts:
 *
 *   callgrind   valgrind's: by function, line and call; 15 to 90 times slower
 *   cachegrind  valgrind's: by function and line; 6 to 40 times slower
 *   hardware    the processor: the whole tree's total alone, at full speed
 *
 * Not counted by valgrind: the kernel, processes that are killed by SIGKILL, and what a process did
 * before it replaced itself (exec); and a child that is forked without exec counts its parent's
 * instructions up to the fork as well under cachegrind.
 */
#ifndef FG_BENCH_INSTRUCTIONS_H
#define FG_BENCH_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/process/process.h"
#include "gate/bench/machine/hardware_counter.h"
#include "gate/bench/run/run.h"
#include "gate/profile/profile.h"

struct error;

enum instructions_engine {
	INSTRUCTIONS_CALLGRIND,
	INSTRUCTIONS_CACHEGRIND,
	INSTRUCTIONS_HARDWARE,
};

/* "callgrind", "cachegrind", "hardware". */
const char *instructions_engine_name(enum instructions_engine engine);

/*
 * The engine of that name, or the best that works here for NULL or "auto": callgrind where
 * functions are wanted, else the hardware; the other where the first is missing. ERR_USAGE for an
 * unknown name; ERR_TOOL with what to install; ERR_MEASURE where the hardware is asked for and has
 * no counter.
 */
int instructions_choose(
	const char *name, bool functions, enum instructions_engine *engine, struct error *err);

/* A program image that valgrind saw to its end. */
struct instructions_process {
	int64_t pid;
	const char *program, *command; /* its file's path where that is known, else its name */
	uint64_t instructions;
	bool excluded; /* run_options.processes */
};

struct callgrind;

struct instructions_run {
	enum instructions_engine engine;
	struct arena arena;
	struct process_result process;
	uint64_t instructions; /* of what is not excluded */
	double iterations;     /* 1 for fixed work */
	bool randomized;       /* the system does not let us switch randomisation off */
	size_t lost;           /* processes that left no counts: killed by SIGKILL */
	struct instructions_process *processes; /* most work first; none for the hardware */
	size_t process_count;
	struct callgrind *counts; /* of all that is not excluded; NULL for the hardware */
	const char *program;      /* what argv runs, for people */
	struct run_clock_place clock;
	char **env;        /* with that clock; NULL: as the options say */
	char *output_path; /* what the benchmark printed; removed by the release */
	char *folder;
};

/* By which callgrind's time limit is raised. */
#define INSTRUCTIONS_MOST_SLOWDOWN 250

/*
 * Runs once, as run_execute() does, but counted instead of sampled; the time limit is multiplied by
 * what the engine costs. Of the options kind, heap_period_bytes, start_paused, rate_hz and
 * mechanism have no meaning here. ERR_BENCHMARK as there; ERR_MEASURE where nothing was counted,
 * a count cannot be read, or the work is told by flamegate.h, which is not heard here. run is valid
 * in every case: release it.
 */
int instructions_run(const struct run_options *options, enum instructions_engine engine,
	struct instructions_run *run, struct error *err);
void instructions_run_release(struct instructions_run *run);
/* Appends "not counted: dash (225965 instructions), make (...)" if any process is excluded. The
 * names are the benchmark's: hostile. */
void instructions_left_out(const struct instructions_run *run, struct strbuf *out);

/*
 * Appends the run's samples to profile, with label round; its types are instructions/count, or none
 * yet. The hardware's total becomes one frame, "[program]". strip_prefixes as the symbolizer's.
 */
int instructions_profile(const struct instructions_run *run, int64_t round,
	const char *const *strip_prefixes, struct profile *profile, struct error *err);

/* The counts of several runs: is the benchmark deterministic? */
struct instructions_range {
	uint64_t least, most;
	size_t runs;
};
void instructions_range_add(struct instructions_range *range, uint64_t instructions);
/* Appends "1234 instructions in each of 3 runs", or "1234 to 1300 instructions in 3 runs (they
 * differ by 5.3 %: the benchmark is not deterministic)". */
void instructions_range_text(const struct instructions_range *range, struct strbuf *out);

#endif
