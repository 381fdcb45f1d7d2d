/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict in one sentence, as spans: fixed text of ours and hostile text of others, so that
 * each renderer escapes the latter in its own way. No span ends the sentence with a full stop.
 *
 * Wording: a comparison says how much more or less ("takes 8.4 % more CPU time"); a pass says what
 * it could exclude, never "no change".
 */
#ifndef FG_REPORT_SENTENCE_H
#define FG_REPORT_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/arena.h"

struct result;
struct result_benchmark;
struct result_claim;
struct result_culprit;

enum span_kind {
	SPAN_TEXT,   /* ours, no escaping needed but the format's own */
	SPAN_NAME,   /* hostile: a benchmark's or function's name, or a file:line */
	SPAN_DETAIL, /* hostile prose, may have lines: show the first, shortened */
};

struct span {
	enum span_kind kind;
	const char *text;
};

#define SENTENCE_MAX_SPANS 32

struct sentence {
	struct arena arena;
	struct span spans[SENTENCE_MAX_SPANS];
	size_t count;
};

void sentence_init(struct sentence *sentence);
void sentence_release(struct sentence *sentence);

/* The verdict on one benchmark, which it names. The spans may point into the benchmark. */
void sentence_of_benchmark(struct sentence *sentence, const struct result_benchmark *benchmark);
/* The verdict on everything: the worst benchmark's sentence and how many more there are. */
void sentence_of_result(struct sentence *sentence, const struct result *result);
/* "`f` itself is slower, at `src/f.c:3`: +48 ms a run (+6.7 % of the benchmark, 95 % interval +6.1
 * to +7.3 %)". */
void sentence_of_culprit(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit);
/* "12.0 ms a run (3.2 % of the benchmark) moved from `g` to `f`". */
void sentence_of_moved(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_claim *claim);

/* The benchmark's sentence shows its whole detail already: a renderer need not repeat it. */
bool detail_is_said(const struct result_benchmark *benchmark);

#endif
