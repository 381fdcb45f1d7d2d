/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/figure.h"
#include "report/markdown_text.h"
#include "report/sentence.h"
#include "report/tree_text.h"
#include "report/words.h"

#define LEAST_BUDGET_BYTES 4000
#define CLOSING_BYTES 200 /* kept for the note that something was left out */
#define LISTED 10
#define LISTED_LINES 20
#define FLOOR 0.002
#define NAME_COLUMNS 60
#define PATH_FRAMES 10
#define DETAIL_BYTES 4000

/*
 * The document grows by sections, each complete in itself (its fences and folds are closed), so
 * that leaving out what does not fit never leaves one open.
 */
struct document {
	struct strbuf *out;
	size_t start, budget, left_out;
};

/* Takes over the section's text. */
static void add_section(struct document *document, struct strbuf *section)
{
	if (document->out->length - document->start + section->length > document->budget)
		document->left_out++;
	else
		strbuf_add(document->out, section->data, section->length);
	strbuf_release(section);
}

static void add_change(struct strbuf *out, double change, double low, double high)
{
	figure_signed_percent(out, change);
	strbuf_addstr(out, " | ");
	if (isfinite(low) && isfinite(high) && high > low)
		figure_signed_interval(out, low, high);
}

static void add_place(struct strbuf *out, const char *file, int64_t line)
{
	struct strbuf place = STRBUF_INIT;

	place_add(&place, file, line);
	if (place.length)
		markdown_code(out, place.data, NAME_COLUMNS, true);
	strbuf_release(&place);
}

/* ---- culprits ---------------------------------------------------------------------------------
 */

static void add_why(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	if (culprit->blame == BLAME_SELF) {
		strbuf_addstr(out, isinf(culprit->relative) ? "new code" : "its own code");
		return;
	}
	strbuf_addstr(out, "called more often");
	if (culprit->caller != RESULT_NONE) {
		strbuf_addstr(out, " by ");
		markdown_code(out, function_name(benchmark, culprit->caller), NAME_COLUMNS, true);
	}
}

static void add_culprit_row(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	const struct result_function *function = &benchmark->functions[culprit->function];

	strbuf_addstr(out, "| ");
	markdown_code(out, function_name(benchmark, culprit->function), NAME_COLUMNS, true);
	strbuf_addstr(out, " | ");
	add_place(out, culprit->file, culprit->line);
	strbuf_addstr(out, " | ");
	add_change(out, culprit->change, culprit->low, culprit->high);
	strbuf_addstr(out, " | ");
	add_why(out, benchmark, culprit);
	strbuf_addstr(out, function->touched ? " | yes |\n" : " | no |\n");
}

static void add_path(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	size_t length = culprit->path_length;
	size_t skipped = length > PATH_FRAMES ? length - PATH_FRAMES : 0;

	for (size_t i = 0; i < length; i++) {
		if (skipped && i == 2) {
			strbuf_addf(out, " → … %zu frames …", skipped);
			i += skipped - 1;
			continue;
		}
		strbuf_addstr(out, i ? " → " : "\nCalled through: ");
		markdown_code(out, function_name(benchmark, culprit->path[i]), 40, false);
	}
	if (length)
		strbuf_addch(out, '\n');
}

static void add_culprits(struct document *document, const struct result_benchmark *benchmark)
{
	struct strbuf text = STRBUF_INIT;

	if (!benchmark->culprit_count)
		return;
	strbuf_addstr(&text,
		"\n| culprit | where | change of the total | 95 % interval | why | in the diff |\n"
		"|---|---|--:|--:|---|---|\n");
	for (size_t i = 0; i < benchmark->culprit_count && i < LISTED; i++)
		add_culprit_row(&text, benchmark, &benchmark->culprits[i]);
	if (benchmark->culprit_count > LISTED)
		strbuf_addf(&text, "\nand %zu more.\n", benchmark->culprit_count - LISTED);
	add_path(&text, benchmark, &benchmark->culprits[0]);
	add_section(document, &text);
}

/* ---- changes ----------------------------------------------------------------------------------
 */

static void add_function_row(
	struct strbuf *out, const struct result_function *function, bool compared, double total)
{
	strbuf_addstr(out, "| ");
	markdown_code(out, *function->name ? function->name : "(no name)", NAME_COLUMNS, true);
	strbuf_addstr(out, " | ");
	add_place(out, function->file, function->line);
	strbuf_addstr(out, " | ");
	if (compared) {
		figure_seconds(out, function->self.base);
		strbuf_addstr(out, " | ");
	}
	figure_seconds(out, function->self.head);
	strbuf_addstr(out, " | ");
	if (compared) {
		add_change(out, function->self.change, function->self.low, function->self.high);
		strbuf_addf(out, " | %s |\n", word_state(function->self.state));
		return;
	}
	figure_percent(out, total > 0 ? function->self.head / total : 0);
	strbuf_addstr(out, " |\n");
}

