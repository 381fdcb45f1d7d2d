/* SPDX-License-Identifier: Apache-2.0 */
/* What a report says of stored baselines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "report/ci/junit.h"
#include "report/ci/workflow.h"
#include "report/findings/reference_words.h"
#include "report/findings/sentence.h"
#include "report/html/html.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

static void add_spans(struct strbuf *out, const struct sentence *sentence)
{
	for (size_t i = 0; i < sentence->count; i++) {
		const char *quote = sentence->spans[i].kind == SPAN_TEXT ? "" : "'";

		strbuf_addf(out, "%s%s%s", quote, sentence->spans[i].text, quote);
	}
}

static struct result_benchmark *only(struct result *result)
{
	return (struct result_benchmark *)result->benchmarks;
}

static struct result_reference *entry(struct result *result, size_t i)
{
	return (struct result_reference *)&result->benchmarks[0].references[i];
}

/* The benchmark's sentence has `part`. Releases the result. */
static void assert_says(struct result *result, const char *part)
{
	struct sentence sentence;
	struct strbuf out = STRBUF_INIT;

	sentence_init(&sentence);
	sentence_of_benchmark(&sentence, only(result));
	add_spans(&out, &sentence);
	if (!strstr(out.data, part))
		fail_msg("\"%s\" does not say \"%s\"", out.data, part);
	sentence_release(&sentence);
	strbuf_release(&out);
	fixture_free(result);
}

static void describe(struct strbuf *out, const struct result_reference *reference)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_reference(&sentence, reference);
	add_spans(out, &sentence);
	sentence_release(&sentence);
}

/* The line about the first stored baseline has `part`, or has it not. */
static void assert_describes(struct result *result, const char *part, bool wanted)
{
	struct strbuf out = STRBUF_INIT;

	describe(&out, entry(result, 0));
	if ((strstr(out.data, part) != NULL) != wanted)
		fail_msg("\"%s\" in \"%s\" is %s", part, out.data, wanted ? "wanted" : "wrong");
	strbuf_release(&out);
	fixture_free(result);
}

static size_t count_commands(struct result *result, const char *command)
{
	struct report_view *view = NULL;
	struct strbuf out = STRBUF_INIT;
	struct error err = {0};
	size_t count = 0;

	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	report_workflow(view, &out);
	for (const char *at = out.data; (at = strstr(at, command)); at++)
		count++;
	report_view_free(view);
	strbuf_release(&out);
	return count;
}

/* ---- the benchmark's sentence ---------------------------------------------------------------- */

static void test_failure_by_a_screen_says_why_the_base_was_not_measured(void **state)
{
	(void)state;
	assert_says(fixture_reference_fail(),
		"'logstat': the base could not be rebuilt; against the stored baseline of "
		"'0c1d2e3f4051', 'parse_field' in 'src/parse.c:120' takes 6.1 % of the benchmark's "
		"time more");
}

static void test_a_warning_by_a_screen_is_called_no_proof(void **state)
{
	struct result *result = fixture_reference_fail();

	(void)state;
	only(result)->status = RESULT_WARN;
	assert_says(result, "time more (a screen, not a proof)");
}

static void test_failed_base_without_a_usable_baseline_keeps_its_sentence(void **state)
{
	struct result *result = fixture_reference_fail();

	(void)state;
	only(result)->status = RESULT_WARN;
	entry(result, 0)->state = REFERENCE_CANNOT;
	entry(result, 0)->decides = false;
	assert_true(detail_is_said(only(result)));
	assert_says(result, "the base does not build or run, so there is nothing to compare with: "
			    "'make: ***");
}

static void test_screened_benchmark_is_not_proven(void **state)
{
	(void)state;
	assert_says(fixture_screened(), "'logstat': not proven: against the stored baseline of "
					"'0c1d2e3f4051', nothing grew "
					"beyond the margins");
}

static void test_screen_that_could_not_look_clears_nothing(void **state)
{
	struct result *result = fixture_screened();

	(void)state;
	only(result)->status = RESULT_WARN;
	entry(result, 0)->state = REFERENCE_CANNOT;
	assert_says(result, "not proven: the stored baseline of");
}

