/* SPDX-License-Identifier: Apache-2.0 */
#include "report/terminal/terminal_tables.h"

#include <stdio.h>
#include <string.h>

#include "report/clean.h"
#include "report/findings/metric_words.h"
#include "report/findings/shown.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define FLOOR 0.002 /* smaller changes are not listed unless notable */

#define CHANGE_COLUMNS 53 /* in front of the name */
#define TOTAL_COLUMNS 32
#define INTERVAL_COLUMNS 20
#define LEAST_NAME_COLUMNS 40
#define WIDTH_OF_INTERVALS 80 /* narrower: without them */
#define WIDTH_OF_ROWS 56      /* narrower: names in lines of their own */
#define METRIC_AT 52

struct cells {
	char change[24], interval[40], base[24], head[24];
};

static void copy_cell(char *cell, size_t size, struct strbuf *text)
{
	snprintf(cell, size, "%s", text->data);
	strbuf_reset(text);
}

static void fill_cells(struct cells *cells, const struct result_change *change, const char *unit)
{
	struct strbuf text = STRBUF_INIT;

	figure_signed_percent(&text, change->change);
	copy_cell(cells->change, sizeof(cells->change), &text);
	if (has_interval(change))
		figure_signed_interval(&text, change->low, change->high);
	copy_cell(cells->interval, sizeof(cells->interval), &text);
	figure_cost(&text, change->base, unit);
	copy_cell(cells->base, sizeof(cells->base), &text);
	figure_cost(&text, change->head, unit);
	copy_cell(cells->head, sizeof(cells->head), &text);
	strbuf_release(&text);
}

#define LEAST_PLACE_COLUMNS 8

/* A name that is cut says less than none of a place: the place gets what the name leaves. */
static size_t place_columns(size_t room, size_t name)
{
	size_t half = room / 2, rest = room > name ? room - name : 0;
	size_t most = rest > half ? rest : half;

	if (most < LEAST_PLACE_COLUMNS + 2 || (most > rest && room < LEAST_NAME_COLUMNS))
		return 0;
	return most - 2;
}

/* match: " (new)", or nothing */
static void put_function_name(struct printer *printer, const struct result_function *function,
	const char *match, size_t used)
{
	struct strbuf name = STRBUF_INIT, place = STRBUF_INIT;
	size_t room = printer->width - used - strlen(match), place_room;

	clean_cut(&name, *function->name ? function->name : "(no name)", room);
	place_room = place_columns(room, clean_columns(name.data, name.length));
	if (*function->file && place_room) {
		struct strbuf raw = STRBUF_INIT;

		place_add(&raw, function->file, function->line);
		clean_cut(&place, raw.data, place_room);
		room -= clean_columns(place.data, place.length) + 2;
		strbuf_release(&raw);
		strbuf_reset(&name);
		clean_cut(&name, *function->name ? function->name : "(no name)", room);
	}
	strbuf_add(printer->out, name.data, name.length);
	if (*match)
		printer_color(printer, DIM, match);
	if (place.length)
		printer_color(printer, DIM, "  "), printer_color(printer, DIM, place.data);
	strbuf_addch(printer->out, '\n');
	strbuf_release(&name);
	strbuf_release(&place);
}

static const char *change_color(const struct result_change *change)
{
	if (!state_is_notable(change->state))
		return DIM;
	return change->change > 0 ? RED : GREEN;
}

/* Where there is room: change and interval of the cost with what it calls. */
static void put_total(struct printer *printer, const struct result_function *function)
{
	struct strbuf text = STRBUF_INIT;

	if (has_total_interval(function))
		figure_signed_percent(&text, function->total_change);
	printer_right(printer, text.data, 11);
	strbuf_reset(&text);
	if (has_total_interval(function))
		figure_signed_interval(&text, function->total_low, function->total_high);
	printer_right(printer, text.data, TOTAL_COLUMNS - 11);
	strbuf_release(&text);
}

static bool has_room_for_totals(const struct printer *printer,
	const struct result_benchmark *benchmark, const uint32_t *order, size_t count)
{
	if (printer->width < CHANGE_COLUMNS + TOTAL_COLUMNS + LEAST_NAME_COLUMNS)
		return false;
	for (size_t i = 0; i < count; i++)
		if (has_total_interval(&benchmark->functions[order[i]]))
			return true;
	return false;
}

/* Where a row has no room for it, the name comes first. */
static bool put_name_alone(
	struct printer *printer, const struct result_function *function, const char *match)
{
	if (printer->width >= WIDTH_OF_ROWS)
		return false;
	printer_indent(printer, 2);
	put_function_name(printer, function, match, 2);
	return true;
}

