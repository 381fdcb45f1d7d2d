/* SPDX-License-Identifier: Apache-2.0 */
#include "report/terminal/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/clean.h"
#include "report/findings/claim_text.h"
#include "report/findings/consequences.h"
#include "report/findings/inlinings.h"
#include "report/findings/memory.h"
#include "report/findings/production_text.h"
#include "report/findings/reference_words.h"
#include "report/findings/sentence.h"
#include "report/terminal/terminal_print.h"
#include "report/terminal/terminal_tables.h"
#include "report/words/figure.h"
#include "report/words/groups.h"
#include "report/words/method.h"
#include "report/words/words.h"

#define DEFAULT_WIDTH 100
#define LEAST_WIDTH 40
#define LINK_COLUMNS 40
#define EVIDENCE_COLUMNS 160
#define DETAIL_BYTES 4096 /* of a detail below it */

/* What nothing was decided of has no verdict's colour. */
static const char *status_color(enum result_status status, const char *verdict)
{
	static const char *const colors[] = {GREEN, YELLOW, RED, YELLOW, BOLD};

	return strcmp(verdict, WORD_UNDECIDED) == 0 ? BOLD : colors[status];
}

/* ---- the parts of a benchmark ---------------------------------------------------------------- */

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
	printer_indent(printer, 6);
	printer_wrap(printer, 6, 12, path.data, path.length);
	strbuf_release(&path);
}

static void add_link(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	static const char *const texts[] = {
		[IN_DIFF_NO] = "; the diff does not change it",
		[IN_DIFF_YES] = "; the diff changes it",
		[IN_DIFF_UNKNOWN] = "; whether the diff changes it is not known",
	};
	enum in_diff in_diff = culprit_in_diff(benchmark, culprit);

	if (in_diff != IN_DIFF_YES && word_link(culprit->link)) {
		strbuf_addf(out, "; the diff changes %s", word_link(culprit->link));
		return;
	}
	if (in_diff == IN_DIFF_YES ||
		(culprit->link != LINK_CALLER && culprit->link != LINK_CALLEE)) {
		strbuf_addstr(out, texts[in_diff]);
		return;
	}
	strbuf_addstr(out, "; the diff changes ");
	clean_cut(out, function_name(benchmark, culprit->linked), LINK_COLUMNS);
	strbuf_addstr(out, culprit->link == LINK_CALLER ? ", a caller of it" : ", a callee of it");
}

static void put_culprit_costs(struct printer *printer, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	bool called = culprit->blame == BLAME_CALLED;
	struct strbuf line = STRBUF_INIT;

	strbuf_addstr(&line, called ? "with callees " : "self ");
	figure_cost(&line, culprit->base, benchmark->unit);
	strbuf_addstr(&line, " -> ");
	figure_cost(&line, culprit->head, benchmark->unit);
	if (isfinite(culprit->relative)) {
		strbuf_addstr(&line, ", ");
		figure_signed_percent(&line, culprit->relative);
		strbuf_addstr(&line, called ? " of that" : " of its own cost");
	}
	if (culprit->explained > 0) {
		strbuf_addstr(&line, ", explains ");
		figure_percent(&line, culprit->explained);
		strbuf_addstr(&line, " of the increase");
		strbuf_addstr(&line, with_consequences(culprit));
	}
	add_link(&line, benchmark, culprit);
	printer_indent(printer, 6);
	printer_wrap(printer, 6, 6, line.data, line.length);
	strbuf_release(&line);
}

static void put_evidence(struct printer *printer, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct result_claim claim = claim_of_culprit(benchmark, culprit);
	struct strbuf line = STRBUF_INIT;

	if (!*claim.because)
		return;
	strbuf_addstr(&line, "evidence: ");
	clean_cut(&line, claim.because, EVIDENCE_COLUMNS);
	printer_indent(printer, 6);
	printer_wrap(printer, 6, 8, line.data, line.length);
	strbuf_release(&line);
}

static void put_production(struct printer *printer, const struct result_culprit *culprit)
{
	struct strbuf line = STRBUF_INIT;

	if (!culprit->production)
		return;
	strbuf_addstr(&line, "in production: ");
	production_text(&line, culprit->production);
	printer_indent(printer, 6);
	printer_wrap(printer, 6, 6, line.data, line.length);
	strbuf_release(&line);
}

static void put_parts(struct printer *printer, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	static const char label[] = "counts with it: ";
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_parts(&sentence, benchmark, culprit);
	if (!sentence.count) {
		sentence_release(&sentence);
		return;
	}
	printer_indent(printer, 6);
	strbuf_addstr(printer->out, label);
	printer_sentence(printer, 6 + sizeof(label) - 1, 8, &sentence);
}

