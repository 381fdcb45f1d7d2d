/* SPDX-License-Identifier: Apache-2.0 */
/* Unchanged code that grew: whose calls are asked for,
 * and what their number makes of the verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/calls/unchanged_calls.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "tests/unit/check/synthetic.h"

#define FUNCTIONS 4

/* parse takes a third longer: report, unchanged as well, may call it more often if main says so. */
static const struct synthetic_function slower[FUNCTIONS] = {
	{"main", {0.10, 0.10}},
	{"main;report;read", {0.40, 0.40}},
	{"main;report;parse", {0.20, 0.265}},
	{"main;print", {0.30, 0.30}},
};

struct fixture {
	struct measurements *measurements;
	struct recording *versions;
	struct result *result;
	struct analysis analysis;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->measurements = synthetic_measurements(slower, FUNCTIONS, 42);
	f->versions = f->measurements->benchmarks[0].recordings;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	analysis_release(&f->analysis);
	measurements_free(f->measurements);
	result_free(f->result);
	free(f);
	return 0;
}

/* Of all but one, if that is named. */
static void know_code(struct fixture *f, const char *changed)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct recording *recording = &f->versions[version];
		size_t count = recording->profile->function_count;

		recording->code = arena_array(&recording->arena, count, sizeof(*recording->code));
		recording->code_count = count;
		for (size_t i = 0; i < count; i++) {
			const char *name = recording->profile->functions[i].name;
			bool differs = strcmp(name, changed) == 0;

			recording->code[i] = (struct recording_code){.function = (uint32_t)i,
				.bytes = 64,
				.hash = differs ? version_names[version] : name};
		}
	}
}

static void know_calls(struct fixture *f, const char *callee, double base, double head)
{
	const double calls[VERSION_COUNT] = {base, head};

	for (int version = 0; version < VERSION_COUNT; version++) {
		struct recording *recording = &f->versions[version];
		struct call_counts *counts = &recording->calls;

		*counts = (struct call_counts){
			.engine = CALL_COUNTS_CALLGRIND, .exact = true, .runs = 2, .why_not = ""};
		counts->items = arena_array(&recording->arena, 2, sizeof(*counts->items));
		counts->items[counts->count++] = (struct call_count){.caller = "",
			.caller_file = "",
			.callee = callee,
			.callee_file = "src/a.c",
			.calls = calls[version]};
		counts->items[counts->count++] = (struct call_count){.caller = "report",
			.caller_file = "src/a.c",
			.callee = callee,
			.callee_file = "src/a.c",
			.calls = calls[version]};
	}
}

static const struct result_benchmark *decide(struct fixture *f)
{
	result_free(f->result);
	f->result = decide_measurements(f->measurements);
	return &f->result->benchmarks[0];
}

static void test_more_calls_of_unchanged_code_are_a_regression(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;

	know_code(f, "main");
	assert_int_equal(decide(f)->status, RESULT_WARN);
	know_calls(f, "parse", 1000, 1300);
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_FAIL);
	assert_int_equal(benchmark->culprit_count, 1);
	assert_string_equal(benchmark->functions[benchmark->culprits[0].function].name, "parse");
	assert_int_equal(benchmark->claims[benchmark->culprits[0].claim].kind, CLAIM_CALLED_MORE);
}

static void test_as_many_calls_pass_and_calls_of_others_change_nothing(void **state)
{
	struct fixture *f = *state;

	know_code(f, "main");
	know_calls(f, "parse", 1000, 1000);
	assert_int_equal(decide(f)->status, RESULT_PASS);
	know_calls(f, "parse", 1000, 1100);
	assert_int_equal(decide(f)->status, RESULT_PASS);
	know_calls(f, "read", 1000, 1300);
	assert_int_equal(decide(f)->status, RESULT_WARN);
}

