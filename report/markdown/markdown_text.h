/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile text in Markdown. Mentions, links, HTML and formatting are inert only in code spans and
 * fenced blocks, so that is where all of it goes.
 */
#ifndef FG_REPORT_MARKDOWN_TEXT_H
#define FG_REPORT_MARKDOWN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/strbuf.h"
#include "report/findings/sentence.h"

/* A code span of one clean line of at most `columns` characters; in a table '|' becomes "\|". */
void markdown_code(struct strbuf *out, const char *text, size_t columns, bool in_table);
/*
 * A code span, as markdown_code() has it, that links to `url` unless that is empty. It is a link's
 * address by report/ci/page_link.h.
 */
void markdown_linked_code(struct strbuf *out, const char *text, size_t columns, bool in_table,
	const struct strbuf *url);
/* A fenced block of clean lines, ending in a line break. text must end in one. */
void markdown_fence(struct strbuf *out, const char *language, const struct strbuf *text);
/* The sentence with its hostile spans as code spans. */
void markdown_sentence(struct strbuf *out, const struct sentence *sentence);
/* The same in a table. */
void markdown_cell(struct strbuf *out, const struct sentence *sentence);

#endif
