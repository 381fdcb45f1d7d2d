/* SPDX-License-Identifier: Apache-2.0 */
#include "report/terminal_tables.h"

#include <stdio.h>
#include <string.h>

#include "report/clean.h"
#include "report/figure.h"
#include "report/quantity.h"
#include "report/shown.h"
#include "report/words.h"

#define FLOOR 0.002 /* smaller changes are not listed unless notable */

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

/* match: " (new)", or nothing */
static void put_function_name(struct printer *printer, const struct result_function *function,
	const char *match, size_t used)
{
	struct strbuf name = STRBUF_INIT, place = STRBUF_INIT;
	size_t room = printer->width - used - strlen(match), place_room = room / 2;

	if (*function->file) {
		struct strbuf raw = STRBUF_INIT;

		place_add(&raw, function->file, function->line);
		clean_cut(&place, raw.data, place_room > 4 ? place_room - 2 : 3);
		room -= clean_columns(place.data, place.length) + 2;
		strbuf_release(&raw);
	}
	clean_cut(&name, *function->name ? function->name : "(no name)", room);
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

#define CHANGE_COLUMNS 53 /* in front of the name */
#define TOTAL_COLUMNS 32
#define LEAST_NAME_COLUMNS 40

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

static void put_change_row(struct printer *printer, const char *unit,
	const struct result_function *function, bool totals)
{
	const char *match = function->match == MATCH_NEW        ? " (new)"
			    : function->match == MATCH_VANISHED ? " (gone)"
								: "";
	char padded[32];
	struct cells cells;

	fill_cells(&cells, &function->self, unit);
	snprintf(padded, sizeof(padded), "  %9s", cells.change);
	printer_color(printer, change_color(&function->self), padded);
	printer_right(printer, cells.interval, 20);
	printer_right(printer, cells.base, 10);
	printer_right(printer, cells.head, 10);
	if (totals)
		put_total(printer, function);
	strbuf_addstr(printer->out, "  ");
	put_function_name(printer, function, match, CHANGE_COLUMNS + (totals ? TOTAL_COLUMNS : 0));
}

static void put_cost_row(struct printer *printer, const struct result_benchmark *benchmark,
	const struct result_function *function)
{
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
	strbuf_addf(printer->out, "%10s  ", cell);
	put_function_name(printer, function, "", 33);
	strbuf_release(&text);
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
	printer_color(printer, DIM,
		totals     ? "     change     95 % interval      base      head      total"
			     "        95 % interval  function"
		: compared ? "     change     95 % interval      base      head  function"
			   : "      self      cost     total  function");
	strbuf_addch(printer->out, '\n');
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

/* ---- everything that was looked at ------------------------------------------------------------
 */

static void put_cost(struct printer *printer, const struct result_quantity *quantity, double cost)
{
	struct strbuf text = STRBUF_INIT;
	char cell[24];

	quantity_cost(&text, quantity, cost);
	copy_cell(cell, sizeof(cell), &text);
	printer_right(printer, cell, 10);
	strbuf_release(&text);
}

static void put_quantity(struct printer *printer, const struct result_quantity *quantity)
{
	static const char *const colors[] = {
		[HELD_SAME] = DIM, [HELD_GREW] = RED, [HELD_SHRANK] = GREEN, [HELD_CANNOT] = DIM};
	struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;
	char cell[40];

	put_cost(printer, quantity, quantity->base);
	put_cost(printer, quantity, quantity->head);
	quantity_change(&text, quantity, false);
	copy_cell(cell, sizeof(cell), &text);
	printer_right(printer, cell, 11);
	snprintf(cell, sizeof(cell), "  %-17s  ", quantity_verdict(quantity));
	printer_color(printer, colors[quantity->state], cell);
	strbuf_addf(&text, "%s (", quantity->meaning);
	quantity_test(&text, quantity);
	strbuf_addch(&text, ')');
	clean_cut(&name, text.data, printer->width - 52);
	strbuf_addf(printer->out, "%s\n", name.data);
	strbuf_release(&text);
	strbuf_release(&name);
}

void terminal_quantities(struct printer *printer, const struct result_benchmark *benchmark)
{
	if (!quantities_are_shown(benchmark))
		return;
	printer_heading(printer, "Everything that was looked at");
	printer_color(printer, DIM, "      base      head     change  verdict            quantity");
	strbuf_addch(printer->out, '\n');
	for (size_t i = 0; i < benchmark->quantity_count && i < QUANTITIES_LISTED; i++)
		put_quantity(printer, &benchmark->quantities[i]);
}

/* ---- recorded benchmarks ---------------------------------------------------------------------
 */

static void put_recorded_row(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct strbuf text = STRBUF_INIT;
	char cell[40];

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
	strbuf_addstr(printer->out, "  ");
	clean_cut(&text, *benchmark->name ? benchmark->name : "(no name)", printer->width - 33);
	strbuf_addf(printer->out, "%s\n", text.data);
	strbuf_release(&text);
}

void terminal_recorded(struct printer *printer, const struct result *result)
{
	strbuf_addch(printer->out, '\n');
	printer_color(printer, DIM, "      per run    spread   runs  benchmark");
	strbuf_addch(printer->out, '\n');
	for (size_t i = 0; i < result->benchmark_count; i++) {
		if (result->benchmarks[i].status != RESULT_ERROR)
			put_recorded_row(printer, &result->benchmarks[i]);
	}
}
