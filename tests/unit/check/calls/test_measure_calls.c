/* SPDX-License-Identifier: Apache-2.0 */
/* When calls are counted under valgrind at all; the rest of it is tests/cli/check/test_calls.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gate/base/error.h"
#include "gate/check/calls/measure_calls.h"

static void test_five_minutes_are_the_most(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(calls_fit_valgrind(4 * 1.5, &err), ERR_OK);
	assert_int_equal(calls_fit_valgrind(0, &err), ERR_OK);
	assert_int_equal(calls_fit_valgrind(4 * 1.6, &err), ERR_MEASURE);
	assert_string_equal(err.message, "runs under valgrind would take about 6 minutes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_five_minutes_are_the_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
