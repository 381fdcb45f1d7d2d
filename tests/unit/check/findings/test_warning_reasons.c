/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a verdict's reasons warn, and what is not said of a total. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/check/findings/fill.h"

/* Which of the verdict's reasons are for a person to look at: always, where the total grew beyond
 * its margin, and where it grew by more than the layout explains. */
static void test_what_moved_warns_only_if_the_total_grew(void **state)
{
	static const struct {
		uint32_t reasons, warning;
		bool always, grew, beyond_layout;
	} cases[] = {
#define ONE(reason) (reason), (reason)
		{ONE(VERDICT_REASON_SHIFTED), false, true, true},
		{ONE(VERDICT_REASON_UNCHANGED_CODE), false, false, true},
		{ONE(VERDICT_REASON_NODE_UNEXPLAINED), false, false, true},
		{ONE(VERDICT_REASON_LAYOUT), false, false, true},
		{ONE(VERDICT_REASON_CONTRADICTED), true, true, true},
		{ONE(VERDICT_REASON_TOTAL_UNEXPLAINED), true, true, true},
		{VERDICT_REASON_TOTAL_UNEXPLAINED | VERDICT_REASON_TOTAL_UNCHANGED,
			VERDICT_REASON_TOTAL_UNEXPLAINED, false, false, true},
		{ONE(VERDICT_REASON_UNREACHABLE_STAGE1), false, false, false},
		{ONE(VERDICT_REASON_UNREACHABLE_STAGE2), false, false, false},
		{ONE(VERDICT_REASON_UNCHANGED_GREW), false, false, false},
		{ONE(VERDICT_REASON_TOTAL), false, false, false},
#undef ONE
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t warning = cases[i].warning;
		struct verdict_result verdict = {.status = VERDICT_PASS,
			.reasons = cases[i].reasons,
			.calls_known = true,
			.layout = 0.02,
			.total.low = 0.019};

		assert_int_equal(warning_reasons(&verdict), cases[i].always ? warning : 0);
		verdict.total.flagged = true;
		assert_int_equal(warning_reasons(&verdict), cases[i].grew ? warning : 0);
		verdict.total.low = 0.021;
		assert_int_equal(warning_reasons(&verdict), cases[i].beyond_layout ? warning : 0);
	}
}

static void test_unchanged_code_that_grew_warns_where_calls_are_not_counted(void **state)
{
	struct verdict_result verdict = {.status = VERDICT_PASS,
		.reasons = VERDICT_REASON_TOTAL_UNEXPLAINED | VERDICT_REASON_TOTAL_UNCHANGED,
		.layout = 0.02,
		.total.low = 0.01};

	(void)state;
	assert_int_equal(warning_reasons(&verdict), VERDICT_REASON_TOTAL_UNEXPLAINED);
	verdict.calls_known = true;
	assert_int_equal(warning_reasons(&verdict), 0);
}

static void test_a_place_that_is_worse_by_more_warns_where_something_has_changed(void **state)
{
	struct verdict_result verdict = {.status = VERDICT_PASS,
		.reasons = VERDICT_REASON_UNCHANGED_CODE,
		.calls_known = true,
		.layout = 0.02,
		.total.low = 0.03};

	(void)state;
	assert_int_equal(warning_reasons(&verdict), VERDICT_REASON_UNCHANGED_CODE);
	verdict.nothing_changed = true;
	assert_int_equal(warning_reasons(&verdict), 0);
	verdict.calls_known = false;
	assert_int_equal(warning_reasons(&verdict), VERDICT_REASON_UNCHANGED_CODE);
}

static void test_a_total_within_the_layout_says_nothing(void **state)
{
	struct verdict_result verdict = {.status = VERDICT_PASS,
		.reasons = VERDICT_REASON_TOTAL_UNEXPLAINED | VERDICT_REASON_TOTAL_UNCHANGED,
		.calls_known = true,
		.layout = 0.02,
		.total = {.low = 0.01,
			.state = VERDICT_UNCHANGED_CODE,
			.flagged = true,
			.confirmed = true}};

	(void)state;
	assert_true(total_is_layout(&verdict));
	verdict.total.low = 0.021;
	assert_false(total_is_layout(&verdict));
	verdict.total.low = -0.01;
	assert_false(total_is_layout(&verdict));
	verdict.total.low = 0.01;
	verdict.calls_known = false; /* nobody knows whether it is called more often: a warning */
	assert_false(total_is_layout(&verdict));
	verdict.reasons = 0;
	assert_true(total_is_layout(&verdict));
	verdict.total.confirmed = false; /* flagged: the reason is another */
	assert_false(total_is_layout(&verdict));
	verdict.total.flagged = false;
	assert_true(total_is_layout(&verdict));
	verdict.total.low = 0.021;
	assert_false(total_is_layout(&verdict));
	verdict.total.low = 0.01;
	verdict.status = VERDICT_REGRESSION;
	assert_false(total_is_layout(&verdict));
}

/* What of it is unchanged code or its layout is told with what was ruled out. */
static void test_a_regression_is_not_said_to_be_layout_or_unchanged_code(void **state)
{
	const struct verdict_result verdict = {.status = VERDICT_REGRESSION,
		.reasons = VERDICT_REASON_LAYOUT | VERDICT_REASON_UNCHANGED_CODE |
			   VERDICT_REASON_NODE_UNEXPLAINED | VERDICT_REASON_SHIFTED,
		.total.low = 0.01,
		.total.flagged = true,
		.bound = 0.02};

	(void)state;
	assert_int_equal(warning_reasons(&verdict), VERDICT_REASON_SHIFTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_moved_warns_only_if_the_total_grew),
		cmocka_unit_test(test_unchanged_code_that_grew_warns_where_calls_are_not_counted),
		cmocka_unit_test(
			test_a_place_that_is_worse_by_more_warns_where_something_has_changed),
		cmocka_unit_test(test_a_total_within_the_layout_says_nothing),
		cmocka_unit_test(test_a_regression_is_not_said_to_be_layout_or_unchanged_code),
	};

	return cmocka_run_group_tests_name("check: warning reasons", tests, NULL, NULL);
}
