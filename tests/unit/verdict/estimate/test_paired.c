/* SPDX-License-Identifier: Apache-2.0 */
/* One number per run, in pairs: rules by example, error rates and power by seeded simulation. */
#include "gate/verdict/estimate/paired.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PAIRS 16
#define GATES 40000

struct scene {
	double value[2][PAIRS];
	struct paired_input input;
	struct paired_result result;
	uint64_t random;
};

static double uniform(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * 3.14159265358979323846 * uniform(state));
}

static void begin(struct scene *scene, enum paired_test test)
{
	*scene = (struct scene){.random = 1};
	scene->input = (struct paired_input){.test = test,
		.threshold = 0.01,
		.alpha = PAIRED_ALPHA,
		.count = PAIRS,
		.value = {scene->value[0], scene->value[1]}};
	for (int version = 0; version < 2; version++)
		for (size_t i = 0; i < PAIRS; i++)
			scene->value[version][i] = 100;
}

static enum paired_status decide(struct scene *scene)
{
	struct arena arena = ARENA_INIT;

	paired_decide(&scene->input, &arena, &scene->result);
	arena_release(&arena);
	return scene->result.status;
}

/* Both versions share the pair's drift; rarely a run is much larger. */
static void draw(struct scene *scene, double factor, double jitter, double outliers)
{
	for (size_t i = 0; i < PAIRS; i++) {
		double drift = 1 + 0.05 * normal(&scene->random);

		for (int version = 0; version < 2; version++) {
			double run = exp(jitter * normal(&scene->random));

			if (uniform(&scene->random) < outliers)
				run *= 1.5;
			scene->value[version][i] = 100 * drift * run * (version ? factor : 1);
		}
	}
}

static size_t count_grown(
	struct scene *scene, double factor, double jitter, double outliers, size_t gates)
{
	size_t grown = 0;

	for (size_t gate = 0; gate < gates; gate++) {
		draw(scene, factor, jitter, outliers);
		grown += decide(scene) == PAIRED_GREW;
	}
	print_message("# %zu of %zu grew\n", grown, gates);
	return grown;
}

/* ---- rates ---------------------------------------------------------------------------------- */

static void test_equal_versions_are_hardly_ever_said_to_have_grown(void **state)
{
	static const double outliers[] = {0, 0.03, 0.3};
	struct scene scene;

	(void)state;
	for (int test = PAIRED_T; test <= PAIRED_RANKS; test++)
		for (size_t i = 0; i < 3; i++) {
			begin(&scene, (enum paired_test)test);
			scene.input.threshold = 0;
			/* 20 expected at the margin itself; the rates' 1e-6 quantile is 45 */
			assert_in_range(count_grown(&scene, 1, 0.02, outliers[i], GATES), 0, 45);
		}
}

static void test_growth_at_the_margin_is_not_beyond_it(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, PAIRED_T);
	assert_in_range(count_grown(&scene, 1.01, 0.02, 0, GATES), 5, 45);
	begin(&scene, PAIRED_T);
	assert_in_range(count_grown(&scene, 1.003, 0.004, 0, GATES), 0, 1);
}

static void test_growth_well_beyond_the_margin_is_found(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, PAIRED_T);
	assert_in_range(count_grown(&scene, 1.03, 0.005, 0, 400), 395, 400);
	begin(&scene, PAIRED_RANKS);
	assert_in_range(count_grown(&scene, 1.03, 0.005, 0, 400), 390, 400);
}

static void test_the_interval_covers_the_truth(void **state)
{
	struct scene scene;
	size_t inside = 0;

	(void)state;
	begin(&scene, PAIRED_T);
	for (int gate = 0; gate < 2000; gate++) {
		draw(&scene, 1.02, 0.01, 0);
		decide(&scene);
		inside += scene.result.low <= 0.02 && scene.result.high >= 0.02;
	}
	assert_in_range(inside, 1860, 1940);
}

