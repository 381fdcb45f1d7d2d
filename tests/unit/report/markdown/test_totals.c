/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals of what functions cost with what they call: optional, shown where there is room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/json/report_json.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

/* The function that others are called through: it has a total of its own. */
static struct result_function *caller(struct result *result)
{
	const struct result_benchmark *benchmark = result->benchmarks;
	struct result_function *functions = (struct result_function *)benchmark->functions;

	return &functions[benchmark->culprits[0].caller];
}

static struct report_view *view_of(struct result *result)
{
	struct report_view *view = NULL;
	struct error err = {0};

	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	return view;
}

static void print(struct strbuf *out, const struct report_view *view, unsigned width)
{
	report_terminal(view, &(struct terminal_options){.width = width}, out);
	for (const char *line = out->data; *line; line = strchr(line, '\n') + 1) {
		size_t columns = 0;

		for (const char *at = line; *at != '\n'; at++)
			columns += ((unsigned char)*at & 0xc0) != 0x80;
		assert_true(columns <= width);
	}
}

static void test_a_listed_function_shows_its_total(void **state)
{
	struct result *result = fixture_called();
	struct strbuf markdown = STRBUF_INIT, wide = STRBUF_INIT, narrow = STRBUF_INIT;
	struct report_view *view;

	(void)state;
	caller(result)->self.state = STATE_FLAGGED;
	caller(result)->total_change = 0.123;
	caller(result)->total_low = 0.111;
	caller(result)->total_high = 0.135;
	view = view_of(result);
	report_markdown(view, 0, &markdown);
	assert_non_null(strstr(markdown.data, "| with what it calls |"));
	assert_non_null(strstr(markdown.data, "| +12.3 % (+11.1 to +13.5 %) |"));
	print(&wide, view, 130);
	assert_non_null(strstr(wide.data, "+12.3 %"));
	assert_non_null(strstr(wide.data, "+11.1 to +13.5 %"));
	print(&narrow, view, 100);
	assert_null(strstr(narrow.data, "+12.3 %"));
	report_view_free(view);
	fixture_free(result);
	strbuf_release(&markdown);
	strbuf_release(&wide);
	strbuf_release(&narrow);
}

/* As all reports of before there were any. */
static void test_without_intervals_there_is_no_column(void **state)
{
	struct result *result = fixture_fail();
	struct strbuf json = STRBUF_INIT, markdown = STRBUF_INIT, wide = STRBUF_INIT;
	struct report_view *view = view_of(result);
	struct error err = {0};

	(void)state;
	assert_int_equal(report_json_write(&view->result, &json, &err), ERR_OK);
	assert_null(strstr(json.data, "\"total_low\""));
	assert_true(isnan(view->result.benchmarks->functions[0].total_low));
	report_markdown(view, 0, &markdown);
	assert_null(strstr(markdown.data, "with what it calls"));
	print(&wide, view, 200);
	assert_null(strstr(wide.data, "      total "));
	report_view_free(view);
	fixture_free(result);
	strbuf_release(&json);
	strbuf_release(&markdown);
	strbuf_release(&wide);
}

static void test_what_is_not_known_of_one_comes_back_as_not_known(void **state)
{
	struct result *result = fixture_called();
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct report_view *view, *again = NULL;
	struct error err = {0};

	(void)state;
	caller(result)->total_change = caller(result)->total_low = (double)NAN;
	caller(result)->total_high = (double)NAN;
	view = view_of(result);
	assert_true(isnan(caller(&view->result)->total_low));
	assert_true(isfinite(view->result.benchmarks->functions[0].total_low));
	assert_int_equal(report_json_write(&view->result, &first, &err), ERR_OK);
	assert_int_equal(report_view_read(first.data, first.length, &again, &err), ERR_OK);
	assert_int_equal(report_json_write(&again->result, &second, &err), ERR_OK);
	assert_string_equal(first.data, second.data);
	report_view_free(view);
	report_view_free(again);
	fixture_free(result);
	strbuf_release(&first);
	strbuf_release(&second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_listed_function_shows_its_total),
		cmocka_unit_test(test_without_intervals_there_is_no_column),
		cmocka_unit_test(test_what_is_not_known_of_one_comes_back_as_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
