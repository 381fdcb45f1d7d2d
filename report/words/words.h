/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed words of a report, and the choices (what to list first) that all renderers share. */
#ifndef FG_REPORT_WORDS_H
#define FG_REPORT_WORDS_H

#include <stdbool.h>

#include "gate/base/strbuf.h"
#include "gate/check/result.h"

/* Of a detail's first line that a sentence shows. */
#define DETAIL_COLUMNS 160

#define WORD_UNDECIDED "INFO"
/* "PASS", "WARN", "FAIL", "ERROR"; WORD_UNDECIDED for what is neutral. */
const char *word_status(enum result_status status);
/* As word_status, but WORD_UNDECIDED also for what was only profiled: nothing was decided. */
const char *word_of_benchmark(const struct result_benchmark *benchmark);
const char *word_of_result(const struct result *result);
/* "more time", "less time", "offset", ...; "more" and "less" where the cost is none: why is not
 * known of every function. */
const char *word_state(enum result_state state, const char *unit);
/* "", "moved", "new", "gone", ...; nothing where no sample is all that is known. */
const char *word_match(enum result_match match);
/* "a definition that it uses", "the build file"; NULL of functions. */
const char *word_link(enum result_link link);
const char *word_outcome(enum result_outcome outcome); /* "measured", "identical", ... */

/* Whether the diff changes a culprit's function. */
enum in_diff { IN_DIFF_NO, IN_DIFF_YES, IN_DIFF_UNKNOWN };
/* Unknown too where nobody knows which file the function is in. */
enum in_diff culprit_in_diff(
	const struct result_benchmark *benchmark, const struct result_culprit *culprit);
/* "+48 ms a run", "+3.2 ns an iteration"; of what was not measured in pairs "+48 ms" alone: whose
 * run it is is not known. */
void difference_add(
	struct strbuf *out, const struct result_benchmark *benchmark, double base, double head);
/* What became of a function: word_state, but "new" or "gone" where that says more. */
const char *word_change(
	const struct result_benchmark *benchmark, const struct result_function *function);

/* A function's name; "(other)" for RESULT_NONE. Unescaped. */
const char *function_name(const struct result_benchmark *benchmark, uint32_t function);
/* "src/parse.c:120", "src/parse.c", or nothing. Unescaped. */
void place_add(struct strbuf *out, const char *file, int64_t line);

/* The first twelve digits of the id, or the name the user gave; "working tree (... with uncommitted
 * changes)". Unescaped. */
void commit_add(struct strbuf *out, const struct result_commit *commit);
/* The first twelve digits. Unescaped. */
void commit_id_add(struct strbuf *out, const char *id);

/* The costs are CPU time. */
bool unit_is_time(const char *unit);
/* What there is more or less of, where nothing better is known: " in objects"; nothing for a unit
 * that is not a plain word. */
void unit_noun_add(struct strbuf *out, const char *unit);

/* The verdict's statistics say which changes are significant. */
bool is_decided(const struct result_benchmark *benchmark);
/* There are base costs, but from a stored baseline: of another time and maybe another machine. */
bool base_is_reference(const struct result_benchmark *benchmark);
/* What rank_functions() lists. */
const char *changes_title(const struct result_benchmark *benchmark);
/* Both versions were measured, or base is a stored one. False for `flamegate run` and `record`. A
 * total may be negative (a delta of two heap profiles); only one of exactly 0 stands for none. */
bool has_base(const struct result_benchmark *benchmark);
/* "Warnings", or "Notes" of a benchmark that passes: there is nothing to do about them. */
const char *warnings_title(const struct result_benchmark *benchmark);
/* The change has a standard error and an interval. */
bool has_interval(const struct result_change *change);
/* Of its cost with what it calls; false where that is its own cost. */
bool has_total_interval(const struct result_function *function);
/* Of the total's size, with the cost's sign; NaN if there is no total. */
double share_of_head(const struct result_benchmark *benchmark, double cost);
/* The benchmark that a headline is about, among those whose call tree has at least so many nodes:
 * of the worst status, and there the one that grew most. benchmark_count if there is none. */
size_t worst_benchmark(const struct result *result, size_t nodes);
/* How many benchmarks have this status. */
size_t count_status(const struct result *result, enum result_status status);
/* Every benchmark is new. */
bool is_nothing_to_compare(const struct result *result);
/* `flamegate record`: nothing is compared. */
bool is_recording(const struct result *result);
/* Standard deviation / mean of the runs' times, without dropped ones; NaN for less than two. */
double spread_of_runs(const struct result_benchmark *benchmark);
/* Runs that count. */
size_t kept_runs(const struct result_benchmark *benchmark);
/* Both as text; nothing where they are unknown. */
void spread_add(struct strbuf *out, const struct result_benchmark *benchmark);
void runs_add(struct strbuf *out, const struct result_benchmark *benchmark);
/* Worth a colour: the statistics say more than "unchanged" of it. */
bool state_is_notable(enum result_state state);
/* Notable, and neither unconfirmed nor explained away:
 * worth the colour of an alarm or of a gain. */
bool state_is_colored(enum result_state state);

/*
 * The functions to list, at most max indices in order[]: notable ones first, then by the size of
 * the change (or of the cost, without a base), then by index. Functions that changed less than
 * `floor` (fraction of the total; without a base 0) and are not notable are left out. Returns how
 * many.
 */
size_t rank_functions(
	const struct result_benchmark *benchmark, double floor, uint32_t *order, size_t max);

#endif
