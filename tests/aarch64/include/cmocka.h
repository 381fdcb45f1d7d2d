/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of cmocka's interface as the unwinder's tests use, in its place where there is no cmocka
 * for the other architecture. A failure ends the program.
 */
#ifndef FG_TEST_AARCH64_CMOCKA_H
#define FG_TEST_AARCH64_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
	const char *name;
	void (*run)(void **state);
};

#define cmocka_unit_test(function)                                                                 \
	{                                                                                          \
#function, function                                                                \
	}
#define print_message printf
#define skip() return

static inline void check_or_exit(int holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	printf("%s:%d: %s\n", file, line, what);
	exit(1);
}

#define assert_that(holds, what) check_or_exit(holds, what, __FILE__, __LINE__)
#define assert_true(value) assert_that(!!(value), #value)
#define assert_false(value) assert_that(!(value), "not: " #value)
#define assert_int_equal(a, b) assert_that((long)(a) == (long)(b), #a " == " #b)
#define assert_int_not_equal(a, b) assert_that((long)(a) != (long)(b), #a " != " #b)
#define assert_ptr_equal(a, b) assert_that((const void *)(a) == (const void *)(b), #a " == " #b)
#define assert_ptr_not_equal(a, b) assert_that((const void *)(a) != (const void *)(b), #a " != " #b)
#define assert_null(value) assert_that((value) == NULL, #value " is NULL")
#define assert_non_null(value) assert_that((value) != NULL, #value)
#define assert_memory_equal(a, b, size) assert_that(memcmp(a, b, size) == 0, #a " equals " #b)

static inline int cmocka_run_tests(
	const struct CMUnitTest *tests, size_t count, int (*set_up)(void **state))
{
	void *state = NULL;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (set_up && set_up(&state) != 0)
		return 1;
	for (size_t i = 0; i < count; i++) {
		printf("# %s\n", tests[i].name);
		tests[i].run(&state);
	}
	return 0;
}

#define cmocka_run_group_tests(tests, set_up, tear_down)                                           \
	cmocka_run_tests(tests, sizeof(tests) / sizeof((tests)[0]), set_up)

#endif
