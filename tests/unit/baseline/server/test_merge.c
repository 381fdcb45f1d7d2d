/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "baseline/server/merge.h"
#include "gate/base/error.h"

static const struct profile_value_type types[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};

static uint32_t frame(struct profile *profile, const char *name)
{
	const struct profile_mapping mapping = {.file = "bench", .build_id = "ab"};
	const struct profile_function function = {name, "", "f.c", 3};
	const struct profile_line line = {profile_add_function(profile, &function), 7};
	const struct profile_location location = {
		profile_add_mapping(profile, &mapping), 0, &line, 1, false};

	return profile_add_location(profile, &location);
}

/* One frame, a caller "main", and a numeric label "round". */
static void add(
	struct profile *profile, const char *name, int64_t count, int64_t cpu, int64_t round)
{
	const uint32_t stack[] = {frame(profile, name), frame(profile, "main")};
	const int64_t values[] = {count, cpu};
	const struct profile_label label = {PROFILE_LABEL_ROUND, NULL, round, ""};

	profile_add_sample(profile, &(struct profile_sample){stack, 2, values, &label, 1});
}

static struct profile *new_profile(void)
{
	struct profile *profile = profile_new();

	profile_add_type(profile, types[0].type, types[0].unit);
	profile_add_type(profile, types[1].type, types[1].unit);
	return profile;
}

static const char *leaf(const struct profile *profile, size_t sample)
{
	const struct profile_location *location =
		&profile->locations[profile->samples[sample].locations[0]];

	return profile->functions[location->lines[0].function].name;
}

static struct profile *merge_two(
	const struct profile *a, const struct profile *b, const struct merge_rule *rule)
{
	struct merge *merge = merge_new(types, 2, 1);
	struct profile *sum;
	struct error err;

	assert_int_equal(merge_add(merge, a, rule, &err), ERR_OK);
	if (b)
		assert_int_equal(merge_add(merge, b, rule, &err), ERR_OK);
	sum = merge_take(merge);
	merge_free(merge);
	return sum;
}

static void test_equal_stacks_of_two_profiles_are_one_sample(void **state)
{
	struct profile *a = new_profile(), *b = new_profile(), *sum;

	(void)state;
	add(a, "x", 1, 10, 0);
	add(b, "y", 5, 50, 0); /* so that indices differ */
	add(b, "x", 2, 20, 0);
	sum = merge_two(a, b, NULL);
	assert_int_equal(sum->sample_count, 2);
	assert_string_equal(leaf(sum, 0), "x");
	assert_int_equal(sum->samples[0].values[0], 3);
	assert_int_equal(sum->samples[0].values[1], 30);
	assert_int_equal(sum->samples[0].depth, 2);
	assert_string_equal(leaf(sum, 1), "y");
	assert_int_equal(sum->default_type, 1);
	assert_int_equal(sum->function_count, 3);
	profile_free(a);
	profile_free(b);
	profile_free(sum);
}

static void test_samples_with_other_labels_stay_apart_unless_labels_are_dropped(void **state)
{
	struct profile *a = new_profile(), *sum;

	(void)state;
	add(a, "x", 1, 10, 0);
	add(a, "x", 2, 20, 1);
	sum = merge_two(a, NULL, NULL);
	assert_int_equal(sum->sample_count, 2);
	assert_int_equal(profile_sample_number(&sum->samples[1], PROFILE_LABEL_ROUND, -1), 1);
	profile_free(sum);
	sum = merge_two(a, NULL, &(struct merge_rule){.drop_labels = true});
	assert_int_equal(sum->sample_count, 1);
	assert_int_equal(sum->samples[0].label_count, 0);
	assert_int_equal(sum->samples[0].values[1], 30);
	profile_free(sum);
	profile_free(a);
}

static void test_one_round_can_be_taken_out_and_another_be_set(void **state)
{
	struct profile *a = new_profile(), *sum;
	const struct merge_rule taken = {.only_round = true, .drop_labels = true, .round = 1};
	const struct merge_rule set = {.set_round = true, .round = 7};

	(void)state;
	add(a, "x", 1, 10, 0);
	add(a, "y", 2, 20, 1);
	sum = merge_two(a, NULL, &taken);
	assert_int_equal(sum->sample_count, 1);
	assert_string_equal(leaf(sum, 0), "y");
	assert_int_equal(sum->function_count, 2); /* nothing of x */
	profile_free(sum);
	sum = merge_two(a, NULL, &set);
	assert_int_equal(sum->sample_count, 2);
	assert_int_equal(profile_sample_number(&sum->samples[0], PROFILE_LABEL_ROUND, -1), 7);
	assert_int_equal(sum->samples[0].label_count, 1);
	profile_free(sum);
	profile_free(a);
}

