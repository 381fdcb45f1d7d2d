/* SPDX-License-Identifier: Apache-2.0 */
/* What moved is no regression, and hides none. */
#include "tests/unit/verdict/rules_scene.h"

/* Adds so many seconds (or takes them away) to what a function costs in head. */
static void add_to_head(struct fixture *fixture, uint32_t function, double seconds)
{
	struct sim_cells *cells = &fixture->sim.cells;

	for (size_t b = 0; b < 40; b++) {
		struct verdict_cell *cell = &cells->self[1][function * 40 + b];

		cell->x += seconds;
		cell->samples += seconds * 1000;
		cell->squares += seconds / 1000;
		cells->node_self[1][(function + 1) * 40 + b] = *cell;
		cells->total[1][b] += seconds;
	}
	sim_add_up(&fixture->sim);
}

static void test_increase_that_the_total_contradicts_is_contradicted(void **state)
{
	struct fixture *fixture = *state;

	for (size_t b = 0; b < 40; b++)
		fixture->sim.cells.total[1][b] /= 1.03;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(
		fixture->result.functions[fixture->sim.planted].state, VERDICT_CONTRADICTED);
	assert_true(has_reason(fixture, VERDICT_REASON_CONTRADICTED));
}

static void test_renamed_function_is_a_shift_from_the_old_name(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_shift *shift;

	fixture->config.change = SIM_RENAME;
	fixture->config.size = 1;
	fixture_draw(fixture, 6);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_SHIFTED));
	assert_int_equal(fixture->result.functions[fixture->sim.other].state, VERDICT_SHIFTED);
	shift = &fixture->result.shifts[0];
	assert_int_equal(shift->function, fixture->sim.other);
	assert_int_equal(shift->from, fixture->sim.planted);
	assert_true(fabs(shift->net) < 0.3 * shift->moved);
	assert_int_equal(fixture->result.improvement_count, 0);
}

static void test_regression_beside_a_refactor_is_still_blamed(void **state)
{
	struct fixture *fixture = *state;
	uint32_t slow;

	fixture->config.change = SIM_RENAME;
	fixture->config.size = 1;
	fixture_draw(fixture, 6);
	slow = (fixture->sim.planted + 40) % 80;
	add_to_head(fixture, slow, 0.08);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_SHIFTED));
	assert_int_equal(fixture->result.culprit_count, 1);
	assert_int_equal(fixture->result.culprits[0].function, slow);
	assert_int_equal(fixture->result.functions[fixture->sim.other].state, VERDICT_SHIFTED);
}

static size_t count_states(const struct fixture *fixture, enum verdict_state state)
{
	size_t count = 0;

	for (size_t f = 0; f < fixture->sim.input.function_count; f++)
		count += fixture->result.functions[f].state == state;
	return count;
}

static uint32_t hottest(const struct fixture *fixture)
{
	const double *base = fixture->sim.true_base;
	uint32_t found = 0;

	for (uint32_t f = 1; f < fixture->config.functions; f++)
		if (base[f] > base[found])
			found = f;
	return found;
}

/* The i-th of those that are not the hottest. */
static uint32_t other_function(const struct fixture *fixture, uint32_t i)
{
	return (hottest(fixture) + 20 + i) % (uint32_t)fixture->config.functions;
}

/* The hottest function loses 5 % of the total; others gain `each`, the last one a little more. */
static void draw_replaced(struct fixture *fixture, uint32_t others, double each)
{
	fixture->config.change = SIM_NONE;
	fixture_draw(fixture, 3);
	add_to_head(fixture, hottest(fixture), -0.05);
	for (uint32_t i = 0; i < others; i++)
		add_to_head(fixture, other_function(fixture, i), each + 0.001 * i);
}

static void test_one_decrease_does_not_make_up_for_several_increases(void **state)
{
	struct fixture *fixture = *state;
	size_t counted;

	draw_replaced(fixture, 4, 0.06);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_FUNCTION));
	assert_int_equal(
		fixture->result.functions[other_function(fixture, 3)].state, VERDICT_CONFIRMED);
	counted = count_states(fixture, VERDICT_CONFIRMED);
	assert_int_equal(counted + count_states(fixture, VERDICT_SHIFTED), 4);
	assert_true(counted > 1 && fixture->result.culprit_count > 0);
}

