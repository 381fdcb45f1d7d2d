/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html/html_benchmark.h"

#include <stdio.h>
#include <string.h>

#include "gate/base/strbuf.h"
#include "report/findings/claim_text.h"
#include "report/findings/inlinings.h"
#include "report/findings/memory.h"
#include "report/findings/metric_words.h"
#include "report/findings/sentence.h"
#include "report/findings/shown.h"
#include "report/html/html_culprit.h"
#include "report/html/html_reference.h"
#include "report/html/html_text.h"
#include "report/words/figure.h"
#include "report/words/method.h"
#include "report/words/words.h"

#define LISTED_FUNCTIONS 25
#define OPEN_MOVED 3
#define FLOOR 0.002
#define NAME_COLUMNS 200
#define EVIDENCE_COLUMNS 200
#define DETAIL_BYTES 16384

void html_badge(struct strbuf *out, enum result_status status, const char *word)
{
	static const char *const classes[] = {"pass", "warn", "fail", "error", "info"};

	strbuf_addf(out, "<span class=\"badge %s\">%s</span>",
		strcmp(word, WORD_UNDECIDED) == 0 ? "info" : classes[status], word);
}

/* ---- the table that stands without scripts --------------------------------------------------- */

static void add_name_cells(struct strbuf *out, const struct result_function *function)
{
	struct strbuf place = STRBUF_INIT;

	strbuf_addstr(out, "<td class=\"name\">");
	html_code(out, *function->name ? function->name : "(no name)", NAME_COLUMNS);
	strbuf_addstr(out, "</td><td class=\"place\">");
	place_add(&place, function->file, function->line);
	html_text(out, place.data, NAME_COLUMNS);
	strbuf_addstr(out, "</td>");
	strbuf_release(&place);
}

static void add_change_row(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_function *function)
{
	const char *unit = benchmark->unit;
	const struct result_change *self = &function->self;
	const char *direction = !state_is_colored(self->state) ? ""
				: self->change > 0             ? "more"
							       : "less";

	strbuf_addf(out, "<tr class=\"%s\">", direction);
	add_name_cells(out, function);
	strbuf_addstr(out, "<td class=\"number\">");
	figure_cost(out, self->base, unit);
	strbuf_addstr(out, "</td><td class=\"number\">");
	figure_cost(out, self->head, unit);
	strbuf_addstr(out, "</td><td class=\"number change\">");
	figure_signed_percent(out, self->change);
	strbuf_addstr(out, "</td><td class=\"number\">");
	if (has_interval(self))
		figure_signed_interval(out, self->low, self->high);
	strbuf_addf(
		out, "</td><td class=\"state\">%s</td></tr>\n", word_change(benchmark, function));
}

static void add_cost_row(
	struct strbuf *out, const char *unit, const struct result_function *function)
{
	strbuf_addstr(out, "<tr>");
	add_name_cells(out, function);
	strbuf_addstr(out, "<td class=\"number\">");
	figure_cost(out, function->self.head, unit);
	strbuf_addstr(out, "</td><td class=\"number\">");
	figure_cost(out, function->total[1], unit);
	strbuf_addstr(out, "</td></tr>\n");
}

static void add_changes(struct strbuf *out, const struct result_benchmark *benchmark)
{
	bool compared = has_base(benchmark);
	uint32_t order[LISTED_FUNCTIONS];
	size_t count = rank_functions(benchmark, compared ? FLOOR : 0, order, LISTED_FUNCTIONS);

	if (!count)
		strbuf_addstr(out, "<p>No function changed by 0.2 % of the total or more.</p>\n");
	if (!count)
		return;
	strbuf_addstr(
		out, compared ? "<div class=\"wide\"><table><thead><tr><th>function</th><th>where"
				"</th><th class=\"number\">base</th><th class=\"number\">head</th>"
				"<th class=\"number\">change</th><th class=\"number\">95 % interval"
				"</th><th></th></tr></thead><tbody>\n"
			      : "<div class=\"wide\"><table><thead><tr><th>function</th><th>where"
				"</th><th class=\"number\">self</th><th class=\"number\">total</th>"
				"</tr></thead><tbody>\n");
	for (size_t i = 0; i < count; i++) {
		if (compared)
			add_change_row(out, benchmark, &benchmark->functions[order[i]]);
		else
			add_cost_row(out, benchmark->unit, &benchmark->functions[order[i]]);
	}
	strbuf_addstr(out, "</tbody></table></div>\n");
}