static void add_changes(struct document *document, const struct result_benchmark *benchmark)
{
	bool compared = has_base(benchmark);
	struct strbuf text = STRBUF_INIT;
	uint32_t order[LISTED];
	size_t count = rank_functions(benchmark, compared ? FLOOR : 0, order, LISTED);

	if (!count)
		return;
	strbuf_addstr(
		&text, compared ? "\n| function | where | base | head | change of the total | 95 % "
				  "interval | |\n|---|---|--:|--:|--:|--:|---|\n"
				: "\n| function | where | self | share |\n|---|---|--:|--:|\n");
	for (size_t i = 0; i < count; i++)
		add_function_row(
			&text, &benchmark->functions[order[i]], compared, benchmark->total.head);
	add_section(document, &text);
}

static void add_tree(struct document *document, const struct result_benchmark *benchmark)
{
	static const struct tree_text_limits limits = {60, 80, FLOOR};
	struct strbuf tree = STRBUF_INIT, text = STRBUF_INIT;

	tree_text_add(&tree, benchmark, &limits);
	if (tree.length) {
		strbuf_addch(&text, '\n');
		markdown_fence(&text, "diff", &tree);
		add_section(document, &text);
	}
	strbuf_release(&tree);
}

static void add_shifts(struct document *document, const struct result_benchmark *benchmark)
{
	struct strbuf text = STRBUF_INIT;
	struct sentence sentence;

	for (size_t i = 0; i < benchmark->shift_count && i < LISTED; i++) {
		strbuf_addstr(&text, i ? "- " : "\n- ");
		sentence_init(&sentence);
		sentence_of_shift(&sentence, benchmark, &benchmark->shifts[i]);
		markdown_sentence(&text, &sentence);
		sentence_release(&sentence);
		strbuf_addch(&text, '\n');
	}
	if (benchmark->shift_count > LISTED)
		strbuf_addf(&text, "- and %zu more\n", benchmark->shift_count - LISTED);
	if (text.length)
		add_section(document, &text);
}

/* ---- prose of others, method ------------------------------------------------------------------
 */

static void add_lines(struct strbuf *out, const char *title, const char *const *lines, size_t count)
{
	struct strbuf block = STRBUF_INIT;

	if (!count)
		return;
	strbuf_addf(out, "\n%s\n\n", title);
	for (size_t i = 0; i < count && i < LISTED_LINES; i++) {
		clean_cut(&block, lines[i], 300);
		strbuf_addch(&block, '\n');
	}
	if (count > LISTED_LINES)
		strbuf_addf(&block, "and %zu more\n", count - LISTED_LINES);
	markdown_fence(out, "text", &block);
	strbuf_release(&block);
}

static void add_detail(struct document *document, const struct result_benchmark *benchmark)
{
	struct strbuf block = STRBUF_INIT, text = STRBUF_INIT;

	if (detail_is_said(benchmark))
		return;
	clean_block(&block, benchmark->detail, DETAIL_BYTES);
	strbuf_addch(&text, '\n');
	markdown_fence(&text, "text", &block);
	add_section(document, &text);
	strbuf_release(&block);
}

static void add_warnings(
	struct document *document, const char *title, const char *const *lines, size_t count)
{
	struct strbuf text = STRBUF_INIT;

	add_lines(&text, title, lines, count);
	if (text.length)
		add_section(document, &text);
}

static void add_method(struct document *document, const struct result_benchmark *benchmark)
{
	struct strbuf method = STRBUF_INIT, text = STRBUF_INIT;

	method_add(&method, benchmark);
	if (method.length || benchmark->excluded_count) {
		strbuf_addstr(&text, "\n<details><summary>How it was measured, and what was "
				     "excluded</summary>\n");
		if (method.length) {
			strbuf_addch(&method, '\n');
			strbuf_addch(&text, '\n');
			markdown_fence(&text, "text", &method);
		}
		add_lines(&text, "Excluded:", benchmark->excluded, benchmark->excluded_count);
		strbuf_addstr(&text, "\n</details>\n");
		add_section(document, &text);
	}
	strbuf_release(&method);
}

/* ---- benchmarks -------------------------------------------------------------------------------
 */

