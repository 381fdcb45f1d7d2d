/* SPDX-License-Identifier: Apache-2.0 */
#include "report/terminal/terminal_print.h"

#include <stdbool.h>
#include <string.h>

#include "gate/base/text.h"
#include "report/clean.h"
#include "report/words/words.h"

#define NAME_COLUMNS 60 /* of a name within a sentence */

void printer_color(struct printer *printer, const char *color, const char *text)
{
	if (printer->color)
		strbuf_addf(printer->out, "\033[%sm%s\033[0m", color, text);
	else
		strbuf_addstr(printer->out, text);
}

/* Bytes of text that fit into `columns`, broken after a space if there is one. */
static size_t fitting_bytes(const char *text, size_t length, size_t columns)
{
	size_t end = 0, seen = 0, space = 0;

	while (end < length && seen < columns) {
		end++;
		while (end < length && ((unsigned char)text[end] & 0xc0) == 0x80)
			end++;
		seen++;
		if (text[end - 1] == ' ')
			space = end;
	}
	return end == length || !space ? end : space;
}

/* One more line that others wrote: wrapping may have put a command at its start. */
static void put_piece(struct printer *printer, const char *text, size_t length)
{
	struct strbuf piece = STRBUF_INIT;

	while (length && text[length - 1] == ' ')
		length--;
	text_defuse(&piece, text, length);
	strbuf_add(printer->out, piece.data, piece.length);
	strbuf_addch(printer->out, '\n');
	strbuf_release(&piece);
}

void printer_indent(struct printer *printer, unsigned indent)
{
	strbuf_addf(printer->out, "%*s", (int)indent, "");
}

void printer_wrap(
	struct printer *printer, unsigned at, unsigned indent, const char *text, size_t length)
{
	while (true) {
		size_t end = fitting_bytes(text, length, printer->width - at);

		put_piece(printer, text, end);
		text += end;
		length -= end;
		if (!length)
			return;
		printer_indent(printer, indent);
		at = indent;
	}
}

void printer_line_from(struct printer *printer, unsigned at, const char *text)
{
	struct strbuf line = STRBUF_INIT;

	clean_line(&line, text);
	printer_wrap(printer, at, at, line.data, line.length);
	strbuf_release(&line);
}

void printer_line(struct printer *printer, unsigned indent, const char *text)
{
	printer_indent(printer, indent);
	printer_line_from(printer, indent, text);
}

void printer_block(struct printer *printer, unsigned indent, const char *text, size_t max_bytes)
{
	struct strbuf block = STRBUF_INIT;
	const char *at;

	clean_block(&block, text, max_bytes);
	for (at = block.data; *at;) {
		size_t length = strcspn(at, "\n");

		printer_indent(printer, indent);
		printer_wrap(printer, indent, indent + 2, at, length);
		at += length + (at[length] == '\n');
	}
	strbuf_release(&block);
}

static void add_sentence(struct strbuf *out, const struct sentence *sentence)
{
	for (size_t i = 0; i < sentence->count; i++) {
		const struct span *span = &sentence->spans[i];

		if (span->kind == SPAN_TEXT)
			strbuf_addstr(out, span->text);
		else if (span->kind == SPAN_NAME)
			clean_cut(out, span->text, NAME_COLUMNS);
		else
			clean_first_line(out, span->text, DETAIL_COLUMNS);
	}
}

void printer_sentence(
	struct printer *printer, unsigned at, unsigned indent, struct sentence *sentence)
{
	struct strbuf line = STRBUF_INIT;

	add_sentence(&line, sentence);
	printer_wrap(printer, at, indent, line.data, line.length);
	strbuf_release(&line);
	sentence_release(sentence);
}

void printer_heading(struct printer *printer, const char *heading)
{
	size_t length = strlen(heading);

	strbuf_addch(printer->out, '\n');
	for (size_t at = 0, end; at < length; at += end) {
		struct strbuf piece = STRBUF_INIT;

		end = fitting_bytes(heading + at, length - at, printer->width - 2);
		strbuf_add(&piece, heading + at, end);
		while (piece.length && piece.data[piece.length - 1] == ' ')
			strbuf_truncate(&piece, piece.length - 1);
		printer_indent(printer, 2);
		printer_color(printer, BOLD, piece.data);
		strbuf_addch(printer->out, '\n');
		strbuf_release(&piece);
	}
}

void printer_list(struct printer *printer, const char *heading, const char *const *lines,
	size_t count, unsigned indent)
{
	if (!count)
		return;
	printer_heading(printer, heading);
	for (size_t i = 0; i < count; i++)
		printer_line(printer, indent, lines[i]);
}

void printer_right(struct printer *printer, const char *text, size_t columns)
{
	size_t has = clean_columns(text, strlen(text));

	printer_indent(printer, has < columns ? (unsigned)(columns - has) : 0);
	strbuf_addstr(printer->out, text);
}
