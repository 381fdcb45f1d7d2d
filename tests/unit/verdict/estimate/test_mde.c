/* SPDX-License-Identifier: Apache-2.0 */
/* Detectable effects of two tests by themselves and together, without a gate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/verdict/estimate/mde.h"

#define NEVER 1e9 /* as a critical value */

static struct verdict_total_power total(double deviation)
{
	return (struct verdict_total_power){
		.n = {16, 24}, .alpha = {0.01, 0.01}, .deviation = deviation, .margin = 0.01};
}

/* A function's own test and the total's, each about as good as the other. */
static struct verdict_power both(void)
{
	struct verdict_power power = {
		.of_base = 1,
		.poisson = 0.002,
		.samples_per_run = 1000,
		.margin_points = 0.002,
		.total = total(0.02),
	};

	for (int stage = 0; stage < 2; stage++) {
		power.stage[stage].n = stage ? 24 : 16;
		power.stage[stage].df = power.stage[stage].n + 9;
		power.stage[stage].t_critical = 4;
	}
	return power;
}

static struct verdict_power own_alone(void)
{
	struct verdict_power power = both();

	power.total.alpha[0] = power.total.alpha[1] = 0; /* which no number of pairs reaches */
	return power;
}

static struct verdict_power total_alone(void)
{
	struct verdict_power power = both();

	power.stage[0].t_critical = power.stage[1].t_critical = NEVER;
	return power;
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-6 * expected);
}

static void test_of_two_tests_the_better_one_is_what_finds_it(void **state)
{
	struct verdict_power power = both(), own = own_alone(), all = total_alone();
	size_t better[2] = {0, 0};

	(void)state;
	for (double share = 0.001; share < 1; share *= 1.5) {
		double by_own = verdict_mde(&own, share), by_total = verdict_mde(&all, share);

		better[by_total < by_own]++;
		assert_near(verdict_mde(&power, share), fmin(by_own, by_total));
	}
	assert_true(better[0] > 3 && better[1] > 3);
}

static void test_the_total_finds_the_same_increase_whose_ever_it_is(void **state)
{
	struct verdict_power power = total_alone();

	(void)state;
	power.total.deviation = 0.4;
	for (double share = 0.001; share < 1; share *= 10) {
		assert_near(verdict_mde(&power, share), mde_total(&power.total));
		assert_near(verdict_mde_called(&power, share), mde_total(&power.total));
	}
	assert_true(mde_total(&power.total) > 0.2);
}

static void test_a_regression_has_to_pass_both_stages(void **state)
{
	struct verdict_power power = own_alone();
	double two = verdict_mde(&power, 0.01), one;

	(void)state;
	power.stage[1] = power.stage[0];
	one = verdict_mde(&power, 0.01);
	assert_true(one > two);
	power.stage[1].n = 0; /* not planned */
	assert_true(verdict_mde(&power, 0.01) < one);
	power = own_alone();
	power.stage[1].t_critical = NEVER;
	assert_true(isinf(verdict_mde(&power, 0.01)));
}

/* What is new costs nothing before: the noise is of what it costs then. */
static void test_noise_grows_with_the_increase_itself(void **state)
{
	struct verdict_power power = own_alone();
	double mde = verdict_mde(&power, 0);

	(void)state;
	assert_true(mde > 1.3 * power.margin_points && mde < 5 * power.margin_points);
}

static void test_a_stricter_level_needs_a_larger_increase(void **state)
{
	struct verdict_power power = own_alone(), strict = own_alone();

	(void)state;
	strict.stage[0].t_critical = strict.stage[1].t_critical = 6;
	assert_true(verdict_mde(&strict, 0.01) > 1.2 * verdict_mde(&power, 0.01));
}

/* The deviation is known from few pairs: it may be twice as large, which costs the most. */
static void test_noise_that_is_not_well_known_needs_a_larger_increase(void **state)
{
	struct verdict_total_power known = total(0.02), guessed = total(0.02);

	(void)state;
	guessed.df = 5;
	assert_true(mde_total(&guessed) > 1.05 * mde_total(&known));
}

/* All pairs together have to leave the layout no room; which stage they were of is the same. */
static void test_what_one_layout_may_explain_is_exceeded_by_all_pairs(void **state)
{
	struct verdict_total_power few = total(0.02), many = total(0.02);
	struct verdict_power call = own_alone();
	double mde;

	(void)state;
	few.allowance = many.allowance = 0.1;
	few.n[0] = many.n[1] = 30;
	few.n[1] = many.n[0] = 90;
	assert_near(mde_total(&few), mde_total(&many));
	/* of the mean of both: of base it is more */
	assert_true(mde_total(&few) > expm1(0.1) + 0.004 && mde_total(&few) < 0.12);
	mde = verdict_mde_called(&call, 0.3);
	call.allowance_relative = 0.2;
	call.total.allowance = 1;
	assert_true(mde < 0.04);
	assert_true(verdict_mde_called(&call, 0.3) > 0.06);
	assert_near(verdict_mde(&call, 0.3), mde); /* a function has its own margin */
	mde = verdict_mde_called(&call, 0.3);
	call.stage[0].n = 24;
	call.stage[1].n = 16;
	assert_near(verdict_mde_called(&call, 0.3), mde);
	/* and never more than all of it may */
	call.total.allowance = 0.01;
	assert_true(verdict_mde_called(&call, 0.3) < mde);
}

static void test_few_pairs_can_never_reach_a_strict_level(void **state)
{
	struct verdict_total_power power = total(0.001);

	(void)state;
	assert_true(mde_total(&power) < 0.02);
	power.n[1] = 6; /* 2^-6 > 0.01 */
	assert_true(isinf(mde_total(&power)));
	power.n[1] = 7;
	assert_true(mde_total(&power) < 0.02);
}

/* The mean of both totals is then twice base's: 2 % of base are 1 % of it. */
static void test_effects_are_of_base_where_head_takes_three_times_as_much(void **state)
{
	struct verdict_power alike = own_alone(), grown = own_alone();

	(void)state;
	grown.of_base = 2;
	assert_near(verdict_mde(&grown, 0.02), 2 * verdict_mde(&alike, 0.01));
	assert_near(verdict_mde_called(&grown, 0.02), 2 * verdict_mde_called(&alike, 0.01));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_two_tests_the_better_one_is_what_finds_it),
		cmocka_unit_test(test_the_total_finds_the_same_increase_whose_ever_it_is),
		cmocka_unit_test(test_a_regression_has_to_pass_both_stages),
		cmocka_unit_test(test_noise_grows_with_the_increase_itself),
		cmocka_unit_test(test_a_stricter_level_needs_a_larger_increase),
		cmocka_unit_test(test_noise_that_is_not_well_known_needs_a_larger_increase),
		cmocka_unit_test(test_what_one_layout_may_explain_is_exceeded_by_all_pairs),
		cmocka_unit_test(test_few_pairs_can_never_reach_a_strict_level),
		cmocka_unit_test(test_effects_are_of_base_where_head_takes_three_times_as_much),
	};

	return cmocka_run_group_tests_name("verdict detectable effects", tests, NULL, NULL);
}
