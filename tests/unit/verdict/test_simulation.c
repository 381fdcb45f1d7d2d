/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few gates of the bench's situations (tests/bench/verdict), the same ones every time: the limits
 * are as wide as so few gates ask for, and still narrower than what a broken rule does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/bench/verdict/situations.h"

static const struct situation *find(const char *name)
{
	for (size_t i = 0; i < situation_count; i++)
		if (strcmp(situations[i].name, name) == 0)
			return &situations[i];
	fail_msg("no situation '%s'", name);
	return NULL;
}

static struct tally draw(const char *name, enum machine_noise noise, size_t gates)
{
	struct tally tally = {0};

	draw_gates(find(name), noise, 0, gates, &tally);
	print_message("# %s, %s: %zu of %zu failed, %zu right, %zu shifted\n", name,
		noise_names[noise], tally.failed, tally.gates, tally.right, tally.shifted);
	assert_int_equal(tally.undecided, 0);
	return tally;
}

/* What the limits below were simulated with. */
static void test_defaults_are_the_specifications(void **state)
{
	struct verdict_policy whole = verdict_policy_default(true);
	struct verdict_policy sliced = verdict_policy_default(false);

	(void)state;
	assert_true(whole.alpha_stage1_nodes == 0.04 && whole.alpha_stage1_total == 0.01);
	assert_true(whole.alpha_stage2 == 0.01 && whole.stage2_pairs == 24);
	assert_true(whole.margin_points == 0.002 && whole.margin_self_relative == 0.02);
	assert_true(whole.margin_total_relative == 0.01);
	assert_true(whole.total_margin == 0.01 && sliced.total_margin == 0.005);
	assert_true(whole.min_samples == 20 && whole.min_pairs == 8);
}

static void test_unchanged_programs_never_fail(void **state)
{
	(void)state;
	assert_int_equal(draw("no-op, 1 benchmark", NOISE_REAL, 100).failed, 0);
	assert_int_equal(draw("no-op, 1 benchmark", NOISE_TURNS, 100).failed, 0);
	assert_int_equal(draw("no-op, 1 benchmark", NOISE_WHOLE, 100).failed, 0);
	assert_int_equal(draw("no-op, 10 benchmarks", NOISE_TURNS, 10).failed, 0);
	assert_int_equal(draw("no-op, 50 benchmarks", NOISE_REAL, 2).failed, 0);
}

static void test_one_percent_is_found_in_most_ranks(void **state)
{
	(void)state;
	assert_in_range(draw("self +1 %, ranks 5-20", NOISE_TURNS, 50).failed, 25, 46);
	assert_in_range(draw("self +1 %, ranks > 50", NOISE_REAL, 50).failed, 42, 50);
	assert_in_range(draw("self +0.5 %", NOISE_TURNS, 60).failed, 4, 30);
}

static void test_what_is_found_is_named(void **state)
{
	struct tally self = draw("self +2 %", NOISE_REAL, 50);
	struct tally called = draw("called more often +5 %", NOISE_TURNS, 50);

	(void)state;
	assert_in_range(self.failed, 43, 50);
	assert_true(self.right * 100 >= self.failed * 95);
	assert_in_range(called.failed, 46, 50);
	assert_true(called.right * 100 >= called.failed * 85);
}

static void test_refactors_and_improvements_pass(void **state)
{
	(void)state;
	assert_in_range(draw("rename of 2 %, unmatched", NOISE_TURNS, 50).failed, 0, 1);
	assert_in_range(draw("split of 2 %, diff known", NOISE_REAL, 50).failed, 0, 1);
	assert_in_range(draw("inline of 2 %", NOISE_TURNS, 50).failed, 0, 1);
	assert_in_range(draw("move of 2 %, diff known", NOISE_TURNS, 50).failed, 0, 1);
	assert_int_equal(draw("improvement -3 %", NOISE_TURNS, 50).failed, 0);
}

static void test_unchanged_code_excuses_one_layout(void **state)
{
	(void)state;
	assert_int_equal(
		draw("no-op, single build, hashes: 10 changed", NOISE_TURNS, 100).failed, 0);
}

static void test_printed_effect_is_found_four_times_in_five(void **state)
{
	(void)state;
	assert_in_range(
		draw("printed effect, 1.1 % share, no layout", NOISE_TURNS, 60).failed, 38, 57);
	assert_in_range(draw("printed effect of the total", NOISE_REAL, 60).failed, 32, 58);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_are_the_specifications),
		cmocka_unit_test(test_unchanged_programs_never_fail),
		cmocka_unit_test(test_one_percent_is_found_in_most_ranks),
		cmocka_unit_test(test_what_is_found_is_named),
		cmocka_unit_test(test_refactors_and_improvements_pass),
		cmocka_unit_test(test_unchanged_code_excuses_one_layout),
		cmocka_unit_test(test_printed_effect_is_found_four_times_in_five),
	};

	return cmocka_run_group_tests_name("verdict simulation", tests, NULL, NULL);
}
