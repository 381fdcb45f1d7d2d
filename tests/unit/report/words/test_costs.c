/* SPDX-License-Identifier: Apache-2.0 */
/* Costs in their unit, below zero, of recordings and of the working tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "report/findings/sentence.h"
#include "report/html/html.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "report/words/figure.h"
#include "report/words/method.h"
#include "report/words/words.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_build.h"

static void assert_cost(double cost, const char *unit, const char *text)
{
	struct strbuf out = STRBUF_INIT;

	figure_cost_of(&out, cost, unit);
	assert_string_equal(out.data, text);
	strbuf_release(&out);
}

static void test_bytes_are_in_binary_units(void **state)
{
	(void)state;
	assert_cost(0, "bytes", "0 B");
	assert_cost(999, "bytes", "999 B");
	assert_cost(1000, "bytes", "0.98 KiB");
	assert_cost(1536, "bytes", "1.50 KiB");
	assert_cost(-12.25 * 1024 * 1024, "bytes", "-12.2 MiB");
	assert_cost(3.0 * 1024 * 1024 * 1024, "bytes", "3.00 GiB");
	assert_cost(1e300, "bytes", "9.09e+287 TiB");
	assert_cost(-0.2, "bytes", "0 B");
	assert_cost((double)NAN, "bytes", "?");
}

static void test_counts_have_separators_and_then_prefixes(void **state)
{
	(void)state;
	assert_cost(0, "count", "0");
	assert_cost(7.25, "count", "7.25");
	assert_cost(1234.4, "count", "1,234");
	assert_cost(-999999, "objects", "-999,999 objects");
	assert_cost(999999.7, "count", "1.00 M");
	assert_cost(8123456789, "instructions", "8.12 G instructions");
	assert_cost(1e300, "count", "1e+288 T");
	assert_cost(-0.001, "count", "0");
	assert_cost((double)INFINITY, "count", "?");
}

static void test_seconds_are_as_ever(void **state)
{
	(void)state;
	assert_cost(0.0456, "seconds", "45.6 ms");
	assert_cost(-2, "seconds", "-2.00 s");
}

static void test_a_unit_that_is_no_plain_word_is_not_shown(void **state)
{
	(void)state;
	assert_cost(5, "<b>", "5");
	assert_cost(5, "@team", "5");
	assert_cost(5, "", "5");
	assert_cost(5, "abcdefghijklmnopqrstuvwxyz", "5");
}

static void test_exact_differences_keep_two_decimals(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	figure_exact_percent(&out, 0.01234);
	strbuf_addch(&out, '|');
	figure_exact_percent(&out, -0.5);
	strbuf_addch(&out, '|');
	figure_exact_percent(&out, 0.00001);
	strbuf_addch(&out, '|');
	figure_exact_percent(&out, 12);
	assert_string_equal(out.data, "+1.23 %|-50.00 %|0.0 %|+1200 %");
	strbuf_release(&out);
}

static void assert_difference(double difference, const char *unit, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	figure_difference(&out, difference, unit);
	assert_string_equal(out.data, expected);
	strbuf_release(&out);
}

static void test_differences_have_a_sign_and_two_digits(void **state)
{
	(void)state;
	assert_difference(0.048, "seconds", "+48 ms");
	assert_difference(0.0031666, "seconds", "+3.2 ms");
	assert_difference(0.314, "seconds", "+314 ms");
	assert_difference(-0.00995, "seconds", "-10 ms");
	assert_difference(1.25, "seconds", "+1.2 s");
	assert_difference(0.9996, "seconds", "+1.0 s");
	assert_difference(8.2e-9, "seconds", "+8.2 ns");
	assert_difference(0, "seconds", "0 s");
	assert_difference(-1e-12, "seconds", "0 s");
	assert_difference(-4.7 * 1024 * 1024, "bytes", "-4.7 MiB");
	assert_difference(512, "bytes", "+512 B");
	assert_difference(0.2, "bytes", "0 B");
	assert_difference(1234, "objects", "+1,234 objects");
	assert_difference(-3, "count", "-3");
	assert_difference(3, "<b>", "+3");
	assert_difference((double)INFINITY, "seconds", "?");
	assert_difference((double)NAN, "bytes", "?");
}

static struct result_benchmark *only(struct result *result)
{
	return (struct result_benchmark *)result->benchmarks;
}

static void assert_says(struct result *result, const char *expected)
{
	struct sentence sentence;
	struct strbuf out = STRBUF_INIT;

	sentence_init(&sentence);
	sentence_of_result(&sentence, result);
	for (size_t i = 0; i < sentence.count; i++)
		strbuf_addstr(&out, sentence.spans[i].text);
	assert_string_equal(out.data, expected);
	sentence_release(&sentence);
	strbuf_release(&out);
	fixture_free(result);
}

static void test_sentences_name_what_is_taken_or_counted(void **state)
{
	struct result *result = fixture_bytes();

	(void)state;
	assert_says(result,
		"heap.pb.gz allocates 10.4 % less memory (-6.7 MiB); one profile of each "
		"version: cannot decide");
	result = fixture_bytes();
	only(result)->profile_type = "space";
	assert_says(result, "heap.pb.gz takes 10.4 % less memory (-6.7 MiB); one profile of each "
			    "version: cannot decide");
	result = fixture_bytes();
	only(result)->unit = "count";
	only(result)->profile_type = "alloc_objects";
	assert_says(result,
		"heap.pb.gz makes 10.4 % fewer allocations (-7.05 M); one profile of each "
		"version: cannot decide");
	result = fixture_bytes();
	only(result)->unit = "objects";
	assert_says(result,
		"heap.pb.gz counts 10.4 % less in objects (-7.05 M objects); one profile of each "
		"version: cannot decide");
	result = fixture_run();
	only(result)->unit = "bytes";
	assert_says(result, "gzip -9 -c FILE took 1 B");
	result = fixture_run();
	only(result)->profile_type = "wall";
	assert_says(result, "gzip -9 -c FILE took 1.00 s of elapsed time");
	result = fixture_fail();
	only(result)->unit = "bytes";
	culprit_claim(only(result))->cost[0] = 0;
	culprit_claim(only(result))->cost[1] = 10 << 20;
	assert_says(result,
		"logstat takes 5.1 % more memory (0 B a run, 95 % interval 3.9 to 6.3 %): "
		"parse_field costs more in its own code, at src/parse.c:130: +10 MiB a run (+5.1 % "
		"of the benchmark)");
}

static void test_a_total_below_zero_has_no_percentage(void **state)
{
	struct result *result = fixture_bytes();

	(void)state;
	only(result)->total.base = -1024 * 1024;
	only(result)->total.head = 2048;
	assert_true(has_base(only(result)));
	assert_says(result, "heap.pb.gz went from -1.00 MiB to 2.00 KiB; one profile of each "
			    "version: cannot decide");
}

static void test_shares_of_a_total_below_zero_keep_the_costs_sign(void **state)
{
	struct result_benchmark benchmark = {.total = {.head = -4}};

	(void)state;
	assert_true(share_of_head(&benchmark, -1) == -0.25);
	assert_true(share_of_head(&benchmark, 2) == 0.5);
	benchmark.total.head = 0;
	assert_true(isnan(share_of_head(&benchmark, 1)));
}

/* The largest costs are those of the largest size. */
static void test_what_was_freed_is_ranked_by_its_size(void **state)
{
	const struct result_function functions[] = {
		{.name = "a", .self = {.head = 3}},
		{.name = "b", .self = {.head = -5}},
		{.name = "c", .self = {.head = 4}},
	};
	struct result_benchmark benchmark = {
		.total = {.head = 2}, .functions = functions, .function_count = 3};
	uint32_t order[3];

	(void)state;
	assert_int_equal(rank_functions(&benchmark, 0, order, 3), 3);
	assert_int_equal(order[0], 1);
	assert_int_equal(order[1], 2);
}

