/* SPDX-License-Identifier: Apache-2.0 */
/* What is written can be read, however much there is to say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/net/json.h"
#include "report/json/report_json.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

enum { BENCHMARKS = 75, RENAMED = 8000 };

static struct result_matching renamed[RENAMED];

/* Lists that are within the limit each, and not together. */
static void fill(struct result *result, struct result_benchmark *many)
{
	for (size_t i = 0; i < RENAMED; i++)
		renamed[i] = (struct result_matching){.name = "after",
			.base_name = "before",
			.file = "after.c",
			.base_file = "before.c",
			.kind = MATCH_RENAMED,
			.reason = "the same machine code",
			.similarity = 1};
	for (size_t i = 0; i < BENCHMARKS; i++) {
		many[i] = result->benchmarks[0];
		many[i].matchings = renamed;
		many[i].matching_count = RENAMED;
	}
	result->benchmarks = many;
	result->benchmark_count = BENCHMARKS;
}

static void test_a_report_that_would_be_too_large_is_cut_and_says_so(void **state)
{
	struct result *result = fixture_many(), large = *result;
	struct result_benchmark *many = calloc(BENCHMARKS, sizeof(*many));
	struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
	struct report_view *view = NULL;
	struct error err = {0};
	const struct result_benchmark *last;

	(void)state;
	fill(&large, many);
	assert_int_equal(report_json_write(&large, &text, &err), ERR_OK);
	assert_int_equal(report_view_read(text.data, text.length, &view, &err), ERR_OK);
	assert_int_equal(view->result.benchmark_count, BENCHMARKS);
	last = &view->result.benchmarks[BENCHMARKS - 1];
	assert_in_range(last->matching_count, RENAMED / 4, RENAMED - 1);
	assert_non_null(strstr(last->excluded[last->excluded_count - 1],
		"functions that were renamed or moved are not listed"));
	/* What was read is written as it is. */
	assert_int_equal(report_json_write(&view->result, &again, &err), ERR_OK);
	assert_string_equal(text.data, again.data);
	report_view_free(view);
	strbuf_release(&text);
	strbuf_release(&again);
	free(many);
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_report_that_would_be_too_large_is_cut_and_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
