/* SPDX-License-Identifier: Apache-2.0 */
/* The screen's rules one by one, on numbers made by hand. Its error rates: test_screen_rates.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/verdict/screen.h"

#define FUNCTIONS 20
#define RUNS 5
#define ROW 6
#define COST 0.05   /* CPU seconds of every function in every run */
#define RATE 1000.0 /* samples per CPU second */

struct fixture {
	struct arena arena;
	double total[2][ROW], work[2][ROW];
	struct verdict_cell self[2][FUNCTIONS * ROW];
	uint32_t file[FUNCTIONS];
	uint8_t flags[FUNCTIONS];
	struct screen_input input;
	struct screen_result result;
};

static struct verdict_cell sampled(double seconds)
{
	return (struct verdict_cell){seconds, seconds / RATE, seconds * RATE};
}

/* 20 functions of 5 % each, 5 runs of 1 CPU second in each arm, without any noise. */
static int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.input = (struct screen_input){
		.policy = screen_policy_default(),
		.blocks = {RUNS, RUNS},
		.row = ROW,
		.function_count = FUNCTIONS,
	};
	for (int arm = 0; arm < 2; arm++) {
		fixture.input.total[arm] = fixture.total[arm];
		fixture.input.self[arm] = fixture.self[arm];
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture.self[arm][i] = sampled(COST);
		for (size_t b = 0; b < ROW; b++) {
			fixture.total[arm][b] = COST * FUNCTIONS;
			fixture.work[arm][b] = 10;
		}
	}
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		fixture.file[f] = f;
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	arena_release(&fixture->arena);
	return 0;
}

/* In every run of the arm; the total follows. */
static void set_cost(struct fixture *fixture, int arm, size_t function, double seconds)
{
	for (size_t b = 0; b < ROW; b++) {
		struct verdict_cell *cell = &fixture->self[arm][function * ROW + b];

		fixture->total[arm][b] += seconds - cell->x;
		*cell = sampled(seconds);
	}
}

/* A machine on which everything costs `factor` times as much, profiled at the same rate. */
static void scale_run(struct fixture *fixture, int arm, size_t block, double factor)
{
	fixture->total[arm][block] *= factor;
	for (size_t f = 0; f < FUNCTIONS; f++) {
		struct verdict_cell *cell = &fixture->self[arm][f * ROW + block];

		*cell = sampled(cell->x * factor);
	}
}

static enum screen_status decide(struct fixture *fixture)
{
	screen_decide(&fixture->input, &fixture->arena, &fixture->result);
	return fixture->result.status;
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-9 * fmax(1e-3, fabs(expected)));
}

static void assert_refused(struct fixture *fixture, const char *reason)
{
	assert_int_equal(decide(fixture), SCREEN_CANNOT);
	assert_string_equal(fixture->result.reason, reason);
	assert_int_equal(fixture->result.flagged_count, 0);
}

static void test_equal_arms_are_clear(void **state)
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
	assert_true(fixture->result.mde_function > 0.006 && fixture->result.mde_function < 0.1);
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
	assert_near(effect->change, COST / 1.05);
	assert_near(effect->base, COST / 1.05);
	assert_near(effect->margin, 0.005 + 0.1 * COST / 1.05);
	/* Poisson of both arms, five runs each: nothing else differs. */
	assert_near(effect->se, sqrt((2 * COST / RATE + COST / RATE) / 5) / 1.05);
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

	for (int arm = 0; arm < 2; arm++) /* next to no sampling noise */
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture->self[arm][i].squares *= 1e-8;
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
	assert_near(fixture->result.flagged[0].change, COST / 1.05);
	assert_near(fixture->result.size_factor, 1.25);
}

static void test_whole_runs_may_be_slow(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 1, 7, 2 * COST);
	decide(fixture);
	for (size_t b = 0; b < ROW; b++) {
		fixture->total[1][b] *= 1 + 0.3 * (double)b;
		for (size_t f = 0; f < FUNCTIONS; f++) {
			struct verdict_cell *cell = &fixture->self[1][f * ROW + b];

			cell->x *= 1 + 0.3 * (double)b;
			cell->squares *= (1 + 0.3 * (double)b) * (1 + 0.3 * (double)b);
		}
	}
	double t = fixture->result.flagged[0].t;

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
	assert_near(fixture->result.flagged[0].margin, 0.005);
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

