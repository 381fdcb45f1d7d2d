/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "gate/compare/match.h"
#include "tests/unit/compare/support.h"

#define MAX_FUNCTIONS 32

struct pair {
	struct profile *base, *head;
	struct function_matches matches;
	bool has_code;
	struct code_of_version code[COMPARE_VERSIONS];
	const char *hash[COMPARE_VERSIONS][MAX_FUNCTIONS];
	uint32_t bytes[COMPARE_VERSIONS][MAX_FUNCTIONS];
	struct arena arena;
	struct function_names *names; /* NULL: nothing is known of the objects */
};

static void match(struct pair *pair)
{
	function_matches_build(&pair->matches, pair->base, pair->head,
		pair->has_code ? pair->code : NULL, pair->names);
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
	arena_release(&pair->arena);
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

static void set_code(
	struct pair *pair, int version, const char *name, const char *hash, uint32_t bytes)
{
	struct profile *profile = version == COMPARE_BASE ? pair->base : pair->head;

	pair->has_code = true;
	pair->code[version] =
		(struct code_of_version){profile, pair->hash[version], pair->bytes[version], NULL};
	for (size_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, name) == 0) {
			pair->hash[version][i] = hash;
			pair->bytes[version][i] = bytes;
		}
}

/* The objects of a version have what its samples have, and more: "name@file name@file". */
static void know_objects(struct pair *pair, int version, const char *more)
{
	if (!pair->names)
		pair->names = arena_array(&pair->arena, COMPARE_VERSIONS, sizeof(*pair->names));
	support_names(&pair->names[version], version == COMPARE_BASE ? pair->base : pair->head,
		more, &pair->arena);
}

static void know_both(struct pair *pair)
{
	know_objects(pair, COMPARE_BASE, "");
	know_objects(pair, COMPARE_HEAD, "");
}

static void assert_renamed(struct pair *pair, const char *from, const char *to)
{
	const struct matched_function *matched = find(pair, to);

	assert_int_equal(matched->kind, MATCHED_RENAMED);
	assert_string_equal(matched->base_name, from);
	assert_true(matched->similarity > 0 && matched->similarity <= 1);
	assert_true(matched->reason[0]);
}

static void assert_apart(struct pair *pair, const char *gone, const char *fresh)
{
	assert_int_equal(find(pair, gone)->kind, MATCHED_VANISHED);
	assert_int_equal(find(pair, fresh)->kind, MATCHED_NEW);
}

static void test_equal_code_under_another_name_is_renamed(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;crunch", "a.c", 1, 0);
	support_add(pair->head, "main;zap@b.c", "a.c", 1, 0);
	set_code(pair, COMPARE_BASE, "crunch", "aa", 100);
	set_code(pair, COMPARE_HEAD, "zap", "aa", 100);
	match(pair);
	assert_renamed(pair, "crunch", "zap");
}

static void test_equal_code_of_a_few_bytes_proves_nothing(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;crunch", "a.c", 1, 0);
	support_add(pair->head, "main;zap@b.c", "a.c", 1, 0);
	set_code(pair, COMPARE_BASE, "crunch", "aa", 4);
	set_code(pair, COMPARE_HEAD, "zap", "aa", 4);
	match(pair);
	assert_apart(pair, "crunch", "zap");
}

static void test_equal_code_of_two_functions_proves_nothing(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;crunch", "a.c", 1, 0);
	support_add(pair->head, "main;zap@b.c", "a.c", 1, 0);
	support_add(pair->head, "main;zip@b.c", "a.c", 1, 0);
	set_code(pair, COMPARE_BASE, "crunch", "aa", 100);
	set_code(pair, COMPARE_HEAD, "zap", "aa", 100);
	set_code(pair, COMPARE_HEAD, "zip", "aa", 100);
	match(pair);
	assert_int_equal(find(pair, "crunch")->kind, MATCHED_VANISHED);
}

