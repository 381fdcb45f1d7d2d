/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error rates of the whole gate, by seeded simulation: a few hundred gates, so the limits are
 * coarse. tests/bench/verdict draws thousands.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/verdict/sim.h"

/* Whole runs, nothing alternates inside: 6 % of common noise in each version on its own. */
static const struct sim_noise whole = {
	.jitter = 0.06,
	.function_low = 0.01,
	.function_high = 0.05,
};

struct tally {
	size_t gates, failed, right, by_total, shifted, culprits, improved, stage2;
};

static bool blames_planted(
	const struct sim *sim, enum sim_change change, const struct verdict_result *result)
{
	enum verdict_blame kind = change == SIM_CALLED ? VERDICT_BLAME_CALLED : VERDICT_BLAME_SELF;

	return result->culprit_count > 0 && result->culprits[0].kind == kind &&
	       result->culprits[0].function == sim->planted;
}

static void count_gate(const struct sim *sim, enum sim_change change,
	const struct verdict_result *result, struct tally *tally)
{
	bool failed = result->status == VERDICT_REGRESSION;

	assert_int_not_equal(result->status, VERDICT_CANNOT_DECIDE);
	assert_int_not_equal(result->status, VERDICT_UNDECIDED);
	tally->gates++;
	tally->failed += failed;
	tally->right += failed && blames_planted(sim, change, result);
	tally->by_total += (result->reasons & VERDICT_REASON_TOTAL) != 0;
	tally->shifted += (result->reasons & VERDICT_REASON_SHIFTED) != 0;
	tally->stage2 += result->tests_stage2 > 0;
	tally->culprits += result->culprit_count;
	tally->improved += result->functions[sim->planted].state == VERDICT_IMPROVED;
}

static struct tally draw(struct sim_config config, size_t gates, uint64_t seed, bool shuffled)
{
	struct tally tally = {0};

	for (size_t gate = 0; gate < gates; gate++) {
		struct arena arena = ARENA_INIT;
		struct verdict_result result;
		struct sim sim;

		sim_gate(&config, seed * 1000003 + gate, &arena, &sim);
		if (shuffled)
			sim_shuffle_versions(&sim, gate);
		sim.input.policy = verdict_policy_default(true);
		verdict_decide(&sim.input, &arena, &result);
		count_gate(&sim, config.change, &result, &tally);
		arena_release(&arena);
	}
	print_message("# %zu of %zu failed, %zu right, %zu shifted, %zu to stage 2\n", tally.failed,
		tally.gates, tally.right, tally.shifted, tally.stage2);
	return tally;
}

static struct sim_config planted(const struct sim_noise *noise, enum sim_change change, double size,
	size_t rank_low, size_t rank_high)
{
	struct sim_config config = sim_default(noise);

	config.change = change;
	config.size = size;
	config.rank_low = rank_low;
	config.rank_high = rank_high;
	return config;
}

static void test_unchanged_program_passes(void **state)
{
	(void)state;
	assert_int_equal(draw(sim_default(&sim_real), 200, 1, false).failed, 0);
	assert_int_equal(draw(sim_default(&sim_turns), 100, 2, false).failed, 0);
}

static void test_unchanged_program_passes_with_noisy_whole_runs(void **state)
{
	(void)state;
	assert_int_equal(draw(sim_default(&whole), 200, 3, false).failed, 0);
}

static void test_one_percent_in_one_function_fails_and_is_blamed(void **state)
{
	struct tally tally = draw(planted(&sim_real, SIM_SELF, 0.01, 4, 149), 100, 4, false);

	(void)state;
	assert_in_range(tally.failed, 80, 100);
	assert_true(tally.right * 100 >= tally.failed * 95);
}

/* 5 % share, 997 Hz, one CPU-second: what the first end-to-end demo needs. */
static void test_two_and_five_percent_fail_with_noisy_whole_runs(void **state)
{
	struct sim_config config = planted(&whole, SIM_SELF, 0.02, 3, 3);
	struct tally two, five;

	(void)state;
	config.rate_hz = 997;
	two = draw(config, 200, 5, false);
	config.size = 0.05;
	five = draw(config, 60, 6, false);
	assert_in_range(two.failed, 170, 200); /* truth: 0.91 */
	assert_true(two.right * 100 >= two.failed * 93);
	assert_in_range(five.failed, 59, 60);
}

static void test_called_more_often_is_blamed_on_the_call(void **state)
{
	struct tally tally = draw(planted(&sim_turns, SIM_CALLED, 0.05, 0, 150), 60, 7, false);

	(void)state;
	assert_in_range(tally.failed, 56, 60);
	assert_true(tally.right * 100 >= tally.failed * 85);
}

static void test_refactors_pass_as_cost_shifts(void **state)
{
	static const enum sim_change kinds[] = {SIM_RENAME, SIM_EXTRACT, SIM_INLINE, SIM_MOVE};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct tally tally =
			draw(planted(&sim_turns, kinds[i], 0.02, 0, 5), 50, 8 + i, false);

		assert_in_range(tally.failed, 0, 1);
		assert_in_range(tally.shifted, 45, 50);
	}
}