static void put_consequences(struct printer *printer, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	static const char label[] = "grew with it: ";
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_consequences(&sentence, benchmark, culprit);
	if (sentence.count) {
		printer_indent(printer, 6);
		strbuf_addstr(printer->out, label);
		printer_sentence(printer, 6 + sizeof(label) - 1, 8, &sentence);
	} else {
		sentence_release(&sentence);
	}
}

static void put_culprits(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct sentence sentence;

	if (!benchmark->culprit_count)
		return;
	printer_heading(printer, benchmark->culprit_count == 1 ? "Culprit" : "Culprits");
	for (size_t i = 0; i < benchmark->culprit_count && i < TERMINAL_LISTED; i++) {
		sentence_init(&sentence);
		sentence_of_culprit(&sentence, benchmark, &benchmark->culprits[i]);
		strbuf_addf(printer->out, "  %2zu. ", i + 1);
		printer_sentence(printer, 6, 6, &sentence);
		put_evidence(printer, benchmark, &benchmark->culprits[i]);
		put_culprit_costs(printer, benchmark, &benchmark->culprits[i]);
		put_production(printer, &benchmark->culprits[i]);
		put_consequences(printer, benchmark, &benchmark->culprits[i]);
		put_parts(printer, benchmark, &benchmark->culprits[i]);
		put_path(printer, benchmark, &benchmark->culprits[i]);
	}
	if (benchmark->culprit_count > TERMINAL_LISTED)
		strbuf_addf(printer->out, "      and %zu more\n",
			benchmark->culprit_count - TERMINAL_LISTED);
}

static void put_moved(struct printer *printer, const struct result_benchmark *benchmark)
{
	size_t place = 0, count = count_moved(benchmark);
	const struct result_claim *claim;
	struct sentence sentence;

	if (!count)
		return;
	printer_heading(printer, "Cost that moved");
	for (size_t i = 0; i < TERMINAL_LISTED && (claim = next_moved(benchmark, &place)); i++) {
		sentence_init(&sentence);
		sentence_of_moved(&sentence, benchmark, claim);
		printer_indent(printer, 4);
		printer_sentence(printer, 4, 6, &sentence);
	}
	if (count > TERMINAL_LISTED)
		strbuf_addf(printer->out, "    and %zu more\n", count - TERMINAL_LISTED);
}

static void put_inlinings(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct inlining_groups groups;
	struct sentence sentence;

	inlining_groups_find(&groups, benchmark);
	if (!groups.count)
		return;
	printer_heading(printer, "Split, merged or inlined");
	for (size_t i = 0; i < groups.count; i++) {
		sentence_init(&sentence);
		sentence_of_inlinings(&sentence, benchmark, groups.first[i]);
		printer_indent(printer, 4);
		printer_sentence(printer, 4, 6, &sentence);
	}
	if (groups.more)
		strbuf_addf(printer->out, "    and %zu more\n", groups.more);
}

static void put_findings(struct printer *printer, const struct result_reference *reference)
{
	struct sentence sentence;

	for (size_t i = 0; i < reference_listed(reference); i++) {
		sentence_init(&sentence);
		sentence_of_finding(&sentence, reference, &reference->findings[i]);
		printer_indent(printer, 6);
		printer_sentence(printer, 6, 8, &sentence);
	}
	if (reference->finding_count > REFERENCE_LISTED)
		strbuf_addf(printer->out, "      and %zu more\n",
			reference->finding_count - REFERENCE_LISTED);
}

static void put_references(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct sentence sentence;

	for (size_t i = 0; i < benchmark->reference_count; i++) {
		const char *label = reference_label(&benchmark->references[i]);

		sentence_init(&sentence);
		sentence_of_reference(&sentence, &benchmark->references[i]);
		strbuf_addstr(printer->out, i ? "  " : "\n  ");
		printer_color(printer, BOLD, label);
		printer_color(printer, BOLD, ": ");
		printer_sentence(printer, (unsigned)strlen(label) + 4, 4, &sentence);
		put_findings(printer, &benchmark->references[i]);
	}
}

static void put_method(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct strbuf method = STRBUF_INIT;

	method_add(&method, benchmark);
	if (method.length) {
		printer_heading(printer, "How it was measured");
		printer_block(printer, 4, method.data, DETAIL_BYTES);
	}
	strbuf_release(&method);
}

static void put_memory(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct strbuf text = STRBUF_INIT;

	memory_add(&text, benchmark);
	if (text.length) {
		printer_heading(printer, "Memory over time");
		printer_line(printer, 4, text.data);
	}
	strbuf_release(&text);
}

static void put_verdict(struct printer *printer, enum result_status status, const char *verdict)
{
	char word[8];

	snprintf(word, sizeof(word), "%-7s", verdict);
	printer_color(printer, status_color(status, verdict), word);
}

static void put_detail(struct printer *printer, const struct result_benchmark *benchmark)
{
	if (detail_is_said(benchmark))
		return;
	printer_block(printer, 7, benchmark->detail, DETAIL_BYTES);
}

