/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code is the same, where functions are inlined into others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/compare/unchanged_code.h"
#include "gate/profile/code/code_callee.h"
#include "tests/unit/compare/support.h"

#define MAX_FUNCTIONS 8
#define MAX_CALLEES 4

struct pair {
	struct profile *profiles[COMPARE_VERSIONS];
	const char *hash[COMPARE_VERSIONS][MAX_FUNCTIONS];
	uint32_t bytes[COMPARE_VERSIONS][MAX_FUNCTIONS];
	struct code_shape shapes[COMPARE_VERSIONS][MAX_FUNCTIONS];
	char callees[COMPARE_VERSIONS][MAX_FUNCTIONS][MAX_CALLEES * CODE_CALLEE_DIGITS + 1];
	struct function_matches matches;
	enum code_state code[MAX_FUNCTIONS];
	struct arena arena;
};

static int set_up(void **state)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	pair->profiles[COMPARE_BASE] = support_profile();
	pair->profiles[COMPARE_HEAD] = support_profile();
	*state = pair;
	return 0;
}

static int tear_down(void **state)
{
	struct pair *pair = *state;

	function_matches_release(&pair->matches);
	profile_free(pair->profiles[COMPARE_BASE]);
	profile_free(pair->profiles[COMPARE_HEAD]);
	arena_release(&pair->arena);
	free(pair);
	return 0;
}

static uint32_t function_in_line(struct profile *profile, const char *name, int64_t line)
{
	struct profile_function function = {name, "", "a.c", line};

	return profile_add_function(profile, &function);
}

static uint32_t function_of(struct profile *profile, const char *name)
{
	return function_in_line(profile, name, 10);
}

/* Samples in function as it is inlined into host; the two may be one. */
static void add(
	struct pair *pair, int version, const char *function, const char *host, int64_t samples)
{
	struct profile *profile = pair->profiles[version];
	struct profile_line lines[2] = {
		{function_of(profile, function), 12}, {function_of(profile, host), 20}};
	struct profile_location location = {.mapping = PROFILE_NO_MAPPING,
		.address = 0x1000 + 64 * lines[0].function + lines[1].function,
		.lines = lines,
		.line_count = strcmp(function, host) == 0 ? 1 : 2};
	uint32_t index = profile_add_location(profile, &location);
	int64_t values[3] = {samples, samples * 1000000, samples * 1000000};
	struct profile_sample sample = {.locations = &index, .depth = 1, .values = values};

	profile_add_sample(profile, &sample);
}

static void hash(struct pair *pair, int version, const char *function, const char *text)
{
	pair->hash[version][function_of(pair->profiles[version], function)] = text;
	pair->bytes[version][function_of(pair->profiles[version], function)] = 64;
}

/* callees: separated by spaces. */
static void shape(
	struct pair *pair, int version, const char *function, const char *text, const char *callees)
{
	uint32_t id = function_of(pair->profiles[version], function);
	char *out = pair->callees[version][id];

	pair->shapes[version][id] = (struct code_shape){text, out};
	for (const char *at = callees; *at; at += strspn(at, " ")) {
		code_callee_digits(at, strcspn(at, " "), out);
		out += CODE_CALLEE_DIGITS;
		at += strcspn(at, " ");
	}
}

static enum code_state code_of(struct pair *pair, const char *name)
{
	const struct code_of_version versions[COMPARE_VERSIONS] = {
		{pair->profiles[COMPARE_BASE], pair->hash[COMPARE_BASE], pair->bytes[COMPARE_BASE],
			pair->shapes[COMPARE_BASE]},
		{pair->profiles[COMPARE_HEAD], pair->hash[COMPARE_HEAD], pair->bytes[COMPARE_HEAD],
			pair->shapes[COMPARE_HEAD]}};

	struct function_names names[COMPARE_VERSIONS];

	for (int version = 0; version < COMPARE_VERSIONS; version++)
		support_names(&names[version], pair->profiles[version], "", &pair->arena);
	function_matches_release(&pair->matches);
	function_matches_build(&pair->matches, pair->profiles[COMPARE_BASE],
		pair->profiles[COMPARE_HEAD], versions, names);
	unchanged_code_find(&pair->matches, versions, pair->code);
	for (size_t i = 0; i < pair->matches.count; i++)
		if (strcmp(pair->matches.functions[i].name, name) == 0)
			return pair->code[i];
	fail_msg("no function is called %s", name);
	return CODE_UNKNOWN;
}

static void add_both(struct pair *pair, const char *function, const char *host, int64_t samples)
{
	add(pair, COMPARE_BASE, function, host, samples);
	add(pair, COMPARE_HEAD, function, host, samples);
}

static void hash_both(struct pair *pair, const char *function, const char *base, const char *head)
{
	hash(pair, COMPARE_BASE, function, base);
	hash(pair, COMPARE_HEAD, function, head);
}

static void test_equal_hashes_are_unchanged_code(void **state)
{
	struct pair *pair = *state;

	add_both(pair, "scan", "scan", 5);
	add_both(pair, "parse", "parse", 5);
	hash_both(pair, "scan", "aa", "aa");
	hash_both(pair, "parse", "aa", "bb");
	assert_int_equal(code_of(pair, "scan"), CODE_UNCHANGED);
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
}

