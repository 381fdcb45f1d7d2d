/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"

/* `printf hello | gzip -n`, and its bytes with a header of all optional fields. */
static const unsigned char hello[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0x48, 0xcd, 0xc9,
	0xc9, 0x07, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0};
static const unsigned char hello_with_name[] = {0x1f, 0x8b, 8, 8, 1, 2, 3, 4, 2, 3, 'n', 0, 0xcb,
	0x48, 0xcd, 0xc9, 0xc9, 0x07, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0};

static void pack(struct strbuf *out, const void *data, size_t length)
{
	struct error err;

	assert_int_equal(gzip_compress(data, length, out, &err), 0);
}

static int unpack(const void *data, size_t length, size_t max_bytes, struct strbuf *out)
{
	struct error err = {0};
	int rc = gzip_decompress(data, length, max_bytes, out, &err);

	assert_int_equal(rc != 0, err.message[0] != '\0');
	return rc;
}

static void test_streams_of_other_programs_are_inflated(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_true(gzip_is_compressed(hello, sizeof(hello)));
	assert_int_equal(unpack(hello, sizeof(hello), 5, &out), 0);
	assert_int_equal(unpack(hello_with_name, sizeof(hello_with_name), 5, &out), 0);
	assert_string_equal(out.data, "hellohello");
	strbuf_release(&out);
}

static void test_large_data_survives_a_round_trip(void **state)
{
	size_t length = 1500001;
	unsigned char *data = malloc(length);
	struct strbuf packed = STRBUF_INIT, out = STRBUF_INIT;
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < length; i++) {
		x = x * 1664525 + 1013904223;
		data[i] = (unsigned char)(i % 3 ? x >> 24 : 0);
	}
	pack(&packed, data, length);
	assert_int_equal(unpack(packed.data, packed.length, length, &out), 0);
	assert_int_equal(out.length, length);
	assert_memory_equal(out.data, data, length);
	strbuf_release(&packed);
	strbuf_release(&out);
	free(data);
}

static void test_empty_data_survives_a_round_trip(void **state)
{
	struct strbuf packed = STRBUF_INIT, out = STRBUF_INIT;

	(void)state;
	pack(&packed, NULL, 0);
	assert_int_equal(unpack(packed.data, packed.length, 0, &out), 0);
	assert_int_equal(out.length, 0);
	assert_string_equal(out.data, "");
	strbuf_release(&packed);
	strbuf_release(&out);
}

static void test_equal_input_gives_equal_bytes_without_a_time(void **state)
{
	struct strbuf one = STRBUF_INIT, two = STRBUF_INIT;

	(void)state;
	pack(&one, "hello", 5);
	pack(&two, "hello", 5);
	assert_int_equal(one.length, two.length);
	assert_memory_equal(one.data, two.data, one.length);
	assert_memory_equal(one.data + 4, "\0\0\0\0", 4);
	strbuf_release(&one);
	strbuf_release(&two);
}

static void test_all_members_are_inflated_and_count_together(void **state)
{
	struct strbuf packed = STRBUF_INIT, out = STRBUF_INIT;

	(void)state;
	pack(&packed, "one ", 4);
	pack(&packed, "", 0);
	pack(&packed, "two", 3);
	assert_int_equal(unpack(packed.data, packed.length, 7, &out), 0);
	assert_string_equal(out.data, "one two");
	strbuf_reset(&out);
	assert_int_equal(unpack(packed.data, packed.length, 6, &out), ERR_LIMIT);
	assert_string_equal(out.data, "");
	strbuf_release(&packed);
	strbuf_release(&out);
}

static void test_the_limit_is_exact_and_leaves_the_buffer(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(unpack(hello, sizeof(hello), 4, &out), ERR_LIMIT);
	assert_string_equal(out.data, "");
	strbuf_addstr(&out, "x");
	assert_int_equal(unpack(hello, sizeof(hello), 0, &out), ERR_LIMIT);
	assert_string_equal(out.data, "x");
	assert_int_equal(unpack(hello, sizeof(hello), SIZE_MAX, &out), 0);
	assert_string_equal(out.data, "xhello");
	strbuf_release(&out);
}

static void test_every_truncation_is_corrupt(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	for (size_t length = 0; length < sizeof(hello); length++) {
		unsigned char *copy = malloc(length ? length : 1);

		memcpy(copy, hello, length);
		assert_int_equal(unpack(copy, length, 100, &out), ERR_CORRUPT);
		assert_int_equal(out.length, 0);
		free(copy);
	}
	strbuf_release(&out);
}

static void test_damage_and_trailing_bytes_are_corrupt(void **state)
{
	struct strbuf out = STRBUF_INIT, long_data = STRBUF_INIT;
	unsigned char copy[sizeof(hello)];

	(void)state;
	for (size_t i = 0; i < sizeof(hello); i++) {
		/* Bytes that gzip does not check: text flag, time, level and system. */
		if (i >= 3 && i <= 9)
			continue;
		memcpy(copy, hello, sizeof(hello));
		copy[i] ^= 0x55;
		assert_int_equal(unpack(copy, sizeof(copy), 1000, &out), ERR_CORRUPT);
	}
	strbuf_add(&long_data, hello, sizeof(hello));
	strbuf_addstr(&long_data, "x");
	assert_int_equal(unpack(long_data.data, long_data.length, 1000, &out), ERR_CORRUPT);
	assert_int_equal(out.length, 0);
	strbuf_release(&out);
	strbuf_release(&long_data);
}

static void test_only_the_magic_makes_gzip(void **state)
{
	(void)state;
	assert_false(gzip_is_compressed("", 0));
	assert_false(gzip_is_compressed("\x1f", 1));
	assert_false(gzip_is_compressed("hello", 5));
	assert_true(gzip_is_compressed("\x1f\x8b", 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams_of_other_programs_are_inflated),
		cmocka_unit_test(test_large_data_survives_a_round_trip),
		cmocka_unit_test(test_empty_data_survives_a_round_trip),
		cmocka_unit_test(test_equal_input_gives_equal_bytes_without_a_time),
		cmocka_unit_test(test_all_members_are_inflated_and_count_together),
		cmocka_unit_test(test_the_limit_is_exact_and_leaves_the_buffer),
		cmocka_unit_test(test_every_truncation_is_corrupt),
		cmocka_unit_test(test_damage_and_trailing_bytes_are_corrupt),
		cmocka_unit_test(test_only_the_magic_makes_gzip),
	};

	return cmocka_run_group_tests_name("gzip", tests, NULL, NULL);
}
