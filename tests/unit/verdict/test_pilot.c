/* SPDX-License-Identifier: Apache-2.0 */
/* The number of pairs by the noise of the first ones: enough, bounded, and blind to the
 * difference. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gate/verdict/pilot.h"
#include "tests/unit/verdict/sim.h"

#define FIRST 16
#define SECOND 24
#define TIMES 3

static const size_t least[2] = {FIRST, SECOND}, most[2] = {TIMES * FIRST, TIMES *SECOND};

/* Pair b of the result's rows is pair of[b] of the simulated ones. */
static struct verdict_cell *choose_cells(const struct verdict_cell *rows, size_t count, size_t row,
	const size_t *of, size_t pairs, struct arena *arena)
{
	struct verdict_cell *cells = arena_array(arena, count * pairs, sizeof(*cells));

	for (size_t i = 0; i < count; i++)
		for (size_t b = 0; b < pairs; b++)
			cells[i * pairs + b] = rows[i * row + of[b]];
	return cells;
}

/* The gate with the first n[0] pairs as stage 1 and n[1] of those behind all of stage 1's. */
static struct verdict_input choose(const struct sim *sim, const size_t n[2], struct arena *arena)
{
	const struct verdict_input *all = &sim->input;
	struct verdict_input input = *all;
	size_t of[TIMES * (FIRST + SECOND)], pairs = n[0] + n[1];

	for (size_t b = 0; b < pairs; b++)
		of[b] = b < n[0] ? b : most[0] + b - n[0];
	input.pairs = pairs;
	input.stage1_pairs = n[0];
	for (int version = 0; version < 2; version++) {
		double *total = arena_array(arena, pairs, sizeof(*total));

		for (size_t b = 0; b < pairs; b++)
			total[b] = all->total[version][of[b]];
		input.total[version] = total;
		input.self[version] = choose_cells(
			all->self[version], all->function_count, all->pairs, of, pairs, arena);
		input.node_self[version] = choose_cells(
			all->node_self[version], all->node_count, all->pairs, of, pairs, arena);
		input.node_total[version] = choose_cells(
			all->node_total[version], all->node_count, all->pairs, of, pairs, arena);
	}
	return input;
}

static struct verdict_plan plan_of(
	const struct verdict_input *input, double detect, struct arena *arena)
{
	struct verdict_result pilot;
	struct verdict_plan plan;

	verdict_stage1(input, arena, &pilot);
	assert_int_not_equal(pilot.status, VERDICT_CANNOT_DECIDE);
	verdict_plan(&input->policy, &pilot, detect, least, most, &plan);
	return plan;
}

static struct sim_config config_of(const struct sim_noise *noise, double seconds)
{
	struct sim_config config = sim_default(noise);

	config.stage1 = most[0];
	config.stage2 = most[1];
	config.seconds = seconds;
	return config;
}

static struct verdict_plan plan_for(const struct sim_config *config, double detect, bool swapped)
{
	static const size_t pilot[2] = {FIRST, 0};
	struct arena arena = ARENA_INIT;
	struct verdict_input input;
	struct verdict_plan plan;
	struct sim sim;

	sim_gate(config, 99, &arena, &sim);
	input = choose(&sim, pilot, &arena);
	input.policy = verdict_policy_default(true);
	if (swapped) {
		const double *total = input.total[0];
		const struct verdict_cell *self = input.self[0], *node_self = input.node_self[0],
					  *node_total = input.node_total[0];

		input.total[0] = input.total[1];
		input.self[0] = input.self[1];
		input.node_self[0] = input.node_self[1];
		input.node_total[0] = input.node_total[1];
		input.total[1] = total;
		input.self[1] = self;
		input.node_self[1] = node_self;
		input.node_total[1] = node_total;
	}
	plan = plan_of(&input, detect, &arena);
	arena_release(&arena);
	return plan;
}

static void test_a_quiet_benchmark_gets_no_more_than_it_must(void **state)
{
	const struct sim_config config = config_of(&sim_quiet, 4);
	struct verdict_plan plan = plan_for(&config, 0.01, false);

	(void)state;
	assert_true(plan.reached);
	assert_int_equal(plan.pairs[0], FIRST);
	assert_int_equal(plan.pairs[1], SECOND);
	assert_true(plan.detectable <= 0.01);
}

/* The fewest pairs would do for a function of 1 %. */
static void test_the_fifth_largest_is_to_be_found_as_well(void **state)
{
	const struct sim_config config = config_of(&sim_quiet, 2);
	struct verdict_plan plan = plan_for(&config, 0.01, false), fewest;

	(void)state;
	assert_true(plan.reached);
	assert_in_range(plan.pairs[0], FIRST + 1, most[0] - 1);
	fewest = plan_for(&config, 0.015, false);
	assert_int_equal(fewest.pairs[0], FIRST);
	assert_true(fewest.detectable <= 0.01);
}

