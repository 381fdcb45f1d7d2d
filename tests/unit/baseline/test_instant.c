/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "baseline/instant.h"
#include "gate/base/error.h"

#define NOW (INT64_C(1790000000) * INSTANT_SECOND_NS + 123456789)

static int64_t parsed(const char *text)
{
	struct error err = {0};
	int64_t instant = -1;

	if (instant_parse(text, NOW, &instant, &err))
		fail_msg("%s: %s", text, err.message);
	return instant;
}

static void test_now_is_the_given_instant(void **state)
{
	(void)state;
	assert_int_equal(parsed("now"), NOW);
}

static void test_times_before_now_have_four_units(void **state)
{
	(void)state;
	assert_int_equal(parsed("now-7s"), NOW - 7 * INSTANT_SECOND_NS);
	assert_int_equal(parsed("now-90m"), NOW - 5400 * INSTANT_SECOND_NS);
	assert_int_equal(parsed("now-2h"), NOW - 7200 * INSTANT_SECOND_NS);
	assert_int_equal(parsed("now-3d"), NOW - 3 * 86400 * INSTANT_SECOND_NS);
}

static void test_seconds_since_1970_are_taken(void **state)
{
	(void)state;
	assert_int_equal(parsed("0"), 0);
	assert_int_equal(parsed("1700000000"), INT64_C(1700000000) * INSTANT_SECOND_NS);
}

static void test_rfc_3339_has_zones_and_fractions(void **state)
{
	const int64_t noon = INT64_C(1769860800) * INSTANT_SECOND_NS;

	(void)state;
	assert_int_equal(parsed("2026-01-31T12:00:00Z"), noon);
	assert_int_equal(parsed("2026-01-31T13:30:00+01:30"), noon);
	assert_int_equal(parsed("2026-01-31T04:00:00-08:00"), noon);
	assert_int_equal(parsed("2026-01-31T12:00:00.25Z"), noon + INSTANT_SECOND_NS / 4);
	assert_int_equal(parsed("2026-01-31T12:00:00.1234567899Z"), noon + 123456789);
	assert_int_equal(parsed("2024-02-29T00:00:00Z"), INT64_C(1709164800) * INSTANT_SECOND_NS);
}

static void test_what_is_no_time_is_refused_and_named(void **state)
{
	static const char *const wrong[] = {"", "no", "now-", "now-5", "now-5y", "now-m", "now+5m",
		"now-5m ", "nowhere", "now--5m", "-5", "+5", "12x", " 12", "1.5", "now-999999999d",
		"now-9223372036854775807d", "99999999999", "9223372036854775808", "2026-01-31",
		"2026-01-31T12:00:00", "2026-01-31 12:00:00Z", "2026-02-31T12:00:00Z",
		"2026-1-31T12:00:00Z", "2026-01-31T12:60:00Z", "2026-01-31T12:00:00.Z",
		"2026-01-31T12:00:00Z+", "2026-01-31T12:00:00+0100", "2026-01-31T12:00:00+24:00",
		"2026-01-31T12:00:00+01:60", "2026-01-31T12:00:00*01:00", "1969-12-31T23:59:59Z",
		"2300-01-01T00:00:00Z"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct error err = {0};
		int64_t instant = 42;

		if (instant_parse(wrong[i], NOW, &instant, &err) != ERR_USAGE)
			fail_msg("\"%s\" was taken for %lld", wrong[i], (long long)instant);
		assert_int_equal(instant, 42);
		assert_non_null(strstr(err.message, wrong[i]));
	}
}

static void test_written_instants_are_read_back_to_the_millisecond(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	instant_add(&text, NOW);
	assert_string_equal(text.data, "2026-09-21T14:13:20.123Z");
	assert_int_equal(parsed(text.data), NOW - NOW % 1000000);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_now_is_the_given_instant),
		cmocka_unit_test(test_times_before_now_have_four_units),
		cmocka_unit_test(test_seconds_since_1970_are_taken),
		cmocka_unit_test(test_rfc_3339_has_zones_and_fractions),
		cmocka_unit_test(test_what_is_no_time_is_refused_and_named),
		cmocka_unit_test(test_written_instants_are_read_back_to_the_millisecond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
