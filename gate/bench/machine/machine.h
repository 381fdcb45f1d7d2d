/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a machine decides how well it can measure, and what to change about it. Reading the facts
 * is one thing, the advice another: a pure function of them.
 */
#ifndef FG_BENCH_MACHINE_H
#define FG_BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"

#define MACHINE_UNKNOWN INT32_MIN

/* The oldest git that all of gate/vcs works with (rev-parse --path-format). */
#define MACHINE_GIT_MAJOR 2
#define MACHINE_GIT_MINOR 31

/* Strings are "" where they cannot be read, numbers as said. */
struct machine_facts {
	int32_t perf_event_paranoid; /* MACHINE_UNKNOWN */
	bool privileged;             /* root: the kernel's settings for others do not bind it */
	const char *governor;
	const char *turbo_switch;     /* the file that switches turbo off, if it is on */
	bool smt;                     /* two threads of one core are online */
	uint32_t cpus_allowed;        /* 0 */
	double quota_cpus;            /* a control group's limit; 0: none */
	double load;                  /* runnable processes, over the last minute; < 0 */
	double steal;                 /* see machine_steal(); < 0 */
	uint64_t memory_bytes;        /* that we may still use; UINT64_MAX */
	const char *scratch;          /* where captures and recordings are made */
	uint64_t scratch_bytes;       /* free there; UINT64_MAX */
	const char *cache;            /* where builds are kept */
	uint64_t cache_bytes;         /* UINT64_MAX */
	int32_t git_major, git_minor; /* MACHINE_UNKNOWN: there is none */
	const char *git;              /* what it says of itself */

	/* What only measuring tells; the caller sets it. */
	bool perf_tried, perf_works;
	int perf_refusal; /* errno */
	double noise;     /* run-to-run CV of fixed work; < 0 */
	double autocorrelation;
};

/* root: "" or a folder that stands for / (proc and sys below it). Strings are in the arena. */
void machine_read(const char *root, struct machine_facts *facts, struct arena *arena);

/* "git version 2.39.5" and the like; MACHINE_UNKNOWN for anything else. */
void machine_git_version(const char *text, int32_t *major, int32_t *minor);

/* The first line of /proc/stat. */
struct machine_cpu_times {
	double busy, stolen; /* ticks of all CPUs since the start */
};
bool machine_cpu_times(const char *root, struct machine_cpu_times *out);
/* Of the CPU time asked for in between, the part that the host gave to others; < 0 unknown. */
double machine_steal(const struct machine_cpu_times *before, const struct machine_cpu_times *after);

struct machine_advice {
	const char *what;    /* a sentence: what is, and what it does to the measurement */
	const char *command; /* to run; "" where there is none */
};
#define MACHINE_ADVICE_MAX 16

/* The number of pieces of advice, gravest first; strings are in the arena. */
size_t machine_advise(const struct machine_facts *facts, struct arena *arena,
	struct machine_advice out[MACHINE_ADVICE_MAX]);

#endif
