/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/pair_slices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define PERIOD_NS MS

/* ---- whose turn it is --------------------------------------------------------------------- */

static void test_each_pair_has_a_slice_of_each(void **state)
{
	struct slices slices;
	int heads_first = 0;

	(void)state;
	slices_init(&slices, 7);
	for (int pair = 0; pair < 1000; pair++) {
		int first = slices_next(&slices), second = slices_next(&slices);

		assert_int_equal(first + second, 1);
		heads_first += first;
	}
	assert_int_equal(slices.count[0], 1000);
	assert_int_equal(slices.count[1], 1000);
	/* Seeded: a fair coin is within 6 SD of 500. */
	assert_in_range(heads_first, 405, 595);
}

static void test_equal_seeds_give_equal_orders(void **state)
{
	struct slices one, two, other;
	int different = 0;

	(void)state;
	slices_init(&one, 11);
	slices_init(&two, 11);
	slices_init(&other, 12);
	for (int i = 0; i < 200; i++) {
		int version = slices_next(&one);

		assert_int_equal(version, slices_next(&two));
		different += version != slices_next(&other);
	}
	assert_true(different > 0);
}

static void test_who_is_left_alone_runs_on(void **state)
{
	struct slices slices;

	(void)state;
	slices_init(&slices, 3);
	assert_false(slices_alone(&slices, 0));
	for (int i = 0; i < 5; i++)
		slices_next(&slices);
	slices_end(&slices, 1);
	assert_true(slices_alone(&slices, 0));
	for (int i = 0; i < 20; i++)
		assert_int_equal(slices_next(&slices), 0);
	slices_end(&slices, 0);
	assert_int_equal(slices_next(&slices), SLICES_OVER);
}

/* ---- who stood still ---------------------------------------------------------------------- */

struct scene {
	struct idle_account account;
	struct process_view before_views[4], after_views[4];
	struct process_look before, after;
	pid_t offenders[4];
};

static struct scene scene(void)
{
	return (struct scene){.account.period_ns = PERIOD_NS};
}

static void add(struct scene *scene, pid_t pid, uint32_t threads, uint64_t before, uint64_t after)
{
	if (before != UINT64_MAX)
		scene->before_views[scene->before.count++] =
			(struct process_view){pid, before, threads};
	if (after != UINT64_MAX)
		scene->after_views[scene->after.count++] =
			(struct process_view){pid, after, threads};
}

static size_t judge(struct scene *scene, pid_t held)
{
	scene->before.views = scene->before_views;
	scene->after.views = scene->after_views;
	return idle_judge(&scene->account, &scene->before, &scene->after, &held, held ? 1 : 0,
		scene->offenders);
}

static void test_two_periods_a_thread_are_allowed(void **state)
{
	struct scene now = scene();

	(void)state;
	add(&now, 10, 1, 50 * MS, 52 * MS);
	add(&now, 11, 3, 50 * MS, 56 * MS);
	assert_int_equal(judge(&now, 0), 0);
	assert_int_equal(now.account.leaks, 0);
	assert_true(now.account.cpu_ns == 8 * MS);
	assert_true(now.account.unaccounted_ns == 0);
}

static void test_who_goes_on_is_to_be_stopped_by_signals(void **state)
{
	struct scene now = scene();

	(void)state;
	add(&now, 10, 1, 50 * MS, 51 * MS);
	add(&now, 11, 1, 50 * MS, 52 * MS + 1);
	assert_int_equal(judge(&now, 0), 1);
	assert_int_equal(now.offenders[0], 11);
	assert_int_equal(now.account.leaks, 0);
}

static void test_who_goes_on_although_stopped_leaks(void **state)
{
	struct scene now = scene();

	(void)state;
	add(&now, 11, 1, 50 * MS, 60 * MS);
	assert_int_equal(judge(&now, 11), 0);
	assert_int_equal(now.account.leaks, 1);
	assert_true(now.account.unaccounted_ns == (int64_t)(8 * MS));
}

static void test_a_fresh_process_may_load_but_not_work(void **state)
{
	struct scene loading = scene(), working = scene();

	(void)state;
	add(&loading, 12, 1, UINT64_MAX, 20 * MS);
	assert_int_equal(judge(&loading, 0), 0);
	assert_int_equal(loading.account.leaks, 0);
	add(&working, 12, 1, UINT64_MAX, 30 * MS);
	assert_int_equal(judge(&working, 0), 0);
	assert_int_equal(working.account.leaks, 1);
}

