/* SPDX-License-Identifier: Apache-2.0 */
/* Source lines as reports show them; shared by HTML and Markdown. */
#ifndef FG_REPORT_SOURCE_TEXT_H
#define FG_REPORT_SOURCE_TEXT_H

#include <stddef.h>

#include "gate/base/strbuf.h"

struct result_line;
struct result_source;

/* One clean line (clean.h), its tabs expanded to four columns, cut in the middle to `columns`. */
void source_text_add(struct strbuf *out, const char *text, size_t columns);
/* '+', '-' or ' '. */
char source_mark(const struct result_line *line);
/* What the line costs the side that has more of it. */
double source_cost(const struct result_line *line);
/*
 * The changed lines that cost anything, at most max places in order[]: the costliest ones, in the
 * order of the files. Returns how many.
 */
size_t source_costliest_changes(const struct result_source *source, size_t *order, size_t max);
/* "src/a.c", or "src/old.c → src/a.c" where the function was in another file. Unescaped. */
void source_file_add(struct strbuf *out, const struct result_source *source);

#endif