/* ---- rules ---------------------------------------------------------------------------------- */

static void test_numbers_that_agree_are_compared_exactly_if_asked(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, PAIRED_T);
	scene.input.exact_first = true;
	scene.input.count = 3;
	assert_int_equal(decide(&scene), PAIRED_SAME);
	assert_true(scene.result.exact);
	for (size_t i = 0; i < PAIRS; i++)
		scene.value[1][i] = 101;
	assert_int_equal(decide(&scene), PAIRED_GREW);
	assert_true(isnan(scene.result.p) && isnan(scene.result.low));
	scene.input.threshold = 0.02;
	assert_int_equal(decide(&scene), PAIRED_SAME);
	scene.input.least = 1;
	scene.input.threshold = 0;
	assert_int_equal(decide(&scene), PAIRED_GREW);
	scene.input.least = 1.5;
	assert_int_equal(decide(&scene), PAIRED_SAME);
	for (size_t i = 0; i < PAIRS; i++)
		scene.value[1][i] = 90;
	assert_int_equal(decide(&scene), PAIRED_SHRANK);
	scene.value[0][1] = 99;
	assert_int_equal(decide(&scene), PAIRED_CANNOT);
	assert_string_equal(scene.result.reason, "too few pairs of runs");
}

static void test_ranks_that_cannot_reach_the_error_rate_decide_nothing(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, PAIRED_RANKS);
	draw(&scene, 2, 0.001, 0);
	assert_int_equal(decide(&scene), PAIRED_GREW);
	scene.input.alpha = 0.9 * exp2(-PAIRS);
	assert_int_equal(decide(&scene), PAIRED_CANNOT);
	assert_string_equal(scene.result.reason, "too few pairs of runs for this error rate");
}

static void test_two_runs_cannot_agree(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, PAIRED_T);
	scene.input.exact_first = true;
	scene.input.count = 2;
	assert_int_equal(decide(&scene), PAIRED_CANNOT);
	scene.input.count = 0;
	assert_int_equal(decide(&scene), PAIRED_CANNOT);
}

static void test_what_was_not_there_before_has_grown_without_measure(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, PAIRED_RANKS);
	scene.input.exact_first = true;
	memset(scene.value[0], 0, sizeof(scene.value[0]));
	assert_int_equal(decide(&scene), PAIRED_GREW);
	assert_true(isinf(scene.result.change));
	for (size_t i = 0; i < PAIRS; i++)
		scene.value[1][i] = 5 + (double)i;
	assert_int_equal(decide(&scene), PAIRED_GREW);
	assert_true(isinf(scene.result.change) && isnan(scene.result.low));
	memset(scene.value[1], 0, sizeof(scene.value[1]));
	assert_int_equal(decide(&scene), PAIRED_SAME);
	assert_true(scene.result.change == 0);
}

static void test_the_least_counts_beside_the_threshold(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, PAIRED_T);
	scene.input.threshold = 0.005;
	for (size_t i = 0; i < PAIRS; i++)
		scene.value[1][i] = 100.7 + 0.01 * normal(&scene.random);
	assert_int_equal(decide(&scene), PAIRED_GREW);
	scene.input.least = 1;
	assert_int_equal(decide(&scene), PAIRED_SAME);
	begin(&scene, PAIRED_T);
	scene.input.exact_first = true;
	scene.input.least = 1;
	for (size_t i = 0; i < PAIRS; i++) {
		scene.value[0][i] = 0;
		scene.value[1][i] = 0.5;
	}
	assert_int_equal(decide(&scene), PAIRED_SAME);
}

