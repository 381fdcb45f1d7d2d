/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gate/profile/profile_select.h"

/* Two types; a sample that has only the first, one that has both; an inlined frame and a label. */
static struct profile *two_types(void)
{
	struct profile *profile = profile_new();
	const struct profile_mapping mapping = {.file = "/bin/x", .build_id = "ab"};
	const struct profile_function outer = {"outer", "_outer", "x.c", 3},
				      inner = {"inner", "", "x.h", 9};
	const struct profile_line lines[] = {{1, 10}, {0, 4}};
	struct profile_location location = {.address = 16, .lines = lines, .line_count = 2};
	const struct profile_label label = {.key = "round", .number = 5, .unit = ""};
	const uint32_t deep[] = {1, 0}, flat[] = {0};
	const int64_t both[] = {3, 700}, first[] = {2, 0};

	profile_add_type(profile, "objects", "count");
	profile_add_type(profile, "space", "bytes");
	profile_add_mapping(profile, &mapping);
	profile_add_function(profile, &outer);
	profile_add_function(profile, &inner);
	profile_add_location(profile, &location);
	location.address = 32;
	location.mapping = PROFILE_NO_MAPPING;
	profile_add_location(profile, &location);
	profile_add_sample(profile, &(struct profile_sample){flat, 1, first, NULL, 0});
	profile_add_sample(profile, &(struct profile_sample){deep, 2, both, &label, 1});
	profile_add_comment(profile, "why");
	profile->time_ns = 77;
	return profile;
}

static void test_one_type_keeps_its_samples_alone(void **state)
{
	struct profile *from = two_types(), *to = profile_select(from, "space");
	const struct profile_sample *sample;

	(void)state;
	assert_non_null(to);
	assert_int_equal(to->type_count, 1);
	assert_string_equal(to->types[0].unit, "bytes");
	assert_int_equal(to->sample_count, 1);
	sample = to->samples;
	assert_int_equal(sample->values[0], 700);
	assert_int_equal(sample->depth, 2);
	assert_int_equal(to->locations[sample->locations[0]].address, 32);
	assert_int_equal(profile_sample_number(sample, "round", -1), 5);
	profile_free(to);
	to = profile_select(from, "objects");
	assert_int_equal(to->sample_count, 2);
	assert_int_equal(to->samples[0].values[0], 2);
	profile_free(to);
	profile_free(from);
}

static void test_places_come_along(void **state)
{
	struct profile *from = two_types(), *to = profile_select(from, "space");
	const struct profile_location *location = &to->locations[to->samples[0].locations[1]];

	(void)state;
	profile_free(from); /* nothing of it is needed any more */
	assert_string_equal(to->mappings[location->mapping].file, "/bin/x");
	assert_int_equal(location->line_count, 2);
	assert_string_equal(to->functions[location->lines[0].function].name, "inner");
	assert_string_equal(to->functions[location->lines[1].function].system_name, "_outer");
	assert_int_equal(location->lines[1].line, 4);
	assert_string_equal(to->comments[0], "why");
	assert_int_equal(to->time_ns, 77);
	profile_free(to);
}

static void test_duplicates_of_a_foreign_profile_are_followed(void **state)
{
	struct profile *from = two_types(), *to;

	(void)state;
	/* As a decoder may leave it: the same function under two indices. */
	from->functions[1] = from->functions[0];
	to = profile_select(from, "space");
	assert_int_equal(to->function_count, 1);
	assert_int_equal(to->locations[to->samples[0].locations[0]].lines[0].function, 0);
	profile_free(to);
	profile_free(from);
}

static void test_unknown_type_is_none(void **state)
{
	struct profile *from = two_types();

	(void)state;
	assert_null(profile_select(from, "spac"));
	profile_free(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_type_keeps_its_samples_alone),
		cmocka_unit_test(test_places_come_along),
		cmocka_unit_test(test_duplicates_of_a_foreign_profile_are_followed),
		cmocka_unit_test(test_unknown_type_is_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
