/* SPDX-License-Identifier: Apache-2.0 */
/* A planted slowdown: what the variable says, which code it means, how much it burns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "gate/sampler/sampler.h"
#include "gate/sampler/slowdown.h"

#define MS UINT64_C(1000000)

static struct fg_slowdown slowdown;

static void test_a_number_alone_means_all_code(void **state)
{
	(void)state;
	assert_true(fg_slowdown_parse("0000500000", &slowdown));
	assert_int_equal(slowdown.ppm, 500000);
	assert_true(slowdown.is_anywhere);
	assert_int_equal(slowdown.range_count, 0);
}

static void test_ranges_and_module_are_taken(void **state)
{
	(void)state;
	assert_true(fg_slowdown_parse("20000:1a0-1ff,2000-2000:0a1b", &slowdown));
	assert_int_equal(slowdown.ppm, 20000);
	assert_false(slowdown.is_anywhere);
	assert_int_equal(slowdown.range_count, 2);
	assert_string_equal(slowdown.module, "0a1b");
	assert_false(fg_slowdown_has(&slowdown, 0x19f));
	assert_true(fg_slowdown_has(&slowdown, 0x1a0));
	assert_true(fg_slowdown_has(&slowdown, 0x1ff));
	assert_false(fg_slowdown_has(&slowdown, 0x200));
	assert_true(fg_slowdown_has(&slowdown, 0x2000));
	assert_false(fg_slowdown_has(&slowdown, 0x2001));
}

static void test_anything_else_is_no_slowdown(void **state)
{
	static const char *const wrong[] = {"", " 1", "-1", "1x", "1000000001", "1:", "1:1-2",
		"1:1-2:", "1:2-1:ab", "1:1-:ab", "1:-2:ab", "1:1-2,:ab", "1:G-2:ab", "1:A-B:ab",
		"1:0-800000000000:ab", "1:fffffffffffffffff-fffffffffffffffff:ab", ":1-2:ab"};

	(void)state;
	assert_false(fg_slowdown_parse(NULL, &slowdown));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (fg_slowdown_parse(wrong[i], &slowdown))
			fail_msg("'%s' was taken", wrong[i]);
		assert_int_equal(slowdown.ppm, 0);
		assert_int_equal(slowdown.range_count, 0);
	}
}

static void test_there_are_limits(void **state)
{
	char text[8192] = "1:";
	size_t length;

	(void)state;
	for (int i = 0; i <= FG_SLOWDOWN_MAX_RANGES; i++) {
		length = strlen(text);
		snprintf(text + length, sizeof(text) - length, "%s1-2", i ? "," : "");
	}
	length = strlen(text);
	snprintf(text + length, sizeof(text) - length, ":ab");
	assert_false(fg_slowdown_parse(text, &slowdown));
	length = (size_t)snprintf(text, sizeof(text), "1:1-2:");
	memset(text + length, 'a', FG_SLOWDOWN_MAX_MODULE);
	text[length + FG_SLOWDOWN_MAX_MODULE] = '\0';
	assert_false(fg_slowdown_parse(text, &slowdown));
	text[length + FG_SLOWDOWN_MAX_MODULE - 1] = '\0';
	assert_true(fg_slowdown_parse(text, &slowdown));
}

static bool is_module(const char *id, size_t id_bytes, const char *path)
{
	return fg_slowdown_is_module(
		&slowdown, (const unsigned char *)id, id_bytes, path, strlen(path));
}

static void test_a_module_is_known_by_its_build_id(void **state)
{
	(void)state;
	assert_true(fg_slowdown_parse("1:1-2:0a1bff", &slowdown));
	assert_true(is_module("\x0a\x1b\xff", 3, "/bin/any"));
	assert_false(is_module("\x0a\x1b\xfe", 3, "/bin/any"));
	assert_false(is_module("\x0a\x1b\xff\x00", 4, "/bin/any"));
	assert_false(is_module("\x0a\x1b", 2, "/bin/any"));
	assert_false(is_module("", 0, "0a1bff"));
}

static void test_a_module_without_one_is_known_by_the_end_of_its_path(void **state)
{
	(void)state;
	assert_true(fg_slowdown_parse("1:1-2:/out/bench", &slowdown));
	assert_true(is_module("", 0, "/tmp/tree/out/bench"));
	assert_true(is_module("\x0a", 1, "/out/bench"));
	assert_false(is_module("", 0, "/tmp/tree/about/bench"));
	assert_false(is_module("", 0, "/bench"));
	assert_false(is_module("", 0, ""));
}

static void test_what_is_owed_is_a_part_of_the_weight_and_bounded(void **state)
{
	(void)state;
	assert_true(fg_slowdown_parse("20000", &slowdown));
	assert_int_equal(fg_slowdown_owed(&slowdown, 0), 0);
	assert_int_equal(fg_slowdown_owed(&slowdown, MS), 20000);
	assert_int_equal(fg_slowdown_owed(&slowdown, UINT64_MAX), 10000 * MS);
	assert_true(fg_slowdown_parse("1000000000", &slowdown));
	assert_int_equal(fg_slowdown_owed(&slowdown, MS), 1000 * MS);
	assert_true(fg_slowdown_parse("0", &slowdown));
	assert_int_equal(fg_slowdown_owed(&slowdown, UINT64_MAX), 0);
}

/* The thread's own clock says how much; a sample that calls for nothing costs nothing. */
static void test_cpu_time_is_burnt_and_told(void **state)
{
	uint64_t before, burnt, spent;

	(void)state;
	assert_true(fg_slowdown_read("500000"));
	before = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	burnt = fg_slowdown_burn(0, 10 * MS);
	spent = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	assert_in_range(burnt, 5 * MS, spent);
	assert_int_equal(fg_slowdown_burn(0, 1), 0);
}

