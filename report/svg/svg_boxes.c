/* SPDX-License-Identifier: Apache-2.0 */
#include "report/svg/svg_boxes.h"

#include <math.h>
#include <stdlib.h>

#include "report/words/words.h"

#define UNDECIDED_FLOOR 0.005 /* where nothing was decided, what changed less is grey */
#define SELF_FLOOR 0.0005     /* of a call's own cost */
#define MOST_OF_IT 0.9        /* of an outer frame's width, for it to be left out */

struct layout {
	const struct result_benchmark *benchmark;
	const struct svg_frame *frame;
	struct svg_boxes *out;
	struct arena arena;
	double *width, *left;   /* costs */
	uint32_t *first, *next; /* children in the tree's order, which is by name */
	size_t *height;         /* rows of what can be seen below and with the node */
	bool *kept;             /* leads to a culprit */
	double scale;           /* pixels per cost */
	uint32_t focus;         /* the outermost node that is shown */
};

/* ---- colours --------------------------------------------------------------------------------- */

static int sign_of(double change)
{
	return (change > 0) - (change < 0);
}

/* A call has its function's verdict of the own cost: it shows in the calls that went that way. */
static int self_direction(const struct result_benchmark *benchmark, const struct result_node *node)
{
	int sign = sign_of(node->self_change);

	if (!state_is_colored(node->self_state) || node->function == RESULT_NONE ||
		fabs(node->self_change) < SELF_FLOOR)
		return 0;
	return sign == sign_of(benchmark->functions[node->function].self.change) ? sign : 0;
}

int svg_direction(const struct result_benchmark *benchmark, uint32_t node)
{
	const struct result_node *one = &benchmark->nodes[node];

	if (!has_base(benchmark))
		return 0;
	if (!is_decided(benchmark))
		return fabs(one->total_change) < UNDECIDED_FLOOR ? 0 : sign_of(one->total_change);
	if (!node)
		return state_is_colored(benchmark->total.state) ? sign_of(benchmark->total.change)
								: 0;
	if (state_is_colored(one->state))
		return sign_of(one->total_change);
	return self_direction(benchmark, one);
}

/* ---- the whole tree -------------------------------------------------------------------------- */

static void measure(struct layout *layout)
{
	const struct result_node *nodes = layout->benchmark->nodes;
	double *cursor;
	size_t count = layout->benchmark->node_count;

	for (size_t i = count; i-- > 0;) {
		layout->width[i] += fmax(fabs(nodes[i].self[0]), fabs(nodes[i].self[1]));
		if (i)
			layout->width[nodes[i].parent] += layout->width[i];
	}
	/* What no sample saw stays empty below the root. */
	layout->width[0] =
		fmax(layout->width[0], fmax(fabs(nodes[0].total[0]), fabs(nodes[0].total[1])));
	cursor = arena_array(&layout->arena, count, sizeof(*cursor));
	for (size_t i = 1; i < count; i++) {
		layout->left[i] = layout->left[nodes[i].parent] + cursor[nodes[i].parent];
		cursor[nodes[i].parent] += layout->width[i];
	}
}

static void link_children(struct layout *layout)
{
	for (size_t i = 0; i < layout->benchmark->node_count; i++)
		layout->first[i] = layout->next[i] = RESULT_NONE;
	for (size_t i = layout->benchmark->node_count; i-- > 1;) {
		uint32_t parent = layout->benchmark->nodes[i].parent;

		layout->next[i] = layout->first[parent];
		layout->first[parent] = (uint32_t)i;
	}
}

static void keep_culprits(struct layout *layout)
{
	const struct result_benchmark *benchmark = layout->benchmark;

	for (size_t i = 0; i < benchmark->culprit_count && i < SVG_CULPRITS; i++) {
		uint32_t node = benchmark->culprits[i].node;

		for (; node && !layout->kept[node]; node = benchmark->nodes[node].parent)
			layout->kept[node] = true;
	}
}

static bool is_seen(const struct layout *layout, uint32_t node)
{
	double pixels = layout->width[node] * layout->scale, least = layout->frame->min_width;

	if (pixels >= least)
		return true;
	if (layout->kept[node])
		return pixels >= 0.5;
	return pixels >= least / 2 && svg_direction(layout->benchmark, node);
}

static void set_focus(struct layout *layout, uint32_t node)
{
	double width = layout->width[node];

	layout->focus = node;
	layout->scale = width > 0 && isfinite(width) ? layout->frame->width / width : 0;
	/* Of costs next to nothing; a hostile report has them. */
	if (!isfinite(layout->scale))
		layout->scale = 0;
}