static void test_screened_benchmark_without_a_baseline_says_its_detail(void **state)
{
	struct result *result = fixture_screened();

	(void)state;
	only(result)->reference_count = 0;
	assert_true(detail_is_said(only(result)));
	assert_says(result, "'logstat': not proven: 'policy.screen: fast");
}

static void test_failure_by_a_count_names_metric_and_function(void **state)
{
	struct result *result = fixture_exact_fail();

	(void)state;
	assert_says(result,
		"'logstat' executes 2.3 % more instructions than the stored baseline of "
		"'0c1d2e3f4051', above all in 'parse_field' ('src/parse.c:120'): +2.09 %");
	result = fixture_exact_fail();
	entry(result, 0)->profile_type = "alloc_space";
	assert_says(result, " allocates 2.3 % more memory than");
	result = fixture_exact_fail();
	entry(result, 0)->profile_type = "page faults";
	assert_says(result, " counts 2.3 % more of 'page faults' than");
}

static void test_measured_culprits_speak_before_counts(void **state)
{
	struct result *result = fixture_fail();
	struct result_reference reference = {.kind = REFERENCE_EXACT,
		.state = REFERENCE_FLAGGED,
		.decides = true,
		.profile_type = "instructions",
		.commit = ""};

	(void)state;
	only(result)->references = &reference;
	only(result)->reference_count = 1;
	assert_says(result, "'logstat' takes 5.1 % more CPU time");
}

static void test_a_count_decides_nothing_that_it_did_not_decide(void **state)
{
	struct result *result = fixture_exact_fail();

	(void)state;
	entry(result, 0)->decides = false;
	only(result)->status = RESULT_PASS;
	assert_says(result, "'logstat': no regression");
}

/* ---- the line about a baseline --------------------------------------------------------------- */

static void test_screen_discloses_where_the_baseline_is_from(void **state)
{
	(void)state;
	assert_describes(fixture_reference_screen(),
		"'cpu' of '0c1d2e3f4051', 3 commits before the base, from 'git notes of origin' "
		"(recorded in another environment: 'another CPU: Example CPU @ 3.1 GHz'): ",
		true);
	assert_describes(fixture_screened(), "1 commit before the base", true);
	assert_describes(fixture_screened(), "environment", false);
	assert_describes(fixture_exact_fail(), ", the base itself, from ", true);
}

static void test_screen_discloses_what_it_cannot_tell(void **state)
{
	(void)state;
	assert_describes(fixture_reference_screen(),
		"6 functions grew beyond the margins. This is a screen, not a proof. Head ran 1.07 "
		"times as long throughout: another machine or a uniform slowdown, which cannot be "
		"told here. It could have found +1.2 % of the total in a function of 1 % share. "
		"Note: ",
		true);
	assert_describes(fixture_screened(),
		"nothing grew beyond the margins. This is a screen, not "
		"a proof. It could have found +1.4 %",
		true);
}

static void test_a_faster_machine_is_no_slowdown(void **state)
{
	struct result *result = fixture_reference_screen();

	(void)state;
	entry(result, 0)->size_factor = 0.9;
	assert_describes(result,
		"Head ran 0.90 times as long throughout: another machine or a "
		"uniform speedup",
		true);
}

static void test_unknown_figures_are_left_out(void **state)
{
	struct result *result = fixture_reference_screen();

	(void)state;
	entry(result, 0)->size_factor = entry(result, 0)->threshold = (double)NAN;
	assert_describes(result, "nan", false);
	result = fixture_reference_screen();
	entry(result, 0)->threshold = 0;
	assert_describes(result, "could have found", false);
}

static void test_count_is_given_with_both_totals_and_threshold(void **state)
{
	(void)state;
	assert_describes(fixture_exact_fail(),
		": +2.31 % (8.12 G -> 8.31 G, threshold 0.5 %), above all in 'parse_field' "
		"('src/parse.c:120'): +2.09 %. This decided the status.",
		true);
	assert_describes(fixture_exact_fail(), "screen", false);
}

static void test_baseline_that_cannot_be_used_says_why(void **state)
{
	struct result *result = fixture_reference_screen();

	(void)state;
	*entry(result, 0) = *entry(result, 2);
	assert_describes(result, ": cannot tell: 'the baseline was built", true);
	result = fixture_reference_screen();
	*entry(result, 0) = *entry(result, 2);
	entry(result, 0)->commit = entry(result, 0)->store = "";
	entry(result, 0)->distance = 0;
	assert_describes(result, "'alloc_space': cannot tell", true);
}

