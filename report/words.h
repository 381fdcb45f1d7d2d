/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed words of a report, and the choices (what to list first) that all renderers share. */
#ifndef FG_REPORT_WORDS_H
#define FG_REPORT_WORDS_H

#include <stdbool.h>

#include "gate/base/strbuf.h"
#include "gate/check/result.h"

/* Of a detail's first line that a sentence shows. */
#define DETAIL_COLUMNS 160

const char *word_status(enum result_status status); /* "PASS", "WARN", "FAIL", "ERROR" */
/* As word_status, but "INFO" for what was only profiled: nothing was decided. */
const char *word_of_benchmark(const struct result_benchmark *benchmark);
const char *word_of_result(const struct result *result);
const char *word_state(enum result_state state);       /* "slower", "faster", "cost moved", ... */
const char *word_match(enum result_match match);       /* "", "moved", "new", "gone" */
const char *word_outcome(enum result_outcome outcome); /* "measured", "identical", ... */

/* A function's name; "(other)" for RESULT_NONE. Unescaped. */
const char *function_name(const struct result_benchmark *benchmark, uint32_t function);
/* "src/parse.c:120", "src/parse.c", or nothing. Unescaped. */
void place_add(struct strbuf *out, const char *file, int64_t line);

/* The first twelve digits of the id, or the name the user gave. Unescaped. */
void commit_add(struct strbuf *out, const struct result_commit *commit);

/* Both arms were measured. False for `flamegate run`. */
bool has_base(const struct result_benchmark *benchmark);
/* The change has a standard error and an interval. */
bool has_interval(const struct result_change *change);
/* Worth a colour: the statistics say more than "unchanged" of it. */
bool state_is_notable(enum result_state state);

/*
 * The functions to list, at most max indices in order[]: notable ones first, then by the size of
 * the change (or of the cost, without a base), then by index. Functions that changed less than
 * `floor` (fraction of the total) and are not notable are left out. Returns how many.
 */
size_t rank_functions(
	const struct result_benchmark *benchmark, double floor, uint32_t *order, size_t max);

/* The benchmark's sentence shows its whole detail already: a renderer need not repeat it. */
bool detail_is_said(const struct result_benchmark *benchmark);

/* Everything about how the benchmark was measured, as sentences without hostile text but the
 * mechanism's; one per line, no line break at the end. Empty if nothing was measured. */
void method_add(struct strbuf *out, const struct result_benchmark *benchmark);

#endif