static void measure_heights(struct layout *layout)
{
	for (size_t i = layout->benchmark->node_count; i-- > 0;) {
		size_t *above = &layout->height[layout->benchmark->nodes[i].parent];

		layout->height[i]++;
		if (i && is_seen(layout, (uint32_t)i) && layout->height[i] > *above)
			*above = layout->height[i];
	}
}

static uint32_t widest_child(const struct layout *layout, uint32_t node)
{
	uint32_t widest = RESULT_NONE;

	for (uint32_t child = layout->first[node]; child != RESULT_NONE;
		child = layout->next[child])
		if (widest == RESULT_NONE || layout->width[child] > layout->width[widest])
			widest = child;
	return widest;
}

/* A tree that is too high begins further in, as long as nearly all of it is still there. */
static void choose_focus(struct layout *layout)
{
	uint32_t node = 0;

	set_focus(layout, 0);
	measure_heights(layout);
	while (layout->height[node] > layout->frame->max_rows) {
		uint32_t child = widest_child(layout, node);

		if (child == RESULT_NONE || layout->width[child] < MOST_OF_IT * layout->width[node])
			break;
		node = child;
		layout->out->above++;
	}
	set_focus(layout, node);
}

/* ---- what is seen ---------------------------------------------------------------------------- */

static void add_box(struct layout *layout, const struct svg_box *box)
{
	struct svg_boxes *out = layout->out;

	out->boxes = grow_array(out->boxes, &out->capacity, out->count + 1, sizeof(*out->boxes));
	out->boxes[out->count++] = *box;
	if (box->row >= out->rows)
		out->rows = box->row + 1;
}

static struct svg_box box_of(const struct layout *layout, uint32_t node, size_t row)
{
	const struct result_node *one = &layout->benchmark->nodes[node];

	struct svg_box box = {.node = node, .row = row, .cost = {one->total[0], one->total[1]}};

	if (layout->scale > 0) {
		box.x = (layout->left[node] - layout->left[layout->focus]) * layout->scale;
		box.width = layout->width[node] * layout->scale;
	}
	return box;
}

/* Neighbours that cannot be seen alone are one box if they can be together. */
static void merge(struct svg_box *run, const struct svg_box *box)
{
	if (!run->merged)
		*run = (struct svg_box){.node = RESULT_NONE, .row = box->row, .x = box->x};
	run->merged++;
	run->width += box->width;
	run->cost[0] += box->cost[0];
	run->cost[1] += box->cost[1];
}

static void end_run(struct layout *layout, struct svg_box *run)
{
	if (run->merged && run->width >= layout->frame->min_width)
		add_box(layout, run);
	run->merged = 0;
}

/* As deep as max_rows at most. */
static void place(struct layout *layout, uint32_t node, size_t row)
{
	struct svg_box box = box_of(layout, node, row), run = {0};

	add_box(layout, &box);
	if (row + 1 >= layout->frame->max_rows) {
		layout->out->below |= layout->height[node] > 1;
		return;
	}
	for (uint32_t child = layout->first[node]; child != RESULT_NONE;
		child = layout->next[child]) {
		box = box_of(layout, child, row + 1);
		if (is_seen(layout, child)) {
			end_run(layout, &run);
			place(layout, child, row + 1);
		} else {
			merge(&run, &box);
		}
	}
	end_run(layout, &run);
}

static void layout_init(struct layout *layout)
{
	size_t count = layout->benchmark->node_count;

	layout->width = arena_array(&layout->arena, count, sizeof(*layout->width));
	layout->left = arena_array(&layout->arena, count, sizeof(*layout->left));
	layout->first = arena_array(&layout->arena, count, sizeof(*layout->first));
	layout->next = arena_array(&layout->arena, count, sizeof(*layout->next));
	layout->height = arena_array(&layout->arena, count, sizeof(*layout->height));
	layout->kept = arena_array(&layout->arena, count, sizeof(*layout->kept));
	measure(layout);
	link_children(layout);
	keep_culprits(layout);
}

void svg_boxes_init(struct svg_boxes *boxes, const struct result_benchmark *benchmark,
	const struct svg_frame *frame)
{
	struct layout layout = {
		.benchmark = benchmark, .frame = frame, .out = boxes, .arena = ARENA_INIT};

	*boxes = (struct svg_boxes){0};
	if (!benchmark->node_count)
		return;
	layout_init(&layout);
	choose_focus(&layout);
	boxes->scale = layout.scale;
	place(&layout, layout.focus, 0);
	arena_release(&layout.arena);
}

void svg_boxes_release(struct svg_boxes *boxes)
{
	free(boxes->boxes);
	*boxes = (struct svg_boxes){0};
}
