/* SPDX-License-Identifier: Apache-2.0 */
/* The table of everything that was looked at: written, read again, shown,
 * and from hostile hands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/findings/metric_words.h"
#include "report/html/html.h"
#include "report/json/report_json.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

#define COUNT 4

/* A pass with these; status and the third one's state are the test's. */
static struct result *make(enum result_status status, enum result_metric_state rss,
	enum result_gate gate, const char *meaning)
{
	struct result *result = fixture_pass();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_metric *all = arena_array(&result->arena, COUNT, sizeof(*all));

	all[0] = (struct result_metric){"cpu", "CPU time", "seconds", "by function", GATE_FAIL,
		METRIC_SAME, false, false, 16, 1, 1.001, 0.001, -0.01, 0.012, 0.01, NAN, ""};
	all[1] = (struct result_metric){"alloc_objects", "allocations", "count", "exact", GATE_FAIL,
		METRIC_SAME, false, false, 3, 5000, 5001, 0.0002, NAN, NAN, 0.005, NAN, ""};
	all[2] = (struct result_metric){"max_rss", meaning, "bytes", "paired t", gate, rss,
		rss == METRIC_GREW && gate != GATE_SHOW, false, 16, 100 * 1048576.0,
		112 * 1048576.0, 0.12, 0.11, 0.13, 0.01, 1e-6, ""};
	all[3] = (struct result_metric){"contentions", "waits for locks", "count", "signed ranks",
		GATE_SHOW, METRIC_GREW, false, false, 16, 0, 3, INFINITY, NAN, NAN, 0.01, 1e-5, ""};
	benchmark->metrics = all;
	benchmark->metric_count = COUNT;
	benchmark->status = result->status = status;
	return result;
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

static void render(const struct report_view *view, struct strbuf out[3])
{
	struct error err = {0};

	report_terminal(view, &(struct terminal_options){.color = false}, &out[0]);
	report_markdown(view, 0, &out[1]);
	assert_int_equal(report_html(view, &out[2], &err), ERR_OK);
}

static void release(struct strbuf out[3])
{
	for (int i = 0; i < 3; i++)
		strbuf_release(&out[i]);
}

static void test_they_are_read_as_they_were_written(void **state)
{
	struct report_view *view =
		view_of(make(RESULT_PASS, METRIC_SAME, GATE_WARN, "largest resident set"));
	const struct result_benchmark *benchmark = &view->result.benchmarks[0];

	(void)state;
	assert_int_equal(benchmark->metric_count, COUNT);
	assert_string_equal(benchmark->metrics[2].name, "max_rss");
	assert_int_equal(benchmark->metrics[2].gate, GATE_WARN);
	assert_int_equal(benchmark->metrics[2].runs, 16);
	assert_true(benchmark->metrics[2].p == 1e-6);
	assert_true(isnan(benchmark->metrics[1].p) && isnan(benchmark->metrics[1].low));
	assert_true(isinf(benchmark->metrics[3].change));
	assert_int_equal(benchmark->metrics[3].state, METRIC_GREW);
	report_view_free(view);
}

static void test_every_output_has_the_table(void **state)
{
	static const char *const words[] = {"largest resident set", "100 MiB", "112 MiB", "+12.0 %",
		"paired t", "new", "not shown to grow", "grew, not counted"};
	struct strbuf out[3] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	struct report_view *view =
		view_of(make(RESULT_WARN, METRIC_GREW, GATE_WARN, "largest resident set"));

	(void)state;
	render(view, out);
	for (int i = 0; i < 3; i++)
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			if (!strstr(out[i].data, words[k]))
				fail_msg("output %d lacks %s", i, words[k]);
	release(out);
	report_view_free(view);
}

static void assert_headline(struct result *result, const char *expected)
{
	struct report_view *view = view_of(result);
	struct strbuf text = STRBUF_INIT;

	report_terminal(view, &(struct terminal_options){.color = false, .width = 240}, &text);
	if (!strstr(text.data, expected))
		fail_msg("no \"%s\" in:\n%s", expected, text.data);
	strbuf_release(&text);
	report_view_free(view);
}

static void test_what_decided_is_in_the_headline(void **state)
{
	(void)state;
	assert_headline(make(RESULT_WARN, METRIC_GREW, GATE_WARN, "largest resident set"),
		"no regression of the CPU time, but largest resident set grew: 100 MiB -> 112 "
		"MiB, +12.0 %");
	assert_headline(make(RESULT_FAIL, METRIC_GREW, GATE_FAIL, "largest resident set"),
		"largest resident set grew: 100 MiB -> 112 MiB");
}

/* A failure that has become a pass, with this gate of the CPU time. */
static struct result *make_passed(enum result_gate gate)
{
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_metric *cpu = arena_array(&result->arena, 1, sizeof(*cpu));