/* data-profile: the place in report.json's "profiles" of the tree that the graph opens with; it is
 * its own without. */
static void add_graph(struct strbuf *out, const struct result_benchmark *benchmark)
{
	const struct result_profile *profile = shown_profile(benchmark);
	struct result_benchmark shown = shown_benchmark(benchmark);

	strbuf_addstr(out, "<section class=\"panel flame-slot\"");
	if (profile)
		strbuf_addf(out, " data-profile=\"%zu\"", (size_t)(profile - benchmark->profiles));
	strbuf_addstr(out, " hidden></section>\n<section class=\"panel changes\">\n<h3>");
	shown_title(out, benchmark, changes_title(&shown));
	strbuf_addstr(out, "</h3>\n");
	add_changes(out, &shown);
	strbuf_addstr(out, "</section>\n");
}

/* ---- moved cost, exclusions, method ---------------------------------------------------------- */

static void add_moved_one(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_claim *claim)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_moved(&sentence, benchmark, claim);
	strbuf_addstr(out, "<li>");
	html_sentence(out, &sentence);
	if (*claim->because) {
		strbuf_addstr(out, " (");
		html_text(out, claim->because, EVIDENCE_COLUMNS);
		strbuf_addstr(out, ")");
	}
	strbuf_addstr(out, "</li>\n");
	sentence_release(&sentence);
}

/* The next `count` of them. */
static void add_moved_some(
	struct strbuf *out, const struct result_benchmark *benchmark, size_t *place, size_t count)
{
	const struct result_claim *claim;

	while (count-- && (claim = next_moved(benchmark, place)))
		add_moved_one(out, benchmark, claim);
}

/* Many are folded: the graph comes below them. */
static void add_moved(struct strbuf *out, const struct result_benchmark *benchmark)
{
	size_t count = count_moved(benchmark), place = 0;
	size_t listed = count < LISTED_FUNCTIONS ? count : LISTED_FUNCTIONS;
	size_t open = listed <= OPEN_MOVED + 1 ? listed : OPEN_MOVED;

	if (!count)
		return;
	strbuf_addstr(out, "<section class=\"panel\"><h3>Cost that moved</h3>\n<ul>\n");
	add_moved_some(out, benchmark, &place, open);
	strbuf_addstr(out, "</ul>");
	if (open < listed) {
		strbuf_addf(out, "<details><summary>%zu more</summary>\n<ul>\n", listed - open);
		add_moved_some(out, benchmark, &place, listed - open);
		strbuf_addstr(out, "</ul></details>");
	}
	strbuf_addstr(out, "</section>\n");
}

static void add_inlinings(struct strbuf *out, const struct result_benchmark *benchmark)
{
	struct inlining_groups groups;
	struct sentence sentence;

	inlining_groups_find(&groups, benchmark);
	if (!groups.count)
		return;
	strbuf_addstr(out, "<section class=\"panel\"><h3>Split, merged or inlined</h3>\n"
			   "<p>Where its host calls such a function, the cost counts as the "
			   "host's, in both versions.</p>\n<ul>\n");
	for (size_t i = 0; i < groups.count; i++) {
		sentence_init(&sentence);
		sentence_of_inlinings(&sentence, benchmark, groups.first[i]);
		strbuf_addstr(out, "<li>");
		html_sentence(out, &sentence);
		strbuf_addstr(out, "</li>\n");
		sentence_release(&sentence);
	}
	if (groups.more)
		strbuf_addf(out, "<li>and %zu more</li>\n", groups.more);
	strbuf_addstr(out, "</ul></section>\n");
}

