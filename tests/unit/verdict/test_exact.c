/* SPDX-License-Identifier: Apache-2.0 */
/* Deterministic metrics: what is the same, what is a regression, and who explains it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/verdict/exact.h"

#define FUNCTIONS 6
#define RUNS 4
#define ROW 5

struct fixture {
	struct arena arena;
	double total[2][ROW], work[2][ROW], self[2][FUNCTIONS * ROW], history[12];
	uint32_t file[FUNCTIONS];
	uint8_t flags[FUNCTIONS];
	struct exact_input input;
	struct exact_result result;
};

/* Function f costs 1000 * (f + 1) in every run; the total is 21,000; each in a file of its own. */
static int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.input = (struct exact_input){
		.policy = {.threshold = 0.005, .history = fixture.history},
		.blocks = {RUNS, RUNS},
		.row = ROW,
		.function_count = FUNCTIONS,
		.function_file = fixture.file,
		.function_flags = fixture.flags,
	};
	for (int arm = 0; arm < 2; arm++) {
		fixture.input.total[arm] = fixture.total[arm];
		fixture.input.self[arm] = fixture.self[arm];
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture.self[arm][i] = 1000 * (double)(i / ROW + 1);
		for (size_t b = 0; b < ROW; b++) {
			fixture.total[arm][b] = 21000;
			fixture.work[arm][b] = 3 * (double)(b + 1);
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

/* In every run of head; the total follows. */
static void add(struct fixture *fixture, size_t function, double more)
{
	for (size_t b = 0; b < ROW; b++) {
		fixture->self[1][function * ROW + b] += more;
		fixture->total[1][b] += more;
	}
}

/* Run b does 3 (b + 1) units of work at the same cost per unit. */
static void count_work(struct fixture *fixture)
{
	for (int arm = 0; arm < 2; arm++) {
		fixture->input.work[arm] = fixture->work[arm];
		for (size_t b = 0; b < ROW; b++)
			fixture->total[arm][b] *= fixture->work[arm][b];
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture->self[arm][i] *= fixture->work[arm][i % ROW];
	}
}

static enum exact_status decide(struct fixture *fixture)
{
	exact_decide(&fixture->input, &fixture->arena, &fixture->result);
	return fixture->result.status;
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}

static void test_equal_totals_pass(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_string_equal(fixture->result.reason, "");
	assert_true(fixture->result.change == 0);
	assert_true(fixture->result.base == 21000 && fixture->result.head == 21000);
	assert_true(fixture->result.threshold == 0.005);
	assert_int_equal(fixture->result.grown_count, 0);
}

static void test_equal_totals_pass_without_a_threshold(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.policy.threshold = 0;
	assert_int_equal(decide(fixture), EXACT_PASS);
	add(fixture, 0, 1);
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
}

static void test_the_threshold_itself_is_a_regression(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 2, 104);
	assert_int_equal(decide(fixture), EXACT_PASS);
	add(fixture, 2, 1); /* 105 of 21,000 */
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_near(fixture->result.change, 0.005);
	assert_int_equal(fixture->result.grown_count, 1);
	assert_int_equal(fixture->result.grown[0].function, 2);
	assert_near(fixture->result.grown[0].base, 3000);
	assert_near(fixture->result.grown[0].head, 3105);
	assert_near(fixture->result.grown[0].change, 0.005);
	assert_false(fixture->result.grown[0].shifted);
}

static void test_an_improvement_passes(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 5, -3000);
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_near(fixture->result.change, -1.0 / 7);
	assert_int_equal(fixture->result.grown_count, 0);
}

static void test_runs_that_differ_are_not_exact(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 2, 2100);
	fixture->total[0][RUNS - 1] += 1;
	assert_int_equal(decide(fixture), EXACT_NOT_EXACT);
	assert_string_equal(fixture->result.reason, "the runs of base differ");
	assert_int_equal(fixture->result.grown_count, 0);
	fixture->total[0][RUNS - 1] -= 1;
	fixture->total[1][1] += 1;
	assert_int_equal(decide(fixture), EXACT_NOT_EXACT);
	assert_string_equal(fixture->result.reason, "the runs of head differ");
}

