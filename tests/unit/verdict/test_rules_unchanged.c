/* SPDX-License-Identifier: Apache-2.0 */
/* What one layout may explain, and what code that is the same is excused for. */
#include "tests/unit/verdict/rules_scene.h"

static void test_one_layout_excuses_a_small_growth_everywhere(void **state)
{
	struct fixture *fixture = *state;

	draw_uniform(fixture, 0.02);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_LAYOUT));
	assert_int_equal(fixture->result.total.state, VERDICT_UNCHANGED_CODE);
	fixture->sim.input.policy.layouts = 8;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.total.state, VERDICT_CONFIRMED);
}

/* That the code is the same is known of one; for the others one layout is allowed as before. */
static void test_layout_is_allowed_for_where_code_is_not_known(void **state)
{
	struct fixture *fixture = *state;

	draw_uniform(fixture, 0.02);
	fixture->sim.flags[fixture->sim.planted] |= VERDICT_FUNCTION_UNCHANGED;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_LAYOUT));
}

static void know_all_code_as_the_same(struct fixture *fixture)
{
	memset(fixture->sim.flags, VERDICT_FUNCTION_UNCHANGED, fixture->sim.input.function_count);
}

/* Of the function of rank 1, which has 12 % of the total; everybody's code is the same. */
static void draw_unchanged(struct fixture *fixture, double size)
{
	fixture->config.rank_low = fixture->config.rank_high = 1;
	fixture->config.size = size;
	fixture_draw(fixture, 1);
	know_all_code_as_the_same(fixture);
}

static void test_same_code_is_excused_unless_a_changed_caller_explains_it(void **state)
{
	struct fixture *fixture = *state;
	struct sim *sim = &fixture->sim;

	draw_unchanged(fixture, 0.03);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(fixture->result.functions[sim->planted].state, VERDICT_UNCHANGED_CODE);
	assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_CODE));
	/* its caller changed, and it may well be called more often */
	sim->flags[sim->input.node_function[sim->input.node_parent[sim->planted + 1]]] =
		VERDICT_FUNCTION_TOUCHED;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.culprits[0].function, sim->planted);
	assert_int_equal(fixture->result.culprits[0].kind, VERDICT_BLAME_CALLED);
	assert_true(fixture->result.culprits[0].caller_first);
}

/* 0.055 is nearly half of its base cost: a place in memory may explain two thirds. */
static void test_same_code_that_grew_far_more_than_its_place_explains_fails(void **state)
{
	struct fixture *fixture = *state;

	draw_unchanged(fixture, 0.055);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_CODE));
	draw_unchanged(fixture, 0.1);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_GREW));
	assert_false(has_reason(fixture, VERDICT_REASON_UNCHANGED_CODE));
	assert_int_equal(fixture->result.functions[fixture->sim.planted].state, VERDICT_CONFIRMED);
	assert_int_equal(fixture->result.culprits[0].function, fixture->sim.planted);
	/* four layouts each have averaged that to a quarter */
	draw_unchanged(fixture, 0.055);
	fixture->sim.input.policy.layouts = 4;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	draw_unchanged(fixture, 0.026);
	fixture->sim.input.policy.layouts = 8;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_CODE));
}

/* A function of 0.4 % that doubles is 0.4 % of the total: alignment alone can do that. */
static void test_same_code_of_little_cost_is_excused_whatever_it_does(void **state)
{
	struct fixture *fixture = *state;

	fixture->sim.input.node_count = 0;
	know_all_code_as_the_same(fixture);
	draw_exact(fixture, 0.004, 0.009);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_CODE));
	draw_exact(fixture, 0.004, 0.011);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_GREW));
}

/* A function of 10 %: its increase is above half of its mean cost from 6.67 % of the total on. */
static void test_the_bound_is_half_of_the_cost_and_falls_to_a_quarter_with_four_layouts(
	void **state)
{
	static const struct {
		size_t layouts;
		double excused, not_excused;
	} cases[] = {{1, 0.066, 0.0675}, {2, 0.0425, 0.0435}, {4, 0.028, 0.029}, {8, 0.028, 0.029}};
	struct fixture *fixture = *state;

	fixture->sim.input.node_count = 0;
	know_all_code_as_the_same(fixture);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture->sim.input.policy.layouts = cases[i].layouts;
		draw_exact(fixture, 0.1, cases[i].excused);
		assert_int_equal(decide(fixture), VERDICT_PASS);
		assert_int_equal(fixture->result.functions[0].state, VERDICT_UNCHANGED_CODE);
		draw_exact(fixture, 0.1, cases[i].not_excused);
		assert_int_equal(decide(fixture), VERDICT_REGRESSION);
		assert_int_equal(fixture->result.functions[0].state, VERDICT_CONFIRMED);
	}
}