static void test_one_decrease_makes_up_for_the_parts_that_it_was_split_into(void **state)
{
	struct fixture *fixture = *state;

	draw_replaced(fixture, 4, 0.0125);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(count_states(fixture, VERDICT_CONFIRMED), 0);
	assert_int_equal(count_states(fixture, VERDICT_SHIFTED), 4);
}

static void test_what_moved_is_still_a_shift_beside_a_regression(void **state)
{
	struct fixture *fixture = *state;

	draw_replaced(fixture, 2, 0.025);
	add_to_head(fixture, other_function(fixture, 40), 0.15);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(
		fixture->result.functions[other_function(fixture, 40)].state, VERDICT_CONFIRMED);
	assert_int_equal(count_states(fixture, VERDICT_SHIFTED), 2);
	assert_int_equal(fixture->result.culprit_count, 1);
}

/* One function changed and grew by 5 %; the hottest one, of unchanged code, lost as much by its
 * place. */
static void test_what_the_change_cannot_have_reached_makes_up_for_nothing(void **state)
{
	struct fixture *fixture = *state;
	uint8_t *flags;
	uint32_t caller;

	draw_replaced(fixture, 1, 0.05);
	flags = fixture->sim.flags;
	memset(flags, VERDICT_FUNCTION_UNCHANGED, fixture->sim.input.function_count);
	flags[other_function(fixture, 0)] = VERDICT_FUNCTION_CHANGED_CODE;
	fixture->sim.input.function_flags = flags;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.culprits[0].function, other_function(fixture, 0));
	assert_false(has_reason(fixture, VERDICT_REASON_SHIFTED));
	/* It changed as well, and may have given that away. */
	flags[hottest(fixture)] = VERDICT_FUNCTION_CHANGED_CODE;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(
		fixture->result.functions[other_function(fixture, 0)].state, VERDICT_SHIFTED);
	flags[hottest(fixture)] = VERDICT_FUNCTION_UNCHANGED;
	/* Its caller did, and may call it less. */
	caller = fixture->sim.input.node_parent[hottest(fixture) + 1];
	assert_int_not_equal(caller, 0);
	assert_int_not_equal(caller - 1, other_function(fixture, 0));
	flags[caller - 1] = VERDICT_FUNCTION_CHANGED_CODE;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	flags[caller - 1] = VERDICT_FUNCTION_UNCHANGED;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	fixture->sim.input.policy.same_build = true;
	assert_int_equal(decide(fixture), VERDICT_PASS);
}

/* As before, and the hottest one below a caller that has changed: it may be called less. */
static void test_what_is_counted_to_do_the_same_makes_up_for_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct verdict_input *input = &fixture->sim.input;
	size_t functions;
	double *ratios;

	draw_replaced(fixture, 1, 0.05);
	functions = input->function_count;
	memset(fixture->sim.flags, VERDICT_FUNCTION_CHANGED_CODE, functions);
	fixture->sim.flags[hottest(fixture)] = VERDICT_FUNCTION_UNCHANGED;
	input->function_flags = fixture->sim.flags;
	ratios = arena_array(&fixture->arena, functions, sizeof(*ratios));
	for (size_t f = 0; f < functions; f++)
		ratios[f] = 1;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_SHIFTED));
	/* called as often, and what it executes is not known */
	input->call_ratio = ratios;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	input->own_instruction_ratio = ratios;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.culprits[0].function, other_function(fixture, 0));
	assert_false(has_reason(fixture, VERDICT_REASON_SHIFTED));
	ratios[hottest(fixture)] = 0.9;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	ratios[hottest(fixture)] = 1;
	fixture->sim.flags[hottest(fixture)] = VERDICT_FUNCTION_CHANGED_CODE;
	assert_int_equal(decide(fixture), VERDICT_PASS);
}

/* One grows by what ten others lose, none of them clearly. */
static void draw_pieces(struct fixture *fixture)
{
	draw_even(fixture);
	set_cells(fixture, 0, 0.0125, 0.0265);
	for (size_t f = 1; f <= 10; f++)
		set_cells(fixture, f, 0.0125, 0.0111);
}

