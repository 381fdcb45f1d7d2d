/* SPDX-License-Identifier: Apache-2.0 */
/* Where a slowdown is planted: a function's own code, its rank and share, the choice by seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate/bench/recording/recording.h"
#include "gate/check/self_test/self_test_pick.h"
#include "gate/profile/profile.h"

/* 16 + 24 pairs of runs of 1 s at 1 kHz, no noise but the sampling's. */
static const struct verdict_power quiet = {
	.of_base = 1,
	.stage = {{16, 3.5, 25}, {24, 2.4, 33}},
	.poisson = 0.002,
	.samples_per_run = 2000,
	.margin_points = 0.002,
	.margin_self_relative = 0.02,
	.total = {{16, 24}, {0.01, 0.01}, 0.05, 0.01},
};

struct scene {
	struct recording recording;
	struct recording_round round;
	struct arena arena;
	uint32_t mapping, library;
	struct self_test_places places;
};

static int set_up(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct profile_mapping mapping = {.file = "bench", .build_id = "0a1b", .limit = 0x10000};
	struct profile *profile = profile_new();

	profile_add_type(profile, PROFILE_TYPE_SAMPLES, "count");
	profile_add_type(profile, PROFILE_TYPE_CPU, "nanoseconds");
	scene->mapping = profile_add_mapping(profile, &mapping);
	mapping.file = "out/lib.so";
	mapping.build_id = "";
	scene->library = profile_add_mapping(profile, &mapping);
	scene->recording.profile = profile;
	scene->recording.rounds = &scene->round;
	scene->recording.round_count = 1;
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	profile_free(scene->recording.profile);
	arena_release(&scene->arena);
	free(scene);
	return 0;
}

/* Samples of so many ms whose leaf is this function at this address, called by main. */
static void hit_in(
	struct scene *scene, uint32_t mapping, const char *name, uint64_t address, int ms)
{
	struct profile *profile = scene->recording.profile;
	struct profile_function function = {.name = name, .system_name = "", .file = "a.c"};
	struct profile_line line = {profile_add_function(profile, &function), 1};
	struct profile_location location = {
		.mapping = mapping, .address = address, .lines = &line, .line_count = 1};
	const int64_t values[] = {ms, (int64_t)ms * 1000000};
	uint32_t stack[2];

	stack[0] = profile_add_location(profile, &location);
	function.name = "main";
	line.function = profile_add_function(profile, &function);
	location.address = 0x9000;
	stack[1] = profile_add_location(profile, &location);
	profile_add_sample(profile,
		&(struct profile_sample){.locations = stack, .depth = 2, .values = values});
	scene->round.cpu_seconds += ms / 1e3;
}

static void hit(struct scene *scene, const char *name, uint64_t address, int ms)
{
	hit_in(scene, scene->mapping, name, address, ms);
}

static const struct self_test_place *place_of(struct scene *scene, const char *name)
{
	self_test_places(&scene->recording, &quiet, &scene->arena, &scene->places);
	for (size_t i = 0; i < scene->places.count; i++)
		if (strcmp(scene->places.items[i].name, name) == 0)
			return &scene->places.items[i];
	return NULL;
}

static void test_code_is_what_lies_between_a_functions_samples(void **state)
{
	struct scene *scene = *state;
	const struct self_test_place *place;

	hit(scene, "before", 0x0f8, 300);
	hit(scene, "f", 0x120, 30);
	hit(scene, "f", 0x100, 50);
	hit(scene, "f", 0x108, 20);
	hit(scene, "after", 0x130, 600);
	place = place_of(scene, "f");
	assert_non_null(place);
	assert_int_equal(place->code.range_count, 1);
	assert_int_equal(place->code.ranges[0].first, 0x100);
	assert_int_equal(place->code.ranges[0].last, 0x120);
	assert_string_equal(place->code.module, "0a1b");
	assert_int_equal(place->rank, 3);
	assert_true(fabs(place->share - 0.1) < 1e-9);
	assert_string_equal(place->file, "a.c");
	assert_int_equal(scene->places.functions, 3);
}

/* What is inlined in the middle stays out, and an address that two share belongs to neither. */
static void test_other_functions_samples_cut_the_code(void **state)
{
	struct scene *scene = *state;
	const struct self_test_place *place;

	hit(scene, "f", 0x100, 50);
	hit(scene, "f", 0x110, 10);
	hit(scene, "inlined", 0x118, 5);
	hit(scene, "f", 0x120, 70);
	hit(scene, "f", 0x128, 1);
	hit(scene, "inlined", 0x128, 1);
	place = place_of(scene, "f");
	assert_non_null(place);
	assert_int_equal(place->code.range_count, 2);
	assert_int_equal(place->code.ranges[0].first, 0x120);
	assert_int_equal(place->code.ranges[0].last, 0x120);
	assert_int_equal(place->code.ranges[1].first, 0x100);
	assert_int_equal(place->code.ranges[1].last, 0x110);
}

static void test_equal_addresses_of_two_modules_are_two_places(void **state)
{
	struct scene *scene = *state;
	const struct self_test_place *place;

	hit(scene, "f", 0x100, 50);
	hit_in(scene, scene->library, "g", 0x100, 50);
	hit_in(scene, scene->library, "g", 0x140, 50);
	place = place_of(scene, "g");
	assert_non_null(place);
	assert_int_equal(place->code.range_count, 1);
	assert_string_equal(place->code.module, "/out/lib.so");
	assert_non_null(place_of(scene, "f"));
}

