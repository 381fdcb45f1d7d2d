/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording is all rounds of one version of one benchmark, as a folder with
 *
 *   <type>.pb.gz      the profile, label "round" (cpu: profile.h's three values); any pprof tool
 *                     opens it
 *   recording.json    the rounds' totals, and what else is needed to recompute the verdict from
 *                     both versions'
 *
 * Reading treats both as hostile: sizes, types, ranges; files are opened O_NOFOLLOW.
 */
#ifndef FG_BENCH_RECORDING_H
#define FG_BENCH_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/bench/config/config.h"
#include "gate/bench/machine/calibration.h"
#include "gate/bench/machine/fingerprint.h"
#include "gate/bench/recording/call_counts.h"
#include "gate/bench/recording/memory_line.h"
#include "gate/bench/recording/production_shares.h"
#include "gate/profile/code/function_names.h"
#include "gate/profile/profile.h"
#include "gate/vcs/repo.h"

struct error;

#define RECORDING_FORMAT 1
#define RECORDING_MAX_ROUNDS 1024
#define RECORDING_JSON_NAME "recording.json"
#define RECORDING_PROFILE_NAME "cpu.pb.gz" /* of type RECORDING_TYPE_CPU */
#define RECORDING_TYPE_CPU "cpu"

struct recording_round {
	double cpu_seconds;     /* of the process tree */
	double sampled_seconds; /* sum of the samples' weights */
	double wall_seconds, iterations;
	uint64_t samples, complete;
	uint64_t lost;      /* samples; of a type that is counted whatever is missing */
	uint32_t order;     /* 0: this version ran first in its pair, 1: second */
	uint32_t processes; /* that wrote a capture */
	double own_seconds; /* CPU time in the sample handlers; part of cpu_seconds */
	/* Not in cpu_seconds: paused by the program (flamegate.h);
	 * of processes that do not count */
	double paused_seconds, left_out_seconds;
	/* Of the processes that count; 0: unknown, or not looked for by this kind of run */
	double max_rss_bytes; /* the largest resident set of one of them */
	double off_cpu_seconds;
	double lock_seconds, contentions;
	double leak_bytes;    /* what is in use grows by so much per iteration (readings.h), */
	uint32_t leak_epochs; /* over so many epochs */
	uint32_t threads;     /* seen by the sampler, all processes */
	/* Burnt by a slowdown that a self-test has planted; part of cpu_seconds */
	double planted_seconds;
};

/* Lines of text, borrowed. */
struct recording_lines {
	const char **items;
	size_t count;
};

/* A regression that may pass, as gate/check/measurements/measurements.h has it. */
struct recording_acceptance {
	const char *benchmark, *function, *metric, *reason, *until, *origin, *problem;
};

/*
 * What a check knew besides its two recordings, so that these alone give the same result again
 * (flamegate compare): whatever decides or is printed and stands in neither the rounds, the policy
 * nor the profile belongs here. Both versions have the same; other recordings have none.
 */
struct recording_context {
	uint32_t benchmarks_in_gate; /* that share its error rate; 0: there is no context */
	const char *date, *policy_origin;
	double wall_seconds; /* spent on this benchmark */
	struct recording_lines warnings, notes;
	struct recording_lines check_warnings, check_notes, config_changes; /* of the whole check */
	const struct recording_acceptance *acceptances;
	size_t acceptance_count;
	struct repo_diff diff; /* of those files that either profile has functions of */
	struct production production;
};

#define RECORDING_CODE_DIGITS 32
#define RECORDING_MAX_CODE 40000
#define RECORDING_MAX_HISTORY 64

/* The machine code of one of the profile's functions. */
struct recording_code {
	uint32_t function; /* index into the profile's */
	uint32_t bytes;    /* 0 unknown */
	const char *hash;  /* RECORDING_CODE_DIGITS of lower-case hex */
	/*
	 * The same without the names of what it calls in its own file, and what stands for these
	 * (gate/profile/code/code_callee.h). NULL: there are none, or it is an earlier recording.
	 */
	const char *shape, *callees;
};

struct recording {
	struct arena arena; /* owns the strings and arrays of what was read; the writer does not
			       need it */
	const char *tool_version, *benchmark, *command;
	const char *role;          /* "base", "head", "record" or "run" */
	const char *commit, *tree; /* "" for a plain run */
	const char *branch;        /* "" unknown */
	/* What is counted: [a-z][a-z0-9_]*, the name of the profile's value type. "cpu" is sampled;
	 * others ("instructions", "alloc_objects", "alloc_bytes") are counted, and their rounds
	 * have no samples. */
	const char *profile_type;
	int64_t time_ns;       /* when it was measured, since 1970; 0 unknown */
	const char *mechanism; /* "perf" or "posix" */
	uint32_t rate_hz;
	uint64_t seed;
	bool counted_work;    /* iterations differ from 1 */
	uint32_t attempt;     /* 1: the first at this change, 2: its re-run ...; 0 as 1 */
	uint32_t layouts;     /* round b was linked in order b % layouts; 0: all as built */
	uint64_t slice_ns;    /* both versions took turns of this length; 0: whole runs */
	const char *unsliced; /* why whole runs, although slices were asked for; "" unasked */
	struct config_policy policy;
	struct recording_context context;
	struct fingerprint fingerprint;
	struct calibration calibration; /* zeros where not measured */
	struct recording_round *rounds;
	size_t round_count;
	/*
	 * The heap over time, where it was counted: while it is measured a line for each round; of
	 * these the median one is written, and read.
	 */
	struct memory_line *memory;
	size_t memory_count;
	const char **warnings;
	size_t warning_count;
	/* By function, ascending; a function that is not there: unknown */
	struct recording_code *code;
	size_t code_count;
	/* Of a regression's culprits; engine and why_not "": nobody asked for them */
	struct call_counts calls;
	/* Which functions the build's own objects have, whether or not samples fell in them */
	struct function_names names;
	/* |change| that earlier commits made to a counted total, as fractions: head's of a check */
	const double *history;
	size_t history_count;
	struct profile *profile; /* owned by what was read; recording_release() frees it */
};

/* Creates folder if needed. Equal recordings give equal bytes. */
int recording_write(const struct recording *recording, const char *folder, struct error *err);
/* recording.json alone, where the profile is already there. */
int recording_write_json(const struct recording *recording, const char *folder, struct error *err);
/* Release with recording_release() only after ERR_OK. */
int recording_read(const char *folder, struct recording *recording, struct error *err);
void recording_release(struct recording *recording);
/* fingerprint_id() of where it was measured; arena-owned. */
const char *recording_environment(const struct recording *recording, struct arena *arena);
/* [a-z][a-z0-9_]*, at most 32 bytes. */
bool recording_type_is_valid(const char *type);
/* "perf" or "posix" as it is called for people ("perf task-clock"). */
const char *mechanism_text(const char *mechanism);
/* The value that is counted: index into profile->types, or -1. */
int recording_value_type(const struct recording *recording);
/*
 * CPU seconds of one run; INFINITY where rounds do not tell how many runs they are of. Below
 * RECORDING_SHORT_SECONDS what a run spends before the sampler is there, and after its last sample,
 * is too much of it: then that is the reason where samples are missing, and nothing is lost.
 */
#define RECORDING_SHORT_SECONDS 0.03
double recording_run_seconds(const struct recording *recording);
/*
 * The work that all rounds did: what the cost of one unit is made from. Of what is a level, such as
 * the bytes in use at the peak, however much work is done, it is the number of runs.
 */
double recording_total_work(const struct recording *recording);
/* Its profile may be without samples: memory in use at the end of a program that frees all. */
bool recording_may_be_nothing(const struct recording *recording);

/*
 * CPU seconds that may be missing among the samples although nothing is hidden: before a process
 * has loaded the sampler, and after its last sample. 2 ms a process, but at most 3/10 of all: a
 * benchmark of 5 ms loses 1 to 2, one that starts many processes cannot hide much behind them.
 */
double recording_unseen_seconds(double processes, double cpu_seconds);

/*
 * Does it add up? (Of a type that is counted: every sample's round exists, and no value is
 * negative.) Of the CPU time: every sample's round exists; per round the profile's CPU time is the
 * round's sampled_seconds (1e-6); no round is without samples; over all rounds samples account for
 * 70 to 130 % of the CPU time, what cannot be seen apart; no object of the build has two build
 * ids in one layout. ERR_MEASURE with what is wrong and what it means ("base: samples account for
 * 50 % of the CPU time: half of the profile is missing").
 */
int recording_check(const struct recording *recording, struct error *err);

#endif
