/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pair in turns: one run of each version, both alive at the same time on the same CPUs, and only
 * one of them running: they take turns of a few milliseconds. What disturbs the machine for longer
 * than that meets both alike (tests/bench/RESULTS.md, "duet").
 *
 * A version stands still in the sample handlers of its threads (gate/sampler/control.h); a process
 * that goes on there, since it is not sampled, is stopped by SIGSTOP from then on. How well they
 * stood still is measured by their CPU clocks. When one version has ended the other runs on alone.
 */
#ifndef FG_BENCH_PAIR_H
#define FG_BENCH_PAIR_H

#include <stdint.h>

#include "gate/bench/run/run.h"

struct error;

#define PAIR_SLICE_NS UINT64_C(20000000)
#define PAIR_MIN_SLICES 5 /* of each version: a shorter run is not worth to be cut */

/* How a version is made to stand still: by both ways as needed, or (to measure them) by signals
 * alone. */
enum pair_way { PAIR_PARK, PAIR_STOP };

struct pair_options {
	uint64_t slice_ns;
	uint64_t seed; /* order of the slices */
	enum pair_way way;
	/* Called before a version goes on, and before its start; version 0 or 1. NULL: nothing. */
	int (*before_turn)(void *data, int version, struct error *err);
	void *data;
};

struct pair_version {
	uint32_t slices;      /* turns it had */
	uint32_t idle_slices; /* others' turns in which it was alive */
	uint32_t stopped;     /* processes that had to be stopped by signals */
	uint32_t leaks;       /* times that a process went on all the same */
	uint64_t idle_ns;     /* wall time that it stood still, or should have */
	uint64_t idle_cpu_ns; /* CPU time used in it */
};

struct pair_report {
	struct pair_version versions[2];
	int first;       /* the version that began */
	int failed;      /* the version that the error is about; -1: none of them */
	bool impossible; /* they cannot take turns; alone each may well run */
};

/*
 * Runs both. The same errors as run_execute(), and ERR_MEASURE with report->impossible where a
 * version does not stand still. A version that fails ends the other. Both runs are valid in every
 * case: release them. Their wall time is without what they stood still. A run's time limit counts
 * alike. No process may be started by others meanwhile.
 */
int pair_run(const struct run_options options[2], const struct pair_options *pair,
	struct run runs[2], struct pair_report *report, struct error *err);

#endif
