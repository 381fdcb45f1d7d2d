/* SPDX-License-Identifier: Apache-2.0 */
#include "report/svg/svg_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/map.h"
#include "report/clean.h"
#include "report/markup.h"
#include "report/svg/svg_boxes.h"
#include "report/svg/svg_text.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define GAP 1
#define HEIGHT (SVG_ROW - GAP)
#define FONT 11
#define PADDING 4 /* of a name inside its box */
#define TEXT_ROOM 24
#define TICK 7
#define TICK_DISTANCE 1.5 /* pixels between base and head, for a tick */
#define MAX_ROWS 64
#define MAX_STEP 5 /* strengths of a colour */
#define NAME_COLUMNS 100
#define MODULE_TINTS 6

struct drawing {
	const struct result_benchmark *benchmark;
	const uint32_t *tints; /* of functions, by module; without a base */
	struct strbuf *out;
};

/* ---- colour and glyph ------------------------------------------------------------------------ */

/* On a log2 scale of the relative change: twice or half the cost is as strong as it gets. */
static int strength(double base, double head)
{
	double part = base > 0 && head > 0 ? fmin(1, 0.2 + 0.8 * fabs(log2(head / base))) : 1;

	return (int)lround(part * MAX_STEP);
}

static void add_color(const struct drawing *drawing, const struct svg_box *box)
{
	const struct result_benchmark *benchmark = drawing->benchmark;
	uint32_t function =
		box->node == RESULT_NONE ? RESULT_NONE : benchmark->nodes[box->node].function;
	int direction = box->node == RESULT_NONE ? 0 : svg_direction(benchmark, box->node);

	if (!has_base(benchmark) && box->cost[1] < 0)
		strbuf_addstr(drawing->out, "l3");
	else if (!has_base(benchmark) && function < benchmark->function_count)
		strbuf_addf(drawing->out, "o%u", drawing->tints[function]);
	else if (direction)
		strbuf_addf(drawing->out, "%c%d", direction > 0 ? 'm' : 'l',
			strength(box->cost[0], box->cost[1]));
	else
		strbuf_addch(drawing->out, 'g');
}

static bool is_gone(const struct drawing *drawing, const struct svg_box *box)
{
	return has_base(drawing->benchmark) && box->cost[0] > 0 && !(fabs(box->cost[1]) > 0);
}

static const char *glyph(const struct drawing *drawing, const struct svg_box *box)
{
	const struct result_benchmark *benchmark = drawing->benchmark;
	int direction = box->node == RESULT_NONE ? 0 : svg_direction(benchmark, box->node);

	if (!has_base(benchmark))
		return box->cost[1] < 0 ? "▼ " : "";
	if (box->node && is_gone(drawing, box))
		return direction ? "−▼ " : "− ";
	if (box->node && box->cost[1] > 0 && !(fabs(box->cost[0]) > 0))
		return direction ? "+▲ " : "+ ";
	return direction > 0 ? "▲ " : direction < 0 ? "▼ " : "";
}

/* ---- what a reader sees who points at a box -------------------------------------------------- */

static void add_costs(
	const struct drawing *drawing, const char *what, const double cost[2], double change)
{
	const struct result_benchmark *benchmark = drawing->benchmark;
	struct strbuf *out = drawing->out;

	strbuf_addf(out, "\n%s: ", what);
	if (has_base(benchmark)) {
		figure_cost(out, cost[0], benchmark->unit);
		strbuf_addstr(out, " → ");
	}
	figure_cost(out, cost[1], benchmark->unit);
	strbuf_addstr(out, ", ");
	if (has_base(benchmark))
		figure_signed_percent(out, change);
	else
		figure_percent(out, share_of_head(benchmark, cost[1]));
	strbuf_addstr(out, " of everything");
}

/* The interval is of the function's own cost, wherever it is called. */
static void add_verdict(const struct drawing *drawing, const struct result_function *function)
{
	struct strbuf *out = drawing->out;
	const char *word = word_change(drawing->benchmark, function);

	if (is_decided(drawing->benchmark) && has_interval(&function->self)) {
		strbuf_addstr(out, "\nself, on all paths: ");
		figure_signed_percent(out, function->self.change);
		strbuf_addstr(out, " (95 % interval ");
		figure_signed_interval(out, function->self.low, function->self.high);
		strbuf_addch(out, ')');
	}
	if (has_base(drawing->benchmark) && *word)
		strbuf_addf(out, "\n%s", word);
}