/* Where cost has moved, both ends of it stand among the largest changes. */
static void test_the_source_of_a_shift_is_ranked_with_what_is_notable(void **state)
{
	const struct result_function functions[] = {
		{.name = "to", .self = {.change = 0.05, .state = STATE_SHIFTED}},
		{.name = "from", .self = {.change = -0.06, .state = STATE_UNCHANGED}},
		{.name = "noise", .self = {.change = 0.07, .state = STATE_UNCHANGED}},
		{.name = "faster", .self = {.change = -0.01, .state = STATE_IMPROVED}},
	};
	const struct result_shift shift = {.to = 0, .from = 1, .how = "siblings"};
	struct result_benchmark benchmark = {.total = {.base = 1, .head = 1},
		.functions = functions,
		.function_count = 4,
		.shifts = &shift,
		.shift_count = 1};
	uint32_t order[4];

	(void)state;
	assert_int_equal(rank_functions(&benchmark, 0, order, 4), 4);
	assert_int_equal(order[0], 1);
	assert_int_equal(order[1], 0);
	assert_int_equal(order[2], 3);
	assert_int_equal(order[3], 2);
}

static void test_states_of_other_costs_than_time_are_more_and_less(void **state)
{
	(void)state;
	assert_string_equal(word_state(STATE_CONFIRMED, "seconds"), "more time");
	assert_string_equal(word_state(STATE_CONFIRMED, "bytes"), "more");
	assert_string_equal(word_state(STATE_IMPROVED, "bytes"), "less");
	assert_string_equal(word_state(STATE_SHIFTED, "bytes"), "offset");
}

