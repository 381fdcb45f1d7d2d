/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/object/range_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_innermost_range_wins(void **state)
{
	(void)state;
	struct range_table table;
	range_table_init(&table);
	range_table_add(&table, 10, 100, 0, 0);
	range_table_add(&table, 20, 60, 1, 1);
	range_table_add(&table, 20, 30, 2, 2);
	range_table_add(&table, 60, 70, 1, 3);
	range_table_add(&table, 200, 200, 0, 4);
	range_table_flatten(&table);
	assert_int_equal(range_table_find(&table, 9), RANGE_NONE);
	assert_int_equal(range_table_find(&table, 10), 0);
	assert_int_equal(range_table_find(&table, 20), 2);
	assert_int_equal(range_table_find(&table, 30), 1);
	assert_int_equal(range_table_find(&table, 60), 3);
	assert_int_equal(range_table_find(&table, 70), 0);
	assert_int_equal(range_table_find(&table, 99), 0);
	assert_int_equal(range_table_find(&table, 100), RANGE_NONE);
	assert_int_equal(range_table_find(&table, 200), RANGE_NONE);
	range_table_release(&table);
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

/* Random trees: a child lies inside its parent, siblings do not overlap. owner[] is the truth. */
static void plant(struct range_table *table, uint32_t *owner, uint32_t *entries, uint32_t low,
	uint32_t high, uint32_t depth, uint32_t *seed)
{
	while (low < high && depth < 6) {
		uint32_t start = low + next(seed) % (high - low);
		uint32_t end = start + 1 + next(seed) % (high - start);
		uint32_t entry = (*entries)++;
		range_table_add(table, start, end, depth, entry);
		for (uint32_t i = start; i < end; i++)
			owner[i] = entry;
		plant(table, owner, entries, start, end, depth + 1, seed);
		low = end;
	}
}

static void test_random_trees_agree_with_a_plain_array(void **state)
{
	(void)state;
	enum { SIZE = 300 };
	for (uint32_t seed = 1; seed <= 200; seed++) {
		uint32_t owner[SIZE], entries = 0, random = seed;
		struct range_table table;
		memset(owner, 0xff, sizeof(owner));
		range_table_init(&table);
		plant(&table, owner, &entries, 0, SIZE, 0, &random);
		range_table_flatten(&table);
		for (uint32_t i = 0; i < SIZE; i++)
			assert_int_equal(range_table_find(&table, i), owner[i]);
		range_table_release(&table);
	}
}

static void test_overlapping_ranges_stay_disjoint_and_sorted(void **state)
{
	(void)state;
	struct range_table table;
	uint32_t seed = 7;
	range_table_init(&table);
	for (uint32_t i = 0; i < 500; i++) {
		uint64_t low = next(&seed) % 1000;
		range_table_add(&table, low, low + next(&seed) % 200, next(&seed) % 4, i);
	}
	range_table_add(&table, 0, UINT64_MAX, 0, 500);
	range_table_flatten(&table);
	for (size_t i = 0; i < table.count; i++) {
		assert_true(table.ranges[i].low < table.ranges[i].high);
		assert_true(i == 0 || table.ranges[i - 1].high <= table.ranges[i].low);
	}
	assert_int_equal(range_table_find(&table, UINT64_MAX - 1), 500);
	range_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_innermost_range_wins),
		cmocka_unit_test(test_random_trees_agree_with_a_plain_array),
		cmocka_unit_test(test_overlapping_ranges_stay_disjoint_and_sorted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
