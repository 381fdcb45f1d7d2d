/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a check judges of a benchmark: the one table of metrics, of their tests and of what they
 * do to the status. `policy.gate` overrides the last.
 */
#ifndef FG_BENCH_METRIC_H
#define FG_BENCH_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/profile/profile_kind.h"

enum metric {
	METRIC_CPU,
	METRIC_INSTRUCTIONS,
	METRIC_ALLOC_OBJECTS,
	METRIC_ALLOC_BYTES,
	METRIC_PEAK_BYTES,
	METRIC_INUSE_BYTES,
	METRIC_LEAK,
	METRIC_WALL,
	METRIC_OFF_CPU,
	METRIC_LOCK_DELAY,
	METRIC_CONTENTIONS,
	METRIC_THREADS,
	METRIC_MAX_RSS,
	METRIC_COUNT
};

/* How two versions are compared with each other. */
enum metric_test {
	METRIC_TEST_FUNCTIONS,    /* every function, in pairs (gate/verdict/verdict.h) */
	METRIC_TEST_EXACT,        /* exact where a version's runs agree, else paired */
	METRIC_TEST_PAIRED_T,     /* t of the pairs' differences */
	METRIC_TEST_COUNT,        /* exact where a version's runs agree, else ranks */
	METRIC_TEST_SIGNED_RANKS, /* signed ranks of the pairs' log-ratios */
};

/* What an increase does. */
enum metric_gate {
	METRIC_BY_DEFAULT, /* as the table says */
	METRIC_FAILS,
	METRIC_WARNS,
	METRIC_SHOWN,
	METRIC_GATES
};
extern const char *const metric_gate_words[]; /* of the enum; NULL-terminated */

struct metric_info {
	const char *name;    /* "max_rss": in policy.gate and report.json */
	const char *meaning; /* for people: "largest resident set" */
	const char *unit;    /* "seconds", "bytes", "count" */
	const char *kind;    /* the profile kind (profile_kind.h) whose runs tell it */
	const char *type;    /* its value type; NULL: a number of each run, not of a profile */
	enum metric_test test;
	enum metric_gate gate; /* by default */
	bool per_work;         /* grows with the work; else a level */
	double threshold;      /* increase that matters, a fraction of the base's */
	double least;          /* and at least so much, in units (per unit of work) */
};
extern const struct metric_info metrics[METRIC_COUNT];

/* The metric that this value type holds; METRIC_COUNT: none. */
enum metric metric_of_type(const char *type);
/* By its name; METRIC_COUNT: there is none. */
enum metric metric_find(const char *name);

#endif
