/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html/html_culprit.h"

#include <math.h>

#include "report/findings/claim_text.h"
#include "report/findings/consequences.h"
#include "report/findings/inlinings.h"
#include "report/findings/production_text.h"
#include "report/findings/ruled_out.h"
#include "report/html/html_source.h"
#include "report/html/html_text.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define LISTED_CULPRITS 20
#define OPEN_CULPRITS 4 /* the graph comes below them */
#define NAME_COLUMNS 200
#define PATH_COLUMNS 60
#define EVIDENCE_COLUMNS 200
#define PATH_FRAMES 40

static void add_why(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_claim *claim)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_add_claim(&sentence, benchmark, claim);
	html_sentence(out, &sentence);
	sentence_release(&sentence);
}

static void add_evidence(struct strbuf *out, const struct result_claim *claim)
{
	if (!*claim->because)
		return;
	strbuf_addstr(out, "<dt>evidence</dt><dd>");
	html_text(out, claim->because, EVIDENCE_COLUMNS);
	strbuf_addstr(out, "</dd>\n");
}

static void add_path(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	size_t skipped =
		culprit->path_length > PATH_FRAMES ? culprit->path_length - PATH_FRAMES : 0;

	strbuf_addstr(out, "<dt>call path</dt><dd>");
	for (size_t i = 0; i < culprit->path_length; i++) {
		if (skipped && i == 2) {
			strbuf_addf(out, " › … %zu frames …", skipped);
			i += skipped - 1;
			continue;
		}
		strbuf_addstr(out, i ? " › " : "");
		html_code(out, function_name(benchmark, culprit->path[i]), PATH_COLUMNS);
	}
	strbuf_addstr(out, "</dd>\n");
}

static void add_link(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	enum in_diff in_diff = culprit_in_diff(benchmark, culprit);

	if (in_diff == IN_DIFF_YES) {
		strbuf_addstr(out, "yes, its lines are changed");
		return;
	}
	strbuf_addstr(out, in_diff == IN_DIFF_NO ? "no" : "not known");
	if (word_link(culprit->link))
		strbuf_addf(out, ", but %s", word_link(culprit->link));
	if (culprit->link != LINK_CALLER && culprit->link != LINK_CALLEE)
		return;
	strbuf_addstr(out, ", but ");
	html_code(out, function_name(benchmark, culprit->linked), NAME_COLUMNS);
	strbuf_addstr(out, culprit->link == LINK_CALLER ? ", a caller of it" : ", a callee of it");
}

static void add_costs(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	bool called = culprit->blame == BLAME_CALLED;

	strbuf_addf(out, "<dt>%s</dt><dd>", called ? "cost with callees" : "own cost");
	figure_cost(out, culprit->base, benchmark->unit);
	strbuf_addstr(out, " → ");
	figure_cost(out, culprit->head, benchmark->unit);
	if (isfinite(culprit->relative)) {
		strbuf_addstr(out, " (");
		figure_signed_percent(out, culprit->relative);
		strbuf_addstr(out, ")");
	}
	strbuf_addstr(out, "</dd>\n");
	if (culprit->explained > 0) {
		strbuf_addstr(out, "<dt>explains</dt><dd>");
		figure_percent(out, culprit->explained);
		strbuf_addf(out, " of the increase%s</dd>\n", with_consequences(culprit));
	}
	strbuf_addstr(out, "<dt>in the diff</dt><dd>");
	add_link(out, benchmark, culprit);
	strbuf_addstr(out, "</dd>\n");
}

static void add_production(struct strbuf *out, const struct result_culprit *culprit)
{
	if (!culprit->production)
		return;
	strbuf_addstr(out, "<dt>in production</dt><dd>");
	production_text(out, culprit->production);
	strbuf_addstr(out, "</dd>\n");
}