static void add_method_lines(struct strbuf *out, const struct result_benchmark *benchmark)
{
	struct strbuf method = STRBUF_INIT;
	char *line, *end;

	method_add(&method, benchmark);
	for (line = method.data; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		strbuf_addstr(out, "<li>");
		html_text(out, line, 400);
		strbuf_addstr(out, "</li>\n");
	}
	strbuf_release(&method);
}

static void add_method(
	struct strbuf *out, const struct result *result, const struct result_benchmark *benchmark)
{
	bool measured = benchmark->function_count || benchmark->pair_count;

	strbuf_addf(out, "<section class=\"panel\"><h3>%s</h3>\n<ul>\n",
		measured ? "How it was measured" : "What is run");
	if (*benchmark->command) {
		strbuf_addstr(out, "<li>");
		html_code(out, benchmark->command, 400);
		strbuf_addstr(out, "</li>\n");
	}
	add_method_lines(out, benchmark);
	if (*result->environment) {
		strbuf_addstr(out, "<li>");
		html_text(out, result->environment, 400);
		strbuf_addstr(out, "</li>\n");
	}
	strbuf_addstr(out, "</ul>\n<div class=\"dots-slot\"></div>\n</section>\n");
}

static void add_memory(struct strbuf *out, const struct result_benchmark *benchmark)
{
	if (!has_memory(benchmark))
		return;
	strbuf_addstr(out, "<section class=\"panel\"><h3>Memory over time</h3>\n<p>");
	memory_add(out, benchmark);
	strbuf_addstr(out, "</p>\n<div class=\"memory-slot\"></div>\n</section>\n");
}

static void add_heading(struct strbuf *out, const struct result_benchmark *benchmark)
{
	struct sentence sentence;

	strbuf_addstr(out, "<h2>");
	html_badge(out, benchmark->status, word_of_benchmark(benchmark));
	strbuf_addstr(out, "<span>");
	sentence_init(&sentence);
	sentence_of_benchmark(&sentence, benchmark);
	html_sentence(out, &sentence);
	sentence_release(&sentence);
	strbuf_addstr(out, "</span></h2>\n");
}

static void add_metrics(struct strbuf *out, const struct result_benchmark *benchmark)
{
	html_metrics(out, benchmark);
	add_memory(out, benchmark);
}

void html_benchmark(struct strbuf *out, const struct result *result, size_t index, bool only)
{
	const struct result_benchmark *benchmark = &result->benchmarks[index];
	bool profiled = benchmark->function_count > 0;
	/* Then the reader looks for what was counted before what costs time. */
	bool counted = counts_decide(benchmark);
	struct strbuf start = STRBUF_INIT;

	strbuf_addf(out, "<article data-index=\"%zu\"%s>\n", index, only ? " class=\"only\"" : "");
	add_heading(out, benchmark);
	if (!detail_is_said(benchmark)) {
		strbuf_addstr(out, "<section class=\"panel notes\">");
		html_block(out, benchmark->detail, DETAIL_BYTES);
		strbuf_addstr(out, "</section>\n");
	}
	html_culprits(out, benchmark);
	html_references(out, benchmark);
	strbuf_addf(
		&start, "<section class=\"panel notes\"><h3>%s</h3>\n", warnings_title(benchmark));
	html_list(out, start.data, benchmark->warnings, benchmark->warning_count, "</section>\n");
	strbuf_release(&start);
	add_moved(out, benchmark);
	if (counted)
		add_metrics(out, benchmark);
	if (profiled)
		add_graph(out, benchmark);
	if (!counted)
		add_metrics(out, benchmark);
	strbuf_addstr(out, "<div class=\"grid\">\n");
	add_inlinings(out, benchmark);
	html_list(out, "<section class=\"panel\"><h3>Conditions</h3>\n", benchmark->excluded,
		benchmark->excluded_count, "</section>\n");
	add_method(out, result, benchmark);
	strbuf_addstr(out, "</div>\n</article>\n");
}
