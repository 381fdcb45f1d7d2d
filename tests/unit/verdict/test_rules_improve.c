/* SPDX-License-Identifier: Apache-2.0 */
/* What went down: which calls and totals are shown as less, and that chance and layout are not. */
#include "tests/unit/verdict/rules_scene.h"

static size_t count_state(
	const struct verdict_effect *effects, size_t count, enum verdict_state state)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += effects[i].state == state;
	return sum;
}

/* Of the planted function and of all that lead to it. */
static bool leads_to_planted(const struct sim *sim, uint32_t node)
{
	for (uint32_t v = sim->planted + 1; v; v = sim->input.node_parent[v])
		if (v == node)
			return true;
	return false;
}

static void test_a_faster_program_is_less_in_all_and_in_its_large_calls(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_result *result = &fixture->result;
	size_t large = 0;

	draw_uniform(fixture, -0.11);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(result->total.high < 0);
	assert_int_equal(result->total.state, VERDICT_IMPROVED);
	assert_int_equal(result->nodes[0].state, VERDICT_INELIGIBLE); /* the total stands for it */
	for (uint32_t v = 1; v < fixture->sim.input.node_count; v++)
		if (result->nodes[v].base > 0.2) {
			assert_int_equal(result->nodes[v].state, VERDICT_IMPROVED);
			large++;
		}
	assert_true(large > 1);
	assert_int_equal(result->reasons & ~(uint32_t)VERDICT_REASON_UNREACHABLE_STAGE1, 0);
}

/* An improvement makes nobody measure stage 2. */
static void test_stage_1_alone_says_so(void **state)
{
	struct fixture *fixture = *state;

	draw_uniform(fixture, -0.11);
	verdict_stage1(&fixture->sim.input, &fixture->arena, &fixture->result);
	assert_int_equal(fixture->result.status, VERDICT_PASS);
	assert_int_equal(fixture->result.total.state, VERDICT_IMPROVED);
}

static void test_a_faster_function_is_less_and_so_are_the_calls_that_lead_to_it(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_result *result = &fixture->result;

	fixture->config.change = SIM_FASTER;
	fixture->config.size = 0.5;
	fixture->config.rank_low = fixture->config.rank_high = 3;
	fixture_draw(fixture, 7);
	fixture->sim.input.policy.layouts = 4;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(result->functions[fixture->sim.planted].state, VERDICT_IMPROVED);
	assert_int_equal(result->improvement_count, 1);
	for (uint32_t v = 1; v < fixture->sim.input.node_count; v++)
		if (!leads_to_planted(&fixture->sim, v))
			assert_int_not_equal(result->nodes[v].state, VERDICT_IMPROVED);
		else if (result->nodes[v].base < 0.7) /* main's is as noisy as all samples */
			assert_int_equal(result->nodes[v].state, VERDICT_IMPROVED);
}

/* One build each: what their places in memory may do is no improvement either. */
static void test_what_the_layout_may_explain_is_not_less(void **state)
{
	struct fixture *fixture = *state;

	for (size_t layouts = 1; layouts <= 4; layouts += 3) {
		fixture_draw(fixture, 1);
		fixture->sim.input.policy.layouts = layouts;
		draw_exact(fixture, 0.3, -0.02);
		fixture->sim.input.node_count = 0;
		assert_int_equal(decide(fixture), VERDICT_PASS);
		assert_int_equal(fixture->result.total.state,
			layouts > 1 ? VERDICT_IMPROVED : VERDICT_UNCHANGED);
	}
}

/* Unchanged code by a tenth of its own cost less: as much more would be excused. */
static void test_unchanged_code_is_not_less(void **state)
{
	struct fixture *fixture = *state;

	for (int same = 0; same < 2; same++) {
		draw_even(fixture);
		fixture->sim.flags[5] =
			same ? VERDICT_FUNCTION_UNCHANGED : VERDICT_FUNCTION_CHANGED_CODE;
		fixture->sim.input.function_flags = fixture->sim.flags;
		set_cells(fixture, 5, 0.0125, 0.005);
		assert_int_equal(decide(fixture), VERDICT_PASS);
		assert_int_equal(fixture->result.functions[5].state,
			same ? VERDICT_UNCHANGED : VERDICT_IMPROVED);
		assert_int_equal(fixture->result.improvement_count, !same);
	}
}

/* The calls that it left cost less, and are no improvement. */
static void test_where_cost_moved_from_is_not_less(void **state)
{
	static const enum sim_change kinds[] = {SIM_EXTRACT, SIM_INLINE, SIM_MOVE};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct verdict_result *result = &fixture->result;

		fixture->config.change = kinds[i];
		fixture->config.size = 0.02;
		fixture->config.rank_low = fixture->config.rank_high = 1;
		fixture_draw(fixture, 5);
		fixture->sim.input.policy.layouts = 4;
		assert_int_equal(decide(fixture), VERDICT_PASS);
		assert_true(result->shift_count > 0);
		assert_int_equal(count_state(result->functions, fixture->sim.input.function_count,
					 VERDICT_IMPROVED),
			0);
		assert_int_equal(
			count_state(result->nodes, fixture->sim.input.node_count, VERDICT_IMPROVED),
			0);
	}
}

struct colored {
	size_t more, less; /* gates with a function, a call or a total */
};

static bool has_state(const struct fixture *fixture, enum verdict_state state)
{
	const struct verdict_input *input = &fixture->sim.input;
	const struct verdict_result *result = &fixture->result;

	return result->total.state == state ||
	       count_state(result->functions, input->function_count, state) ||
	       count_state(result->nodes, input->node_count, state);
}

static struct colored draw_unchanged(
	struct fixture *fixture, const struct sim_noise *noise, size_t layouts, uint64_t gates)
{
	struct colored colored = {0};

	fixture->config = sim_default(noise);
	fixture->config.noise.layouts = layouts;
	fixture->config.noise.layout = layouts > 1 ? noise->layout : 0.03;
	fixture->config.hashes = true;
	fixture->config.others = layouts > 1 ? 0 : 5;
	for (uint64_t gate = 0; gate < gates; gate++) {
		fixture_draw(fixture, 1000 + gate);
		fixture->sim.input.policy.layouts = layouts;
		decide(fixture);
		colored.more += has_state(fixture, VERDICT_CONFIRMED);
		colored.less += has_state(fixture, VERDICT_IMPROVED);
	}
	return colored;
}

static void test_of_unchanged_programs_next_to_nothing_is_less(void **state)
{
	const struct sim_noise *noises[] = {&sim_real, &sim_turns};

	for (size_t layouts = 1; layouts <= 8; layouts += 7)
		for (size_t i = 0; i < 2; i++) {
			struct colored colored = draw_unchanged(*state, noises[i], layouts, 100);

			print_message("# %zu layouts: %zu of 100 have more, %zu have less\n",
				layouts, colored.more, colored.less);
			assert_in_range(colored.more, 0, 2);
			assert_in_range(colored.less, 0, 2);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(test_a_faster_program_is_less_in_all_and_in_its_large_calls),
		RULE(test_stage_1_alone_says_so),
		RULE(test_a_faster_function_is_less_and_so_are_the_calls_that_lead_to_it),
		RULE(test_what_the_layout_may_explain_is_not_less),
		RULE(test_unchanged_code_is_not_less),
		RULE(test_where_cost_moved_from_is_not_less),
		RULE(test_of_unchanged_programs_next_to_nothing_is_less),
	};

	return cmocka_run_group_tests_name("verdict improvements", tests, NULL, NULL);
}
