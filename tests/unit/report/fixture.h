/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-built results, one for each outcome that a report has to put into words. */
#ifndef FG_TEST_REPORT_FIXTURE_H
#define FG_TEST_REPORT_FIXTURE_H

#include <stddef.h>

struct result;
struct result_node;

/* Each is to be released with fixture_free(). */
struct result *fixture_fail(void);   /* +5.1 %: parse_field got slower itself */
struct result *fixture_called(void); /* a function inside the total's noise, called more often */
struct result *fixture_new_function(void); /* a function that base does not have */
struct result *fixture_pass(void);
struct result *fixture_inconclusive(void); /* a pass whose bound is above policy.detect */
struct result *fixture_faster(void);
struct result *fixture_shift(void); /* WARN: cost moved, net about 0 */
struct result *fixture_identical(void);
struct result *fixture_new_benchmark(void);
struct result *fixture_base_failed(void);
struct result *fixture_error(void);
struct result *fixture_run(void);  /* flamegate run: one profile */
struct result *fixture_many(void); /* several benchmarks with different outcomes */
/* The base passes, the stored baseline warns;
 * also one that is clear and one that cannot be used. */
struct result *fixture_reference_screen(void);
struct result *fixture_reference_fail(
	void);                           /* FAIL: the base does not build, the baseline decides */
struct result *fixture_screened(void);   /* PASS: compared with the stored baseline alone */
struct result *fixture_exact_fail(void); /* FAIL: more instructions */
struct result *fixture_bytes(void);      /* two heap profiles, costs below zero */
struct result *fixture_record(void);     /* flamegate record */
struct result *fixture_worktree(void);   /* as fixture_fail, head has uncommitted changes */
struct result *fixture_kinds(void);      /* a pass with trees of three other profile types */
struct result *fixture_memory(void);     /* a pass with both versions' heaps over time */
struct result *fixture_counted(void); /* as fixture_kinds and _memory: allocations make it FAIL */
struct result *fixture_inlinings(
	void);                        /* as fixture_fail, with functions that were cut otherwise */
struct result *fixture_hanging(void); /* as fixture_fail; five functions grew with the culprit */
struct result *fixture_production(void); /* as fixture_fail, with a production profile */
/* A failure in which every string that others choose is `hostile`. */
struct result *fixture_hostile(const char *hostile);
/* A failure whose tree has `nodes` nodes, in chains of `depth`. */
struct result *fixture_large(size_t nodes, size_t depth);
/* The first `nodes` nodes of its first benchmark, as if nothing were decided by them. */
struct result_node *fixture_undecided(struct result *result, size_t nodes);
void fixture_free(struct result *result);

struct fixture_case {
	const char *name;
	struct result *(*make)(void);
};
extern const struct fixture_case fixture_cases[]; /* ends with a NULL name */
extern const char *const fixture_hostile_names[]; /* NULL-terminated */

#endif