static void put_change_row(struct printer *printer, const char *unit,
	const struct result_function *function, bool totals)
{
	const char *match = function->match == MATCH_NEW        ? " (new)"
			    : function->match == MATCH_VANISHED ? " (gone)"
								: "";
	bool intervals = printer->width >= WIDTH_OF_INTERVALS;
	size_t used = CHANGE_COLUMNS - (intervals ? 0 : INTERVAL_COLUMNS);
	bool named = put_name_alone(printer, function, match);
	char padded[32];
	struct cells cells;

	fill_cells(&cells, &function->self, unit);
	snprintf(padded, sizeof(padded), "  %9s", cells.change);
	printer_color(printer, change_color(&function->self), padded);
	if (intervals)
		printer_right(printer, cells.interval, INTERVAL_COLUMNS);
	printer_right(printer, cells.base, 10);
	printer_right(printer, cells.head, 10);
	if (totals)
		put_total(printer, function);
	strbuf_addstr(printer->out, named ? "\n" : "  ");
	if (!named)
		put_function_name(printer, function, match, used + (totals ? TOTAL_COLUMNS : 0));
}

static void put_cost_row(struct printer *printer, const struct result_benchmark *benchmark,
	const struct result_function *function)
{
	bool named = put_name_alone(printer, function, "");
	struct strbuf text = STRBUF_INIT;
	char cell[24];

	figure_percent(&text, share_of_head(benchmark, function->self.head));
	copy_cell(cell, sizeof(cell), &text);
	strbuf_addf(printer->out, "  %9s", cell);
	figure_cost(&text, function->self.head, benchmark->unit);
	copy_cell(cell, sizeof(cell), &text);
	printer_right(printer, cell, 10);
	figure_percent(&text, share_of_head(benchmark, function->total[1]));
	copy_cell(cell, sizeof(cell), &text);
	strbuf_addf(printer->out, "%10s%s", cell, named ? "\n" : "  ");
	if (!named)
		put_function_name(printer, function, "", 33);
	strbuf_release(&text);
}

static const char *functions_head(const struct printer *printer, bool compared, bool totals)
{
	if (!compared)
		return "      self      cost     total";
	if (totals)
		return "     change     95 % interval      base      head      total"
		       "        95 % interval";
	return printer->width >= WIDTH_OF_INTERVALS
		       ? "     change     95 % interval      base      head"
		       : "     change      base      head";
}

static void put_head(struct printer *printer, const char *head, const char *name)
{
	printer_color(printer, DIM, head);
	if (printer->width >= WIDTH_OF_ROWS)
		printer_color(printer, DIM, name);
	strbuf_addch(printer->out, '\n');
}

static void put_functions(
	struct printer *printer, const char *title, const struct result_benchmark *benchmark)
{
	bool compared = has_base(benchmark), totals;
	uint32_t order[TERMINAL_LISTED];
	size_t count = rank_functions(benchmark, compared ? FLOOR : 0, order, TERMINAL_LISTED);

	if (!count)
		return;
	printer_heading(printer, title);
	totals = compared && has_room_for_totals(printer, benchmark, order, count);
	put_head(printer, functions_head(printer, compared, totals), "  function");
	for (size_t i = 0; i < count; i++) {
		if (compared)
			put_change_row(
				printer, benchmark->unit, &benchmark->functions[order[i]], totals);
		else
			put_cost_row(printer, benchmark, &benchmark->functions[order[i]]);
	}
}

void terminal_functions(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct result_benchmark shown = shown_benchmark(benchmark);
	struct strbuf title = STRBUF_INIT;

	shown_title(&title, benchmark, changes_title(&shown));
	put_functions(printer, title.data, &shown);
	strbuf_release(&title);
}

void terminal_improvements(struct printer *printer, const struct result_benchmark *benchmark)
{
	if (!benchmark->improvement_count)
		return;
	printer_heading(printer, "Improvements");
	for (size_t i = 0; i < benchmark->improvement_count && i < TERMINAL_LISTED; i++)
		put_change_row(printer, benchmark->unit,
			&benchmark->functions[benchmark->improvements[i]], false);
}

/* ---- everything that was looked at ----------------------------------------------------------- */

static void put_cost(struct printer *printer, const struct result_metric *metric, double cost)
{
	struct strbuf text = STRBUF_INIT;
	char cell[24];

	metric_cost(&text, metric, cost);
	copy_cell(cell, sizeof(cell), &text);
	printer_right(printer, cell, 10);
	strbuf_release(&text);
}

