/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two recordings are of the very same machine code,
 * and what of it has its place in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/check/analysis/object_files.h"
#include "tests/unit/compare/support.h"

struct fixture {
	struct recording versions[VERSION_COUNT];
};

static int set_up(void **state)
{
	static struct fixture f;

	for (int version = 0; version < VERSION_COUNT; version++)
		f.versions[version].profile = support_profile();
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	for (int version = 0; version < VERSION_COUNT; version++)
		profile_free(f->versions[version].profile);
	return 0;
}

static void set_up_again(void **state)
{
	tear_down(state);
	set_up(state);
}

static uint32_t map_file(struct fixture *f, int version, const char *file, const char *build_id)
{
	struct profile_mapping mapping = {.file = file, .build_id = build_id};

	return profile_add_mapping(f->versions[version].profile, &mapping);
}

static void map_both(struct fixture *f, const char *file, const char *base, const char *head)
{
	map_file(f, VERSION_BASE, file, base);
	map_file(f, VERSION_HEAD, file, head);
}

/* ---- one build ------------------------------------------------------------------------------ */

static bool is_one_build(const struct fixture *f)
{
	return object_files_are_one_build(&f->versions[VERSION_BASE], &f->versions[VERSION_HEAD]);
}

static void test_the_same_files_are_one_build(void **state)
{
	struct fixture *f = *state;

	map_both(f, "bench", "aa", "aa");
	map_both(f, "/usr/lib/libc.so.6", "", "");
	map_both(f, "[vdso]", "bb", "cc");
	map_file(f, VERSION_HEAD, "bench", "aa"); /* mapped twice */
	assert_true(is_one_build(f));
}

static void test_another_build_id_is_another_build(void **state)
{
	struct fixture *f = *state;

	map_both(f, "/usr/lib/libc.so.6", "dd", "dd");
	map_both(f, "bench", "aa", "bb");
	assert_false(is_one_build(f));
}

static void test_a_versions_file_without_build_id_may_be_another(void **state)
{
	struct fixture *f = *state;

	map_both(f, "/usr/lib/libc.so.6", "dd", "dd");
	map_both(f, "bench", "", "");
	assert_false(is_one_build(f));
}

static void test_nothing_mapped_is_not_known_to_be_one_build(void **state)
{
	assert_false(is_one_build(*state));
}

static void test_a_file_in_one_version_alone_is_another_build(void **state)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct fixture *f = *state;

		map_both(f, "bench", "aa", "aa");
		assert_true(is_one_build(f));
		map_file(f, version, "plugin.so", "bb");
		assert_false(is_one_build(f));
		set_up_again(state);
	}
}

/* A sample or two fell in the loader: chance, and nothing of a version's. */
static void test_a_file_outside_may_be_in_one_version_alone(void **state)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct fixture *f = *state;

		map_both(f, "bench", "aa", "aa");
		map_file(f, version, "/lib64/ld-linux-x86-64.so.2", "bb");
		assert_true(is_one_build(f));
		map_file(f, version, "/usr/lib/libexpat.so.1", "");
		assert_true(is_one_build(f));
		set_up_again(state);
	}
}

static void test_a_program_outside_with_another_script_is_one_build(void **state)
{
	struct fixture *f = *state;

	map_both(f, "/usr/bin/python3.11", "aa", "aa");
	map_file(f, VERSION_HEAD, "/usr/lib/libexpat.so.1", "bb");
	assert_true(is_one_build(f));
}

static void test_files_outside_in_one_version_each_are_no_proof(void **state)
{
	struct fixture *f = *state;

	map_file(f, VERSION_BASE, "/usr/bin/python3.11", "aa");
	map_file(f, VERSION_HEAD, "/usr/bin/python3.12", "bb");
	assert_false(is_one_build(f));
}

