/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/profile/pprof.h"

static struct profile *build(void)
{
	struct profile *profile = profile_new();
	struct profile_function function = {"work<T>", "_Z4workv", "work.cc", 12};
	struct profile_mapping mapping = {
		"/bin/x", "c0ffee", 0x1000, 0x2000, 0x10, true, false, true, false};
	struct profile_line lines[2] = {{0, 13}, {1, -4}};
	struct profile_location place = {0, 0x1234, lines, 2, true};
	uint32_t locations[] = {0, 0};
	int64_t values[] = {1, -2, INT64_MIN};
	struct profile_label labels[] = {{PROFILE_LABEL_ROUND, NULL, 3, ""},
		{"thread", "a\xff", 0, ""}, {"size", NULL, -7, "bytes"}};
	struct profile_sample sample = {locations, 2, values, labels, 3};

	profile_add_type(profile, PROFILE_TYPE_SAMPLES, "count");
	profile_add_type(profile, PROFILE_TYPE_CPU, "nanoseconds");
	profile_add_type(profile, PROFILE_TYPE_CPU_SQUARES, "microseconds_squared");
	profile->default_type = 1;
	profile_add_function(profile, &function);
	function.name = "main";
	profile_add_function(profile, &function);
	profile_add_mapping(profile, &mapping);
	profile_add_location(profile, &place);
	profile_add_sample(profile, &sample);
	profile_add_sample(profile, &(struct profile_sample){NULL, 0, values, NULL, 0});
	profile_add_comment(profile, "first");
	profile_add_comment(profile, "");
	profile_add_comment(profile, "first");
	profile->period_type = (struct profile_value_type){"cpu", "nanoseconds"};
	profile->period = 1003009;
	profile->time_ns = INT64_MAX;
	profile->duration_ns = -1;
	return profile;
}

static struct profile *round_trip(const struct profile *profile)
{
	struct strbuf out = STRBUF_INIT;
	struct profile *back = NULL;
	struct error err = {0};

	if (pprof_encode(profile, &out, &err))
		fail_msg("%s", err.message);
	if (pprof_decode(out.data, out.length, NULL, &back, &err))
		fail_msg("%s", err.message);
	strbuf_release(&out);
	return back;
}

static void test_every_field_survives_a_round_trip(void **state)
{
	struct profile *before = build(), *after = round_trip(before);
	const struct profile_location *place = &after->locations[0];
	const struct profile_sample *sample = &after->samples[0];

	(void)state;
	assert_int_equal(after->type_count, 3);
	assert_string_equal(after->types[2].unit, "microseconds_squared");
	assert_int_equal(after->default_type, 1);
	assert_string_equal(after->functions[0].name, "work<T>");
	assert_string_equal(after->functions[0].system_name, "_Z4workv");
	assert_string_equal(after->functions[0].file, "work.cc");
	assert_int_equal(after->functions[0].start_line, 12);
	assert_string_equal(after->mappings[0].build_id, "c0ffee");
	assert_int_equal(after->mappings[0].offset, 0x10);
	assert_true(after->mappings[0].has_functions && after->mappings[0].has_line_numbers);
	assert_false(after->mappings[0].has_filenames || after->mappings[0].has_inline_frames);
	assert_true(place->is_folded);
	assert_int_equal(place->address, 0x1234);
	assert_int_equal(place->line_count, 2);
	assert_int_equal(place->lines[1].function, 1);
	assert_int_equal(place->lines[1].line, -4);
	assert_int_equal(sample->depth, 2);
	assert_true(sample->values[1] == -2 && sample->values[2] == INT64_MIN);
	assert_int_equal(sample->label_count, 3);
	assert_int_equal(profile_sample_number(sample, PROFILE_LABEL_ROUND, -1), 3);
	assert_string_equal(sample->labels[1].string, "a\xff");
	assert_string_equal(sample->labels[2].unit, "bytes");
	assert_int_equal(sample->labels[2].number, -7);
	assert_int_equal(after->samples[1].depth, 0);
	assert_int_equal(after->comment_count, 3);
	assert_string_equal(after->comments[2], "first");
	assert_string_equal(after->period_type.type, "cpu");
	assert_int_equal(after->period, 1003009);
	assert_true(after->time_ns == INT64_MAX && after->duration_ns == -1);
	profile_free(before);
	profile_free(after);
}

static void test_equal_profiles_give_equal_bytes(void **state)
{
	struct profile *one = build(), *two = build();
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct error err;

	(void)state;
	assert_int_equal(pprof_encode(one, &a, &err), 0);
	assert_int_equal(pprof_encode(two, &b, &err), 0);
	assert_int_equal(a.length, b.length);
	assert_memory_equal(a.data, b.data, a.length);
	assert_true(gzip_is_compressed(a.data, a.length));
	strbuf_release(&a);
	strbuf_release(&b);
	profile_free(one);
	profile_free(two);
}

static void test_default_type_survives_equal_names(void **state)
{
	(void)state;
	for (size_t chosen = 0; chosen < 3; chosen += 2) {
		struct profile *before = profile_new(), *after;

		profile_add_type(before, "cpu", "nanoseconds");
		profile_add_type(before, "wall", "nanoseconds");
		profile_add_type(before, "cpu", "count");
		before->default_type = chosen;
		after = round_trip(before);
		assert_int_equal(after->default_type, chosen);
		profile_free(before);
		profile_free(after);
	}
}

static void test_wrong_indices_are_not_written(void **state)
{
	struct profile *profile = build();
	struct strbuf out = STRBUF_INIT;
	struct error err;
	uint32_t wrong[] = {1};

	(void)state;
	profile->samples[0].locations = wrong;
	profile->samples[0].depth = 1;
	assert_int_equal(pprof_encode(profile, &out, &err), ERR_CORRUPT);
	assert_non_null(strstr(err.message, "refers to location 1 of 1"));
	assert_int_equal(out.length, 0);
	profile_free(profile);
}

static void test_file_round_trip_and_errors_name_the_file(void **state)
{
	struct profile *profile = build(), *back = NULL;
	struct error err;
	char *dir, *path, *missing;

	(void)state;
	assert_int_equal(file_make_temp_dir(NULL, "test_pprof_", &dir, &err), 0);
	path = file_join(dir, "p.pb.gz");
	missing = file_join(dir, "none/p.pb.gz");
	assert_int_equal(pprof_write_file(profile, path, &err), 0);
	assert_int_equal(pprof_read_file(path, NULL, &back, &err), 0);
	assert_int_equal(back->sample_count, 2);
	profile_free(back);
	back = NULL;
	assert_int_equal(pprof_read_file(missing, NULL, &back, &err), ERR_NOT_FOUND);
	assert_int_equal(pprof_write_file(profile, missing, &err), ERR_IO);
	assert_int_equal(file_write(path, "xyz", 3, &err), 0);
	assert_int_equal(pprof_read_file(path, NULL, &back, &err), ERR_CORRUPT);
	assert_memory_equal(err.message, path, strlen(path));
	assert_null(back);
	assert_int_equal(file_remove_tree(dir, &err), 0);
	profile_free(profile);
	free(missing);
	free(path);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_field_survives_a_round_trip),
		cmocka_unit_test(test_equal_profiles_give_equal_bytes),
		cmocka_unit_test(test_default_type_survives_equal_names),
		cmocka_unit_test(test_wrong_indices_are_not_written),
		cmocka_unit_test(test_file_round_trip_and_errors_name_the_file),
	};

	return cmocka_run_group_tests_name("pprof_encode", tests, NULL, NULL);
}
