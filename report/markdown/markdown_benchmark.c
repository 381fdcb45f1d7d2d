/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One benchmark in Markdown: what is to blame comes first, then what explains it, then how it was
 * measured.
 */
#include "report/markdown/markdown_document.h"

#include <math.h>

#include "report/ci/page_link.h"
#include "report/clean.h"
#include "report/findings/claim_text.h"
#include "report/findings/consequences.h"
#include "report/findings/inlinings.h"
#include "report/findings/memory.h"
#include "report/findings/metric_words.h"
#include "report/findings/production_text.h"
#include "report/findings/reference_words.h"
#include "report/findings/sentence.h"
#include "report/findings/sentence_spans.h"
#include "report/findings/shown.h"
#include "report/markdown/markdown_text.h"
#include "report/markdown/tree_text.h"
#include "report/words/figure.h"
#include "report/words/method.h"
#include "report/words/words.h"

#define LISTED_LINES 20
#define FLOOR 0.002
#define PATH_FRAMES 10
#define DETAIL_BYTES 4000

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
		markdown_code(out, place.data, MARKDOWN_NAME_COLUMNS, true);
	strbuf_release(&place);
}

/* ---- culprits -------------------------------------------------------------------------------- */

static void add_why(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct result_claim claim = claim_of_culprit(benchmark, culprit);
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_add_claim(&sentence, benchmark, &claim);
	if (*claim.because) {
		sentence_add_text(&sentence, " (");
		sentence_add_detail(&sentence, claim.because);
		sentence_add_text(&sentence, ")");
	}
	markdown_cell(out, &sentence);
	sentence_release(&sentence);
}

static void add_link(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	enum in_diff in_diff = culprit_in_diff(benchmark, culprit);

	if (in_diff == IN_DIFF_YES) {
		strbuf_addstr(out, "yes");
		return;
	}
	strbuf_addstr(out, in_diff == IN_DIFF_NO ? "no" : "not known");
	if (word_link(culprit->link))
		strbuf_addf(out, ", but %s", word_link(culprit->link));
	if (culprit->link != LINK_CALLER && culprit->link != LINK_CALLEE)
		return;
	strbuf_addstr(out, ", but ");
	markdown_code(out, function_name(benchmark, culprit->linked), MARKDOWN_NAME_COLUMNS, true);
	strbuf_addstr(out, culprit->link == LINK_CALLER ? " (a caller)" : " (a callee)");
}

