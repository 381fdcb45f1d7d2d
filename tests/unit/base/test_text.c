/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define Z "\xE2\x80\x8B"

static void assert_defused_bytes(const char *input, size_t length, const char *wanted)
{
	struct strbuf out = STRBUF_INIT;

	text_defuse(&out, input, length);
	assert_string_equal(out.data, wanted);
	assert_int_equal(out.length, strlen(wanted));
	strbuf_release(&out);
}

static void assert_defused(const char *input, const char *wanted)
{
	assert_defused_bytes(input, strlen(input), wanted);
}

static void test_plain_text_is_kept(void **state)
{
	(void)state;
	assert_defused("a\tb\nZ\xC3\xBCrich \xE2\x82\xAC \xF0\x9F\x94\xA5\n",
		"a\tb\nZ\xC3\xBCrich \xE2\x82\xAC \xF0\x9F\x94\xA5\n");
	assert_defused("std::vector<int> a::b", "std::vector<int> a::b");
	assert_defused("# heading ## two [link]", "# heading ## two [link]");
	assert_defused("", "");
}

static void test_terminal_controls_are_removed(void **state)
{
	(void)state;
	assert_defused("\x1B[31;1mred\x1B[0m", "red");
	assert_defused("\x1B]0;title\a!", "!");
	assert_defused("\x1B]8;;http://x\x1B\\link", "link");
	assert_defused("\x1B(B\x1B", "(B");
	assert_defused_bytes("a\0b\x7F\b\v\f", 7, "ab");
	assert_defused("\xC2\x9B"
		       "31m",
		"31m");
	assert_defused("\xC2\x85x", "x");
}

static void test_bidi_controls_are_removed(void **state)
{
	(void)state;
	assert_defused("a\xE2\x80\xAE"
		       "b\xE2\x81\xA6"
		       "c\xE2\x80\x8F\xD8\x9C",
		"abc");
}

static void test_invalid_utf8_becomes_replacement_characters(void **state)
{
	(void)state;
	assert_defused("\xFF", "\xEF\xBF\xBD");
	assert_defused("\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD");
	assert_defused("\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
	assert_defused("\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD");
	assert_defused("\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

static void test_runner_commands_are_broken(void **state)
{
	(void)state;
	assert_defused("::error::x", ":" Z ":error::x");
	assert_defused("a\n \t\xC2\xA0\xE3\x80\x80::set-output name=a::b",
		"a\n \t\xC2\xA0\xE3\x80\x80:" Z ":set-output name=a::b");
	assert_defused("a\r::error::x", "a\n:" Z ":error::x");
	assert_defused("a\r\n::error::x", "a\n:" Z ":error::x");
	assert_defused("\xE2\x80\xA8::error::", "\n:" Z ":error::");
	assert_defused("x ##[error]y", "x ##" Z "[error]y");
	assert_defused("####[x]", "####" Z "[x]");
}

static void test_removed_bytes_cannot_hide_a_command(void **state)
{
	(void)state;
	assert_defused("\x01::error::", ":" Z ":error::");
	assert_defused(":\x01:error::", ":" Z ":error::");
	assert_defused("\x1B[0m::error::", ":" Z ":error::");
	assert_defused("\xEF\xBB\xBF::error::", "\xEF\xBB\xBF:" Z ":error::");
	assert_defused("#\b#\b[error]", "##" Z "[error]");
	assert_defused("\xE2\x80\x8B::a", "\xE2\x80\x8B:" Z ":a");
}

static void test_a_command_cannot_be_joined_to_earlier_text(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&out, "a##");
	text_defuse(&out, "[error]\n", 8);
	text_defuse(&out, "::x", 3);
	assert_string_equal(out.data, "a##" Z "[error]\n:" Z ":x");
	strbuf_reset(&out);
	strbuf_addstr(&out, "log:\n :");
	text_defuse(&out, ":error::", 8);
	assert_string_equal(out.data, "log:\n :" Z ":error::");
	strbuf_reset(&out);
	strbuf_addstr(&out, "log: ");
	text_defuse(&out, "::error::", 9);
	assert_string_equal(out.data, "log: ::error::");
	strbuf_release(&out);
}

/* Whatever comes in: no control byte and no live command comes out,
 * and a second pass adds nothing. */
static void test_random_bytes_come_out_inert(void **state)
{
	static const char alphabet[] = "::##[[\r\n \x1B]\\\a\xE2\x80\xA8\xAE\x8B\xFF\xC2\x85x";
	struct strbuf out = STRBUF_INIT;
	char input[64];
	unsigned seed = 7;
	int round;

	(void)state;
	for (round = 0; round < 200000; round++) {
		size_t i, length = (size_t)rand_r(&seed) % sizeof(input);

		for (i = 0; i < length; i++)
			input[i] = alphabet[(size_t)rand_r(&seed) % (sizeof(alphabet) - 1)];
		strbuf_reset(&out);
		text_defuse(&out, input, length);
		assert_null(memchr(out.data, '\r', out.length));
		assert_null(memchr(out.data, '\x1B', out.length));
		assert_null(strstr(out.data, "##["));
		assert_null(strstr(out.data, "\n::"));
		assert_int_not_equal(strncmp(out.data, "::", 2), 0);
	}
	strbuf_release(&out);
}

static void assert_tail(const char *input, size_t lines, size_t bytes, const char *wanted)
{
	size_t length;
	const char *tail = text_tail(input, strlen(input), lines, bytes, &length);

	assert_int_equal(length, strlen(wanted));
	assert_memory_equal(tail, wanted, length);
}

static void test_tail_keeps_the_last_whole_lines(void **state)
{
	(void)state;
	assert_tail("a\nb\nc\n", 2, 100, "b\nc");
	assert_tail("a\nb\nc", 9, 100, "a\nb\nc");
	assert_tail("a\nb\nc\n\n\r\n", 1, 100, "c");
	assert_tail("first\nsecond\nthird", 9, 8, "third");
	assert_tail("abcdef", 9, 3, "def");
	assert_tail("", 9, 3, "");
	assert_tail("\n\n", 9, 3, "");
	assert_tail("\nx", 9, 3, "\nx");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_text_is_kept),
		cmocka_unit_test(test_terminal_controls_are_removed),
		cmocka_unit_test(test_bidi_controls_are_removed),
		cmocka_unit_test(test_invalid_utf8_becomes_replacement_characters),
		cmocka_unit_test(test_runner_commands_are_broken),
		cmocka_unit_test(test_removed_bytes_cannot_hide_a_command),
		cmocka_unit_test(test_a_command_cannot_be_joined_to_earlier_text),
		cmocka_unit_test(test_random_bytes_come_out_inert),
		cmocka_unit_test(test_tail_keeps_the_last_whole_lines),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