static void test_cells_behind_the_last_run_do_not_count(void **state)
{
	struct fixture *fixture = *state;

	fixture->total[0][RUNS] = fixture->total[1][RUNS] = NAN;
	fixture->self[1][2 * ROW + RUNS] = 1e9;
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_int_equal(fixture->result.grown_count, 0);
}

static void test_three_runs_in_each_arm_are_needed(void **state)
{
	struct fixture *fixture = *state;

	for (int arm = 0; arm < 2; arm++) {
		fixture->input.blocks[0] = fixture->input.blocks[1] = 3;
		assert_int_equal(decide(fixture), EXACT_PASS);
		fixture->input.blocks[arm] = 2;
		assert_int_equal(decide(fixture), EXACT_CANNOT);
		assert_string_equal(fixture->result.reason, "fewer than three runs");
	}
}

static void test_arms_may_have_different_numbers_of_runs(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.blocks[0] = 3;
	fixture->input.blocks[1] = 5;
	add(fixture, 0, 210);
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_near(fixture->result.grown[0].head, 1210);
	fixture->total[1][4] += 1;
	assert_int_equal(decide(fixture), EXACT_NOT_EXACT);
}

static void test_numbers_that_are_none_are_refused(void **state)
{
	static const double bad[] = {-1, 1e31};
	struct fixture *fixture = *state;
	double *const places[] = {&fixture->total[0][1], &fixture->total[1][2],
		&fixture->self[0][3 * ROW], &fixture->self[1][5 * ROW + 3], &fixture->work[0][0],
		&fixture->work[1][3], &fixture->input.policy.threshold,
		&fixture->input.policy.least_per_unit};

	count_work(fixture);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		double kept = *places[i];

		for (size_t j = 0; j < 4; j++) {
			*places[i] = j < 2 ? bad[j] : (j == 2 ? NAN : INFINITY);
			assert_int_equal(decide(fixture), EXACT_CANNOT);
			assert_true(*fixture->result.reason);
		}
		*places[i] = kept;
	}
	assert_int_equal(decide(fixture), EXACT_PASS);
}

static void test_a_total_of_nothing_is_refused(void **state)
{
	struct fixture *fixture = *state;

	for (int arm = 0; arm < 2; arm++) {
		memset(fixture->total[arm], 0, sizeof(fixture->total[arm]));
		assert_int_equal(decide(fixture), EXACT_CANNOT);
		assert_string_equal(fixture->result.reason, "a run's total is 0");
		for (size_t b = 0; b < ROW; b++)
			fixture->total[arm][b] = 21000;
	}
}

static void test_rows_that_are_too_short_are_refused(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.row = RUNS - 1;
	for (int arm = 0; arm < 2; arm++) {
		fixture->input.blocks[arm] = RUNS;
		fixture->input.blocks[!arm] = RUNS - 1;
		assert_int_equal(decide(fixture), EXACT_CANNOT);
		assert_string_equal(fixture->result.reason, "runs are missing");
	}
}

static void test_counted_work_is_divided_out(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 4, 210);
	count_work(fixture);
	for (size_t b = 0; b < ROW; b++) { /* head did other work than base */
		fixture->work[1][b] *= 7;
		fixture->total[1][b] *= 7;
		for (size_t f = 0; f < FUNCTIONS; f++)
			fixture->self[1][f * ROW + b] *= 7;
	}
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_near(fixture->result.change, 0.01);
	assert_near(fixture->result.base, 21000);
	assert_near(fixture->result.grown[0].head, 5210);
	assert_int_equal(fixture->result.grown_count, 1);
}

/* 21,000 / 3 per unit in thirds: total / work is periodic in binary, and yet the same. */
static void test_counted_work_that_does_not_divide_evenly_is_exact(void **state)
{
	struct fixture *fixture = *state;

	for (int arm = 0; arm < 2; arm++) {
		fixture->input.work[arm] = fixture->work[arm];
		for (size_t b = 0; b < ROW; b++) {
			fixture->work[arm][b] = 0.3 * (double)(b + 1);
			fixture->total[arm][b] = 0.1 * (double)(b + 1);
		}
	}
	assert_true(fixture->total[0][2] / fixture->work[0][2] !=
			    fixture->total[0][0] / fixture->work[0][0] ||
		    fixture->total[0][1] / fixture->work[0][1] !=
			    fixture->total[0][0] / fixture->work[0][0] ||
		    fixture->total[0][2] * fixture->work[0][0] !=
			    fixture->total[0][0] * fixture->work[0][2]);
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_true(fabs(fixture->result.change) < 1e-12);
}

