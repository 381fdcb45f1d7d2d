/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a check judges of a benchmark: the one table of quantities, of their tests and of what they
 * do to the status. `policy.gate` overrides the last.
 */
#ifndef FG_BENCH_QUANTITY_H
#define FG_BENCH_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/profile/profile_kind.h"

enum quantity {
	QUANTITY_CPU,
	QUANTITY_INSTRUCTIONS,
	QUANTITY_ALLOC_OBJECTS,
	QUANTITY_ALLOC_BYTES,
	QUANTITY_PEAK_BYTES,
	QUANTITY_INUSE_BYTES,
	QUANTITY_LEAK,
	QUANTITY_WALL,
	QUANTITY_OFF_CPU,
	QUANTITY_LOCK_DELAY,
	QUANTITY_CONTENTIONS,
	QUANTITY_THREADS,
	QUANTITY_MAX_RSS,
	QUANTITY_COUNT
};

/* How two versions are held against each other. */
enum quantity_test {
	QUANTITY_TEST_DUET,   /* every function, in pairs (gate/verdict/verdict.h) */
	QUANTITY_TEST_EXACT,  /* exact where an arm's runs agree, else paired */
	QUANTITY_TEST_PAIRED, /* t of the pairs' differences */
	QUANTITY_TEST_COUNT,  /* exact where an arm's runs agree, else ranks */
	QUANTITY_TEST_RANKS,  /* signed ranks of the pairs' log-ratios */
};

/* What an increase does. */
enum quantity_gate {
	QUANTITY_BY_DEFAULT, /* as the table says */
	QUANTITY_FAILS,
	QUANTITY_WARNS,
	QUANTITY_SHOWN,
	QUANTITY_GATES
};
extern const char *const quantity_gate_words[]; /* of the enum; NULL-terminated */

struct quantity_info {
	const char *name;    /* "max_rss": in policy.gate and report.json */
	const char *meaning; /* for people: "largest resident set" */
	const char *unit;    /* "seconds", "bytes", "count" */
	const char *kind;    /* the profile kind (profile_kind.h) whose runs tell it */
	const char *type;    /* its value type; NULL: a number of each run, not of a profile */
	enum quantity_test test;
	enum quantity_gate gate; /* by default */
	bool per_work;           /* grows with the work; else a level */
	double threshold;        /* increase that matters, a fraction of the base's */
	double least;            /* and at least so much, in units (per unit of work) */
};
extern const struct quantity_info quantities[QUANTITY_COUNT];

/* The quantity that this value type holds; QUANTITY_COUNT: none. */
enum quantity quantity_of_type(const char *type);
/* By its name; QUANTITY_COUNT: there is none. */
enum quantity quantity_find(const char *name);

#endif
