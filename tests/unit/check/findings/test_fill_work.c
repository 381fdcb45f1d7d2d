/* SPDX-License-Identifier: Apache-2.0 */
/* What a report says of a benchmark whose clock was replayed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/check/findings/fill_work.h"
#include "gate/check/result.h"

static const struct result_work replayed = {.kind = RESULT_WORK_REPLAYED,
	.calls = 1200,
	.processes = 1,
	.speed = 8,
	.run_seconds = 0.25,
	.real_seconds = 1.5};

static void test_what_was_done_to_the_clock(void **state)
{
	const struct result_work stepped = {.kind = RESULT_WORK_STEPPED, .step_seconds = 25e-6};
	struct result_work real_speed = replayed;
	struct arena arena = ARENA_INIT;
	const char *text = work_clock_text(&replayed, &arena);

	(void)state;
	assert_non_null(strstr(text, "1200 calls in 1 process, 8 times as fast"));
	assert_non_null(strstr(text, "a run takes 0.25 s of CPU time, as it is 1.5 s"));
	real_speed.speed = 1;
	assert_null(strstr(work_clock_text(&real_speed, &arena), "as fast"));
	assert_non_null(strstr(work_clock_text(&stepped, &arena), "goes on by 25 us at each call"));
	arena_release(&arena);
}

/* 2 % of a run are 4 % of the half, and 10 % of the fifth, that is not its start. */
static void test_a_long_start_is_told_with_what_can_be_found(void **state)
{
	struct result_work work = replayed;
	struct arena arena = ARENA_INIT;

	(void)state;
	assert_string_equal(work_start_text(&work, 0.02, &arena), "");
	work.start_seconds = 0.125;
	assert_string_equal(work_start_text(&work, 0.02, &arena), "");
	work.start_seconds = 0.2;
	assert_non_null(strstr(work_start_text(&work, 0.02, &arena),
		"0.2 of the 0.25 s of CPU time a run are its start"));
	assert_non_null(strstr(work_start_text(&work, 0.02, &arena), "a change of 10 % is found"));
	assert_string_equal(work_start_text(&work, 0, &arena), "");
	work.start_seconds = work.run_seconds;
	assert_string_equal(work_start_text(&work, 0.02, &arena), "");
	arena_release(&arena);
}

static void test_it_stands_before_what_else_is_said(void **state)
{
	const char *others[] = {"3 of 40 pairs: outliers"};
	struct result result = {.arena = ARENA_INIT};
	struct result_benchmark out = {
		.work = replayed, .mde_total = 0.02, .excluded = others, .excluded_count = 1};

	(void)state;
	out.work.start_seconds = 0.2;
	fill_work(&result, &out);
	assert_int_equal(out.excluded_count, 3);
	assert_non_null(strstr(out.excluded[0], "what base's clock said"));
	assert_string_equal(out.excluded[1], others[0]);
	assert_non_null(strstr(out.excluded[2], "are its start"));
	out.work = (struct result_work){.kind = RESULT_WORK_AS_IT_IS};
	fill_work(&result, &out);
	assert_int_equal(out.excluded_count, 3);
	arena_release(&result.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_done_to_the_clock),
		cmocka_unit_test(test_a_long_start_is_told_with_what_can_be_found),
		cmocka_unit_test(test_it_stands_before_what_else_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
