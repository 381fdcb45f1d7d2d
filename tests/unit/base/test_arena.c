/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"

static void test_memory_is_zeroed_aligned_and_apart(void **state)
{
	static const size_t sizes[] = {0, 1, 7, 16, 100, 4000, 17000, 70000, 3, 1000000, 8};
	enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
	unsigned char *blocks[COUNT];
	struct arena arena = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		blocks[i] = arena_alloc(&arena, sizes[i]);
		assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(blocks[i][j], 0);
		memset(blocks[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(blocks[i][j], i + 1);
	assert_true(arena.used_bytes >= 1091135);
	arena_release(&arena);
	assert_int_equal(arena.used_bytes, 0);
	arena_release(&arena);
}

static void test_an_arena_can_be_used_again(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (int round = 0; round < 3; round++) {
		char *first = arena_printf(&arena, "%d-%s", round, "x");

		for (int i = 0; i < 10000; i++)
			arena_printf(&arena, "%d", i);
		assert_int_equal(first[0], '0' + round);
		assert_string_equal(first + 1, "-x");
		arena_release(&arena);
	}
}

static void test_strings_are_copied(void **state)
{
	struct arena arena = ARENA_INIT;
	char text[] = "text";
	char *copy = arena_strdup(&arena, text), *part = arena_strndup(&arena, text, 2);

	(void)state;
	text[0] = 'T';
	assert_string_equal(copy, "text");
	assert_string_equal(part, "te");
	assert_string_equal(arena_strndup(&arena, NULL, 0), "");
	arena_release(&arena);
}

static void test_arrays_grow_by_doubling(void **state)
{
	size_t capacity = 0, reallocations = 0;
	int *items = NULL;

	(void)state;
	for (size_t count = 0; count < 1000; count++) {
		size_t before = capacity;

		items = grow_array(items, &capacity, count + 1, sizeof(*items));
		reallocations += capacity != before;
		items[count] = (int)count;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	assert_true(reallocations <= 8);
	assert_ptr_equal(grow_array(items, &capacity, 5, sizeof(*items)), items);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_is_zeroed_aligned_and_apart),
		cmocka_unit_test(test_an_arena_can_be_used_again),
		cmocka_unit_test(test_strings_are_copied),
		cmocka_unit_test(test_arrays_grow_by_doubling),
	};

	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
