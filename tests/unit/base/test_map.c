/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "gate/base/map.h"

static void test_values_are_found_replaced_and_missed(void **state)
{
	struct map map;

	(void)state;
	map_init(&map);
	assert_int_equal(map_get_str(&map, "a"), MAP_NONE);
	map_put_str(&map, "a", 1);
	map_put_str(&map, "b", 0);
	map_put_str(&map, "a", 2);
	assert_int_equal(map_get_str(&map, "a"), 2);
	assert_int_equal(map_get_str(&map, "b"), 0);
	assert_int_equal(map_get_str(&map, "c"), MAP_NONE);
	assert_int_equal(map.count, 2);
	map_release(&map);
	assert_int_equal(map_get_str(&map, "a"), MAP_NONE);
	map_release(&map);
}

static void test_keys_are_bytes_of_a_length(void **state)
{
	struct map map;

	(void)state;
	map_init(&map);
	map_put(&map, "a\0b", 3, 1);
	map_put(&map, "a\0c", 3, 2);
	map_put(&map, "", 0, 3);
	assert_int_equal(map_get(&map, "a\0b", 3), 1);
	assert_int_equal(map_get(&map, "a\0c", 3), 2);
	assert_int_equal(map_get(&map, "a", 1), MAP_NONE);
	assert_int_equal(map_get_str(&map, ""), 3);
	map_release(&map);
}

static void test_keys_are_copied(void **state)
{
	struct map map;
	char key[] = "key";

	(void)state;
	map_init(&map);
	map_put_str(&map, key, 7);
	key[0] = 'K';
	assert_int_equal(map_get_str(&map, "key"), 7);
	assert_int_equal(map_get_str(&map, key), MAP_NONE);
	map_release(&map);
}

static void test_intern_keeps_the_first_value(void **state)
{
	struct map map;
	bool added;

	(void)state;
	map_init(&map);
	assert_int_equal(map_intern(&map, "x", 1, 5, &added), 5);
	assert_true(added);
	assert_int_equal(map_intern(&map, "x", 1, 6, &added), 5);
	assert_false(added);
	assert_int_equal(map_intern(&map, "y", 1, 6, NULL), 6);
	map_release(&map);
}

static void test_many_keys_survive_growth(void **state)
{
	struct map map;

	(void)state;
	map_init(&map);
	for (uint32_t i = 0; i < 50000; i++)
		map_put(&map, &i, sizeof(i), i ^ 0x5a5a);
	assert_int_equal(map.count, 50000);
	for (uint32_t i = 0; i < 50000; i++)
		assert_int_equal(map_get(&map, &i, sizeof(i)), i ^ 0x5a5a);
	for (uint32_t i = 50000; i < 60000; i++)
		assert_int_equal(map_get(&map, &i, sizeof(i)), MAP_NONE);
	map_release(&map);
}

static void test_hash_depends_on_bytes_and_seed(void **state)
{
	(void)state;
	assert_true(hash_bytes("abc", 3, 0) == hash_bytes("abc", 3, 0));
	assert_true(hash_bytes("abc", 3, 0) != hash_bytes("abd", 3, 0));
	assert_true(hash_bytes("abc", 3, 0) != hash_bytes("abc", 3, 1));
	assert_true(hash_bytes("\0", 1, 0) != hash_bytes("\0\0", 2, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_are_found_replaced_and_missed),
		cmocka_unit_test(test_keys_are_bytes_of_a_length),
		cmocka_unit_test(test_keys_are_copied),
		cmocka_unit_test(test_intern_keeps_the_first_value),
		cmocka_unit_test(test_many_keys_survive_growth),
		cmocka_unit_test(test_hash_depends_on_bytes_and_seed),
	};

	return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