static void test_the_least_counts_where_there_was_nothing_before(void **state)
{
	struct scene scene;

	(void)state;
	for (int test = PAIRED_T; test <= PAIRED_RANKS; test++) {
		begin(&scene, (enum paired_test)test);
		scene.input.least = 1;
		memset(scene.value[0], 0, sizeof(scene.value[0]));
		for (size_t i = 0; i < PAIRS; i++)
			scene.value[1][i] = 0.5 + 0.1 * uniform(&scene.random);
		assert_int_equal(decide(&scene), PAIRED_SAME);
		for (size_t i = 0; i < PAIRS; i++)
			scene.value[1][i] += 1;
		assert_int_equal(decide(&scene), PAIRED_GREW);
		assert_true(isinf(scene.result.change) && isnan(scene.result.low));
		assert_true(scene.result.margin == scene.input.threshold);
	}
}

static void test_a_slope_may_be_negative_and_its_difference_is_in_units(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, PAIRED_T);
	scene.input.differences = true;
	scene.input.threshold = 0;
	scene.input.least = 1;
	for (size_t i = 0; i < PAIRS; i++) {
		scene.value[0][i] = -3 + 0.1 * normal(&scene.random);
		scene.value[1][i] = 7 + 0.1 * normal(&scene.random);
	}
	assert_int_equal(decide(&scene), PAIRED_GREW);
	assert_true(fabs(scene.result.change - 10) < 0.3);
	assert_true(scene.result.low > 9 && scene.result.high < 11);
	for (size_t i = 0; i < PAIRS; i++)
		scene.value[1][i] = scene.value[0][i] + 0.9 + 0.01 * normal(&scene.random);
	assert_int_equal(decide(&scene), PAIRED_SAME);
	scene.input.exact_first = true;
	for (size_t i = 0; i < PAIRS; i++) {
		scene.value[0][i] = -1;
		scene.value[1][i] = 0;
	}
	assert_int_equal(decide(&scene), PAIRED_GREW);
	assert_true(scene.result.change == 1);
}

static void test_numbers_that_are_none_are_refused(void **state)
{
	static const double bad[] = {-1, NAN, INFINITY, 1e31};
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		begin(&scene, PAIRED_T);
		scene.value[1][PAIRS - 1] = bad[i];
		assert_int_equal(decide(&scene), PAIRED_CANNOT);
		begin(&scene, PAIRED_T);
		scene.input.threshold = bad[i];
		assert_int_equal(decide(&scene), PAIRED_CANNOT);
	}
}

/* Two pairs far off would turn the means' sign, and the estimate leaves them out. */
static void test_the_means_have_the_sign_of_the_change(void **state)
{
	static const enum paired_test tests[] = {PAIRED_RANKS, PAIRED_T};
	struct scene scene;

	(void)state;
	for (size_t t = 0; t < 2; t++) {
		begin(&scene, tests[t]);
		for (size_t i = 0; i < PAIRS; i++)
			scene.value[1][i] = 103 + 0.01 * (double)i;
		scene.value[0][3] = scene.value[0][9] = 200;
		decide(&scene);
		assert_float_equal((float)(scene.result.head / scene.result.base - 1),
			(float)scene.result.change, 1e-6f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_versions_are_hardly_ever_said_to_have_grown),
		cmocka_unit_test(test_the_means_have_the_sign_of_the_change),
		cmocka_unit_test(test_ranks_that_cannot_reach_the_error_rate_decide_nothing),
		cmocka_unit_test(test_growth_at_the_margin_is_not_beyond_it),
		cmocka_unit_test(test_growth_well_beyond_the_margin_is_found),
		cmocka_unit_test(test_the_interval_covers_the_truth),
		cmocka_unit_test(test_numbers_that_agree_are_compared_exactly_if_asked),
		cmocka_unit_test(test_two_runs_cannot_agree),
		cmocka_unit_test(test_what_was_not_there_before_has_grown_without_measure),
		cmocka_unit_test(test_the_least_counts_beside_the_threshold),
		cmocka_unit_test(test_the_least_counts_where_there_was_nothing_before),
		cmocka_unit_test(test_a_slope_may_be_negative_and_its_difference_is_in_units),
		cmocka_unit_test(test_numbers_that_are_none_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
