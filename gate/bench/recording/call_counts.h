/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a benchmark's culprits are called: measured in both versions after a regression, so
 * that "called more often" and "each call costs more" can be told apart. Times alone cannot do
 * that.
 *
 * Only calls that are made are counted. A call that the compiler inlined is none, so the counts of
 * a function that is inlined everywhere do not exist, and an item says nothing about the code that
 * was inlined elsewhere: two versions' counts compare only where neither inlines the callee. An
 * item that is not there is unknown, not 0.
 */
#ifndef FG_BENCH_CALL_COUNTS_H
#define FG_BENCH_CALL_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#define CALL_COUNTS_MAX 1000                      /* items */
#define CALL_COUNTS_MAX_BYTES ((size_t)256 << 10) /* of all their names together */
#define CALL_COUNTS_CALLGRIND "callgrind"
#define CALL_COUNTS_PERF "perf breakpoints"

/*
 * Names and files as the comparison of both versions' CPU profiles has them for this version; of a
 * function that neither profile has, as the symbolizer names it. Borrowed strings.
 */
struct call_count {
	const char *caller, *caller_file; /* "", "": all callers */
	const char *callee, *callee_file;
	/*
	 * A run; of counted work, an iteration. 0: both run as functions of their own in this
	 * version, and the caller makes no call of the callee.
	 */
	double calls;
	/* In the callee and all that it calls, of all these calls together; 0: not counted. */
	double instructions;
	double own_instructions; /* of all callers together: in the callee alone; else 0 */
};

struct call_counts {
	const char *engine;  /* "callgrind", "perf breakpoints"; "" or NULL: there are none */
	bool exact;          /* all runs agree, and none was stopped early */
	unsigned runs;       /* that were counted */
	const char *why_not; /* one clause: why there are none; "" or NULL: they were not wanted */
	struct call_count *items; /* ascending by callee, its file, caller, its file; each once */
	size_t count;
};

/* The order of items. */
int call_count_compare(const struct call_count *left, const struct call_count *right);
/* NULL: unknown. caller "" and caller_file "": all callers together. */
const struct call_count *call_counts_find(const struct call_counts *counts, const char *caller,
	const char *caller_file, const char *callee, const char *callee_file);

#endif
