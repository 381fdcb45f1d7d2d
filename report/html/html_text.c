/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html/html_text.h"

#include "report/clean.h"
#include "report/markup.h"
#include "report/words/words.h"

#define NAME_COLUMNS 120
#define LINE_COLUMNS 400
#define LISTED 200

void html_text(struct strbuf *out, const char *text, size_t columns)
{
	struct strbuf line = STRBUF_INIT;

	clean_cut(&line, text, columns);
	markup_escape(out, line.data);
	strbuf_release(&line);
}

void html_code(struct strbuf *out, const char *text, size_t columns)
{
	strbuf_addstr(out, "<code>");
	html_text(out, text, columns);
	strbuf_addstr(out, "</code>");
}

void html_block(struct strbuf *out, const char *text, size_t max_bytes)
{
	struct strbuf block = STRBUF_INIT;

	clean_block(&block, text, max_bytes);
	strbuf_addstr(out, "<pre>");
	markup_escape(out, block.data);
	strbuf_addstr(out, "</pre>\n");
	strbuf_release(&block);
}

void html_sentence(struct strbuf *out, const struct sentence *sentence)
{
	for (size_t i = 0; i < sentence->count; i++) {
		const struct span *span = &sentence->spans[i];
		struct strbuf line = STRBUF_INIT;

		if (span->kind == SPAN_NAME) {
			html_code(out, span->text, NAME_COLUMNS);
		} else if (span->kind == SPAN_DETAIL) {
			clean_first_line(&line, span->text, DETAIL_COLUMNS);
			markup_escape(out, line.data);
		} else {
			markup_escape(out, span->text);
		}
		strbuf_release(&line);
	}
}

void html_list(struct strbuf *out, const char *start, const char *const *lines, size_t count,
	const char *end)
{
	if (!count)
		return;
	strbuf_addstr(out, start);
	strbuf_addstr(out, "<ul>\n");
	for (size_t i = 0; i < count && i < LISTED; i++) {
		strbuf_addstr(out, "<li>");
		html_text(out, lines[i], LINE_COLUMNS);
		strbuf_addstr(out, "</li>\n");
	}
	if (count > LISTED)
		strbuf_addf(out, "<li>and %zu more</li>\n", count - LISTED);
	strbuf_addstr(out, "</ul>\n");
	strbuf_addstr(out, end);
}
