/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gate/base/base64.h"
#include "gate/base/error.h"

/* RFC 4648, section 10. */
static const struct {
	const char *plain, *encoded;
} published[] = {
	{"", ""},
	{"f", "Zg=="},
	{"fo", "Zm8="},
	{"foo", "Zm9v"},
	{"foob", "Zm9vYg=="},
	{"fooba", "Zm9vYmE="},
	{"foobar", "Zm9vYmFy"},
};
#define PUBLISHED (sizeof(published) / sizeof(published[0]))

static void test_published_examples_are_encoded(void **state)
{
	(void)state;
	for (size_t i = 0; i < PUBLISHED; i++) {
		struct strbuf out = STRBUF_INIT;

		base64_encode(published[i].plain, strlen(published[i].plain), &out);
		assert_string_equal(out.data, published[i].encoded);
		strbuf_release(&out);
	}
}

static void test_published_examples_are_decoded(void **state)
{
	(void)state;
	for (size_t i = 0; i < PUBLISHED; i++) {
		struct strbuf out = STRBUF_INIT;
		struct error err;

		assert_int_equal(base64_decode(published[i].encoded, strlen(published[i].encoded),
					 &out, &err),
			0);
		assert_string_equal(out.data, published[i].plain);
		strbuf_release(&out);
	}
}

/* The alphabet in its order stands for the numbers 0 to 63 of 6 bits each. */
static void test_every_letter_has_its_value(void **state)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct strbuf bytes = STRBUF_INIT, again = STRBUF_INIT;
	struct error err;

	(void)state;
	assert_int_equal(base64_decode(letters, 64, &bytes, &err), 0);
	assert_int_equal(bytes.length, 48);
	for (unsigned i = 0; i < 64; i++) {
		const unsigned char *at = (const unsigned char *)bytes.data + i / 4 * 3;
		unsigned group = (unsigned)at[0] << 16 | (unsigned)at[1] << 8 | at[2];

		assert_int_equal(group >> (18 - 6 * (i % 4)) & 63, i);
	}
	base64_encode(bytes.data, bytes.length, &again);
	assert_string_equal(again.data, letters);
	strbuf_release(&bytes);
	strbuf_release(&again);
}

static void test_all_bytes_and_lengths_come_back(void **state)
{
	unsigned char data[259];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(255 - i);
	for (size_t length = 0; length <= sizeof(data); length++) {
		struct strbuf text = STRBUF_INIT, back = STRBUF_INIT;
		struct error err;

		base64_encode(data, length, &text);
		assert_int_equal(text.length, (length + 2) / 3 * 4);
		assert_int_equal(base64_decode(text.data, text.length, &back, &err), 0);
		assert_int_equal(back.length, length);
		assert_memory_equal(back.data, data, length);
		strbuf_release(&text);
		strbuf_release(&back);
	}
}

static void test_both_directions_append(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct error err;

	(void)state;
	strbuf_addstr(&out, "a ");
	base64_encode("foo", 3, &out);
	assert_string_equal(out.data, "a Zm9v");
	assert_int_equal(base64_decode("Zm9v", 4, &out, &err), 0);
	assert_string_equal(out.data, "a Zm9vfoo");
	strbuf_release(&out);
}

static void test_what_is_not_strict_base64_is_refused_and_leaves_out_alone(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"Zm9", "no multiple of 4"},
		{"Z", "no multiple of 4"},
		{"Zm9v\n", "no multiple of 4"},
		{"Zm9vZm\nv", "byte 6"},
		{"Zm9vZm v", "byte 6"},
		{"Zm-v", "byte 2"},
		{"Zm_v", "byte 2"},
		{"Zm9\xc3", "byte 3"},
		{"Zh==", "byte 1"},
		{"Zm9=", "byte 2"},
		{"Zg==Zm9v", "byte 2"},
		{"Zg=v", "byte 2"},
		{"Z===", "byte 1"},
		{"====", "byte 0"},
		{"=m9v", "byte 0"},
		{"Zm9vZm9vZm9v@m9v", "byte 12"},
		{"Zm9vZ[9v", "byte 5"},
		{"Zm9vZ`9v", "byte 5"},
		{"Zm9vZ{9v", "byte 5"},
		{"Zm9vZ:9v", "byte 5"},
		{"Zm9vZ.9v", "byte 5"},
		{"Zm9vZ,9v", "byte 5"},
		{"Zm9vZ*9v", "byte 5"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf out = STRBUF_INIT;
		struct error err = {0};

		strbuf_addstr(&out, "before");
		assert_int_equal(base64_decode(cases[i].text, strlen(cases[i].text), &out, &err),
			ERR_CORRUPT);
		assert_non_null(strstr(err.message, cases[i].message));
		assert_string_equal(out.data, "before");
		strbuf_release(&out);
	}
}

static void test_a_nul_byte_is_refused(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct error err;

	(void)state;
	assert_int_equal(base64_decode("Zm\0v", 4, &out, &err), ERR_CORRUPT);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_examples_are_encoded),
		cmocka_unit_test(test_published_examples_are_decoded),
		cmocka_unit_test(test_every_letter_has_its_value),
		cmocka_unit_test(test_all_bytes_and_lengths_come_back),
		cmocka_unit_test(test_both_directions_append),
		cmocka_unit_test(test_what_is_not_strict_base64_is_refused_and_leaves_out_alone),
		cmocka_unit_test(test_a_nul_byte_is_refused),
	};

	return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
