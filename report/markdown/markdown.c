/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markdown/markdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/findings/sentence.h"
#include "report/markdown/markdown_document.h"
#include "report/markdown/markdown_text.h"
#include "report/words/figure.h"
#include "report/words/groups.h"
#include "report/words/words.h"

#define LEAST_BUDGET_BYTES 4000
#define CLOSING_BYTES 200 /* kept for the note that something was left out */
#define LISTED_RECORDED 100

bool markdown_section(struct document *document, struct strbuf *section)
{
	size_t length = document->out->length - document->start;
	bool room = length + section->length <= document->budget;

	if (room)
		strbuf_add(document->out, section->data, section->length);
	else
		document->left_out++;
	strbuf_release(section);
	return room;
}

/* What passed: a line each, then its details, all folded away. */
static void add_passed(
	struct document *document, const struct result *result, const size_t *order, size_t count)
{
	struct strbuf text = STRBUF_INIT;
	struct sentence sentence;

	if (!count)
		return;
	strbuf_addstr(&text, "\n<details><summary>");
	figure_plural(&text, count, "benchmark");
	strbuf_addstr(&text, " without a finding</summary>\n\n");
	for (size_t i = 0; i < count && i < 100; i++) {
		sentence_init(&sentence);
		sentence_of_benchmark(&sentence, &result->benchmarks[order[i]]);
		strbuf_addstr(&text, "- ");
		markdown_sentence(&text, &sentence);
		strbuf_addch(&text, '\n');
		sentence_release(&sentence);
	}
	if (count > 100)
		strbuf_addf(&text, "- and %zu more\n", count - 100);
	strbuf_addstr(&text, "\n</details>\n");
	markdown_section(document, &text);
}

/* In its place among those that are in order, behind its equals. */
static void insert_by_change(
	const struct result_benchmark *benchmarks, size_t *order, size_t count, size_t one)
{
	double change = benchmarks[one].total.change;

	while (count && benchmarks[order[count - 1]].total.change < change) {
		order[count] = order[count - 1];
		count--;
	}
	order[count] = one;
}

size_t markdown_order(const struct result *result, enum result_status status, size_t *order)
{
	size_t count = 0;

	for (size_t i = 0; i < result->benchmark_count; i++) {
		if (result->benchmarks[i].status != status)
			continue;
		if (status == RESULT_PASS)
			order[count] = i;
		else
			insert_by_change(result->benchmarks, order, count, i);
		count++;
	}
	return count;
}

static void add_benchmarks(struct document *document, const struct result *result)
{
	static const enum result_status by_severity[] = {
		RESULT_FAIL, RESULT_ERROR, RESULT_WARN, RESULT_NEUTRAL};
	size_t *order = xcalloc(result->benchmark_count, sizeof(*order));
	size_t count = 0;

	if (result->benchmark_count == 1) {
		markdown_benchmark(document, &result->benchmarks[0], false);
		free(order);
		return;
	}
	for (size_t i = 0; i < sizeof(by_severity) / sizeof(by_severity[0]); i++)
		count += markdown_order(result, by_severity[i], order + count);
	for (size_t i = 0; i < count; i++)
		markdown_benchmark(document, &result->benchmarks[order[i]], true);
	count = markdown_order(result, RESULT_PASS, order);
	add_passed(document, result, order, count);
	for (size_t i = 0; i < count; i++) {
		if (result->benchmarks[order[i]].outcome == OUTCOME_PROFILE)
			markdown_benchmark(document, &result->benchmarks[order[i]], true);
	}
	free(order);
}

/* ---- recorded benchmarks --------------------------------------------------------------------- */

static void add_recorded_row(struct strbuf *out, const struct result_benchmark *benchmark)
{
	strbuf_addstr(out, "| ");
	markdown_code(
		out, *benchmark->name ? benchmark->name : "(no name)", MARKDOWN_NAME_COLUMNS, true);
	strbuf_addstr(out, " | ");
	figure_cost(out, benchmark->total.head, benchmark->unit);
	strbuf_addstr(out, " | ");
	spread_add(out, benchmark);
	strbuf_addstr(out, " | ");
	runs_add(out, benchmark);
	strbuf_addstr(out, " |\n");
}