static void put_benchmark(struct printer *printer, const struct result_benchmark *benchmark)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_benchmark(&sentence, benchmark);
	put_verdict(printer, benchmark->status, word_of_benchmark(benchmark));
	printer_sentence(printer, 7, 7, &sentence);
	put_detail(printer, benchmark);
	put_culprits(printer, benchmark);
	put_references(printer, benchmark);
	if (!printer->brief) {
		put_moved(printer, benchmark);
		put_inlinings(printer, benchmark);
		terminal_functions(printer, benchmark);
		terminal_improvements(printer, benchmark);
		terminal_metrics(printer, benchmark);
		put_memory(printer, benchmark);
		printer_list(
			printer, "Conditions", benchmark->excluded, benchmark->excluded_count, 4);
		put_method(printer, benchmark);
	}
	printer_list(printer, warnings_title(benchmark), benchmark->warnings,
		benchmark->warning_count, 4);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void put_commit(
	struct printer *printer, const char *label, const struct result_commit *commit)
{
	struct strbuf line = STRBUF_INIT;

	commit_add(&line, commit);
	if (line.length) {
		strbuf_addch(&line, ' ');
		clean_cut(&line, commit->dirty ? "" : commit->subject, 70);
		strbuf_addf(printer->out, "%-7s", label);
		printer_line_from(printer, 7, line.data);
	}
	strbuf_release(&line);
}

static void put_overview(struct printer *printer, const struct result *result)
{
	put_commit(printer, "base", &result->base);
	put_commit(printer, "head", &result->head);
	if (*result->policy_origin) {
		strbuf_addf(printer->out, "%-7s", "policy");
		printer_line_from(printer, 7, result->policy_origin);
	}
	printer_list(printer, "Changed configuration (takes effect after the merge)",
		result->config_changes, result->config_change_count, 4);
	printer_list(printer, "Notes", result->notes, result->note_count, 4);
	printer_list(printer, "Warnings", result->warnings, result->warning_count, 4);
}

/* What matters most stands last, where a terminal and a log end. */
static void put_summary(struct printer *printer, const struct result *result)
{
	struct sentence sentence;

	strbuf_addstr(printer->out, "\nIn all:\n");
	sentence_init(&sentence);
	sentence_of_result(&sentence, result);
	put_verdict(printer, result->status, word_of_result(result));
	printer_sentence(printer, 7, 7, &sentence);
}

/* Of one benchmark its own line says it all, unless something else made the status. */
static bool needs_summary(const struct result *result)
{
	return result->benchmark_count != 1 || result->status != result->benchmarks[0].status ||
	       is_nothing_to_compare(result);
}

/* What regressed or could not be measured is shown in full; of the rest a line says enough. */
static void put_many(struct printer *printer, const struct result *result)
{
	static const enum result_status in_full[] = {RESULT_FAIL, RESULT_ERROR};
	size_t shown = 0;

	terminal_groups(printer, result);
	for (size_t k = 0; k < sizeof(in_full) / sizeof(in_full[0]); k++)
		for (size_t i = 0; i < result->benchmark_count; i++) {
			if (result->benchmarks[i].status != in_full[k] || shown == TERMINAL_LISTED)
				continue;
			strbuf_addch(printer->out, '\n');
			put_benchmark(printer, &result->benchmarks[i]);
			shown++;
		}
	put_summary(printer, result);
}

static void put_benchmarks(struct printer *printer, const struct result *result)
{
	if (groups_are_worth_it(result)) {
		put_many(printer, result);
		return;
	}
	for (size_t i = 0; i < result->benchmark_count; i++) {
		if (printer->out->length)
			strbuf_addch(printer->out, '\n');
		put_benchmark(printer, &result->benchmarks[i]);
	}
	if (needs_summary(result))
		put_summary(printer, result);
}

/* The table says it all but for what went wrong. */
static void put_recording(struct printer *printer, const struct result *result)
{
	terminal_recorded(printer, result);
	for (size_t i = 0; i < result->benchmark_count; i++) {
		const struct result_benchmark *benchmark = &result->benchmarks[i];

		if (benchmark->status == RESULT_PASS && !benchmark->warning_count)
			continue;
		strbuf_addch(printer->out, '\n');
		put_benchmark(printer, benchmark);
	}
	put_summary(printer, result);
}

void report_terminal(
	const struct report_view *view, const struct terminal_options *options, struct strbuf *out)
{
	const struct result *result = &view->result;
	size_t start = out->length;
	struct printer printer = {.out = out,
		.width = options->width ? options->width : DEFAULT_WIDTH,
		.color = options->color,
		.brief = options->brief};

	if (printer.width < LEAST_WIDTH)
		printer.width = LEAST_WIDTH;
	put_overview(&printer, result);
	if (is_recording(result))
		put_recording(&printer, result);
	else
		put_benchmarks(&printer, result);
	if (options->ascii)
		clean_to_ascii(out, start);
}
