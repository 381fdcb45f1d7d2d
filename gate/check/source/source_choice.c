/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a function's lines are worth the reader's time: source_rows_choose(). */
#include "gate/check/source/source_rows.h"

#include <stdlib.h>

#define CONTEXT 3
/* Of changed lines that cost nothing; a hunk may remove any number. */
#define MOST_CHEAP_CHANGES 40

enum tier { TIER_CHANGED_AND_COSTLY, TIER_COSTLY, TIER_CHANGED };

struct anchor {
	enum tier tier;
	double cost;
	size_t row;
};

static int compare_anchors(const void *left, const void *right)
{
	const struct anchor *a = left, *b = right;

	if (a->tier != b->tier)
		return a->tier < b->tier ? -1 : 1;
	if (a->cost > b->cost || a->cost < b->cost)
		return a->cost > b->cost ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static bool make_anchor(
	const struct source_row *row, size_t place, double least, struct anchor *out)
{
	double base = row->cost[VERSION_BASE], head = row->cost[VERSION_HEAD],
	       cost = base > head ? base : head;
	bool changed = row->kind != SOURCE_SAME, costly = cost > 0 && cost >= least;

	*out = (struct anchor){.tier = !costly   ? TIER_CHANGED
				       : changed ? TIER_CHANGED_AND_COSTLY
						 : TIER_COSTLY,
		.cost = cost,
		.row = place};
	return changed || costly;
}

static struct anchor *find_anchors(const struct source_rows *rows, double least, size_t *count)
{
	struct anchor *anchors = xcalloc(rows->count + 1, sizeof(*anchors));

	*count = 0;
	for (size_t i = 0; i < rows->count; i++)
		*count += make_anchor(&rows->items[i], i, least, &anchors[*count]);
	qsort(anchors, *count, sizeof(*anchors), compare_anchors);
	return anchors;
}

static void choose(struct source_row *row, size_t *room)
{
	if (row->chosen || !*room)
		return;
	row->chosen = true;
	(*room)--;
}

static void choose_around(struct source_rows *rows, size_t row, size_t *room)
{
	choose(&rows->items[row], room);
	for (size_t i = row > CONTEXT ? row - CONTEXT : 0; i <= row + CONTEXT && i < rows->count;
		i++)
		choose(&rows->items[i], room);
}

static void choose_definition(struct source_rows *rows, int64_t definition, size_t *room)
{
	for (size_t i = 0; definition > 0 && i < rows->count; i++)
		if (rows->items[i].line[VERSION_HEAD] == definition)
			choose(&rows->items[i], room);
}

size_t source_rows_choose(struct source_rows *rows, double least, int64_t definition, size_t room)
{
	size_t count, cheap = 0, left = room;
	struct anchor *anchors = find_anchors(rows, least, &count);

	for (size_t i = 0; i < count && left; i++)
		if (anchors[i].tier != TIER_CHANGED || cheap++ < MOST_CHEAP_CHANGES)
			choose_around(rows, anchors[i].row, &left);
	choose_definition(rows, definition, &left);
	free(anchors);
	return room - left;
}