/* Chance takes from some what it gives to others: only what counts is counted, up and down. */
static void test_what_the_same_code_did_does_not_hide_what_changed_code_did(void **state)
{
	struct fixture *fixture = *state;
	uint32_t planted = fixture->sim.planted;

	know_all_code_as_the_same(fixture);
	fixture->sim.flags[planted] = VERDICT_FUNCTION_CHANGED_CODE;
	fixture->sim.input.policy.layouts = 8;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.culprits[0].function, planted);
	assert_true(fixture->result.total.explained > 0.85);
}

/* Of 5 % changed code grew by 3 %, and the same code shrank by 1 %: by its place, or it did not. */
static void test_what_shrank_counts_unless_layouts_were_varied(void **state)
{
	struct fixture *fixture = *state;

	draw_even(fixture);
	set_cells(fixture, 0, 0.0125, 0.0425);
	set_cells(fixture, 1, 0.0125, 0.0025);
	fixture->sim.flags[0] = VERDICT_FUNCTION_CHANGED_CODE;
	fixture->sim.flags[1] = VERDICT_FUNCTION_UNCHANGED;
	for (size_t b = 0; b < 40; b++)
		fixture->sim.cells.total[1][b] = 1.05;
	decide(fixture);
	assert_true(fabs(fixture->result.total.explained - 0.4) < 0.02);
	fixture->sim.input.policy.layouts = 8;
	decide(fixture);
	assert_true(fabs(fixture->result.total.explained - 0.6) < 0.02);
}

/* Half of all functions grew by a third, which each of them may, and half shrank by less. */
static void test_all_that_is_the_same_is_added_up_with_what_shrank(void **state)
{
	struct fixture *fixture = *state;

	draw_even(fixture);
	for (size_t f = 0; f < 80; f++)
		set_cells(fixture, f, 0.0125, f % 2 ? 0.0170 : 0.0090);
	know_all_code_as_the_same(fixture);
	for (size_t b = 0; b < 40; b++)
		fixture->sim.cells.total[1][b] = 1.05;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_TOTAL_UNEXPLAINED));
	for (size_t f = 0; f < 80; f += 2)
		set_cells(fixture, f, 0.0125, 0.0125);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
}

/* That it outgrew its place is no news of what has moved. */
static void test_same_code_that_has_moved_is_not_said_to_be_slower(void **state)
{
	struct fixture *fixture = *state;

	draw_even(fixture);
	set_cells(fixture, 0, 0.0125, 0.0325);
	set_cells(fixture, 1, 0.0325, 0.0125);
	set_cells(fixture, 2, 0.0125, 0.0725);
	fixture->sim.flags[0] = VERDICT_FUNCTION_UNCHANGED;
	for (size_t b = 0; b < 40; b++)
		fixture->sim.cells.total[1][b] = 1.06;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.functions[0].state, VERDICT_SHIFTED);
	assert_false(has_reason(fixture, VERDICT_REASON_UNCHANGED_GREW));
	fixture->sim.flags[2] = VERDICT_FUNCTION_UNCHANGED;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_GREW));
}

/* A script has changed: its interpreter lies where it lay. */
static void test_one_build_in_both_versions_excuses_nobody(void **state)
{
	struct fixture *fixture = *state;

	draw_unchanged(fixture, 0.03);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	fixture->sim.input.policy.same_build = true;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_GREW));
	assert_int_equal(fixture->result.culprits[0].function, fixture->sim.planted);
	/* nor is anything allowed for the layout */
	draw_uniform(fixture, 0.02);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_LAYOUT));
	fixture->sim.input.policy.same_build = true;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.total.state, VERDICT_CONFIRMED);
}

static void draw_unchanged_everywhere(struct fixture *fixture, double size, bool tree)
{
	draw_uniform(fixture, size);
	know_all_code_as_the_same(fixture);
	if (!tree)
		fixture->sim.input.node_count = 0;
}

