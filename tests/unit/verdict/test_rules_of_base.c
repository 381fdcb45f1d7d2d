/* SPDX-License-Identifier: Apache-2.0 */
/* What the verdict says is a fraction of base's total, however much larger head's is. */
#include "tests/unit/verdict/rules_scene.h"

static void draw(struct fixture *fixture, enum sim_change change, double size, uint64_t seed)
{
	fixture->config.change = change;
	fixture->config.size = size;
	fixture_draw(fixture, seed);
}

static void assert_near(double value, double wanted, double most)
{
	if (!(fabs(value - wanted) <= most))
		fail_msg("%g is not %g, give or take %g", value, wanted, most);
}

static double sum_of_changes(const struct fixture *fixture)
{
	double sum = 0;

	for (size_t f = 0; f < fixture->sim.input.function_count; f++)
		sum += fixture->result.functions[f].change;
	return sum;
}

/* One function takes all that the total takes more. */
static void assert_explained(struct fixture *fixture, double size)
{
	const struct verdict_result *result = &fixture->result;

	draw(fixture, SIM_SELF, size, 7);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(result->total.state, VERDICT_CONFIRMED);
	assert_true(has_reason(fixture, VERDICT_REASON_TOTAL));
	assert_false(has_reason(fixture, VERDICT_REASON_TOTAL_UNEXPLAINED));
	assert_false(has_reason(fixture, VERDICT_REASON_CONTRADICTED));
	assert_near(result->total.change, size, 0.02 * (1 + size));
	assert_near(result->total.explained, 1, 0.02);
	assert_int_equal(result->culprits[0].function, fixture->sim.planted);
	assert_near(result->culprits[0].explained, 1, 0.02);
	assert_near(result->culprits[0].change, size, 0.02 * (1 + size));
}

static void test_total_of_five_times_base_is_explained_and_confirmed(void **state)
{
	assert_explained(*state, 4);
}

static void test_total_of_fifteen_times_base_is_explained_and_confirmed(void **state)
{
	assert_explained(*state, 14);
}

/* 0 -> 314 ms of a total that goes from 344 to 661 ms. */
static void test_a_new_function_explains_what_it_takes_of_the_increase(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_culprit *culprit;
	struct sim_cells *cells = &fixture->sim.cells;

	fixture->sim.input.node_count = 0;
	for (size_t f = 0; f < fixture->sim.input.function_count; f++)
		set_cells(fixture, f, 0.0043, 0.0043);
	set_cells(fixture, 0, 0, 0.314);
	set_cells(fixture, 1, 0.0043, 0.0073);
	for (size_t b = 0; b < cells->pairs; b++) {
		cells->total[0][b] = 0.344;
		cells->total[1][b] = 0.661;
	}
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	culprit = &fixture->result.culprits[0];
	assert_int_equal(culprit->function, 0);
	assert_near(fixture->result.total.change, 317.0 / 344, 1e-9);
	assert_near(culprit->change, 314.0 / 344, 1e-9);
	assert_near(culprit->explained, 314.0 / 317, 1e-9);
	assert_near(fixture->result.functions[0].head, 314.0 / 344, 1e-9);
}

static void test_changes_of_all_functions_add_up_to_the_totals(void **state)
{
	static const double sizes[] = {-0.6, 0.05, 1, 4, 14};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct verdict_result *result = &fixture->result;
		double most = 0.02 * (2 + sizes[i]), base = 0, head = 0;

		draw(fixture, SIM_UNIFORM, sizes[i], 11 + i);
		decide(fixture);
		assert_near(result->total.change, sizes[i], most);
		assert_near(sum_of_changes(fixture), result->total.change, most);
		assert_near(result->nodes[0].change, result->total.change, most);
		for (size_t f = 0; f < fixture->sim.input.function_count; f++) {
			base += result->functions[f].base;
			head += result->functions[f].head;
		}
		assert_near(base, 1, most);
		assert_near(head, 1 + result->total.change, most);
	}
}

