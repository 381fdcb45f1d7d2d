/* SPDX-License-Identifier: Apache-2.0 */
/* A function is known again by its shape and by what it calls, whatever that is called. */
#include "tests/unit/profile/code_program.h"

/* names: NULL-terminated. */
static void assert_calls(
	const struct program *program, const char *function, const char *const *names)
{
	struct code_identity found = hash_of(program, function);
	assert_int_equal(strlen(found.shape), CODE_HASH_DIGITS);
	for (; *names != NULL; names++, found.callees += CODE_CALLEE_DIGITS) {
		char digits[CODE_CALLEE_DIGITS + 1];
		code_callee_digits(*names, strlen(*names), digits);
		if (strncmp(found.callees, digits, CODE_CALLEE_DIGITS) != 0)
			fail_msg("%s: '%s' is not %s", function, found.callees, *names);
	}
	assert_string_equal(found.callees, "");
}

#define CALLS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A clone counts by the name of its function, and a part with it. */
static const struct {
	const char *function;
	const char *const *before, *const *after;
} callers[] = {
	{"calls_other", CALLS("other_first"), CALLS("first_anew")},
	{"calls_last", CALLS("other_first"), CALLS("first_anew")},
	{"calls_both", CALLS("other_first", "other_second"), CALLS("first_anew", "other_second")},
	{"calls_twice", CALLS("other_first"), CALLS("first_anew")},
	{"calls_clone", CALLS("other_clone"), CALLS("clone_anew")},
	{"has_cold_part", CALLS("unlikely"), CALLS("rare_anew")},
};

/* A function whose address is taken has its name: what calls it is not known. */
static void check_renamed(const char *kind)
{
	struct program before, after;
	char name[64];
	snprintf(name, sizeof(name), "code-%s-none", kind);
	skip_without(program_open(&before, name, ""));
	snprintf(name, sizeof(name), "code-%s-called_anew", kind);
	assert_true(program_open(&after, name, ""));
	for (size_t i = 0; i < COUNT(callers); i++) {
		assert_changed(&before, &after, callers[i].function);
		assert_calls(&before, callers[i].function, callers[i].before);
		assert_calls(&after, callers[i].function, callers[i].after);
		assert_string_equal(hash_of(&before, callers[i].function).shape,
			hash_of(&after, callers[i].function).shape);
	}
	for (size_t i = 0; i < COUNT(bystanders); i++)
		assert_same(&before, &after, bystanders[i]);
	assert_changed(&before, &after, "returns_function");
	assert_string_equal(hash_of(&before, "returns_function").shape, "");
	program_close(&before);
	program_close(&after);
}

static void test_a_renamed_callee_changes_no_shape(void **state)
{
	(void)state;
	check_renamed("native-moving");
}

static void test_a_renamed_callee_changes_no_shape_in_a_fixed_program(void **state)
{
	(void)state;
	check_renamed("native-fixed");
}

static void test_a_renamed_callee_changes_no_shape_on_aarch64(void **state)
{
	(void)state;
	check_renamed("aarch64-moving");
}

static void test_a_renamed_callee_changes_no_shape_in_a_fixed_aarch64_program(void **state)
{
	(void)state;
	check_renamed("aarch64-fixed");
}

/* By who is called, by the order, by who is called again, and by whether it is a clone of it. */
static void test_other_calls_are_told_apart(void **state)
{
	struct program before, other, both, twice, clone;
	(void)state;
	assert_true(program_open(&before, "code-native-moving-none", ""));
	assert_true(program_open(&other, "code-native-moving-calls_other", ""));
	assert_true(program_open(&both, "code-native-moving-calls_both", ""));
	assert_true(program_open(&twice, "code-native-moving-calls_twice", ""));
	assert_true(program_open(&clone, "code-native-moving-calls_clone", ""));
	assert_calls(&before, "calls_other", CALLS("other_first"));
	assert_calls(&other, "calls_other", CALLS("other_second"));
	assert_calls(&before, "calls_both", CALLS("other_first", "other_second"));
	assert_calls(&both, "calls_both", CALLS("other_second", "other_first"));
	assert_string_not_equal(
		hash_of(&before, "calls_twice").shape, hash_of(&twice, "calls_twice").shape);
	assert_string_not_equal(
		hash_of(&before, "calls_both").shape, hash_of(&before, "calls_twice").shape);
	assert_string_not_equal(
		hash_of(&before, "calls_clone").shape, hash_of(&clone, "calls_clone").shape);
	program_close(&before);
	program_close(&other);
	program_close(&both);
	program_close(&twice);
	program_close(&clone);
}

static void test_of_too_many_callees_there_is_no_shape(void **state)
{
	struct program program;
	(void)state;
	assert_true(program_open(&program, "code-many.so", ""));
	struct code_identity most = hash_of(&program, "calls_many");
	struct code_identity more = hash_of(&program, "calls_too_many");
	assert_int_equal(strlen(most.shape), CODE_HASH_DIGITS);
	assert_int_equal(strlen(most.callees), CODE_MAX_CALLEES * CODE_CALLEE_DIGITS);
	assert_true(code_callees_are_valid(most.callees, strlen(most.callees)));
	assert_int_equal(strlen(more.hash), CODE_HASH_DIGITS);
	assert_string_equal(more.shape, "");
	assert_string_equal(more.callees, "");
	program_close(&program);
}

/* Whose function that is only the loader knows, by its name. */
static void test_what_a_stub_reaches_is_no_callee(void **state)
{
	struct program program;
	(void)state;
	assert_true(program_open(&program, "code-shared-none", ""));
	assert_int_equal(strlen(hash_of(&program, "calls_other").hash), CODE_HASH_DIGITS);
	assert_string_equal(hash_of(&program, "calls_other").shape, "");
	program_close(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_renamed_callee_changes_no_shape),
		cmocka_unit_test(test_a_renamed_callee_changes_no_shape_in_a_fixed_program),
		cmocka_unit_test(test_a_renamed_callee_changes_no_shape_on_aarch64),
		cmocka_unit_test(test_a_renamed_callee_changes_no_shape_in_a_fixed_aarch64_program),
		cmocka_unit_test(test_other_calls_are_told_apart),
		cmocka_unit_test(test_of_too_many_callees_there_is_no_shape),
		cmocka_unit_test(test_what_a_stub_reaches_is_no_callee),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
