/* SPDX-License-Identifier: Apache-2.0 */
/* The screen's numbers: margins, size factor, spread. Its error rates: test_screen_rates.c. */
#include "tests/unit/verdict/screen_scene.h"

static void test_equal_versions_are_clear(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	assert_string_equal(fixture->result.reason, "");
	assert_near(fixture->result.size_factor, 1);
	assert_near(fixture->result.total_ratio, 1);
	assert_near(fixture->result.size_spread, 0);
	assert_int_equal(fixture->result.tests, FUNCTIONS);
	assert_true(fixture->result.suspicion < 0);
	assert_int_equal(fixture->result.flagged_count, 0);
	assert_int_equal(fixture->result.shifted_count, 0);
}

/*
 * 5 runs each, 10 samples a run: reckoned apart from this code. 0.0198 of head must be seen (t
 * > 4.72 with 22 degrees of freedom, inflation 1.08), and its limit widens the noise by 1.22:
 * 0.0228544.
 */
static void test_the_printed_effect_is_what_the_formula_gives(void **state)
{
	struct fixture *fixture = *state;

	decide(fixture);
	assert_true(fabs(fixture->result.mde_function - 0.0228544 / (1 - 0.0228544)) < 1e-5);
}

static void test_a_grown_function_is_flagged_with_its_numbers(void **state)
{
	struct fixture *fixture = *state;
	const struct screen_effect *effect;

	set_cost(fixture, 1, 7, 2 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_int_equal(fixture->result.flagged_count, 1);
	effect = fixture->result.flagged;
	assert_int_equal(effect->function, 7);
	assert_near(effect->change, COST);
	assert_near(effect->base, COST);
	assert_near(effect->margin, 0.005 * 1.05 + 0.1 * COST);
	/* Poisson of both versions, five runs each: nothing else differs. */
	assert_near(effect->se, sqrt((2 * COST / RATE + COST / RATE) / 5));
	assert_near(effect->t, (effect->change - effect->margin) / effect->se);
	assert_near(fixture->result.suspicion, effect->t);
	assert_true(effect->p > 0 && effect->p < 0.001 / FUNCTIONS);
	assert_true(effect->low < effect->change && effect->change < effect->high);
	assert_near(effect->high - effect->change, effect->change - effect->low);
	assert_in_range((uintmax_t)(100 * (effect->high - effect->change) / effect->se), 200, 215);
	assert_near(fixture->result.size_factor, 1);
	assert_near(fixture->result.total_ratio, 1.05);
}

static void test_the_margin_is_half_a_point_and_a_tenth(void **state)
{
	struct fixture *fixture = *state;

	for (int version = 0; version < 2; version++) /* next to no sampling noise */
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture->self[version][i].squares *= 1e-8;
	set_cost(fixture, 1, 3, COST);
	for (size_t b = 0; b < ROW; b++) {
		fixture->self[1][3 * ROW + b].x = COST + 0.0099;
		fixture->self[1][3 * ROW + b].squares = 1e-12;
		fixture->total[1][b] += 0.0099;
	}
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	for (size_t b = 0; b < ROW; b++) {
		fixture->self[1][3 * ROW + b].x += 0.0004;
		fixture->total[1][b] += 0.0004;
	}
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	fixture->input.policy.margin_points = 0.006;
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	fixture->input.policy.margin_points = 0.005;
	fixture->input.policy.margin_relative = 0.12;
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
}

static void test_another_machine_s_speed_is_no_change(void **state)
{
	struct fixture *fixture = *state;

	for (size_t b = 0; b < ROW; b++)
		scale_run(fixture, 1, b, 1.25);
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	assert_near(fixture->result.size_factor, 1.25);
	assert_near(fixture->result.total_ratio, 1.25);
	set_cost(fixture, 1, 2, 2 * 1.25 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_near(fixture->result.flagged[0].change, COST);
	assert_near(fixture->result.size_factor, 1.25);
}

static void test_whole_runs_may_be_slow(void **state)
{
	struct fixture *fixture = *state;
	double t;

	set_cost(fixture, 1, 7, 2 * COST);
	decide(fixture);
	t = fixture->result.flagged[0].t;
	for (size_t b = 0; b < ROW; b++) {
		fixture->total[1][b] *= 1 + 0.3 * (double)b;
		for (size_t f = 0; f < FUNCTIONS; f++) {
			struct verdict_cell *cell = &fixture->self[1][f * ROW + b];

			cell->x *= 1 + 0.3 * (double)b;
			cell->squares *= (1 + 0.3 * (double)b) * (1 + 0.3 * (double)b);
		}
	}
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_near(fixture->result.flagged[0].t, t);
}

static void test_counted_work_enters_only_the_ratios(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 1, 7, 2 * COST);
	fixture->input.work[0] = fixture->work[0];
	fixture->input.work[1] = fixture->work[1];
	for (size_t b = 0; b < ROW; b++) {
		scale_run(fixture, 1, b, 3);
		fixture->work[1][b] = 30;
	}
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_near(fixture->result.total_ratio, 1.05);
	assert_near(fixture->result.size_factor, 1);
}

static void test_a_new_function_is_tested(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 0, 5, 0);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_int_equal(fixture->result.tests, FUNCTIONS);
	assert_int_equal(fixture->result.flagged[0].function, 5);
	assert_true(fixture->result.flagged[0].base == 0);
	assert_near(fixture->result.flagged[0].margin, 0.005 / 0.95);
}