static void test_static_functions_of_one_name_move_by_their_code(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;init@a.c", "m.c", 1, 0);
	support_add(pair->base, "main;init@b.c", "m.c", 1, 0);
	support_add(pair->head, "main;init@x.c", "m.c", 1, 0);
	support_add(pair->head, "main;init@y.c", "m.c", 1, 0);
	pair->has_code = true;
	pair->code[COMPARE_BASE] = (struct code_of_version){
		pair->base, pair->hash[COMPARE_BASE], pair->bytes[COMPARE_BASE], NULL};
	pair->code[COMPARE_HEAD] = (struct code_of_version){
		pair->head, pair->hash[COMPARE_HEAD], pair->bytes[COMPARE_HEAD], NULL};
	for (size_t i = 0; i < pair->base->function_count; i++)
		pair->hash[COMPARE_BASE][i] = pair->base->functions[i].file[0] == 'a' ? "aa" : "bb";
	for (size_t i = 0; i < pair->head->function_count; i++)
		pair->hash[COMPARE_HEAD][i] = pair->head->functions[i].file[0] == 'y' ? "aa" : "bb";
	match(pair);
	assert_int_equal(pair->matches.count, 3);
	for (size_t i = 0; i < pair->matches.count; i++) {
		const struct matched_function *matched = &pair->matches.functions[i];

		if (strcmp(matched->name, "init") != 0)
			continue;
		assert_int_equal(matched->kind, MATCHED_MOVED);
		assert_string_equal(matched->file[COMPARE_HEAD],
			matched->file[COMPARE_BASE][0] == 'a' ? "y.c" : "x.c");
	}
}

/*
 * Renames that git's history has (its change from SHA-1's names to object ids), with who calls
 * them; written down before the matcher was first run on them. The last one's names have next to
 * nothing in common: it is missed, as it must be while nothing is known of the code. None is wrong.
 */
static void test_renames_of_a_real_history_are_found_or_missed(void **state)
{
	static const struct {
		const char *base, *head, *stack; /* stack: what is around, %s for the function */
	} renames[] = {
		{"read_sha1_file", "read_object_file", "cmd_log;parse_commit;%s;inflate"},
		{"sha1_object_info", "oid_object_info",
			"cmd_cat_file;batch_one;%s;find_pack_entry"},
		{"write_sha1_file", "write_object_file", "cmd_add;index_mem;%s;deflate"},
		{"hash_sha1_file", "hash_object_file", "cmd_add;index_mem;%s;SHA1_Update"},
		{"check_sha1_signature", "check_object_signature",
			"cmd_fsck;verify_packfile;%s;SHA1_Final"},
		{"map_sha1_file", "map_loose_object", "cmd_gc;stat_loose;%s;xmmap"},
	};
	struct pair *pair = *state;
	char stack[256];
	size_t found = 0;

	for (size_t i = 0; i < sizeof(renames) / sizeof(renames[0]); i++) {
		snprintf(stack, sizeof(stack), renames[i].stack, renames[i].base);
		support_add(pair->base, stack, "sha1-file.c", 5, 0);
		snprintf(stack, sizeof(stack), renames[i].stack, renames[i].head);
		support_add(pair->head, stack, "sha1-file.c", 5, 0);
	}
	know_both(pair);
	match(pair);
	for (size_t i = 0; i < sizeof(renames) / sizeof(renames[0]); i++) {
		const struct matched_function *matched = find(pair, renames[i].head);

		if (matched->kind == MATCHED_NEW)
			continue;
		assert_renamed(pair, renames[i].base, renames[i].head);
		found++;
	}
	assert_true(found >= 5);
}

static void test_another_function_in_the_same_place_is_new(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;run;check_limits;isspace", "a.c", 5, 0);
	support_add(pair->head, "main;run;emit_rows;isspace", "a.c", 5, 0);
	know_both(pair);
	match(pair);
	assert_apart(pair, "check_limits", "emit_rows");
}

static void test_a_similar_name_elsewhere_is_new(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;run;parse_header@a.c;isspace", "m.c", 5, 0);
	support_add(pair->head, "main;dump;parse_headers@b.c;toupper", "m.c", 5, 0);
	know_both(pair);
	match(pair);
	assert_apart(pair, "parse_header", "parse_headers");
}

