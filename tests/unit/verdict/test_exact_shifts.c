/* SPDX-License-Identifier: Apache-2.0 */
/* Deterministic metrics: who explains an increase, and what only moved. */
#include "tests/unit/verdict/exact_scene.h"

static void test_cost_that_moves_with_no_net_increase_is_a_shift(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 1, 900);
	add(fixture, 5, -900);
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_int_equal(fixture->result.grown_count, 1);
	assert_true(fixture->result.grown[0].shifted);
}

static void test_a_small_increase_that_stands_alone_is_no_shift(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 1, 50);
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_int_equal(fixture->result.grown_count, 1);
	assert_false(fixture->result.grown[0].shifted);
}

/* Function 4 grows alone; 1 only takes over from a relative. */
static void grow_beside_a_move(struct fixture *fixture)
{
	add(fixture, 1, 900);
	add(fixture, 5, -800);
	add(fixture, 4, 700);
	add(fixture, 0, 2);
}

static void assert_move_is_told_apart(struct fixture *fixture)
{
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_int_equal(fixture->result.grown_count, 3);
	assert_int_equal(fixture->result.grown[0].function, 4);
	assert_int_equal(fixture->result.grown[1].function, 0);
	assert_int_equal(fixture->result.grown[2].function, 1);
	assert_true(fixture->result.grown[2].shifted);
	assert_false(fixture->result.grown[0].shifted);
}

static void test_moves_within_a_file_come_after_the_culprits(void **state)
{
	struct fixture *fixture = *state;

	grow_beside_a_move(fixture);
	fixture->file[5] = 1;
	assert_move_is_told_apart(fixture);
}

static void test_a_file_gives_what_all_its_functions_lose(void **state)
{
	struct fixture *fixture = *state;

	grow_beside_a_move(fixture);
	add(fixture, 5, 400);
	add(fixture, 3, -400);
	fixture->file[3] = fixture->file[5] = 1;
	assert_move_is_told_apart(fixture);
}

static void test_a_file_that_only_grows_gives_nothing(void **state)
{
	struct fixture *fixture = *state;

	memset(fixture->file, 0, sizeof(fixture->file));
	add(fixture, 1, 900);
	add(fixture, 2, 10);
	add(fixture, 0, 10);
	fixture->file[4] =
		1; /* explains the regression by itself, so that no shift is taken back */
	add(fixture, 4, 1500);
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_int_equal(fixture->result.grown_count, 4);
	assert_int_equal(fixture->result.grown[1].function, 1);
	for (size_t i = 0; i < 4; i++)
		assert_false(fixture->result.grown[i].shifted);
}

static void test_functions_of_unknown_files_are_not_related(void **state)
{
	struct fixture *fixture = *state;

	grow_beside_a_move(fixture);
	fixture->file[1] = fixture->file[5] = VERDICT_NONE;
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_int_equal(fixture->result.grown[0].function, 1);
	assert_false(fixture->result.grown[0].shifted);
	fixture->input.function_file = NULL;
	fixture->input.function_flags = NULL;
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_false(fixture->result.grown[0].shifted);
}

static void test_moves_between_touched_functions_come_after_the_culprits(void **state)
{
	struct fixture *fixture = *state;

	grow_beside_a_move(fixture);
	fixture->flags[5] = VERDICT_FUNCTION_TOUCHED;
	fixture->flags[1] = VERDICT_FUNCTION_TOUCHED;
	fixture->flags[4] = VERDICT_FUNCTION_UNCHANGED;
	/* 4 has lost nothing to touched functions either, but they did not grow with it */
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_int_equal(fixture->result.grown[2].function, 1);
	assert_true(fixture->result.grown[2].shifted);
	assert_false(fixture->result.grown[0].shifted);
}

static void test_a_rename_comes_after_the_culprits(void **state)
{
	struct fixture *fixture = *state;

	grow_beside_a_move(fixture);
	add(fixture, 1, 100);
	add(fixture, 5, -100);
	fixture->flags[1] = VERDICT_FUNCTION_NEW;
	fixture->flags[5] = VERDICT_FUNCTION_VANISHED;
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_int_equal(fixture->result.grown[2].function, 1);
	assert_true(fixture->result.grown[2].shifted);
}

static void test_a_regression_always_names_somebody(void **state)
{
	struct fixture *fixture = *state;

	fixture->file[5] = 1;
	add(fixture, 1, 2000);
	add(fixture, 5, -1500);
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_int_equal(fixture->result.grown_count, 1);
	assert_false(fixture->result.grown[0].shifted);
}

static void test_culprits_are_ordered_by_size_then_number(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 3, 50);
	add(fixture, 1, 50);
	add(fixture, 5, 200);
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_int_equal(fixture->result.grown[0].function, 5);
	assert_int_equal(fixture->result.grown[1].function, 1);
	assert_int_equal(fixture->result.grown[2].function, 3);
}

static void test_totals_decide_without_any_function(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 0, 300);
	fixture->input.function_count = 0;
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_int_equal(fixture->result.grown_count, 0);
}

static void test_functions_may_differ_where_the_total_does_not(void **state)
{
	struct fixture *fixture = *state;

	fixture->self[1][0] += 8;
	fixture->self[1][ROW] -= 8;
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_int_equal(fixture->result.grown_count, 1);
	assert_near(fixture->result.grown[0].head, 1002);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_cost_that_moves_with_no_net_increase_is_a_shift),
		CASE(test_a_small_increase_that_stands_alone_is_no_shift),
		CASE(test_moves_within_a_file_come_after_the_culprits),
		CASE(test_a_file_gives_what_all_its_functions_lose),
		CASE(test_a_file_that_only_grows_gives_nothing),
		CASE(test_functions_of_unknown_files_are_not_related),
		CASE(test_moves_between_touched_functions_come_after_the_culprits),
		CASE(test_a_rename_comes_after_the_culprits),
		CASE(test_a_regression_always_names_somebody),
		CASE(test_culprits_are_ordered_by_size_then_number),
		CASE(test_totals_decide_without_any_function),
		CASE(test_functions_may_differ_where_the_total_does_not),
	};

	return cmocka_run_group_tests_name("exact shifts", tests, NULL, NULL);
}
