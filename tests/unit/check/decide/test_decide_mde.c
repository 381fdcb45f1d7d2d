/* SPDX-License-Identifier: Apache-2.0 */
/* policy.detect and policy.on_mde: what a pass would have missed. */
#include "gate/check/result.h"
#include "tests/unit/check/decide_scene.h"

static void test_a_pass_that_would_have_missed_it_says_so(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark = decide_to_detect(f, 0.001, CONFIG_WARN);

	assert_int_equal(benchmark->status, RESULT_WARN);
	assert_int_equal(f->result->exit_status, 0);
	assert_non_null(
		strstr(benchmark->warnings[0], "these runs can only detect an increase of"));
	assert_non_null(strstr(benchmark->warnings[0], "above policy.detect (0.1 %)"));
}

/* The report's figures say so; 80 % is what is meant,
 * and in between there is nothing to be done. */
static void test_what_is_found_more_often_than_missed_warns_of_nothing(void **state)
{
	struct fixture *f = *state;
	double found = decide(f)->mde_function;
	const struct result_benchmark *benchmark = decide_to_detect(f, 0.95 * found, CONFIG_FAIL);

	assert_int_equal(benchmark->status, RESULT_PASS);
	assert_int_equal(benchmark->warning_count, 0);
	benchmark = decide_to_detect(f, 0.6 * found, CONFIG_WARN);
	assert_int_equal(benchmark->status, RESULT_WARN);
	assert_non_null(strstr(benchmark->warnings[0], "these runs can only detect"));
}

static const struct result_metric *cpu_time_of(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->metric_count; i++)
		if (strcmp(benchmark->metrics[i].name, "cpu") == 0)
			return &benchmark->metrics[i];
	return NULL;
}

/* policy.on_mde: fail. It was measured all the same, in pairs, and that stays to be read. */
static void test_what_was_too_noisy_to_detect_it_keeps_its_figures(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark = decide_to_detect(f, 0.001, CONFIG_FAIL);
	const struct result_metric *cpu;

	assert_int_equal(benchmark->status, RESULT_ERROR);
	assert_int_equal(f->result->exit_status, 3);
	assert_non_null(strstr(benchmark->detail, "can only detect"));
	assert_true(strlen(benchmark->detail) <= 160); /* a headline is cut there */
	assert_int_equal(benchmark->outcome, OUTCOME_MEASURED);
	cpu = cpu_time_of(benchmark);
	assert_non_null(cpu);
	assert_int_equal(cpu->state, METRIC_UNDECIDED);
	assert_string_equal(cpu->detail, "too noisy for policy.detect");
	assert_true(cpu->low < cpu->high);
}

static void test_what_is_detected_or_was_not_asked_for_is_no_matter(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(decide_to_detect(f, 0.2, CONFIG_FAIL)->status, RESULT_PASS);
	/* 0: nothing is asked for. */
	assert_int_equal(decide_to_detect(f, 0, CONFIG_FAIL)->status, RESULT_PASS);
}

static void test_a_regression_that_was_found_needs_no_power(void **state)
{
	struct fixture *f = *state;

	f->functions[3].share[VERSION_HEAD] = 0.15;
	assert_int_equal(decide_to_detect(f, 0.001, CONFIG_FAIL)->status, RESULT_FAIL);
	assert_int_equal(f->result->exit_status, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_pass_that_would_have_missed_it_says_so),
		TEST(test_what_is_found_more_often_than_missed_warns_of_nothing),
		TEST(test_what_was_too_noisy_to_detect_it_keeps_its_figures),
		TEST(test_what_is_detected_or_was_not_asked_for_is_no_matter),
		TEST(test_a_regression_that_was_found_needs_no_power),
	};

	return cmocka_run_group_tests_name("decide: the MDE", tests, NULL, NULL);
}
