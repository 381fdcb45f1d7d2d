/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markdown/markdown_text.h"

#include <string.h>

#include "report/clean.h"
#include "report/words/words.h"

#define NAME_COLUMNS 80

static size_t longest_run(const char *text, char c)
{
	size_t longest = 0, run = 0;

	for (; *text; text++) {
		run = *text == c ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

static void add_run(struct strbuf *out, char c, size_t count)
{
	while (count--)
		strbuf_addch(out, c);
}

/*
 * GitHub's table parser takes a backslash in front of any punctuation for an escape before it looks
 * at code spans, so "\|" in a name would come out as an escaped backslash and a cell's end: a
 * zero-width space keeps the name's own backslash apart.
 */
static void add_for_table(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *text);
		if (*text == '\\' && text[1] == '|')
			strbuf_addstr(out, "\xe2\x80\x8b");
	}
}

/* CommonMark strips one space on both sides; needed beside a backtick and around lone spaces. */
static bool needs_padding(const struct strbuf *line)
{
	char first = line->data[0], last = line->data[line->length - 1];

	return first == '`' || last == '`' || first == ' ' || last == ' ';
}

void markdown_code(struct strbuf *out, const char *text, size_t columns, bool in_table)
{
	struct strbuf line = STRBUF_INIT;
	size_t fence;

	clean_cut(&line, text, columns);
	if (!line.length)
		strbuf_addstr(&line, "(empty)");
	fence = longest_run(line.data, '`') + 1;
	add_run(out, '`', fence);
	strbuf_addstr(out, needs_padding(&line) ? " " : "");
	if (in_table)
		add_for_table(out, line.data);
	else
		strbuf_add(out, line.data, line.length);
	strbuf_addstr(out, needs_padding(&line) ? " " : "");
	add_run(out, '`', fence);
	strbuf_release(&line);
}

void markdown_linked_code(struct strbuf *out, const char *text, size_t columns, bool in_table,
	const struct strbuf *url)
{
	if (url->length)
		strbuf_addch(out, '[');
	markdown_code(out, text, columns, in_table);
	if (url->length)
		strbuf_addf(out, "](%s)", url->data);
}

void markdown_fence(struct strbuf *out, const char *language, const struct strbuf *text)
{
	size_t fence = longest_run(text->data, '`') + 1;

	if (fence < 3)
		fence = 3;
	add_run(out, '`', fence);
	strbuf_addf(out, "%s\n", language);
	strbuf_add(out, text->data, text->length);
	add_run(out, '`', fence);
	strbuf_addch(out, '\n');
}

static void add_spans(struct strbuf *out, const struct sentence *sentence, bool in_table)
{
	for (size_t i = 0; i < sentence->count; i++) {
		const struct span *span = &sentence->spans[i];
		struct strbuf line = STRBUF_INIT;

		if (span->kind == SPAN_DETAIL) {
			clean_first_line(&line, span->text, DETAIL_COLUMNS);
			markdown_code(out, line.data, DETAIL_COLUMNS, in_table);
		} else if (span->kind == SPAN_NAME) {
			markdown_code(out, span->text, NAME_COLUMNS, in_table);
		} else {
			strbuf_addstr(out, span->text);
		}
		strbuf_release(&line);
	}
}

void markdown_sentence(struct strbuf *out, const struct sentence *sentence)
{
	add_spans(out, sentence, false);
}

void markdown_cell(struct strbuf *out, const struct sentence *sentence)
{
	add_spans(out, sentence, true);
}