static void add_benchmark_heading(
	struct document *document, const struct result_benchmark *benchmark, bool with_sentence)
{
	struct strbuf text = STRBUF_INIT;
	struct sentence sentence;

	if (!with_sentence)
		return;
	strbuf_addf(&text, "\n#### %s: ", word_of_benchmark(benchmark));
	sentence_init(&sentence);
	sentence_of_benchmark(&sentence, benchmark);
	markdown_sentence(&text, &sentence);
	strbuf_addch(&text, '\n');
	sentence_release(&sentence);
	add_section(document, &text);
}

static void add_benchmark(
	struct document *document, const struct result_benchmark *benchmark, bool with_sentence)
{
	add_benchmark_heading(document, benchmark, with_sentence);
	add_detail(document, benchmark);
	add_culprits(document, benchmark);
	add_tree(document, benchmark);
	add_shifts(document, benchmark);
	add_changes(document, benchmark);
	add_warnings(document, "Warnings:", benchmark->warnings, benchmark->warning_count);
	add_method(document, benchmark);
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
	add_section(document, &text);
}

/* Indices of the benchmarks with the given status behind those already there. */
static size_t add_order(const struct result *result, enum result_status status, size_t *order)
{
	size_t count = 0;

	for (size_t i = 0; i < result->benchmark_count; i++) {
		if (result->benchmarks[i].status == status)
			order[count++] = i;
	}
	return count;
}

static void add_benchmarks(struct document *document, const struct result *result)
{
	static const enum result_status by_severity[] = {RESULT_FAIL, RESULT_ERROR, RESULT_WARN};
	size_t *order = xcalloc(result->benchmark_count, sizeof(*order));
	size_t count = 0;

	if (result->benchmark_count == 1) {
		add_benchmark(document, &result->benchmarks[0], false);
		free(order);
		return;
	}
	for (size_t i = 0; i < sizeof(by_severity) / sizeof(by_severity[0]); i++)
		count += add_order(result, by_severity[i], order + count);
	for (size_t i = 0; i < count; i++)
		add_benchmark(document, &result->benchmarks[order[i]], true);
	count = add_order(result, RESULT_PASS, order);
	add_passed(document, result, order, count);
	for (size_t i = 0; i < count; i++) {
		if (result->benchmarks[order[i]].outcome == OUTCOME_PROFILE)
			add_benchmark(document, &result->benchmarks[order[i]], true);
	}
	free(order);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

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
	add_section(document, &text);
}

static void add_commit(struct strbuf *out, const char *label, const struct result_commit *commit)
{
	struct strbuf name = STRBUF_INIT;

	commit_add(&name, commit);
	if (name.length) {
		strbuf_addf(out, "%s ", label);
		markdown_code(out, name.data, NAME_COLUMNS, false);
		if (*commit->subject) {
			strbuf_addch(out, ' ');
			markdown_code(out, commit->subject, NAME_COLUMNS, false);
		}
		if (commit->dirty)
			strbuf_addstr(out, " (uncommitted changes were not measured)");
	}
	strbuf_release(&name);
}

static void add_origin(struct document *document, const struct result *result)
{
	struct strbuf text = STRBUF_INIT;

	add_commit(&text, "\nBase", &result->base);
	add_commit(&text, text.length ? ", head" : "\nHead", &result->head);
	if (*result->policy_origin) {
		strbuf_addstr(&text, text.length ? "; policy from " : "\nPolicy from ");
		markdown_code(&text, result->policy_origin, NAME_COLUMNS, false);
	}
	if (!text.length)
		return;
	strbuf_addstr(&text, ".\n");
	add_section(document, &text);
}

static void add_left_out(struct document *document)
{
	if (!document->left_out)
		return;
	strbuf_addstr(document->out, "\n");
	figure_plural(document->out, document->left_out, "section");
	strbuf_addstr(document->out, " left out for length: see report.html.\n");
}

void report_markdown(const struct report_view *view, size_t max_bytes, struct strbuf *out)
{
	const struct result *result = &view->result;
	struct document document = {.out = out, .start = out->length};

	document.budget = max_bytes ? max_bytes : MARKDOWN_BUDGET_BYTES;
	if (document.budget < LEAST_BUDGET_BYTES)
		document.budget = LEAST_BUDGET_BYTES;
	document.budget -= CLOSING_BYTES;
	add_headline(&document, result);
	add_warnings(&document, "Warnings:", result->warnings, result->warning_count);
	add_warnings(&document,
		"Changed configuration (takes effect after the merge):", result->config_changes,
		result->config_change_count);
	add_benchmarks(&document, result);
	add_origin(&document, result);
	add_left_out(&document);
}
