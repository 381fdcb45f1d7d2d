/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a few functions are called, counted by the processor's breakpoints on their first
 * instructions (perf_event_open(2), PERF_TYPE_BREAKPOINT), in all threads and children of a run: no
 * signal, no tracer, and no code is changed. A call costs a trap, some microseconds or, in virtual
 * machines, some tens: after BREAKPOINTS_MOST_CALLS of a function it is left alone, and its calls
 * are not known.
 *
 * Addresses are those of a run without address space randomisation, which is run once to learn
 * them; each counted run proves afterwards that it lay there, and that no other program of it had
 * code in that place.
 */
#ifndef FG_BENCH_CALL_BREAKPOINTS_H
#define FG_BENCH_CALL_BREAKPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/bench/run/run.h"

struct error;

#define BREAKPOINTS_MOST 4 /* that every processor has */
#define BREAKPOINTS_MOST_CALLS 1000000

/* A function as a CPU profile knows it. Borrowed strings. */
struct breakpoint_target {
	const char *symbol; /* as the linker knows it */
	const char *object; /* its file's path, or the end of it */
	const char *build_id;
};

struct breakpoint {
	bool is_set;         /* false: it is not one function whose calls can be seen */
	const char *program; /* that has it; path */
	const char *object;  /* the same, or a library of it */
	uint64_t bias;       /* run-time address = link-time address + bias */
	uint64_t address;    /* run-time */
	uint64_t calls;      /* of the last run */
	bool is_stopped;     /* after too many calls, in any run */
};

struct breakpoints {
	struct arena arena;
	struct breakpoint items[BREAKPOINTS_MOST]; /* as the targets */
	size_t count;
	uint64_t most_calls; /* BREAKPOINTS_MOST_CALLS */
	double iterations;   /* of the last run */
};

/*
 * ERR_MEASURE, before anything is run, where there are no such breakpoints or they are not allowed.
 */
int breakpoints_check(struct error *err);

/*
 * Runs once to find the targets (at most BREAKPOINTS_MOST). ERR_MEASURE where the machine or the
 * program does not allow it, or no target is left; else as run_execute(). Release in every case.
 */
int breakpoints_find(const struct run_options *options, const struct breakpoint_target *targets,
	size_t count, struct breakpoints *breakpoints, struct error *err);
void breakpoints_release(struct breakpoints *breakpoints);

/* Runs once and counts those that are set and not stopped. */
int breakpoints_run(
	const struct run_options *options, struct breakpoints *breakpoints, struct error *err);

#endif
