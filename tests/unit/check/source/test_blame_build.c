/* SPDX-License-Identifier: Apache-2.0 */
/* Which line says how the program is built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/check/source/blame_build.h"

static struct repo_hunk first = {3, 1, 4, 2}, gone = {1, 2, 0, 0};

#define CHANGED(path)                                                                              \
	{                                                                                          \
		path, path, &first, 1, false                                                       \
	}

static void assert_names(const struct repo_diff *diff, const char *expected, int64_t at)
{
	const char *file = "untouched";
	int64_t line = -1;

	assert_int_equal(blame_build(diff, &file, &line), expected != NULL);
	assert_string_equal(file, expected ? expected : "untouched");
	assert_int_equal(line, expected ? at : -1);
}

static void test_a_line_of_what_builds_is_named(void **state)
{
	struct repo_file_change files[] = {
		CHANGED("README.md"), CHANGED("lib/Makefile"), CHANGED("lib/flags.mk")};
	struct repo_diff diff = {files, 3};

	(void)state;
	assert_names(&diff, "lib/Makefile", 4);
	files[1] = (struct repo_file_change){"Makefile", "Makefile", &gone, 1, false};
	assert_names(&diff, "Makefile", 1);
	files[1] = (struct repo_file_change){"Makefile", "", &gone, 1, false};
	assert_names(&diff, "lib/flags.mk", 4);
	files[1] = (struct repo_file_change)CHANGED("docs/index.rst");
	assert_names(&diff, "lib/flags.mk", 4);
}

static void test_beside_a_source_it_is_not_the_cause(void **state)
{
	struct repo_file_change files[] = {CHANGED("Makefile"), CHANGED("src/a.c")};
	struct repo_diff diff = {files, 2};

	(void)state;
	assert_names(&diff, NULL, 0);
	diff.file_count = 1;
	assert_names(&diff, "Makefile", 4);
	files[0] = (struct repo_file_change)CHANGED("src/Makefile.c");
	assert_names(&diff, NULL, 0);
	files[0] = (struct repo_file_change)CHANGED(".mk");
	assert_names(&diff, NULL, 0);
	files[0] = (struct repo_file_change)CHANGED("notes.txt");
	assert_names(&diff, NULL, 0);
	diff.file_count = 0;
	assert_names(&diff, NULL, 0);
	assert_names(NULL, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_of_what_builds_is_named),
		cmocka_unit_test(test_beside_a_source_it_is_not_the_cause),
	};

	return cmocka_run_group_tests_name("blame: build", tests, NULL, NULL);
}
