/* SPDX-License-Identifier: Apache-2.0 */
/* What a self-test makes of the gates' measurements: by check's own analysis, on seeded numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gate/check/self_test/self_test_judge.h"
#include "tests/unit/check/synthetic.h"

#define FUNCTIONS 6
#define PLANTED 0.05

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
	struct self_test test;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	memcpy(f->functions, unchanged, sizeof(unchanged));
	f->test = (struct self_test){
		.slowdown = PLANTED, .picked = "field", .detail = "", .blamed = "", .seed = 1};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	measurements_free(f->measurements);
	arena_release(&f->test.arena);
	free(f);
	return 0;
}

static struct measurements *measure(struct fixture *f)
{
	f->measurements = synthetic_measurements(f->functions, FUNCTIONS, 42);
	return f->measurements;
}

/* Head's rounds say that so much was burnt in them. */
static struct measurements *with_planted(struct measurements *measurements, double seconds)
{
	struct recording *head = &measurements->benchmarks[0].recordings[VERSION_HEAD];

	for (size_t i = 0; i < head->round_count; i++)
		head->rounds[i].planted_seconds = seconds;
	return measurements;
}

static void says(const struct fixture *f, enum self_test_outcome outcome, const char *text)
{
	assert_int_equal(f->test.outcome, outcome);
	if (!strstr(f->test.detail, text))
		fail_msg("no '%s' in '%s'", text, f->test.detail);
}

static void test_no_change_must_pass(void **state)
{
	struct fixture *f = *state;

	assert_true(self_test_judge_null(&f->test, measure(f)));
	assert_int_equal(f->test.outcome, SELF_TEST_RIGHT);
	assert_true(f->test.null.was_run);
	assert_int_equal(f->test.null.status, RESULT_PASS);
	assert_int_equal(f->test.null.stage1_pairs, 16);
	assert_true(f->test.null.low <= f->test.null.high);
	assert_true(f->test.null.detectable_total > 0);
}

static void test_a_false_alarm_is_named(void **state)
{
	struct fixture *f = *state;

	f->functions[1].share[VERSION_HEAD] = 0.35;
	assert_false(self_test_judge_null(&f->test, measure(f)));
	says(f, SELF_TEST_FALSE_ALARM, "called a regression in read");
	assert_int_equal(f->test.null.status, RESULT_FAIL);
}

static void test_a_gate_without_a_verdict_says_why(void **state)
{
	struct fixture *f = *state;
	struct measurements *measurements = measure(f);

	measurements->benchmarks[0].recordings[VERSION_HEAD].round_count = 3;
	assert_false(self_test_judge_null(&f->test, measurements));
	says(f, SELF_TEST_UNMEASURED, "does not add up");
	measurements->benchmarks[0].outcome = OUTCOME_BASE_FAILED;
	measurements->benchmarks[0].detail = "make: *** no rule";
	assert_false(self_test_judge_null(&f->test, measurements));
	says(f, SELF_TEST_UNMEASURED, "no rule");
	assert_int_equal(f->test.null.status, RESULT_ERROR);
	assert_false(self_test_judge_work(&f->test, measurements));
	says(f, SELF_TEST_UNMEASURED, "no rule");
}

static void test_what_is_planted_shows_where_work_is_fixed(void **state)
{
	struct fixture *f = *state;

	f->functions[1].share[VERSION_HEAD] = 0.75;
	assert_true(self_test_judge_work(&f->test, with_planted(measure(f), 0.5)));
	assert_true(f->test.has_work);
	assert_true(f->test.work_follows > 0.8 && f->test.work_follows < 1.2);
	assert_true(f->test.work_before > 0.9 && f->test.work_before < 1.1);
	assert_true(f->test.work_after > 1.4 && f->test.work_after < 1.6);
}

static void test_a_fixed_time_is_found_out(void **state)
{
	struct fixture *f = *state;

	f->functions[1].share[VERSION_HEAD] = 0.27;
	assert_false(self_test_judge_work(&f->test, with_planted(measure(f), 0.34)));
	says(f, SELF_TEST_FIXED_TIME, "runs for a fixed time instead of doing fixed work");
	says(f, SELF_TEST_FIXED_TIME, "fell to 6");
	assert_true(f->test.work_follows < 0.4);
}

