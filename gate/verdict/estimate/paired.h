/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One number per run, runs in pairs: did it grow? For what is not the CPU time of functions: a
 * largest resident set, elapsed time, counts that differ from run to run. Pure functions of
 * numbers. Version 0 is base, version 1 is head.
 *
 * A pair's difference is log(head / base) where all numbers are positive. Where there are zeros it
 * is (head - base) over the pair's mean, and 0 where both are 0. For numbers that may be negative
 * (slopes), and where base has nothing at all, it is head - base, and the margin is `least` alone.
 */
#ifndef FG_VERDICT_PAIRED_H
#define FG_VERDICT_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/arena.h"

#define PAIRED_MIN 8       /* pairs, to decide at all */
#define PAIRED_MAX 1024    /* the ranks' distribution is cubic in them */
#define PAIRED_ALPHA 5e-4  /* of all metrics of a gate that fail it, together */
#define PAIRED_TOGETHER 4  /* that many fail it by default (gate/bench/config/metric.c) */
#define PAIRED_EXACT_MIN 3 /* runs, to say that they agree */

enum paired_test {
	PAIRED_T,     /* Student's t of the differences against the margin */
	PAIRED_RANKS, /* Wilcoxon's signed ranks; interval of the trimmed mean (Yuen) */
};

struct paired_input {
	enum paired_test test;
	bool exact_first; /* where each version's numbers are all the same: compare those */
	bool differences; /* numbers may be negative: absolute differences */
	double threshold; /* increase that matters, a fraction */
	double least;     /* and at least so much, in units */
	double alpha;
	size_t count; /* pairs */
	const double *value[2];
};

enum paired_status {
	PAIRED_SAME,   /* not grown, as far as these pairs tell */
	PAIRED_GREW,   /* by more than the margin */
	PAIRED_SHRANK, /* by more than the margin */
	PAIRED_CANNOT, /* see reason */
};

struct paired_result {
	enum paired_status status;
	const char *reason; /* static; "" */
	bool exact;         /* each version's numbers were all the same */
	double base, head;  /* means; with an interval, of the pairs that it is of, and geometric
			       where it is of ratios: they differ by `change` */
	double change;      /* relative; INFINITY from 0; of differences: in units */
	double low, high;   /* 95 % interval of change; NAN where there is none */
	double p;           /* one-sided, against the margin; NAN where exact */
	double margin;      /* that applied, as change */
};

void paired_decide(
	const struct paired_input *input, struct arena *arena, struct paired_result *result);

#endif
