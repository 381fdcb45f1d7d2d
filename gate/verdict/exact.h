/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deterministic metrics (instructions, allocation counts and bytes): where every run of a version
 * gives the same number, a difference is a difference and needs no statistics.
 * Version 0 is base, version 1 is head. Pure functions of numbers.
 *
 * The total decides: an increase that others make up for is a shift. With fixed work the totals of
 * a version's runs must be the same number. Where the work is counted, total / work must be:
 * compared by cross multiplication, and the same up to a relative 1e-12, which is what two products
 * of doubles may be off.
 */
#ifndef FG_VERDICT_EXACT_H
#define FG_VERDICT_EXACT_H

#include "gate/verdict/verdict.h"

struct exact_policy {
	double threshold;      /* fraction of the total that matters: 0.005 */
	double least_per_unit; /* and at least so many per unit of work: 1 for allocation counts,
				  else 0 */
	const double *history; /* |change| of earlier commits, fractions; raises the threshold to Q3
				  + 3 IQR. What is no such fraction (0..1) is left out */
	size_t history_count;  /* below 8 that are left it is not used */
};

struct exact_input {
	struct exact_policy policy;
	size_t pairs[2];        /* runs: 3 or more in each version */
	size_t row;             /* cells per function */
	const double *total[2]; /* [pair] */
	const double *work[2];  /* NULL fixed */
	size_t function_count;
	const double *self[2];         /* [function * row + pair] */
	const uint32_t *function_file; /* or NULL */
	const uint8_t *function_flags; /* enum verdict_function_flag; or NULL */
};

enum exact_status {
	EXACT_PASS,
	EXACT_REGRESSION,
	EXACT_NOT_EXACT, /* the runs of a version differ: the paired test must decide */
	EXACT_CANNOT,    /* too few runs, numbers that are none */
};

struct exact_effect {
	uint32_t function;
	double base, head; /* per unit of work, mean of the runs */
	double change;     /* fraction of base's total; of head's, where base has nothing */
	bool shifted;      /* others went down as it went up */
};

struct exact_result {
	enum exact_status status;
	const char *reason;         /* static; "" where it speaks for itself */
	double base, head;          /* totals per unit of work */
	double change;              /* relative; INFINITY from nothing */
	bool all_above;             /* EXACT_NOT_EXACT, but every run of head is above every run of
				       base by the threshold and by more than either's runs differ */
	double threshold;           /* that applied, relative */
	double usual;               /* what of it the history asks for; 0: it is too short */
	struct exact_effect *grown; /* functions that grew, those that explain the increase first:
				       no shifts, then the largest; arena */
	size_t grown_count;
};

void exact_decide(
	const struct exact_input *input, struct arena *arena, struct exact_result *result);

/*
 * After EXACT_NOT_EXACT, where a test of pairs has found an increase: fills status
 * (EXACT_REGRESSION), means, and the functions that grew by a tenth of it or more. change: as the
 * pairs have it, above 0; the means of runs that differ may say otherwise.
 */
void exact_explain(const struct exact_input *input, double change, struct arena *arena,
	struct exact_result *result);
/* As well after EXACT_NOT_EXACT, where it has found none: EXACT_PASS, and the means. */
void exact_clear(const struct exact_input *input, double change, struct arena *arena,
	struct exact_result *result);

#endif