/* ---- recordings and the working tree --------------------------------------------------------- */

static void test_recording_says_what_was_recorded_without_a_verdict(void **state)
{
	struct result *result = fixture_record();

	(void)state;
	assert_string_equal(word_of_result(result), "ERROR");
	assert_says(result, "recorded 2 benchmarks of 9f8e7d6c5b4a; 1 could not be measured");
	result = fixture_record();
	result->benchmark_count = 2;
	result->status = RESULT_PASS;
	assert_string_equal(word_of_result(result), "INFO");
	only(result)->outcome = OUTCOME_MEASURED;
	assert_string_equal(word_of_benchmark(only(result)), "INFO");
	result->kind = "check";
	result->benchmark_count = 1;
	assert_says(result, "logstat took 1.00 s of CPU time");
	result = fixture_record();
	result->benchmark_count = 2;
	assert_says(result, "recorded 2 benchmarks of 9f8e7d6c5b4a");
}

static void test_spread_is_of_the_runs_that_count(void **state)
{
	struct result_pair pairs[] = {
		{.head_seconds = 9}, {.head_seconds = 11}, {.head_seconds = 99, .dropped = true}};
	struct result_benchmark benchmark = {.pairs = pairs, .pair_count = 3};

	(void)state;
	assert_int_equal(kept_runs(&benchmark), 2);
	assert_true(fabs(spread_of_runs(&benchmark) - sqrt(2) / 10) < 1e-12);
	benchmark.pair_count = 1;
	assert_true(isnan(spread_of_runs(&benchmark)));
}

/* The result's first benchmark's method has `part`, or has it not. */
static void assert_method(struct result *result, const char *part, bool wanted)
{
	struct strbuf out = STRBUF_INIT;

	method_add(&out, only(result));
	if ((strstr(out.data, part) != NULL) != wanted)
		fail_msg("\"%s\" in \"%s\" is %s", part, out.data, wanted ? "wanted" : "wrong");
	strbuf_release(&out);
	fixture_free(result);
}

static void test_runs_of_head_alone_are_not_called_pairs(void **state)
{
	struct result *result = fixture_record();

	(void)state;
	only(result)->stage1_pairs = only(result)->pair_count;
	assert_method(result, "16 runs; 1 dropped as outliers.", true);
	result = fixture_fail();
	only(result)->outcome = OUTCOME_SCREENED;
	assert_method(result, "16 runs of head; 1 dropped", true);
	result = fixture_fail();
	only(result)->outcome = OUTCOME_SCREENED;
	assert_method(result, "of each version", false);
}

