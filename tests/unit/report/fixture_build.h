/* SPDX-License-Identifier: Apache-2.0 */
/* What hand-built results are made of; for fixture*.c. */
#ifndef FG_TEST_REPORT_FIXTURE_BUILD_H
#define FG_TEST_REPORT_FIXTURE_BUILD_H

#include "gate/check/result.h"

#define FIXTURE_PAIRS 16

struct result *build_result(const char *kind);
/* At most eight; the result has the worst status. */
struct result_benchmark *build_benchmark(struct result *result, const char *name,
	enum result_status status, enum result_outcome outcome);
uint32_t build_function(
	struct result_benchmark *benchmark, const char *name, const char *file, int64_t line);
uint32_t build_node(struct result_benchmark *benchmark, uint32_t parent, uint32_t function,
	double base, double head);

/* The functions and call tree of a small log tool, equal in both versions. */
enum { MAIN, READ, PARSE, FIELD, HASH, INFLATE, MALLOC, PRINT, ADD, OLD, ADDED };

void build_log_tool(struct result_benchmark *benchmark);

/* Nodes' totals from their self costs. */
void build_totals(struct result_benchmark *benchmark);
/* Totals, function costs and changes from the nodes' self costs; SE is 0.3 % of the total. */
void build_costs(struct result_benchmark *benchmark);
/* As measured: of what every function costs with what it calls. After build_costs(). */
void build_total_intervals(struct result_benchmark *benchmark);
/* Pairs, sampling and an interval around head / base = ratio, which is the root's too. */
void build_pairs(struct result *result, struct result_benchmark *benchmark, double ratio);
/* Of the root, too. */
void build_total_state(struct result_benchmark *benchmark, enum result_state state);
void build_culprit(struct result *result, struct result_benchmark *benchmark, uint32_t function,
	enum result_blame blame, uint32_t caller);

/* One more claim of the benchmark's; at most eight. other, second: RESULT_NONE is none. */
struct result_claim *build_claim(struct result *result, struct result_benchmark *benchmark,
	enum result_claim_kind kind, uint32_t subject, uint32_t other, uint32_t second);
/* The first culprit's. */
struct result_claim *culprit_claim(struct result_benchmark *benchmark);

/* The first culprit's text: a few lines of src/parse.c, one of them changed; `hostile`, if not
 * NULL, is what all strings are. */
void build_source(struct result *result, struct result_benchmark *benchmark, const char *hostile);
/* As that, of table_add(), which calls it. */
void build_caller_source(struct result *result, struct result_benchmark *benchmark);

struct result_function *function_at(struct result_benchmark *benchmark, uint32_t index);
struct result_node *node_at(struct result_benchmark *benchmark, uint32_t index);
/* The first node of the function. */
uint32_t find_node(const struct result_benchmark *benchmark, uint32_t function);
/* Three stored baselines that decide, of every kind and state, all of whose strings are hostile. */
void fixture_add_hostile_reference(
	struct result *result, struct result_benchmark *benchmark, const char *hostile);
/* A tree of another type, all of whose strings are hostile. */
void fixture_add_hostile_profile(
	struct result *result, struct result_benchmark *benchmark, const char *hostile);
const char **one_string(struct result *result, const char *string);

#endif
