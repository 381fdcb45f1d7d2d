/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markdown/tree_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "report/clean.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define MAX_INDENT 24
#define MAX_CULPRITS 20 /* more would not fit */

struct candidate {
	double size;
	uint32_t node;
	bool notable;
};

/* The part of the tree that is shown. Children are listed for nodes on the way to a chosen one. */
struct picture {
	const struct result_benchmark *benchmark;
	const struct tree_text_limits *limits;
	bool *chosen, *on_path;
	uint32_t *first, *next; /* children on a path, the worst first; RESULT_NONE ends the list */
	double *worst;          /* the largest change at or below the node */
	size_t lines;
	struct strbuf *out;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->notable != y->notable)
		return x->notable ? -1 : 1;
	if (x->size < y->size || x->size > y->size)
		return x->size > y->size ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/*
 * A node is worth a line for its own code's change; its total is the sum of lines below. A node
 * that is a culprit is worth one whatever its own code does (it may be called more often).
 */
static struct candidate candidate_of(const struct result_benchmark *benchmark, uint32_t node)
{
	const struct result_node *one = &benchmark->nodes[node];
	struct candidate candidate = {fabs(one->self_change), node, false};

	candidate.notable = state_is_notable(one->self_state);
	for (size_t i = 0; i < benchmark->culprit_count && i < MAX_CULPRITS; i++) {
		if (benchmark->culprits[i].node == node)
			candidate = (struct candidate){INFINITY, node, true};
	}
	return candidate;
}

static struct candidate *rank_nodes(
	const struct result_benchmark *benchmark, double floor, size_t *count)
{
	struct candidate *all = xcalloc(benchmark->node_count, sizeof(*all));

	*count = 0;
	for (uint32_t i = 1; i < benchmark->node_count; i++) {
		struct candidate one = candidate_of(benchmark, i);

		if (one.notable || one.size >= floor)
			all[(*count)++] = one;
	}
	qsort(all, *count, sizeof(*all), compare_candidates);
	return all;
}

/* Each choice costs at most three lines: itself, its parent and the frames left out above. */
static bool choose(struct picture *picture)
{
	size_t count, most = (picture->limits->max_lines + 2) / 3;
	struct candidate *ranked = rank_nodes(picture->benchmark, picture->limits->floor, &count);

	for (size_t i = 0; i < count && i < most; i++)
		picture->chosen[ranked[i].node] = true;
	free(ranked);
	return count > 0;
}

static double change_of(const struct picture *picture, uint32_t node)
{
	return picture->benchmark->nodes[node].total_change;
}

/* Children before parents: parent < child in a view. */
static void mark_paths(struct picture *picture)
{
	const struct result_node *nodes = picture->benchmark->nodes;

	for (size_t i = picture->benchmark->node_count; i-- > 1;) {
		uint32_t parent = nodes[i].parent;
		double size = fabs(change_of(picture, (uint32_t)i));

		if (!picture->chosen[i] && !picture->on_path[i])
			continue;
		picture->on_path[parent] = true;
		if (size > picture->worst[i])
			picture->worst[i] = size;
		if (picture->worst[i] > picture->worst[parent])
			picture->worst[parent] = picture->worst[i];
	}
}

/* Inserts node into its parent's list, worst first, then by index. */
static void insert_child(struct picture *picture, uint32_t node)
{
	uint32_t *link = &picture->first[picture->benchmark->nodes[node].parent];

	while (*link != RESULT_NONE && picture->worst[*link] >= picture->worst[node])
		link = &picture->next[*link];
	picture->next[node] = *link;
	*link = node;
}

static void list_children(struct picture *picture)
{
	for (size_t i = 0; i < picture->benchmark->node_count; i++)
		picture->first[i] = picture->next[i] = RESULT_NONE;
	for (uint32_t i = 1; i < picture->benchmark->node_count; i++) {
		if (picture->chosen[i] || picture->on_path[i])
			insert_child(picture, i);
	}
}

static char mark_of(const struct picture *picture, uint32_t node)
{
	const struct result_node *one = &picture->benchmark->nodes[node];

	bool decided = is_decided(picture->benchmark);

	if (decided && !state_is_notable(one->state) && !state_is_notable(one->self_state))
		return ' ';
	if (!decided && !picture->chosen[node])
		return ' ';
	if (fabs(one->total_change) < 0.0005)
		return ' ';
	return one->total_change > 0 ? '+' : '-';
}

