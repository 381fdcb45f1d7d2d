/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error rates of the screen, by seeded simulation of a stored baseline and a later head on another
 * machine. tests/bench/bench_screen.c draws more, and other numbers of runs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/verdict/sim_reference.h"

struct tally {
	size_t gates, flagged, right, shifted;
	double size_error; /* the largest, relative */
};

static struct tally draw(const struct sim_reference_config *config, size_t gates, uint64_t seed)
{
	struct tally tally = {0};

	for (size_t gate = 0; gate < gates; gate++) {
		struct arena arena = ARENA_INIT;
		struct screen_result result;
		struct screen_input input;
		struct sim sim;

		sim_reference(config, seed * 1000003 + gate, &arena, &sim, &input);
		screen_decide(&input, &arena, &result);
		assert_int_not_equal(result.status, SCREEN_CANNOT);
		tally.gates++;
		tally.flagged += result.status == SCREEN_FLAGGED;
		tally.shifted += result.shifted_count > 0;
		tally.right += result.flagged_count && result.flagged[0].function == sim.planted;
		tally.size_error =
			fmax(tally.size_error, fabs(result.size_factor / result.total_ratio - 1));
		arena_release(&arena);
	}
	print_message("# %zu of %zu flagged, %zu right, %zu shifted, size within %.3f\n",
		tally.flagged, tally.gates, tally.right, tally.shifted, tally.size_error);
	return tally;
}

static struct sim_reference_config planted(
	const struct sim_noise *noise, enum sim_change change, double size, size_t rank_high)
{
	struct sim_reference_config config = sim_reference_default(noise);

	config.sim.change = change;
	config.sim.size = size;
	config.sim.rank_high = rank_high;
	return config;
}

static void test_unchanged_program_on_another_machine_is_clear(void **state)
{
	struct sim_reference_config config = sim_reference_default(&sim_real);
	struct tally tally = draw(&config, 600, 1);

	(void)state;
	assert_int_equal(tally.flagged, 0);
	assert_true(tally.size_error < 0.1);
}

static void test_unchanged_program_on_another_kind_of_machine_is_clear(void **state)
{
	struct sim_reference_config config = sim_reference_default(&sim_real);

	(void)state;
	config.kind = 0.1;
	assert_int_equal(draw(&config, 200, 2).flagged, 0);
}

static void test_unchanged_program_in_a_single_run_is_clear(void **state)
{
	struct sim_reference_config config = sim_reference_default(&sim_real);

	(void)state;
	config.runs[1] = 1;
	assert_int_equal(draw(&config, 200, 3).flagged, 0);
}

static void test_half_a_percent_is_below_the_margin(void **state)
{
	struct sim_reference_config config = planted(&sim_real, SIM_SELF, 0.005, 150);

	(void)state;
	config.runs[0] = config.runs[1] = 40;
	assert_int_equal(draw(&config, 100, 4).flagged, 0);
}

static void test_one_percent_is_often_found_and_two_nearly_always(void **state)
{
	struct sim_reference_config config = planted(&sim_real, SIM_SELF, 0.01, 150);
	struct tally one, two;

	(void)state;
	one = draw(&config, 100, 5);
	config.sim.size = 0.02;
	two = draw(&config, 100, 6);
	assert_in_range(one.flagged, 25, 55);
	assert_int_equal(one.right, one.flagged);
	assert_in_range(two.flagged, 88, 100);
	assert_int_equal(two.right, two.flagged);
}

static void test_more_runs_find_more(void **state)
{
	struct sim_reference_config config = planted(&sim_real, SIM_SELF, 0.01, 150);

	(void)state;
	config.runs[0] = config.runs[1] = 40;
	assert_in_range(draw(&config, 60, 7).flagged, 45, 60);
}

static void test_a_uniform_slowdown_is_invisible(void **state)
{
	struct sim_reference_config config = planted(&sim_turns, SIM_UNIFORM, 0.3, 150);

	(void)state;
	assert_int_equal(draw(&config, 60, 8).flagged, 0);
}

static void test_refactors_are_shifts(void **state)
{
	static const enum sim_change kinds[] = {SIM_RENAME, SIM_EXTRACT, SIM_INLINE, SIM_MOVE};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct sim_reference_config config = planted(&sim_real, kinds[i], 0.02, 5);
		struct tally tally;

		config.sim.flags = true;
		tally = draw(&config, 60, 9 + i);
		assert_in_range(tally.flagged, 0, 6);
		assert_in_range(tally.shifted, 50, 60);
	}
}

/* What an unchanged program's report would have said. */
static double printed_mde(struct sim_reference_config config, uint64_t seed)
{
	struct arena arena = ARENA_INIT;
	struct screen_result result;
	struct screen_input input;
	struct sim sim;

	config.sim.change = SIM_NONE;
	sim_reference(&config, seed, &arena, &sim, &input);
	screen_decide(&input, &arena, &result);
	arena_release(&arena);
	return result.mde_function;
}

/* Ranks 14 and 15 have 1 % of the total. */
static void test_the_printed_effect_is_found_four_times_of_five(void **state)
{
	static const struct sim_noise steady = {
		.drift = 0.07,
		.drift_memory = 0.95,
		.jitter = 0.03,
		.function_low = 0.01,
		.function_high = 0.05,
	};
	struct sim_reference_config config = planted(&steady, SIM_SELF, 0, 15);
	size_t found = 0;

	(void)state;
	config.sim.rank_low = 14;
	for (uint64_t gate = 0; gate < 300; gate++) {
		config.sim.size = printed_mde(config, 1 << 20 | gate);
		found += draw(&config, 1, 1 << 10 | gate).right;
	}
	print_message("# found %zu of 300\n", found);
	assert_in_range(found, 225, 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unchanged_program_on_another_machine_is_clear),
		cmocka_unit_test(test_unchanged_program_on_another_kind_of_machine_is_clear),
		cmocka_unit_test(test_unchanged_program_in_a_single_run_is_clear),
		cmocka_unit_test(test_half_a_percent_is_below_the_margin),
		cmocka_unit_test(test_one_percent_is_often_found_and_two_nearly_always),
		cmocka_unit_test(test_more_runs_find_more),
		cmocka_unit_test(test_a_uniform_slowdown_is_invisible),
		cmocka_unit_test(test_refactors_are_shifts),
		cmocka_unit_test(test_the_printed_effect_is_found_four_times_of_five),
	};

	return cmocka_run_group_tests_name("screen rates", tests, NULL, NULL);
}
