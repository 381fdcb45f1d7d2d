/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/reader/module_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_paths_are_collapsed_by_their_text(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"/a/b/../c/./d.c", "/a/c/d.c"},
		{"/a//b/", "/a/b"},
		{"/../../etc/passwd", "/etc/passwd"},
		{"a/../../b", "../b"},
		{"../../x.c", "../../x.c"},
		{"../a/../x.c", "../x.c"},
		{"a/..", ""},
		{"./x.c", "x.c"},
		{"/", "/"},
		{"", ""},
		{"...", "..."},
		{"/a/..b/c..", "/a/..b/c.."},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char path[64];
		memcpy(path, cases[i][0], strlen(cases[i][0]) + 1);
		symbol_path_normalize(path);
		assert_string_equal(path, cases[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths_are_collapsed_by_their_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
