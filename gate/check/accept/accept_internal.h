/* SPDX-License-Identifier: Apache-2.0 */
/* Private to accept*.c: which acceptance is meant, and what is said where one is used. */
#ifndef FG_CHECK_ACCEPT_INTERNAL_H
#define FG_CHECK_ACCEPT_INTERNAL_H

#include "gate/check/accept/accept.h"

struct result;
struct result_benchmark;
struct result_function;
struct result_reference;

/* What may be accepted: a function, a metric, or with neither a benchmark as a whole. */
struct accept_subject {
	const char *function, *module, *file; /* function "": none */
	const char *metric;                   /* "": none */
};
extern const struct accept_subject accept_any;
struct accept_subject accept_subject_of(const struct result_function *function);

/* ---- accept_find.c -------------------------------------------------------------------------- */

/* Sorts the acceptances that count. */
void accept_sort(struct accept *accept, struct arena *arena);
bool accept_has_expired(
	const struct measurements *measurements, const struct measurements_acceptance *one);
/* "" none. */
const char *accept_metric_of(const struct measurements_acceptance *one);
/* By "name" or "name@file". */
bool accept_names(const struct measurements_acceptance *one, const struct accept_subject *subject);

/* The first that counts, or NULL. */
const struct measurements_acceptance *accept_find(
	const struct accept *accept, const char *benchmark, const struct accept_subject *subject);
const struct measurements_acceptance *accept_find_metric(
	const struct accept *accept, const char *benchmark, const char *metric);

/*
 * What names several functions says too little: how many of a benchmark's each acceptance names,
 * [measurements->acceptance_count]. Each function is looked up once: a hostile program has very
 * many.
 */
uint32_t *accept_count_functions(
	const struct accept *accept, const struct result_benchmark *benchmark, struct arena *arena);
void accept_count(const struct accept *accept, const char *benchmark,
	const struct accept_subject *function, uint32_t *named);
/* The first that counts and names one function alone, or NULL. */
const struct measurements_acceptance *accept_find_clear(const struct accept *accept,
	const char *benchmark, const struct accept_subject *function, const uint32_t *named);

/* ---- accept_reference.c --------------------------------------------------------------------- */

/* One of what failed. */
bool accept_names_finding(
	const struct measurements_acceptance *one, const struct result_reference *reference);

/* ---- accept.c ------------------------------------------------------------------------------- */

void accept_mark_needed(struct accept *accept, const struct measurements_acceptance *one);
/* It passes, in sight: never silently. */
void accept_let_pass(struct accept *accept, struct result *result, struct result_benchmark *out,
	const struct measurements_acceptance *one);
void accept_warn(struct result *result, struct result_benchmark *out, const char *line);
/* name: of what is not accepted beside what is. */
void accept_tell_missing(struct result *result, struct result_benchmark *out, const char *name);
/* Whether what is accepted holds enough of an increase. */
bool accept_explains(double accepted, double increase);

#endif