static void add_culprit_row(struct strbuf *out, const struct report_view *view,
	const struct result_benchmark *benchmark, const struct result_culprit *culprit)
{
	struct strbuf url = STRBUF_INIT;

	link_to_node(&url, view, benchmark, culprit->node);
	strbuf_addstr(out, "| ");
	markdown_linked_code(out, function_name(benchmark, culprit->function),
		MARKDOWN_NAME_COLUMNS, true, &url);
	strbuf_addstr(out, " | ");
	add_place(out, culprit->file, culprit->line);
	strbuf_addstr(out, " | ");
	difference_add(out, benchmark, culprit->base, culprit->head);
	strbuf_addstr(out, " | ");
	add_change(out, culprit->change, culprit->low, culprit->high);
	strbuf_addstr(out, " | ");
	add_why(out, benchmark, culprit);
	strbuf_addstr(out, " | ");
	add_link(out, benchmark, culprit);
	strbuf_addstr(out, " |\n");
	strbuf_release(&url);
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

static void add_production(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	if (!culprit->production)
		return;
	strbuf_addstr(out, "\nIn production, ");
	markdown_code(
		out, function_name(benchmark, culprit->function), MARKDOWN_NAME_COLUMNS, false);
	strbuf_addstr(out, ": ");
	production_text(out, culprit->production);
	strbuf_addstr(out, ".\n");
}

static void add_consequences(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_consequences(&sentence, benchmark, culprit);
	if (sentence.count) {
		strbuf_addstr(out, "\nGrew with ");
		markdown_code(out, function_name(benchmark, culprit->function),
			MARKDOWN_NAME_COLUMNS, false);
		strbuf_addstr(out, ": ");
		markdown_sentence(out, &sentence);
		strbuf_addstr(out, ".\n");
	}
	sentence_release(&sentence);
}

static void add_culprits(struct document *document, const struct result_benchmark *benchmark)
{
	struct strbuf text = STRBUF_INIT;

	if (!benchmark->culprit_count)
		return;
	strbuf_addstr(&text,
		"\n| culprit | where | change | of the total | 95 % interval | why | in the diff "
		"|\n"
		"|---|---|--:|--:|--:|---|---|\n");
	for (size_t i = 0; i < benchmark->culprit_count && i < MARKDOWN_LISTED; i++)
		add_culprit_row(&text, document->view, benchmark, &benchmark->culprits[i]);
	if (benchmark->culprit_count > MARKDOWN_LISTED)
		strbuf_addf(&text, "\nand %zu more.\n", benchmark->culprit_count - MARKDOWN_LISTED);
	for (size_t i = 0; i < benchmark->culprit_count && i < MARKDOWN_LISTED; i++)
		add_consequences(&text, benchmark, &benchmark->culprits[i]);
	for (size_t i = 0; i < benchmark->culprit_count && i < MARKDOWN_LISTED; i++)
		add_production(&text, benchmark, &benchmark->culprits[i]);
	add_path(&text, benchmark, &benchmark->culprits[0]);
	markdown_section(document, &text);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* A table of the functions of the tree that is shown; links name the benchmark that it is of. */
struct table {
	const struct report_view *view;
	const struct result_benchmark *benchmark, *shown;
	bool totals; /* has a column of the cost with what is called */
};

static void add_function_name(struct strbuf *out, const struct table *table, uint32_t function)
{
	const char *name = table->shown->functions[function].name;
	struct strbuf url = STRBUF_INIT;

	link_to_shown_function(&url, table->view, table->benchmark, function);
	markdown_linked_code(out, *name ? name : "(no name)", MARKDOWN_NAME_COLUMNS, true, &url);
	strbuf_release(&url);
}

/* With what it calls: a column of its own, where that is known of any. */
static void add_total(struct strbuf *out, const struct result_function *function)
{
	strbuf_addstr(out, " | ");
	if (!has_total_interval(function))
		return;
	figure_signed_percent(out, function->total_change);
	strbuf_addstr(out, " (");
	figure_signed_interval(out, function->total_low, function->total_high);
	strbuf_addch(out, ')');
}

static void add_function_row(struct strbuf *out, const struct table *table, uint32_t index)
{
	const struct result_benchmark *benchmark = table->shown;
	const struct result_function *function = &benchmark->functions[index];
	bool compared = has_base(benchmark);

	strbuf_addstr(out, "| ");
	add_function_name(out, table, index);
	strbuf_addstr(out, " | ");
	add_place(out, function->file, function->line);
	strbuf_addstr(out, " | ");
	if (compared) {
		figure_cost(out, function->self.base, benchmark->unit);
		strbuf_addstr(out, " | ");
	}
	figure_cost(out, function->self.head, benchmark->unit);
	strbuf_addstr(out, " | ");
	if (compared) {
		add_change(out, function->self.change, function->self.low, function->self.high);
		if (table->totals)
			add_total(out, function);
		strbuf_addf(out, " | %s |\n", word_change(benchmark, function));
		return;
	}
	figure_percent(out, share_of_head(benchmark, function->self.head));
	strbuf_addstr(out, " |\n");
}

static void add_table_head(struct strbuf *out, const struct table *table)
{
	if (base_is_reference(table->shown) || shown_profile(table->benchmark)) {
		strbuf_addch(out, '\n');
		shown_title(out, table->benchmark, changes_title(table->shown));
		strbuf_addstr(out, ":\n");
	}
	if (!has_base(table->shown))
		strbuf_addstr(out, "\n| function | where | self | share |\n|---|---|--:|--:|\n");
	else
		strbuf_addf(out,
			"\n| function | where | base | head | change of the total | 95 %% interval "
			"|"
			"%s |\n|---|---|--:|--:|--:|--:|%s---|\n",
			table->totals ? " with what it calls |" : "", table->totals ? "--:|" : "");
}

static void add_changes(struct document *document, const struct result_benchmark *benchmark)
{
	struct result_benchmark shown = shown_benchmark(benchmark);
	struct table table = {document->view, benchmark, &shown, false};
	struct strbuf text = STRBUF_INIT;
	uint32_t order[MARKDOWN_LISTED];
	size_t count = rank_functions(&shown, has_base(&shown) ? FLOOR : 0, order, MARKDOWN_LISTED);

	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		table.totals = table.totals || has_total_interval(&shown.functions[order[i]]);
	add_table_head(&text, &table);
	for (size_t i = 0; i < count; i++)
		add_function_row(&text, &table, order[i]);
	markdown_section(document, &text);
}

static void add_tree(struct document *document, const struct result_benchmark *benchmark)
{
	static const struct tree_text_limits limits = {60, 80, FLOOR};
	struct strbuf tree = STRBUF_INIT, text = STRBUF_INIT;
	struct result_benchmark shown = shown_benchmark(benchmark);

	tree_text_add(&tree, &shown, &limits);
	if (tree.length) {
		if (shown_profile(benchmark)) {
			strbuf_addch(&text, '\n');
			shown_title(&text, benchmark, "What changed in the call tree");
			strbuf_addstr(&text, ":\n");
		}
		strbuf_addch(&text, '\n');
		markdown_fence(&text, "diff", &tree);
		markdown_section(document, &text);
	}
	strbuf_release(&tree);
}

static void add_moved(struct document *document, const struct result_benchmark *benchmark)
{
	size_t place = 0, count = count_moved(benchmark), listed = 0;
	const struct result_claim *claim;
	struct strbuf text = STRBUF_INIT;
	struct sentence sentence;

	while (listed < MARKDOWN_LISTED && (claim = next_moved(benchmark, &place))) {
		strbuf_addstr(&text, listed++ ? "- " : "\n- ");
		sentence_init(&sentence);
		sentence_of_moved(&sentence, benchmark, claim);
		markdown_sentence(&text, &sentence);
		sentence_release(&sentence);
		strbuf_addch(&text, '\n');
	}
	if (count > MARKDOWN_LISTED)
		strbuf_addf(&text, "- and %zu more\n", count - MARKDOWN_LISTED);
	if (text.length)
		markdown_section(document, &text);
}

static void add_inlinings(struct document *document, const struct result_benchmark *benchmark)
{
	struct strbuf text = STRBUF_INIT;
	struct inlining_groups groups;
	struct sentence sentence;

	inlining_groups_find(&groups, benchmark);
	for (size_t i = 0; i < groups.count; i++) {
		strbuf_addstr(&text, i ? "- " : "\n- ");
		sentence_init(&sentence);
		sentence_of_inlinings(&sentence, benchmark, groups.first[i]);
		markdown_sentence(&text, &sentence);
		sentence_release(&sentence);
		strbuf_addch(&text, '\n');
	}
	if (groups.more)
		strbuf_addf(&text, "- and %zu more\n", groups.more);
	if (text.length)
		markdown_section(document, &text);
}

/* ---- prose of others, method ----------------------------------------------------------------- */

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
	markdown_section(document, &text);
	strbuf_release(&block);
}

void markdown_warnings(
	struct document *document, const char *title, const char *const *lines, size_t count)
{
	struct strbuf text = STRBUF_INIT;

	add_lines(&text, title, lines, count);
	if (text.length)
		markdown_section(document, &text);
}

static void add_method(struct document *document, const struct result_benchmark *benchmark)
{
	struct strbuf method = STRBUF_INIT, text = STRBUF_INIT;

	method_add(&method, benchmark);
	if (method.length || benchmark->excluded_count) {
		strbuf_addstr(&text, "\n<details><summary>How it was measured, and under which "
				     "conditions</summary>\n");
		if (method.length) {
			strbuf_addch(&method, '\n');
			strbuf_addch(&text, '\n');
			markdown_fence(&text, "text", &method);
		}
		add_lines(&text, "Conditions:", benchmark->excluded, benchmark->excluded_count);
		strbuf_addstr(&text, "\n</details>\n");
		markdown_section(document, &text);
	}
	strbuf_release(&method);
}

/* ---- stored baselines ------------------------------------------------------------------------ */

static void add_finding(struct strbuf *out, const struct result_reference *reference,
	const struct result_reference_finding *finding)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_finding(&sentence, reference, finding);
	strbuf_addstr(out, "- ");
	markdown_sentence(out, &sentence);
	strbuf_addch(out, '\n');
	sentence_release(&sentence);
}

