/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile text in HTML: the only ways by which it gets into the page. */
#ifndef FG_REPORT_HTML_TEXT_H
#define FG_REPORT_HTML_TEXT_H

#include <stddef.h>

#include "gate/base/strbuf.h"
#include "report/findings/sentence.h"

/* One clean line, cut in the middle to `columns`, for text content and quoted attributes. */
void html_text(struct strbuf *out, const char *text, size_t columns);
/* The same in <code>. */
void html_code(struct strbuf *out, const char *text, size_t columns);
/* Several lines, at most max_bytes, in <pre>. */
void html_block(struct strbuf *out, const char *text, size_t max_bytes);
void html_sentence(struct strbuf *out, const struct sentence *sentence);
/* `start`, a list item for each string, `end`; nothing for an empty list. */
void html_list(struct strbuf *out, const char *start, const char *const *lines, size_t count,
	const char *end);

#endif
