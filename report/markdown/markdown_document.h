/* SPDX-License-Identifier: Apache-2.0 */
/* Private to markdown*.c: a document that keeps to a budget. */
#ifndef FG_REPORT_MARKDOWN_DOCUMENT_H
#define FG_REPORT_MARKDOWN_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/strbuf.h"
#include "report/view/view.h"

#define MARKDOWN_LISTED 10 /* of culprits, functions, ... */
#define MARKDOWN_NAME_COLUMNS 60

/*
 * The document grows by sections, each complete in itself (its fences and folds are closed), so
 * that leaving out what does not fit never leaves one open.
 */
struct document {
	struct strbuf *out;
	const struct report_view *view;
	size_t start, budget, left_out;
};

/* Takes over the section's text. False: there was no room for it. */
bool markdown_section(struct document *document, struct strbuf *section);
/* A title and a fenced line for each string; nothing for an empty list. */
void markdown_warnings(
	struct document *document, const char *title, const char *const *lines, size_t count);
/* The costliest changed lines of its worst culprit, where their text is known. */
void markdown_source(struct document *document, const struct result_benchmark *benchmark);
/* Indices of the benchmarks with the given status, the largest increase first; how many. */
size_t markdown_order(const struct result *result, enum result_status status, size_t *order);
/* markdown_groups.c: all of many benchmarks. */
void markdown_groups(struct document *document, const struct result *result);
/* One benchmark; `with_sentence`: the document's headline is not its sentence already. */
void markdown_benchmark(
	struct document *document, const struct result_benchmark *benchmark, bool with_sentence);

#endif
