/* SPDX-License-Identifier: Apache-2.0 */
/* CommonMark's rules for fences, code spans and tables, as far as they matter to our reports. */
#ifndef FG_TEST_REPORT_MARKDOWN_GRAMMAR_H
#define FG_TEST_REPORT_MARKDOWN_GRAMMAR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "gate/base/strbuf.h"

static inline size_t run_length(const char *at)
{
	return strspn(at, "`");
}

/* Behind the fenced block that begins at `line`, or NULL if none begins there. */
static inline const char *skip_fence(const char *line)
{
	size_t fence = run_length(line);

	if (fence < 3)
		return NULL;
	for (line = strchr(line, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		size_t run = run_length(line);

		if (run >= fence && line[run] == '\n')
			return line + run + 1;
	}
	fail_msg("a fence is left open");
	return NULL;
}

/* Appends the line without its code spans; returns what follows it. */
static inline const char *add_outside_spans(struct strbuf *out, const char *at)
{
	while (*at && *at != '\n') {
		size_t run = run_length(at), other = 0;
		const char *close = at + run;

		if (!run) {
			strbuf_addch(out, *at++);
			continue;
		}
		for (; *close && *close != '\n'; close += other ? other : 1) {
			other = run_length(close);
			if (other == run)
				break;
		}
		if (other != run)
			fail_msg("a code span is left open: %.200s", at);
		at = close + run;
	}
	strbuf_addch(out, '\n');
	return *at ? at + 1 : at;
}

/* What is left of a text when fences and code spans are taken out. */
static inline void outside_code(struct strbuf *out, const struct strbuf *markdown)
{
	const char *at = markdown->data;

	while (*at) {
		const char *behind = skip_fence(at);

		at = behind ? behind : add_outside_spans(out, at);
	}
}

/* Cells by either reading of backslashes: escaping the next character, or only a pipe. */
static inline size_t count_cells(const char *line, size_t length, bool pairs)
{
	size_t cells = 0;

	for (size_t i = 0; i < length; i++) {
		if (line[i] == '\\' && i + 1 < length && (pairs || line[i + 1] == '|'))
			i++;
		else if (line[i] == '|')
			cells++;
	}
	return cells;
}

static inline void check_tables(const struct strbuf *out)
{
	size_t cells = 0;

	for (const char *line = out->data; *line;) {
		size_t length = strcspn(line, "\n");

		if (line[0] != '|')
			cells = 0;
		else if (!cells)
			cells = count_cells(line, length, false);
		else if (count_cells(line, length, false) != cells ||
			 count_cells(line, length, true) != cells)
			fail_msg("a name ends a cell: %.300s", line);
		line += length + (line[length] == '\n');
	}
}

#endif