static void test_changed_code_explains_what_moved_in_pieces(void **state)
{
	static const uint8_t explains[] = {VERDICT_FUNCTION_TOUCHED, VERDICT_FUNCTION_CHANGED_CODE};
	struct fixture *fixture = *state;

	draw_pieces(fixture);
	decide(fixture);
	assert_int_equal(fixture->result.functions[0].state, VERDICT_CONTRADICTED);
	for (size_t i = 0; i < 2; i++) {
		memset(fixture->sim.flags, 0, 80);
		memset(fixture->sim.flags + 1, explains[i], 10);
		decide(fixture);
		assert_int_equal(fixture->result.functions[0].state, VERDICT_SHIFTED);
		assert_int_equal(
			fixture->result.shifts[0].compensator, VERDICT_COMPENSATOR_TOUCHED);
	}
	/* that some code is the same makes the rest no changed code */
	memset(fixture->sim.flags, 0, 80);
	memset(fixture->sim.flags + 40, VERDICT_FUNCTION_UNCHANGED, 20);
	decide(fixture);
	assert_int_equal(fixture->result.functions[0].state, VERDICT_CONTRADICTED);
}

/* Four grow by 1.5 % each, which a decrease of 2 % makes up for one by one. */
static void draw_four_for_one(struct fixture *fixture, double total)
{
	draw_even(fixture);
	for (size_t f = 0; f < 4; f++)
		set_cells(fixture, f, 0.0125, 0.0275);
	set_cells(fixture, 10, 0.0325, 0.0125);
	for (size_t b = 0; b < 40; b++)
		fixture->sim.cells.total[1][b] = total;
}

static void assert_shifts_are_of_what_shifted(const struct fixture *fixture)
{
	const struct verdict_result *result = &fixture->result;

	assert_int_equal(result->shift_count, count_states(fixture, VERDICT_SHIFTED));
	for (size_t i = 0; i < result->shift_count; i++)
		assert_int_equal(
			result->functions[result->shifts[i].function].state, VERDICT_SHIFTED);
}

static void test_more_than_moved_is_taken_back_only_where_the_total_grew(void **state)
{
	struct fixture *fixture = *state;

	draw_four_for_one(fixture, 1);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(count_states(fixture, VERDICT_SHIFTED), 4);
	/* the total is a regression by itself: three fourths of what grew must be made up for */
	draw_four_for_one(fixture, 1.03);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_TOTAL));
	assert_int_equal(count_states(fixture, VERDICT_CONFIRMED), 3);
	assert_shifts_are_of_what_shifted(fixture);
	/* it is none by itself: half of it */
	draw_four_for_one(fixture, 1.009);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_false(has_reason(fixture, VERDICT_REASON_TOTAL));
	assert_int_equal(count_states(fixture, VERDICT_CONFIRMED), 2);
	assert_shifts_are_of_what_shifted(fixture);
	/* by far less than any of them: what is no shift is contradicted then */
	draw_four_for_one(fixture, 1.003);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(count_states(fixture, VERDICT_CONTRADICTED), 2);
	assert_true(has_reason(fixture, VERDICT_REASON_CONTRADICTED));
	assert_shifts_are_of_what_shifted(fixture);
}

static enum verdict_state state_of_the_first(struct fixture *fixture)
{
	decide(fixture);
	return fixture->result.functions[0].state;
}

static void assert_moved_from(
	struct fixture *fixture, enum verdict_compensator compensator, uint32_t from)
{
	assert_int_equal(state_of_the_first(fixture), VERDICT_SHIFTED);
	assert_int_equal(fixture->result.shifts[0].compensator, compensator);
	assert_int_equal(fixture->result.shifts[0].from, from);
}

