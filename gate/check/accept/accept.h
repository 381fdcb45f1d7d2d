/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: accepted regressions. What was accepted passes with its reason in
 * sight; one function's acceptance covers no other culprit of the benchmark, one metric's no
 * other. A function is accepted by its name, or by name@file (the module where the file is
 * unknown); by a name that fits several it is not.
 */
#ifndef FG_CHECK_ACCEPT_H
#define FG_CHECK_ACCEPT_H

#include "gate/check/measurements/measurements.h"

struct result;
struct result_benchmark;

/* Measurements' acceptances, and which of them some regression needed. */
struct accept {
	const struct measurements *measurements;
	bool *needed; /* [measurements->acceptance_count] */
	const struct measurements_acceptance *
		*counting; /* no problem, not expired; by their words */
	size_t counting_count;
};

void accept_init(
	struct accept *accept, const struct measurements *measurements, struct arena *arena);

/*
 * After the pairs were decided and before anything else is: a failure whose culprits are all
 * accepted one by one becomes a warning.
 */
void accept_measured(struct accept *accept, struct result *result, struct result_benchmark *out);
/* After stored baselines were decided, which failed what had not failed: the same of their
 * findings. */
void accept_references(struct accept *accept, struct result *result, struct result_benchmark *out);
/*
 * After decide_metrics(); before: the status without it. A failure whose metrics are all
 * accepted one by one becomes a warning.
 */
void accept_metrics(struct accept *accept, enum result_status before, struct result *result,
	struct result_benchmark *out);
/* In the end: the benchmark as a whole is accepted,
 * or a line says why what there is does not do. */
void accept_whole(struct accept *accept, struct result *result, struct result_benchmark *out);

/* After all benchmarks: which acceptances do not count, have expired, or were not needed. */
void accept_report(const struct accept *accept, struct result *result);

#endif