/* The table says it all but for what went wrong. */
static void add_recording(struct document *document, const struct result *result)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "\n| benchmark | per run | spread | runs |\n|---|--:|--:|--:|\n");
	for (size_t i = 0; i < result->benchmark_count && i < LISTED_RECORDED; i++) {
		if (result->benchmarks[i].status != RESULT_ERROR)
			add_recorded_row(&text, &result->benchmarks[i]);
	}
	if (result->benchmark_count > LISTED_RECORDED)
		strbuf_addf(&text, "\nand %zu more.\n", result->benchmark_count - LISTED_RECORDED);
	markdown_section(document, &text);
	for (size_t i = 0; i < result->benchmark_count; i++) {
		const struct result_benchmark *benchmark = &result->benchmarks[i];

		if (benchmark->status != RESULT_PASS || benchmark->warning_count)
			markdown_benchmark(document, benchmark, true);
	}
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void add_headline(struct document *document, const struct result *result)
{
	struct strbuf text = STRBUF_INIT;
	struct sentence sentence;

	strbuf_addf(&text, "%s\n### %s: ", MARKDOWN_MARKER, word_of_result(result));
	sentence_init(&sentence);
	sentence_of_result(&sentence, result);
	markdown_sentence(&text, &sentence);
	strbuf_addch(&text, '\n');
	sentence_release(&sentence);
	markdown_section(document, &text);
}

static void add_commit(struct strbuf *out, const char *label, const struct result_commit *commit)
{
	struct strbuf name = STRBUF_INIT;

	commit_add(&name, commit);
	if (name.length) {
		strbuf_addf(out, "%s ", label);
		markdown_code(out, name.data, MARKDOWN_NAME_COLUMNS, false);
		if (*commit->subject && !commit->dirty) {
			strbuf_addch(out, ' ');
			markdown_code(out, commit->subject, MARKDOWN_NAME_COLUMNS, false);
		}
	}
	strbuf_release(&name);
}

static void add_page(struct strbuf *out, const struct report_view *view)
{
	if (view->page_url)
		strbuf_addf(out, "\n[The whole report, with flame graphs](%s)\n", view->page_url);
}

static void add_origin(struct document *document, const struct result *result)
{
	struct strbuf text = STRBUF_INIT;

	add_commit(&text, "\nBase", &result->base);
	add_commit(&text, text.length ? ", head" : "\nHead", &result->head);
	if (*result->policy_origin) {
		strbuf_addstr(&text, text.length ? "; policy from " : "\nPolicy from ");
		markdown_code(&text, result->policy_origin, MARKDOWN_NAME_COLUMNS, false);
	}
	if (text.length)
		strbuf_addstr(&text, ".\n");
	add_page(&text, document->view);
	if (text.length)
		markdown_section(document, &text);
}

static void add_left_out(struct document *document)
{
	if (!document->left_out)
		return;
	strbuf_addstr(document->out, "\n");
	figure_plural(document->out, document->left_out, "section");
	strbuf_addstr(document->out, " left out for length: see report.html.\n");
}

static void add_all(struct document *document)
{
	const struct result *result = &document->view->result;

	add_headline(document, result);
	markdown_warnings(document, "Warnings:", result->warnings, result->warning_count);
	markdown_warnings(document, "Notes:", result->notes, result->note_count);
	markdown_warnings(document,
		"Changed configuration (takes effect after the merge):", result->config_changes,
		result->config_change_count);
	if (is_recording(result))
		add_recording(document, result);
	else if (groups_are_worth_it(result))
		markdown_groups(document, result);
	else
		add_benchmarks(document, result);
	add_origin(document, result);
}

void report_markdown(const struct report_view *view, size_t max_bytes, struct strbuf *out)
{
	struct document document = {.out = out, .view = view, .start = out->length};

	document.budget = max_bytes ? max_bytes : MARKDOWN_BUDGET_BYTES;
	if (document.budget < LEAST_BUDGET_BYTES)
		document.budget = LEAST_BUDGET_BYTES;
	add_all(&document);
	if (!document.left_out)
		return;
	/* Once more, with room to say so. */
	strbuf_truncate(out, document.start);
	document.left_out = 0;
	document.budget -= CLOSING_BYTES;
	add_all(&document);
	add_left_out(&document);
}
