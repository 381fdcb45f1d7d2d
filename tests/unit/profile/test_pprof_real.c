/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles that other programs wrote: testdata/pprof/README.md says which. Run from the root of the
 * source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"
#include "gate/profile/call_tree.h"
#include "gate/profile/pprof.h"

static struct profile *read_profile(const char *name)
{
	struct profile *profile = NULL;
	struct error err = {0};
	char *path = file_join("testdata/pprof", name);

	if (pprof_read_file(path, NULL, &profile, &err))
		fail_msg("%s", err.message);
	free(path);
	return profile;
}

static int64_t total(const struct profile *profile, size_t type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		sum += profile->samples[i].values[type];
	return sum;
}

static const char *default_type_name(const struct profile *profile)
{
	return profile->types[profile->default_type].type;
}

static bool has_function(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, name) == 0)
			return true;
	return false;
}

static void test_go_cpu_profile_is_read(void **state)
{
	struct profile *profile = read_profile("go_cpu.pb.gz");
	const struct profile_label *label = NULL;

	(void)state;
	assert_int_equal(profile->type_count, 2);
	assert_string_equal(profile->types[0].type, "samples");
	assert_string_equal(profile->types[1].unit, "nanoseconds");
	assert_string_equal(default_type_name(profile), "cpu");
	assert_int_equal(profile->period, 10000000);
	assert_int_equal(total(profile, 0), 53);
	assert_int_equal(total(profile, 1), 530000000);
	assert_true(profile->time_ns > 0 && profile->duration_ns > 0);
	assert_true(has_function(profile, "main.rec"));
	for (size_t i = 0; i < profile->sample_count; i++)
		if (profile->samples[i].label_count)
			label = &profile->samples[i].labels[0];
	assert_non_null(label);
	assert_string_equal(label->key, "phase");
	assert_string_equal(label->string, "warm");
	profile_free(profile);
}

static void test_default_type_need_not_be_the_last(void **state)
{
	struct profile *profile = read_profile("go_allocs.pb.gz");

	(void)state;
	assert_int_equal(profile->type_count, 4);
	assert_string_equal(default_type_name(profile), "alloc_space");
	assert_int_equal(profile_sample_number(&profile->samples[4], "bytes", -1), 237568);
	assert_int_equal(profile_sample_number(&profile->samples[4], "round", -1), -1);
	profile_free(profile);
}

static void test_delta_profile_keeps_negative_values(void **state)
{
	struct profile *profile = read_profile("go_heap_delta.pb.gz");
	struct call_tree tree;
	struct error err;

	(void)state;
	assert_int_equal(total(profile, 3), -7700701);
	assert_int_equal(call_tree_build(&tree, profile, 3, NULL, &err), 0);
	assert_int_equal(tree.nodes[0].total, -7700701);
	call_tree_release(&tree);
	profile_free(profile);
}

static void test_profile_without_functions_gets_names_from_its_mappings(void **state)
{
	struct profile *profile = read_profile("gperf_no_functions.pb.gz");

	(void)state;
	assert_int_equal(total(profile, 1), 430000000);
	for (size_t i = 0; i < profile->location_count; i++)
		assert_int_equal(profile->locations[i].line_count, 1);
	/* 0x55d3ed7fb162, in a mapping of 0x55d3ed7fb000 at file offset 0x1000 */
	assert_true(has_function(profile, "[spin+0x1162]"));
	profile_free(profile);
}

static void test_c_program_keeps_files_and_lines(void **state)
{
	struct profile *profile = read_profile("gperf_cpu.pb.gz");

	(void)state;
	assert_true(has_function(profile, "inner"));
	assert_int_equal(profile->locations[0].lines[0].line, 3);
	profile_free(profile);
}

static void test_gzip_is_known_by_content_not_by_name(void **state)
{
	struct profile *profile = read_profile("not_gzip.pb.gz");

	(void)state;
	assert_int_equal(total(profile, 0), 53);
	profile_free(profile);
}

static void test_older_formats_are_refused_with_the_way_to_convert(void **state)
{
	static const char *const names[] = {
		"legacy_cpu.bin", "legacy_heap.txt", "legacy_goroutine.txt"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = file_join("testdata/pprof", names[i]);
		struct profile *profile = NULL;
		struct error err;

		assert_int_equal(pprof_read_file(path, NULL, &profile, &err), ERR_CORRUPT);
		assert_non_null(strstr(err.message, "pprof -proto"));
		assert_memory_equal(err.message, path, strlen(path));
		assert_null(profile);
		free(path);
	}
}

static const char *const readable[] = {"go_allocs.pb.gz", "go_block.pb.gz", "go_cpu.pb.gz",
	"go_heap.pb.gz", "go_heap_delta.pb.gz", "go_mutex.pb.gz", "gperf_cpu.pb.gz",
	"gperf_no_functions.pb.gz", "not_gzip.pb.gz"};