	*cpu = (struct result_metric){"cpu", "CPU time", "seconds", "by function", gate,
		METRIC_GREW, false, false, 16, 1, 1.1, 0.1, 0.09, 0.11, 0.01, NAN, ""};
	benchmark->metrics = cpu;
	benchmark->metric_count = 1;
	benchmark->status = result->status = RESULT_PASS;
	return result;
}

static void test_a_regression_that_the_policy_lets_pass_is_said(void **state)
{
	(void)state;
	assert_headline(make_passed(GATE_SHOW), "policy.gate lets it pass");
	assert_headline(make_passed(GATE_WARN), "policy.gate lets it pass");
	assert_headline(make_passed(GATE_FAIL), "PASS   logstat: no regression found");
}

static void test_what_is_not_decided_says_why(void **state)
{
	struct result *result =
		make(RESULT_PASS, METRIC_UNDECIDED, GATE_WARN, "largest resident set");
	struct result_metric *rss = (struct result_metric *)&result->benchmarks[0].metrics[2];

	(void)state;
	rss->test = "";
	rss->detail = "not every run tells it";
	assert_headline(result, "(16 runs: not every run tells it)");
}

static void assert_verdict(const char *test, double change, double low, double high,
	enum result_metric_state state, const char *expected)
{
	struct result_metric metric = {.name = "cpu",
		.test = test,
		.state = state,
		.change = change,
		.low = low,
		.high = high,
		.detail = ""};

