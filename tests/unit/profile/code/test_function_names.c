/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/profile/symbolize_fixture.h"

#define FOLDER "/fixture-root"

static void set_of(
	struct function_names *names, const char *digits, bool complete, struct arena *arena)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addstr(&text, digits);
	function_names_finish(names, &text, complete, arena);
	strbuf_release(&text);
}

static void test_a_set_is_sorted_and_has_each_entry_once(void **state)
{
	(void)state;
	struct arena arena = ARENA_INIT;
	struct function_names names;
	set_of(&names,
		"bbbbbbbbbb"
		"0000000001"
		"bbbbbbbbbb"
		"aaaaaaaaaa",
		true, &arena);
	assert_int_equal(names.count, 3);
	assert_string_equal(names.digits, "0000000001"
					  "aaaaaaaaaa"
					  "bbbbbbbbbb");
	assert_true(function_names_are_valid(names.digits, strlen(names.digits)));
	assert_true(function_names_have(&names, "aaaaaaaaaa"));
	assert_false(function_names_have(&names, "aaaaaaaaab"));
	arena_release(&arena);
}

static void test_only_a_complete_set_lacks_what_is_not_in_it(void **state)
{
	(void)state;
	struct arena arena = ARENA_INIT;
	struct function_names names;
	set_of(&names, "0000000001", true, &arena);
	assert_true(function_names_lack(&names, "0000000002"));
	assert_false(function_names_lack(&names, "0000000001"));
	set_of(&names, "0000000001", false, &arena);
	assert_false(function_names_lack(&names, "0000000002"));
	set_of(&names, "", true, &arena);
	assert_false(function_names_lack(&names, "0000000002"));
	arena_release(&arena);
}

static void test_more_than_the_limit_is_no_set_at_all(void **state)
{
	(void)state;
	struct arena arena = ARENA_INIT;
	struct function_names names;
	struct strbuf text = STRBUF_INIT;
	for (unsigned i = 0; i < FUNCTION_NAMES_MAX; i++)
		strbuf_addf(&text, "%010x", i);
	function_names_finish(&names, &text, true, &arena);
	assert_int_equal(names.count, FUNCTION_NAMES_MAX);
	strbuf_addf(&text, "%010x", FUNCTION_NAMES_MAX);
	function_names_finish(&names, &text, true, &arena);
	assert_int_equal(names.count, 0);
	strbuf_release(&text);
	arena_release(&arena);
}

static void test_what_is_no_set_is_refused(void **state)
{
	static const char *const bad[] = {"000000000", "00000000010", "000000000g",
		"0000000002"
		"0000000001",
		"0000000001"
		"0000000001",
		"000000000A"};
	(void)state;
	assert_true(function_names_are_valid("", 0));
	assert_true(function_names_are_valid("0000000001"
					     "0000000002",
		20));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(function_names_are_valid(bad[i], strlen(bad[i])));
}

static void assert_alike(const char *one, const char *other, bool alike)
{
	char a[FUNCTION_NAME_DIGITS + 1], b[FUNCTION_NAME_DIGITS + 1];
	function_name_digits(one, a);
	function_name_digits(other, b);
	if ((strcmp(a, b) == 0) != alike)
		fail_msg("%s and %s are %s", one, other, alike ? "two" : "one");
}

static void test_clones_and_builds_of_a_function_have_its_name(void **state)
{
	(void)state;
	assert_alike("parse", "parse.part.0", true);
	assert_alike("parse", "parse.constprop.0.isra.1", true);
	assert_alike("parse", "parser", false);
	assert_alike("_ZN3lib4scan17h0123456789abcdefE", "_ZN3lib4scan17hfedcba9876543210E", true);
	assert_alike(
		"_ZN3lib4scan17h0123456789abcdefE", "_ZN3lib5scans17h0123456789abcdefE", false);
	assert_alike("_ZN3lib4scanEv", "_ZN3lib4scanEi", false);
	assert_alike("_RNvCs1a2bC_3lib4scan", "_RNvCs9Zz_3lib4scan", true);
	assert_alike("_RNvCs1a2bC_3lib4scan", "_RNvCs1a2bC_3lib4skip", false);
}

/* ---- of object files ---- */

struct listing {
	struct arena arena;
	struct function_names names;
};

/* Below the folder that the fixtures are in. */
static struct listing list(const char *object, const char *other)
{
	struct listing out = {.arena = ARENA_INIT};
	struct fixture_capture capture;
	char *folder = strdup(fixture_path(object));
	*strrchr(folder, '/') = '\0';
	const char *const prefixes[] = {folder, FOLDER, NULL};
	struct symbolizer_options options = {.strip_prefixes = prefixes};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct capture_module modules[2];
	fixture_capture_init(&capture, fixture_path(object), "");
	modules[0] = capture.module;
	modules[1] =
		(struct capture_module){other, "", 0x7f1000001000, 0x7f1000002000, 0x7f1000000000};
	capture.process.modules = modules;
	capture.process.module_count = other == NULL ? 1 : 2;
	profile_free(fixture_profile(symbolizer, &capture));
	symbolizer_list_functions(symbolizer, &out.names, &out.arena);
	symbolizer_free(symbolizer);
	free(folder);
	return out;
}

