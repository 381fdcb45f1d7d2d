/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/source/source_rows.h"

#include <stdlib.h>

/* Debug information may call a whole file one function. */
#define MOST_ROWS 100000
/* Removed lines at the edge of a function. */
#define LEAST_REMOVED 3

void source_rows_release(struct source_rows *rows)
{
	free(rows->items);
	*rows = (struct source_rows){0};
}

static bool add_row(
	struct source_rows *rows, int64_t base, int64_t head, enum result_line_kind kind)
{
	if (rows->count == MOST_ROWS)
		return false;
	rows->items =
		grow_array(rows->items, &rows->capacity, rows->count + 1, sizeof(*rows->items));
	rows->items[rows->count++] = (struct source_row){.line = {base, head}, .kind = kind};
	return true;
}

/* ---- hunks --------------------------------------------------------------------------------- */

/* Head's line after which a hunk stands. */
static int64_t hunk_place(const struct repo_hunk *hunk)
{
	return (int64_t)hunk->new_start - (hunk->new_lines ? 1 : 0);
}

static int64_t hunk_growth(const struct repo_hunk *hunk)
{
	return (int64_t)hunk->new_lines - hunk->old_lines;
}

/* Base's first line behind a hunk, and head's. */
static int64_t hunk_old_end(const struct repo_hunk *hunk)
{
	return (int64_t)hunk->old_start + (hunk->old_lines ? hunk->old_lines : 1);
}

static int64_t hunk_new_end(const struct repo_hunk *hunk)
{
	return (int64_t)hunk->new_start + (hunk->new_lines ? hunk->new_lines : 1);
}

/* How many hunks end before base's line. */
static size_t hunks_before(const struct repo_file_change *change, int64_t line)
{
	size_t low = 0, high = change ? change->hunk_count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (line >= hunk_old_end(&change->hunks[middle]))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t source_place_in_head(const struct repo_file_change *change, int64_t line)
{
	size_t count = hunks_before(change, line);
	const struct repo_hunk *last = count ? &change->hunks[count - 1] : NULL;
	const struct repo_hunk *next =
		change && count < change->hunk_count ? &change->hunks[count] : NULL;

	if (next && next->old_lines && line >= next->old_start)
		return hunk_place(next) + 1;
	return last ? line + hunk_new_end(last) - hunk_old_end(last) : line;
}

static int64_t at_most(int64_t number, int64_t limit)
{
	return number < limit ? number : limit;
}

static void add_same(struct source_rows *rows, const struct source_range *range, int64_t from,
	int64_t to, int64_t growth)
{
	int64_t end = at_most(to, range->last_line[VERSION_HEAD]);

	for (int64_t line = from > 0 ? from : 1; line <= end; line++)
		if (!add_row(rows, range->has_base && line > growth ? line - growth : 0, line,
			    SOURCE_SAME))
			return;
}

static int64_t at_least(int64_t number, int64_t limit)
{
	return number > limit ? number : limit;
}

/*
 * Which of a hunk's removed lines are taken: all in the middle of the function. Of a hunk that
 * begins or ends outside as many as it adds to the range, where it adjoins the function: it may
 * take other functions away.
 */
static void removed_part(const struct source_range *range, const struct repo_hunk *hunk,
	int64_t *first, int64_t *last)
{
	int64_t before = hunk_place(hunk), end = before + hunk->new_lines;
	int64_t from = at_least(before + 1, range->first);
	int64_t count = at_least(at_most(end, range->last) - from + 1, LEAST_REMOVED);
	bool begins_outside = before + 1 < range->inner[0];
	bool ends_outside = hunk->new_lines ? end > range->inner[1] : before >= range->inner[1];

	*first = hunk->old_start;
	*last = (int64_t)hunk->old_start + hunk->old_lines - 1;
	if (begins_outside && !ends_outside)
		*first = at_least(*first, *last - count + 1);
	if (begins_outside && ends_outside)
		*first += from - (before + 1);
	if (ends_outside)
		*last = at_most(*last, *first + count - 1);
}

static void add_removed(
	struct source_rows *rows, const struct source_range *range, const struct repo_hunk *hunk)
{
	int64_t first, last, line = at_least(hunk->old_start, 1);
	int64_t end = at_most(
		(int64_t)hunk->old_start + hunk->old_lines - 1, range->last_line[VERSION_BASE]);

	removed_part(range, hunk, &first, &last);
	for (; line <= end; line++) {
		bool taken = (line >= first && line <= last) ||
			     (line >= range->in_base[0] && line <= range->in_base[1]);

		if (taken && !add_row(rows, line, 0, SOURCE_REMOVED))
			return;
	}
}

/* Within the range: a hunk may add whole other functions below this one. */
static void add_added(
	struct source_rows *rows, const struct source_range *range, const struct repo_hunk *hunk)
{
	int64_t line = hunk->new_start > range->first ? hunk->new_start : range->first;
	int64_t end = at_most((int64_t)hunk->new_start + hunk->new_lines - 1,
		at_most(range->last, range->last_line[VERSION_HEAD]));

	for (; line <= end; line++)
		if (!add_row(rows, 0, line, SOURCE_ADDED))
			return;
}

void source_rows_unite(struct source_rows *rows, const struct source_range *range)
{
	int64_t next = range->first, growth = 0;

	for (size_t i = 0; range->change && i < range->change->hunk_count; i++) {
		const struct repo_hunk *hunk = &range->change->hunks[i];
		int64_t place = hunk_place(hunk), end = place + hunk->new_lines;

		if (place > range->last)
			break;
		if (end >= range->first) {
			add_same(rows, range, next, place, growth);
			add_removed(rows, range, hunk);
			add_added(rows, range, hunk);
		}
		growth += hunk_growth(hunk);
		if (end + 1 > next)
			next = end + 1;
	}
	add_same(rows, range, next, range->last, growth);
}

void source_rows_base(struct source_rows *rows, const struct source_range *range)
{
	int64_t end = at_most(range->last, range->last_line[VERSION_BASE]);
	size_t hunk = 0, hunks = range->change ? range->change->hunk_count : 0;

	for (int64_t line = range->first; line <= end; line++) {
		const struct repo_hunk *one;

		while (hunk < hunks && line >= hunk_old_end(&range->change->hunks[hunk]))
			hunk++;
		one = hunk < hunks ? &range->change->hunks[hunk] : NULL;
		if (!add_row(rows, line, 0,
			    one && one->old_lines && line >= one->old_start ? SOURCE_REMOVED
									    : SOURCE_SAME))
			return;
	}
}

/* ---- costs --------------------------------------------------------------------------------- */

struct placed {
	int64_t line;
	size_t row;
};

static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	return a->line < b->line ? -1 : a->line > b->line;
}

static struct placed *index_rows(const struct source_rows *rows, int version, size_t *count)
{
	struct placed *index = xcalloc(rows->count + 1, sizeof(*index));

	*count = 0;
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].line[version])
			index[(*count)++] = (struct placed){rows->items[i].line[version], i};
	qsort(index, *count, sizeof(*index), compare_placed);
	return index;
}

void source_rows_cost(struct source_rows *rows, int version, const struct comparison_line *lines,
	size_t line_count)
{
	size_t count;
	struct placed *index = index_rows(rows, version, &count);

	for (size_t i = 0; i < line_count; i++) {
		const struct placed key = {.line = lines[i].line};
		const struct placed *found =
			bsearch(&key, index, count, sizeof(*index), compare_placed);

		if (found)
			rows->items[found->row].cost[version] += lines[i].seconds;
	}
	free(index);
}
