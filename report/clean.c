/* SPDX-License-Identifier: Apache-2.0 */
#include "report/clean.h"

#include <stdbool.h>
#include <string.h>

#include "gate/base/text.h"

#define ELLIPSIS "\xe2\x80\xa6"
/* Longer input is cut before it is cleaned;
 * enough for all but absurdly many stripped characters. */
#define SCAN_BYTES_PER_COLUMN 16

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* text_defuse() leaves \n and \t. */
static void flatten(struct strbuf *line)
{
	for (size_t i = 0; i < line->length; i++) {
		if (line->data[i] == '\n' || line->data[i] == '\t')
			line->data[i] = ' ';
	}
}

/* In a buffer of its own, so that wherever the text lands it cannot start a command. */
void clean_line(struct strbuf *out, const char *text)
{
	struct strbuf line = STRBUF_INIT;

	text_defuse(&line, text, strlen(text));
	flatten(&line);
	strbuf_add(out, line.data, line.length);
	strbuf_release(&line);
}

size_t clean_columns(const char *text, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0; i < length; i++)
		columns += !continues_character(text[i]);
	return columns;
}

/* The byte offset of character number `column`, counted from the start. */
static size_t offset_of(const char *text, size_t length, size_t column)
{
	size_t i = 0;

	while (i < length && column) {
		i++;
		while (i < length && continues_character(text[i]))
			i++;
		column--;
	}
	return i;
}

static void add_head_and_tail(
	struct strbuf *out, const char *text, size_t length, size_t columns, size_t all)
{
	size_t tail = (columns - 1) / 2, head = columns - 1 - tail;
	size_t tail_at = offset_of(text, length, all - tail);

	strbuf_add(out, text, offset_of(text, length, head));
	strbuf_addstr(out, ELLIPSIS);
	strbuf_add(out, text + tail_at, length - tail_at);
}

/* The first and the last part of a very long text are all that can be shown of it. */
static void clean_ends(struct strbuf *out, const char *text, size_t length, size_t part)
{
	text_defuse(out, text, part);
	strbuf_addstr(out, ELLIPSIS);
	text_defuse(out, text + length - part, part);
}

void clean_cut(struct strbuf *out, const char *text, size_t columns)
{
	struct strbuf line = STRBUF_INIT;
	size_t length = strlen(text), part, all;

	if (columns < 3)
		columns = 3;
	part = columns * SCAN_BYTES_PER_COLUMN;
	if (length > 2 * part)
		clean_ends(&line, text, length, part);
	else
		text_defuse(&line, text, length);
	flatten(&line);
	all = clean_columns(line.data, line.length);
	if (all <= columns)
		strbuf_add(out, line.data, line.length);
	else
		add_head_and_tail(out, line.data, line.length, columns, all);
	strbuf_release(&line);
}

void clean_block(struct strbuf *out, const char *text, size_t max_bytes)
{
	struct strbuf block = STRBUF_INIT;
	size_t length = strlen(text);
	bool cut = length > max_bytes;

	text_defuse(&block, text, cut ? max_bytes : length);
	for (size_t i = 0; i < block.length; i++) {
		if (block.data[i] == '\t')
			block.data[i] = ' ';
	}
	while (block.length && block.data[block.length - 1] == '\n')
		strbuf_truncate(&block, block.length - 1);
	strbuf_add(out, block.data, block.length);
	strbuf_addstr(out, cut ? "\n" ELLIPSIS "\n" : "\n");
	strbuf_release(&block);
}

void clean_first_line(struct strbuf *out, const char *text, size_t columns)
{
	struct strbuf line = STRBUF_INIT;
	size_t length = strcspn(text, "\r\n"), end;
	bool cut = length > columns * SCAN_BYTES_PER_COLUMN;

	text_defuse(&line, text, cut ? columns * SCAN_BYTES_PER_COLUMN : length);
	flatten(&line);
	end = offset_of(line.data, line.length, columns);
	strbuf_add(out, line.data, end);
	if (cut || end < line.length)
		strbuf_addstr(out, ELLIPSIS);
	strbuf_release(&line);
}

/* What this program itself writes; of others' text only that something was there is kept. */
static char ascii_of(const char *character)
{
	static const struct {
		const char *utf8;
		char ascii;
	} known[] = {
		{ELLIPSIS, '~'}, {"\xc2\xb5", 'u'}, {"\xe2\x88\x92", '-'}, {"\xe2\x86\x92", '>'}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(character, known[i].utf8, strlen(known[i].utf8)) == 0)
			return known[i].ascii;
	return '?';
}

void clean_to_ascii(struct strbuf *text, size_t from)
{
	size_t length = from;

	for (size_t i = from; i < text->length; i++) {
		if (continues_character(text->data[i]))
			continue;
		text->data[length++] = (unsigned char)text->data[i] < 0x80
					       ? text->data[i]
					       : ascii_of(text->data + i);
	}
	strbuf_truncate(text, length);
}