static bool has(const struct listing *listing, const char *name)
{
	char digits[FUNCTION_NAME_DIGITS + 1];
	function_name_digits(name, digits);
	return function_names_have(&listing->names, digits);
}

static bool has_in(const struct listing *listing, const char *name, const char *file)
{
	char digits[FUNCTION_NAME_DIGITS + 1], place[FUNCTION_NAME_DIGITS + 1];
	function_name_digits(name, digits);
	function_place_digits(digits, file, place);
	return function_names_have(&listing->names, place);
}

static void test_all_functions_of_an_object_are_known_also_inlined_ones(void **state)
{
	(void)state;
	struct listing listing = list("plain.so", NULL);
	assert_true(listing.names.complete);
	assert_true(has(&listing, "fixture_outer"));
	assert_true(has(&listing, "only_in_symtab"));
	assert_true(has(&listing, "innermost"));
	assert_true(has(&listing, "middle"));
	assert_false(has(&listing, "fixture_missing"));
	arena_release(&listing.arena);
}

static void test_what_is_only_declared_is_not_among_them(void **state)
{
	(void)state;
	struct listing listing = list("plain.so", NULL);
	assert_false(has(&listing, "malloc"));
	arena_release(&listing.arena);
}

static void test_files_are_known_relative_to_the_version(void **state)
{
	(void)state;
	struct listing listing = list("plain.so", NULL);
	assert_true(has_in(&listing, "innermost", "tests/unit/profile/fixture/plain.c"));
	assert_true(has_in(&listing, "fixture_outer", "tests/unit/profile/fixture/plain.c"));
	assert_false(has_in(&listing, "innermost", "tests/unit/profile/fixture/other.c"));
	arena_release(&listing.arena);
}

static void test_cpp_functions_are_known_by_what_the_linker_calls_them(void **state)
{
	(void)state;
	struct listing listing = list("shapes.so", NULL);
	assert_true(listing.names.complete);
	assert_true(has(&listing, "_ZN6shapes7largestEPKNS_3boxIiEEi"));
	assert_false(has(&listing, "_ZN6shapes7largestEPKNS_3boxIiEE"));
	arena_release(&listing.arena);
}

static void test_without_debug_information_the_list_is_not_complete(void **state)
{
	(void)state;
	struct listing listing = list("symtab.so", NULL);
	assert_false(listing.names.complete);
	assert_true(has(&listing, "only_in_symtab"));
	assert_false(has(&listing, "innermost"));
	arena_release(&listing.arena);
}

static void test_debug_information_of_its_own_counts(void **state)
{
	(void)state;
	struct listing listing = list("linked.so", NULL);
	assert_true(listing.names.complete);
	assert_true(has(&listing, "innermost"));
	arena_release(&listing.arena);
}

static void test_objects_of_the_system_are_not_listed(void **state)
{
	(void)state;
	Dl_info libc;
	assert_int_not_equal(dladdr((void *)(uintptr_t)qsort, &libc), 0);
	struct listing listing = list("plain.so", libc.dli_fname);
	assert_true(listing.names.complete);
	assert_false(has(&listing, "qsort"));
	arena_release(&listing.arena);
}

static void test_an_object_that_cannot_be_read_makes_it_incomplete(void **state)
{
	(void)state;
	char missing[PATH_MAX];
	snprintf(missing, sizeof(missing), "%s", fixture_path("not-there.so"));
	struct listing listing = list("plain.so", missing);
	assert_false(listing.names.complete);
	assert_true(has(&listing, "innermost"));
	arena_release(&listing.arena);
}

static void crash(const char *path, int fd)
{
	(void)fd;
	if (strstr(path, "plain.so") != NULL)
		abort();
}

static void test_a_reader_that_dies_costs_the_list_alone(void **state)
{
	(void)state;
	symbolizer_child_hook = crash;
	struct listing listing = list("plain.so", fixture_path("shapes.so"));
	symbolizer_child_hook = NULL;
	assert_false(listing.names.complete);
	assert_int_equal(listing.names.count, 0);
	arena_release(&listing.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_set_is_sorted_and_has_each_entry_once),
		cmocka_unit_test(test_only_a_complete_set_lacks_what_is_not_in_it),
		cmocka_unit_test(test_more_than_the_limit_is_no_set_at_all),
		cmocka_unit_test(test_what_is_no_set_is_refused),
		cmocka_unit_test(test_clones_and_builds_of_a_function_have_its_name),
		cmocka_unit_test(test_all_functions_of_an_object_are_known_also_inlined_ones),
		cmocka_unit_test(test_what_is_only_declared_is_not_among_them),
		cmocka_unit_test(test_files_are_known_relative_to_the_version),
		cmocka_unit_test(test_cpp_functions_are_known_by_what_the_linker_calls_them),
		cmocka_unit_test(test_without_debug_information_the_list_is_not_complete),
		cmocka_unit_test(test_debug_information_of_its_own_counts),
		cmocka_unit_test(test_objects_of_the_system_are_not_listed),
		cmocka_unit_test(test_an_object_that_cannot_be_read_makes_it_incomplete),
		cmocka_unit_test(test_a_reader_that_dies_costs_the_list_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