static const char *metric_color(const struct result_metric *metric)
{
	static const char *const colors[] = {[METRIC_SAME] = DIM,
		[METRIC_GREW] = RED,
		[METRIC_SHRANK] = GREEN,
		[METRIC_UNDECIDED] = DIM};

	return colors[metric->state];
}

static void put_cleaned(struct printer *printer, unsigned at, const struct strbuf *text)
{
	struct strbuf line = STRBUF_INIT;

	clean_cut(&line, text->data, METRIC_COLUMNS + METRIC_TEST_COLUMNS);
	printer_wrap(printer, at, at, line.data, line.length);
	strbuf_release(&line);
}

static void put_metric(struct printer *printer, const struct result_metric *metric)
{
	struct strbuf text = STRBUF_INIT;
	char cell[40];

	put_cost(printer, metric, metric->base);
	put_cost(printer, metric, metric->head);
	metric_change(&text, metric, false);
	copy_cell(cell, sizeof(cell), &text);
	printer_right(printer, cell, 11);
	snprintf(cell, sizeof(cell), "  %-17s  ", metric_verdict(metric));
	printer_color(printer, metric_color(metric), cell);
	strbuf_addf(&text, "%s (", metric->meaning);
	metric_test(&text, metric);
	strbuf_addch(&text, ')');
	put_cleaned(printer, METRIC_AT, &text);
	strbuf_release(&text);
}

/* Where there is no room for columns: its name and verdict, and the figures below. */
static void put_metric_lines(struct printer *printer, const struct result_metric *metric)
{
	const char *verdict = metric_verdict(metric);
	struct strbuf text = STRBUF_INIT;
	size_t room = printer->width - 4 - strlen(verdict);

	clean_cut(&text, metric->meaning, room < METRIC_COLUMNS ? room : METRIC_COLUMNS);
	strbuf_addf(printer->out, "  %s: ", text.data);
	printer_color(printer, metric_color(metric), verdict);
	strbuf_addstr(printer->out, "\n    ");
	strbuf_reset(&text);
	metric_cost(&text, metric, metric->base);
	strbuf_addstr(&text, text.length ? " -> " : "");
	metric_cost(&text, metric, metric->head);
	strbuf_addstr(&text, text.length ? ", " : "");
	metric_change(&text, metric, false);
	strbuf_addstr(&text, " (");
	metric_test(&text, metric);
	strbuf_addch(&text, ')');
	put_cleaned(printer, 4, &text);
	strbuf_release(&text);
}

void terminal_metrics(struct printer *printer, const struct result_benchmark *benchmark)
{
	bool columns = printer->width >= WIDTH_OF_INTERVALS;

	if (!metrics_are_shown(benchmark))
		return;
	printer_heading(printer, "Everything that was looked at");
	if (columns)
		put_head(printer, "      base      head     change  verdict          ", "  metric");
	for (size_t i = 0; i < benchmark->metric_count && i < METRICS_LISTED; i++) {
		if (columns)
			put_metric(printer, &benchmark->metrics[i]);
		else
			put_metric_lines(printer, &benchmark->metrics[i]);
	}
}

/* ---- recorded benchmarks --------------------------------------------------------------------- */

static void put_recorded_row(struct printer *printer, const struct result_benchmark *benchmark)
{
	bool alone = printer->width < WIDTH_OF_ROWS;
	struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;
	char cell[40];

	clean_cut(&name, *benchmark->name ? benchmark->name : "(no name)",
		printer->width - (alone ? 2 : 33));
	if (alone)
		strbuf_addf(printer->out, "  %s\n", name.data);
	figure_cost(&text, benchmark->total.head, benchmark->unit);
	copy_cell(cell, sizeof(cell), &text);
	strbuf_addstr(printer->out, "  ");
	printer_right(printer, cell, 12);
	spread_add(&text, benchmark);
	copy_cell(cell, sizeof(cell), &text);
	printer_right(printer, cell, 10);
	runs_add(&text, benchmark);
	copy_cell(cell, sizeof(cell), &text);
	printer_right(printer, cell, 7);
	strbuf_addf(printer->out, "%s%s\n", alone ? "" : "  ", alone ? "" : name.data);
	strbuf_release(&text);
	strbuf_release(&name);
}

void terminal_recorded(struct printer *printer, const struct result *result)
{
	strbuf_addch(printer->out, '\n');
	put_head(printer, "      per run    spread   runs", "  benchmark");
	for (size_t i = 0; i < result->benchmark_count; i++) {
		if (result->benchmarks[i].status != RESULT_ERROR)
			put_recorded_row(printer, &result->benchmarks[i]);
	}
}