static void add_function(const struct drawing *drawing, const struct result_function *function)
{
	struct strbuf place = STRBUF_INIT;

	markup_xml_cut(drawing->out, *function->name ? function->name : "(no name)", NAME_COLUMNS);
	place_add(&place, *function->file ? function->file : function->module,
		*function->file ? function->line : 0);
	if (place.length) {
		strbuf_addstr(drawing->out, " (");
		markup_xml_cut(drawing->out, place.data, NAME_COLUMNS);
		strbuf_addch(drawing->out, ')');
	}
	strbuf_release(&place);
}

static void add_title(const struct drawing *drawing, const struct svg_box *box)
{
	const struct result_benchmark *benchmark = drawing->benchmark;
	const struct result_node *node =
		box->node == RESULT_NONE ? NULL : &benchmark->nodes[box->node];
	const struct result_function *function = node && node->function < benchmark->function_count
							 ? &benchmark->functions[node->function]
							 : NULL;
	double whole = fabs(benchmark->total.base) > 0 ? fabs(benchmark->total.base)
						       : fabs(benchmark->total.head) / 2;

	strbuf_addstr(drawing->out, "<title>");
	if (function)
		add_function(drawing, function);
	else if (!node)
		figure_plural(drawing->out, box->merged, "narrow frame");
	else
		strbuf_addstr(drawing->out, box->node ? "(other)" : "everything");
	add_costs(drawing, "total", box->cost,
		node ? node->total_change
		     : (box->cost[1] - box->cost[0]) / (whole > 0 ? whole : 1));
	if (node)
		add_costs(drawing, "self", node->self, node->self_change);
	if (function)
		add_verdict(drawing, function);
	strbuf_addstr(drawing->out, "</title>");
}

/* ---- a box ----------------------------------------------------------------------------------- */

static void add_rect(struct strbuf *out, double x, double y, double width, double height)
{
	strbuf_addf(out, "<rect x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\"", x, y, width,
		height);
}

static void add_fill(const struct drawing *drawing, const struct svg_box *box, double y,
	double width, const char *track)
{
	add_rect(drawing->out, box->x, y, width, HEIGHT);
	strbuf_addstr(drawing->out, " class=\"");
	add_color(drawing, box);
	strbuf_addf(drawing->out, "%s\"/>", track);
}

static bool is_culprit(const struct result_benchmark *benchmark, uint32_t node)
{
	for (size_t i = 0; i < benchmark->culprit_count && i < SVG_CULPRITS; i++)
		if (benchmark->culprits[i].node == node)
			return true;
	return false;
}

static void add_marks(const struct drawing *drawing, const struct svg_box *box, double y,
	double width, const double filled[2])
{
	struct strbuf *out = drawing->out;

	if (is_gone(drawing, box)) {
		add_rect(out, box->x, y, width, HEIGHT);
		strbuf_addstr(out, " fill=\"url(#fg-gone)\"/>");
	} else if (has_base(drawing->benchmark) && fabs(filled[1] - filled[0]) >= TICK_DISTANCE) {
		/* At the foot, so that it does not cross the name. */
		add_rect(out, fmax(box->x + filled[0] - 1, 0), y + HEIGHT - TICK, 2, TICK);
		strbuf_addstr(out, " class=\"i\"/>");
	}
	if (is_culprit(drawing->benchmark, box->node)) {
		add_rect(out, box->x + 1, y + 1, fmax(width - 2, 0.5), HEIGHT - 2);
		strbuf_addstr(out, " class=\"f\"/>");
	}
}

/* What fits, escaped. */
static void add_name(const struct drawing *drawing, uint32_t node, double room, struct strbuf *out)
{
	const struct result_benchmark *benchmark = drawing->benchmark;
	struct strbuf clean = STRBUF_INIT, fit = STRBUF_INIT;

	clean_cut(&clean,
		node ? function_name(benchmark, benchmark->nodes[node].function) : "everything",
		NAME_COLUMNS);
	svg_text_fit(&fit, clean.data, room, FONT);
	markup_xml(out, fit.data);
	strbuf_release(&clean);
	strbuf_release(&fit);
}

/* Where there is no room for two letters of the name the mark stands for itself. */
static void strip_blank(struct strbuf *text)
{
	if (text->length && text->data[text->length - 1] == ' ')
		strbuf_truncate(text, text->length - 1);
}

static void add_label(
	const struct drawing *drawing, const struct svg_box *box, double y, double width)
{
	double room = width - 2 * PADDING;
	struct strbuf mark = STRBUF_INIT, name = STRBUF_INIT;

	if (width < TEXT_ROOM || box->node == RESULT_NONE)
		return;
	strbuf_addstr(&mark, glyph(drawing, box));
	if (has_base(drawing->benchmark) && box->cost[1] < 0)
		strbuf_addstr(&mark, "[−] ");
	add_name(drawing, box->node, room - svg_text_width(mark.data, FONT), &name);
	if (!name.length)
		strip_blank(&mark);
	if (name.length || (mark.length && svg_text_width(mark.data, FONT) <= room))
		strbuf_addf(drawing->out, "<text x=\"%.1f\" y=\"%.0f\">%s%s</text>",
			box->x + PADDING, y + 13, mark.data, name.data);
	strbuf_release(&mark);
	strbuf_release(&name);
}

