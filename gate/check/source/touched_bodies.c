/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/source/touched_bodies.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gate/check/source/code_lines.h"

#define MOST_FILES 256

/* A function that is not known to be touched, in a file of the diff. */
struct body {
	const char *file;
	int64_t line; /* of its definition */
	uint32_t function;
};

static int compare_bodies(const void *left, const void *right)
{
	const struct body *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	if (order)
		return order;
	return (a->line > b->line) - (a->line < b->line);
}

static size_t collect(const struct analysis *analysis, struct body *bodies)
{
	const struct function_matches *matches = &analysis->comparison.matches;
	const uint8_t *flags = analysis->input.function_flags;
	size_t count = 0;

	for (uint32_t f = 0; f < matches->count; f++) {
		const char *file = matches->functions[f].file[COMPARE_HEAD];
		int64_t line = matches->functions[f].line[COMPARE_HEAD];

		if (line > 0 && file[0] && !(flags[f] & VERDICT_FUNCTION_TOUCHED) &&
			diff_touches_range(analysis->diff, file, line, INT64_MAX))
			bodies[count++] = (struct body){file, line, f};
	}
	if (count)
		qsort(bodies, count, sizeof(*bodies), compare_bodies);
	return count;
}

static bool is_in_first_column(const struct code_lines *lines)
{
	char first = lines->code.data[0];

	return first == '_' || isalpha((unsigned char)first);
}

/* The line begins with the bracket that closes what began in the first column, as one sees it. */
static bool closes(const struct code_lines *lines)
{
	size_t length;
	const char *text = source_file_line(lines->file, lines->line, &length);

	return length && text[0] == '}';
}

/*
 * The last line of the body of what begins in this line, in the first column: before the bracket
 * that closes it there. Where none does (another notation, or a literal that was taken for a
 * comment's beginning) it is the first. Reads on up to there.
 */
static int64_t read_body(struct code_lines *lines)
{
	int64_t first = lines->line;

	while (lines->definition.goes_on && code_lines_next(lines))
		if (closes(lines))
			return lines->code.data[0] == '}' ? lines->line - 1 : first;
	return first;
}

static bool read_up_to(struct code_lines *lines, int64_t line)
{
	while (lines->line < line)
		if (!code_lines_next(lines))
			return false;
	return lines->line == line;
}

/* bodies: of one file. */
static void touch_file(
	const struct analysis *analysis, const struct body *bodies, size_t count, uint8_t *flags)
{
	const struct source_file *file =
		sources_file(analysis->sources, VERSION_HEAD, bodies[0].file);
	int64_t first = 0, last = 0;
	struct code_lines lines;

	if (!file)
		return;
	code_lines_begin(&lines, file);
	for (size_t i = 0; i < count; i++) {
		if (bodies[i].line != first && read_up_to(&lines, bodies[i].line)) {
			first = bodies[i].line;
			last = is_in_first_column(&lines) ? read_body(&lines) : first;
		}
		if (bodies[i].line == first &&
			diff_touches_range(analysis->diff, bodies[i].file, first, last))
			flags[bodies[i].function] |= VERDICT_FUNCTION_TOUCHED;
	}
	code_lines_release(&lines);
}

void touched_bodies_find(struct analysis *analysis)
{
	size_t functions = analysis->comparison.matches.count, count;
	struct body *bodies = xcalloc(functions, sizeof(*bodies));
	uint8_t *flags = arena_array(&analysis->scratch, functions, sizeof(*flags));
	int files = 0;

	count = analysis->sources && analysis->verdict.culprit_count ? collect(analysis, bodies)
								     : 0;
	if (count)
		memcpy(flags, analysis->input.function_flags, functions);
	for (size_t i = 0, end; i < count && files < MOST_FILES; i = end, files++) {
		for (end = i; end < count && strcmp(bodies[end].file, bodies[i].file) == 0; end++)
			;
		touch_file(analysis, &bodies[i], end - i, flags);
	}
	if (count) {
		touch_hosts(&analysis->comparison.inlinings, flags);
		analysis->input.function_flags = flags;
	}
	free(bodies);
}