static void test_a_change_is_what_head_takes_more_than_base(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_result *result = &fixture->result;

	draw(fixture, SIM_CALLED, 4, 3);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	for (size_t f = 0; f < fixture->sim.input.function_count; f++)
		assert_near(result->functions[f].change,
			result->functions[f].head - result->functions[f].base, 1e-9);
	for (size_t v = 0; v < fixture->sim.input.node_count; v++) {
		assert_near(result->nodes[v].change, result->nodes[v].head - result->nodes[v].base,
			1e-9);
		assert_near(result->node_self[v].change,
			result->node_self[v].head - result->node_self[v].base, 1e-9);
	}
}

/* Next to nothing lies between the units where the total hardly changes. */
static void test_a_small_change_is_as_it_was_tested(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_result *result = &fixture->result;

	draw(fixture, SIM_SELF, 0.02, 5);
	decide(fixture);
	for (size_t f = 0; f < fixture->sim.input.function_count; f++) {
		const struct verdict_effect *effect = &result->functions[f];

		if (effect->se > 0)
			assert_near((effect->change - effect->margin) / effect->se, effect->t,
				0.01 * (1 + fabs(effect->t)));
	}
}

/* Of the mean of both totals that is 1.6 of 2, give or take nothing, however noisy the total is. */
static void test_intervals_hold_a_change_that_is_most_of_head(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_effect *planted;
	size_t held = 0;

	fixture->config.noise = sim_real;
	fixture->config.noise.layouts = 0;
	for (uint64_t seed = 0; seed < 100; seed++) {
		draw(fixture, SIM_SELF, 4, 100 + seed);
		decide(fixture);
		planted = &fixture->result.functions[fixture->sim.planted];
		held += planted->low <= 4 && 4 <= planted->high;
	}
	assert_in_range(held, 90, 100);
}

static void test_totals_of_both_versions_differ_by_the_change(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_total *total = &fixture->result.total;

	draw(fixture, SIM_SELF, 0.03, 1);
	for (size_t b = 0; b < 5; b++) /* outliers on both sides: they are in no mean */
		fixture->sim.cells.total[b % 2][b] *= 3;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_near(total->head, total->base * (1 + total->change), 1e-9);
	assert_near(total->base, 1, 0.02);
}

/* A function that merely stays as it is:
 * of a total that falls to a tenth it is ten times as much. */
static void test_a_total_that_fell_leaves_the_others_as_they_were(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_result *result = &fixture->result;
	struct sim_cells *cells = &fixture->sim.cells;

	draw_even(fixture);
	for (size_t f = 0; f < 72; f++)
		set_cells(fixture, f, 0.0125, 0);
	set_cells(fixture, 80, 0, 0);
	for (size_t b = 0; b < cells->pairs; b++)
		cells->total[1][b] = 0.1;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_near(result->total.change, -0.9, 1e-9);
	assert_near(result->functions[0].change, -0.0125, 1e-9);
	assert_near(result->functions[79].base, 0.0125, 1e-9);
	assert_near(result->functions[79].head, 0.0125, 1e-9);
	assert_near(sum_of_changes(fixture), -0.9, 1e-9);
}

/* All numbers are of the same pairs, else a call might take more than what calls it. */
static void test_numbers_are_of_stage_2_alone_where_anything_was_flagged(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_result *result = &fixture->result;
	struct sim_cells *cells = &fixture->sim.cells;
	double before;

	draw(fixture, SIM_SELF, 0.03, 1);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	before = result->functions[20].change;
	assert_false(result->functions[20].flagged);
	assert_true(result->fresh);
	for (size_t b = 0; b < fixture->sim.input.stage1_pairs; b++)
		cells->self[1][20 * cells->pairs + b].x *= 1.001;
	decide(fixture);
	assert_near(result->functions[20].change, before, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(test_total_of_five_times_base_is_explained_and_confirmed),
		RULE(test_total_of_fifteen_times_base_is_explained_and_confirmed),
		RULE(test_a_new_function_explains_what_it_takes_of_the_increase),
		RULE(test_changes_of_all_functions_add_up_to_the_totals),
		RULE(test_a_change_is_what_head_takes_more_than_base),
		RULE(test_a_small_change_is_as_it_was_tested),
		RULE(test_intervals_hold_a_change_that_is_most_of_head),
		RULE(test_totals_of_both_versions_differ_by_the_change),
		RULE(test_a_total_that_fell_leaves_the_others_as_they_were),
		RULE(test_numbers_are_of_stage_2_alone_where_anything_was_flagged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