static void test_another_build_of_a_file_outside_is_another_build(void **state)
{
	struct fixture *f = *state;

	map_both(f, "bench", "aa", "aa");
	map_both(f, "/usr/lib/libm.so.6", "bb", "cc");
	assert_false(is_one_build(f));
	/* Nor where one of the versions has both. */
	map_file(f, VERSION_HEAD, "/usr/lib/libm.so.6", "bb");
	assert_false(is_one_build(f));
}

/* ---- places --------------------------------------------------------------------------------- */

/* A sample with this leaf in a mapping: `names` outermost first, "bench_loop;memcpy" inlined. */
static void add_sample(struct fixture *f, int version, uint32_t mapping, const char *names)
{
	static uint64_t address = 0x1000;
	struct profile *profile = f->versions[version].profile;
	struct profile_line lines[2] = {{.line = 12}, {.line = 12}};
	const char *inlined = strchr(names, ';');
	char host[64];
	struct profile_function function = {.system_name = "", .file = "a.c", .start_line = 10};
	struct profile_location location = {
		.mapping = mapping, .address = address += 16, .lines = lines};
	int64_t values[3] = {100, 100000000, 100000000};
	struct profile_label label = {.key = PROFILE_LABEL_ROUND, .unit = ""};
	struct profile_sample sample = {
		.values = values, .labels = &label, .label_count = 1, .depth = 1};
	uint32_t place;

	snprintf(host, sizeof(host), "%.*s", (int)strcspn(names, ";"), names);
	if (inlined) {
		function.name = inlined + 1;
		lines[location.line_count++].function = profile_add_function(profile, &function);
	}
	function.name = host;
	lines[location.line_count++].function = profile_add_function(profile, &function);
	place = profile_add_location(profile, &location);
	sample.locations = &place;
	profile_add_sample(profile, &sample);
}

static uint8_t flags_of(const struct fixture *f, const char *name)
{
	const struct recording *recordings[VERSION_COUNT] = {
		&f->versions[VERSION_BASE], &f->versions[VERSION_HEAD]};
	uint8_t flags[16] = {0}, found = 0;
	struct comparison comparison;

	assert_int_equal(comparison_build(&comparison, recordings[VERSION_BASE]->profile,
				 recordings[VERSION_HEAD]->profile, 0, NULL, NULL),
		ERR_OK);
	assert_true(comparison.matches.count <= sizeof(flags));
	object_files_flag_functions(&comparison, recordings, flags);
	for (size_t i = 0; i < comparison.matches.count; i++)
		if (strcmp(comparison.matches.functions[i].name, name) == 0)
			found = flags[i];
	comparison_release(&comparison);
	return found;
}

/* One function in a file of this name in both versions. */
static uint8_t flags_in(void **state, const char *file, const char *base, const char *head)
{
	struct fixture *f = *state;
	uint8_t flags;

	add_sample(f, VERSION_BASE, map_file(f, VERSION_BASE, file, base), "memcpy");
	add_sample(f, VERSION_HEAD, map_file(f, VERSION_HEAD, file, head), "memcpy");
	flags = flags_of(f, "memcpy");
	set_up_again(state);
	return flags;
}

static void test_a_file_outside_of_the_versions_has_one_place(void **state)
{
	assert_int_equal(
		flags_in(state, "/usr/lib/libc.so.6", "aa", "aa"), VERDICT_FUNCTION_SAME_PLACE);
	assert_int_equal(
		flags_in(state, "/usr/lib/libc.so.6", "", ""), VERDICT_FUNCTION_SAME_PLACE);
}

static void test_a_versions_own_file_has_two_places(void **state)
{
	assert_int_equal(flags_in(state, "bench", "aa", "aa"), 0);
	assert_int_equal(flags_in(state, "", "", ""), 0);
	assert_int_equal(flags_in(state, "[vdso]", "aa", "aa"), 0);
}

