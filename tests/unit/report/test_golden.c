/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every outcome in every text form, byte for byte. FLAMEGATE_UPDATE_GOLDEN=1 (make update-golden)
 * writes the files instead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "report/ci/code_quality.h"
#include "report/ci/junit.h"
#include "report/ci/metrics_text.h"
#include "report/ci/sarif.h"
#include "report/ci/workflow.h"
#include "report/json/report_json.h"
#include "report/json/schema_json.h"
#include "report/markdown/markdown.h"
#include "report/svg/svg.h"
#include "report/terminal/terminal.h"
#include "tests/unit/report/fixture.h"

#define GOLDEN_BYTES (4u * 1024 * 1024)

static void compare_or_update(const char *path, const struct strbuf *actual)
{
	struct strbuf golden = STRBUF_INIT;
	struct error err = {0};

	if (getenv("FLAMEGATE_UPDATE_GOLDEN")) {
		assert_int_equal(file_write(path, actual->data, actual->length, &err), ERR_OK);
		return;
	}
	if (file_read(path, GOLDEN_BYTES, &golden, &err))
		fail_msg("%s", err.message);
	if (golden.length != actual->length ||
		memcmp(golden.data, actual->data, golden.length) != 0)
		fail_msg("%s differs; make update-golden, then read the diff. Now it is:\n%s", path,
			actual->data);
	strbuf_release(&golden);
}

static struct report_view *view_of(struct result *result)
{
	struct report_view *view = NULL;
	struct error err = {0};

	if (report_view_of(result, &view, &err))
		fail_msg("%s", err.message);
	return view;
}

static void for_each_case(
	const char *suffix, void (*render)(const struct report_view *view, struct strbuf *out))
{
	for (const struct fixture_case *one = fixture_cases; one->name; one++) {
		struct result *result = one->make();
		struct report_view *view = view_of(result);
		struct strbuf out = STRBUF_INIT;
		char path[256];

		render(view, &out);
		snprintf(path, sizeof(path), "testdata/report/%s/%s.%s", suffix, one->name, suffix);
		compare_or_update(path, &out);
		strbuf_release(&out);
		report_view_free(view);
		fixture_free(result);
	}
}

static void render_terminal(const struct report_view *view, struct strbuf *out)
{
	report_terminal(view, &(struct terminal_options){.width = 100}, out);
}

static void render_markdown(const struct report_view *view, struct strbuf *out)
{
	report_markdown(view, 0, out);
}

static void render_json(const struct report_view *view, struct strbuf *out)
{
	struct error err = {0};

	assert_int_equal(report_json_write(&view->result, out, &err), ERR_OK);
}

static void test_terminal_report_is_as_agreed(void **state)
{
	(void)state;
	for_each_case("txt", render_terminal);
}

static void test_markdown_report_is_as_agreed(void **state)
{
	(void)state;
	for_each_case("md", render_markdown);
}

static void test_json_report_is_as_agreed(void **state)
{
	(void)state;
	for_each_case("json", render_json);
}

static void test_workflow_commands_are_as_agreed(void **state)
{
	(void)state;
	for_each_case("commands", report_workflow);
}

static void test_sarif_is_as_agreed(void **state)
{
	(void)state;
	for_each_case("sarif", report_sarif);
}

static void test_junit_is_as_agreed(void **state)
{
	(void)state;
	for_each_case("junit.xml", report_junit);
}

static void test_code_quality_is_as_agreed(void **state)
{
	(void)state;
	for_each_case("codequality", report_code_quality);
}

static void test_metrics_are_as_agreed(void **state)
{
	(void)state;
	for_each_case("metrics.txt", report_metrics_text);
}

static void test_the_published_schema_is_that_of_the_tables(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	report_schema_json(&out);
	compare_or_update("report/report.schema.json", &out);
	strbuf_release(&out);
}

static void test_svg_is_as_agreed(void **state)
{
	(void)state;
	for_each_case("svg", report_svg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terminal_report_is_as_agreed),
		cmocka_unit_test(test_markdown_report_is_as_agreed),
		cmocka_unit_test(test_json_report_is_as_agreed),
		cmocka_unit_test(test_workflow_commands_are_as_agreed),
		cmocka_unit_test(test_sarif_is_as_agreed),
		cmocka_unit_test(test_junit_is_as_agreed),
		cmocka_unit_test(test_code_quality_is_as_agreed),
		cmocka_unit_test(test_metrics_are_as_agreed),
		cmocka_unit_test(test_the_published_schema_is_that_of_the_tables),
		cmocka_unit_test(test_svg_is_as_agreed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
