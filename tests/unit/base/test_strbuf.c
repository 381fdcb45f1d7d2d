/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gate/base/strbuf.h"

static void test_an_empty_buffer_is_an_empty_string(void **state)
{
	struct strbuf buf = STRBUF_INIT, other;

	(void)state;
	strbuf_init(&other);
	assert_string_equal(buf.data, "");
	strbuf_add(&buf, NULL, 0);
	strbuf_addstr(&buf, "");
	strbuf_truncate(&buf, 0);
	strbuf_reset(&buf);
	assert_string_equal(buf.data, "");
	assert_int_equal(strbuf_empty[0], 0);
	strbuf_release(&buf);
	strbuf_release(&other);
}

static void test_everything_appended_is_there_and_terminated(void **state)
{
	struct strbuf buf = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&buf, "one");
	strbuf_addch(&buf, ' ');
	strbuf_add(&buf, "t\0o", 3);
	strbuf_addf(&buf, " %d%s", 3, "!");
	assert_int_equal(buf.length, 10);
	assert_memory_equal(buf.data, "one t\0o 3!", 11);
	strbuf_truncate(&buf, 3);
	assert_string_equal(buf.data, "one");
	strbuf_truncate(&buf, 100);
	assert_int_equal(buf.length, 3);
	strbuf_release(&buf);
	assert_string_equal(buf.data, "");
}

static void test_long_content_grows_the_buffer(void **state)
{
	struct strbuf buf = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 10000; i++)
		strbuf_addf(&buf, "%04d", i);
	assert_int_equal(buf.length, 40000);
	assert_memory_equal(buf.data + 4 * 1234, "1234", 4);
	assert_int_equal(strlen(buf.data), 40000);
	strbuf_reserve(&buf, 100000);
	assert_int_equal(buf.length, 40000);
	assert_true(buf.capacity > 140000);
	strbuf_release(&buf);
}

static void test_detach_hands_over_and_empties(void **state)
{
	struct strbuf buf = STRBUF_INIT;
	size_t length;
	char *data;

	(void)state;
	strbuf_addstr(&buf, "mine");
	data = strbuf_detach(&buf, &length);
	assert_string_equal(data, "mine");
	assert_int_equal(length, 4);
	assert_string_equal(buf.data, "");
	free(data);
	/* Also of an empty buffer, whose data is nobody's to free. */
	data = strbuf_detach(&buf, NULL);
	assert_string_equal(data, "");
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_buffer_is_an_empty_string),
		cmocka_unit_test(test_everything_appended_is_there_and_terminated),
		cmocka_unit_test(test_long_content_grows_the_buffer),
		cmocka_unit_test(test_detach_hands_over_and_empties),
	};

	return cmocka_run_group_tests_name("strbuf", tests, NULL, NULL);
}
