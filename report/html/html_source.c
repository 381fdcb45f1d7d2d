/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html/html_source.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/html/html_text.h"
#include "report/markup.h"
#include "report/words/figure.h"
#include "report/words/source_text.h"
#include "report/words/words.h"

#define TEXT_COLUMNS 240
#define NAME_COLUMNS 200
#define OPEN_LINES 32 /* a longer one is folded */
#define BAR_PIXELS 48
/* Of the function's own cost: less need not be accounted for. */
#define LEAST_REST 0.01

static double largest_cost(const struct result_source *source)
{
	double most = 0;

	for (size_t i = 0; i < source->line_count; i++)
		if (source_cost(&source->lines[i]) > most)
			most = source_cost(&source->lines[i]);
	return most;
}

/* ---- one line ------------------------------------------------------------------------------- */

static void add_number(struct strbuf *out, int64_t number)
{
	strbuf_addstr(out, "<td class=\"at\">");
	if (number > 0)
		strbuf_addf(out, "%" PRId64, number);
	strbuf_addstr(out, "</td>");
}

static void add_cost(struct strbuf *out, const struct result_line *line, int version, double most,
	const char *unit)
{
	double cost = line->cost[version];

	strbuf_addstr(out, "<td class=\"cost\">");
	if (cost > 0) {
		strbuf_addstr(out, "<span>");
		figure_cost(out, cost, unit);
		strbuf_addf(out, "</span> <i class=\"bar %s\" style=\"width:%dpx\"></i>",
			version ? "head" : "base", 1 + (int)(cost / most * (BAR_PIXELS - 1)));
	}
	strbuf_addstr(out, "</td>");
}

static void add_line(
	struct strbuf *out, const struct result_line *line, double most, const char *unit)
{
	static const char *const classes[] = {"same", "removed", "added"};
	static const char *const marks[] = {"", "−", "+"};
	struct strbuf text = STRBUF_INIT;

	source_text_add(&text, line->text, TEXT_COLUMNS);
	strbuf_addf(out, "<tr class=\"%s\">", classes[line->kind]);
	add_number(out, line->base);
	add_number(out, line->head);
	add_cost(out, line, 0, most, unit);
	add_cost(out, line, 1, most, unit);
	strbuf_addf(out, "<td class=\"mark\">%s</td><td class=\"text\"><code>", marks[line->kind]);
	markup_escape(out, text.data);
	strbuf_addstr(out, "</code></td></tr>\n");
	strbuf_release(&text);
}

/* ---- the panel ------------------------------------------------------------------------------ */

/* The last line that each side has. */
struct last {
	int64_t base, head;
};

static bool jumps(int64_t last, int64_t number)
{
	return last && number && number != last + 1;
}

/* Lines of another file of base's stand before the first of head's. */
static bool leaves_file(
	const struct result_source *source, const struct last *last, const struct result_line *line)
{
	return last->base && !last->head && line->head &&
	       strcmp(source->file, source->base_file) != 0;
}

static void add_lines(
	struct strbuf *out, const struct result_source *source, double most, const char *unit)
{
	struct last last = {0};

	for (size_t i = 0; i < source->line_count; i++) {
		const struct result_line *line = &source->lines[i];

		if (jumps(last.head, line->head) || jumps(last.base, line->base) ||
			leaves_file(source, &last, line))
			strbuf_addstr(out, "<tr class=\"gap\"><td colspan=\"6\">⋯</td></tr>\n");
		add_line(out, line, most, unit);
		last.head = line->head ? line->head : last.head;
		last.base = line->base ? line->base : last.base;
	}
}

/* Of a caller, what the culprit costs is by way of its lines. */
static bool is_callers(const struct result_culprit *culprit)
{
	return culprit->source->function != culprit->function;
}

static void add_summary(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	const struct result_source *source = culprit->source;
	struct strbuf file = STRBUF_INIT;
	size_t changed = 0;

	for (size_t i = 0; i < source->line_count; i++)
		changed += source->lines[i].kind != SOURCE_SAME;
	source_file_add(&file, source);
	strbuf_addstr(out, "<summary>");
	if (is_callers(culprit)) {
		strbuf_addstr(out, "where ");
		html_code(out, function_name(benchmark, source->function), NAME_COLUMNS);
		strbuf_addstr(out, " calls it, ");
	}
	strbuf_addstr(out, "source of ");
	html_code(out, file.data, NAME_COLUMNS);
	strbuf_addstr(out, ": ");
	figure_plural(out, source->line_count, "line");
	strbuf_addf(out, ", %zu changed</summary>\n", changed);
	strbuf_release(&file);
}

static double rest_of(const struct result_source *source, double own, int version)
{
	for (size_t i = 0; i < source->line_count; i++)
		own -= source->lines[i].cost[version];
	return own;
}

/* What the lines do not account for: lines that are not shown, and code whose line is not known. */
static void add_rest(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	const struct result_change *self = &benchmark->functions[culprit->function].self;
	double base = rest_of(culprit->source, self->base, 0);
	double head = rest_of(culprit->source, self->head, 1);

	if (is_callers(culprit))
		return;
	if (base < self->base * LEAST_REST)
		base = 0;
	if (head < self->head * LEAST_REST)
		head = 0;
	if (!isfinite(base) || !isfinite(head) || (!(base > 0) && !(head > 0)))
		return;
	strbuf_addstr(out, "<p class=\"rest\">In lines that are not shown or not known: ");
	figure_cost(out, base, benchmark->unit);
	strbuf_addstr(out, " → ");
	figure_cost(out, head, benchmark->unit);
	strbuf_addstr(out, "</p>\n");
}

void html_source(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	const struct result_source *source = culprit->source;
	const char *cost;

	if (!source || !source->line_count)
		return;
	cost = is_callers(culprit) ? "cost of the call" : "own cost";
	strbuf_addf(out, "<details class=\"source\"%s>",
		source->line_count <= OPEN_LINES ? " open" : "");
	add_summary(out, benchmark, culprit);
	strbuf_addf(out,
		"<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"source with "
		"costs\"><table><thead><tr><th class=\"at\">base</th><th class=\"at\">head</th><th "
		"class=\"cost\">%s, base</th><th class=\"cost\">%s, head</th><th "
		"colspan=\"2\">source</th></tr></thead><tbody>\n",
		cost, cost);
	add_lines(out, source, largest_cost(source), benchmark->unit);
	strbuf_addstr(out, "</tbody></table></div>\n");
	add_rest(out, benchmark, culprit);
	strbuf_addstr(out, "</details>\n");
}