/* Neither excused, nor taken for changed: that would let it explain what grew elsewhere. */
static void test_unknown_code_is_neither_the_same_nor_changed(void **state)
{
	struct pair *pair = *state;

	add_both(pair, "scan", "scan", 5);
	assert_int_equal(code_of(pair, "scan"), CODE_UNKNOWN);
	hash_both(pair, "scan", "", "");
	assert_int_equal(code_of(pair, "scan"), CODE_UNKNOWN);
	hash_both(pair, "scan", "aa", NULL);
	assert_int_equal(code_of(pair, "scan"), CODE_UNKNOWN);
	hash_both(pair, "scan", NULL, "aa");
	assert_int_equal(code_of(pair, "scan"), CODE_UNKNOWN);
}

static void test_code_that_one_version_alone_has_is_changed(void **state)
{
	struct pair *pair = *state;

	add(pair, COMPARE_BASE, "old", "old", 5);
	add(pair, COMPARE_HEAD, "new", "new", 5);
	hash(pair, COMPARE_BASE, "old", "aa");
	hash(pair, COMPARE_HEAD, "new", "bb");
	assert_int_equal(code_of(pair, "old"), CODE_CHANGED);
	assert_int_equal(code_of(pair, "new"), CODE_CHANGED);
}

static void test_inlined_code_is_the_same_as_its_hosts_are(void **state)
{
	struct pair *pair = *state;

	add_both(pair, "inner", "first", 5);
	add_both(pair, "inner", "second", 5);
	hash_both(pair, "first", "aa", "aa");
	hash_both(pair, "second", "bb", "bb");
	assert_int_equal(code_of(pair, "inner"), CODE_UNCHANGED);
	hash_both(pair, "second", "bb", "cc");
	assert_int_equal(code_of(pair, "inner"), CODE_CHANGED);
	assert_int_equal(code_of(pair, "first"), CODE_UNCHANGED);
	hash_both(pair, "first", NULL, NULL);
	assert_int_equal(code_of(pair, "inner"), CODE_CHANGED);
	hash_both(pair, "second", "bb", "bb");
	assert_int_equal(code_of(pair, "inner"), CODE_UNKNOWN);
	hash_both(pair, "first", "aa", "aa");
	hash_both(pair, "second", NULL, NULL);
	assert_int_equal(code_of(pair, "inner"), CODE_UNKNOWN);
}

static void test_a_function_inlined_in_one_version_alone_has_changed(void **state)
{
	struct pair *pair = *state;

	add(pair, COMPARE_BASE, "inner", "inner", 5);
	add(pair, COMPARE_HEAD, "inner", "first", 5);
	add_both(pair, "first", "first", 5);
	hash(pair, COMPARE_BASE, "inner", "aa");
	hash_both(pair, "first", "bb", "cc");
	assert_int_equal(code_of(pair, "inner"), CODE_CHANGED);
}

/* Two of one name in one file are one here: whose code is meant nobody knows. */
static void test_a_function_of_two_bodies_is_unknown(void **state)
{
	struct pair *pair = *state;

	add_both(pair, "scan", "scan", 5);
	hash_both(pair, "scan", "aa", "aa");
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		pair->hash[version][function_in_line(pair->profiles[version], "scan", 50)] = "aa";
	assert_int_equal(code_of(pair, "scan"), CODE_UNCHANGED);
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		pair->hash[version][function_in_line(pair->profiles[version], "scan", 50)] = "bb";
	assert_int_equal(code_of(pair, "scan"), CODE_UNKNOWN);
}

/* A twentieth of its cost in one of the versions is what a host must have. */
static void test_a_stray_sample_in_another_host_does_not_matter(void **state)
{
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		struct pair *pair = *state;

		add_both(pair, "inner", "first", 96);
		add(pair, version, "inner", "rare", 4);
		hash_both(pair, "first", "aa", "aa");
		hash(pair, version, "rare", "bb");
		assert_int_equal(code_of(pair, "inner"), CODE_UNCHANGED);
		add(pair, version, "inner", "rare", 2);
		assert_int_equal(code_of(pair, "inner"), CODE_CHANGED);
		tear_down(state);
		set_up(state);
	}
}

/* What has cost below it alone is where its samples pass through. */
static void test_a_function_without_cost_of_its_own_is_in_all_its_hosts(void **state)
{
	struct pair *pair = *state;

	add_both(pair, "outer", "outer", 0);
	hash_both(pair, "outer", "aa", "aa");
	assert_int_equal(code_of(pair, "outer"), CODE_UNCHANGED);
	hash_both(pair, "outer", "aa", "bb");
	assert_int_equal(code_of(pair, "outer"), CODE_CHANGED);
}

/* parse calls field in base and next in head, which are one function: their code is the same. */
static void rename_field(struct pair *pair)
{
	add_both(pair, "parse", "parse", 5);
	hash_both(pair, "parse", "aa", "bb");
	add(pair, COMPARE_BASE, "field", "field", 5);
	add(pair, COMPARE_HEAD, "next", "next", 5);
	hash(pair, COMPARE_BASE, "field", "cc");
	hash(pair, COMPARE_HEAD, "next", "cc");
}