static void test_base_counted_beside_head_is_no_stored_baseline(void **state)
{
	struct result *result = fixture_exact_fail();

	(void)state;
	entry(result, 0)->store = "";
	entry(result, 0)->distance = 0;
	assert_describes(result, ", the base itself, counted beside head: ", true);
	result = fixture_exact_fail();
	entry(result, 0)->store = "";
	assert_says(result, "more instructions than the base of ");
}

static void test_only_finding_of_a_count_is_not_repeated(void **state)
{
	struct result *result = fixture_exact_fail();

	(void)state;
	assert_int_equal(reference_listed(entry(result, 0)), 3);
	entry(result, 0)->finding_count = 1;
	assert_int_equal(reference_listed(entry(result, 0)), 0);
	fixture_free(result);
	result = fixture_reference_screen();
	assert_int_equal(reference_listed(entry(result, 0)), REFERENCE_LISTED);
	entry(result, 0)->finding_count = 1;
	assert_int_equal(reference_listed(entry(result, 0)), 1);
	fixture_free(result);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void make_page(struct strbuf *out, struct result *result)
{
	struct report_view *view = NULL;
	struct error err = {0};

	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	assert_int_equal(report_html(view, out, &err), ERR_OK);
	report_view_free(view);
	fixture_free(result);
}

static void test_page_has_a_section_of_stored_baselines(void **state)
{
	struct strbuf page = STRBUF_INIT;

	(void)state;
	make_page(&page, fixture_reference_screen());
	assert_non_null(strstr(page.data, "<section class=\"panel reference notes\"><h3>Stored "
					  "baselines</h3>\n<p><code>cpu</code> of <code>"));
	assert_non_null(strstr(page.data, "This is a screen, not a proof"));
	assert_non_null(strstr(page.data, "<li><code>table_add</code> in <code>src/table.c:64"
					  "</code>: +1.5 % of the total"));
	assert_null(strstr(page.data, "<li><code>print_table</code> in"));
	assert_non_null(strstr(page.data, "<li>and 1 more</li>"));
	assert_non_null(strstr(page.data, "<li>Stored baseline from git notes of origin: a node"));
	strbuf_release(&page);
}

/* The base was counted beside head: no baseline is stored anywhere. */
static void test_what_was_counted_beside_head_is_called_no_stored_baseline(void **state)
{
	struct result *result = fixture_exact_fail();
	struct strbuf page = STRBUF_INIT;

	(void)state;
	entry(result, 0)->store = "";
	entry(result, 0)->commit = "0123456789abcdef0123456789abcdef01234567";
	entry(result, 0)->loss_count = 0;
	assert_string_equal(reference_label(entry(result, 0)), "Counted");
	make_page(&page, result);
	assert_non_null(strstr(page.data, "<h3>Counted beside head</h3>"));
	assert_null(strstr(page.data, "<h3>Stored baseline"));
	strbuf_release(&page);
}

static void test_findings_of_nothing_are_no_lines_of_junit(void **state)
{
	struct result *result = fixture_exact_fail();
	struct result_reference_finding *findings =
		arena_array(&result->arena, 2, sizeof(*findings));
	struct strbuf out = STRBUF_INIT;
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	findings[0] = findings[1] = entry(result, 0)->findings[0];
	findings[1].name = "of_no_account";
	findings[1].change = 0.00001;
	entry(result, 0)->findings = findings;
	entry(result, 0)->finding_count = 2;
	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	report_junit(view, &out);
	assert_non_null(strstr(out.data, findings[0].name));
	assert_null(strstr(out.data, "of_no_account"));
	strbuf_release(&out);
	report_view_free(view);
	fixture_free(result);
}

static void test_page_has_a_quiet_section_where_nothing_was_found(void **state)
{
	struct strbuf page = STRBUF_INIT;

	(void)state;
	make_page(&page, fixture_screened());
	assert_non_null(
		strstr(page.data, "<section class=\"panel reference\"><h3>Stored baseline</h3>"));
	strbuf_release(&page);
	make_page(&page, fixture_pass());
	assert_null(strstr(page.data, "<section class=\"panel reference"));
	strbuf_release(&page);
}

static void test_base_that_is_stored_is_said_to_be(void **state)
{
	struct strbuf page = STRBUF_INIT;

	(void)state;
	make_page(&page, fixture_reference_fail());
	assert_non_null(strstr(page.data, "<h3>Largest changes of self cost against the stored "
					  "baseline, not scaled</h3>"));
	strbuf_release(&page);
}

/* ---- annotations ----------------------------------------------------------------------------- */

static void test_findings_that_fail_are_errors_and_those_that_warn_warnings(void **state)
{
	struct result *fail = fixture_reference_fail(), *warn = fixture_reference_screen();

	(void)state;
	assert_int_equal(count_commands(fail, "::error "), REFERENCE_LISTED);
	assert_int_equal(count_commands(fail, "::warning "), 0);
	assert_int_equal(count_commands(warn, "::error "), 0);
	assert_int_equal(count_commands(warn, "::warning "), REFERENCE_LISTED);
	fixture_free(fail);
	fixture_free(warn);
}

static void test_findings_that_did_not_decide_are_not_annotated(void **state)
{
	struct result *result = fixture_reference_screen();

	(void)state;
	entry(result, 0)->decides = false;
	assert_int_equal(count_commands(result, "file="), 0);
	fixture_free(result);
}

static void test_what_others_compensate_is_not_annotated(void **state)
{
	struct result *result = fixture_exact_fail();

	(void)state;
	assert_int_equal(count_commands(result, "::error "), 2);
	assert_int_equal(count_commands(result, "scan_number"), 0);
	fixture_free(result);
}

/* The screen's warning does not turn into an error because something else failed. */
static void test_a_screen_fails_nothing_that_was_measured(void **state)
{
	struct result *result = fixture_reference_screen();

	(void)state;
	only(result)->status = result->status = RESULT_FAIL;
	assert_null(reference_that_decides(only(result)));
	assert_int_equal(count_commands(result, "stored baseline"), 0);
	assert_int_equal(count_commands(result, "::error "), 1);
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failure_by_a_screen_says_why_the_base_was_not_measured),
		cmocka_unit_test(test_a_warning_by_a_screen_is_called_no_proof),
		cmocka_unit_test(test_failed_base_without_a_usable_baseline_keeps_its_sentence),
		cmocka_unit_test(test_screened_benchmark_is_not_proven),
		cmocka_unit_test(test_screen_that_could_not_look_clears_nothing),
		cmocka_unit_test(test_screened_benchmark_without_a_baseline_says_its_detail),
		cmocka_unit_test(test_failure_by_a_count_names_metric_and_function),
		cmocka_unit_test(test_measured_culprits_speak_before_counts),
		cmocka_unit_test(test_a_count_decides_nothing_that_it_did_not_decide),
		cmocka_unit_test(test_screen_discloses_where_the_baseline_is_from),
		cmocka_unit_test(test_screen_discloses_what_it_cannot_tell),
		cmocka_unit_test(test_a_faster_machine_is_no_slowdown),
		cmocka_unit_test(test_unknown_figures_are_left_out),
		cmocka_unit_test(test_count_is_given_with_both_totals_and_threshold),
		cmocka_unit_test(test_baseline_that_cannot_be_used_says_why),
		cmocka_unit_test(test_base_counted_beside_head_is_no_stored_baseline),
		cmocka_unit_test(test_only_finding_of_a_count_is_not_repeated),
		cmocka_unit_test(test_page_has_a_section_of_stored_baselines),
		cmocka_unit_test(test_what_was_counted_beside_head_is_called_no_stored_baseline),
		cmocka_unit_test(test_findings_of_nothing_are_no_lines_of_junit),
		cmocka_unit_test(test_page_has_a_quiet_section_where_nothing_was_found),
		cmocka_unit_test(test_base_that_is_stored_is_said_to_be),
		cmocka_unit_test(test_findings_that_fail_are_errors_and_those_that_warn_warnings),
		cmocka_unit_test(test_findings_that_did_not_decide_are_not_annotated),
		cmocka_unit_test(test_what_others_compensate_is_not_annotated),
		cmocka_unit_test(test_a_screen_fails_nothing_that_was_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
