/* SPDX-License-Identifier: Apache-2.0 */
#include "report/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gate/base/text.h"
#include "report/clean.h"
#include "report/figure.h"
#include "report/sentence.h"
#include "report/words.h"

#define DEFAULT_WIDTH 100
#define LEAST_WIDTH 60
#define NAME_COLUMNS 60   /* of a name within a sentence */
#define DETAIL_BYTES 4096 /* of a detail below it */
#define LISTED 10
#define FLOOR 0.002 /* smaller changes are not listed unless notable */

#define BOLD "1"
#define DIM "2"
#define RED "1;31"
#define GREEN "1;32"
#define YELLOW "1;33"

struct printer {
	struct strbuf *out;
	unsigned width;
	bool color, brief;
};

static void put_colored(struct printer *printer, const char *color, const char *text)
{
	if (printer->color)
		strbuf_addf(printer->out, "\033[%sm%s\033[0m", color, text);
	else
		strbuf_addstr(printer->out, text);
}

static const char *status_color(enum result_status status)
{
	static const char *const colors[] = {GREEN, YELLOW, RED, YELLOW};

	return colors[status];
}

/* ---- wrapped text -----------------------------------------------------------------------------
 */

/* Bytes of text that fit into `columns`, broken after a space if there is one. */
static size_t fitting_bytes(const char *text, size_t length, size_t columns)
{
	size_t end = 0, seen = 0, space = 0;

	while (end < length && seen < columns) {
		end++;
		while (end < length && ((unsigned char)text[end] & 0xc0) == 0x80)
			end++;
		seen++;
		if (text[end - 1] == ' ')
			space = end;
	}
	return end == length || !space ? end : space;
}

/* One more line that others wrote: wrapping may have put a command at its start. */
static void put_piece(struct printer *printer, const char *text, size_t length)
{
	struct strbuf piece = STRBUF_INIT;

	while (length && text[length - 1] == ' ')
		length--;
	text_defuse(&piece, text, length);
	strbuf_add(printer->out, piece.data, piece.length);
	strbuf_addch(printer->out, '\n');
	strbuf_release(&piece);
}

static void put_indent(struct printer *printer, unsigned indent)
{
	strbuf_addf(printer->out, "%*s", (int)indent, "");
}

/* Wraps a clean line; the cursor stands at column `at`, further lines are indented. */
static void put_wrapped(
	struct printer *printer, unsigned at, unsigned indent, const char *text, size_t length)
{
	while (true) {
		size_t end = fitting_bytes(text, length, printer->width - at);

		put_piece(printer, text, end);
		text += end;
		length -= end;
		if (!length)
			return;
		put_indent(printer, indent);
		at = indent;
	}
}

/* The cursor stands at column `at` already. */
static void put_line_from(struct printer *printer, unsigned at, const char *text)
{
	struct strbuf line = STRBUF_INIT;

	clean_line(&line, text);
	put_wrapped(printer, at, at, line.data, line.length);
	strbuf_release(&line);
}

static void put_line(struct printer *printer, unsigned indent, const char *text)
{
	put_indent(printer, indent);
	put_line_from(printer, indent, text);
}

/* Text of several lines. */
static void put_block(struct printer *printer, unsigned indent, const char *text, size_t max_bytes)
{
	struct strbuf block = STRBUF_INIT;
	const char *at;

	clean_block(&block, text, max_bytes);
	for (at = block.data; *at;) {
		size_t length = strcspn(at, "\n");

		put_indent(printer, indent);
		put_wrapped(printer, indent, indent + 2, at, length);
		at += length + (at[length] == '\n');
	}
	strbuf_release(&block);
}

static void add_sentence(struct strbuf *out, const struct sentence *sentence)
{
	for (size_t i = 0; i < sentence->count; i++) {
		const struct span *span = &sentence->spans[i];

		if (span->kind == SPAN_TEXT)
			strbuf_addstr(out, span->text);
		else if (span->kind == SPAN_NAME)
			clean_cut(out, span->text, NAME_COLUMNS);
		else
			clean_first_line(out, span->text, DETAIL_COLUMNS);
	}
}

