/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast this machine is right now, in five dimensions: it travels with a stored baseline, so
 * that a reader can tell a slower machine from a slower program (and so that we can say when it
 * cannot be told).
 */
#ifndef FG_BENCH_CALIBRATION_H
#define FG_BENCH_CALIBRATION_H

#include <stdint.h>

struct error;

enum calibration_kind {
	CALIBRATION_ALU,    /* dependent integer operations */
	CALIBRATION_STREAM, /* reading and writing more memory than the caches hold */
	CALIBRATION_CHASE,  /* dependent loads all over such memory */
	CALIBRATION_BRANCH, /* unpredictable branches */
	CALIBRATION_HASH,   /* a mix: hashing short keys into a table */
	CALIBRATION_COUNT,
};
extern const char *const calibration_names[CALIBRATION_COUNT];

struct calibration {
	double ns[CALIBRATION_COUNT];     /* CPU nanoseconds per operation, median of rounds; 0: not
					     measured */
	double spread[CALIBRATION_COUNT]; /* interquartile range / median of the rounds */
};

#define CALIBRATION_BUDGET_NS 1500000000ULL

/* Rounds of all kinds in turn until budget_ns of CPU time is used (at least three rounds). */
int calibration_measure(uint64_t budget_ns, struct calibration *out, struct error *err);

/*
 * How much slower b's machine was than a's: the median over the kinds of b / a, and the least and
 * the most of them. 0 where either was not measured.
 */
struct calibration_ratio {
	double median, least, most;
};
struct calibration_ratio calibration_compare(
	const struct calibration *a, const struct calibration *b);

#endif
