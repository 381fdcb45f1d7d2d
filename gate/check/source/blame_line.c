/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/source/blame_line.h"

#include <stdlib.h>
#include <string.h>

#include "gate/check/result.h"
#include "gate/check/source/blame_build.h"
#include "gate/check/source/blame_table.h"
#include "gate/check/source/source_calls.h"

/* Callers that are looked at. */
#define MOST_CALLERS 32

struct blamer {
	const struct analysis *analysis;
	const char *file; /* the answer; NULL: none yet */
	int64_t line;
	enum result_link beside; /* LINK_DATA, LINK_BUILD: it is in no function; else LINK_NONE */
	uint32_t caller;         /* whose changed line it is; RESULT_NONE: no caller's */
};

static bool answer(struct blamer *blamer, const char *file, int64_t line)
{
	blamer->file = file;
	blamer->line = line;
	return true;
}

static const char *file_of(const struct blamer *blamer, uint32_t function)
{
	return blamer->analysis->comparison.matches.functions[function].file[COMPARE_HEAD];
}

/* ---- the nearest changed line ---------------------------------------------------------------- */

/* From the definition to the last line that was sampled. */
struct reach {
	int64_t first, last, hottest; /* 0: nothing is known */
};

static struct reach reach_of(const struct blamer *blamer, uint32_t function)
{
	const struct comparison *comparison = &blamer->analysis->comparison;
	const struct comparison_line *lines = comparison->lines[COMPARE_HEAD];
	const size_t *start = &comparison->line_start[COMPARE_HEAD][function];
	int64_t definition = comparison->matches.functions[function].line[COMPARE_HEAD];
	struct reach reach = {definition, definition, definition};

