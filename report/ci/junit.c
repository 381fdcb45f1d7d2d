/* SPDX-License-Identifier: Apache-2.0 */
#include "report/ci/junit.h"

#include <math.h>
#include <string.h>

#include "report/clean.h"
#include "report/findings/blamed.h"
#include "report/findings/reference_words.h"
#include "report/markup.h"
#include "report/words/words.h"

#define NAME_COLUMNS 200
#define LEAST_CHANGE 5e-5 /* what is rounded to 0 is no finding to list */
#define MESSAGE_COLUMNS 1000
#define DETAIL_BYTES 20000
#define FINDINGS 50 /* of each kind */
#define MOST_SECONDS 1e9

/* ---- text ------------------------------------------------------------------------------------ */

static void add_name(struct strbuf *out, const char *name)
{
	markup_xml_cut(out, name, NAME_COLUMNS);
}

static void add_block(struct strbuf *out, const char *text)
{
	struct strbuf clean = STRBUF_INIT;

	clean_block(&clean, text, DETAIL_BYTES);
	markup_xml(out, clean.data);
	strbuf_release(&clean);
}

/* ---- test cases ----------------------------------------------------------------------------- */

static void add_message(struct strbuf *out, const struct blamed *blamed)
{
	struct strbuf message = STRBUF_INIT;

	blamed_message(blamed, MESSAGE_COLUMNS, &message);
	markup_xml(out, message.data);
	strbuf_release(&message);
}

static void add_sentence(struct strbuf *out, const struct result_benchmark *benchmark)
{
	add_message(out, &(struct blamed){.benchmark = benchmark});
}

static void add_line(struct strbuf *out, const struct blamed *blamed)
{
	add_message(out, blamed);
	strbuf_addch(out, '\n');
}

/* "0.0 %" is none. */
static bool is_worth_a_line(const struct result_reference_finding *finding)
{
	return !finding->shifted && fabs(finding->change) >= LEAST_CHANGE;
}

static void add_findings(struct strbuf *out, const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->culprit_count && i < FINDINGS; i++)
		add_line(out, &(struct blamed){
				      .benchmark = benchmark, .culprit = &benchmark->culprits[i]});
	for (size_t i = 0; i < benchmark->reference_count; i++) {
		const struct result_reference *reference = &benchmark->references[i];

		for (size_t j = 0; j < reference->finding_count && j < FINDINGS; j++)
			if (reference_decided(benchmark, reference) &&
				is_worth_a_line(&reference->findings[j]))
				add_line(out, &(struct blamed){.benchmark = benchmark,
						      .reference = reference,
						      .finding = &reference->findings[j]});
	}
}

/* GitLab shows the text and not the attribute, others the attribute: the sentence is in both. */
static void add_outcome(struct strbuf *out, const char *element, const char *type,
	const struct result_benchmark *benchmark)
{
	strbuf_addf(out, "<%s message=\"", element);
	add_sentence(out, benchmark);
	strbuf_addf(out, "\" type=\"%s\">", type);
	add_line(out, &(struct blamed){.benchmark = benchmark});
	add_findings(out, benchmark);
	if (benchmark->detail[0])
		add_block(out, benchmark->detail);
	strbuf_addf(out, "</%s>\n", element);
}

static bool is_skipped(const struct result_benchmark *benchmark)
{
	return strcmp(word_of_benchmark(benchmark), WORD_UNDECIDED) == 0;
}

static void add_element(struct strbuf *out, const struct result_benchmark *benchmark)
{
	if (benchmark->status == RESULT_FAIL)
		add_outcome(out, "failure", "regression", benchmark);
	else if (benchmark->status == RESULT_ERROR)
		add_outcome(out, "error", "not measured", benchmark);
	else if (is_skipped(benchmark))
		strbuf_addstr(out, "<skipped/>\n");
}

/* xs:decimal has no exponent, and a hostile report any number. */
static double seconds_of(const struct result_benchmark *benchmark)
{
	return fmin(fmax(benchmark->wall_seconds, 0), MOST_SECONDS);
}

static void add_warnings(struct strbuf *out, const struct result_benchmark *benchmark)
{
	strbuf_addstr(out, "<system-out>");
	add_sentence(out, benchmark);
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < benchmark->warning_count; i++) {
		strbuf_addstr(out, benchmark->status == RESULT_PASS ? "note: " : "warning: ");
		add_block(out, benchmark->warnings[i]);
	}
	strbuf_addstr(out, "</system-out>\n");
}

static void add_case(struct strbuf *out, const struct result_benchmark *benchmark)
{
	strbuf_addstr(out, "  <testcase classname=\"flamegate\" name=\"");
	add_name(out, benchmark->name);
	strbuf_addf(out, "\" time=\"%.3f\">\n", seconds_of(benchmark));
	add_element(out, benchmark);
	add_warnings(out, benchmark);
	strbuf_addstr(out, "  </testcase>\n");
}

struct tally {
	size_t failures, errors, skipped;
	double seconds;
};

static struct tally count(const struct result *result)
{
	struct tally tally = {0};

	for (size_t i = 0; i < result->benchmark_count; i++) {
		const struct result_benchmark *benchmark = &result->benchmarks[i];

		tally.failures += benchmark->status == RESULT_FAIL;
		tally.errors += benchmark->status == RESULT_ERROR;
		tally.skipped += is_skipped(benchmark);
		tally.seconds += seconds_of(benchmark);
	}
	return tally;
}

static void add_counts(struct strbuf *out, const struct result *result, const struct tally *tally)
{
	strbuf_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", result->benchmark_count,
		tally->failures, tally->errors);
	strbuf_addf(out, " time=\"%.3f\"", tally->seconds);
}

void report_junit(const struct report_view *view, struct strbuf *out)
{
	const struct result *result = &view->result;
	struct tally tally = count(result);

	strbuf_addstr(
		out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"flamegate\"");
	add_counts(out, result, &tally);
	strbuf_addstr(out, ">\n <testsuite name=\"flamegate ");
	add_name(out, result->kind);
	strbuf_addch(out, '"');
	add_counts(out, result, &tally);
	strbuf_addf(out, " skipped=\"%zu\" timestamp=\"", tally.skipped);
	add_name(out, result->date);
	strbuf_addstr(out, "\">\n");
	for (size_t i = 0; i < result->benchmark_count; i++)
		add_case(out, &result->benchmarks[i]);
	strbuf_addstr(out, " </testsuite>\n</testsuites>\n");
}
