/* SPDX-License-Identifier: Apache-2.0 */
/* Many benchmarks: a line for each that somebody should see, in groups. */
#include "report/terminal/terminal_tables.h"

#include <math.h>
#include <stdlib.h>

#include "gate/base/arena.h"
#include "report/clean.h"
#include "report/findings/sentence.h"
#include "report/words/figure.h"
#include "report/words/groups.h"
#include "report/words/words.h"

#define CHANGE_COLUMNS 9
#define NAME_COLUMNS 60
#define MOST_ROWS 50 /* of a group */

static void add_figures(struct strbuf *line, const struct result_benchmark *benchmark)
{
	if (benchmark->outcome != OUTCOME_MEASURED || !isfinite(benchmark->total.base))
		return;
	strbuf_addstr(line, "  ");
	figure_cost(line, benchmark->total.base, benchmark->unit);
	strbuf_addstr(line, " -> ");
	figure_cost(line, benchmark->total.head, benchmark->unit);
}

static void put_change(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "");
	if (benchmark->outcome == OUTCOME_MEASURED && isfinite(benchmark->total.change))
		figure_signed_percent(&text, benchmark->total.change);
	printer_right(printer, text.data, CHANGE_COLUMNS);
	strbuf_release(&text);
}

static void put_row(struct printer *printer, const struct benchmark_group *group,
	const struct result_benchmark *benchmark)
{
	struct strbuf line = STRBUF_INIT;

	printer_indent(printer, 2);
	strbuf_addf(printer->out, "%-6s", word_of_benchmark(benchmark));
	put_change(printer, benchmark);
	strbuf_addstr(printer->out, "  ");
	clean_cut(&line, group_member_name(group, benchmark), NAME_COLUMNS);
	add_figures(&line, benchmark);
	printer_line_from(printer, 2 + 6 + CHANGE_COLUMNS + 2, line.data);
	strbuf_release(&line);
}

/* Of those without a finding the two that changed most. */
static void put_passed(
	struct printer *printer, const struct result *result, const struct benchmark_group *group)
{
	const struct result_benchmark *most = NULL, *least = NULL;
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < group->count; i++) {
		const struct result_benchmark *one = &result->benchmarks[group->members[i]];

		if (one->status != RESULT_PASS || one->outcome != OUTCOME_MEASURED ||
			!isfinite(one->total.change))
			continue;
		most = most ? most : one;
		least = one;
	}
	if (!group->with[RESULT_PASS])
		return;
	figure_count(&line, group->with[RESULT_PASS]);
	strbuf_addstr(&line, " without a finding");
	if (most) {
		strbuf_addstr(&line, ", ");
		figure_signed_interval(&line, least->total.change, most->total.change);
	}
	printer_line(printer, 2, line.data);
	strbuf_release(&line);
}

static void put_group(
	struct printer *printer, const struct result *result, const struct benchmark_group *group)
{
	struct strbuf title = STRBUF_INIT, line = STRBUF_INIT;
	size_t shown = 0, left_out = 0;

	group_add_title(&title, group);
	clean_cut(&line, title.data, printer->width);
	strbuf_addch(printer->out, '\n');
	printer_color(printer, BOLD, line.data);
	strbuf_addch(printer->out, '\n');
	for (size_t i = 0; i < group->count; i++) {
		const struct result_benchmark *one = &result->benchmarks[group->members[i]];

		if (one->status == RESULT_PASS)
			continue;
		if (shown++ < MOST_ROWS)
			put_row(printer, group, one);
		else
			left_out++;
	}
	put_passed(printer, result, group);
	if (left_out) {
		strbuf_reset(&line);
		strbuf_addf(&line, "and %zu more: see report.html", left_out);
		printer_line(printer, 2, line.data);
	}
	strbuf_release(&title);
	strbuf_release(&line);
}

void terminal_groups(struct printer *printer, const struct result *result)
{
	struct benchmark_groups groups;

	groups_make(result, &groups);
	for (size_t i = 0; i < groups.count; i++)
		put_group(printer, result, &groups.items[i]);
	groups_release(&groups);
}