static void add_padded(struct strbuf *out, const struct strbuf *text, size_t columns)
{
	size_t has = clean_columns(text->data, text->length);

	strbuf_addf(out, "%*s", has < columns ? (int)(columns - has) : 0, "");
	strbuf_add(out, text->data, text->length);
}

static void add_costs(struct strbuf *out, const struct result_node *node, const char *unit)
{
	struct strbuf text = STRBUF_INIT;

	figure_signed_percent(&text, node->total_change);
	add_padded(out, &text, 9);
	strbuf_reset(&text);
	figure_cost(&text, node->total[0], unit);
	add_padded(out, &text, 10);
	strbuf_addstr(out, " ->");
	strbuf_reset(&text);
	figure_cost(&text, node->total[1], unit);
	add_padded(out, &text, 10);
	strbuf_release(&text);
}

static void add_label(struct picture *picture, uint32_t node)
{
	const struct result_benchmark *benchmark = picture->benchmark;
	uint32_t function = benchmark->nodes[node].function;
	struct strbuf place = STRBUF_INIT;

	if (!node) {
		strbuf_addstr(picture->out, "(everything)");
		return;
	}
	clean_cut(picture->out, function_name(benchmark, function), picture->limits->max_columns);
	if (function < benchmark->function_count && picture->chosen[node]) {
		const struct result_function *one = &benchmark->functions[function];

		place_add(&place, one->file, one->line);
		strbuf_addstr(picture->out, place.length ? "  " : "");
		clean_cut(picture->out, place.data, picture->limits->max_columns);
		if (*word_match(one->match))
			strbuf_addf(picture->out, " (%s)", word_match(one->match));
	}
	strbuf_release(&place);
}

static void add_node(struct picture *picture, uint32_t node, size_t depth)
{
	strbuf_addch(picture->out, mark_of(picture, node));
	add_costs(picture->out, &picture->benchmark->nodes[node], picture->benchmark->unit);
	strbuf_addf(
		picture->out, "  %*s", (int)(2 * (depth < MAX_INDENT ? depth : MAX_INDENT)), "");
	add_label(picture, node);
	strbuf_addch(picture->out, '\n');
	picture->lines++;
}

static void add_skipped(struct picture *picture, size_t skipped, size_t depth)
{
	strbuf_addf(picture->out, "%*s... %zu frame%s\n",
		36 + (int)(2 * (depth < MAX_INDENT ? depth : MAX_INDENT)), "", skipped,
		skipped == 1 ? "" : "s");
	picture->lines++;
}

/* Chosen nodes, what calls them and where paths part; the rest of a path is only counted. */
static bool is_shown(const struct picture *picture, uint32_t node)
{
	uint32_t child = picture->first[node];

	if (!node || picture->chosen[node])
		return true;
	if (child != RESULT_NONE && picture->next[child] != RESULT_NONE)
		return true;
	return child != RESULT_NONE && picture->chosen[child];
}

/* Depth is bounded by the view's limit. */
static void walk(struct picture *picture, uint32_t node, size_t depth, size_t skipped)
{
	bool shown = is_shown(picture, node);

	if (picture->lines + 2 > picture->limits->max_lines)
		return;
	if (shown && skipped == 1) {
		add_node(picture, picture->benchmark->nodes[node].parent, depth++);
	} else if (shown && skipped) {
		add_skipped(picture, skipped, depth++);
	}
	if (shown && picture->lines < picture->limits->max_lines)
		add_node(picture, node, depth);
	for (uint32_t child = picture->first[node]; child != RESULT_NONE;
		child = picture->next[child])
		walk(picture, child, shown ? depth + 1 : depth, shown ? 0 : skipped + 1);
}

void tree_text_add(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct tree_text_limits *limits)
{
	struct arena arena = ARENA_INIT;
	struct picture picture = {.benchmark = benchmark, .limits = limits, .out = out};
	size_t count = benchmark->node_count;

	if (!count || !has_base(benchmark))
		return;
	picture.chosen = arena_array(&arena, count, sizeof(*picture.chosen));
	picture.on_path = arena_array(&arena, count, sizeof(*picture.on_path));
	picture.first = arena_array(&arena, count, sizeof(*picture.first));
	picture.next = arena_array(&arena, count, sizeof(*picture.next));
	picture.worst = arena_array(&arena, count, sizeof(*picture.worst));
	if (choose(&picture)) {
		mark_paths(&picture);
		list_children(&picture);
		walk(&picture, 0, 0, 0);
	}
	arena_release(&arena);
}