static void test_two_equally_similar_names_are_both_new(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;run;parse_item", "a.c", 5, 0);
	support_add(pair->head, "main;run;parse_item1", "a.c", 5, 0);
	support_add(pair->head, "main;run;parse_item2", "a.c", 5, 0);
	know_both(pair);
	match(pair);
	assert_int_equal(find(pair, "parse_item")->kind, MATCHED_VANISHED);
	assert_int_equal(find(pair, "parse_item1")->kind, MATCHED_NEW);
	assert_int_equal(find(pair, "parse_item2")->kind, MATCHED_NEW);
}

static void test_another_size_speaks_against_a_rename(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;run;parse_item", "a.c", 5, 0);
	support_add(pair->head, "main;run;parse_items", "a.c", 5, 0);
	set_code(pair, COMPARE_BASE, "parse_item", "aa", 40);
	set_code(pair, COMPARE_HEAD, "parse_items", "bb", 4000);
	know_both(pair);
	match(pair);
	assert_apart(pair, "parse_item", "parse_items");
}

static void test_instances_of_a_template_are_one(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;box<int>::area() const", "a.cc", 5, 0);
	support_add(pair->head, "main;box<long>::area() const", "a.cc", 5, 0);
	support_add(pair->base, "main;draw(shape*)", "a.cc", 5, 0);
	support_add(pair->head, "main;draw(shape*, int)", "a.cc", 5, 0);
	match(pair);
	assert_int_equal(find(pair, "box<long>::area() const")->kind, MATCHED_INSTANCE);
	assert_int_equal(find(pair, "draw(shape*, int)")->kind, MATCHED_INSTANCE);
}

static void test_ten_thousand_functions_are_matched_in_time(void **state)
{
	struct pair *pair = *state;
	char stack[128];

	for (int i = 0; i < 10000; i++) {
		snprintf(stack, sizeof(stack), "main;part%d;old_name_%d", i / 20, i);
		support_add(pair->base, stack, "a.c", 1, 0);
		snprintf(stack, sizeof(stack), "main;part%d;new_name_%d", i / 20, i);
		support_add(pair->head, stack, "a.c", 1, 0);
	}
	know_both(pair);
	match(pair);
	assert_true(pair->matches.count > 500);
}

/* digest() calls another helper: chance, or the change, took all samples from one of two. */
static void swap_callee(struct pair *pair)
{
	support_add(pair->base, "main;digest;hash_words", "a.c", 5, 0);
	support_add(pair->head, "main;digest;hash_bytes", "a.c", 5, 0);
}

static void test_two_similar_functions_are_one_where_each_version_has_one(void **state)
{
	struct pair *pair = *state;

	swap_callee(pair);
	know_both(pair);
	match(pair);
	assert_renamed(pair, "hash_words", "hash_bytes");
}

static void map_all(struct profile *profile, const struct profile_mapping *mapping)
{
	uint32_t id = profile_add_mapping(profile, mapping);

	for (size_t i = 0; i < profile->location_count; i++)
		((struct profile_location *)(uintptr_t)profile->locations)[i].mapping = id;
}

/* All of libc's functions are in both versions, whatever its symbol table tells of them. */
static void test_what_is_in_a_file_of_the_system_was_not_renamed(void **state)
{
	const char *const ids[] = {"aa", "ab", ""};
	struct pair *pair = *state;

	for (int i = 0; i < 3; i++) {
		struct profile_mapping libc = {.file = "/lib/libc.so.6", .build_id = "aa"};

		swap_callee(pair);
		know_both(pair);
		map_all(pair->base, &libc);
		libc.build_id = ids[i];
		map_all(pair->head, &libc);
		match(pair);
		if (i > 0)
			assert_renamed(pair, "hash_words", "hash_bytes");
		else
			assert_apart(pair, "hash_words", "hash_bytes");
		tear_down(state);
		set_up(state);
		pair = *state;
	}
}