/* Filled up to the head's cost; a tick where the base's ends. */
static void add_box(const struct drawing *drawing, const struct svg_box *box, double cost_pixels)
{
	double y = (double)box->row * SVG_ROW, width = fmax(box->width - GAP, 0.5);
	double filled[2];

	for (int side = 0; side < 2; side++)
		filled[side] = fmin(fabs(box->cost[side]) * cost_pixels, width);
	strbuf_addstr(drawing->out, "<g>");
	add_title(drawing, box);
	if (filled[1] < width - 0.5)
		add_fill(drawing, box, y, width, " t");
	else
		filled[1] = width;
	if (filled[1] >= 0.05)
		add_fill(drawing, box, y, filled[1], "");
	add_marks(drawing, box, y, width, filled);
	add_label(drawing, box, y, width);
	strbuf_addstr(drawing->out, "</g>\n");
}

/* ---- the graph ------------------------------------------------------------------------------- */

struct module {
	const char *name;
	uint32_t number;
};

static int compare_modules(const void *a, const void *b)
{
	const struct module *left = a, *right = b;

	return strcmp(left->name, right->name);
}

/* Sorts them; tint_of[number]: by the place among the names that differ. */
static void tint_modules(struct module *modules, uint32_t count, uint32_t *tint_of)
{
	uint32_t place = 0;

	qsort(modules, count, sizeof(*modules), compare_modules);
	for (uint32_t i = 0; i < count; i++) {
		if (i && strcmp(modules[i].name, modules[i - 1].name) != 0)
			place++;
		tint_of[modules[i].number] = place % MODULE_TINTS;
	}
}

/*
 * One quiet hue for each module. By their addresses first: a view has each text once, and a hostile
 * one may be long and used everywhere.
 */
static uint32_t *tints_of(const struct result_benchmark *benchmark)
{
	size_t count = benchmark->function_count;
	uint32_t *tints = xcalloc(count, sizeof(*tints)), *tint_of, module_count = 0;
	struct module *modules = xcalloc(count, sizeof(*modules));
	struct map numbers;

	map_init(&numbers);
	for (size_t i = 0; i < count; i++) {
		const char *name = benchmark->functions[i].module;
		bool added;

		tints[i] = map_intern(&numbers, &name, sizeof(name), module_count, &added);
		if (added) {
			modules[module_count] = (struct module){name, module_count};
			module_count++;
		}
	}
	tint_of = xcalloc(module_count, sizeof(*tint_of));
	tint_modules(modules, module_count, tint_of);
	for (size_t i = 0; i < count; i++)
		tints[i] = tint_of[tints[i]];
	map_release(&numbers);
	free(modules);
	free(tint_of);
	return tints;
}

static void draw(struct svg_graph *graph, const struct drawing *drawing, double min_width)
{
	struct svg_frame frame = {graph->width, min_width, MAX_ROWS};
	struct svg_boxes boxes;

	svg_boxes_init(&boxes, drawing->benchmark, &frame);
	for (size_t i = 0; i < boxes.count; i++)
		add_box(drawing, &boxes.boxes[i], boxes.scale);
	graph->rows = boxes.rows;
	graph->above = boxes.above;
	graph->below = boxes.below;
	svg_boxes_release(&boxes);
}

void svg_graph(
	struct svg_graph *graph, const struct result_benchmark *benchmark, struct strbuf *out)
{
	struct strbuf elements = STRBUF_INIT;
	uint32_t *tints = has_base(benchmark) ? NULL : tints_of(benchmark);
	struct drawing drawing = {benchmark, tints, &elements};
	double min_width = 1;

	draw(graph, &drawing, min_width);
	while (elements.length > graph->max_bytes && min_width < 4 * graph->width) {
		min_width *= 2;
		strbuf_reset(&elements);
		draw(graph, &drawing, min_width);
	}
	if (elements.length > graph->max_bytes)
		graph->rows = 0;
	/* An inner SVG element cuts what sticks out of it. */
	if (graph->rows)
		strbuf_addf(out,
			"<svg x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%zu\">\n%s</svg>\n",
			graph->x, graph->y, graph->width, graph->rows * SVG_ROW, elements.data);
	strbuf_release(&elements);
	free(tints);
}