static void test_columns_are_found_by_type_and_unit_or_given(void **state)
{
	struct profile *only = profile_new(), *sum;
	static const int to_samples[] = {0}, nowhere[] = {-1};
	const int64_t value = 5;
	uint32_t stack;

	(void)state;
	profile_add_type(only, "cpu", "nanoseconds");
	stack = frame(only, "x");
	profile_add_sample(only, &(struct profile_sample){&stack, 1, &value, NULL, 0});
	sum = merge_two(only, NULL, NULL);
	assert_int_equal(sum->samples[0].values[0], 0);
	assert_int_equal(sum->samples[0].values[1], 5);
	profile_free(sum);
	sum = merge_two(only, NULL, &(struct merge_rule){.columns = to_samples});
	assert_int_equal(sum->samples[0].values[0], 5);
	profile_free(sum);
	sum = merge_two(only, NULL, &(struct merge_rule){.columns = nowhere});
	assert_int_equal(sum->sample_count, 0);
	profile_free(sum);
	profile_free(only);
}

/* A hostile server may name a type twice. */
static void test_a_type_that_comes_twice_is_one(void **state)
{
	static const struct profile_value_type twice[] = {{"a", "b"}, {"a", "b"}, {"c", "d"}};
	struct merge *merge = merge_new(twice, 3, 2);
	struct profile *sum = merge_take(merge);

	(void)state;
	assert_int_equal(sum->type_count, 2);
	assert_int_equal(sum->default_type, 1);
	profile_free(sum);
	merge_free(merge);
}

static void test_another_type_or_unit_is_corrupt(void **state)
{
	struct merge *merge = merge_new(types, 2, 1);
	struct profile *other = profile_new();
	struct error err;

	(void)state;
	profile_add_type(other, "cpu", "seconds");
	assert_int_equal(merge_add(merge, other, NULL, &err), ERR_CORRUPT);
	assert_non_null(strstr(err.message, "cpu/seconds"));
	profile_free(other);
	merge_free(merge);
	merge_free(NULL);
}

static void test_a_sum_that_does_not_fit_is_a_limit(void **state)
{
	struct merge *merge = merge_new(types, 2, 1);
	struct profile *a = new_profile();
	struct error err;

	(void)state;
	add(a, "x", 1, INT64_MAX, 0);
	assert_int_equal(merge_add(merge, a, NULL, &err), ERR_OK);
	assert_int_equal(merge_add(merge, a, NULL, &err), ERR_LIMIT);
	profile_free(a);
	merge_free(merge);
}

static void test_what_cancels_out_or_has_no_value_is_left_out(void **state)
{
	struct profile *a = new_profile(), *b = new_profile(), *sum;

	(void)state;
	add(a, "x", 1, -10, 0);
	add(b, "x", -1, 10, 0);
	add(b, "zero", 0, 0, 0);
	sum = merge_two(a, b, NULL);
	assert_int_equal(sum->sample_count, 0);
	profile_free(a);
	profile_free(b);
	profile_free(sum);
}

static void test_a_deep_stack_keeps_its_leaf_and_is_counted(void **state)
{
	struct profile *a = new_profile(), *sum;
	size_t cut = 0;

	(void)state;
	add(a, "x", 1, 10, 0);
	add(a, "y", 1, 10, 0);
	sum = merge_two(a, NULL, &(struct merge_rule){.max_depth = 1, .cut = &cut});
	assert_int_equal(cut, 2);
	assert_int_equal(sum->samples[0].depth, 1);
	assert_string_equal(leaf(sum, 0), "x");
	profile_free(sum);
	sum = merge_two(a, NULL, &(struct merge_rule){.max_depth = 2, .cut = &cut});
	assert_int_equal(cut, 2);
	assert_int_equal(sum->samples[0].depth, 2);
	profile_free(sum);
	profile_free(a);
}

static void test_after_its_sum_was_taken_a_merge_is_empty_and_of_the_same_types(void **state)
{
	struct merge *merge = merge_new(types, 2, 1);
	struct profile *a = new_profile(), *first, *second;
	struct error err;

	(void)state;
	add(a, "x", 1, 10, 0);
	assert_int_equal(merge_add(merge, a, NULL, &err), ERR_OK);
	first = merge_take(merge);
	second = merge_take(merge);
	assert_int_equal(first->sample_count, 1);
	assert_int_equal(second->sample_count, 0);
	assert_int_equal(second->type_count, 2);
	assert_int_equal(second->default_type, 1);
	profile_free(a);
	profile_free(first);
	profile_free(second);
	merge_free(merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_stacks_of_two_profiles_are_one_sample),
		cmocka_unit_test(
			test_samples_with_other_labels_stay_apart_unless_labels_are_dropped),
		cmocka_unit_test(test_one_round_can_be_taken_out_and_another_be_set),
		cmocka_unit_test(test_columns_are_found_by_type_and_unit_or_given),
		cmocka_unit_test(test_a_type_that_comes_twice_is_one),
		cmocka_unit_test(test_another_type_or_unit_is_corrupt),
		cmocka_unit_test(test_a_sum_that_does_not_fit_is_a_limit),
		cmocka_unit_test(test_what_cancels_out_or_has_no_value_is_left_out),
		cmocka_unit_test(test_a_deep_stack_keeps_its_leaf_and_is_counted),
		cmocka_unit_test(
			test_after_its_sum_was_taken_a_merge_is_empty_and_of_the_same_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
