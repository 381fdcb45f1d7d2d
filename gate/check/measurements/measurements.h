/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurements: what one check or record measured, before anything is decided. On disk it is a
 * folder:
 *
 *   check.json               commits, diff, the policy's origin, the benchmarks and what became of
 *                            each
 *   <slug>/base/, head/      recordings of those that were measured; head alone where base was not
 *   <slug>/reference-<type>/ the stored baseline of that profile type, which head is compared with
 *   <slug>/counted-<type>/   head's recording of a type that is counted
 *
 * Deciding (decide.h) needs nothing else: a live check and its replay give the same result.
 */
#ifndef FG_CHECK_MEASUREMENTS_H
#define FG_CHECK_MEASUREMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/bench/instructions/call_sites.h"
#include "gate/bench/recording/recording.h"
#include "gate/check/status.h"
#include "gate/check/work_done.h"
#include "gate/vcs/repo.h"

struct error;

#define MEASUREMENTS_FORMAT 1
#define MEASUREMENTS_FILE_NAME "check.json"
#define MEASUREMENTS_REFERENCE "reference-"
#define MEASUREMENTS_COUNTED "counted-"

enum { VERSION_BASE, VERSION_HEAD, VERSION_COUNT };
extern const char *const version_names[VERSION_COUNT];

/* A list of strings in the measurements' arena. */
struct measurements_lines {
	const char **items;
	size_t count, capacity;
};

/* A stored baseline of one profile type, and what is known about where it comes from. */
struct measured_reference {
	const char *profile_type, *store, *commit; /* store: for people */
	const char *environment;                   /* "" ours, else what differs, for people */
	const char *detail; /* why there is none: has_baseline is false then; else "" */
	size_t distance;    /* commits before the base */
	struct measurements_lines losses;
	bool has_baseline;
	struct recording baseline;
	bool counted; /* head below is there: of a type that the pairs do not measure */
	struct recording head;
	const double *history; /* what earlier commits changed, until head's recording has it */
	size_t history_count;
};

struct measured_benchmark {
	const char *name, *slug, *command;
	enum result_outcome outcome;
	bool fails;          /* BASE_FAILED under on_base_failure: fail */
	const char *detail;  /* "" when measured */
	double wall_seconds; /* as result_benchmark's */
	struct measurements_lines warnings;
	struct measurements_lines notes; /* what was left out, and why */
	bool recorded;                   /* both recordings below are there */
	bool head_only; /* only head's is: a record, a new one, or a base that could not be
			   measured */
	struct recording recordings[VERSION_COUNT];
	struct run_clock clock; /* of all its runs, while it is measured */
	struct result_work work;
	/* [VERSION_COUNT]: where runs under valgrind leave the calls that they saw, while the
	 * benchmark is measured; NULL: nobody wants them */
	struct call_sites *call_sites;
	struct measured_reference *references;
	size_t reference_count, reference_capacity;
};

#define MEASUREMENTS_MAX_BENCHMARKS 10000
#define MEASUREMENTS_MAX_ACCEPTANCES 1000

/* A regression that may pass, or a try at letting one. */
struct measurements_acceptance {
	const char *benchmark;
	const char *function;       /* "name" or "name@file", as accept.h reads it; "": whichever */
	const char *metric;         /* gate/bench/config/metric.h's name; "" or NULL: whichever */
	const char *reason, *until; /* the last day: YYYY-MM-DD; "" no end */
	const char *origin;         /* for people: where it stands */
	const char *problem;        /* why it does not count; "" it does */
	/* A trailer's text, to be read again once all benchmarks are known; NULL: nothing is. Not
	 * kept on disk. */
	const char *value;
};

struct sources;

struct measurements {
	struct arena arena;
	const char *tool_version, *kind, *date;
	struct result_commit base, head;
	const char *snapshot;    /* commit of the working tree, where that is head; else "" */
	struct sources *sources; /* of source text (sources.h), the caller's; NULL: there is none */
	const char *policy_origin, *environment;
	struct measurements_lines config_changes, warnings;
	struct measurements_lines notes; /* what a reader should know, and nobody needs to mend */
	struct repo_diff diff;
	bool diff_known; /* else it is empty because nobody knows it */
	bool strict;     /* judge what has the same code in both as any other; not kept on disk */
	struct production production; /* what the benchmarks' functions take there */
	struct measurements_acceptance *acceptances;
	size_t acceptance_count, acceptance_capacity;
	struct measured_benchmark *benchmarks;
	size_t benchmark_count, benchmark_capacity;
	size_t benchmarks_in_gate; /* of a comparison: in the check that measured it; 0: count them
				    */
};

struct measurements *measurements_new(const char *kind);
/* How many benchmarks share the gate's error rate: those that were measured in pairs. */
size_t measurements_benchmarks_in_gate(const struct measurements *measurements);
void measurements_free(struct measurements *measurements);

/* text is copied into the arena. */
void measurements_add_line(
	struct measurements *measurements, struct measurements_lines *lines, const char *text);
/* Strings stay the caller's: they must live as long as the measurements. Past the most nothing is
 * added. */
void measurements_add_acceptance(
	struct measurements *measurements, const struct measurements_acceptance *acceptance);
/* The new benchmark; valid until the next one is added. name, slug and command are copied. */
struct measured_benchmark *measurements_add_benchmark(
	struct measurements *measurements, const char *name, const char *slug, const char *command);

/*
 * Puts so many benchmarks in the place of one, which is forgotten; returns the first, whose members
 * are the caller's to set: strings that live as long as the measurements.
 */
struct measured_benchmark *measurements_split_benchmark(
	struct measurements *measurements, size_t index, size_t count);

/* The new entry; valid until the next one is added. */
struct measured_reference *measurements_add_reference(struct measurements *measurements,
	struct measured_benchmark *benchmark, const char *profile_type);
/* The entry of this type, or NULL. */
const struct measured_reference *measurements_find_reference(
	const struct measured_benchmark *benchmark, const char *profile_type);

/* Writes check.json. Recordings are written one by one as they are measured, by
 * measurements_write_recordings(). */
int measurements_write(
	const struct measurements *measurements, const char *folder, struct error *err);
void measurements_drop_recordings(struct measured_benchmark *benchmark);
void measurements_drop_references(struct measured_benchmark *benchmark);
/* <folder>/<slug>/<name><suffix>, malloc'd. */
char *measurements_recording_path(const char *folder, const struct measured_benchmark *benchmark,
	const char *name, const char *suffix);
int measurements_write_recordings(
	const struct measured_benchmark *benchmark, const char *folder, struct error *err);
/* *out is new and untouched on failure. A recording that cannot be read makes its benchmark an
 * error. */
int measurements_read(const char *folder, struct measurements **out, struct error *err);

#endif