/* Ends and releases the sentence. */
static void put_sentence(
	struct printer *printer, unsigned at, unsigned indent, struct sentence *sentence)
{
	struct strbuf line = STRBUF_INIT;

	add_sentence(&line, sentence);
	put_wrapped(printer, at, indent, line.data, line.length);
	strbuf_release(&line);
	sentence_release(sentence);
}

static void put_heading(struct printer *printer, const char *heading)
{
	strbuf_addstr(printer->out, "\n  ");
	put_colored(printer, BOLD, heading);
	strbuf_addch(printer->out, '\n');
}

static void put_list(struct printer *printer, const char *heading, const char *const *lines,
	size_t count, unsigned indent)
{
	if (!count)
		return;
	put_heading(printer, heading);
	for (size_t i = 0; i < count; i++)
		put_line(printer, indent, lines[i]);
}

/* ---- the parts of a benchmark -----------------------------------------------------------------
 */

static void put_path(struct printer *printer, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct strbuf path = STRBUF_INIT;
	size_t skipped = culprit->path_length > 8 ? culprit->path_length - 8 : 0;

	if (culprit->path_length < 2)
		return;
	strbuf_addstr(&path, "path: ");
	for (size_t i = 0; i < culprit->path_length; i++) {
		if (skipped && i > 1 && i < 2 + skipped) {
			strbuf_addstr(&path, i == 2 ? " > ..." : "");
			continue;
		}
		strbuf_addstr(&path, i ? " > " : "");
		clean_cut(&path, function_name(benchmark, culprit->path[i]), 32);
	}
	put_indent(printer, 6);
	put_wrapped(printer, 6, 12, path.data, path.length);
	strbuf_release(&path);
}

static void put_culprit_costs(struct printer *printer, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	const struct result_function *function = &benchmark->functions[culprit->function];
	struct strbuf line = STRBUF_INIT;

	strbuf_addstr(&line, "self ");
	figure_seconds(&line, function->self.base);
	strbuf_addstr(&line, " -> ");
	figure_seconds(&line, function->self.head);
	if (isfinite(culprit->relative)) {
		strbuf_addstr(&line, ", ");
		figure_signed_percent(&line, culprit->relative);
		strbuf_addstr(&line, " of its own cost");
	}
	strbuf_addstr(&line, ", explains ");
	figure_percent(&line, culprit->explained);
	strbuf_addstr(&line, " of the increase");
	strbuf_addstr(&line,
		function->touched ? "; the diff changes it" : "; the diff does not change it");
	put_indent(printer, 6);
	put_wrapped(printer, 6, 6, line.data, line.length);
	strbuf_release(&line);
}

static void put_culprits(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct sentence sentence;

	if (!benchmark->culprit_count)
		return;
	put_heading(printer, benchmark->culprit_count == 1 ? "Culprit" : "Culprits");
	for (size_t i = 0; i < benchmark->culprit_count && i < LISTED; i++) {
		sentence_init(&sentence);
		sentence_of_culprit(&sentence, benchmark, &benchmark->culprits[i]);
		strbuf_addf(printer->out, "  %2zu. ", i + 1);
		put_sentence(printer, 6, 6, &sentence);
		put_culprit_costs(printer, benchmark, &benchmark->culprits[i]);
		put_path(printer, benchmark, &benchmark->culprits[i]);
	}
	if (benchmark->culprit_count > LISTED)
		strbuf_addf(
			printer->out, "      and %zu more\n", benchmark->culprit_count - LISTED);
}

static void put_shifts(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct sentence sentence;

	if (!benchmark->shift_count)
		return;
	put_heading(printer, "Cost that moved");
	for (size_t i = 0; i < benchmark->shift_count && i < LISTED; i++) {
		sentence_init(&sentence);
		sentence_of_shift(&sentence, benchmark, &benchmark->shifts[i]);
		put_indent(printer, 4);
		put_sentence(printer, 4, 6, &sentence);
	}
	if (benchmark->shift_count > LISTED)
		strbuf_addf(printer->out, "    and %zu more\n", benchmark->shift_count - LISTED);
}

