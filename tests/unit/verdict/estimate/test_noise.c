/* SPDX-License-Identifier: Apache-2.0 */
/* How much equal runs differ, and what that lets the gate find. */
#include "gate/verdict/estimate/noise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/verdict/estimate/mde.h"

#define PAIRS 10
#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* The expected values were computed with mpmath at 30 digits from the formulas' definitions. */
static const double runs[2 * PAIRS] = {1.00, 1.10, 1.02, 1.09, 0.98, 1.12, 1.01, 1.08, 0.99, 1.13,
	1.03, 1.11, 0.97, 1.05, 1.00, 1.50, 1.05, 1.15, 1.00, 1.07};

static void assert_close(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-12 * fabs(expected)))
		fail_msg("got %.17g, expected %.17g", got, expected);
}

static struct noise noise_with(double deviation)
{
	return (struct noise){.mean = 1, .cv = deviation, .pair_deviation = deviation};
}

static void test_noise_matches_its_definitions(void **state)
{
	struct noise noise;

	(void)state;
	assert_true(noise_of_pairs(runs, PAIRS, &noise));
	assert_close(noise.mean, 1.0725);
	assert_close(noise.cv, 0.10651967878496225);
	assert_close(noise.autocorrelation, -0.2859411230970864);
	assert_close(noise.pair_deviation, 0.048552282983367509);
}

static void test_drift_shows_as_correlation_and_not_within_pairs(void **state)
{
	double drifting[40];
	struct noise noise;

	(void)state;
	for (size_t i = 0; i < COUNT(drifting); i++)
		drifting[i] = 1 + 0.01 * (double)i;
	assert_true(noise_of_pairs(drifting, COUNT(drifting) / 2, &noise));
	assert_true(noise.autocorrelation > 0.9);
	assert_true(noise.cv > 0.09);
	assert_true(noise.pair_deviation < 0.002);
}

static void test_equal_runs_have_no_noise(void **state)
{
	double equal[8] = {2, 2, 2, 2, 2, 2, 2, 2};
	struct noise noise;

	(void)state;
	assert_true(noise_of_pairs(equal, 4, &noise));
	assert_true(noise.cv >= 0 && noise.cv <= 0);
	assert_true(noise.autocorrelation >= 0 && noise.autocorrelation <= 0);
	assert_true(noise.pair_deviation >= 0 && noise.pair_deviation <= 0);
}

static void test_too_few_or_impossible_times_are_refused_and_nothing_is_written(void **state)
{
	static const double impossible[] = {0, -1, NAN, INFINITY};
	struct noise noise = {.mean = 42};
	struct noise_cost cost = {.extra = 42};

	(void)state;
	assert_false(noise_of_pairs(runs, NOISE_MIN_PAIRS - 1, &noise));
	assert_false(noise_cost_of_pairs(runs, NOISE_MIN_PAIRS - 1, &cost));
	assert_true(noise_of_pairs(runs, NOISE_MIN_PAIRS, &(struct noise){0}));
	for (size_t i = 0; i < COUNT(impossible); i++) {
		double bad[8] = {1, 1, 1, 1, 1, 1, 1, impossible[i]};

		assert_false(noise_of_pairs(bad, 4, &noise));
		assert_false(noise_cost_of_pairs(bad, 4, &cost));
	}
	assert_close(noise.mean, 42);
	assert_close(cost.extra, 42);
}

static void test_cost_is_the_trimmed_mean_with_its_interval(void **state)
{
	struct noise_cost cost;

	(void)state;
	assert_true(noise_cost_of_pairs(runs, PAIRS, &cost));
	assert_close(cost.extra, 0.094221545723711057);
	assert_close(cost.low, 0.051876339585662061);
	assert_close(cost.high, 0.13827143559253032);
	assert_true(cost.clear);
}

static void test_cost_below_the_noise_is_not_clear(void **state)
{
	static const double either_way[] = {1, 1.1, 1, 0.91, 1, 1.08, 1, 0.93, 1, 1.01};
	double cheaper[2 * PAIRS];
	struct noise_cost cost;

	(void)state;
	assert_true(noise_cost_of_pairs(either_way, 5, &cost));
	assert_false(cost.clear);
	assert_true(cost.low < 0 && cost.high > 0);
	for (size_t i = 0; i < PAIRS; i++) {
		cheaper[2 * i] = runs[2 * i + 1];
		cheaper[2 * i + 1] = runs[2 * i];
	}
	assert_true(noise_cost_of_pairs(cheaper, PAIRS, &cost));
	assert_true(cost.high < 0);
	assert_true(cost.clear);
}

static void test_detectable_is_what_the_gate_s_own_formula_says(void **state)
{
	struct verdict_policy policy = verdict_policy_default(true);
	struct noise noise = noise_with(0.05);
	struct verdict_total_power total = {.n = {16, 24},
		.alpha = {policy.alpha_stage1_total, policy.alpha_stage2 / 3},
		.deviation = 0.05,
		.margin = 0.01};

	(void)state;
	policy.benchmarks_in_gate = 3;
	assert_close(noise_detectable(&noise, &policy, 16, 24), mde_total(&total));
	total.n[1] = 0;
	assert_close(noise_detectable(&noise, &policy, 16, 0), mde_total(&total));
}

static void test_more_noise_needs_more_and_more_pairs_less(void **state)
{
	const struct verdict_policy policy = verdict_policy_default(true);
	const struct noise quiet = noise_with(0.01), loud = noise_with(0.1), none = noise_with(0);

	(void)state;
	assert_true(noise_detectable(&quiet, &policy, 16, 24) <
		    noise_detectable(&loud, &policy, 16, 24));
	assert_true(noise_detectable(&loud, &policy, 64, 64) <
		    noise_detectable(&loud, &policy, 16, 24));
	assert_true(
		noise_detectable(&loud, &policy, 16, 0) < noise_detectable(&loud, &policy, 16, 24));
	assert_true(fabs(noise_detectable(&none, &policy, 16, 24) - policy.total_margin) < 1e-6);
	assert_true(isinf(noise_detectable(&quiet, &policy, 6, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise_matches_its_definitions),
		cmocka_unit_test(test_drift_shows_as_correlation_and_not_within_pairs),
		cmocka_unit_test(test_equal_runs_have_no_noise),
		cmocka_unit_test(
			test_too_few_or_impossible_times_are_refused_and_nothing_is_written),
		cmocka_unit_test(test_cost_is_the_trimmed_mean_with_its_interval),
		cmocka_unit_test(test_cost_below_the_noise_is_not_clear),
		cmocka_unit_test(test_detectable_is_what_the_gate_s_own_formula_says),
		cmocka_unit_test(test_more_noise_needs_more_and_more_pairs_less),
	};

	return cmocka_run_group_tests_name("noise", tests, NULL, NULL);
}
