/* SPDX-License-Identifier: Apache-2.0 */
/* Which rounds of plain and slowed runs let a benchmark pass, warn or refuse it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/check/runs/work_judge.h"

#define MOST WORK_MOST_ROUNDS

/* A round of a run that takes a second, of whose 0.4 s burnt this part shows. */
static struct work_round round_of(double follows)
{
	return (struct work_round){.before = 1, .after = 1 + 0.4 * follows, .burnt = 0.4};
}

static void test_the_table_of_rounds(void **state)
{
	static const struct {
		double follows[MOST];
		size_t count;
		enum work_verdict wanted, of_a_suspect;
	} table[] = {
		{{0}, 0, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		/* one that clearly follows needs no second, nor does one that costs even more
		 * (threads that spin while another is slower) */
		{{1}, 1, WORK_FIXED, WORK_ASK_AGAIN},
		{{0.75}, 1, WORK_FIXED, WORK_ASK_AGAIN},
		{{2.5}, 1, WORK_FIXED, WORK_ASK_AGAIN},
		/* anything else does */
		{{0.65}, 1, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		{{0.45}, 1, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		{{-0.1}, 1, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		/* less than half in two of two */
		{{0, 0}, 2, WORK_FIXED_TIME, WORK_FIXED_TIME},
		{{0.45, 0.45}, 2, WORK_FIXED_TIME, WORK_FIXED_TIME},
		{{-0.6, 0.2}, 2, WORK_FIXED_TIME, WORK_FIXED_TIME},
		/* twice in between; of a suspect two may be chance */
		{{1, 1}, 2, WORK_FIXED, WORK_ASK_AGAIN},
		{{1, 1, 1}, 3, WORK_FIXED, WORK_FIXED},
		{{1, 0}, 2, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		{{1, 0, 0}, 3, WORK_FIXED_TIME, WORK_FIXED_TIME},
		{{0.6, 0.6}, 2, WORK_DOUBTFUL, WORK_ASK_AGAIN},
		{{0.52, 0.68}, 2, WORK_DOUBTFUL, WORK_ASK_AGAIN},
		{{0.6, 0.6, 0.6}, 3, WORK_DOUBTFUL, WORK_DOUBTFUL},
		/* what disagrees asks again, until two in a row agree */
		{{0.1, 0.9}, 2, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		{{0.1, 0.6}, 2, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		{{0.6, 0.9}, 2, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		{{0.4, 0.9, 1}, 3, WORK_FIXED, WORK_ASK_AGAIN},
		{{0.6, 0.9, 1}, 3, WORK_FIXED, WORK_ASK_AGAIN},
		{{0.45, 0.6, 0.6}, 3, WORK_DOUBTFUL, WORK_ASK_AGAIN},
		{{0.6, 0.1, 0.1}, 3, WORK_FIXED_TIME, WORK_FIXED_TIME},
		{{0.1, 0.9, 0.1}, 3, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		{{0.1, 0.9, 0.1, 0.1}, 4, WORK_FIXED_TIME, WORK_FIXED_TIME},
		/* and all together say the same */
		{{-0.5, 0.9, 1}, 3, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		{{-0.5, 1, 1, 1.4}, 4, WORK_FIXED, WORK_FIXED},
		{{1.6, 0.4, 0.4}, 3, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		{{0.1, 0.6, 0.6}, 3, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		/* but not for ever: then each second round, and the others, make two longer ones.
		 * A machine that is busy with something else makes single ones jump */
		{{0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1}, 7, WORK_ASK_AGAIN, WORK_ASK_AGAIN},
		{{-1.2, 0.6, -0.4, 0.8, 0.6, -0.9, 0.6, -0.2}, 8, WORK_FIXED_TIME, WORK_FIXED_TIME},
		{{0.6, 1.4, 0.4, 1, 1.6, 0.3, 0.9, 0.6}, 8, WORK_FIXED, WORK_FIXED},
		/* what does not agree even so refuses nothing */
		{{-1.2, 0.6, 0.2, 0.8, -0.4, 0.9, 0.2, 0.9}, 8, WORK_DOUBTFUL, WORK_DOUBTFUL},
		{{0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9}, 8, WORK_DOUBTFUL, WORK_DOUBTFUL},
		{{0.1, 0.6, 0.1, 0.6, 0.1, 0.6, 0.1, 0.6}, 8, WORK_DOUBTFUL, WORK_DOUBTFUL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct work_round rounds[MOST];

		for (size_t k = 0; k < MOST; k++)
			rounds[k] = round_of(table[i].follows[k]);
		if (work_judge(rounds, table[i].count, WORK_TRUSTED) != table[i].wanted ||
			work_judge(rounds, table[i].count, WORK_SUSPECT) != table[i].of_a_suspect)
			fail_msg("row %zu", i);
	}
}

/* A static program below a shell: what is not slowed cannot get slower. */
static void test_little_burnt_tells_nothing(void **state)
{
	const struct work_round rounds[] = {{.before = 1, .after = 1, .burnt = 0.15},
		{.before = 1, .after = 1, .burnt = 0.4}, {.before = 1, .after = 1, .burnt = 0},
		{.before = 0, .after = 0, .burnt = 0},
		/* Others took the machine away from the slowed run:
		 * two thirds of it are its own. */
		{.before = 1.2, .after = 0.6, .burnt = 0.2}};

	(void)state;
	/* A single run may have had twice the CPU time of the one beside it. */
	assert_int_equal(work_judge(&rounds[0], 1, WORK_TRUSTED), WORK_ASK_AGAIN);
	assert_int_equal(work_judge(&rounds[0], 2, WORK_TRUSTED), WORK_ASK_AGAIN);
	assert_int_equal(work_judge(&rounds[1], 1, WORK_TRUSTED), WORK_ASK_AGAIN);
	assert_int_equal(work_judge(&rounds[2], 1, WORK_TRUSTED), WORK_ASK_AGAIN);
	assert_int_equal(work_judge(&rounds[2], 2, WORK_TRUSTED), WORK_UNKNOWN);
	assert_int_equal(work_judge(&rounds[3], 1, WORK_TRUSTED), WORK_ASK_AGAIN);
	assert_int_equal(work_judge((struct work_round[]){rounds[4], rounds[4]}, 2, WORK_TRUSTED),
		WORK_FIXED_TIME);
}

/* Rounds that agree stand for all; where the longer ones had to tell, it is the mean. */
static void test_what_is_told_is_what_has_settled_it(void **state)
{
	const struct work_round jumped[] = {round_of(1), round_of(0.2), round_of(0.1)};
	const struct work_round never[] = {round_of(-0.9), round_of(0.6), round_of(-0.3),
		round_of(0.6), round_of(0.6), round_of(-0.6), round_of(0.6), round_of(-0.6)};
	const struct work_round last = work_seen(jumped, 3), mean = work_seen(never, MOST);

	(void)state;
	assert_float_equal(work_follows(&last), 0.1, 1e-9);
	assert_int_equal(work_judge(never, MOST, WORK_TRUSTED), WORK_FIXED_TIME);
	assert_float_equal(work_follows(&mean), 0, 1e-9);
	assert_true(work_seen(never, 0).burnt == 0);
}

static void test_who_ends_at_the_same_time_waits_for_it(void **state)
{
	(void)state;
	assert_true(work_waits_for_time(1, 1.02));
	assert_true(work_waits_for_time(1, 0.8));
	assert_true(work_waits_for_time(1, 1.2));
	assert_false(work_waits_for_time(1, 1.4));
	assert_false(work_waits_for_time(0, 0));
}

static void test_who_shares_the_processor_is_asked_again(void **state)
{
	const struct work_round rounds[] = {round_of(1), round_of(0.9), round_of(0.1)};
	const struct work_round timed[] = {round_of(0), round_of(0.1)};
	const struct work_tally runs = {.cpu_seconds = 0.4, .iterations = 1};

	(void)state;
	assert_false(work_is_crowded(&runs, 0.42));
	assert_false(work_is_crowded(&runs, 0.1)); /* of four threads */
	assert_true(work_is_crowded(&runs, 0.6));
	assert_int_equal(work_judge(rounds, 1, WORK_CROWDED), WORK_ASK_AGAIN);
	assert_int_equal(work_judge(rounds, 2, WORK_CROWDED), WORK_FIXED);
	assert_int_equal(work_judge(rounds + 1, 2, WORK_CROWDED), WORK_ASK_AGAIN);
	assert_int_equal(work_judge(timed, 2, WORK_CROWDED), WORK_FIXED_TIME);
}

static void test_counted_work_is_compared_by_the_iteration(void **state)
{
	const struct work_tally plain = {.cpu_seconds = 1, .iterations = 300};
	const struct work_tally fewer = {
		.cpu_seconds = 1, .iterations = 200, .burnt_seconds = 1.0 / 3};
	const struct work_tally alike = {
		.cpu_seconds = 1, .iterations = 300, .burnt_seconds = 1.0 / 3};
	struct work_round round;

	(void)state;
	assert_true(work_round_of(&plain, &fewer, &round));
	assert_true(work_follows(&round) > 0.999 && work_follows(&round) < 1.001);
	assert_int_equal(work_judge(&round, 1, WORK_TRUSTED), WORK_FIXED);
	assert_true(work_round_of(&plain, &alike, &round));
	assert_true(work_follows(&round) < 0.001);
}

static void test_runs_without_work_or_slowdown_make_no_round(void **state)
{
	const struct work_tally plain = {.cpu_seconds = 1, .iterations = 1};
	const struct work_tally slowed = {.cpu_seconds = 1, .iterations = 1, .burnt_seconds = 1};
	const struct work_tally idle = {.cpu_seconds = 1, .burnt_seconds = 1};
	struct work_round round;

	(void)state;
	assert_false(work_round_of(&plain, &plain, &round));
	assert_false(work_round_of(&idle, &slowed, &round));
	assert_false(work_round_of(&plain, &idle, &round));
	assert_true(work_round_of(&plain, &slowed, &round));
}

static void test_the_words_have_the_numbers(void **state)
{
	const struct work_round timed = {.before = 1.5, .after = 1.51, .burnt = 0.5};
	const struct work_round part = {.before = 1.5, .after = 1.8, .burnt = 0.5};
	struct arena arena;
	const char *text;

	(void)state;
	arena_init(&arena);
	text = work_text(&timed, "Count it.", &arena);
	assert_non_null(strstr(text, "so a regression would hide. Count it. Seen: "));
	assert_non_null(strstr(text, "with 0.500 s of CPU time burnt"));
	assert_non_null(strstr(text, "it took 1.510 s instead of 1.500 s"));
	assert_non_null(strstr(text, "fell to 67 % (1.010 s)"));
	text = work_count_text(&timed, &arena);
	assert_non_null(strstr(text, "of 0.500 s of CPU time burnt in each run only 2 % show"));
	assert_non_null(strstr(work_doubt_text(&part, &arena), "in a run 60 % show"));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_table_of_rounds),
		cmocka_unit_test(test_little_burnt_tells_nothing),
		cmocka_unit_test(test_what_is_told_is_what_has_settled_it),
		cmocka_unit_test(test_who_ends_at_the_same_time_waits_for_it),
		cmocka_unit_test(test_who_shares_the_processor_is_asked_again),
		cmocka_unit_test(test_counted_work_is_compared_by_the_iteration),
		cmocka_unit_test(test_runs_without_work_or_slowdown_make_no_round),
		cmocka_unit_test(test_the_words_have_the_numbers),
	};

	return cmocka_run_group_tests_name("check/work_judge", tests, NULL, NULL);
}