/* ---- tables -----------------------------------------------------------------------------------
 */

struct cells {
	char change[24], interval[40], base[24], head[24];
};

static void copy_cell(char *cell, size_t size, struct strbuf *text)
{
	snprintf(cell, size, "%s", text->data);
	strbuf_reset(text);
}

static void fill_cells(struct cells *cells, const struct result_change *change)
{
	struct strbuf text = STRBUF_INIT;

	figure_signed_percent(&text, change->change);
	copy_cell(cells->change, sizeof(cells->change), &text);
	if (has_interval(change))
		figure_signed_interval(&text, change->low, change->high);
	copy_cell(cells->interval, sizeof(cells->interval), &text);
	figure_seconds(&text, change->base);
	copy_cell(cells->base, sizeof(cells->base), &text);
	figure_seconds(&text, change->head);
	copy_cell(cells->head, sizeof(cells->head), &text);
	strbuf_release(&text);
}

/* printf pads bytes; these are columns. */
static void put_right(struct printer *printer, const char *text, size_t columns)
{
	size_t has = clean_columns(text, strlen(text));

	put_indent(printer, has < columns ? (unsigned)(columns - has) : 0);
	strbuf_addstr(printer->out, text);
}

static void put_function_name(
	struct printer *printer, const struct result_function *function, size_t used)
{
	struct strbuf name = STRBUF_INIT, place = STRBUF_INIT;
	size_t room = printer->width - used, place_room = room / 2;

