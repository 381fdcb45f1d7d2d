/* SPDX-License-Identifier: Apache-2.0 */
/* Cost that moved is no reason to flag. */
#include "tests/unit/verdict/screen_scene.h"

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
	for (int version = 0; version < 2; version++)
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture->self[version][i].squares /= 100;
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
		fixture->flags[f] = VERDICT_FUNCTION_UNCHANGED;
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

/* Five functions too small to be missed one by one vanish; 7 grows by what they cost. */
static void vanish_in_pieces(struct fixture *fixture, double before)
{
	for (size_t f = 8; f < 13; f++) {
		set_cost(fixture, 0, f, 0.0035);
		set_cost(fixture, 1, f, 0);
	}
	set_cost(fixture, 0, 7, before);
	set_cost(fixture, 1, 7, before + 0.0175);
}

static void test_functions_without_samples_have_vanished_also_without_flags(void **state)
{
	struct fixture *fixture = *state;

	vanish_in_pieces(fixture, 0);
	assert_shifted(fixture);
	fixture->input.function_flags = fixture->flags;
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
}

/* 6 has what they lost, so that 7 cannot have it. */
static void test_new_functions_take_what_vanished_ones_lost(void **state)
{
	struct fixture *fixture = *state;

	vanish_in_pieces(fixture, 0.001);
	assert_shifted(fixture);
	set_cost(fixture, 0, 6, 0);
	set_cost(fixture, 1, 6, 0.0175);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
	assert_int_equal(fixture->result.flagged_count, 1);
	assert_int_equal(fixture->result.flagged[0].function, 7);
	assert_int_equal(fixture->result.shifted_count, 1);
	assert_int_equal(fixture->result.shifted[0].function, 6);
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
	for (int version = 0; version < 2; version++)
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture->self[version][i].squares /= 1e4;
	assert_shifted(fixture);
	set_cost(fixture, 1, 8, 1.2);
	assert_int_equal(decide(fixture), SCREEN_FLAGGED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_clearly_moved_cost_is_a_shift_without_knowing_the_diff),
		CASE(test_relatives_must_be_known_to_explain_a_secret_move),
		CASE(test_the_same_file_explains_a_move),
		CASE(test_touched_functions_explain_a_move),
		CASE(test_vanished_functions_explain_a_move),
		CASE(test_a_rename_is_a_shift_also_without_flags),
		CASE(test_functions_without_samples_have_vanished_also_without_flags),
		CASE(test_new_functions_take_what_vanished_ones_lost),
		CASE(test_a_small_loss_elsewhere_excuses_nothing),
		CASE(test_a_whole_that_did_not_grow_explains_a_move),
	};

	return cmocka_run_group_tests_name("screen: shifts", tests, NULL, NULL);
}
