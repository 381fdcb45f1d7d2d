/* SPDX-License-Identifier: Apache-2.0 */
#include "report/svg/svg.h"

#include <stdbool.h>
#include <string.h>

#include "report/clean.h"
#include "report/findings/blamed.h"
#include "report/findings/shown.h"
#include "report/markup.h"
#include "report/svg/svg_graph.h"
#include "report/svg/svg_style.h"
#include "report/svg/svg_text.h"
#include "report/words/cost_words.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define WIDTH 1200
#define MARGIN 16
#define INSIDE (WIDTH - 2 * MARGIN)
#define HEADLINE_COLUMNS 500
#define HEADLINE_LINES 4
#define HEADLINE_ROW 22
#define HEADLINE_FONT 18 /* 16, and bold */
#define BADGE_FONT 14    /* 12, and bold */
#define SMALL_FONT 12
#define NAME_COLUMNS 80
#define SWATCH 20
#define LEGEND_GAP 18
#define FRAME_BYTES (64u * 1024) /* of the picture without its graph; less, whatever the names */

/* Where the next thing goes. */
struct pen {
	struct strbuf *out;
	double x, y;
};

static void add_text(struct pen *pen, const char *class, const char *text)
{
	strbuf_addf(pen->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, pen->x, pen->y);
	markup_xml(pen->out, text);
	strbuf_addstr(pen->out, "</text>\n");
}

/* ---- the head: verdict, sentence, what was compared ------------------------------------------ */

static const char *class_of_word(const char *word)
{
	return strcmp(word, "FAIL") == 0   ? "fail"
	       : strcmp(word, "PASS") == 0 ? "pass"
	       : strcmp(word, "INFO") == 0 ? "info"
					   : "warn";
}

static void add_badge(struct pen *pen, const char *word)
{
	double width = svg_text_width(word, BADGE_FONT) + 16;

	strbuf_addf(pen->out,
		"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"22\" rx=\"5\"/>\n",
		class_of_word(word), pen->x, pen->y - 16, width);
	pen->x += 9;
	add_text(pen, "w", word);
	pen->x += width + 1;
}

/* In as many lines as it needs, up to HEADLINE_LINES. */
static void add_headline(struct pen *pen, const char *sentence)
{
	double room = WIDTH - MARGIN - pen->x;

	for (int line = 1; *sentence; line++) {
		struct strbuf text = STRBUF_INIT;
		size_t length = svg_text_line(sentence, room, HEADLINE_FONT);

		if (line == HEADLINE_LINES)
			svg_text_fit(&text, sentence, room, HEADLINE_FONT);
		else
			strbuf_add(&text, sentence, length);
		add_text(pen, "c", text.data);
		strbuf_release(&text);
		pen->y += HEADLINE_ROW;
		if (line == HEADLINE_LINES)
			break;
		sentence += length + strspn(sentence + length, " ");
	}
}

static void add_commit(struct strbuf *out, const char *label, const struct result_commit *commit)
{
	struct strbuf name = STRBUF_INIT;

	commit_add(&name, commit);
	if (name.length) {
		strbuf_addf(out, "%s ", label);
		clean_cut(out, name.data, NAME_COLUMNS);
		strbuf_addstr(out, " · ");
	}
	strbuf_release(&name);
}

static void add_origin(struct pen *pen, const struct result *result, size_t shown)
{
	struct strbuf text = STRBUF_INIT, fit = STRBUF_INIT;
	bool worst = shown == worst_benchmark(result, 0);

	if (result->benchmark_count > 1) {
		strbuf_addf(&text,
			worst ? "the worst of %zu benchmarks"
			      : "one of %zu benchmarks, the worst that has a profile",
			result->benchmark_count);
		strbuf_addf(&text, " (all: %s) · ", word_of_result(result));
	}
	add_commit(&text, "base", &result->base);
	add_commit(&text, "head", &result->head);
	clean_cut(&text, result->date, NAME_COLUMNS);
	strbuf_addstr(&text, " · flamegate ");
	clean_cut(&text, result->tool_version, NAME_COLUMNS);
	svg_text_fit(&fit, text.data, INSIDE, SMALL_FONT);
	add_text(pen, "s", fit.data);
	strbuf_release(&text);
	strbuf_release(&fit);
}

/* ---- the legend ------------------------------------------------------------------------------ */

static void add_entry(struct pen *pen, const char *swatch, const char *text)
{
	double width = svg_text_width(text, SMALL_FONT) + (swatch ? SWATCH + 6 : 0);

	if (pen->x > MARGIN && pen->x + width > WIDTH - MARGIN) {
		pen->x = MARGIN;
		pen->y += SVG_ROW;
	}
	if (swatch) {
		strbuf_addf(pen->out,
			"<rect %s x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"11\"/>\n", swatch,
			pen->x, pen->y - 9.5, SWATCH);
		pen->x += SWATCH + 6;
	}
	add_text(pen, "s", text);
	pen->x += width - (swatch ? SWATCH + 6 : 0) + LEGEND_GAP;
}

/* "CPU time", "memory"; nothing where only a profile's unit says it. */
static void add_noun(struct strbuf *out, const struct result_benchmark *benchmark)
{
	const struct cost_words *words = cost_words_of(benchmark);

	if (words->more_of)
		strbuf_addstr(out, words->more_of);
	else if (figure_is_unit(benchmark->unit))
		strbuf_addf(out, " %s", benchmark->unit);
}

