/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words/source_text.h"

#include <string.h>

#include "gate/check/result.h"
#include "report/clean.h"

#define TAB_COLUMNS 4

static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

void source_text_add(struct strbuf *out, const char *text, size_t columns)
{
	struct strbuf line = STRBUF_INIT;
	size_t column = 0;

	for (; *text; text++) {
		if (*text == '\t') {
			do {
				strbuf_addch(&line, ' ');
			} while (++column % TAB_COLUMNS);
		} else {
			strbuf_addch(&line, *text);
			column += starts_character(*text);
		}
	}
	clean_cut(out, line.data, columns);
	strbuf_release(&line);
}

char source_mark(const struct result_line *line)
{
	return line->kind == SOURCE_ADDED ? '+' : line->kind == SOURCE_REMOVED ? '-' : ' ';
}

double source_cost(const struct result_line *line)
{
	return line->cost[0] > line->cost[1] ? line->cost[0] : line->cost[1];
}

/* Ties go to the line that stands first. */
static size_t costlier_lines(const struct result_source *source, size_t place)
{
	double cost = source_cost(&source->lines[place]);
	size_t count = 0;

	for (size_t i = 0; i < source->line_count; i++) {
		double other = source_cost(&source->lines[i]);

		if (source->lines[i].kind != SOURCE_SAME)
			count += other > cost || (i < place && !(other < cost));
	}
	return count;
}

size_t source_costliest_changes(const struct result_source *source, size_t *order, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < source->line_count && count < max; i++)
		if (source->lines[i].kind != SOURCE_SAME && source_cost(&source->lines[i]) > 0 &&
			costlier_lines(source, i) < max)
			order[count++] = i;
	return count;
}

void source_file_add(struct strbuf *out, const struct result_source *source)
{
	if (*source->base_file && strcmp(source->base_file, source->file) != 0)
		strbuf_addf(out, "%s → ", source->base_file);
	strbuf_addstr(out, source->file);
}
