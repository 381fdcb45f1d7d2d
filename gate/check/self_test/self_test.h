/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does the gate work here? A benchmark of the user's own is measured three times, each time head
 * against head: as it is, which must pass; slowed down all over for a few pairs, which must cost
 * what was planted, or the benchmark runs for a fixed time instead of doing fixed work; and slowed
 * down by a little in one function, which must fail and name that function. All by check's own way.
 */
#ifndef FG_CHECK_SELF_TEST_H
#define FG_CHECK_SELF_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/check/check.h"
#include "gate/check/status.h"

struct error;

struct self_test_options {
	const char *directory; /* inside the repository; NULL: here */
	const char *benchmark; /* its name */
	double slowdown;       /* to be planted, fraction of the benchmark's CPU time: 0.02 */
	const char *output;    /* folder; the recordings stay in <output>/<part>/recordings */
	const char *mechanism; /* as in check_options */
	uint64_t seed;         /* what is picked, order of the runs; 0: from the clock */
	check_progress *progress;
	void *progress_data;
};

enum self_test_outcome {
	SELF_TEST_RIGHT,         /* all of it as it must be */
	SELF_TEST_UNMEASURED,    /* a gate could not decide: see detail */
	SELF_TEST_FALSE_ALARM,   /* no change was called a regression */
	SELF_TEST_NO_PLACE,      /* no function in which that much can be planted */
	SELF_TEST_UNDETECTABLE,  /* too small for this machine, benchmark and number of pairs */
	SELF_TEST_FIXED_TIME,    /* more cost does not show: work is not fixed */
	SELF_TEST_MISSED,        /* planted and not found */
	SELF_TEST_WRONG_CULPRIT, /* found, but somebody else was blamed */
};

/* One gate. Fractions of the benchmark's CPU time. */
struct self_test_gate {
	bool was_run;
	enum result_status status;
	size_t stage1_pairs, stage2_pairs;
	double change, low, high; /* of the total, 95 % */
	double detectable_total;  /* 80 % power */
};

struct self_test {
	struct arena arena; /* owns the strings; names are hostile */
	const char *benchmark;
	double slowdown;
	uint64_t seed;
	enum self_test_outcome outcome;
	const char *detail; /* what went wrong and what to do; "" when all is right */
	struct self_test_gate null;
	/* the few pairs that are slowed down all over */
	bool has_work;
	double work_planted;  /* CPU seconds burnt in a run */
	double work_before;   /* CPU seconds of a run without, and with that */
	double work_after;    /* " */
	double work_follows;  /* part of what was planted that shows, 1: all of it */
	bool work_is_counted; /* costs are for one iteration */
	/* the function */
	const char *picked, *picked_file; /* NULL: none */
	size_t picked_rank, picked_of;    /* by self cost, of so many functions */
	double picked_share, picked_detectable;
	double picked_part; /* slower by this part of its own cost */
	/* the gate that must fail */
	struct self_test_gate planted;
	double burnt;       /* what was really planted, as the sampler counted it */
	const char *blamed; /* the first culprit; "" none */
	double blamed_change, blamed_low, blamed_high;
	double wall_seconds;
};

/*
 * Runs all of it and says what came out; an error is only what a check would have returned as one
 * (no repository, a wrong configuration, interrupted). Release with self_test_release() also after
 * an error.
 */
int self_test_run(
	const struct self_test_options *options, struct self_test *out, struct error *err);
void self_test_release(struct self_test *test);

#endif