#define READABLE_COUNT (sizeof(readable) / sizeof(readable[0]))

static void test_encoding_what_was_read_is_a_fixed_point(void **state)
{
	(void)state;
	for (size_t i = 0; i < READABLE_COUNT; i++) {
		struct profile *first = read_profile(readable[i]), *second = NULL;
		struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
		struct error err;

		assert_int_equal(pprof_encode(first, &a, &err), 0);
		assert_int_equal(pprof_decode(a.data, a.length, NULL, &second, &err), 0);
		assert_int_equal(pprof_encode(second, &b, &err), 0);
		assert_int_equal(a.length, b.length);
		assert_memory_equal(a.data, b.data, a.length);
		profile_free(first);
		profile_free(second);
		strbuf_release(&a);
		strbuf_release(&b);
	}
}

static void test_every_truncation_is_refused_or_read_without_harm(void **state)
{
	struct strbuf raw = STRBUF_INIT;
	struct error err;

	(void)state;
	assert_int_equal(file_read("testdata/pprof/not_gzip.pb.gz", 1 << 20, &raw, &err), 0);
	for (size_t length = 0; length < raw.length; length++) {
		char *copy = malloc(length ? length : 1);
		struct profile *profile = NULL;

		memcpy(copy, raw.data, length);
		if (!pprof_decode(copy, length, NULL, &profile, &err))
			profile_free(profile);
		else
			assert_null(profile);
		free(copy);
	}
	strbuf_release(&raw);
}

/* The path of Go's pprof tool, malloc'd, or NULL. */
static char *find_pprof(void)
{
	const char *argv[] = {
		"sh", "-c", "command -v pprof || ls \"$(go env GOPATH)/bin/pprof\"", NULL};
	struct strbuf out = STRBUF_INIT;
	struct process_options options = {.argv = argv, .capture = &out};
	struct process_result result;
	struct error err;

	if (process_run(&options, &result, &err) || result.exit_status || !out.length) {
		strbuf_release(&out);
		return NULL;
	}
	strbuf_truncate(&out, out.length - 1);
	return strbuf_detach(&out, NULL);
}

/* What `pprof -top` prints about the file, without the line that may name it. */
static char *top_of(const char *pprof, const char *path)
{
	const char *argv[] = {pprof, "-top", "-symbolize=none", path, NULL};
	struct strbuf out = STRBUF_INIT;
	struct process_options options = {.argv = argv, .capture = &out};
	struct process_result result;
	struct error err = {0};

	if (process_run(&options, &result, &err))
		fail_msg("%s", err.message);
	assert_int_equal(result.exit_status, 0);
	assert_true(out.length > 0);
	return strbuf_detach(&out, NULL);
}

static void test_pprof_tool_shows_the_same_before_and_after(void **state)
{
	char *pprof = find_pprof(), *dir;
	struct error err;

	(void)state;
	if (!pprof)
		skip();
	assert_int_equal(file_make_temp_dir(NULL, "test_pprof_", &dir, &err), 0);
	/* Not those without functions: they have names afterwards. */
	for (size_t i = 0; i < READABLE_COUNT; i++) {
		struct profile *profile = read_profile(readable[i]);
		char *before_path = file_join("testdata/pprof", readable[i]);
		char *after_path = file_join(dir, readable[i]);
		char *before = top_of(pprof, before_path), *after;

		assert_int_equal(pprof_write_file(profile, after_path, &err), 0);
		after = top_of(pprof, after_path);
		if (strcmp(readable[i], "gperf_no_functions.pb.gz") != 0)
			assert_string_equal(before, after);
		profile_free(profile);
		free(before_path);
		free(after_path);
		free(before);
		free(after);
	}
	assert_int_equal(file_remove_tree(dir, &err), 0);
	free(dir);
	free(pprof);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_go_cpu_profile_is_read),
		cmocka_unit_test(test_default_type_need_not_be_the_last),
		cmocka_unit_test(test_delta_profile_keeps_negative_values),
		cmocka_unit_test(test_profile_without_functions_gets_names_from_its_mappings),
		cmocka_unit_test(test_c_program_keeps_files_and_lines),
		cmocka_unit_test(test_gzip_is_known_by_content_not_by_name),
		cmocka_unit_test(test_older_formats_are_refused_with_the_way_to_convert),
		cmocka_unit_test(test_encoding_what_was_read_is_a_fixed_point),
		cmocka_unit_test(test_every_truncation_is_refused_or_read_without_harm),
		cmocka_unit_test(test_pprof_tool_shows_the_same_before_and_after),
	};

	return cmocka_run_group_tests_name("pprof_real", tests, NULL, NULL);
}
