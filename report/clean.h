/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile text made fit for one line of plain text: no control, bidi or line-break character, valid
 * UTF-8, no workflow command. What a format needs on top of that (HTML, Markdown) its renderer
 * adds.
 */
#ifndef FG_REPORT_CLEAN_H
#define FG_REPORT_CLEAN_H

#include <stddef.h>

#include "gate/base/strbuf.h"

/* Appends the whole text as one line. */
void clean_line(struct strbuf *out, const char *text);
/* As clean_line, at most `columns` (>= 3) characters, cut in the middle: "start…end". */
void clean_cut(struct strbuf *out, const char *text, size_t columns);
/* Appends text with its line breaks, ending in one; cut after max_bytes. */
void clean_block(struct strbuf *out, const char *text, size_t max_bytes);
/* Unicode characters in UTF-8 text; what a terminal shows for most scripts. */
size_t clean_columns(const char *text, size_t length);
/*
 * Rewrites what stands in text from `from` on: of each character that is not ASCII one that is, so
 * that columns stay where they are. text is valid UTF-8.
 */
void clean_to_ascii(struct strbuf *text, size_t from);
/* Only the first line of text (a long detail in a sentence), cut to `columns` at its end. */
void clean_first_line(struct strbuf *out, const char *text, size_t columns);

#endif
