/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session: what one check or record measured, before anything is decided. On disk it is a folder:
 *   check.json                    commits, diff, policy's origin, the benchmarks and what became of
 * each <slug>/base/, <slug>/head/    recordings of those that were measured; head alone where base
 * was not <slug>/stored-<type>/         the stored baseline of that profile type that head is held
 * against <slug>/counted-<type>/        head's recording of a type that is counted Deciding
 * (decide.h) needs nothing else: a live check and its replay give the same result.
 */
#ifndef FG_CHECK_SESSION_H
#define FG_CHECK_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/bench/instructions/call_sites.h"
#include "gate/bench/recording/recording.h"
#include "gate/check/result.h"
#include "gate/vcs/repo.h"

#define SESSION_FORMAT 1
#define SESSION_FILE_NAME "check.json"
#define SESSION_STORED "stored-"
#define SESSION_COUNTED "counted-"

enum { ARM_BASE, ARM_HEAD, ARM_COUNT };
extern const char *const arm_names[ARM_COUNT];

/* A list of strings in the session's arena. */
struct session_lines {
	const char **items;
	size_t count, capacity;
};

/* A stored baseline of one profile type, and what is known about where it comes from. */
struct session_stored {
	const char *profile_type, *store, *commit; /* store: for people */
	const char *environment;                   /* "" ours, else what differs, for people */
	const char *detail; /* why there is none: has_baseline is false then; else "" */
	size_t distance;    /* commits before the base */
	struct session_lines losses;
	bool has_baseline;
	struct recording baseline;
	bool counted; /* head below is there: of a type that the pairs do not measure */
	struct recording head;
	const double *history; /* what earlier commits changed, until head's recording has it */
	size_t history_count;
};

struct session_benchmark {
	const char *name, *slug, *command;
	enum result_outcome outcome;
	bool fails;          /* BASE_FAILED under on_base_failure: fail */
	const char *detail;  /* "" when measured */
	double wall_seconds; /* as result_benchmark's */
	struct session_lines warnings;
	struct session_lines notes; /* what was left out, and why */
	bool recorded;              /* both recordings below are there */
	bool head_only; /* only head's is: a record, a new one, or a base that could not be
			   measured */
	struct recording recordings[ARM_COUNT];
	/* [ARM_COUNT]: where runs under valgrind leave the calls that they saw, while the benchmark
	 * is measured; NULL: nobody wants them */
	struct call_sites *call_sites;
	struct session_stored *stored;
	size_t stored_count, stored_capacity;
};

#define SESSION_MAX_ACCEPTANCES 1000

/* A regression that may pass, or a try at letting one. */
struct session_acceptance {
	const char *benchmark;
	const char *function;       /* "name" or "name@file", as accept.h reads it; "": whichever */
	const char *quantity;       /* gate/bench/config/quantity.h's name; "" or NULL: whichever */
	const char *reason, *until; /* the last day: YYYY-MM-DD; "" no end */
	const char *origin;         /* for people: where it stands */
	const char *problem;        /* why it does not count; "" it does */
};

struct sources;

struct session {
	struct arena arena;
	const char *tool_version, *kind, *date;
	struct result_commit base, head;
	const char *snapshot;    /* commit of the working tree, where that is head; else "" */
	struct sources *sources; /* of source text (sources.h), the caller's; NULL: there is none */
	const char *policy_origin, *environment;
	struct session_lines config_changes, warnings;
	struct session_lines notes; /* what a reader should know, and nobody needs to mend */
	struct repo_diff diff;
	bool diff_known;   /* else it is empty because nobody knows it */
	bool no_exonerate; /* judge what has the same code in both as any other; not kept on disk */
	struct production production; /* what the benchmarks' functions take there */
	struct session_acceptance *acceptances;
	size_t acceptance_count, acceptance_capacity;
	struct session_benchmark *benchmarks;
	size_t benchmark_count, benchmark_capacity;
	size_t benchmarks_in_gate; /* of a comparison: in the check that measured it; 0: count them
				    */
};

struct session *session_new(const char *kind);
/* How many benchmarks share the gate's error rate: those that were measured in pairs. */
size_t session_benchmarks_in_gate(const struct session *session);
void session_free(struct session *session);

/* text is copied into the arena. */
void session_add_line(struct session *session, struct session_lines *lines, const char *text);
/* Strings stay the caller's: they must live as long as the session. Past the most nothing is added.
 */
void session_add_acceptance(struct session *session, const struct session_acceptance *acceptance);
/* The new benchmark; valid until the next one is added. name, slug and command are copied. */
struct session_benchmark *session_add_benchmark(
	struct session *session, const char *name, const char *slug, const char *command);

/* The new entry; valid until the next one is added. */
struct session_stored *session_add_stored(
	struct session *session, struct session_benchmark *benchmark, const char *profile_type);
/* The entry of this type, or NULL. */
const struct session_stored *session_find_stored(
	const struct session_benchmark *benchmark, const char *profile_type);

/* Writes check.json. Recordings are written one by one as they are measured, by
 * session_write_recordings(). */
int session_write(const struct session *session, const char *folder, struct error *err);
void session_drop_recordings(struct session_benchmark *benchmark);
void session_drop_stored(struct session_benchmark *benchmark);
/* <folder>/<slug>/<name><suffix>, malloc'd. */
char *session_recording_path(const char *folder, const struct session_benchmark *benchmark,
	const char *name, const char *suffix);
int session_write_recordings(
	const struct session_benchmark *benchmark, const char *folder, struct error *err);
/* *out is new and untouched on failure. A recording that cannot be read makes its benchmark an
 * error. */
int session_read(const char *folder, struct session **out, struct error *err);

#endif