	assert_string_equal(metric_verdict(&metric), expected);
}

static void test_cpu_time_that_grew_for_a_reason_is_not_counted(void **state)
{
	const struct result_metric metric = {.name = "cpu",
		.test = "by function",
		.state = METRIC_SAME,
		.low = 0.15,
		.high = 0.167,
		.detail = "the fresh pairs do not confirm it"};

	(void)state;
	assert_string_equal(metric_verdict(&metric), "grew, not counted");
}

static void test_the_verdict_says_what_the_interval_shows(void **state)
{
	(void)state;
	assert_verdict("by function", 0.02, 0.01, 0.03, METRIC_SAME, "no significant change");
	assert_verdict("by function", -0.02, -0.03, -0.01, METRIC_SAME, "no significant change");
	assert_verdict("by function", 0.01, -0.01, 0.03, METRIC_SAME, "not shown to grow");
	assert_verdict("paired t", -0.01, -0.02, -0.001, METRIC_SAME, "shrank");
	assert_verdict("signed ranks", 0.01, NAN, NAN, METRIC_SAME, "not shown to grow");
	assert_verdict("exact", 0.001, NAN, NAN, METRIC_SAME, "grew, not counted");
	assert_verdict("exact", -0.001, NAN, NAN, METRIC_SAME, "shrank");
	assert_verdict("exact", 0, NAN, NAN, METRIC_SAME, "the same");
	assert_verdict("exact", 0.1, NAN, NAN, METRIC_GREW, "grew");
}

/* A total that grew and does not count: the reason is the CPU time's, whatever else warns. */
static void test_the_headline_has_the_reason_of_the_cpu_time(void **state)
{
	static const char *const warnings[] = {"something else"};
	struct result *result = make_passed(GATE_FAIL);
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_metric *cpu = (struct result_metric *)benchmark->metrics;

	(void)state;
	benchmark->status = result->status = RESULT_WARN;
	benchmark->culprit_count = 0;
	benchmark->warnings = warnings;
	benchmark->warning_count = 1;
	cpu->state = METRIC_SAME;
	cpu->detail = "its machine code is the same";
	assert_headline(
		result, "which does not count as a regression: its machine code is the same");
}

static void test_what_was_too_noisy_is_said_to_have_been_measured(void **state)
{
	struct result *result = make(RESULT_ERROR, METRIC_SAME, GATE_WARN, "x");
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_metric *cpu = (struct result_metric *)benchmark->metrics;

	(void)state;
	benchmark->detail = "these runs can only detect an increase of 2.2 % or more (80 % power), "
			    "above policy.detect (1 %): use more or longer runs";
	cpu->state = METRIC_UNDECIDED;
	cpu->detail = "too noisy for policy.detect";
	assert_headline(result,
		"was measured, but too noisy for policy.detect: these runs can only detect an "
		"increase of 2.2 % or more (80 % power), above policy.detect (1 %): use more or "
		"longer runs");
	result = make(RESULT_ERROR, METRIC_SAME, GATE_WARN, "x");
	cpu = (struct result_metric *)result->benchmarks[0].metrics;
	cpu->state = METRIC_UNDECIDED;
	cpu->detail = "too noisy for policy.detect";
	assert_headline(result, "(by function, 16 runs: too noisy for policy.detect)");
	result = make(RESULT_ERROR, METRIC_SAME, GATE_WARN, "x");
	cpu = (struct result_metric *)result->benchmarks[0].metrics;
	cpu->state = METRIC_UNDECIDED;
	assert_headline(result, "+0.1 %  not decided");
}

static void test_the_cpu_time_alone_needs_no_table(void **state)
{
	struct result *result = make(RESULT_PASS, METRIC_SAME, GATE_WARN, "x");
	struct strbuf out[3] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	struct report_view *view;

	(void)state;
	((struct result_benchmark *)result->benchmarks)->metric_count = 1;
	view = view_of(result);
	render(view, out);
	for (int i = 0; i < 3; i++)
		assert_null(strstr(out[i].data, "Everything that was looked at"));
	release(out);
	report_view_free(view);
}

static void test_hostile_words_are_inert(void **state)
{
	struct result *result = make(RESULT_WARN, METRIC_GREW, GATE_WARN,
		"<img src=x onerror=alert(1)>\n::error::|@team");
	struct strbuf out[3] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	struct result_metric *rss = (struct result_metric *)&result->benchmarks[0].metrics[2];
	struct report_view *view;

	(void)state;
	rss->test = "<script>alert(2)</script>|\n::warning::";
	rss->unit = "<b>\n::error::";
	view = view_of(result);
	render(view, out);
	assert_null(strstr(out[2].data, "<img src=x"));
	assert_null(strstr(out[2].data, "<script>alert(2)"));
	assert_null(strstr(out[2].data, "<b>\n"));
	for (int i = 0; i < 3; i++)
		assert_null(strstr(out[i].data, "\n::"));
	release(out);
	report_view_free(view);
}

static void test_damage_is_refused(void **state)
{
	static const struct {
		const char *from, *to;
	} damages[] = {
		{"\"metrics\": [", "\"metrics\": {}, \"x\": ["},
		{"\"gate\":\"fail\"", "\"gate\":\"default\""},
		{"\"state\":\"same\"", "\"state\":\"great\""},
		{"\"runs\":16", "\"runs\":-1"},
		{"\"margin\":0.01", "\"margin\":-0.01"},
		{"\"low\":-0.01", "\"low\":1"},
		{"\"low\":-0.01", "\"low\":null"},
		{"\"p\":null", "\"p\":2"},
		{"\"base\":5000", "\"base\":null"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct result *result = make(RESULT_PASS, METRIC_SAME, GATE_WARN, "x");
		struct strbuf json = STRBUF_INIT, broken = STRBUF_INIT;
		struct report_view *view = NULL;
		struct error err = {0};
		const char *start, *at;

		assert_int_equal(report_json_write(result, &json, &err), ERR_OK);
		start = strstr(json.data, "\"metrics\"");
		assert_non_null(start);
		at = strstr(start, damages[i].from);
		if (!at)
			fail_msg("no %s", damages[i].from);
		strbuf_add(&broken, json.data, (size_t)(at - json.data));
		strbuf_addstr(&broken, damages[i].to);
		strbuf_addstr(&broken, at + strlen(damages[i].from));
		assert_int_equal(
			report_view_read(broken.data, broken.length, &view, &err), ERR_CORRUPT);
		strbuf_release(&json);
		strbuf_release(&broken);
		fixture_free(result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_they_are_read_as_they_were_written),
		cmocka_unit_test(test_every_output_has_the_table),
		cmocka_unit_test(test_what_decided_is_in_the_headline),
		cmocka_unit_test(test_a_regression_that_the_policy_lets_pass_is_said),
		cmocka_unit_test(test_what_is_not_decided_says_why),
		cmocka_unit_test(test_cpu_time_that_grew_for_a_reason_is_not_counted),
		cmocka_unit_test(test_the_verdict_says_what_the_interval_shows),
		cmocka_unit_test(test_the_headline_has_the_reason_of_the_cpu_time),
		cmocka_unit_test(test_what_was_too_noisy_is_said_to_have_been_measured),
		cmocka_unit_test(test_the_cpu_time_alone_needs_no_table),
		cmocka_unit_test(test_hostile_words_are_inert),
		cmocka_unit_test(test_damage_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
