/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/compare/match.h"
#include "tests/unit/compare/support.h"

struct pair {
	struct profile *base, *head;
	struct function_matches matches;
};

static void match(struct pair *pair)
{
	function_matches_build(&pair->matches, pair->base, pair->head);
}

static int set_up(void **state)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	pair->base = support_profile();
	pair->head = support_profile();
	*state = pair;
	return 0;
}

static int tear_down(void **state)
{
	struct pair *pair = *state;

	function_matches_release(&pair->matches);
	profile_free(pair->base);
	profile_free(pair->head);
	free(pair);
	return 0;
}

static const struct matched_function *find(const struct pair *pair, const char *name)
{
	for (size_t i = 0; i < pair->matches.count; i++)
		if (strcmp(pair->matches.functions[i].name, name) == 0)
			return &pair->matches.functions[i];
	fail_msg("no function is called %s", name);
	return NULL;
}

static void test_same_name_and_file_is_the_same_function(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "parse", "a.c", 1, 0);
	support_add(pair->head, "parse", "a.c", 1, 0);
	match(pair);
	assert_int_equal(pair->matches.count, 1);
	assert_int_equal(find(pair, "parse")->kind, MATCHED_SAME);
	assert_int_equal(pair->matches.of[COMPARE_BASE][0], pair->matches.of[COMPARE_HEAD][0]);
}

static void test_same_name_in_two_files_stays_two_functions(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "init@a.c;init@b.c", "", 1, 0);
	support_add(pair->head, "init@a.c;init@b.c", "", 1, 0);
	match(pair);
	assert_int_equal(pair->matches.count, 2);
	assert_int_equal(pair->matches.functions[0].kind, MATCHED_SAME);
	assert_string_equal(pair->matches.functions[0].file[COMPARE_HEAD], "a.c");
	assert_string_equal(pair->matches.functions[1].file[COMPARE_HEAD], "b.c");
}

static void test_a_function_that_changed_files_is_found_again(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "parse", "old.c", 1, 0);
	support_add(pair->head, "parse", "new.c", 1, 0);
	match(pair);
	assert_int_equal(pair->matches.count, 1);
	assert_int_equal(find(pair, "parse")->kind, MATCHED_MOVED);
	assert_string_equal(find(pair, "parse")->file[COMPARE_BASE], "old.c");
	assert_string_equal(find(pair, "parse")->file[COMPARE_HEAD], "new.c");
}

static void test_an_ambiguous_move_is_not_guessed(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "init", "a.c", 1, 0);
	support_add(pair->head, "init@b.c;init@c.c", "", 1, 0);
	match(pair);
	assert_int_equal(pair->matches.count, 3);
	assert_int_equal(pair->matches.functions[0].kind, MATCHED_VANISHED);
	assert_int_equal(pair->matches.functions[1].kind, MATCHED_NEW);
	assert_int_equal(pair->matches.functions[2].kind, MATCHED_NEW);
}

static void test_new_and_vanished_functions_are_marked(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;gone", "a.c", 1, 0);
	support_add(pair->head, "main;fresh", "a.c", 1, 0);
	match(pair);
	assert_int_equal(find(pair, "gone")->kind, MATCHED_VANISHED);
	assert_int_equal(find(pair, "fresh")->kind, MATCHED_NEW);
	assert_int_equal(find(pair, "main")->kind, MATCHED_SAME);
}

static void test_compiler_clones_are_the_function_they_come_from(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "scan", "a.c", 1, 0);
	support_add(pair->head, "scan.constprop.0;scan.part.3.isra.1;scan.cold", "a.c", 1, 0);
	match(pair);
	assert_int_equal(pair->matches.count, 1);
	assert_int_equal(find(pair, "scan")->kind, MATCHED_SAME);
}

static void test_addresses_in_stripped_objects_fold_into_the_object(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "[libz.so.1+0x100];[libz.so.1+0x200]", "", 1, 0);
	support_add(pair->head, "[libz.so.1+0x340]", "", 1, 0);
	match(pair);
	assert_int_equal(pair->matches.count, 1);
	assert_int_equal(find(pair, "[libz.so.1]")->kind, MATCHED_SAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		TEST(test_same_name_and_file_is_the_same_function),
		TEST(test_same_name_in_two_files_stays_two_functions),
		TEST(test_a_function_that_changed_files_is_found_again),
		TEST(test_an_ambiguous_move_is_not_guessed),
		TEST(test_new_and_vanished_functions_are_marked),
		TEST(test_compiler_clones_are_the_function_they_come_from),
		TEST(test_addresses_in_stripped_objects_fold_into_the_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