/* Whatever the machine takes away meanwhile: the sum is what was asked for, once it is above it. */
static void test_what_one_sample_burns_too_much_or_leaves_the_next_ones_settle(void **state)
{
	uint64_t owed = 120 * MS, burnt;

	(void)state;
	fg_slowdown_forked();
	assert_true(fg_slowdown_read("1000000"));
	burnt = fg_slowdown_burn(0, owed); /* 100 at once, and 20 are left */
	assert_true(burnt >= 100 * MS);
	for (int i = 0; i < 50; i++) {
		uint64_t before = burnt;

		owed += MS;
		burnt += fg_slowdown_burn(0, MS);
		if (before >= owed)
			assert_int_equal(burnt, before);
		else
			assert_true(burnt >= owed);
	}
	fg_slowdown_forked();
}

static void test_without_a_wish_nothing_is_burnt(void **state)
{
	(void)state;
	assert_false(fg_slowdown_read(NULL));
	assert_int_equal(fg_slowdown_burn(0, 10 * MS), 0);
	assert_false(fg_slowdown_read("nonsense"));
	assert_int_equal(fg_slowdown_burn(0, 10 * MS), 0);
	assert_false(fg_slowdown_read("0:1-2:/bench"));
	assert_int_equal(fg_slowdown_burn(0, 10 * MS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_number_alone_means_all_code),
		cmocka_unit_test(test_ranges_and_module_are_taken),
		cmocka_unit_test(test_anything_else_is_no_slowdown),
		cmocka_unit_test(test_there_are_limits),
		cmocka_unit_test(test_a_module_is_known_by_its_build_id),
		cmocka_unit_test(test_a_module_without_one_is_known_by_the_end_of_its_path),
		cmocka_unit_test(test_what_is_owed_is_a_part_of_the_weight_and_bounded),
		cmocka_unit_test(test_cpu_time_is_burnt_and_told),
		cmocka_unit_test(
			test_what_one_sample_burns_too_much_or_leaves_the_next_ones_settle),
		cmocka_unit_test(test_without_a_wish_nothing_is_burnt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