static void test_what_ended_meanwhile_counts_only_its_end(void **state)
{
	struct scene now = scene();

	(void)state;
	add(&now, 13, 1, 500 * MS, UINT64_MAX);
	now.before.reaped_ns = 1000 * MS;
	now.after.reaped_ns = 1510 * MS;
	judge(&now, 0);
	assert_true(now.account.cpu_ns == 10 * MS);
	assert_false(idle_is_hopeless(&now.account));
}

static void test_processes_that_come_and_go_in_the_others_slices_are_found(void **state)
{
	struct scene now = scene();

	(void)state;
	/* None of them is ever seen; only their parent's account grows. */
	for (int i = 0; i < 20; i++) {
		now.before.reaped_ns = (uint64_t)i * 20 * MS;
		now.after.reaped_ns = (uint64_t)(i + 1) * 20 * MS;
		judge(&now, 0);
	}
	assert_true(idle_is_hopeless(&now.account));
}

static void test_who_keeps_starting_unsampled_processes_is_given_up(void **state)
{
	struct scene now = scene();

	(void)state;
	/* Each is found, and gone before it is stopped. */
	for (pid_t pid = 100; pid < 120; pid++) {
		now.before.count = now.after.count = 0;
		add(&now, pid, 1, 5 * MS, 25 * MS);
		assert_int_equal(judge(&now, 0), 1);
	}
	assert_true(idle_is_hopeless(&now.account));
}

static void test_the_coarse_clock_of_the_ended_does_not_add_up_to_a_leak(void **state)
{
	struct scene now = scene();

	(void)state;
	/* Rounded down to steps of 10 ms: sometimes too much by one, as often too little. */
	for (uint64_t i = 0; i < 1000; i++) {
		now.before_views[0] = (struct process_view){(pid_t)(100 + i), 5 * MS, 1};
		now.before.count = 1;
		now.before.reaped_ns = i * 5 * MS / (10 * MS) * (10 * MS);
		now.after.reaped_ns = (i + 1) * 5 * MS / (10 * MS) * (10 * MS);
		judge(&now, 0);
		assert_false(idle_is_hopeless(&now.account));
	}
}

static void test_who_ends_unwaited_for_excuses_nobody(void **state)
{
	struct scene now = scene();

	(void)state;
	/* Its parent ignores SIGCHLD: all that it used is lost. */
	add(&now, 13, 1, 5000 * MS, UINT64_MAX);
	judge(&now, 0);
	now.before.count = now.after.count = 0;
	for (int i = 0; i < 20; i++) {
		now.before.reaped_ns = (uint64_t)i * 20 * MS;
		now.after.reaped_ns = (uint64_t)(i + 1) * 20 * MS;
		judge(&now, 0);
	}
	assert_true(idle_is_hopeless(&now.account));
}

static void test_now_and_then_a_leak_is_forgiven(void **state)
{
	struct idle_account account = {.period_ns = PERIOD_NS, .slices = 100, .leaks = 8};

	(void)state;
	assert_false(idle_is_hopeless(&account));
	account.leaks = 9;
	assert_true(idle_is_hopeless(&account));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_pair_has_a_slice_of_each),
		cmocka_unit_test(test_equal_seeds_give_equal_orders),
		cmocka_unit_test(test_who_is_left_alone_runs_on),
		cmocka_unit_test(test_two_periods_a_thread_are_allowed),
		cmocka_unit_test(test_who_goes_on_is_to_be_stopped_by_signals),
		cmocka_unit_test(test_who_goes_on_although_stopped_leaks),
		cmocka_unit_test(test_a_fresh_process_may_load_but_not_work),
		cmocka_unit_test(test_what_ended_meanwhile_counts_only_its_end),
		cmocka_unit_test(test_processes_that_come_and_go_in_the_others_slices_are_found),
		cmocka_unit_test(test_who_keeps_starting_unsampled_processes_is_given_up),
		cmocka_unit_test(test_the_coarse_clock_of_the_ended_does_not_add_up_to_a_leak),
		cmocka_unit_test(test_who_ends_unwaited_for_excuses_nobody),
		cmocka_unit_test(test_now_and_then_a_leak_is_forgiven),
	};

	return cmocka_run_group_tests_name("bench/pair_slices", tests, NULL, NULL);
}