/* The runs of one arm differ from each other in function 7 alone, by far more than sampling. */
static void shake(struct fixture *fixture, int arm)
{
	for (size_t b = 0; b < RUNS; b++)
		fixture->self[arm][7 * ROW + b].x *= b % 2 ? 1.5 : 0.7;
}

static void test_noise_between_the_runs_of_either_arm_widens(void **state)
{
	struct fixture *fixture = *state;
	double se;

	set_cost(fixture, 1, 7, 2 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	se = fixture->result.flagged[0].se;
	for (int arm = 0; arm < 2; arm++) {
		shake(fixture, arm);
		fixture->input.policy.alpha = 0.99;
		decide(fixture);
		assert_int_equal(fixture->result.flagged[0].function, 7);
		assert_true(fixture->result.flagged[0].se > 1.2 * se);
		se = fixture->result.flagged[0].se;
	}
}

static void test_head_may_be_a_single_run(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.blocks[1] = 1;
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	assert_true(isfinite(fixture->result.mde_function));
	set_cost(fixture, 1, 7, 3 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_near(
		fixture->result.flagged[0].se, sqrt(3 * COST / RATE + COST / RATE / RUNS) / 1.1);
}

/* The base's runs show noise that grows with a function's size: so will the one of head have it. */
static void test_a_single_run_is_as_noisy_as_the_other_arm_s(void **state)
{
	struct fixture *fixture = *state;
	double se;

	fixture->input.blocks[1] = 1;
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

	fixture->input.blocks[0] = 1;
	set_cost(fixture, 1, 7, 3 * COST);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	fixture->input.blocks[1] = 1;
	assert_refused(fixture, "too few runs");
	fixture->input.blocks[1] = 0;
	fixture->input.blocks[0] = RUNS;
	assert_refused(fixture, "too few runs");
}

static void test_exact_costs_need_more_than_one_run(void **state)
{
	struct fixture *fixture = *state;

	for (int arm = 0; arm < 2; arm++)
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture->self[arm][i].squares = 0;
	set_cost(fixture, 1, 7, COST);
	for (size_t b = 0; b < ROW; b++)
		fixture->self[1][7 * ROW + b] = (struct verdict_cell){2 * COST, 0, 50};
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	fixture->input.blocks[1] = 1;
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
}

static void test_cells_behind_the_last_run_do_not_count(void **state)
{
	struct fixture *fixture = *state;

	for (int arm = 0; arm < 2; arm++)
		for (size_t f = 0; f < FUNCTIONS; f++)
			fixture->self[arm][f * ROW + RUNS].x = NAN;
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

static void test_an_arm_without_samples_is_refused(void **state)
{
	struct fixture *fixture = *state;

	for (int arm = 0; arm < 2; arm++) {
		struct verdict_cell kept[FUNCTIONS * ROW];

		memcpy(kept, fixture->self[arm], sizeof(kept));
		memset(fixture->self[arm], 0, sizeof(kept));
		assert_refused(fixture, "too few samples");
		memcpy(fixture->self[arm], kept, sizeof(kept));
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

/* Function 7 takes over what function 8 loses. */
static void move_cost(struct fixture *fixture, double seconds)
{
	set_cost(fixture, 1, 7, COST + seconds);
	set_cost(fixture, 1, 8, COST - seconds);
}

static void assert_shifted(struct fixture *fixture)
{
	assert_int_equal(decide(fixture), SCREEN_CLEAR);
	assert_int_equal(fixture->result.shifted_count, 1);
	assert_int_equal(fixture->result.shifted[0].function, 7);
	assert_int_equal(fixture->result.flagged_count, 0);
}

static void test_clearly_moved_cost_is_a_shift_without_knowing_the_diff(void **state)
{
	struct fixture *fixture = *state;

	move_cost(fixture, 0.04);
	assert_shifted(fixture);
}

/*
 * Function 7 grows by 0.026. Six that might have given it lose 0.004 each: less than their margin,
 * and 0.016 is more than half. What they lose is spread where no one of them shows it.
 */
static void move_secretly(struct fixture *fixture)
{
	fixture->input.policy.alpha = 0.9;
	set_cost(fixture, 1, 7, COST + 0.026);
	for (size_t f = 8; f < 14; f++)
		set_cost(fixture, 1, f, COST - 0.004);
	for (int arm = 0; arm < 2; arm++)
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture->self[arm][i].squares /= 100;
}

static void test_relatives_must_be_known_to_explain_a_secret_move(void **state)
{
	struct fixture *fixture = *state;

	move_secretly(fixture);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	fixture->input.function_file = fixture->file;
	fixture->input.function_flags = fixture->flags;
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	for (size_t f = 7; f < 14; f++)
		fixture->file[f] = VERDICT_NONE;
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
}

static void test_the_same_file_explains_a_move(void **state)
{
	struct fixture *fixture = *state;

	move_secretly(fixture);
	fixture->input.function_file = fixture->file;
	for (size_t f = 8; f < 14; f++)
		fixture->file[f] = fixture->file[7];
	assert_shifted(fixture);
}

static void test_touched_functions_explain_a_move(void **state)
{
	struct fixture *fixture = *state;

	move_secretly(fixture);
	fixture->input.function_flags = fixture->flags;
	for (size_t f = 8; f < 14; f++)
		fixture->flags[f] = VERDICT_FUNCTION_TOUCHED;
	assert_shifted(fixture);
	for (size_t f = 8; f < 14; f++)
		fixture->flags[f] = VERDICT_FUNCTION_SAME_CODE;
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
}

static void test_vanished_functions_explain_a_move(void **state)
{
	struct fixture *fixture = *state;

	move_secretly(fixture);
	fixture->input.function_flags = fixture->flags;
	for (size_t f = 8; f < 14; f++)
		fixture->flags[f] = VERDICT_FUNCTION_VANISHED;
	assert_shifted(fixture);
}

static void test_a_rename_is_a_shift_also_without_flags(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 0, 7, 0);
	set_cost(fixture, 1, 8, 0);
	assert_shifted(fixture);
}

static void test_a_small_loss_elsewhere_excuses_nothing(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 1, 7, 2 * COST);
	set_cost(fixture, 1, 8, 0.6 * COST); /* clear, but less than half */
	fixture->input.function_file = fixture->file;
	fixture->file[8] = fixture->file[7];
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_int_equal(fixture->result.flagged[0].function, 7);
	assert_int_equal(fixture->result.shifted_count, 0);
}

/* A hot function loses less than its margin, unrelated: all that 7 gained. */
static void test_a_whole_that_did_not_grow_explains_a_move(void **state)
{
	struct fixture *fixture = *state;

	set_cost(fixture, 0, 8, 1.2);
	set_cost(fixture, 1, 8, 1.1);
	set_cost(fixture, 1, 7, COST + 0.1);
	for (int arm = 0; arm < 2; arm++)
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture->self[arm][i].squares /= 1e4;
	assert_shifted(fixture);
	set_cost(fixture, 1, 8, 1.2);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_equal_arms_are_clear),
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
		CASE(test_noise_between_the_runs_of_either_arm_widens),
		CASE(test_head_may_be_a_single_run),
		CASE(test_a_single_run_is_as_noisy_as_the_other_arm_s),
		CASE(test_base_may_be_a_single_run),
		CASE(test_exact_costs_need_more_than_one_run),
		CASE(test_cells_behind_the_last_run_do_not_count),
		CASE(test_numbers_that_are_none_are_refused),
		CASE(test_a_policy_that_makes_no_sense_is_refused),
		CASE(test_an_arm_without_samples_is_refused),
		CASE(test_too_few_functions_have_no_typical_one),
		CASE(test_clearly_moved_cost_is_a_shift_without_knowing_the_diff),
		CASE(test_relatives_must_be_known_to_explain_a_secret_move),
		CASE(test_the_same_file_explains_a_move),
		CASE(test_touched_functions_explain_a_move),
		CASE(test_vanished_functions_explain_a_move),
		CASE(test_a_rename_is_a_shift_also_without_flags),
		CASE(test_a_small_loss_elsewhere_excuses_nothing),
		CASE(test_a_whole_that_did_not_grow_explains_a_move),
	};

	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