static void add_reference(struct document *document, const struct result_reference *reference)
{
	struct strbuf text = STRBUF_INIT;
	struct sentence sentence;

	strbuf_addf(&text, "\n**%s:** ", reference_label(reference));
	sentence_init(&sentence);
	sentence_of_reference(&sentence, reference);
	markdown_sentence(&text, &sentence);
	strbuf_addstr(&text, reference_listed(reference) ? "\n\n" : "\n");
	sentence_release(&sentence);
	for (size_t i = 0; i < reference_listed(reference); i++)
		add_finding(&text, reference, &reference->findings[i]);
	if (reference->finding_count > REFERENCE_LISTED)
		strbuf_addf(&text, "- and %zu more\n", reference->finding_count - REFERENCE_LISTED);
	markdown_section(document, &text);
}

static void add_references(struct document *document, const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->reference_count && i < MARKDOWN_LISTED; i++)
		add_reference(document, &benchmark->references[i]);
}

/* ---- everything that was looked at ----------------------------------------------------------- */

static void add_metric(struct strbuf *text, const struct result_metric *metric)
{
	struct strbuf test = STRBUF_INIT;

	strbuf_addstr(text, "| ");
	markdown_code(text, metric->meaning, METRIC_COLUMNS, true);
	strbuf_addstr(text, " | ");
	metric_cost(text, metric, metric->base);
	strbuf_addstr(text, " | ");
	metric_cost(text, metric, metric->head);
	strbuf_addstr(text, " | ");
	metric_change(text, metric, true);
	strbuf_addstr(text, " | ");
	metric_test(&test, metric);
	if (test.length)
		markdown_code(text, test.data, METRIC_TEST_COLUMNS, true);
	strbuf_addf(text, " | %s |\n", metric_verdict(metric));
	strbuf_release(&test);
}