static void shape_both(struct pair *pair, const char *base, const char *head)
{
	shape(pair, COMPARE_BASE, "parse", "shape", base);
	shape(pair, COMPARE_HEAD, "parse", "shape", head);
}

static void test_a_call_to_a_renamed_function_is_unchanged(void **state)
{
	struct pair *pair = *state;

	rename_field(pair);
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape_both(pair, "field", "next");
	assert_int_equal(code_of(pair, "parse"), CODE_UNCHANGED);
	assert_int_equal(code_of(pair, "next"), CODE_UNCHANGED);
	shape_both(pair, "open field close", "open next close");
	assert_int_equal(code_of(pair, "parse"), CODE_UNCHANGED);
}

static void test_other_code_around_a_renamed_call_is_other_code(void **state)
{
	struct pair *pair = *state;

	rename_field(pair);
	shape_both(pair, "field", "next");
	shape(pair, COMPARE_HEAD, "parse", "other", "next");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape(pair, COMPARE_HEAD, "parse", "", "");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape(pair, COMPARE_BASE, "parse", "", "");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape_both(pair, "field", "next");
	hash(pair, COMPARE_HEAD, "parse", NULL);
	assert_int_equal(code_of(pair, "parse"), CODE_UNKNOWN);
}

static void test_a_call_to_another_function_is_other_code(void **state)
{
	struct pair *pair = *state;

	rename_field(pair);
	add_both(pair, "scan", "scan", 5);
	hash_both(pair, "scan", "dd", "dd");
	shape_both(pair, "field", "scan");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape_both(pair, "scan", "next");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape_both(pair, "field scan", "scan next");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape_both(pair, "field", "unheard_of");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape_both(pair, "unheard_of", "next");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape_both(pair, "here", "there");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape_both(pair, "field", "next scan");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
	shape_both(pair, "field scan", "next");
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
}

/* Of two static functions of one name it is not known which one is called. */
static void test_a_renamed_function_whose_name_another_one_has_is_no_known_callee(void **state)
{
	struct pair *pair = *state;
	struct profile_function second = {"field", "", "b.c", 10};
	struct profile_line line = {.line = 12};
	struct profile_location location = {
		.mapping = PROFILE_NO_MAPPING, .address = 0x9000, .lines = &line, .line_count = 1};

	rename_field(pair);
	shape_both(pair, "field", "next");
	line.function = profile_add_function(pair->profiles[COMPARE_BASE], &second);
	profile_add_location(pair->profiles[COMPARE_BASE], &location);
	assert_int_equal(code_of(pair, "parse"), CODE_CHANGED);
}

/* Its own flag says so, not its callers'. */
static void test_a_callee_that_is_renamed_and_changed_does_not_change_its_caller(void **state)
{
	struct pair *pair = *state;

	add_both(pair, "parse", "parse", 5);
	hash_both(pair, "parse", "aa", "bb");
	add(pair, COMPARE_BASE, "next_field", "next_field", 5);
	add(pair, COMPARE_HEAD, "next_fields", "next_fields", 5);
	hash(pair, COMPARE_BASE, "next_field", "cc");
	hash(pair, COMPARE_HEAD, "next_fields", "dd");
	shape_both(pair, "next_field", "next_fields");
	assert_int_equal(code_of(pair, "parse"), CODE_UNCHANGED);
	assert_int_equal(code_of(pair, "next_fields"), CODE_CHANGED);
}

static void test_a_clone_of_a_renamed_function_is_called_as_it_is(void **state)
{
	struct pair *pair = *state;

	add_both(pair, "parse", "parse", 5);
	hash_both(pair, "parse", "aa", "bb");
	add(pair, COMPARE_BASE, "field.constprop.0", "field.constprop.0", 5);
	add(pair, COMPARE_HEAD, "next.constprop.0", "next.constprop.0", 5);
	hash(pair, COMPARE_BASE, "field.constprop.0", "cc");
	hash(pair, COMPARE_HEAD, "next.constprop.0", "cc");
	shape_both(pair, "field", "next");
	assert_int_equal(code_of(pair, "parse"), CODE_UNCHANGED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_equal_hashes_are_unchanged_code, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_unknown_code_is_neither_the_same_nor_changed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_code_that_one_version_alone_has_is_changed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_inlined_code_is_the_same_as_its_hosts_are, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_function_inlined_in_one_version_alone_has_changed, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_function_of_two_bodies_is_unknown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_stray_sample_in_another_host_does_not_matter, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_function_without_cost_of_its_own_is_in_all_its_hosts, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_call_to_a_renamed_function_is_unchanged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_other_code_around_a_renamed_call_is_other_code, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_call_to_another_function_is_other_code, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_renamed_function_whose_name_another_one_has_is_no_known_callee,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_callee_that_is_renamed_and_changed_does_not_change_its_caller,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_clone_of_a_renamed_function_is_called_as_it_is, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("unchanged_code", tests, NULL, NULL);
}
