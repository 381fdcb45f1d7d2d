/* SPDX-License-Identifier: Apache-2.0 */
/* The heap over time: written, read again, put into words, and from hostile hands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/findings/memory.h"
#include "report/html/html.h"
#include "report/json/report_json.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

static struct result_memory_line *lines_of(struct result *result)
{
	return ((struct result_benchmark *)result->benchmarks)->memory;
}

static struct report_view *view_of(struct result *result)
{
	struct report_view *view = NULL;
	struct error err = {0};

	if (report_view_of(result, &view, &err))
		fail_msg("%s", err.message);
	fixture_free(result);
	return view;
}

static void assert_said(struct result *result, const char *expected)
{
	struct report_view *view = view_of(result);
	struct strbuf text = STRBUF_INIT;

	memory_add(&text, &view->result.benchmarks[0]);
	assert_string_equal(text.data ? text.data : "", expected);
	strbuf_release(&text);
	report_view_free(view);
}

static void test_it_is_read_as_it_was_written(void **state)
{
	struct report_view *view = view_of(fixture_memory());
	const struct result_memory_line *head = &view->result.benchmarks[0].memory[1];

	(void)state;
	assert_int_equal(view->result.benchmarks[0].memory[0].moment_count, 40);
	assert_int_equal(head->moment_count, 40);
	assert_int_equal(head->runs, 3);
	assert_int_equal(head->processes, 1);
	assert_true(head->moments[15].iterations == 80);
	assert_true(head->moments[15].seconds == 0.22);
	assert_true(head->moments[15].most > head->moments[15].inuse);
	report_view_free(view);
}

static void test_reports_without_it_say_nothing_of_it(void **state)
{
	struct report_view *view = view_of(fixture_pass());
	struct strbuf json = STRBUF_INIT, html = STRBUF_INIT;
	struct error err = {0};

	(void)state;
	assert_false(has_memory(&view->result.benchmarks[0]));
	assert_int_equal(report_json_write(&view->result, &json, &err), ERR_OK);
	assert_null(strstr(json.data, "memory_"));
	assert_int_equal(report_html(view, &html, &err), ERR_OK);
	assert_null(strstr(html.data, "Memory over time</h3>"));
	strbuf_release(&json);
	strbuf_release(&html);
	report_view_free(view);
}

static void test_every_output_says_when_memory_peaks(void **state)
{
	static const char said[] =
		"Memory peaks at 12.3 MiB after 39 % of the run's iterations (base: ";
	struct report_view *view = view_of(fixture_memory());
	struct strbuf out[3] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	struct error err = {0};

	(void)state;
	report_terminal(view, &(struct terminal_options){.width = 400}, &out[0]);
	report_markdown(view, 0, &out[1]);
	assert_int_equal(report_html(view, &out[2], &err), ERR_OK);
	for (int i = 0; i < 3; i++) {
		if (!strstr(out[i].data, said))
			fail_msg("output %d lacks it:\n%.3000s", i, out[i].data);
		strbuf_release(&out[i]);
	}
	report_view_free(view);
}

static void test_what_was_gone_at_once_was_there_between_two_moments(void **state)
{
	struct result_moment moments[] = {{1, 0, 100, 100}, {3, 0, 50, 300}, {4, 0, 0, 50}};
	struct result *result = fixture_pass();

	(void)state;
	lines_of(result)[1] = (struct result_memory_line){moments, 3, 1, 1};
	assert_said(result,
		"Memory peaks at 300 B after 50 % of the run's CPU time and ends with 0 B in use.");
}

static void test_what_is_still_there_was_largest_then(void **state)
{
	struct result_moment moments[] = {{1, 0, 100, 100}, {3, 0, 300, 300}, {4, 0, 0, 300}};
	struct result *result = fixture_pass();

	(void)state;
	lines_of(result)[1] = (struct result_memory_line){moments, 3, 1, 4};
	assert_said(result,
		"Memory peaks at 300 B after 75 % of the run's CPU time and ends with 0 B in use. "
		"That is the process with the largest heap of 4.");
}

/* Iterations that one version alone tells are no clock for both. */
static void test_both_versions_go_by_the_same_clock(void **state)
{
	struct result *result = fixture_memory();
	struct result_moment *base = (struct result_moment *)lines_of(result)[0].moments;

	(void)state;
	for (size_t i = 0; i < lines_of(result)[0].moment_count; i++)
		base[i].iterations = 0;
	assert_said(result, "Memory peaks at 12.3 MiB after 39 % of the run's CPU time (base: 3.50 "
			    "MiB after 11 "
			    "%) and ends with 2.50 MiB in use (base: 16.0 KiB).");
}

static void test_a_run_without_a_clock_has_a_peak_all_the_same(void **state)
{
	struct result_moment moments[] = {{0, 0, 7, 9}};
	struct result *result = fixture_pass();

	(void)state;
	lines_of(result)[1] = (struct result_memory_line){moments, 1, 1, 1};
	assert_said(result,
		"Memory peaks at 9 B after 0 % of the run's CPU time and ends with 7 B in use.");
}

/* Of the first place where it stands. */
static char *edited(const struct strbuf *json, const char *from, const char *to)
{
	const char *at = strstr(json->data, from);
	char *copy = malloc(json->length + strlen(to) + 1);

	if (!at)
		fail_msg("no %s", from);
	assert_non_null(copy);
	sprintf(copy, "%.*s%s%s", (int)(at - json->data), json->data, to, at + strlen(from));
	return copy;
}

static void test_what_does_not_follow_is_refused(void **state)
{
	static const char *const edits[][2] = {
		{"\"seconds\":[0.0125,", "\"seconds\":[-1,"},
		{"\"seconds\":[0.0125,", "\"seconds\":[0.9,"},
		{"\"seconds\":[0.0125,", "\"seconds\":[0.0125,0.0125,"},
		{"\"seconds\":[0.0125,", "\"seconds\":[null,"},
		{"\"iterations\":[5,", "\"iterations\":[1e300,"},
		{"\"iterations\":[5,", "\"iterations\":[\"5\","},
		{"\"inuse\":[", "\"inuse\":[1e17,"},
		{"\"most\":[2097150,", "\"most\":[2097149,"},
		{"\"most\":[", "\"most\":[1e19,"},
		{"\"runs\":3", "\"runs\":-3"},
		{"\"moments\":{\"count\":40", "\"moments\":{\"count\":41"},
		{"\"moments\":{\"count\":40", "\"moments\":{\"count\":201"},
		{"\"memory_base\": {", "\"memory_base\":0,\"other\":{"},
	};
	struct result *result = fixture_memory();
	struct strbuf json = STRBUF_INIT;
	struct error err = {0};

	(void)state;
	assert_int_equal(report_json_write(result, &json, &err), ERR_OK);
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		char *text = edited(&json, edits[i][0], edits[i][1]);
		struct report_view *view = NULL;

		if (!report_view_read(text, strlen(text), &view, &err))
			fail_msg("%s was taken", edits[i][1]);
		free(text);
	}
	strbuf_release(&json);
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_is_read_as_it_was_written),
		cmocka_unit_test(test_reports_without_it_say_nothing_of_it),
		cmocka_unit_test(test_every_output_says_when_memory_peaks),
		cmocka_unit_test(test_what_was_gone_at_once_was_there_between_two_moments),
		cmocka_unit_test(test_what_is_still_there_was_largest_then),
		cmocka_unit_test(test_both_versions_go_by_the_same_clock),
		cmocka_unit_test(test_a_run_without_a_clock_has_a_peak_all_the_same),
		cmocka_unit_test(test_what_does_not_follow_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