	for (size_t i = start[0]; i < start[1]; i++) {
		int64_t line = lines[i].line;

		if (line <= 0)
			continue;
		if (i == start[0])
			reach.hottest = line;
		reach.first = reach.first > 0 && reach.first < line ? reach.first : line;
		reach.last = reach.last > line ? reach.last : line;
	}
	return reach;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* What a place of the diff changes nearest to a line; where it only deletes, the line before. */
static int64_t line_of_hunk(const struct repo_hunk *hunk, int64_t near)
{
	int64_t first = hunk->new_start;

	if (!hunk->new_lines)
		return first > 0 ? first : 1;
	return clamp(near, first, first + hunk->new_lines - 1);
}

static int64_t distance(int64_t a, int64_t b)
{
	return a < b ? b - a : a - b;
}

/* 0: the diff changes nothing there. */
static int64_t nearest_changed(
	const struct repo_diff *diff, const char *file, const struct reach *reach, int64_t near)
{
	int64_t best = 0;

	for (size_t i = 0; diff && i < diff->file_count; i++) {
		const struct repo_file_change *change = &diff->files[i];

		if (!file[0] || strcmp(change->new_path, file) != 0)
			continue;
		for (size_t k = 0; k < change->hunk_count; k++) {
			int64_t line = line_of_hunk(&change->hunks[k], near);

			if (hunk_touches(&change->hunks[k], reach->first, reach->last) &&
				(!best || distance(line, near) < distance(best, near)))
				best = line;
		}
	}
	return best;
}

static bool blame_nearest(struct blamer *blamer, uint32_t function, int64_t near)
{
	struct reach reach = reach_of(blamer, function);
	const char *file = file_of(blamer, function);
	int64_t line = reach.first > 0 ? nearest_changed(blamer->analysis->diff, file, &reach,
						 near > 0 ? near : reach.hottest)
				       : 0;

	return line && answer(blamer, file, line);
}

/* ---- in the function itself ------------------------------------------------------------------ */

/* What was sampled of a row of head's lines, in this file. */
static void blame_row(struct blamer *blamer, size_t row, const char *file, double *most)
{
	const struct comparison *comparison = &blamer->analysis->comparison;
	const struct comparison_line *lines = comparison->lines[COMPARE_HEAD];
	const size_t *start = &comparison->line_start[COMPARE_HEAD][row];

	for (size_t i = start[0]; i < start[1] && lines[i].seconds > *most; i++) {
		if (!diff_touches_line(blamer->analysis->diff, file, lines[i].line))
			continue;
		answer(blamer, file, lines[i].line);
		*most = lines[i].seconds;
	}
}

/* Its parts' lines are its own. */
static bool blame_own(struct blamer *blamer, uint32_t function)
{
	const struct comparison *comparison = &blamer->analysis->comparison;
	double most = -1;

	blame_row(blamer, function, file_of(blamer, function), &most);
	for (size_t i = 0; i < comparison->part_count; i++) {
		const struct comparison_part *part = &comparison->parts[i];
		uint32_t name = comparison->inlinings.items[part->inlining].part;

		if (part->function == function)
			blame_row(blamer, comparison_part_lines(comparison, i),
				file_of(blamer, name), &most);
	}
	return most >= 0 || blame_nearest(blamer, function, 0);
}

/* ---- in a caller ----------------------------------------------------------------------------- */

/* The changed line of the caller's that leads to the function and costs most; *near: the one that
 * costs most of all. */
static bool blame_call(struct blamer *blamer, uint32_t function, uint32_t caller, int64_t *near)
{
	const struct analysis *analysis = blamer->analysis;
	const char *file = file_of(blamer, caller);
	size_t count;
	struct comparison_line *lines = source_call_lines(analysis->recordings[VERSION_HEAD],
		analysis->comparison.matches.of[VERSION_HEAD], function, caller, &count);
	bool found = false;

	*near = count ? lines[0].line : 0;
	for (size_t i = 0; i < count && !found; i++)
		found = lines[i].line > 0 &&
			diff_touches_line(analysis->diff, file, lines[i].line) &&
			answer(blamer, file, lines[i].line);
	free(lines);
	return found;
}

static bool blame_caller(struct blamer *blamer, uint32_t function, uint32_t caller)
{
	int64_t near;

	if (caller == function)
		return false;
	if (!blame_call(blamer, function, caller, &near) && !blame_nearest(blamer, caller, near))
		return false;
	blamer->caller = caller;
	return true;
}

static bool blame_callers(struct blamer *blamer, const struct result_culprit *culprit)
{
	for (size_t i = 1; i < culprit->path_length && i <= MOST_CALLERS; i++)
		if (blame_caller(
			    blamer, culprit->function, culprit->path[culprit->path_length - 1 - i]))
			return true;
	return false;
}

static bool blame_direct_call(struct blamer *blamer, const struct result_culprit *culprit)
{
	int64_t near;

	if (culprit->blame != BLAME_CALLED || culprit->caller == RESULT_NONE ||
		!blame_call(blamer, culprit->function, culprit->caller, &near))
		return false;
	blamer->caller = culprit->caller;
	return true;
}

static bool blame_callee(struct blamer *blamer, const struct result_culprit *culprit)
{
	return culprit->link == LINK_CALLEE && blame_own(blamer, culprit->linked);
}

/* ---- beside the functions -------------------------------------------------------------------- */

/* The first line of a function of the file; lines above it are in none, as far as is known. 0: no
 * line is known. */
static int64_t first_function(const struct blamer *blamer, const char *file)
{
	const struct function_matches *matches = &blamer->analysis->comparison.matches;
	int64_t first = 0;

	for (uint32_t f = 0; f < matches->count; f++) {
		int64_t line =
			strcmp(file_of(blamer, f), file) == 0 ? reach_of(blamer, f).first : 0;

		if (line > 0 && (!first || line < first))
			first = line;
	}
	return first;
}

/* Its machine code is not what it was, though its lines are: a table or a macro that it uses. What
 * it names goes before what only lies above it. */
static bool blame_data(struct blamer *blamer, uint32_t function)
{
	const struct analysis *analysis = blamer->analysis;
	const char *file = file_of(blamer, function);
	struct reach above = {.first = 1};
	int64_t line;

	if (!(analysis->input.function_flags[function] & VERDICT_FUNCTION_CHANGED_CODE))
		return false;
	if (blame_table(analysis, function, &blamer->file, &blamer->line)) {
		blamer->beside = LINK_DATA;
		return true;
	}
	if (blame_build(analysis->diff, &blamer->file, &blamer->line)) {
		blamer->beside = LINK_BUILD;
		return true;
	}
	above.last = first_function(blamer, file) - 1;
	line = nearest_changed(analysis->diff, file, &above, above.last);
	return line && answer(blamer, file, line);
}

void blame_line(
	const struct analysis *analysis, struct arena *arena, struct result_culprit *culprit)
{
	struct blamer blamer = {.analysis = analysis, .caller = RESULT_NONE};

	if (!blame_direct_call(&blamer, culprit) && !blame_own(&blamer, culprit->function) &&
		!blame_callers(&blamer, culprit) && !blame_callee(&blamer, culprit) &&
		!blame_data(&blamer, culprit->function))
		answer(&blamer, file_of(&blamer, culprit->function),
			analysis->comparison.matches.functions[culprit->function]
				.line[COMPARE_HEAD]);
	culprit->file = arena_strdup(arena, blamer.file);
	culprit->line = blamer.line;
	/* A caller of which only calls were sampled: its touched lines were not known before. */
	if (blamer.caller != RESULT_NONE && culprit->link == LINK_NONE) {
		culprit->link = LINK_CALLER;
		culprit->linked = blamer.caller;
	}
	if (blamer.beside != LINK_NONE && culprit->link == LINK_NONE)
		culprit->link = blamer.beside;
}
