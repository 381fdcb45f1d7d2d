/* SPDX-License-Identifier: Apache-2.0 */
/* Two hundred benchmarks, on a terminal and in the page: in groups, the worst first. */
#include "tests/unit/report/hostile_corpus.h"

#include "report/clean.h"
#include "report/html/html.h"
#include "report/terminal/terminal.h"
#include "tests/unit/report/fixture_build.h"

#define BENCHMARKS 200

static struct result *result;

/* Number 7 regressed, 9 could not be measured, each tenth warns. */
static void make_many(struct report_view *view)
{
	struct result_benchmark *all;

	result = fixture_hostile("x");
	all = arena_array(&result->arena, BENCHMARKS, sizeof(*all));
	for (size_t i = 0; i < BENCHMARKS; i++) {
		all[i] = result->benchmarks[0];
		all[i].outcome = i == 9 ? OUTCOME_ERROR : OUTCOME_MEASURED;
		all[i].status = i == 7   ? RESULT_FAIL
				: i == 9 ? RESULT_ERROR
				: i % 10 ? RESULT_PASS
					 : RESULT_WARN;
		all[i].name = arena_printf(
			&result->arena, "%s/case\x1b[31m %zu", i % 2 ? "odd" : "even", i);
		all[i].total.base = 1;
		all[i].total.head = 1 + (double)i / 1000;
		all[i].total.change = (double)i / 1000;
		all[i].unit = "seconds";
	}
	result->benchmarks = all;
	result->benchmark_count = BENCHMARKS;
	view->result = *result;
}

static size_t lines_of(const char *text)
{
	size_t count = 0;

	while ((text = strchr(text, '\n'))) {
		count++;
		text++;
	}
	return count;
}

static void test_two_hundred_are_read_at_a_glance(void **state)
{
	const struct terminal_options options = {.width = 100};
	struct report_view view = {0};
	struct strbuf text = STRBUF_INIT;
	const char *odd, *even, *blocks;

	(void)state;
	make_many(&view);
	report_terminal(&view, &options, &text);
	odd = strstr(text.data, "odd: 100 benchmarks: 1 FAIL, 1 ERROR, 98 PASS\n  FAIL");
	even = strstr(text.data, "even: 100 benchmarks: 20 WARN, 80 PASS\n  WARN    +19.0 %");
	assert_non_null(odd);
	assert_non_null(even);
	assert_true(odd < even);
	assert_non_null(strstr(odd, "  98 without a finding, +0.1 to +19.9 %\n"));
	assert_non_null(strstr(even, "  80 without a finding, +0.2 to +19.8 %\n"));
	/* In full: what regressed and what could not be measured, and no other. */
	blocks = strstr(even, "\nFAIL   ");
	assert_non_null(blocks);
	assert_non_null(strstr(blocks, "\nERROR  "));
	assert_null(strstr(blocks, "\nWARN   "));
	assert_null(strstr(text.data, "\x1b[31m"));
	assert_true(lines_of(text.data) < 200);
	strbuf_release(&text);
	fixture_free(result);
}

static void test_no_line_is_wider_than_the_terminal(void **state)
{
	static const unsigned widths[] = {40, 60, 79, 100};
	struct report_view view = {0};

	(void)state;
	make_many(&view);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		const struct terminal_options options = {.width = widths[i]};
		struct strbuf text = STRBUF_INIT;

		report_terminal(&view, &options, &text);
		for (const char *at = text.data; *at;) {
			size_t length = strcspn(at, "\n");

			if (clean_columns(at, length) > widths[i])
				fail_msg("%u columns: %.*s", widths[i], (int)length, at);
			at += length + (at[length] == '\n');
		}
		strbuf_release(&text);
	}
	fixture_free(result);
}

static void test_the_page_begins_with_a_table_of_findings(void **state)
{
	struct report_view view = {0};
	struct strbuf text = STRBUF_INIT;
	struct error err = {0};
	const char *table, *end, *regressed, *warned;

	(void)state;
	make_many(&view);
	assert_int_equal(report_html(&view, &text, &err), 0);
	table = strstr(text.data, "panel groups");
	assert_non_null(table);
	end = strstr(table, "</section>");
	regressed = strstr(table, "<td class=\"state\">FAIL</td>");
	warned = strstr(table, "<td class=\"state\">WARN</td>");
	assert_true(regressed && regressed < warned && warned < end);
	/* What passed is counted, and has no row. */
	assert_non_null(strstr(table, "even: 100 benchmarks: 20 WARN, 80 PASS"));
	table = strstr(table, "PASS</td>");
	assert_true(!table || table > end);
	strbuf_release(&text);
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_hundred_are_read_at_a_glance),
		cmocka_unit_test(test_the_page_begins_with_a_table_of_findings),
		cmocka_unit_test(test_no_line_is_wider_than_the_terminal),
	};

	return cmocka_run_group_tests_name("report/many_benchmarks", tests, NULL, NULL);
}