static void test_a_vanished_function_is_not_tested(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 1, 5, 0);
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	assert_int_equal(fixture->result.tests, FUNCTIONS - 1);
}

static void test_rare_functions_are_not_tested(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 0, 5, 0.0019);
	set_cost(fixture, 1, 5, 0.002); /* 19.5 samples together */
	decide(fixture);
	assert_int_equal(fixture->result.tests, FUNCTIONS - 1);
	set_cost(fixture, 0, 5, 0.00201);
	decide(fixture);
	assert_int_equal(fixture->result.tests, FUNCTIONS);
}

static void test_more_tests_need_more_evidence(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 1, 7, COST + 0.026);
	fixture->input.policy.alpha = 0.5;
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	/* exactly at the limit, and just below it */
	fixture->input.policy.alpha = fixture->result.flagged[0].p * FUNCTIONS * 1.001;
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	fixture->input.policy.alpha *= 0.998;
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
}

static void test_the_largest_increase_comes_first(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 1, 3, 2 * COST);
	set_cost(fixture, 1, 9, 3 * COST);
	set_cost(fixture, 1, 12, 2 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_int_equal(fixture->result.flagged_count, 3);
	assert_int_equal(fixture->result.flagged[0].function, 9);
	assert_int_equal(fixture->result.flagged[1].function, 3);
	assert_int_equal(fixture->result.flagged[2].function, 12);
}

/* A regression in many functions cannot be told from a slower machine. */
static void test_a_uniform_slowdown_is_invisible(void **state)
{
	struct fixture *fixture = *state;

	for (size_t f = 0; f < FUNCTIONS; f++)
		set_cost(fixture, 1, f, 1.5 * COST);
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	assert_near(fixture->result.size_factor, 1.5);
}

static void test_only_the_largest_functions_tell_the_size(void **state)
{
	struct fixture *fixture = *state;

	for (size_t f = 0; f < 5; f++) {
		set_cost(fixture, 0, f, 2 * COST);
		set_cost(fixture, 1, f, 3 * COST);
	}
	fixture->input.policy.size_functions = 5;
	decide(fixture);
	assert_near(fixture->result.size_factor, 1.5);
	fixture->input.policy.size_functions = 60;
	decide(fixture);
	assert_near(fixture->result.size_factor, 1);
}

static void test_the_spread_is_the_middle_half_s(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.function_count = 9;
	for (size_t f = 0; f < 9; f++) /* ratios 0.8, 0.85 ... 1.2 */
		set_cost(fixture, 1, f, COST * (0.8 + 0.05 * (double)f));
	decide(fixture);
	assert_near(fixture->result.size_spread, 0.2);
	assert_near(fixture->result.size_factor, 1);
}

/* Where functions differ a lot between the machines, one that differs is nothing special. */
static void test_a_wide_spread_asks_for_more(void **state)
{
	struct fixture *fixture = *state;
	double se;

	set_cost(fixture, 1, 7, 2 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	se = fixture->result.flagged[0].se;
	for (size_t f = 8; f < FUNCTIONS; f++)
		set_cost(fixture, 1, f, COST * (f % 2 ? 0.8 : 1.25));
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	fixture->input.policy.alpha = 0.99;
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_int_equal(fixture->result.flagged[0].function, 7);
	assert_true(fixture->result.flagged[0].se > 2 * se);
}

/* The runs of one version differ from each other in function 7 alone, by far more than sampling. */
static void shake(struct fixture *fixture, int version)
{
	for (size_t b = 0; b < RUNS; b++)
		fixture->self[version][7 * ROW + b].x *= b % 2 ? 1.5 : 0.7;
}

static void test_noise_between_the_runs_of_either_version_widens(void **state)
{
	struct fixture *fixture = *state;
	double se;

	set_cost(fixture, 1, 7, 2 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	se = fixture->result.flagged[0].se;
	for (int version = 0; version < 2; version++) {
		shake(fixture, version);
		fixture->input.policy.alpha = 0.99;
		decide(fixture);
		assert_int_equal(fixture->result.flagged[0].function, 7);
		assert_true(fixture->result.flagged[0].se > 1.2 * se);
		se = fixture->result.flagged[0].se;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_equal_versions_are_clear),
		CASE(test_the_printed_effect_is_what_the_formula_gives),
		CASE(test_a_grown_function_is_flagged_with_its_numbers),
		CASE(test_the_margin_is_half_a_point_and_a_tenth),
		CASE(test_another_machine_s_speed_is_no_change),
		CASE(test_whole_runs_may_be_slow),
		CASE(test_counted_work_enters_only_the_ratios),
		CASE(test_a_new_function_is_tested),
		CASE(test_a_vanished_function_is_not_tested),
		CASE(test_rare_functions_are_not_tested),
		CASE(test_more_tests_need_more_evidence),
		CASE(test_the_largest_increase_comes_first),
		CASE(test_a_uniform_slowdown_is_invisible),
		CASE(test_only_the_largest_functions_tell_the_size),
		CASE(test_the_spread_is_the_middle_half_s),
		CASE(test_a_wide_spread_asks_for_more),
		CASE(test_noise_between_the_runs_of_either_version_widens),
	};

	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
