/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "gate/profile/profile.h"

static void test_equal_strings_are_one_string(void **state)
{
	struct profile *profile = profile_new();
	char text[] = "name";
	const char *first = profile_intern(profile, text);

	(void)state;
	text[0] = 'g';
	assert_string_equal(first, "name");
	assert_ptr_equal(first, profile_intern(profile, "name"));
	assert_ptr_not_equal(first, profile_intern(profile, text));
	assert_string_equal(profile_intern(profile, NULL), "");
	assert_ptr_equal(profile_intern(profile, NULL), profile_intern(profile, ""));
	profile_free(profile);
	profile_free(NULL);
}

static void test_functions_are_told_apart_by_each_field(void **state)
{
	struct profile *profile = profile_new();
	struct profile_function base = {"f", "_f", "f.c", 1}, changed;

	(void)state;
	assert_int_equal(profile_add_function(profile, &base), 0);
	changed = base, changed.name = "g";
	assert_int_equal(profile_add_function(profile, &changed), 1);
	changed = base, changed.system_name = NULL;
	assert_int_equal(profile_add_function(profile, &changed), 2);
	changed = base, changed.file = "g.c";
	assert_int_equal(profile_add_function(profile, &changed), 3);
	changed = base, changed.start_line = -1;
	assert_int_equal(profile_add_function(profile, &changed), 4);
	assert_int_equal(profile_add_function(profile, &base), 0);
	assert_int_equal(profile->function_count, 5);
	assert_string_equal(profile->functions[2].system_name, "");
	profile_free(profile);
}

static void test_mappings_are_told_apart_by_each_field(void **state)
{
	struct profile *profile = profile_new();
	struct profile_mapping base = {"a", "id", 1, 2, 3, false, false, false, false};
	struct profile_mapping variants[9];

	(void)state;
	for (size_t i = 0; i < 9; i++)
		variants[i] = base;
	variants[0].file = "b";
	variants[1].build_id = "";
	variants[2].start = 0;
	variants[3].limit = UINT64_MAX;
	variants[4].offset = 0;
	variants[5].has_functions = true;
	variants[6].has_filenames = true;
	variants[7].has_line_numbers = true;
	variants[8].has_inline_frames = true;
	assert_int_equal(profile_add_mapping(profile, &base), 0);
	for (uint32_t i = 0; i < 9; i++)
		assert_int_equal(profile_add_mapping(profile, &variants[i]), i + 1);
	for (uint32_t i = 0; i < 9; i++)
		assert_int_equal(profile_add_mapping(profile, &variants[i]), i + 1);
	assert_int_equal(profile->mapping_count, 10);
	profile_free(profile);
}

static void test_locations_are_told_apart_by_each_field(void **state)
{
	struct profile *profile = profile_new();
	struct profile_function function = {"f", "", "", 0};
	struct profile_mapping mapping = {.file = "m"};
	struct profile_line lines[] = {{0, 1}, {0, 2}}, other[] = {{1, 1}, {0, 2}};
	struct profile_location base = {PROFILE_NO_MAPPING, 7, lines, 2, false};
	struct profile_location variants[6];

	(void)state;
	profile_add_function(profile, &function);
	function.name = "g";
	profile_add_function(profile, &function);
	profile_add_mapping(profile, &mapping);
	for (size_t i = 0; i < 6; i++)
		variants[i] = base;
	variants[0].mapping = 0;
	variants[1].address = 8;
	variants[2].line_count = 1;
	variants[3].line_count = 0;
	variants[4].is_folded = true;
	variants[5].lines = other;
	assert_int_equal(profile_add_location(profile, &base), 0);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(profile_add_location(profile, &variants[i]), i + 1);
	lines[0].line = 99; /* the profile has its own copy */
	assert_int_equal(profile->locations[0].lines[0].line, 1);
	lines[0].line = 1;
	assert_int_equal(profile_add_location(profile, &base), 0);
	profile_free(profile);
}

static void test_types_are_found_by_name(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	assert_int_equal(profile_add_type(profile, "cpu", "nanoseconds"), 0);
	assert_int_equal(profile_add_type(profile, "cpu", "count"), 1);
	assert_int_equal(profile_add_type(profile, "cpu", "nanoseconds"), 0);
	assert_int_equal(profile_find_type(profile, "cpu"), 0);
	assert_int_equal(profile_find_type(profile, "wall"), -1);
	profile_free(profile);
}

static void test_samples_are_copied_and_kept_in_order(void **state)
{
	struct profile *profile = profile_new();
	int64_t values[] = {5};
	char thread[] = "worker";
	struct profile_label labels[] = {
		{"thread", thread, 0, NULL}, {"round", NULL, 2, NULL}, {"round", NULL, 3, NULL}};
	struct profile_sample sample = {NULL, 0, values, labels, 3};

	(void)state;
	profile_add_type(profile, "cpu", "nanoseconds");
	profile_add_sample(profile, &sample);
	values[0] = 6;
	thread[0] = 'W';
	profile_add_sample(profile, &sample);
	profile_add_sample(profile, &sample);
	assert_int_equal(profile->sample_count, 3);
	assert_int_equal(profile->samples[0].values[0], 5);
	assert_int_equal(profile->samples[2].values[0], 6);
	assert_string_equal(profile->samples[0].labels[0].string, "worker");
	assert_string_equal(profile->samples[1].labels[0].string, "Worker");
	assert_string_equal(profile->samples[0].labels[1].unit, "");
	assert_int_equal(profile_sample_number(&profile->samples[0], "round", -1), 2);
	assert_int_equal(profile_sample_number(&profile->samples[0], "thread", -1), -1);
	profile_free(profile);
}

static void test_many_elements_keep_their_indices(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 20000; i++) {
			char name[32];
			struct profile_function function = {name, "", "", i % 7};

			snprintf(name, sizeof(name), "function_%u", i);
			assert_int_equal(profile_add_function(profile, &function), i);
		}
	assert_string_equal(profile->functions[12345].name, "function_12345");
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_strings_are_one_string),
		cmocka_unit_test(test_functions_are_told_apart_by_each_field),
		cmocka_unit_test(test_mappings_are_told_apart_by_each_field),
		cmocka_unit_test(test_locations_are_told_apart_by_each_field),
		cmocka_unit_test(test_types_are_found_by_name),
		cmocka_unit_test(test_samples_are_copied_and_kept_in_order),
		cmocka_unit_test(test_many_elements_keep_their_indices),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
