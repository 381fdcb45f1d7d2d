/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many benchmarks: a table of groups, one of what has a finding, and what passed folded away. What
 * these take is kept free, so that the details of the first never push the names of the last out.
 */
#include "report/markdown/markdown_document.h"

#include <math.h>
#include <stdlib.h>

#include "gate/base/arena.h"
#include "report/markdown/markdown_text.h"
#include "report/words/figure.h"
#include "report/words/groups.h"
#include "report/words/words.h"

#define MOST_CHANGED 60 /* rows above the details */
#define MOST_ROWS 400   /* of each folded table */

static void add_group_name(struct strbuf *out, const struct benchmark_group *group)
{
	struct strbuf name = STRBUF_INIT;

	strbuf_add(&name, group->name, group->name_length);
	if (name.length)
		markdown_code(out, name.data, MARKDOWN_NAME_COLUMNS, true);
	else
		strbuf_addstr(out, "others");
	strbuf_release(&name);
}

static void add_count(struct strbuf *out, size_t count)
{
	strbuf_addstr(out, " | ");
	if (count)
		figure_count(out, count);
}

static void add_group_table(struct document *document, const struct benchmark_groups *groups)
{
	static const enum result_status columns[] = {
		RESULT_FAIL, RESULT_ERROR, RESULT_WARN, RESULT_NEUTRAL, RESULT_PASS};
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "\n| | benchmarks | fail | error | warn | new | pass |\n"
			     "|---|--:|--:|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < groups->count; i++) {
		const struct benchmark_group *group = &groups->items[i];

		strbuf_addstr(&text, "| ");
		add_group_name(&text, group);
		add_count(&text, group->count);
		for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++)
			add_count(&text, group->with[columns[k]]);
		strbuf_addstr(&text, " |\n");
	}
	markdown_section(document, &text);
}

static void add_row(struct strbuf *out, const struct result_benchmark *benchmark)
{
	bool is_measured = benchmark->outcome == OUTCOME_MEASURED;

	strbuf_addf(out, "| %s | ", word_of_benchmark(benchmark));
	markdown_code(out, benchmark->name, MARKDOWN_NAME_COLUMNS, true);
	strbuf_addstr(out, " | ");
	if (is_measured)
		figure_cost(out, benchmark->total.base, benchmark->unit);
	strbuf_addstr(out, " | ");
	if (is_measured)
		figure_cost(out, benchmark->total.head, benchmark->unit);
	strbuf_addstr(out, " | ");
	if (is_measured && isfinite(benchmark->total.change))
		figure_signed_percent(out, benchmark->total.change);
	strbuf_addstr(out, " |\n");
}

typedef bool row_chooser(const struct result_benchmark *benchmark);

static bool has_regressed(const struct result_benchmark *benchmark)
{
	return benchmark->status == RESULT_FAIL || benchmark->status == RESULT_ERROR;
}

static bool has_warning(const struct result_benchmark *benchmark)
{
	return benchmark->status == RESULT_WARN || benchmark->status == RESULT_NEUTRAL;
}

static bool has_passed(const struct result_benchmark *benchmark)
{
	return benchmark->status == RESULT_PASS;
}

/* Group by group; returns how many there are, of which the first `most` are shown. */
static size_t add_rows(struct strbuf *out, const struct result *result,
	const struct benchmark_groups *groups, row_chooser *is_chosen, size_t most)
{
	size_t count = 0;

	strbuf_addstr(out, "\n| | benchmark | base | head | change |\n|---|---|--:|--:|--:|\n");
	for (size_t i = 0; i < result->benchmark_count; i++) {
		const struct result_benchmark *one = &result->benchmarks[groups->order[i]];

		if (is_chosen(one) && count++ < most)
			add_row(out, one);
	}
	if (count > most)
		strbuf_addf(out, "\nand %zu more.\n", count - most);
	return count;
}

static void add_folded(struct strbuf *out, const struct result *result,
	const struct benchmark_groups *groups, row_chooser *is_chosen, const char *what)
{
	struct strbuf rows = STRBUF_INIT;
	size_t count = add_rows(&rows, result, groups, is_chosen, MOST_ROWS);

	if (count) {
		strbuf_addstr(out, "\n<details><summary>");
		figure_plural(out, count, "benchmark");
		strbuf_addf(out, " %s</summary>\n%s\n</details>\n", what, rows.data);
	}
	strbuf_release(&rows);
}

/* The largest first, as far as there is room. */
static void add_details(struct document *document, const struct result *result)
{
	static const enum result_status in_full[] = {RESULT_FAIL, RESULT_ERROR};
	size_t *order = xcalloc(result->benchmark_count, sizeof(*order));

	for (size_t k = 0; k < sizeof(in_full) / sizeof(in_full[0]); k++) {
		size_t count = markdown_order(result, in_full[k], order);

		for (size_t i = 0; i < count; i++)
			markdown_benchmark(document, &result->benchmarks[order[i]], true);
	}
	free(order);
}

void markdown_groups(struct document *document, const struct result *result)
{
	struct strbuf changed = STRBUF_INIT, folded = STRBUF_INIT;
	struct benchmark_groups groups;
	size_t budget = document->budget, used;

	groups_make(result, &groups);
	add_group_table(document, &groups);
	if (add_rows(&changed, result, &groups, has_regressed, MOST_CHANGED))
		markdown_section(document, &changed);
	else
		strbuf_release(&changed);
	add_folded(&folded, result, &groups, has_warning, "with a warning, or new");
	add_folded(&folded, result, &groups, has_passed, "without a finding");
	used = document->out->length - document->start;
	if (used + folded.length < budget)
		document->budget -= folded.length;
	add_details(document, result);
	document->budget = budget;
	if (folded.length)
		markdown_section(document, &folded);
	groups_release(&groups);
}