/* What two runs of one version do not agree on is no proof. */
static void test_calls_that_are_not_exact_change_nothing(void **state)
{
	struct fixture *f = *state;

	know_code(f, "main");
	for (int version = 0; version < VERSION_COUNT; version++) {
		know_calls(f, "parse", 1000, 1300);
		f->versions[version].calls.exact = false;
		assert_int_equal(decide(f)->status, RESULT_WARN);
	}
}

static bool wants(struct fixture *f)
{
	struct error err;

	analysis_release(&f->analysis);
	if (analysis_prepare(&f->analysis, &f->versions[VERSION_BASE], &f->versions[VERSION_HEAD],
		    NULL, 1, &err))
		fail_msg("%s", err.message);
	verdict_decide(&f->analysis.input, &f->analysis.scratch, &f->analysis.verdict);
	return unchanged_calls_wanted(&f->analysis);
}

static const char *doubted(const struct fixture *f, size_t at)
{
	return f->analysis.comparison.matches.functions[f->analysis.doubted[at]].name;
}

static void test_what_is_excused_is_asked_for_first(void **state)
{
	struct fixture *f = *state;

	know_code(f, "main");
	assert_true(wants(f));
	assert_string_equal(doubted(f, 0), "parse");
	for (size_t i = 0; i < f->analysis.doubted_count; i++)
		assert_string_not_equal(doubted(f, i), "main");
}

static void test_nothing_is_asked_for_where_nothing_is_excused(void **state)
{
	struct fixture *f = *state;

	assert_false(wants(f));
	assert_int_equal(f->analysis.verdict.status, VERDICT_REGRESSION);
	know_code(f, "parse");
	assert_false(wants(f));
	assert_int_equal(f->analysis.verdict.status, VERDICT_REGRESSION);
}

/* Something else is a regression: what is excused beside it may be the larger part. */
static void test_what_is_excused_in_a_regression_is_asked_for(void **state)
{
	struct fixture *f = *state;
	struct synthetic_function both[FUNCTIONS];

	memcpy(both, slower, sizeof(both));
	both[FUNCTIONS - 1].share[VERSION_HEAD] = 0.35;
	measurements_free(f->measurements);
	f->measurements = synthetic_measurements(both, FUNCTIONS, 42);
	f->versions = f->measurements->benchmarks[0].recordings;
	know_code(f, "print");
	assert_true(wants(f));
	assert_int_equal(f->analysis.verdict.status, VERDICT_REGRESSION);
	assert_string_equal(doubted(f, 0), "parse");
}

static void test_few_are_asked_for(void **state)
{
	struct fixture *f = *state;
	struct synthetic_function many[21];
	char stacks[20][32];

	many[0] = (struct synthetic_function){"main;report;parse", {0.2, 0.265}};
	for (int i = 0; i < 20; i++) {
		snprintf(stacks[i], sizeof(stacks[i]), "main;report;f%d", i);
		many[i + 1] = (struct synthetic_function){stacks[i], {0.04, 0.0401 + 1e-4 * i}};
	}
	measurements_free(f->measurements);
	f->measurements = synthetic_measurements(many, 21, 42);
	f->versions = f->measurements->benchmarks[0].recordings;
	know_code(f, "main");
	assert_true(wants(f));
	assert_int_equal(f->analysis.doubted_count, UNCHANGED_CALLS_MOST);
	assert_string_equal(doubted(f, 0), "parse");
	for (size_t i = 2; i < UNCHANGED_CALLS_MOST; i++)
		assert_true(f->analysis.verdict.functions[f->analysis.doubted[i]].change <=
			    f->analysis.verdict.functions[f->analysis.doubted[i - 1]].change);
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_more_calls_of_unchanged_code_are_a_regression),
		test(test_as_many_calls_pass_and_calls_of_others_change_nothing),
		test(test_calls_that_are_not_exact_change_nothing),
		test(test_what_is_excused_is_asked_for_first),
		test(test_nothing_is_asked_for_where_nothing_is_excused),
		test(test_what_is_excused_in_a_regression_is_asked_for),
		test(test_few_are_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
