/* SPDX-License-Identifier: Apache-2.0 */
/* What hangs on a culprit is one line below it, and no culprit of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/findings/consequences.h"
#include "report/html/html.h"
#include "report/json/prune.h"
#include "report/json/report_json.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

static void assert_line(const struct result_benchmark *benchmark, const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_consequences(&sentence, benchmark, &benchmark->culprits[0]);
	for (size_t i = 0; i < sentence.count; i++)
		strbuf_addstr(&text, sentence.spans[i].text);
	assert_string_equal(text.data ? text.data : "", expected);
	sentence_release(&sentence);
	strbuf_release(&text);
}

/* The culprit itself is not told again, nor is a function that hangs on it twice. */
static void test_a_line_names_the_largest_and_counts_the_others(void **state)
{
	struct result *result = fixture_hanging();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;

	(void)state;
	assert_line(benchmark,
		"hash_string (+1.2 %), inflate_fast (+0.6 %), malloc (+0.4 %), "
		"table_add (+0.3 %) and 1 more; +7.6 % of the total with all of them");
	benchmark->consequence_count = 4;
	assert_line(benchmark, "hash_string (+1.2 %), inflate_fast (+0.6 %); +7.6 % of the total "
			       "with all of them");
	fixture_free(result);
}

/* A call that is made more often has grown by all that is below it. */
static void test_a_sum_that_the_culprit_says_is_not_repeated(void **state)
{
	struct result *result = fixture_hanging();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_culprit *culprit = (struct result_culprit *)benchmark->culprits;

	(void)state;
	benchmark->consequence_count = 2;
	culprit->together = culprit->change;
	assert_line(benchmark, "hash_string (+1.2 %)");
	fixture_free(result);
}

static void test_without_consequences_there_is_no_line(void **state)
{
	struct result *result = fixture_fail();

	(void)state;
	assert_line(result->benchmarks, "");
	fixture_free(result);
}

static void test_every_output_says_it(void **state)
{
	struct result *result = fixture_hanging();
	struct report_view *view = NULL;
	struct strbuf out[3] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	struct error err = {0};
	static const char *const lines[] = {
		"      grew with it: hash_string (+1.2 %), inflate_fast (+0.6 %), malloc",
		"\nGrew with `parse_field`: `hash_string` (+1.2 %), `inflate_fast` (+0.6 %), ",
		"<dt>grew with it</dt><dd><code>hash_string</code> (+1.2 %), "};

	(void)state;
	if (report_view_of(result, &view, &err))
		fail_msg("%s", err.message);
	report_terminal(view, &(struct terminal_options){.color = false}, &out[0]);
	report_markdown(view, 0, &out[1]);
	assert_int_equal(report_html(view, &out[2], &err), ERR_OK);
	for (int i = 0; i < 3; i++) {
		if (!strstr(out[i].data, lines[i]))
			fail_msg("output %d does not say it:\n%.3000s", i, out[i].data);
		strbuf_release(&out[i]);
	}
	report_view_free(view);
	fixture_free(result);
}

/* Once as it is written, and once with the text replaced. */
static int read_with(const char *from, const char *to, struct report_view **view, struct error *err)
{
	struct result *result = fixture_hanging();
	struct strbuf json = STRBUF_INIT, changed = STRBUF_INIT;
	const char *at;
	int code;

	assert_int_equal(report_json_write(result, &json, err), ERR_OK);
	at = strstr(json.data, from);
	assert_non_null(at);
	strbuf_add(&changed, json.data, (size_t)(at - json.data));
	strbuf_addstr(&changed, to);
	strbuf_addstr(&changed, at + strlen(from));
	code = report_view_read(changed.data, changed.length, view, err);
	strbuf_release(&json);
	strbuf_release(&changed);
	fixture_free(result);
	return code;
}

static void test_a_report_is_read_as_it_was_written(void **state)
{
	struct report_view *view = NULL;
	struct error err = {0};
	const struct result_benchmark *benchmark;

	(void)state;
	assert_int_equal(read_with("\"kind\"", "\"kind\"", &view, &err), ERR_OK);
	benchmark = view->result.benchmarks;
	assert_int_equal(benchmark->consequence_count, 8);
	assert_int_equal(benchmark->consequences[1].blame, BLAME_CARRIED);
	assert_int_equal(benchmark->consequences[4].caller, benchmark->culprits[0].function);
	assert_int_equal(benchmark->consequences[7].cause, RESULT_NONE);
	assert_true(benchmark->culprits[0].together > 0.076);
	report_view_free(view);
}

static void test_a_consequence_of_nobody_is_refused(void **state)
{
	static const char *const damages[][2] = {
		{"{\"cause\":0,", "{\"cause\":1,"},
		{"{\"cause\":0,", "{\"cause\":-2,"},
		{"{\"cause\":0,\"function\":4,", "{\"cause\":0,\"function\":11,"},
		{"\"blame\":\"carried\"", "\"blame\":\"carry\""},
		{"\"consequences\": [", "\"consequences\": {}, \"x\": ["},
	};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		struct report_view *view = NULL;

		assert_int_equal(read_with(damages[i][0], damages[i][1], &view, &err), ERR_CORRUPT);
		assert_null(view);
	}
}

/* No node of the tree shows inflate_fast any more. */
static void test_functions_that_hang_on_a_culprit_survive_any_limit(void **state)
{
	struct result *result = fixture_hanging();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_node *nodes = (struct result_node *)benchmark->nodes;
	struct arena arena = ARENA_INIT;
	struct result_benchmark out;
	struct error err = {0};

	(void)state;
	for (size_t i = 1; i < benchmark->node_count; i++)
		if (strcmp(benchmark->functions[nodes[i].function].name, "main") != 0)
			nodes[i].function = RESULT_NONE;
	assert_int_equal(prune_benchmark(benchmark, 20000, 3, &arena, &out, &err), ERR_OK);
	assert_true(out.function_count < benchmark->function_count);
	for (size_t i = 0; i < out.consequence_count; i++)
		assert_string_equal(out.functions[out.consequences[i].function].name,
			benchmark->functions[benchmark->consequences[i].function].name);
	arena_release(&arena);
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_names_the_largest_and_counts_the_others),
		cmocka_unit_test(test_a_sum_that_the_culprit_says_is_not_repeated),
		cmocka_unit_test(test_without_consequences_there_is_no_line),
		cmocka_unit_test(test_every_output_says_it),
		cmocka_unit_test(test_a_report_is_read_as_it_was_written),
		cmocka_unit_test(test_a_consequence_of_nobody_is_refused),
		cmocka_unit_test(test_functions_that_hang_on_a_culprit_survive_any_limit),
	};

	return cmocka_run_group_tests_name("report consequences", tests, NULL, NULL);
}