static void test_uniform_slowdown_fails_through_the_total(void **state)
{
	struct tally tally = draw(planted(&sim_turns, SIM_UNIFORM, 0.05, 0, 150), 30, 13, false);

	(void)state;
	assert_int_equal(tally.failed, 30);
	assert_int_equal(tally.by_total, 30);
}

static void test_improvement_passes_and_is_listed(void **state)
{
	struct tally tally = draw(planted(&sim_turns, SIM_FASTER, 0.03, 3, 3), 40, 14, false);

	(void)state;
	assert_int_equal(tally.failed, 0);
	assert_in_range(tally.improved, 36, 40);
}

static void test_samples_shuffled_between_versions_blame_no_function(void **state)
{
	struct tally tally = draw(planted(&sim_turns, SIM_SELF, 0.05, 4, 40), 30, 15, true);

	(void)state;
	assert_int_equal(tally.failed, 0);
	assert_int_equal(tally.culprits, 0);
}

/* Up to 2 % more or fewer calls of each; of every fourth they are not known. */
static double *almost_as_many_calls(const struct sim *sim, uint64_t seed, struct arena *arena)
{
	size_t count = sim->input.function_count;
	double *ratios = arena_array(arena, count, sizeof(*ratios));
	struct sim_rng rng;

	sim_rng_seed(&rng, seed);
	for (size_t f = 0; f < count; f++) {
		double ratio = sim_uniform(&rng, 0.98, 1.02);

		ratios[f] = f % 4 == 3 ? NAN : ratio;
	}
	return ratios;
}

/* The planted function and all below it, so that the total grows by size. */
static void call_more_often(const struct sim *sim, double size, double *ratios)
{
	const uint32_t *parent = sim->input.node_parent;
	size_t top = (size_t)sim->planted + 1, end = top + 1;
	double below = sim->true_base[sim->planted], all = 0;

	for (size_t f = 0; f < sim->input.function_count; f++)
		all += sim->true_base[f];
	for (; end < sim->input.node_count && parent[end] >= top; end++)
		below += sim->true_base[sim->input.node_function[end]];
	for (size_t v = top; v < end; v++)
		ratios[sim->input.node_function[v]] *= 1 + size * all / below;
}

struct excused {
	size_t failed[2]; /* without counted calls, and with them */
};

/* One build of each version, and no function's code has changed. */
static struct excused draw_excused(
	struct sim_config config, size_t gates, uint64_t seed, size_t others)
{
	struct excused excused = {{0}};

	config.noise.layout = 0.03;
	config.noise.layouts = 1;
	config.hashes = config.data = true;
	config.others = others;
	for (size_t gate = 0; gate < gates; gate++) {
		struct arena arena = ARENA_INIT;
		struct verdict_result result;
		struct sim sim;
		double *ratios;

		sim_gate(&config, seed * 1000003 + gate, &arena, &sim);
		sim.input.policy = verdict_policy_default(true);
		ratios = almost_as_many_calls(&sim, gate, &arena);
		if (config.change == SIM_CALLED)
			call_more_often(&sim, config.size, ratios);
		for (int counted = 0; counted < 2; counted++) {
			sim.input.call_ratio = counted ? ratios : NULL;
			verdict_decide(&sim.input, &arena, &result);
			excused.failed[counted] += result.status == VERDICT_REGRESSION;
		}
		arena_release(&arena);
	}
	print_message("# %zu of %zu failed, with counted calls %zu\n", excused.failed[0], gates,
		excused.failed[1]);
	return excused;
}

static void test_counted_calls_that_are_as_many_make_no_false_alarm(void **state)
{
	struct excused none = draw_excused(sim_default(&sim_turns), 200, 16, 0);
	struct excused some = draw_excused(sim_default(&sim_turns), 200, 17, 10);

	(void)state;
	assert_int_equal(none.failed[1], none.failed[0]);
	assert_int_equal(some.failed[1], some.failed[0]);
}

static void test_counted_calls_find_what_unchanged_code_is_called_more_often(void **state)
{
	struct excused found =
		draw_excused(planted(&sim_turns, SIM_CALLED, 0.03, 0, 30), 60, 18, 0);

	(void)state;
	assert_true(found.failed[1] >= 48 && found.failed[1] >= found.failed[0] + 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unchanged_program_passes),
		cmocka_unit_test(test_unchanged_program_passes_with_noisy_whole_runs),
		cmocka_unit_test(test_one_percent_in_one_function_fails_and_is_blamed),
		cmocka_unit_test(test_two_and_five_percent_fail_with_noisy_whole_runs),
		cmocka_unit_test(test_called_more_often_is_blamed_on_the_call),
		cmocka_unit_test(test_refactors_pass_as_cost_shifts),
		cmocka_unit_test(test_uniform_slowdown_fails_through_the_total),
		cmocka_unit_test(test_improvement_passes_and_is_listed),
		cmocka_unit_test(test_counted_calls_that_are_as_many_make_no_false_alarm),
		cmocka_unit_test(test_counted_calls_find_what_unchanged_code_is_called_more_often),
		cmocka_unit_test(test_samples_shuffled_between_versions_blame_no_function),
	};

	return cmocka_run_group_tests_name("verdict rates", tests, NULL, NULL);
}