static void add_culprit_name(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct strbuf place = STRBUF_INIT;

	strbuf_addstr(out, "<span class=\"function\">");
	html_code(out, function_name(benchmark, culprit->function), NAME_COLUMNS);
	strbuf_addstr(out, "</span>");
	place_add(&place, culprit->file, culprit->line);
	if (place.length) {
		strbuf_addstr(out, "<span class=\"place\">");
		html_code(out, place.data, NAME_COLUMNS);
		strbuf_addstr(out, "</span>");
	}
	strbuf_release(&place);
}

static void add_ruled_out(struct strbuf *out, const struct result_benchmark *benchmark)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_ruled_out(&sentence, benchmark);
	if (sentence.count) {
		strbuf_addstr(out, "<dt>ruled out</dt><dd>");
		html_sentence(out, &sentence);
		strbuf_addstr(out, "</dd>\n");
	}
	sentence_release(&sentence);
}

static void add_parts(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_parts(&sentence, benchmark, culprit);
	if (sentence.count) {
		strbuf_addstr(out, "<dt>counts with it</dt><dd>");
		html_sentence(out, &sentence);
		strbuf_addstr(out, "</dd>\n");
	}
	sentence_release(&sentence);
}

static void add_change(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	strbuf_addstr(out, "<p><span class=\"big\">");
	difference_add(out, benchmark, culprit->base, culprit->head);
	strbuf_addstr(out, "</span> (");
	figure_signed_percent(out, culprit->change);
	strbuf_addstr(out, " of the total");
	if (isfinite(culprit->low) && isfinite(culprit->high)) {
		strbuf_addstr(out, ", 95 % interval ");
		figure_signed_interval(out, culprit->low, culprit->high);
	}
	strbuf_addstr(out, ")</p>\n");
}

static void add_consequences(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_consequences(&sentence, benchmark, culprit);
	if (sentence.count) {
		strbuf_addstr(out, "<dt>grew with it</dt><dd>");
		html_sentence(out, &sentence);
		strbuf_addstr(out, "</dd>\n");
	}
	sentence_release(&sentence);
}

static void add_culprit(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct result_claim claim = claim_of_culprit(benchmark, culprit);

	strbuf_addf(out, "<div class=\"panel card%s\" data-node=\"%u\">\n",
		culprit->source ? " wide-card" : "", culprit->node);
	add_culprit_name(out, benchmark, culprit);
	strbuf_addstr(out, "\n<p class=\"why\">");
	add_why(out, benchmark, &claim);
	strbuf_addstr(out, "</p>\n");
	add_change(out, benchmark, culprit);
	strbuf_addstr(out, "<dl>\n");
	add_evidence(out, &claim);
	add_costs(out, benchmark, culprit);
	add_production(out, culprit);
	add_consequences(out, benchmark, culprit);
	add_parts(out, benchmark, culprit);
	add_path(out, benchmark, culprit);
	add_ruled_out(out, benchmark);
	strbuf_addstr(out, "</dl>\n");
	html_source(out, benchmark, culprit);
	strbuf_addstr(out, "</div>\n");
}

static void add_cards(
	struct strbuf *out, const struct result_benchmark *benchmark, size_t from, size_t to)
{
	strbuf_addstr(out, "<section class=\"cards\">\n");
	for (size_t i = from; i < to; i++)
		add_culprit(out, benchmark, &benchmark->culprits[i]);
	strbuf_addstr(out, "</section>\n");
}

void html_culprits(struct strbuf *out, const struct result_benchmark *benchmark)
{
	size_t count = benchmark->culprit_count;
	size_t listed = count < LISTED_CULPRITS ? count : LISTED_CULPRITS;
	size_t open = listed <= OPEN_CULPRITS + 1 ? listed : OPEN_CULPRITS; /* never fold one */

	if (!count)
		return;
	add_cards(out, benchmark, 0, open);
	if (open < listed) {
		strbuf_addf(out,
			"<details class=\"more-cards\"><summary>%zu more culprits</summary>\n",
			listed - open);
		add_cards(out, benchmark, open, listed);
		strbuf_addstr(out, "</details>\n");
	}
	if (count > LISTED_CULPRITS)
		strbuf_addf(out, "<p>and %zu more culprits</p>\n", count - LISTED_CULPRITS);
}