static void test_a_short_one_gets_as_many_as_it_needs(void **state)
{
	const struct sim_config config = config_of(&sim_quiet, 0.5);
	struct verdict_plan plan = plan_for(&config, 0.01, false), fewer;

	(void)state;
	assert_true(plan.reached);
	assert_in_range(plan.pairs[0], FIRST + 1, most[0]);
	assert_in_range(plan.pairs[1], SECOND + 1, most[1]);
	assert_true(plan.detectable <= 0.01);
	fewer = plan_for(&config, 0.015, false);
	assert_true(fewer.pairs[0] < plan.pairs[0]);
}

static void test_what_is_out_of_reach_is_said(void **state)
{
	const struct sim_config config = config_of(&sim_quiet, 0.05);
	struct verdict_plan plan = plan_for(&config, 0.01, false);

	(void)state;
	assert_false(plan.reached);
	assert_int_equal(plan.pairs[0], most[0]);
	assert_int_equal(plan.pairs[1], most[1]);
	assert_true(plan.detectable > 0.01);
}

static void test_the_plan_is_the_same_whichever_version_is_slower(void **state)
{
	struct sim_config config = config_of(&sim_quiet, 0.5);
	struct verdict_plan slower, faster;

	(void)state;
	config.change = SIM_SELF;
	config.size = 0.03;
	config.rank_low = config.rank_high = 5;
	slower = plan_for(&config, 0.01, false);
	faster = plan_for(&config, 0.01, true);
	assert_int_equal(slower.pairs[0], faster.pairs[0]);
	assert_int_equal(slower.pairs[1], faster.pairs[1]);
}

/* How many of stage 1's tests reach 5 % without any difference; the margins are off. */
struct rate {
	size_t tests, significant;
};

static void count_tests(const struct verdict_input *input, struct arena *arena, struct rate *rate)
{
	struct verdict_result result;

	verdict_stage1(input, arena, &result);
	for (size_t f = 0; f < input->function_count; f++) {
		if (!result.functions[f].eligible)
			continue;
		rate->tests++;
		rate->significant += result.functions[f].p_stage[0] < 0.05;
	}
}

static void test_planning_by_the_noise_raises_no_false_alarms(void **state)
{
	static const size_t pilot[2] = {FIRST, 0};
	const struct sim_config config = config_of(&sim_real, 0.7);
	struct rate fixed = {0}, planned = {0};
	size_t longer = 0, failed = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct arena arena = ARENA_INIT;
		struct verdict_input input;
		struct verdict_result result;
		struct verdict_plan plan;
		size_t first[2] = {0, 0};
		struct sim sim;

		sim_gate(&config, 4000 + seed, &arena, &sim);
		sim.input.policy = verdict_policy_default(true);
		input = choose(&sim, pilot, &arena);
		plan = plan_of(&input, 0.013, &arena);
		longer += plan.pairs[0] > FIRST && plan.pairs[0] < most[0];
		first[0] = plan.pairs[0];
		input.policy.margin_points = 0;
		input.policy.margin_self_relative = 0;
		count_tests(&input, &arena, &fixed);
		input = choose(&sim, first, &arena);
		input.policy.margin_points = 0;
		input.policy.margin_self_relative = 0;
		count_tests(&input, &arena, &planned);
		input = choose(&sim, plan.pairs, &arena);
		verdict_decide(&input, &arena, &result);
		failed += result.status == VERDICT_REGRESSION;
		arena_release(&arena);
	}
	print_message(
		"# %zu of 60 planned in between; at 5 %%: fixed %zu of %zu, planned %zu of %zu\n",
		longer, fixed.significant, fixed.tests, planned.significant, planned.tests);
	assert_int_equal(failed, 0);
	assert_true(longer >= 30);
	assert_true(planned.tests > 3000);
	assert_true((double)planned.significant <= 0.055 * (double)planned.tests);
	assert_true((double)planned.significant / (double)planned.tests <=
		    (double)fixed.significant / (double)fixed.tests + 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_quiet_benchmark_gets_no_more_than_it_must),
		cmocka_unit_test(test_the_fifth_largest_is_to_be_found_as_well),
		cmocka_unit_test(test_a_short_one_gets_as_many_as_it_needs),
		cmocka_unit_test(test_what_is_out_of_reach_is_said),
		cmocka_unit_test(test_the_plan_is_the_same_whichever_version_is_slower),
		cmocka_unit_test(test_planning_by_the_noise_raises_no_false_alarms),
	};

	return cmocka_run_group_tests_name("verdict plan", tests, NULL, NULL);
}