static void test_one_more_in_a_billion_units_is_not_exact(void **state)
{
	struct fixture *fixture = *state;

	count_work(fixture);
	fixture->work[0][1] *= 1e5;
	fixture->total[0][1] *= 1e5;
	assert_int_equal(decide(fixture), EXACT_PASS);
	fixture->total[0][1] += 1; /* of 1.3e10 */
	assert_int_equal(decide(fixture), EXACT_NOT_EXACT);
}

static void test_allocations_need_one_more_per_unit(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.policy.least_per_unit = 1;
	count_work(fixture);
	for (int arm = 0; arm < 2; arm++) /* 21 per unit of work */
		for (size_t b = 0; b < ROW; b++)
			fixture->total[arm][b] /= 1000;
	for (size_t b = 0; b < ROW; b++)
		fixture->total[1][b] = 21.9 * fixture->work[1][b];
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_near(fixture->result.threshold, 1.0 / 21);
	for (size_t b = 0; b < ROW; b++)
		fixture->total[1][b] = 22 * fixture->work[1][b];
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
}

static void test_a_restless_history_raises_the_threshold(void **state)
{
	struct fixture *fixture = *state;

	for (size_t i = 0; i < 8; i++) /* Q1 .0175, Q3 .0525: .1575 */
		fixture->history[i] = 0.01 * (double)((i * 3) % 8);
	add(fixture, 0, 3000);
	fixture->input.policy.history_count = 7;
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	fixture->input.policy.history_count = 8;
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_near(fixture->result.threshold, 0.0525 + 3 * 0.035);
	add(fixture, 0, 320);
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
}

static void test_a_quiet_history_does_not_lower_the_threshold(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.policy.history_count = 12;
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_true(fixture->result.threshold == 0.005);
}

static void test_history_that_is_no_fraction_is_left_out(void **state)
{
	struct fixture *fixture = *state;
	static const double bad[] = {-0.5, 1e300, 7};

	for (size_t i = 0; i < 12; i++)
		fixture->history[i] = i < 9 ? bad[i % 3] : 0.3;
	fixture->history[0] = NAN;
	fixture->history[1] = INFINITY;
	fixture->input.policy.history_count = 12;
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_true(fixture->result.threshold == 0.005);
}

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
	fixture->flags[4] = VERDICT_FUNCTION_SAME_CODE;
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

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_equal_totals_pass),
		CASE(test_equal_totals_pass_without_a_threshold),
		CASE(test_the_threshold_itself_is_a_regression),
		CASE(test_an_improvement_passes),
		CASE(test_runs_that_differ_are_not_exact),
		CASE(test_cells_behind_the_last_run_do_not_count),
		CASE(test_three_runs_in_each_arm_are_needed),
		CASE(test_arms_may_have_different_numbers_of_runs),
		CASE(test_numbers_that_are_none_are_refused),
		CASE(test_a_total_of_nothing_is_refused),
		CASE(test_rows_that_are_too_short_are_refused),
		CASE(test_counted_work_is_divided_out),
		CASE(test_counted_work_that_does_not_divide_evenly_is_exact),
		CASE(test_one_more_in_a_billion_units_is_not_exact),
		CASE(test_allocations_need_one_more_per_unit),
		CASE(test_a_restless_history_raises_the_threshold),
		CASE(test_a_quiet_history_does_not_lower_the_threshold),
		CASE(test_history_that_is_no_fraction_is_left_out),
		CASE(test_cost_that_moves_with_no_net_increase_is_a_shift),
		CASE(test_a_small_increase_that_stands_alone_is_no_shift),
		CASE(test_moves_within_a_file_come_after_the_culprits),
		CASE(test_a_file_gives_what_all_its_functions_lose),
		CASE(test_functions_of_unknown_files_are_not_related),
		CASE(test_moves_between_touched_functions_come_after_the_culprits),
		CASE(test_a_rename_comes_after_the_culprits),
		CASE(test_a_regression_always_names_somebody),
		CASE(test_culprits_are_ordered_by_size_then_number),
		CASE(test_totals_decide_without_any_function),
		CASE(test_functions_may_differ_where_the_total_does_not),
	};

	return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}
