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

#include "gate/base/error.h"
#include "gate/check/result.h"

/* Plain progress lines. */
typedef void check_progress(void *data, const char *line);

struct check_options {
	const char *directory;   /* inside the repository; NULL: here */
	const char *base;        /* revision to hold head against; NULL: the target branch */
	const char *head;        /* NULL: HEAD */
	const char *output;      /* folder for recordings; created */
	const char *replay;      /* folder of recordings: decide on them, measure nothing */
	const char *const *only; /* benchmark names, NULL-terminated; NULL or empty: all */
	bool measure_identical;  /* measure also where both arms execute the same files */
	bool ci;                 /* policy comes from the target branch */
	uint64_t seed;           /* order of the runs; 0: from the clock, recorded */
	const char *mechanism;   /* sampler: NULL or "auto", "perf", "posix" */
	check_progress *progress;
	void *progress_data;
};

/* *out is new (result_free() it) and untouched on failure. */
int check_run(const struct check_options *options, struct result **out, struct error *err);

/*
 * Two recordings (folders with recording.json) or profiles (pprof files). Recordings of the same
 * benchmark are decided; anything else is shown without a verdict.
 */
int compare_run(const char *base, const char *head, struct result **out, struct error *err);

struct run_settings {
	const char *const *argv; /* NULL-terminated */
	const char *output;      /* folder for the recording; created */
	uint32_t rate_hz;        /* 0: the default */
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