/* Both together leave least of the increase; what the change touches tells where it came from. */
static void test_cost_came_from_where_the_change_is(void **state)
{
	static uint32_t file[81];
	struct fixture *fixture = *state;

	draw_even(fixture);
	set_cells(fixture, 0, 0.0125, 0.0265);
	set_cells(fixture, 1, 0.0125, 0.0045);
	set_cells(fixture, 2, 0.0125, 0.0025);
	assert_moved_from(fixture, VERDICT_COMPENSATOR_DECREASED, 2);
	fixture->sim.flags[1] = VERDICT_FUNCTION_TOUCHED;
	assert_moved_from(fixture, VERDICT_COMPENSATOR_TOUCHED, 1);
	fixture->sim.flags[1] = VERDICT_FUNCTION_VANISHED;
	assert_moved_from(fixture, VERDICT_COMPENSATOR_SYMBOLS, 1);
	/* nobody is touched: the least that is left */
	fixture->sim.flags[1] = 0;
	for (uint32_t f = 2; f < 81; f++)
		file[f] = f;
	fixture->sim.input.function_file = file;
	assert_moved_from(fixture, VERDICT_COMPENSATOR_DECREASED, 2);
	set_cells(fixture, 2, 0.0125, 0.0125);
	assert_moved_from(fixture, VERDICT_COMPENSATOR_FILE, 1);
}

static void test_without_a_tree_nobody_knows_what_the_change_reached(void **state)
{
	struct fixture *fixture = *state;

	draw_even(fixture);
	set_cells(fixture, 0, 0.0125, 0.0225);
	set_cells(fixture, 1, 0.0125, 0.0025);
	fixture->sim.flags[0] = VERDICT_FUNCTION_CHANGED_CODE;
	fixture->sim.flags[1] = VERDICT_FUNCTION_UNCHANGED;
	assert_int_equal(state_of_the_first(fixture), VERDICT_SHIFTED);
}

/* A standard error of it is 0.0007. */
static void test_half_of_an_increase_makes_up_for_it(void **state)
{
	struct fixture *fixture = *state;

	draw_even(fixture);
	set_cells(fixture, 0, 0.0125, 0.0265);
	set_cells(fixture, 1, 0.0125, 0.0045);
	assert_int_equal(state_of_the_first(fixture), VERDICT_SHIFTED);
	set_cells(fixture, 1, 0.0125, 0.0058);
	assert_int_equal(state_of_the_first(fixture), VERDICT_SHIFTED);
	set_cells(fixture, 1, 0.0125, 0.0075);
	assert_int_equal(state_of_the_first(fixture), VERDICT_CONTRADICTED);
}

/* Of a large function chance takes as much: touched or not, that is no decrease. */
static void test_a_decrease_within_its_noise_makes_up_for_nothing(void **state)
{
	struct fixture *fixture = *state;

	draw_even(fixture);
	set_cells(fixture, 0, 0.0125, 0.0265);
	set_cells(fixture, 1, 0.5, 0.4927);
	fixture->sim.flags[1] = VERDICT_FUNCTION_TOUCHED;
	assert_int_equal(state_of_the_first(fixture), VERDICT_CONTRADICTED);
	set_cells(fixture, 1, 0.5, 0.486);
	assert_int_equal(state_of_the_first(fixture), VERDICT_SHIFTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(test_increase_that_the_total_contradicts_is_contradicted),
		RULE(test_renamed_function_is_a_shift_from_the_old_name),
		RULE(test_regression_beside_a_refactor_is_still_blamed),
		RULE(test_one_decrease_does_not_make_up_for_several_increases),
		RULE(test_one_decrease_makes_up_for_the_parts_that_it_was_split_into),
		RULE(test_what_the_change_cannot_have_reached_makes_up_for_nothing),
		RULE(test_what_is_counted_to_do_the_same_makes_up_for_nothing),
		RULE(test_what_moved_is_still_a_shift_beside_a_regression),
		RULE(test_changed_code_explains_what_moved_in_pieces),
		RULE(test_more_than_moved_is_taken_back_only_where_the_total_grew),
		RULE(test_cost_came_from_where_the_change_is),
		RULE(test_without_a_tree_nobody_knows_what_the_change_reached),
		RULE(test_half_of_an_increase_makes_up_for_it),
		RULE(test_a_decrease_within_its_noise_makes_up_for_nothing),
	};

	return cmocka_run_group_tests_name("verdict rules: shifts", tests, NULL, NULL);
}