static void test_a_function_that_head_still_has_was_not_renamed(void **state)
{
	struct pair *pair = *state;

	swap_callee(pair);
	know_objects(pair, COMPARE_BASE, "");
	know_objects(pair, COMPARE_HEAD, "hash_words@a.c");
	match(pair);
	assert_apart(pair, "hash_words", "hash_bytes");
}

static void test_no_function_was_renamed_to_one_that_base_has(void **state)
{
	struct pair *pair = *state;

	swap_callee(pair);
	know_objects(pair, COMPARE_BASE, "hash_bytes@a.c");
	know_objects(pair, COMPARE_HEAD, "");
	match(pair);
	assert_apart(pair, "hash_words", "hash_bytes");
}

static void test_surroundings_alone_are_no_rename(void **state)
{
	struct pair *pair = *state;

	swap_callee(pair);
	match(pair);
	assert_apart(pair, "hash_words", "hash_bytes");
}

static void test_where_not_all_functions_are_known_nothing_is_renamed_by_its_surroundings(
	void **state)
{
	struct pair *pair = *state;

	swap_callee(pair);
	know_both(pair);
	pair->names[COMPARE_BASE].complete = false;
	match(pair);
	assert_apart(pair, "hash_words", "hash_bytes");
}

static void test_two_functions_of_equal_code_that_head_has_both_are_two(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;crunch", "a.c", 1, 0);
	support_add(pair->head, "main;zap", "a.c", 1, 0);
	set_code(pair, COMPARE_BASE, "crunch", "aa", 100);
	set_code(pair, COMPARE_HEAD, "zap", "aa", 100);
	know_objects(pair, COMPARE_BASE, "");
	know_objects(pair, COMPARE_HEAD, "crunch@a.c");
	match(pair);
	assert_apart(pair, "crunch", "zap");
}

static void test_a_function_that_base_has_in_both_files_has_not_moved(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;init@a.c", "m.c", 1, 0);
	support_add(pair->head, "main;init@b.c", "m.c", 1, 0);
	know_objects(pair, COMPARE_BASE, "init@b.c");
	know_objects(pair, COMPARE_HEAD, "init@a.c");
	match(pair);
	assert_int_equal(pair->matches.functions[0].kind, MATCHED_VANISHED);
	assert_int_equal(pair->matches.functions[1].kind, MATCHED_NEW);
}

static void test_a_function_that_is_in_one_file_of_each_version_has_moved(void **state)
{
	struct pair *pair = *state;

	support_add(pair->base, "main;init@a.c", "m.c", 1, 0);
	support_add(pair->head, "main;init@b.c", "m.c", 1, 0);
	know_both(pair);
	match(pair);
	assert_int_equal(find(pair, "init")->kind, MATCHED_MOVED);
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
		TEST(test_two_similar_functions_are_one_where_each_version_has_one),
		TEST(test_what_is_in_a_file_of_the_system_was_not_renamed),
		TEST(test_a_function_that_head_still_has_was_not_renamed),
		TEST(test_no_function_was_renamed_to_one_that_base_has),
		TEST(test_surroundings_alone_are_no_rename),
		TEST(test_where_not_all_functions_are_known_nothing_is_renamed_by_its_surroundings),
		TEST(test_two_functions_of_equal_code_that_head_has_both_are_two),
		TEST(test_a_function_that_base_has_in_both_files_has_not_moved),
		TEST(test_a_function_that_is_in_one_file_of_each_version_has_moved),
		TEST(test_compiler_clones_are_the_function_they_come_from),
		TEST(test_addresses_in_stripped_objects_fold_into_the_object),
		cmocka_unit_test_setup_teardown(
			test_equal_code_under_another_name_is_renamed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_equal_code_of_a_few_bytes_proves_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_equal_code_of_two_functions_proves_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_static_functions_of_one_name_move_by_their_code, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_renames_of_a_real_history_are_found_or_missed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_another_function_in_the_same_place_is_new, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_similar_name_elsewhere_is_new, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_two_equally_similar_names_are_both_new, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_another_size_speaks_against_a_rename, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_instances_of_a_template_are_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_ten_thousand_functions_are_matched_in_time, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