static void test_what_cannot_be_named_or_found_again_is_left_out(void **state)
{
	struct scene *scene = *state;
	struct profile_mapping vdso = {.file = "[vdso]", .build_id = "ff"};
	char name[32];

	hit(scene, "[bench+0x100]", 0x100, 50);
	hit_in(scene, PROFILE_NO_MAPPING, "jitted", 0x200, 50);
	hit_in(scene, profile_add_mapping(scene->recording.profile, &vdso), "clock", 0x300, 50);
	for (uint64_t i = 0; i < 100; i++) { /* inlined into all others */
		hit(scene, "scattered", 0x1000 + 0x20 * i, 1);
		snprintf(name, sizeof(name), "host%d", (int)i);
		hit(scene, name, 0x1010 + 0x20 * i, 1);
	}
	assert_null(place_of(scene, "[bench+0x100]"));
	assert_null(place_of(scene, "jitted"));
	assert_null(place_of(scene, "clock"));
	assert_null(place_of(scene, "scattered"));
	assert_int_equal(scene->places.functions, 104);
}

static void test_a_name_that_occurs_twice_is_left_out(void **state)
{
	struct scene *scene = *state;
	struct profile *profile = scene->recording.profile;
	struct profile_function function = {.name = "twin", .system_name = "", .file = "b.c"};
	struct profile_line line = {0, 1};
	struct profile_location location = {
		.mapping = scene->mapping, .address = 0x500, .lines = &line, .line_count = 1};
	const int64_t values[] = {50, 50000000};
	uint32_t stack;

	hit(scene, "twin", 0x100, 50);
	hit(scene, "f", 0x200, 50);
	line.function = profile_add_function(profile, &function);
	stack = profile_add_location(profile, &location);
	profile_add_sample(profile,
		&(struct profile_sample){.locations = &stack, .depth = 1, .values = values});
	assert_null(place_of(scene, "twin"));
	assert_non_null(place_of(scene, "f"));
}

/* f1 .. f30: each a little cheaper, all of them above a half per cent. */
static void fill_ranks(struct scene *scene)
{
	char name[32];

	for (int i = 1; i <= 30; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		hit(scene, name, (uint64_t)i * 0x100, 60 - i);
	}
	assert_non_null(place_of(scene, "f1"));
	assert_int_equal(scene->places.functions, 30);
}

static void test_the_seed_alone_picks_among_ranks_5_to_20(void **state)
{
	struct scene *scene = *state;
	const struct self_test_place *nearest;
	bool seen[31] = {false};

	fill_ranks(scene);
	for (uint64_t seed = 1; seed <= 400; seed++) {
		const struct self_test_place *picked =
			self_test_pick(&scene->places, 0.05, seed, &nearest);

		assert_non_null(picked);
		assert_ptr_equal(picked, self_test_pick(&scene->places, 0.05, seed, &nearest));
		seen[picked->rank] = true;
	}
	for (size_t rank = 0; rank <= 30; rank++)
		assert_int_equal(seen[rank], rank >= 5 && rank <= 20);
}

static void test_with_few_functions_the_hottest_are_taken(void **state)
{
	struct scene *scene = *state;
	const struct self_test_place *nearest, *picked;

	hit(scene, "one", 0x100, 600);
	hit(scene, "two", 0x200, 400);
	assert_non_null(place_of(scene, "one"));
	picked = self_test_pick(&scene->places, 0.3, 1, &nearest);
	assert_non_null(picked);
	assert_in_range(picked->rank, 1, 2);
}

static void test_a_function_that_costs_too_little_is_not_picked(void **state)
{
	struct scene *scene = *state;
	const struct self_test_place *nearest;

	for (uint64_t i = 0; i < 10; i++) /* at most three times its own cost is planted */
		hit(scene, "large", 0x100 + i, 99);
	hit(scene, "small", 0x200, 10);
	assert_non_null(place_of(scene, "small"));
	for (uint64_t seed = 1; seed < 50; seed++)
		assert_int_equal(self_test_pick(&scene->places, 0.2, seed, &nearest)->rank, 1);
	assert_string_equal(nearest->name, "large");
	assert_null(self_test_pick(&(struct self_test_places){0}, 0.2, 1, &nearest));
	assert_null(nearest);
}

static void test_what_cannot_be_found_is_not_planted(void **state)
{
	struct scene *scene = *state;
	const struct self_test_place *nearest;

	fill_ranks(scene);
	assert_null(self_test_pick(&scene->places, 0.002, 1, &nearest)); /* the margin itself */
	assert_non_null(nearest);
	assert_true(nearest->detectable > 0.002);
	for (size_t i = 0; i < scene->places.count; i++)
		assert_true(nearest->detectable <= scene->places.items[i].detectable);
}

static void test_more_pairs_find_less_down_to_the_margin(void **state)
{
	double now = verdict_mde(&quiet, 0.02);
	size_t pairs;

	(void)state;
	assert_int_equal(self_test_pairs_needed(&quiet, 0.02, now * 1.01), 40);
	pairs = self_test_pairs_needed(&quiet, 0.02, now * 0.7);
	assert_in_range(pairs, 60, 300);
	assert_int_equal(self_test_pairs_needed(&quiet, 0.02, 0.0024), 0);
	assert_int_equal(self_test_pairs_needed(&(struct verdict_power){0}, 0.02, 1), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_code_is_what_lies_between_a_functions_samples),
		TEST(test_other_functions_samples_cut_the_code),
		TEST(test_equal_addresses_of_two_modules_are_two_places),
		TEST(test_what_cannot_be_named_or_found_again_is_left_out),
		TEST(test_a_name_that_occurs_twice_is_left_out),
		TEST(test_the_seed_alone_picks_among_ranks_5_to_20),
		TEST(test_with_few_functions_the_hottest_are_taken),
		TEST(test_a_function_that_costs_too_little_is_not_picked),
		TEST(test_what_cannot_be_found_is_not_planted),
		cmocka_unit_test(test_more_pairs_find_less_down_to_the_margin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
