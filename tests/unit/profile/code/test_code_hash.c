/* SPDX-License-Identifier: Apache-2.0 */
/* What the linker moves keeps its hash, and what a programmer changes does not. */
#include "tests/unit/profile/code_program.h"

/* Each changed program against the unchanged one, and against that in another order. */
static void check_changes(const char *kind)
{
	struct program same, moved, changed;
	char name[64];
	snprintf(name, sizeof(name), "code-%s-none", kind);
	skip_without(program_open(&same, name, ""));
	snprintf(name, sizeof(name), "code-%s-relinked", kind);
	assert_true(program_open(&moved, name, ""));
	assert_all_same(&same, &moved, NULL);
	for (size_t i = 0; i < COUNT(changes); i++) {
		snprintf(name, sizeof(name), "code-%s-%s", kind, changes[i]);
		assert_true(program_open(&changed, name, ""));
		assert_changed(&same, &changed, changes[i]);
		assert_changed(&moved, &changed, changes[i]);
		assert_all_same(&moved, &changed, changes[i]);
		program_close(&changed);
	}
	program_close(&moved);
	program_close(&same);
}

static void test_only_the_changed_function_changes(void **state)
{
	(void)state;
	check_changes("native-moving");
}

static void test_only_the_changed_function_changes_in_a_fixed_program(void **state)
{
	(void)state;
	check_changes("native-fixed");
}

static void test_only_the_changed_function_changes_on_aarch64(void **state)
{
	(void)state;
	check_changes("aarch64-moving");
}

static void test_only_the_changed_function_changes_in_a_fixed_aarch64_program(void **state)
{
	(void)state;
	check_changes("aarch64-fixed");
}

/* Unchanged in another order all are the same; with everything changed none is that could be. */
static void check_kind(const char *kind)
{
	struct program same, moved, changed;
	char name[64];
	snprintf(name, sizeof(name), "code-%s-none", kind);
	skip_without(program_open(&same, name, ""));
	snprintf(name, sizeof(name), "code-%s-relinked", kind);
	assert_true(program_open(&moved, name, ""));
	snprintf(name, sizeof(name), "code-%s-all", kind);
	assert_true(program_open(&changed, name, ""));
	/* A library finds its threads' variables by the distance from the first of them. */
	assert_all_same(&same, &moved, strcmp(kind, "shared") == 0 ? "reads_thread" : NULL);
	for (size_t i = 0; i < COUNT(changes); i++) {
		assert_changed(&same, &changed, changes[i]);
		assert_changed(&moved, &changed, changes[i]);
	}
	for (size_t i = 0; i < COUNT(bystanders); i++)
		assert_same(&moved, &changed, bystanders[i]);
	program_close(&changed);
	program_close(&moved);
	program_close(&same);
}

static void test_without_optimisation(void **state)
{
	(void)state;
	check_kind("plain");
}

static void test_with_a_section_for_each_function(void **state)
{
	(void)state;
	check_kind("sections");
}

static void test_with_guarded_branches(void **state)
{
	(void)state;
	check_kind("guarded");
}

static void test_in_a_shared_library(void **state)
{
	(void)state;
	check_kind("shared");
}

static void test_with_packed_relocations(void **state)
{
	(void)state;
	check_kind("packed");
}

static void test_optimised_as_a_whole(void **state)
{
	(void)state;
	check_kind("whole");
}

static void test_by_clang(void **state)
{
	(void)state;
	check_kind("clang");
}

static void test_of_classes_and_templates_only_what_changed_changes(void **state)
{
	static const char *const changed[] = {"makes_square", "_Z6scaledIsEiT_", "catches"};
	static const char *const kept[] = {"makes_triangle", "_Z6scaledIiEiT_", "_Z9may_throwi"};
	struct program same, moved, all;
	(void)state;
	assert_true(program_open(&same, "code-class-none", ""));
	assert_true(program_open(&moved, "code-class-relinked", ""));
	assert_true(program_open(&all, "code-class-all", ""));
	for (size_t i = 0; i < COUNT(changed); i++) {
		assert_same(&same, &moved, changed[i]);
		assert_changed(&moved, &all, changed[i]);
		assert_same(&same, &moved, kept[i]);
		assert_same(&same, &all, kept[i]);
	}
	program_close(&all);
	program_close(&moved);
	program_close(&same);
}

/* Nearly every function of this program can be hashed, and hardly one depends on the linker's
 * order. */
static void test_a_real_program_linked_in_another_order_is_the_same(void **state)
{
	struct program there, back;
	size_t functions = 0, doubtful = 0, differing = 0;
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* the sanitizer's own tables follow the order of the files */
#endif
	assert_true(program_open(&there, "real-there", "") && program_open(&back, "real-back", ""));
	for (size_t i = 0; i < there.image.symbol_count; i++) {
		const struct code_symbol *symbol = &there.image.symbols[i];
		struct code_identity left, right;
		char stem[256];
		if (symbol->kind != CODE_SYMBOL_FUNCTION)
			continue;
		code_hasher_find(there.hasher, symbol->low, &left);
		snprintf(stem, sizeof(stem), "%.*s", (int)symbol->stem, symbol->name);
		right = hash_of(&back, stem);
		functions++;
		doubtful += left.hash[0] == '\0';
		if (strcmp(left.hash, right.hash) == 0) {
			assert_string_equal(left.shape, right.shape);
			assert_string_equal(left.callees, right.callees);
			continue;
		}
		differing++;
		print_message("differs: %s\n", symbol->name);
	}
	print_message("%zu functions, %zu in doubt, %zu differ\n", functions, doubtful, differing);
	assert_true(functions > 1000);
	assert_true(doubtful * 20 < functions);
	/* A loop's address before or behind its array may be that of a neighbour. */
	assert_true(differing * 50 < functions);
	program_close(&there);
	program_close(&back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_the_changed_function_changes),
		cmocka_unit_test(test_only_the_changed_function_changes_in_a_fixed_program),
		cmocka_unit_test(test_only_the_changed_function_changes_on_aarch64),
		cmocka_unit_test(test_only_the_changed_function_changes_in_a_fixed_aarch64_program),
		cmocka_unit_test(test_without_optimisation),
		cmocka_unit_test(test_with_a_section_for_each_function),
		cmocka_unit_test(test_with_guarded_branches),
		cmocka_unit_test(test_in_a_shared_library),
		cmocka_unit_test(test_with_packed_relocations),
		cmocka_unit_test(test_optimised_as_a_whole),
		cmocka_unit_test(test_by_clang),
		cmocka_unit_test(test_of_classes_and_templates_only_what_changed_changes),
		cmocka_unit_test(test_a_real_program_linked_in_another_order_is_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
