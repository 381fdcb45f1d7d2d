/* SPDX-License-Identifier: Apache-2.0 */
/* A capture's packed frames: what goes in comes out, on both architectures' address spaces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/sampler/capture/capture.h"

static void assert_frame(uint64_t frame, uint64_t module, uint64_t address, bool exact)
{
	assert_int_equal(fg_frame_module(frame), module);
	assert_int_equal(fg_frame_address(frame), address);
	assert_int_equal(fg_frame_is_exact(frame), exact);
}

static void test_frame_in_a_module_keeps_module_address_and_exactness(void **state)
{
	static const uint64_t numbers[] = {1, 2, 0x8000, FG_MAX_MODULES};
	static const uint64_t addresses[] = {0, 0x1234, FG_FRAME_ADDRESS_MASK};

	(void)state;
	for (int n = 0; n < 4; n++)
		for (int a = 0; a < 3; a++)
			for (int exact = 0; exact < 2; exact++)
				assert_frame(
					fg_frame_in_module(numbers[n], addresses[a], exact != 0),
					numbers[n], addresses[a], exact != 0);
}

static void test_frame_in_no_module_keeps_all_of_a_user_address(void **state)
{
	static const uint64_t addresses[] = {0, 0x1234, UINT64_C(0x7fffffffffff),
		UINT64_C(0x800000000000), UINT64_C(0xffffffffffff)};

	(void)state;
	for (int a = 0; a < 5; a++)
		for (int exact = 0; exact < 2; exact++)
			assert_frame(fg_frame_loose(addresses[a], exact != 0), 0, addresses[a],
				exact != 0);
}

static void test_address_beyond_user_space_does_not_name_a_module(void **state)
{
	(void)state;
	assert_int_equal(fg_frame_module(fg_frame_loose(~UINT64_C(0), false)), 0);
	assert_false(fg_frame_is_exact(fg_frame_loose(~UINT64_C(0), false)));
	assert_true(FG_MAX_MODULES < FG_FRAME_LOOSE_EXACT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_in_a_module_keeps_module_address_and_exactness),
		cmocka_unit_test(test_frame_in_no_module_keeps_all_of_a_user_address),
		cmocka_unit_test(test_address_beyond_user_space_does_not_name_a_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
