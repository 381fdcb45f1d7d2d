/* SPDX-License-Identifier: Apache-2.0 */
/* The report as a comment or a step summary in GitHub's Markdown. */
#ifndef FG_REPORT_MARKDOWN_H
#define FG_REPORT_MARKDOWN_H

#include "gate/base/strbuf.h"
#include "report/view/view.h"

/* The first line of every comment of ours, by which the comment to edit is found. */
#define MARKDOWN_MARKER "<!-- flamegate -->"
/* GitHub refuses comments over 65,536 characters. */
#define MARKDOWN_BUDGET_BYTES 60000
/* A step's summary on GitHub, and an annotation of Buildkite's: both drop what is over 1 MiB. */
#define MARKDOWN_LARGE_BYTES 1000000

/*
 * Appends at most max_bytes (0: MARKDOWN_BUDGET_BYTES; at least 4,000), the worst benchmarks first.
 * What does not fit is left out by whole sections, so that every fence and fold is closed, and
 * a note at the end says so. All hostile text stands in code spans or fences.
 */
void report_markdown(const struct report_view *view, size_t max_bytes, struct strbuf *out);

#endif
