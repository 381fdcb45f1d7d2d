/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/slice_length.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MB 1000000

/* Megabytes and milliseconds; a run of one second beside caches of 32 MB. */
static int length_of(int base, int head, int run_ms)
{
	const struct slice_needs needs = {
		{(uint64_t)base * MB, (uint64_t)head * MB}, 32 * MB, run_ms / 1e3};

	return (int)(slice_length(&needs) / 1000000);
}

static void test_who_fits_into_its_own_caches_has_20_ms(void **state)
{
	(void)state;
	assert_int_equal(length_of(0, 0, 1000), 20);
	assert_int_equal(length_of(2, 3, 1000), 20);
	assert_int_equal(length_of(4, 4, 10), 20);
}

static void test_where_both_work_on_much_up_to_100_ms(void **state)
{
	(void)state;
	assert_int_equal(length_of(5, 5, 1000), 40);
	assert_int_equal(length_of(8, 8, 1000), 100);
	assert_int_equal(length_of(32, 32, 1000), 100);
}

static void test_a_short_run_keeps_five_turns(void **state)
{
	(void)state;
	assert_int_equal(length_of(8, 8, 300), 60);
	assert_int_equal(length_of(8, 8, 90), 20);
}

static void test_what_one_works_on_more_counts_whatever_a_run_takes(void **state)
{
	(void)state;
	assert_int_equal(length_of(2, 6, 1000), 80);
	assert_int_equal(length_of(3, 7, 110), 80);
	assert_int_equal(length_of(12, 2, 1000), 200);
}

static void test_more_than_the_caches_hold_does_not_count(void **state)
{
	(void)state;
	assert_int_equal(length_of(500, 600, 1000), 100);
	assert_int_equal(length_of(30, 600, 1000), 100);
	assert_int_equal(length_of(22, 600, 1000), 200);
}

static void test_what_is_told_is_what_counts(void **state)
{
	const struct slice_needs needs = {{22 * MB, 600 * (uint64_t)MB}, 32 * MB, 1};

	(void)state;
	assert_int_equal(slice_more(&needs), 10 * MB);
}

static void test_this_machine_has_caches(void **state)
{
	(void)state;
	assert_in_range(slice_cache_size(), 256 << 10, UINT64_C(4) << 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_fits_into_its_own_caches_has_20_ms),
		cmocka_unit_test(test_where_both_work_on_much_up_to_100_ms),
		cmocka_unit_test(test_a_short_run_keeps_five_turns),
		cmocka_unit_test(test_what_one_works_on_more_counts_whatever_a_run_takes),
		cmocka_unit_test(test_more_than_the_caches_hold_does_not_count),
		cmocka_unit_test(test_what_is_told_is_what_counts),
		cmocka_unit_test(test_this_machine_has_caches),
	};

	return cmocka_run_group_tests_name("bench/slice_length", tests, NULL, NULL);
}
