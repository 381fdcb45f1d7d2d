/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: turns a comparison and its verdict into
 * the result that reports show. */
#ifndef FG_CHECK_FILL_H
#define FG_CHECK_FILL_H

#include "gate/check/analysis/analysis.h"

struct result;
struct result_benchmark;

/*
 * The verdict's reasons that a person should look at (enum verdict_reason). What moved within a
 * benchmark that takes less time in all is none: it is listed, and the improvement is the news.
 */
uint32_t warning_reasons(const struct verdict_result *verdict);
/* The total grew by more than noise, and by no more than the code's place in memory explains: there
 * is nothing to say of it, as of one that shrank by so little. */
bool total_is_layout(const struct verdict_result *verdict);

/* Everything of a measured benchmark but name, command, status, outcome and detail. */
void fill_benchmark(
	const struct analysis *analysis, struct result *result, struct result_benchmark *out);

/* Trees, functions and totals of OUTCOME_PROFILE: no statistics. */
void fill_profiles(
	const struct analysis *analysis, struct result *result, struct result_benchmark *out);

/* fill_labels.c: the tree's costs by label. After the nodes. */
void fill_labels(
	const struct analysis *analysis, struct result *result, struct result_benchmark *out);

/*
 * fill_memory.c: the heap over time, of what counted it; of a base that was not, head's alone.
 */
void fill_memory(const struct measured_benchmark *measured, struct result *result,
	struct result_benchmark *out);

/* fill_findings.c: culprits, shifts and improvements. */
void fill_findings(
	const struct analysis *analysis, struct result *result, struct result_benchmark *out);

#endif