static void test_unknown_runs_and_spread_are_left_out(void **state)
{
	const struct result_benchmark benchmark = {.pair_count = 0};
	struct strbuf out = STRBUF_INIT;

	(void)state;
	spread_add(&out, &benchmark);
	runs_add(&out, &benchmark);
	assert_int_equal(out.length, 0);
	strbuf_release(&out);
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

static void test_recording_has_no_verdicts_colour(void **state)
{
	struct result *result = fixture_record();
	struct report_view *view;
	struct strbuf terminal = STRBUF_INIT, html = STRBUF_INIT;
	struct error err = {0};

	(void)state;
	result->benchmark_count = 2;
	result->status = RESULT_PASS;
	view = view_of(result);
	report_terminal(view, &(struct terminal_options){.color = true}, &terminal);
	assert_int_equal(report_html(view, &html, &err), ERR_OK);
	assert_null(strstr(terminal.data, "\033[1;3"));
	assert_non_null(strstr(terminal.data, "\033[1mINFO"));
	assert_non_null(strstr(html.data, "badge info\">INFO"));
	assert_null(strstr(html.data, "badge pass"));
	assert_non_null(strstr(html.data, "<h3>Recorded</h3>"));
	assert_non_null(
		strstr(html.data, "logstat</code></td><td class=\"number\">1.00 s</td><td "
				  "class=\"number\">0.9 %</td><td class=\"number\">15</td>"));
	report_view_free(view);
	strbuf_release(&terminal);
	strbuf_release(&html);
}

static void test_working_tree_is_named_everywhere(void **state)
{
	struct report_view *view = view_of(fixture_worktree());
	struct strbuf out = STRBUF_INIT, html = STRBUF_INIT;
	struct error err = {0};

	(void)state;
	report_terminal(view, &(struct terminal_options){.width = 100}, &out);
	assert_non_null(strstr(out.data, "working tree (9f8e7d6c5b4a with uncommitted changes)\n"));
	strbuf_reset(&out);
	report_markdown(view, 0, &out);
	assert_non_null(
		strstr(out.data, "`working tree (9f8e7d6c5b4a with uncommitted changes)`;"));
	assert_int_equal(report_html(view, &html, &err), ERR_OK);
	assert_non_null(strstr(html.data, "working tree (9f8e7d6c5b4a with uncommitted changes)<"));
	assert_null(strstr(html.data, "</code> Accept quoted fields"));
	report_view_free(view);
	strbuf_release(&out);
	strbuf_release(&html);
}

static void test_other_units_reach_every_table(void **state)
{
	struct report_view *view = view_of(fixture_bytes());
	struct strbuf out = STRBUF_INIT;
	struct error err = {0};

	(void)state;
	assert_int_equal(report_html(view, &out, &err), ERR_OK);
	assert_non_null(strstr(out.data, "<td class=\"number\">-11.5 MiB</td>"));
	assert_non_null(strstr(out.data, "<td class=\"number\">-25.0 MiB</td>"));
	report_view_free(view);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_are_in_binary_units),
		cmocka_unit_test(test_counts_have_separators_and_then_prefixes),
		cmocka_unit_test(test_seconds_are_as_ever),
		cmocka_unit_test(test_a_unit_that_is_no_plain_word_is_not_shown),
		cmocka_unit_test(test_exact_differences_keep_two_decimals),
		cmocka_unit_test(test_sentences_name_what_is_taken_or_counted),
		cmocka_unit_test(test_a_total_below_zero_has_no_percentage),
		cmocka_unit_test(test_shares_of_a_total_below_zero_keep_the_costs_sign),
		cmocka_unit_test(test_what_was_freed_is_ranked_by_its_size),
		cmocka_unit_test(test_the_source_of_a_shift_is_ranked_with_what_is_notable),
		cmocka_unit_test(test_states_of_other_costs_than_time_are_more_and_less),
		cmocka_unit_test(test_recording_says_what_was_recorded_without_a_verdict),
		cmocka_unit_test(test_spread_is_of_the_runs_that_count),
		cmocka_unit_test(test_runs_of_head_alone_are_not_called_pairs),
		cmocka_unit_test(test_unknown_runs_and_spread_are_left_out),
		cmocka_unit_test(test_recording_has_no_verdicts_colour),
		cmocka_unit_test(test_working_tree_is_named_everywhere),
		cmocka_unit_test(test_other_units_reach_every_table),
		cmocka_unit_test(test_differences_have_a_sign_and_two_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