static void add_metrics(struct document *document, const struct result_benchmark *benchmark)
{
	struct strbuf text = STRBUF_INIT;

	if (!metrics_are_shown(benchmark))
		return;
	strbuf_addstr(&text, "\n<details><summary>Everything that was looked at</summary>\n\n"
			     "| metric | base | head | change | test | verdict |\n"
			     "|---|--:|--:|--:|---|---|\n");
	for (size_t i = 0; i < benchmark->metric_count && i < METRICS_LISTED; i++)
		add_metric(&text, &benchmark->metrics[i]);
	strbuf_addstr(&text, "\n</details>\n");
	markdown_section(document, &text);
}

static void add_memory(struct document *document, const struct result_benchmark *benchmark)
{
	struct strbuf text = STRBUF_INIT;

	if (!has_memory(benchmark))
		return;
	strbuf_addch(&text, '\n');
	memory_add(&text, benchmark);
	strbuf_addch(&text, '\n');
	markdown_section(document, &text);
}

/* ---- benchmarks ------------------------------------------------------------------------------ */

/* False: it was left out, and what follows would stand below another benchmark's. */
static bool add_benchmark_heading(
	struct document *document, const struct result_benchmark *benchmark, bool with_sentence)
{
	struct strbuf text = STRBUF_INIT;
	struct sentence sentence;

	if (!with_sentence)
		return true;
	strbuf_addf(&text, "\n#### %s: ", word_of_benchmark(benchmark));
	sentence_init(&sentence);
	sentence_of_benchmark(&sentence, benchmark);
	markdown_sentence(&text, &sentence);
	strbuf_addch(&text, '\n');
	sentence_release(&sentence);
	return markdown_section(document, &text);
}

void markdown_benchmark(
	struct document *document, const struct result_benchmark *benchmark, bool with_sentence)
{
	struct strbuf title = STRBUF_INIT;

	if (!add_benchmark_heading(document, benchmark, with_sentence))
		return;
	add_detail(document, benchmark);
	add_culprits(document, benchmark);
	markdown_source(document, benchmark);
	add_references(document, benchmark);
	add_tree(document, benchmark);
	add_moved(document, benchmark);
	add_inlinings(document, benchmark);
	add_changes(document, benchmark);
	add_metrics(document, benchmark);
	add_memory(document, benchmark);
	strbuf_addf(&title, "%s:", warnings_title(benchmark));
	markdown_warnings(document, title.data, benchmark->warnings, benchmark->warning_count);
	strbuf_release(&title);
	add_method(document, benchmark);
}
