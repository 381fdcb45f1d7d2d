/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/check/check.h"
#include "gate/check/result.h"
#include "tests/unit/check/synthetic.h"

#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS 6
#define DAY "2026-01-01" /* of synthetic measurements */

static const struct synthetic_function unchanged[FUNCTIONS] = {
	{"main", {0.05, 0.05}},
	{"main;read", {0.25, 0.25}},
	{"main;parse", {0.20, 0.20}},
	{"main;parse;field", {0.10, 0.10}},
	{"main;sum", {0.15, 0.15}},
	{"main;print", {0.25, 0.25}},
};

struct fixture {
	struct synthetic_function functions[FUNCTIONS];
	struct measurements *measurements;
	struct result *result;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	memcpy(f->functions, unchanged, sizeof(unchanged));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	measurements_free(f->measurements);
	result_free(f->result);
	free(f);
	return 0;
}

static void grow(struct fixture *f, size_t function, double seconds)
{
	f->functions[function].share[VERSION_HEAD] += seconds;
}

static void accept_until(struct fixture *f, const char *benchmark, const char *function,
	const char *until, const char *problem)
{
	const struct measurements_acceptance one = {.benchmark = benchmark,
		.function = function,
		.reason = "worth it",
		.until = until,
		.origin = "somewhere",
		.problem = problem};

	if (!f->measurements)
		f->measurements = synthetic_measurements(f->functions, FUNCTIONS, 42);
	measurements_add_acceptance(f->measurements, &one);
}

static void accept_function(struct fixture *f, const char *function)
{
	accept_until(f, "bench", function, "", "");
}

static const struct result_benchmark *decide(struct fixture *f)
{
	if (!f->measurements)
		f->measurements = synthetic_measurements(f->functions, FUNCTIONS, 42);
	f->result = decide_measurements(f->measurements);
	return &f->result->benchmarks[0];
}

static bool any_line(const char *const *lines, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(lines[i], text))
			return true;
	return false;
}

static void assert_warns(const struct result_benchmark *benchmark, const char *text)
{
	if (!any_line(benchmark->warnings, benchmark->warning_count, text))
		fail_msg("no warning says \"%s\"", text);
}

static void assert_notes(const struct fixture *f, const char *text)
{
	if (!any_line(f->result->notes, f->result->note_count, text))
		fail_msg("no note says \"%s\"", text);
}

static void assert_accepted(struct fixture *f)
{
	const struct result_benchmark *benchmark = decide(f);

	assert_int_equal(benchmark->status, RESULT_WARN);
	assert_int_equal(f->result->exit_status, 0);
	assert_string_equal(benchmark->accepted, "worth it");
	assert_true(benchmark->culprit_count > 0);
	assert_warns(benchmark, "accepted");
	assert_warns(benchmark, "somewhere");
}

static const struct result_benchmark *assert_refused(struct fixture *f)
{
	const struct result_benchmark *benchmark = decide(f);

	assert_int_equal(benchmark->status, RESULT_FAIL);
	assert_int_equal(f->result->exit_status, 1);
	assert_true(!benchmark->accepted || !*benchmark->accepted);
	return benchmark;
}

static void test_an_accepted_culprit_passes_in_sight(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	accept_function(f, "field");
	assert_accepted(f);
	assert_int_equal(f->result->note_count, 0);
}

static void test_an_accepted_benchmark_passes_whatever_the_culprit(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	grow(f, 1, 0.06);
	accept_function(f, "");
	assert_accepted(f);
}

static void test_another_functions_acceptance_covers_nothing(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	accept_function(f, "sum");
	assert_refused(f);
	assert_notes(f, "bench/sum (somewhere) was not needed");
}

static void test_another_benchmarks_acceptance_covers_nothing(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	accept_until(f, "other", "field", "", "");
	assert_refused(f);
	/* It may be one that was left out by --benchmark. */
	assert_int_equal(f->result->note_count, 0);
}

static void test_one_of_two_culprits_is_not_enough(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	grow(f, 1, 0.06);
	accept_function(f, "field");
	assert_warns(assert_refused(f), "accepted only in part: read is not");
	assert_int_equal(f->result->note_count, 0);
}

static void test_both_of_two_culprits_are(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	grow(f, 1, 0.06);
	accept_function(f, "field");
	accept_function(f, "read");
	assert_accepted(f);
}

static void test_what_is_called_more_often_brings_what_it_calls(void **state)
{
	struct fixture *f = *state;

	grow(f, 2, 0.06);
	grow(f, 3, 0.03);
	accept_function(f, "parse");
	decide(f);
	assert_int_equal(f->result->benchmarks[0].culprits[0].blame, BLAME_CALLED);
	result_free(f->result);
	assert_accepted(f);
}

static void test_what_it_calls_is_not_enough(void **state)
{
	struct fixture *f = *state;

	grow(f, 2, 0.06);
	grow(f, 3, 0.03);
	accept_function(f, "field");
	assert_warns(assert_refused(f), "accepted only in part: parse is not");
}

