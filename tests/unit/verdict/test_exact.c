/* SPDX-License-Identifier: Apache-2.0 */
/* Deterministic metrics: what is the same, and what is a regression. */
#include "tests/unit/verdict/exact_scene.h"

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

/* Totals are 21,000, the threshold is 0.5 %: 105. */
static void test_runs_that_differ_may_all_lie_above(void **state)
{
	static const struct {
		double base, head,
			both; /* added to one run of base, to one of head, to all of head */
		bool above;
	} cases[] = {
		{1, 0, 300, true},
		{0, 1, 300, true},
		{0, 1, 105, true},
		{0, -1, 105, false},
		{160, 0, 300, false}, /* a gap of 140, less than base's own runs differ by */
		{140, 0, 300, true},
		{0, -160, 300, false},
		{0, -140, 300, true},
		{1, 0, -300, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *fixture = *state;

		fixture->total[0][1] += cases[i].base;
		fixture->total[1][1] += cases[i].head;
		for (size_t b = 0; b < RUNS; b++)
			fixture->total[1][b] += cases[i].both;
		assert_int_equal(decide(fixture), EXACT_NOT_EXACT);
		assert_int_equal(fixture->result.all_above, cases[i].above);
		fixture->total[0][1] -= cases[i].base;
		fixture->total[1][1] -= cases[i].head;
		for (size_t b = 0; b < RUNS; b++)
			fixture->total[1][b] -= cases[i].both;
	}
}

static void test_cells_behind_the_last_run_do_not_count(void **state)
{
	struct fixture *fixture = *state;

	fixture->total[0][RUNS] = fixture->total[1][RUNS] = NAN;
	fixture->self[1][2 * ROW + RUNS] = 1e9;
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_int_equal(fixture->result.grown_count, 0);
}

static void test_three_runs_in_each_version_are_needed(void **state)
{
	struct fixture *fixture = *state;

	for (int version = 0; version < 2; version++) {
		fixture->input.pairs[0] = fixture->input.pairs[1] = 3;
		assert_int_equal(decide(fixture), EXACT_PASS);
		fixture->input.pairs[version] = 2;
		assert_int_equal(decide(fixture), EXACT_CANNOT);
		assert_string_equal(fixture->result.reason, "fewer than three runs");
	}
}

static void test_versions_may_have_different_numbers_of_runs(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.pairs[0] = 3;
	fixture->input.pairs[1] = 5;
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

static void clear(struct fixture *fixture, int version)
{
	memset(fixture->total[version], 0, sizeof(fixture->total[version]));
	memset(fixture->self[version], 0, sizeof(fixture->self[version]));
}

static void test_what_base_has_nothing_of_grows_without_measure(void **state)
{
	struct fixture *fixture = *state;

	clear(fixture, 0);
	assert_int_equal(decide(fixture), EXACT_REGRESSION);
	assert_true(isinf(fixture->result.change));
	assert_int_equal(fixture->result.grown_count, FUNCTIONS);
	assert_near(fixture->result.grown[0].change, 6000.0 / 21000);
	fixture->input.policy.least_per_unit = 21001;
	assert_int_equal(decide(fixture), EXACT_PASS);
}

static void test_nothing_in_both_is_equal(void **state)
{
	struct fixture *fixture = *state;

	clear(fixture, 0);
	clear(fixture, 1);
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_true(fixture->result.change == 0);
}

static void test_nothing_any_more_is_an_improvement(void **state)
{
	struct fixture *fixture = *state;

	clear(fixture, 1);
	assert_int_equal(decide(fixture), EXACT_PASS);
	assert_near(fixture->result.change, -1);
}

static void test_what_pairs_found_is_explained_by_what_grew_most(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 2, 2000);
	add(fixture, 3, 100);
	fixture->total[0][0] += 10;
	assert_int_equal(decide(fixture), EXACT_NOT_EXACT);
	exact_explain(&fixture->input, 0.1, &fixture->arena, &fixture->result);
	assert_int_equal(fixture->result.grown_count, 1);
	assert_int_equal(fixture->result.grown[0].function, 2);
	assert_near(fixture->result.change, 0.1);
	assert_near(fixture->result.base, 21000 + 10.0 / RUNS);
	assert_near(fixture->result.head, 23100);
}

/* One run that counted far more outweighs what all the others say, in the mean alone. */
static void test_what_pairs_found_is_explained_though_the_means_fell(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 2, 2000);
	add(fixture, 3, 100);
	fixture->total[0][0] += 30000;
	assert_int_equal(decide(fixture), EXACT_NOT_EXACT);
	exact_explain(&fixture->input, 0.1, &fixture->arena, &fixture->result);
	assert_true(fixture->result.head < fixture->result.base);
	assert_int_equal(fixture->result.grown_count, 1);
	assert_int_equal(fixture->result.grown[0].function, 2);
	exact_clear(&fixture->input, 0, &fixture->arena, &fixture->result);
	assert_int_equal(fixture->result.status, EXACT_PASS);
}

static void test_rows_that_are_too_short_are_refused(void **state)
{
	struct fixture *fixture = *state;

	fixture->input.row = RUNS - 1;
	for (int version = 0; version < 2; version++) {
		fixture->input.pairs[version] = RUNS;
		fixture->input.pairs[!version] = RUNS - 1;
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

	for (int version = 0; version < 2; version++) {
		fixture->input.work[version] = fixture->work[version];
		for (size_t b = 0; b < ROW; b++) {
			fixture->work[version][b] = 0.3 * (double)(b + 1);
			fixture->total[version][b] = 0.1 * (double)(b + 1);
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
	for (int version = 0; version < 2; version++) /* 21 per unit of work */
		for (size_t b = 0; b < ROW; b++)
			fixture->total[version][b] /= 1000;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_equal_totals_pass),
		CASE(test_equal_totals_pass_without_a_threshold),
		CASE(test_the_threshold_itself_is_a_regression),
		CASE(test_an_improvement_passes),
		CASE(test_runs_that_differ_are_not_exact),
		CASE(test_runs_that_differ_may_all_lie_above),
		CASE(test_cells_behind_the_last_run_do_not_count),
		CASE(test_three_runs_in_each_version_are_needed),
		CASE(test_versions_may_have_different_numbers_of_runs),
		CASE(test_numbers_that_are_none_are_refused),
		CASE(test_what_base_has_nothing_of_grows_without_measure),
		CASE(test_nothing_in_both_is_equal),
		CASE(test_nothing_any_more_is_an_improvement),
		CASE(test_what_pairs_found_is_explained_by_what_grew_most),
		CASE(test_what_pairs_found_is_explained_though_the_means_fell),
		CASE(test_rows_that_are_too_short_are_refused),
		CASE(test_counted_work_is_divided_out),
		CASE(test_counted_work_that_does_not_divide_evenly_is_exact),
		CASE(test_one_more_in_a_billion_units_is_not_exact),
		CASE(test_allocations_need_one_more_per_unit),
		CASE(test_a_restless_history_raises_the_threshold),
		CASE(test_a_quiet_history_does_not_lower_the_threshold),
		CASE(test_history_that_is_no_fraction_is_left_out),
	};

	return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}