static void add_scale(struct pen *pen, const struct result_benchmark *benchmark)
{
	struct strbuf more = STRBUF_INIT, less = STRBUF_INIT;

	strbuf_addstr(&more, "▲ more");
	strbuf_addstr(&less, cost_words_of(benchmark)->many ? "▼ fewer" : "▼ less");
	add_noun(&more, benchmark);
	add_noun(&less, benchmark);
	add_entry(pen, "class=\"m5\"", more.data);
	add_entry(pen, "class=\"l5\"", less.data);
	add_entry(pen, "class=\"g\"",
		is_decided(benchmark) ? "not significant" : "changed by less than 0.5 %");
	strbuf_release(&more);
	strbuf_release(&less);
}

static bool any_below_zero(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->node_count; i++)
		if (benchmark->nodes[i].total[1] < 0)
			return true;
	return false;
}

static void add_one_sided(struct pen *pen, const struct result_benchmark *benchmark)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "one colour for each module; width:");
	add_noun(&text, benchmark);
	add_entry(pen, NULL, text.data);
	if (any_below_zero(benchmark))
		add_entry(pen, "class=\"l3\"", "▼ below zero, as wide as its size");
	strbuf_release(&text);
}

static void add_two_sided(struct pen *pen, const struct result_benchmark *benchmark)
{
	add_scale(pen, benchmark);
	add_entry(pen, NULL,
		base_is_reference(benchmark)
			? "width: the larger of head and the stored baseline (not scaled)"
			: "width: the larger of both versions");
	add_entry(pen, NULL, "filled: head");
	add_entry(pen, NULL, "tick: base");
	add_entry(pen, NULL, "+ only in head");
	add_entry(pen, "fill=\"url(#fg-gone)\"", "− only in base");
	if (benchmark->culprit_count)
		add_entry(pen, "class=\"f\"", "to blame");
	if (any_below_zero(benchmark))
		add_entry(pen, NULL, "[−] below zero, as wide as its size");
}

static void add_legend(
	struct pen *pen, const struct result_benchmark *benchmark, const struct svg_graph *graph)
{
	struct strbuf text = STRBUF_INIT;

	if (has_base(benchmark))
		add_two_sided(pen, benchmark);
	else
		add_one_sided(pen, benchmark);
	if (graph->above) {
		figure_plural(&text, graph->above, "outer frame");
		strbuf_addstr(&text, " not shown");
		add_entry(pen, NULL, text.data);
	}
	if (graph->below)
		add_entry(pen, NULL, "deeper frames not shown");
	strbuf_release(&text);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static void add_graph(struct pen *pen, const struct result_benchmark *benchmark)
{
	struct svg_graph graph = {.x = MARGIN,
		.y = pen->y,
		.width = INSIDE,
		.max_bytes = SVG_MAX_BYTES - FRAME_BYTES};

	pen->x = MARGIN;
	if (benchmark->node_count < 2) {
		pen->y += SVG_ROW;
		add_text(pen, "s", "There is no profile to draw.");
		return;
	}
	svg_graph(&graph, benchmark, pen->out);
	if (!graph.rows) {
		pen->y += SVG_ROW;
		add_text(pen, "s", "The profile is too large to draw.");
		return;
	}
	pen->y += (double)(graph.rows * SVG_ROW) + SVG_ROW;
	add_legend(pen, benchmark, &graph);
}

static void add_body(
	struct pen *pen, const struct result *result, size_t shown, const char *sentence)
{
	const struct result_benchmark *benchmark = &result->benchmarks[shown];
	struct result_benchmark drawn = shown_benchmark(benchmark);

	pen->x = MARGIN;
	pen->y = MARGIN + 20;
	add_badge(pen, word_of_benchmark(benchmark));
	add_headline(pen, sentence);
	pen->x = MARGIN;
	add_origin(pen, result, shown);
	pen->y += 12;
	add_graph(pen, &drawn);
}

static size_t benchmark_to_show(const struct result *result)
{
	size_t drawn = worst_benchmark(result, 2);

	return drawn < result->benchmark_count ? drawn : worst_benchmark(result, 0);
}

static void add_picture(
	struct strbuf *out, const struct strbuf *body, double height, const char *title)
{
	strbuf_addf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fg flamegate\" width=\"%d\" "
		"height=\"%.0f\" viewBox=\"0 0 %d %.0f\" role=\"img\">\n<title>",
		WIDTH, height, WIDTH, height);
	markup_xml(out, title);
	strbuf_addf(out,
		"</title>\n%s<rect class=\"b\" x=\".5\" y=\".5\" width=\"%d\" height=\"%.0f\" "
		"rx=\"8\"/>\n%s</svg>\n",
		svg_style, WIDTH - 1, height - 1, body->data);
}

void report_svg(const struct report_view *view, struct strbuf *out)
{
	const struct result *result = &view->result;
	struct strbuf title = STRBUF_INIT, body = STRBUF_INIT;
	struct pen pen = {&body, MARGIN, MARGIN + 20};

	if (result->benchmark_count) {
		size_t shown = benchmark_to_show(result);

		blamed_message(&(struct blamed){.benchmark = &result->benchmarks[shown]},
			HEADLINE_COLUMNS, &title);
		add_body(&pen, result, shown, title.data);
	} else {
		strbuf_addstr(&title, "Nothing was measured.");
		add_text(&pen, "c", title.data);
	}
	add_picture(out, &body, pen.y + MARGIN, title.data);
	strbuf_release(&title);
	strbuf_release(&body);
}
