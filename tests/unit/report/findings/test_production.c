/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/production_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gate/check/result.h"

static void assert_text(double share, double impact, double low, double high, const char *expected)
{
	const struct result_production production = {
		.share = share, .impact = impact, .low = low, .high = high};
	struct strbuf out = STRBUF_INIT;

	production_text(&out, &production);
	assert_string_equal(out.data, expected);
	strbuf_release(&out);
}

static void test_a_weight_is_a_share_and_what_the_change_adds(void **state)
{
	(void)state;
	assert_text(0.032, 0.0022, 0.0018, 0.0026,
		"3.20 % of CPU time, so about +0.22 % (+0.18 to +0.26 %) there");
	assert_text(0.032, -0.0022, -0.0026, 0.00001,
		"3.20 % of CPU time, so about -0.22 % (-0.26 to 0.00 %) there");
}

static void test_what_is_not_seen_is_said(void **state)
{
	(void)state;
	assert_text(0, 0, 0, 0, "not seen");
	assert_text(0, NAN, NAN, NAN, "not seen");
}

static void test_next_to_nothing_is_no_zero(void **state)
{
	(void)state;
	assert_text(0.00001, 0.000001, 0, 0.000002,
		"less than 0.01 % of CPU time, so less than 0.01 % there");
}

static void test_what_is_not_known_is_left_out(void **state)
{
	(void)state;
	assert_text(0.5, NAN, NAN, NAN, "50.00 % of CPU time");
	assert_text(0.5, INFINITY, 0, INFINITY, "50.00 % of CPU time");
	assert_text(0.5, 0.25, NAN, NAN, "50.00 % of CPU time, so about +25.00 % there");
	assert_text(NAN, NAN, NAN, NAN, "not known, since several functions are called so");
}

static void assert_of(
	enum result_production_of of, double share, double impact, const char *expected)
{
	const struct result_production production = {
		.of = of, .share = share, .impact = impact, .low = NAN, .high = NAN};
	struct strbuf out = STRBUF_INIT;

	production_text(&out, &production);
	assert_string_equal(out.data, expected);
	strbuf_release(&out);
}

static void test_of_calls_it_is_said_what_the_share_is_of(void **state)
{
	(void)state;
	assert_of(PRODUCTION_CALL, 0.25, 0.125,
		"25.00 % of CPU time in these calls and below, so about +12.50 % there");
	assert_of(PRODUCTION_CALL, 0.00001, 0.00001,
		"less than 0.01 % of CPU time in these calls and below, so less than 0.01 % there");
	assert_of(PRODUCTION_TOTAL, 0.25, 0.125,
		"25.00 % of CPU time with all that it calls, so about +12.50 % there");
	assert_of(PRODUCTION_ELSEWHERE, 0.25, NAN,
		"25.00 % of CPU time with all that it calls, but not called from here");
	assert_of(PRODUCTION_ELSEWHERE, 0, NAN, "not seen");
	assert_of(PRODUCTION_CALL, NAN, NAN, "not known, since several functions are called so");
}

static void test_absurd_figures_stay_short(void **state)
{
	(void)state;
	assert_text(1, 1e300, -1e300, 1e300,
		"100.00 % of CPU time, so about +1.00e+302 % (-1.00e+302 to +1.00e+302 %) there");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_weight_is_a_share_and_what_the_change_adds),
		cmocka_unit_test(test_what_is_not_seen_is_said),
		cmocka_unit_test(test_next_to_nothing_is_no_zero),
		cmocka_unit_test(test_what_is_not_known_is_left_out),
		cmocka_unit_test(test_of_calls_it_is_said_what_the_share_is_of),
		cmocka_unit_test(test_absurd_figures_stay_short),
	};

	return cmocka_run_group_tests_name("report production", tests, NULL, NULL);
}