/* Each is within its bound; places of their own do not add up to this. */
static void test_same_code_that_grew_everywhere_fails_by_the_total(void **state)
{
	struct fixture *fixture = *state;

	for (int tree = 1; tree >= 0; tree--) {
		draw_unchanged_everywhere(fixture, 0.1, tree);
		assert_int_equal(decide(fixture), VERDICT_PASS);
		assert_true(has_reason(fixture, VERDICT_REASON_TOTAL_UNEXPLAINED));
		assert_true(has_reason(fixture, VERDICT_REASON_TOTAL_UNCHANGED));
		draw_unchanged_everywhere(fixture, 0.25, tree);
		assert_int_equal(decide(fixture), VERDICT_REGRESSION);
		assert_true(has_reason(fixture, VERDICT_REASON_TOTAL));
		assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_GREW));
	}
}

/* One such function grew, and the clock says three times as much: that is where nothing is seen. */
static void test_growth_that_no_function_shows_is_not_put_down_to_unchanged_code(void **state)
{
	struct fixture *fixture = *state;

	draw_unchanged(fixture, 0.03);
	for (size_t b = 0; b < 40; b++)
		fixture->sim.cells.total[1][b] *= 1.07;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_CODE));
	assert_true(has_reason(fixture, VERDICT_REASON_TOTAL_UNEXPLAINED));
	assert_false(has_reason(fixture, VERDICT_REASON_TOTAL_UNCHANGED));
}

/* Of how often the others are called nothing is known. */
static void know_calls(struct fixture *fixture, uint32_t function, double ratio)
{
	struct verdict_input *input = &fixture->sim.input;
	double *ratios = arena_array(&fixture->arena, input->function_count, sizeof(*ratios));

	for (size_t f = 0; f < input->function_count; f++)
		ratios[f] = f == function ? ratio : NAN;
	input->call_ratio = ratios;
}

/* Of ten such functions nine are counted by nobody, and noise gave to some what it took from
 * others: the one that is counted holds most of what the total grew. */
static void test_one_that_is_counted_speaks_for_the_total_that_it_made_grow(void **state)
{
	struct fixture *fixture = *state;

	for (int counted = 0; counted < 2; counted++) {
		draw_even(fixture);
		know_all_code_as_the_same(fixture);
		set_cells(fixture, 0, 0.06, 0.10);
		for (size_t f = 1; f < 9; f++)
			set_cells(fixture, f, f % 2 ? 0.06 : 0.08, f % 2 ? 0.08 : 0.06);
		for (size_t b = 0; b < 40; b++)
			fixture->sim.cells.total[1][b] = 1.04;
		know_calls(fixture, counted ? 0 : 1, 1);
		decide(fixture);
		assert_int_equal(fixture->result.calls_known, counted);
	}
}

/* 0.03 is a quarter of its base cost. */
static void test_same_code_that_is_called_more_often_is_not_excused(void **state)
{
	struct fixture *fixture = *state;
	uint32_t planted;

	draw_unchanged(fixture, 0.03);
	planted = fixture->sim.planted;
	know_calls(fixture, planted, 1.25);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.functions[planted].state, VERDICT_CONFIRMED);
	assert_int_equal(fixture->result.culprits[0].function, planted);
	assert_false(has_reason(fixture, VERDICT_REASON_UNCHANGED_CODE));
	assert_false(has_reason(fixture, VERDICT_REASON_UNCHANGED_GREW));
}

static void test_calls_that_hold_less_than_half_of_it_leave_it_excused(void **state)
{
	static const double ratios[] = {NAN, 0, 0.9, 1, 1.1};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		draw_unchanged(fixture, 0.03);
		know_calls(fixture, fixture->sim.planted, ratios[i]);
		assert_int_equal(decide(fixture), VERDICT_PASS);
		assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_CODE));
	}
	draw_unchanged(fixture, 0.03);
	know_calls(fixture, fixture->sim.planted, 1.15);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
}

/* 10 % that grow by 0.5 %: the margin is 0.4 %, and 3 % more calls are less than that. */
static void test_more_calls_that_cost_less_than_the_margin_leave_it_excused(void **state)
{
	struct fixture *fixture = *state;

	fixture->sim.input.node_count = 0;
	know_all_code_as_the_same(fixture);
	draw_exact(fixture, 0.1, 0.005);
	know_calls(fixture, 0, 1.03);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	know_calls(fixture, 0, 1.045);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
}

