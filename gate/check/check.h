/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One check from plan to result. check_run() measures (or reads what was measured: replay), decides
 * and returns the result; it prints nothing and writes nothing but the recordings, into
 * <output>/recordings, from which check_run() with replay gives the same result again.
 */
#ifndef FG_CHECK_CHECK_H
#define FG_CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/profile/profile_kind.h"

struct error;
struct result;

/* Plain progress lines. */
typedef void check_progress(void *data, const char *line);

/* How far the pairs of one stage, or the runs of a recording, are: for a display that has room for
 * one line. */
struct check_step {
	const char *benchmark; /* hostile */
	int stage;             /* 1 looks, 2 confirms; 0: one version alone */
	uint32_t done, pairs;  /* done 0: it begins */
	double pair_seconds;   /* expected, before any was run */
};
typedef void check_steps(void *data, const struct check_step *step);

/*
 * For self-tests: both versions are head, in copies that may be slowed down, nothing but CPU time
 * is measured, and its increase fails whatever policy.gate says. Nobody else sets it.
 */
struct check_plant {
	const char *slowdown[2]; /* of base and head: gate/bench/run/slowdown.h; NULL: none */
	uint32_t pairs;          /* instead of the policy's pairs, in one stage; 0: the policy's */
};

struct check_options {
	const char *directory; /* inside the repository; NULL: here */
	const char *base;      /* revision to compare head with; NULL: the target branch. A branch
				  stands for the merge base with it, a tag or commit for itself */
	const char *head;      /* NULL: the working tree, in CI HEAD */
	const char *configuration; /* .flamegate.yml's text, of a record; NULL: the commit's */
	const char *store;         /* URL (baseline/store.h); NULL: the configuration's */
	bool no_store;             /* look at no stored baseline */
	const char *output;        /* folder for recordings; created */
	const char *replay;        /* folder of recordings: decide on them, measure nothing */
	const char *const *only;   /* benchmark names, NULL-terminated; NULL or empty: all */
	bool measure_identical;    /* measure also where both versions execute the same files */
	/* judge code that is the same in both versions as any other; also a replay's */
	bool strict;
	bool ci;               /* policy comes from the target branch */
	uint64_t seed;         /* order of the runs; 0: from the clock, recorded */
	uint32_t attempt;      /* at the same change: 1 the first, 2 its re-run; 0: in CI as
			       GITHUB_RUN_ATTEMPT says, else 1 */
	const char *mechanism; /* sampler: NULL or "auto", "perf", "posix" */
	const struct check_plant *plant; /* NULL: none */
	check_progress *progress;
	/* After each pair; what the lines of progress say of pairs is left out then. NULL: none */
	check_steps *steps;
	void *progress_data; /* of both */
};

/* *out is new (result_free() it) and untouched on failure. */
int check_run(const struct check_options *options, struct result **out, struct error *err);

struct record_options {
	const char *directory;     /* inside the repository; NULL: here */
	const char *commit;        /* NULL: HEAD */
	const char *configuration; /* .flamegate.yml's text; NULL: the commit's */
	const char *output;        /* folder for the recordings; created */
	const char *const *only;   /* as above */
	uint32_t rounds;           /* of each benchmark; 0: policy.pairs' min */
	bool ci;
	const char *mechanism;
	check_progress *progress;
	check_steps *steps;  /* as check's: in place of the lines of every quarter */
	void *progress_data; /* of both */
};

/*
 * Builds one commit and records each benchmark, its runs spread over the whole time, into
 * <output>/recordings: what `baseline push` takes. ERR_BENCHMARK when the build fails; a benchmark
 * that fails is in the result (exit status 3).
 */
int record_run(const struct record_options *options, struct result **out, struct error *err);

struct compare_options {
	const char
		*type; /* of profiles with several value types: which; NULL: cpu or the default */
	const char *credentials; /* prefix of the variables for servers; NULL: the default */
	bool strict;             /* as check's */
	check_progress *progress;
	void *progress_data;
};

/*
 * Two recordings (folders with recording.json), profiles (pprof files) or URLs of profiles
 * (baseline/source.h). The two versions of a check are decided; two other recordings of one
 * benchmark are compared as head is with a stored baseline; anything else is shown
 * without a verdict.
 */
int compare_run(const struct compare_options *options, const char *base, const char *head,
	struct result **out, struct error *err);

struct run_settings {
	const char *const *argv;         /* NULL-terminated */
	const char *output;              /* folder for the recording; created */
	const struct profile_kind *kind; /* what to count; NULL: cpu */
	uint64_t heap_period_bytes;      /* 0: count every allocation */
	bool start_paused; /* count nothing before the program's first mark (flamegate.h) */
	const char *const
		*processes; /* names of the programs that count; as in the configuration */
	uint32_t rate_hz;   /* 0: the default */
	const char *mechanism;
	check_progress *progress;
	void *progress_data;
};

/*
 * One profiled run with our own terminal. ERR_BENCHMARK when the program fails; *out is set all the
 * same if there is a profile.
 */
int profile_run(const struct run_settings *settings, struct result **out, struct error *err);

void result_free(struct result *result);

#endif
