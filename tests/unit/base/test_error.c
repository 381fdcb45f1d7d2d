/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "gate/base/error.h"

static void test_code_and_message_are_set(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(error_set(&err, ERR_CORRUPT, "%s is %d", "x", 3), ERR_CORRUPT);
	assert_int_equal(err.code, ERR_CORRUPT);
	assert_string_equal(err.message, "x is 3");
	assert_int_equal(error_errno(&err, ERR_IO, ENOENT, "cannot open %s", "y"), ERR_IO);
	assert_string_equal(err.message, "cannot open y: No such file or directory");
}

static void test_prefixes_are_stacked(void **state)
{
	struct error err;

	(void)state;
	error_set(&err, ERR_LIMIT, "too long");
	assert_int_equal(error_prefix(&err, "line %d", 2), ERR_LIMIT);
	assert_int_equal(error_prefix(&err, "file"), ERR_LIMIT);
	assert_string_equal(err.message, "file: line 2: too long");
}

static void test_no_error_struct_is_fine(void **state)
{
	(void)state;
	assert_int_equal(error_set(NULL, ERR_TOOL, "x"), ERR_TOOL);
	assert_int_equal(error_errno(NULL, ERR_IO, EIO, "x"), ERR_IO);
	assert_int_not_equal(error_prefix(NULL, "x"), ERR_OK);
}

static void test_long_messages_are_cut_and_terminated(void **state)
{
	char text[3 * ERROR_MESSAGE_BYTES];
	struct error err;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error_set(&err, ERR_IO, "%s", text);
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_BYTES - 1);
	error_prefix(&err, "where");
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_BYTES - 1);
	assert_memory_equal(err.message, "where: xxx", 10);
	error_prefix(&err, "%s", text);
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_BYTES - 1);
	error_errno(&err, ERR_IO, EIO, "%s", text);
	assert_int_equal(strlen(err.message), ERROR_MESSAGE_BYTES - 1);
}

static void test_exit_status_says_who_has_to_act(void **state)
{
	(void)state;
	assert_int_equal(error_exit_status(ERR_USAGE), 2);
	assert_int_equal(error_exit_status(ERR_CONFIG), 2);
	for (int code = ERR_BENCHMARK; code <= ERR_NOT_FOUND; code++)
		assert_int_equal(error_exit_status(code), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_and_message_are_set),
		cmocka_unit_test(test_prefixes_are_stacked),
		cmocka_unit_test(test_no_error_struct_is_fine),
		cmocka_unit_test(test_long_messages_are_cut_and_terminated),
		cmocka_unit_test(test_exit_status_says_who_has_to_act),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