#define SMALL 40

/* One function's growth and that of very many, each too small to be seen, which make the total. */
static void test_an_accepted_function_does_not_cover_a_total_that_grew_elsewhere(void **state)
{
	static char names[SMALL][24];
	struct synthetic_function many[SMALL + 1] = {{"main;field", {0.10, 0.12}}};
	struct fixture *f = *state;

	for (int i = 0; i < SMALL; i++) {
		snprintf(names[i], sizeof(names[i]), "main;small%02d", i);
		many[i + 1] = (struct synthetic_function){names[i], {0.0225, 0.0245}};
	}
	f->measurements = synthetic_measurements(many, SMALL + 1, 42);
	accept_function(f, "field");
	decide(f);
	assert_int_equal(f->result->benchmarks[0].status, RESULT_FAIL);
	assert_warns(&f->result->benchmarks[0], "accepted only in part");
}

/* ---- two functions of one name, in two files ------------------------------------------------- */

/* The first of both has grown, the second too if asked. */
static void two_of_a_name(struct fixture *f, bool both)
{
	f->functions[4] = (struct synthetic_function){"hash@src/one.c", {0.15, 0.20}};
	f->functions[5] = (struct synthetic_function){"hash@src/two.c", {0.25, 0.25}};
	if (both)
		grow(f, 5, 0.05);
}

static void test_of_two_functions_of_one_name_the_file_tells(void **state)
{
	struct fixture *f = *state;

	two_of_a_name(f, false);
	accept_function(f, "hash@src/one.c");
	assert_accepted(f);
	assert_int_equal(f->result->note_count, 0);
}

static void test_the_other_files_function_is_not_accepted(void **state)
{
	struct fixture *f = *state;

	two_of_a_name(f, false);
	accept_function(f, "hash@src/two.c");
	assert_refused(f);
	assert_notes(f, "bench/hash@src/two.c (somewhere) was not needed");
}

static void test_one_of_two_statics_does_not_bring_the_other(void **state)
{
	struct fixture *f = *state;

	two_of_a_name(f, true);
	accept_function(f, "hash@src/one.c");
	assert_warns(assert_refused(f), "accepted only in part: hash is not");
}

static void test_a_name_that_two_functions_have_accepts_neither(void **state)
{
	struct fixture *f = *state;

	two_of_a_name(f, false);
	accept_function(f, "hash");
	assert_warns(assert_refused(f), "does not say which");
	assert_warns(&f->result->benchmarks[0], "hash@src/one.c");
	assert_int_equal(f->result->note_count, 0);
}

/* Who was told that a name says too little says more in the next commit. */
static void test_what_says_too_little_does_not_hide_what_says_enough(void **state)
{
	struct fixture *f = *state;

	two_of_a_name(f, false);
	accept_function(f, "hash");
	accept_function(f, "hash@src/one.c");
	assert_accepted(f);
	assert_notes(f, "bench/hash (somewhere) was not needed");
}

static void test_a_name_with_its_file_needs_that_file(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	accept_function(f, "field@src/b.c");
	assert_refused(f);
	accept_function(f, "field@src/a.c");
	result_free(f->result);
	assert_accepted(f);
}

/* ---- metrics ------------------------------------------------------------------------------ */

static void accept_metric(struct fixture *f, const char *metric)
{
	const struct measurements_acceptance one = {.benchmark = "bench",
		.function = "",
		.metric = metric,
		.reason = "worth it",
		.until = "",
		.origin = "somewhere",
		.problem = ""};

	if (!f->measurements)
		f->measurements = synthetic_measurements(f->functions, FUNCTIONS, 42);
	measurements_add_acceptance(f->measurements, &one);
}

/* The largest resident set, and how many threads there are: both fail. */
static void use_more(struct fixture *f, double memory, uint32_t threads)
{
	if (!f->measurements)
		f->measurements = synthetic_measurements(f->functions, FUNCTIONS, 42);
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct recording *recording = &f->measurements->benchmarks[0].recordings[version];

		recording->policy.gate[METRIC_MAX_RSS] = METRIC_FAILS;
		recording->policy.gate[METRIC_THREADS] = METRIC_FAILS;
		for (size_t i = 0; i < SYNTHETIC_ROUNDS; i++) {
			recording->rounds[i].max_rss_bytes =
				1e8 * (version ? memory : 1) * (1 + 0.0001 * (double)(i % 7));
			recording->rounds[i].threads = version ? threads : 4;
		}
	}
}

static void test_a_metric_is_accepted_by_its_name(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;

	use_more(f, 1.2, 4);
	accept_metric(f, "max_rss");
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_WARN);
	assert_string_equal(benchmark->accepted, "worth it");
	assert_warns(benchmark, "accepted: max_rss: worth it (somewhere)");
	assert_int_equal(f->result->note_count, 0);
}

