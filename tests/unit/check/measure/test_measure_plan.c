/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/check/measure/measure_plan.h"
#include "gate/check/runs/version_runs.h"
#include "tests/unit/check/synthetic.h"

#define PILOT 16

static const struct synthetic_function functions[] = {
	{"main", {0.05, 0.05}},
	{"main;read", {0.25, 0.25}},
	{"main;parse", {0.20, 0.20}},
	{"main;parse;field", {0.10, 0.10}},
	{"main;sum", {0.15, 0.15}},
	{"main;print", {0.25, 0.25}},
};

/* As after the first pairs: nothing of stage 2 is there. */
static struct measurements *after_pilot(double detect)
{
	struct measurements *measurements = synthetic_measurements(functions, 6, 42);

	for (int version = 0; version < VERSION_COUNT; version++) {
		struct recording *recording = &measurements->benchmarks[0].recordings[version];
		struct profile *profile = recording->profile;
		size_t kept = 0;

		for (size_t i = 0; i < profile->sample_count; i++)
			if (profile_sample_number(&profile->samples[i], PROFILE_LABEL_ROUND, 0) <
				PILOT)
				profile->samples[kept++] = profile->samples[i];
		profile->sample_count = kept;
		recording->round_count = PILOT;
		recording->policy.detect = detect;
	}
	return measurements;
}

static struct config_policy planned(double detect, double seconds, double budget, size_t *notes)
{
	struct measurements *measurements = after_pilot(detect);
	struct measured_benchmark *benchmark = &measurements->benchmarks[0];
	struct config_policy policy;

	plan_pairs(measurements, benchmark, 1, seconds, budget);
	policy = benchmark->recordings[VERSION_BASE].policy;
	assert_memory_equal(&policy, &benchmark->recordings[VERSION_HEAD].policy, sizeof(policy));
	*notes = benchmark->notes.count;
	measurements_free(measurements);
	return policy;
}

static void test_what_is_detected_needs_no_more_pairs(void **state)
{
	size_t notes;
	struct config_policy policy = planned(0.05, 32, 1e6, &notes);

	(void)state;
	assert_int_equal(policy.stage1_pairs, 16);
	assert_int_equal(policy.stage2_pairs, 24);
	assert_int_equal(notes, 0);
}

static void test_more_pairs_come_within_the_budget_and_the_cap(void **state)
{
	size_t notes;
	/* 2 s a pair, 40 of them: half as many again go into 120 s. */
	struct config_policy policy = planned(0.003, 32, 120, &notes);

	(void)state;
	assert_int_equal(policy.stage1_pairs, 24);
	assert_int_equal(policy.stage2_pairs, 36);
	assert_int_equal(notes, 2); /* so many, and that it is not enough */
	policy = planned(0.003, 32, 1e6, &notes);
	assert_int_equal(policy.stage1_pairs, 64);
	assert_int_equal(policy.stage2_pairs, 96);
}

static void test_a_budget_that_is_spent_takes_no_pair_away(void **state)
{
	size_t notes;
	struct config_policy policy = planned(0.003, 3200, 1, &notes);

	(void)state;
	assert_int_equal(policy.stage1_pairs, 16);
	assert_int_equal(policy.stage2_pairs, 24);
	assert_int_equal(notes, 1);
}

static void test_with_nothing_to_detect_nothing_is_planned(void **state)
{
	size_t notes;
	struct config_policy policy = planned(0, 1, 1e6, &notes);

	(void)state;
	assert_int_equal(policy.stage1_pairs, 16);
	assert_int_equal(notes, 0);
}

static void test_short_runs_are_repeated_until_they_make_a_second(void **state)
{
	(void)state;
	assert_int_equal(repeat_for(3), 1);
	assert_int_equal(repeat_for(1), 1);
	assert_int_equal(repeat_for(0.9), 2);
	assert_int_equal(repeat_for(0.1), 10);
	assert_int_equal(repeat_for(0.001), 100);
	assert_int_equal(repeat_for(0), 100);
}

static void test_pairs_beyond_the_budget_are_told_before_they_are_run(void **state)
{
	static const size_t pairs[2] = {10, 10};
	struct measurements *measurements = measurements_new("check");

	(void)state;
	assert_string_equal(plan_budget(measurements, pairs, 1, 20), "");
	assert_string_equal(plan_budget(measurements, pairs, 10.5, 20),
		"the budget (20 s) will not do for policy.pairs: the first 10 are run in any "
		"case and take about 105 s, 10 more, about 105 s, if something is to be "
		"confirmed");
	assert_string_equal(plan_budget(measurements, pairs, 1.5, 20),
		"the budget (20 s) will not do for policy.pairs: the first 10 are run in any "
		"case and take about 15 s, 10 more, about 15 s, if something is to be confirmed");
	measurements_free(measurements);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_detected_needs_no_more_pairs),
		cmocka_unit_test(test_more_pairs_come_within_the_budget_and_the_cap),
		cmocka_unit_test(test_a_budget_that_is_spent_takes_no_pair_away),
		cmocka_unit_test(test_with_nothing_to_detect_nothing_is_planned),
		cmocka_unit_test(test_pairs_beyond_the_budget_are_told_before_they_are_run),
		cmocka_unit_test(test_short_runs_are_repeated_until_they_make_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