/* Twice as many calls of half of the work each. */
static void test_the_same_work_by_more_calls_leaves_it_excused(void **state)
{
	struct fixture *fixture = *state;

	draw_unchanged(fixture, 0.03);
	know_calls(fixture, fixture->sim.planted, 2);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_UNCHANGED_CODE));
	know_calls(fixture, fixture->sim.planted, 1.45);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
}

/* What can be counted calls it, and its own code is the same. */
static void test_calls_of_the_caller_count_where_its_own_are_not_known(void **state)
{
	struct fixture *fixture = *state;
	struct sim *sim = &fixture->sim;
	uint32_t caller;

	draw_unchanged(fixture, 0.03);
	caller = sim->input.node_function[sim->input.node_parent[sim->planted + 1]];
	know_calls(fixture, caller, 1.25);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.functions[sim->planted].state, VERDICT_CONFIRMED);
}

static void test_nothing_has_changed_where_all_that_is_known_is_the_same(void **state)
{
	static const struct {
		uint8_t flags;
		bool nothing;
	} cases[] = {{VERDICT_FUNCTION_UNCHANGED, true}, {0, true},
		{VERDICT_FUNCTION_TOUCHED, false}, {VERDICT_FUNCTION_CHANGED_CODE, false},
		{VERDICT_FUNCTION_CHANGED_CODE | VERDICT_FUNCTION_SAME_PLACE, true}};
	struct fixture *fixture = *state;

	draw_unchanged(fixture, 0.03);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture->sim.flags[3] = cases[i].flags;
		decide(fixture);
		assert_int_equal(fixture->result.nothing_changed, cases[i].nothing);
	}
	memset(fixture->sim.flags, 0, fixture->sim.input.function_count);
	decide(fixture);
	assert_false(fixture->result.nothing_changed); /* nobody knows */
}

static void test_who_executes_more_has_been_given_more(void **state)
{
	struct fixture *fixture = *state;
	struct verdict_input *input = &fixture->sim.input;
	double *calls, *own;

	draw_unchanged(fixture, 0.03);
	calls = arena_array(&fixture->arena, input->function_count, sizeof(*calls));
	own = arena_array(&fixture->arena, input->function_count, sizeof(*own));
	for (size_t f = 0; f < input->function_count; f++)
		calls[f] = own[f] = 1;
	input->call_ratio = calls;
	input->own_instruction_ratio = own;
	decide(fixture);
	assert_true(fixture->result.nothing_changed);
	own[fixture->sim.planted] = 1.15;
	decide(fixture);
	assert_false(fixture->result.nothing_changed);
	own[fixture->sim.planted] = NAN; /* breakpoints count calls alone */
	decide(fixture);
	assert_false(fixture->result.nothing_changed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(test_one_layout_excuses_a_small_growth_everywhere),
		RULE(test_layout_is_allowed_for_where_code_is_not_known),
		RULE(test_same_code_is_excused_unless_a_changed_caller_explains_it),
		RULE(test_same_code_that_grew_far_more_than_its_place_explains_fails),
		RULE(test_same_code_of_little_cost_is_excused_whatever_it_does),
		RULE(test_the_bound_is_half_of_the_cost_and_falls_to_a_quarter_with_four_layouts),
		RULE(test_what_the_same_code_did_does_not_hide_what_changed_code_did),
		RULE(test_what_shrank_counts_unless_layouts_were_varied),
		RULE(test_all_that_is_the_same_is_added_up_with_what_shrank),
		RULE(test_same_code_that_has_moved_is_not_said_to_be_slower),
		RULE(test_one_build_in_both_versions_excuses_nobody),
		RULE(test_same_code_that_grew_everywhere_fails_by_the_total),
		RULE(test_growth_that_no_function_shows_is_not_put_down_to_unchanged_code),
		RULE(test_one_that_is_counted_speaks_for_the_total_that_it_made_grow),
		RULE(test_same_code_that_is_called_more_often_is_not_excused),
		RULE(test_calls_that_hold_less_than_half_of_it_leave_it_excused),
		RULE(test_more_calls_that_cost_less_than_the_margin_leave_it_excused),
		RULE(test_the_same_work_by_more_calls_leaves_it_excused),
		RULE(test_calls_of_the_caller_count_where_its_own_are_not_known),
		RULE(test_nothing_has_changed_where_all_that_is_known_is_the_same),
		RULE(test_who_executes_more_has_been_given_more),
	};

	return cmocka_run_group_tests_name("verdict rules: unchanged code", tests, NULL, NULL);
}