/* The same, but the benchmark tells how many iterations it did: their cost shows all. */
static void test_counted_work_of_a_fixed_time_shows_all(void **state)
{
	struct fixture *f = *state;
	struct measurements *measurements = with_planted(measure(f), 0.34);
	struct recording *recordings = measurements->benchmarks[0].recordings;

	for (size_t i = 0; i < recordings[VERSION_BASE].round_count; i++) {
		recordings[VERSION_BASE].rounds[i].iterations = 1000;
		recordings[VERSION_HEAD].rounds[i].iterations = 660;
	}
	recordings[VERSION_HEAD].counted_work = true;
	assert_true(self_test_judge_work(&f->test, measurements));
	assert_true(f->test.work_follows > 0.8 && f->test.work_follows < 1.2);
}

static void test_counts_that_do_not_go_with_the_work_are_found_out(void **state)
{
	struct fixture *f = *state;
	struct measurements *measurements = with_planted(measure(f), 0.34);

	measurements->benchmarks[0].recordings[VERSION_HEAD].counted_work = true;
	assert_false(self_test_judge_work(&f->test, measurements));
	says(f, SELF_TEST_FIXED_TIME, "does not go with the work");
}

static void test_a_sampler_that_burnt_nothing_proves_nothing(void **state)
{
	struct fixture *f = *state;

	assert_false(self_test_judge_work(&f->test, measure(f)));
	says(f, SELF_TEST_UNMEASURED, "did not slow the benchmark down");
}

static void test_the_planted_function_must_be_found_and_blamed(void **state)
{
	struct fixture *f = *state;

	f->functions[3].share[VERSION_HEAD] = 0.15;
	assert_true(self_test_judge_planted(&f->test, with_planted(measure(f), PLANTED)));
	assert_int_equal(f->test.outcome, SELF_TEST_RIGHT);
	assert_int_equal(f->test.planted.status, RESULT_FAIL);
	assert_string_equal(f->test.blamed, "field");
	assert_true(f->test.blamed_low < PLANTED && f->test.blamed_high > 0.04);
	assert_true(f->test.burnt > 0.045 && f->test.burnt < 0.055);
}

static void test_a_missed_slowdown_is_explained(void **state)
{
	struct fixture *f = *state;

	assert_false(self_test_judge_planted(&f->test, with_planted(measure(f), PLANTED)));
	says(f, SELF_TEST_MISSED, "not significant in stage 1");
	assert_string_equal(f->test.blamed, "");
}

static void test_another_culprit_is_wrong(void **state)
{
	struct fixture *f = *state;

	f->functions[4].share[VERSION_HEAD] = 0.25;
	assert_false(self_test_judge_planted(&f->test, with_planted(measure(f), PLANTED)));
	says(f, SELF_TEST_WRONG_CULPRIT, "planted in field, but sum was blamed");
	assert_string_equal(f->test.blamed, "sum");
}

static void test_what_was_not_burnt_is_not_missed(void **state)
{
	struct fixture *f = *state;

	assert_false(self_test_judge_planted(&f->test, with_planted(measure(f), PLANTED / 5)));
	says(f, SELF_TEST_UNMEASURED, "could be planted in field");
}

/* Profiles without addresses: there is no code that could be slowed down. */
static void test_without_code_there_is_no_place(void **state)
{
	struct fixture *f = *state;
	struct slowdown_place code;

	f->test.picked = NULL;
	assert_false(self_test_judge_places(&f->test, measure(f), &code));
	says(f, SELF_TEST_NO_PLACE, "none of the 6 functions");
	assert_null(f->test.picked);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_no_change_must_pass),
		TEST(test_a_false_alarm_is_named),
		TEST(test_a_gate_without_a_verdict_says_why),
		TEST(test_what_is_planted_shows_where_work_is_fixed),
		TEST(test_a_fixed_time_is_found_out),
		TEST(test_counted_work_of_a_fixed_time_shows_all),
		TEST(test_counts_that_do_not_go_with_the_work_are_found_out),
		TEST(test_a_sampler_that_burnt_nothing_proves_nothing),
		TEST(test_the_planted_function_must_be_found_and_blamed),
		TEST(test_a_missed_slowdown_is_explained),
		TEST(test_another_culprit_is_wrong),
		TEST(test_what_was_not_burnt_is_not_missed),
		TEST(test_without_code_there_is_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