	if (*function->file) {
		struct strbuf raw = STRBUF_INIT;

		place_add(&raw, function->file, function->line);
		clean_cut(&place, raw.data, place_room > 4 ? place_room - 2 : 3);
		room -= clean_columns(place.data, place.length) + 2;
		strbuf_release(&raw);
	}
	clean_cut(&name, *function->name ? function->name : "(no name)", room);
	strbuf_add(printer->out, name.data, name.length);
	if (place.length)
		put_colored(printer, DIM, "  "), put_colored(printer, DIM, place.data);
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

static void put_change_row(struct printer *printer, const struct result_function *function)
{
	char padded[32];
	struct cells cells;

	fill_cells(&cells, &function->self);
	snprintf(padded, sizeof(padded), "  %9s", cells.change);
	put_colored(printer, change_color(&function->self), padded);
	put_right(printer, cells.interval, 20);
	put_right(printer, cells.base, 10);
	put_right(printer, cells.head, 10);
	strbuf_addstr(printer->out, "  ");
	put_function_name(printer, function, 53);
}

static void put_cost_row(struct printer *printer, const struct result_benchmark *benchmark,
	const struct result_function *function)
{
	double total = benchmark->total.head > 0 ? benchmark->total.head : 1;
	struct strbuf text = STRBUF_INIT;
	char cell[24];

	figure_percent(&text, function->self.head / total);
	copy_cell(cell, sizeof(cell), &text);
	strbuf_addf(printer->out, "  %9s", cell);
	figure_seconds(&text, function->self.head);
	copy_cell(cell, sizeof(cell), &text);
	put_right(printer, cell, 10);
	figure_percent(&text, function->total[1] / total);
	copy_cell(cell, sizeof(cell), &text);
	strbuf_addf(printer->out, "%10s  ", cell);
	put_function_name(printer, function, 33);
	strbuf_release(&text);
}

static void put_functions(struct printer *printer, const struct result_benchmark *benchmark)
{
	bool compared = has_base(benchmark);
	uint32_t order[LISTED];
	size_t count = rank_functions(benchmark, compared ? FLOOR : 0, order, LISTED);

	if (!count)
		return;
	put_heading(printer, compared ? "Largest changes of self cost" : "Largest self costs");
	put_colored(printer, DIM,
		compared ? "     change     95 % interval      base      head  function"
			 : "      self      time     total  function");
	strbuf_addch(printer->out, '\n');
	for (size_t i = 0; i < count; i++) {
		if (compared)
			put_change_row(printer, &benchmark->functions[order[i]]);
		else
			put_cost_row(printer, benchmark, &benchmark->functions[order[i]]);
	}
}

static void put_improvements(struct printer *printer, const struct result_benchmark *benchmark)
{
	if (!benchmark->improvement_count)
		return;
	put_heading(printer, "Improvements");
	for (size_t i = 0; i < benchmark->improvement_count && i < LISTED; i++)
		put_change_row(printer, &benchmark->functions[benchmark->improvements[i]]);
}

static void put_method(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct strbuf method = STRBUF_INIT;

	method_add(&method, benchmark);
	if (method.length) {
		put_heading(printer, "How it was measured");
		put_block(printer, 4, method.data, DETAIL_BYTES);
	}
	strbuf_release(&method);
}

static void put_verdict(struct printer *printer, enum result_status status, const char *verdict)
{
	char word[8];

	snprintf(word, sizeof(word), "%-7s", verdict);
	put_colored(printer, status_color(status), word);
}

static void put_detail(struct printer *printer, const struct result_benchmark *benchmark)
{
	if (detail_is_said(benchmark))
		return;
	put_block(printer, 7, benchmark->detail, DETAIL_BYTES);
}

static void put_benchmark(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_benchmark(&sentence, benchmark);
	put_verdict(printer, benchmark->status, word_of_benchmark(benchmark));
	put_sentence(printer, 7, 7, &sentence);
	put_detail(printer, benchmark);
	put_culprits(printer, benchmark);
	if (!printer->brief) {
		put_shifts(printer, benchmark);
		put_functions(printer, benchmark);
		put_improvements(printer, benchmark);
		put_list(printer, "What was excluded", benchmark->excluded,
			benchmark->excluded_count, 4);
		put_method(printer, benchmark);
	}
	put_list(printer, "Warnings", benchmark->warnings, benchmark->warning_count, 4);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static void put_commit(
	struct printer *printer, const char *label, const struct result_commit *commit)
{
	struct strbuf line = STRBUF_INIT;

	commit_add(&line, commit);
	if (line.length) {
		strbuf_addch(&line, ' ');
		clean_cut(&line, commit->subject, 70);
		if (commit->dirty)
			strbuf_addstr(&line, " (uncommitted changes were not measured)");
		strbuf_addf(printer->out, "%-7s", label);
		put_line_from(printer, 7, line.data);
	}
	strbuf_release(&line);
}

static void put_overview(struct printer *printer, const struct result *result)
{
	put_commit(printer, "base", &result->base);
	put_commit(printer, "head", &result->head);
	if (*result->policy_origin) {
		strbuf_addf(printer->out, "%-7s", "policy");
		put_line_from(printer, 7, result->policy_origin);
	}
	put_list(printer, "Changed configuration (takes effect after the merge)",
		result->config_changes, result->config_change_count, 4);
	put_list(printer, "Warnings", result->warnings, result->warning_count, 4);
}

/* What matters most stands last, where a terminal and a log end. */
static void put_summary(struct printer *printer, const struct result *result)
{
	struct sentence sentence;

	strbuf_addstr(printer->out, "\nIn all:\n");
	sentence_init(&sentence);
	sentence_of_result(&sentence, result);
	put_verdict(printer, result->status, word_of_result(result));
	put_sentence(printer, 7, 7, &sentence);
}

void report_terminal(
	const struct report_view *view, const struct terminal_options *options, struct strbuf *out)
{
	const struct result *result = &view->result;
	struct printer printer = {.out = out,
		.width = options->width ? options->width : DEFAULT_WIDTH,
		.color = options->color,
		.brief = options->brief};

	if (printer.width < LEAST_WIDTH)
		printer.width = LEAST_WIDTH;
	put_overview(&printer, result);
	for (size_t i = 0; i < result->benchmark_count; i++) {
		if (out->length)
			strbuf_addch(out, '\n');
		put_benchmark(&printer, &result->benchmarks[i]);
	}
	if (result->benchmark_count != 1)
		put_summary(&printer, result);
}
