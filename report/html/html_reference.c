/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html/html_reference.h"

#include "report/findings/metric_words.h"
#include "report/findings/reference_words.h"
#include "report/html/html_text.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define LISTED 20
#define NAME_COLUMNS 200

static void add_finding(struct strbuf *out, const struct result_reference *reference,
	const struct result_reference_finding *finding)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_finding(&sentence, reference, finding);
	strbuf_addstr(out, "<li>");
	html_sentence(out, &sentence);
	strbuf_addstr(out, "</li>\n");
	sentence_release(&sentence);
}

static void add_findings(struct strbuf *out, const struct result_reference *reference)
{
	if (!reference_listed(reference))
		return;
	strbuf_addstr(out, "<ul>\n");
	for (size_t i = 0; i < reference_listed(reference); i++)
		add_finding(out, reference, &reference->findings[i]);
	if (reference->finding_count > REFERENCE_LISTED)
		strbuf_addf(out, "<li>and %zu more</li>\n",
			reference->finding_count - REFERENCE_LISTED);
	strbuf_addstr(out, "</ul>\n");
}

static void add_one(struct strbuf *out, const struct result_reference *reference)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_reference(&sentence, reference);
	strbuf_addstr(out, "<p>");
	html_sentence(out, &sentence);
	strbuf_addstr(out, "</p>\n");
	sentence_release(&sentence);
	add_findings(out, reference);
}

void html_references(struct strbuf *out, const struct result_benchmark *benchmark)
{
	bool flagged = false;
	size_t count = benchmark->reference_count;

	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		flagged = flagged || benchmark->references[i].state == REFERENCE_FLAGGED;
	strbuf_addf(out, "<section class=\"panel reference%s\"><h3>%s</h3>\n",
		flagged ? " notes" : "", reference_title(benchmark));
	for (size_t i = 0; i < count && i < LISTED; i++)
		add_one(out, &benchmark->references[i]);
	strbuf_addstr(out, "</section>\n");
}

static void add_number_cell(struct strbuf *out, const struct result_metric *metric, double cost)
{
	strbuf_addstr(out, "<td class=\"number\">");
	metric_cost(out, metric, cost);
	strbuf_addstr(out, "</td>");
}

static void add_metric_row(struct strbuf *out, const struct result_metric *metric)
{
	struct strbuf test = STRBUF_INIT;
	const char *direction = metric->state == METRIC_GREW     ? "more"
				: metric->state == METRIC_SHRANK ? "less"
								 : "";

	metric_test(&test, metric);
	strbuf_addf(out, "<tr class=\"%s\"><td>", direction);
	html_text(out, metric->meaning, METRIC_COLUMNS);
	strbuf_addstr(out, "</td>");
	add_number_cell(out, metric, metric->base);
	add_number_cell(out, metric, metric->head);
	strbuf_addstr(out, "<td class=\"number change\">");
	metric_change(out, metric, false);
	strbuf_addstr(out, "<span class=\"interval\">");
	metric_interval(out, metric);
	strbuf_addf(out, "</span></td><td class=\"state\">%s</td><td>", metric_verdict(metric));
	html_text(out, test.data ? test.data : "", METRIC_TEST_COLUMNS);
	strbuf_addstr(out, "</td></tr>\n");
	strbuf_release(&test);
}

void html_metrics(struct strbuf *out, const struct result_benchmark *benchmark)
{
	if (!metrics_are_shown(benchmark))
		return;
	strbuf_addstr(out,
		"<section class=\"panel metrics\"><h3>Everything that was looked at</h3>\n"
		"<div class=\"wide\"><table><thead><tr><th>metric</th>"
		"<th class=\"number\">base</th><th class=\"number\">head</th>"
		"<th class=\"number\">change</th><th class=\"state\">verdict</th><th>test</th></tr>"
		"</thead><tbody>\n");
	for (size_t i = 0; i < benchmark->metric_count && i < METRICS_LISTED; i++)
		add_metric_row(out, &benchmark->metrics[i]);
	strbuf_addstr(out, "</tbody></table></div></section>\n");
}

static void add_recorded_row(struct strbuf *out, const struct result_benchmark *benchmark)
{
	strbuf_addstr(out, "<tr><td class=\"name\">");
	html_code(out, *benchmark->name ? benchmark->name : "(no name)", NAME_COLUMNS);
	strbuf_addstr(out, "</td><td class=\"number\">");
	figure_cost(out, benchmark->total.head, benchmark->unit);
	strbuf_addstr(out, "</td><td class=\"number\">");
	spread_add(out, benchmark);
	strbuf_addstr(out, "</td><td class=\"number\">");
	runs_add(out, benchmark);
	strbuf_addstr(out, "</td></tr>\n");
}

void html_recorded(struct strbuf *out, const struct result *result)
{
	strbuf_addstr(out, "<section class=\"panel\"><h3>Recorded</h3>\n<div class=\"wide\"><table>"
			   "<thead><tr><th>benchmark</th><th class=\"number\">per run</th>"
			   "<th class=\"number\">spread</th><th class=\"number\">runs</th></tr>"
			   "</thead><tbody>\n");
	for (size_t i = 0; i < result->benchmark_count; i++) {
		if (result->benchmarks[i].status != RESULT_ERROR)
			add_recorded_row(out, &result->benchmarks[i]);
	}
	strbuf_addstr(out, "</tbody></table></div></section>\n");
}