static void test_one_metric_does_not_bring_another(void **state)
{
	struct fixture *f = *state;

	use_more(f, 1.2, 5);
	accept_metric(f, "max_rss");
	assert_warns(assert_refused(f), "accepted only in part: threads is not");
	assert_int_equal(f->result->note_count, 0);
	accept_metric(f, "threads");
	result_free(f->result);
	assert_int_equal(decide(f)->status, RESULT_WARN);
}

static void test_a_metric_does_not_cover_the_cpu_time(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	use_more(f, 1.2, 4);
	accept_metric(f, "max_rss");
	assert_refused(f);
	assert_int_equal(f->result->note_count, 0);
	accept_function(f, "field");
	result_free(f->result);
	assert_int_equal(decide(f)->status, RESULT_WARN);
}

static void test_a_function_does_not_cover_a_metric(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	use_more(f, 1.2, 4);
	accept_function(f, "field");
	decide(f);
	assert_int_equal(f->result->benchmarks[0].status, RESULT_FAIL);
}

static void test_the_cpu_time_is_accepted_as_a_metric(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	grow(f, 1, 0.06);
	accept_metric(f, "cpu");
	assert_accepted(f);
	use_more(f, 1.2, 4);
	result_free(f->result);
	assert_int_equal(decide(f)->status, RESULT_FAIL);
}

static void test_a_spread_increase_has_no_function_to_accept(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < FUNCTIONS; i++)
		grow(f, i, 0.1 * f->functions[i].share[VERSION_BASE]);
	accept_function(f, "field");
	assert_refused(f);
}

static void test_the_last_day_still_counts_and_the_next_does_not(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	accept_until(f, "bench", "field", DAY, "");
	assert_accepted(f);
	measurements_free(f->measurements);
	result_free(f->result);
	f->measurements = NULL;
	accept_until(f, "bench", "field", "2025-12-31", "");
	assert_warns(assert_refused(f), "the acceptance of field expired on 2025-12-31");
}

static void test_an_expired_acceptance_does_not_hide_one_that_counts(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	accept_until(f, "bench", "field", "2025-12-31", "");
	accept_until(f, "bench", "field", "2026-12-31", "");
	assert_accepted(f);
	assert_notes(f, "expired on 2025-12-31, and nothing needs it");
}

static void test_what_does_not_count_says_why(void **state)
{
	struct fixture *f = *state;

	grow(f, 3, 0.05);
	accept_until(f, "bench", "field", "", "nobody may");
	assert_refused(f);
	assert_notes(f, "bench/field (somewhere) does not count: nobody may");
}

static void test_nothing_to_accept_leaves_a_pass_as_it_is(void **state)
{
	struct fixture *f = *state;

	accept_function(f, "");
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_notes(f, "bench (somewhere) was not needed");
}

static void test_what_could_not_be_measured_cannot_be_accepted(void **state)
{
	struct fixture *f = *state;

	accept_function(f, "");
	f->measurements->benchmarks[0].recordings[VERSION_HEAD].rounds[0].order = 7;
	assert_int_equal(decide(f)->status, RESULT_ERROR);
	assert_int_equal(f->result->exit_status, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		TEST(test_an_accepted_culprit_passes_in_sight),
		TEST(test_an_accepted_benchmark_passes_whatever_the_culprit),
		TEST(test_another_functions_acceptance_covers_nothing),
		TEST(test_another_benchmarks_acceptance_covers_nothing),
		TEST(test_one_of_two_culprits_is_not_enough),
		TEST(test_both_of_two_culprits_are),
		TEST(test_what_is_called_more_often_brings_what_it_calls),
		TEST(test_what_it_calls_is_not_enough),
		TEST(test_an_accepted_function_does_not_cover_a_total_that_grew_elsewhere),
		TEST(test_of_two_functions_of_one_name_the_file_tells),
		TEST(test_the_other_files_function_is_not_accepted),
		TEST(test_one_of_two_statics_does_not_bring_the_other),
		TEST(test_a_name_that_two_functions_have_accepts_neither),
		TEST(test_what_says_too_little_does_not_hide_what_says_enough),
		TEST(test_a_name_with_its_file_needs_that_file),
		TEST(test_a_metric_is_accepted_by_its_name),
		TEST(test_one_metric_does_not_bring_another),
		TEST(test_a_metric_does_not_cover_the_cpu_time),
		TEST(test_a_function_does_not_cover_a_metric),
		TEST(test_the_cpu_time_is_accepted_as_a_metric),
		TEST(test_a_spread_increase_has_no_function_to_accept),
		TEST(test_the_last_day_still_counts_and_the_next_does_not),
		TEST(test_an_expired_acceptance_does_not_hide_one_that_counts),
		TEST(test_what_does_not_count_says_why),
		TEST(test_nothing_to_accept_leaves_a_pass_as_it_is),
		TEST(test_what_could_not_be_measured_cannot_be_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