static void test_another_build_outside_has_another_place(void **state)
{
	assert_int_equal(flags_in(state, "/tmp/built/libfast.so", "aa", "bb"), 0);
	assert_int_equal(flags_in(state, "/tmp/built/libfast.so", "aa", ""), 0);
}

/* What head calls for the first time has its place from the file all the same. */
/* One that costs something is no chance: the system has another file of it for the other. */
static void test_a_file_outside_with_many_samples_is_in_both(void **state)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct fixture *f = *state;

		map_both(f, "bench", "aa", "aa");
		map_file(f, 1 - version, "/opt/lib/libm.so.6", "bb");
		assert_true(is_one_build(f));
		add_sample(f, version, map_file(f, version, "/opt/lib/libm.so.7", "cc"), "sin");
		assert_false(is_one_build(f));
		set_up_again(state);
	}
}

static void test_called_in_one_version_alone_it_has_one_place(void **state)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct fixture *f = *state;

		map_both(f, "/usr/lib/libc.so.6", "aa", "aa");
		add_sample(f, VERSION_BASE, map_file(f, VERSION_BASE, "bench", "bb"), "main");
		add_sample(f, VERSION_HEAD, map_file(f, VERSION_HEAD, "bench", "cc"), "main");
		add_sample(f, version, 0, "memcpy");
		assert_int_equal(flags_of(f, "memcpy"), VERDICT_FUNCTION_SAME_PLACE);
		assert_int_equal(flags_of(f, "main"), 0);
		set_up_again(state);
	}
}

static void test_a_file_mapped_in_one_version_alone_is_not_common(void **state)
{
	struct fixture *f = *state;

	add_sample(f, VERSION_BASE, map_file(f, VERSION_BASE, "bench", "aa"), "main");
	add_sample(f, VERSION_HEAD, map_file(f, VERSION_HEAD, "/usr/lib/libm.so.6", "bb"), "exp");
	assert_int_equal(flags_of(f, "exp"), 0);
}

static void test_a_part_of_it_elsewhere_has_a_place_of_its_own(void **state)
{
	static const char *const copies[] = {"memcpy", "main;memcpy"};

	for (size_t i = 0; i < 2; i++)
		for (int version = 0; version < VERSION_COUNT; version++) {
			struct fixture *f = *state;

			map_both(f, "/usr/lib/libc.so.6", "aa", "aa");
			map_both(f, "bench", "bb", "cc");
			add_sample(f, VERSION_BASE, 0, "memcpy");
			add_sample(f, VERSION_HEAD, 0, "memcpy");
			assert_int_equal(flags_of(f, "memcpy"), VERDICT_FUNCTION_SAME_PLACE);
			add_sample(f, version, 1, copies[i]);
			assert_int_equal(flags_of(f, "memcpy"), 0);
			set_up_again(state);
		}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_the_same_files_are_one_build),
		CASE(test_another_build_id_is_another_build),
		CASE(test_a_versions_file_without_build_id_may_be_another),
		CASE(test_nothing_mapped_is_not_known_to_be_one_build),
		CASE(test_a_file_in_one_version_alone_is_another_build),
		CASE(test_a_file_outside_may_be_in_one_version_alone),
		CASE(test_a_program_outside_with_another_script_is_one_build),
		CASE(test_files_outside_in_one_version_each_are_no_proof),
		CASE(test_another_build_of_a_file_outside_is_another_build),
		CASE(test_a_file_outside_with_many_samples_is_in_both),
		CASE(test_a_file_outside_of_the_versions_has_one_place),
		CASE(test_a_versions_own_file_has_two_places),
		CASE(test_another_build_outside_has_another_place),
		CASE(test_called_in_one_version_alone_it_has_one_place),
		CASE(test_a_file_mapped_in_one_version_alone_is_not_common),
		CASE(test_a_part_of_it_elsewhere_has_a_place_of_its_own),
	};

	return cmocka_run_group_tests_name("object_files", tests, NULL, NULL);
}
