/* SPDX-License-Identifier: Apache-2.0 */
/* The screen with few runs, and what it refuses. */
#include "tests/unit/verdict/screen_scene.h"

static void test_head_may_be_a_single_run(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.pairs[1] = 1;
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	assert_true(isfinite(fixture->result.mde_function));
	set_cost(fixture, 1, 7, 3 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_near(fixture->result.flagged[0].se, sqrt(3 * COST / RATE + COST / RATE / RUNS));
}

/* The base's runs show noise that grows with a function's size: so will the one of head have it. */
static void test_a_single_run_is_as_noisy_as_the_other_version_s(void **state)
{
	struct fixture *fixture = *state;
	double se;

	fixture->input.pairs[1] = 1;
	set_cost(fixture, 1, 7, 4 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	se = fixture->result.flagged[0].se;
	for (size_t f = 0; f < FUNCTIONS; f++)
		for (size_t b = 0; b < RUNS; b++)
			fixture->self[0][f * ROW + b].x *= (f + b) % 2 ? 1.3 : 0.7;
	fixture->input.policy.alpha = 0.99;
	decide(fixture);
	assert_int_equal(fixture->result.flagged[0].function, 7);
	assert_true(fixture->result.flagged[0].se > 1.5 * se);
}

static void test_base_may_be_a_single_run(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.pairs[0] = 1;
	set_cost(fixture, 1, 7, 3 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	fixture->input.pairs[1] = 1;
	assert_refused(fixture, "too few runs");
	fixture->input.pairs[1] = 0;
	fixture->input.pairs[0] = RUNS;
	assert_refused(fixture, "too few runs");
}

static void make_exact(struct fixture *fixture)
{
	for (int version = 0; version < 2; version++)
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture->self[version][i].squares = 0;
}

static void test_exact_costs_need_more_than_one_run(void **state)
{
	struct fixture *fixture = *state;

	make_exact(fixture);
	for (size_t b = 0; b < ROW; b++)
		fixture->self[1][7 * ROW + b] = (struct verdict_cell){2 * COST, 0, 50};
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	fixture->input.pairs[1] = 1;
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
}

/* -0.02, -0.01 ... 0.02 around twice the cost: a variance of 2.5e-4 between the runs of head. */
static void test_exact_costs_have_the_noise_of_their_runs(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 1, 7, 2 * COST);
	make_exact(fixture);
	for (size_t b = 0; b < RUNS; b++)
		fixture->self[1][7 * ROW + b].x += 0.01 * (double)b - 0.02;
	fixture->input.policy.alpha = 0.99;
	decide(fixture);
	assert_int_equal(fixture->result.flagged[0].function, 7);
	assert_near(fixture->result.flagged[0].se, sqrt(2.5e-4 / RUNS));
}

/* Nothing but the spread: ratios .8, .85 ... 1.2, and 3. */
static void test_exact_costs_have_the_spread_of_their_machines(void **state)
{
	struct fixture *fixture = *state;
	double deviation = (1.1375 - 0.9125) / 1.025 / 1.349;

	fixture->input.function_count = 10;
	for (int version = 0; version < 2; version++)
		for (size_t b = 0; b < ROW; b++)
			fixture->total[version][b] = 10 * COST;
	for (size_t f = 0; f < 10; f++)
		set_cost(fixture, 1, f, COST * (f < 9 ? 0.8 + 0.05 * (double)f : 3));
	make_exact(fixture);
	fixture->input.policy.alpha = 0.5;
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_int_equal(fixture->result.flagged[0].function, 9);
	assert_near(fixture->result.flagged[0].base, 0.1);
	assert_near(
		fixture->result.flagged[0].se, 0.1 * deviation * sqrt(1 + 1.2533 * 1.2533 / 10));
}

static void test_cells_behind_the_last_run_do_not_count(void **state)
{
	struct fixture *fixture = *state;

	for (int version = 0; version < 2; version++)
		for (size_t f = 0; f < FUNCTIONS; f++)
			fixture->self[version][f * ROW + RUNS].x = NAN;
	fixture->total[0][RUNS] = 0;
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
}

static void test_numbers_that_are_none_are_refused(void **state)
{
	static const double bad[] = {-1, 1e31, NAN, INFINITY};
	struct fixture *fixture = *state;
	double *const places[] = {&fixture->self[0][3 * ROW].x, &fixture->self[1][4 * ROW + 4].x,
		&fixture->self[1][0].squares, &fixture->self[0][1].samples, &fixture->total[0][1],
		&fixture->total[1][4], &fixture->work[0][0], &fixture->work[1][2]};

	fixture->input.work[0] = fixture->work[0];
	fixture->input.work[1] = fixture->work[1];
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		double kept = *places[i];

		for (size_t j = 0; j < 4; j++) {
			*places[i] = bad[j];
			assert_int_equal(decide(fixture), SCREEN_CANNOT);
			assert_true(*fixture->result.reason);
		}
		*places[i] = kept;
	}
	fixture->work[1][0] = 0;
	assert_refused(fixture, "a run's total is 0 or no number");
	fixture->work[1][0] = 10;
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
}

static void test_a_policy_that_makes_no_sense_is_refused(void **state)
{
	static const struct {
		size_t offset;
		double value;
	} bad[] = {
		{offsetof(struct screen_policy, margin_points), -0.1},
		{offsetof(struct screen_policy, margin_points), 1},
		{offsetof(struct screen_policy, margin_relative), NAN},
		{offsetof(struct screen_policy, margin_relative), 1},
		{offsetof(struct screen_policy, alpha), 0},
		{offsetof(struct screen_policy, alpha), 1},
		{offsetof(struct screen_policy, min_samples), -1},
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		fixture->input.policy = screen_policy_default();
		memcpy((char *)&fixture->input.policy + bad[i].offset, &bad[i].value,
			sizeof(double));
		assert_refused(fixture, "the screen's limits make no sense");
	}
	fixture->input.policy = screen_policy_default();
	fixture->input.policy.size_functions = 0;
	assert_refused(fixture, "the screen's limits make no sense");
}

static void test_a_version_without_samples_is_refused(void **state)
{
	struct fixture *fixture = *state;

	for (int version = 0; version < 2; version++) {
		struct verdict_cell kept[FUNCTIONS * ROW];

		memcpy(kept, fixture->self[version], sizeof(kept));
		memset(fixture->self[version], 0, sizeof(kept));
		assert_refused(fixture, "too few samples");
		memcpy(fixture->self[version], kept, sizeof(kept));
	}
	fixture->input.function_count = 0;
	assert_refused(fixture, "too few samples");
}

static void test_too_few_functions_have_no_typical_one(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.function_count = 5;
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	fixture->input.function_count = 4;
	assert_refused(fixture, "too few functions");
	fixture->input.function_count = 5;
	set_cost(fixture, 1, 2, 0.0035); /* 17.5 samples in head: not known well enough */
	assert_refused(fixture, "too few functions");
	fixture->input.row = RUNS - 1;
	assert_int_equal(decide(fixture), SCREEN_CANNOT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_head_may_be_a_single_run),
		CASE(test_a_single_run_is_as_noisy_as_the_other_version_s),
		CASE(test_base_may_be_a_single_run),
		CASE(test_exact_costs_need_more_than_one_run),
		CASE(test_exact_costs_have_the_noise_of_their_runs),
		CASE(test_exact_costs_have_the_spread_of_their_machines),
		CASE(test_cells_behind_the_last_run_do_not_count),
		CASE(test_numbers_that_are_none_are_refused),
		CASE(test_a_policy_that_makes_no_sense_is_refused),
		CASE(test_a_version_without_samples_is_refused),
		CASE(test_too_few_functions_have_no_typical_one),
	};

	return cmocka_run_group_tests_name("screen input", tests, NULL, NULL);
}
