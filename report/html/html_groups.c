/* SPDX-License-Identifier: Apache-2.0 */
/* Many benchmarks: a table of what has a finding, group by group, before their panels. */
#include "report/html/html_reference.h"

#include <math.h>

#include "gate/check/result.h"
#include "report/html/html_text.h"
#include "report/words/figure.h"
#include "report/words/groups.h"
#include "report/words/words.h"

#define NAME_COLUMNS 80

static void add_row(struct strbuf *out, const struct result_benchmark *benchmark)
{
	bool is_measured = benchmark->outcome == OUTCOME_MEASURED;

	strbuf_addf(out, "<tr><td class=\"state\">%s</td><td class=\"name\">",
		word_of_benchmark(benchmark));
	html_code(out, benchmark->name, NAME_COLUMNS);
	strbuf_addstr(out, "</td><td class=\"number\">");
	if (is_measured)
		figure_cost(out, benchmark->total.base, benchmark->unit);
	strbuf_addstr(out, "</td><td class=\"number\">");
	if (is_measured)
		figure_cost(out, benchmark->total.head, benchmark->unit);
	strbuf_addstr(out, "</td><td class=\"number\">");
	if (is_measured && isfinite(benchmark->total.change))
		figure_signed_percent(out, benchmark->total.change);
	strbuf_addstr(out, "</td></tr>\n");
}

static void add_group(
	struct strbuf *out, const struct result *result, const struct benchmark_group *group)
{
	struct strbuf title = STRBUF_INIT;

	group_add_title(&title, group);
	strbuf_addstr(out, "<tr><th colspan=\"5\">");
	html_text(out, title.data, NAME_COLUMNS * 2);
	strbuf_addstr(out, "</th></tr>\n");
	strbuf_release(&title);
	for (size_t i = 0; i < group->count; i++)
		if (result->benchmarks[group->members[i]].status != RESULT_PASS)
			add_row(out, &result->benchmarks[group->members[i]]);
}

void html_groups(struct strbuf *out, const struct result *result)
{
	struct benchmark_groups groups;

	groups_make(result, &groups);
	strbuf_addstr(out,
		"<section class=\"panel groups\"><h3>Benchmarks</h3>\n"
		"<div class=\"wide\"><table><thead><tr><th class=\"state\">verdict</th>"
		"<th>benchmark</th><th class=\"number\">base</th><th class=\"number\">head</th>"
		"<th class=\"number\">change</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < groups.count; i++)
		add_group(out, result, &groups.items[i]);
	strbuf_addstr(out, "</tbody></table></div></section>\n");
	groups_release(&groups);
}
