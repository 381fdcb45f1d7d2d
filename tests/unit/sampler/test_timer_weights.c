/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What samples weigh, with a clock of the test's own: which expiries are due, and that threads of
 * any length weigh what they use in expectation (sampler.h).
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "gate/sampler/sampler.h"

#define PERIOD UINT64_C(1000000)

static struct fg_thread thread;
static double tick; /* the kernel's, in ns */

static int set_up(void **state)
{
	struct timespec resolution;

	(void)state;
	clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
	tick = (double)resolution.tv_nsec;
	memset(&thread, 0, sizeof(thread));
	fg_config.rate_hz = 1000;
	thread.is_first = true;
	thread.random = 20261121;
	thread.posix.on_wall = true;
	thread.posix.target_ns = fg_thread_random(&thread, PERIOD);
	return 0;
}

static bool posix_due(uint64_t now, uint64_t *weight)
{
	static const siginfo_t info = {.si_code = SI_TIMER};

	return fg_timer_posix.due(&thread, &info, now, weight);
}

static void test_each_slice_has_one_sample_of_one_period(void **state)
{
	uint64_t weight;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t target = thread.posix.target_ns;

		assert_true(target > i * PERIOD && target <= (i + 1) * PERIOD);
		assert_true(posix_due(target, &weight));
		assert_int_equal(weight, PERIOD);
	}
}

static void test_samples_fall_anywhere_in_their_slices(void **state)
{
	unsigned tenths[10] = {0};
	uint64_t weight;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		uint64_t target = thread.posix.target_ns;

		tenths[(target - 1) % PERIOD * 10 / PERIOD]++;
		posix_due(target, &weight);
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(tenths[i], 850, 1150); /* five standard errors */
}

static void test_a_little_early_is_due_and_much_is_not(void **state)
{
	uint64_t target = 500 * PERIOD, weight = 77;

	(void)state;
	thread.posix.slice_ns = target - PERIOD / 2;
	thread.posix.target_ns = target;
	assert_false(posix_due(target - PERIOD / 8, &weight));
	assert_int_equal(weight, 77);
	assert_int_equal(thread.posix.target_ns, target);
	assert_true(posix_due(target - PERIOD / 32, &weight));
	assert_int_equal(weight, PERIOD);
}

static void test_a_little_late_keeps_the_rate(void **state)
{
	uint64_t slice = thread.posix.slice_ns, weight;

	(void)state;
	assert_true(posix_due(thread.posix.target_ns + PERIOD / 4, &weight));
	assert_int_equal(weight, PERIOD);
	assert_int_equal(thread.posix.slice_ns, slice + PERIOD);
}

static void test_much_late_weighs_the_delay_and_shifts_the_slices(void **state)
{
	uint64_t slice = thread.posix.slice_ns, weight;

	(void)state;
	assert_true(posix_due(thread.posix.target_ns + 70 * PERIOD, &weight));
	assert_int_equal(weight, 71 * PERIOD);
	assert_int_equal(thread.posix.slice_ns, slice + 71 * PERIOD);
	assert_true(thread.posix.target_ns > thread.posix.slice_ns);
	assert_true(thread.posix.target_ns <= thread.posix.slice_ns + PERIOD);
}

static void test_a_tick_weighs_the_time_since_the_last_and_the_first_one_a_tick_more(void **state)
{
	uint64_t weight;

	(void)state;
	thread.posix.on_wall = false;
	thread.posix.slice_ns = thread.posix.target_ns = 3 * PERIOD;
	assert_true(posix_due(5 * PERIOD, &weight));
	assert_int_equal(weight, 2 * PERIOD + (uint64_t)tick);
	assert_int_equal(thread.posix.target_ns, 5 * PERIOD); /* the next tick */
	assert_true(posix_due(12 * PERIOD, &weight));
	assert_int_equal(weight, 7 * PERIOD);
}

static void test_at_a_low_rate_ticks_are_left_out(void **state)
{
	uint64_t now = 0, weight, samples = 0, ticks = 100000;

	(void)state;
	fg_config.rate_hz = (uint32_t)(1e9 / (5 * tick));
	thread.posix.on_wall = false;
	thread.posix.target_ns = 0;
	for (uint64_t i = 1; i <= ticks; i++) {
		now += (uint64_t)tick;
		samples += posix_due(now, &weight);
	}
	/* One in five, each by a lot of its own: six standard errors. */
	assert_in_range(samples, ticks / 5 - 760, ticks / 5 + 760);
}

/* Lives of all lengths: the sum of weights against the sum of lives. */
static void check_expectation(double (*live)(double ns), double shortest, double longest)
{
	double weights = 0, squares = 0, lives = 0;
	int count = 20000;

	for (int i = 0; i < count; i++) {
		double life = shortest + (longest - shortest) * i / count, difference;

		difference = live(life) - life;
		lives += life;
		weights += difference;
		squares += difference * difference;
	}
	assert_true(fabs(weights) < 4 * sqrt(squares));
	assert_true(4 * sqrt(squares) < 0.05 * lives); /* else it would say nothing */
}

static double live_by_points(double ns)
{
	double sum = 0;
	uint64_t weight;

	thread.posix.slice_ns = 0;
	thread.posix.target_ns = fg_thread_random(&thread, PERIOD);
	while ((double)thread.posix.target_ns <= ns) {
		posix_due(thread.posix.target_ns, &weight);
		sum += (double)weight;
	}
	return sum;
}

static double exponential(double mean)
{
	return -mean * log((double)fg_thread_random(&thread, 1 << 30) / (1 << 30));
}

/* A sleeper: ticks find it at random. */
static double live_by_ticks(double ns)
{
	double sum = 0, now = exponential(tick);
	uint64_t weight;

	thread.posix = (struct fg_posix_timer){.tick = -1, .wall = -1};
	for (; now <= ns; now += exponential(tick))
		if (posix_due((uint64_t)now, &weight))
			sum += (double)weight;
	return sum;
}

static double live_by_perf(double ns)
{
	static const siginfo_t info = {.si_code = 1};
	double sum = 0, now = (double)fg_thread_random(&thread, PERIOD);
	uint64_t weight;

	thread.is_first = true;
	thread.last_ns = 0;
	for (; now <= ns; now += (double)PERIOD) {
		assert_true(fg_timer_perf.due(&thread, &info, (uint64_t)now, &weight));
		sum += (double)weight;
		thread.is_first = false;
		thread.last_ns = (uint64_t)now;
	}
	return sum;
}

static void test_threads_of_any_length_weigh_what_they_use(void **state)
{
	(void)state;
	check_expectation(live_by_points, 0.05e6, 0.9e6);
	check_expectation(live_by_points, 0.3e6, 3e6);
	check_expectation(live_by_perf, 0.05e6, 0.9e6);
	check_expectation(live_by_perf, 0.3e6, 3e6);
}

static void test_threads_that_sleep_weigh_what_they_use(void **state)
{
	(void)state;
	check_expectation(live_by_ticks, 0.1 * tick, 0.7 * tick);
	check_expectation(live_by_ticks, 0.7 * tick, 15 * tick);
}

static void test_perfs_second_timer_is_no_sample(void **state)
{
	static const siginfo_t info = {.si_code = SI_TIMER};
	uint64_t weight = 77;

	(void)state;
	fg_signal = SIGRTMAX;
	thread.perf_fd = -1; /* closed: it gets the other timer, which does not start here */
	thread.perf_watch = -1;
	thread.tid = 0x50000001;
	assert_false(fg_timer_perf.due(&thread, &info, PERIOD, &weight));
	assert_int_equal(weight, 77);
	fg_timer_posix.stop(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_each_slice_has_one_sample_of_one_period, set_up),
		cmocka_unit_test_setup(test_samples_fall_anywhere_in_their_slices, set_up),
		cmocka_unit_test_setup(test_a_little_early_is_due_and_much_is_not, set_up),
		cmocka_unit_test_setup(test_a_little_late_keeps_the_rate, set_up),
		cmocka_unit_test_setup(
			test_much_late_weighs_the_delay_and_shifts_the_slices, set_up),
		cmocka_unit_test_setup(
			test_a_tick_weighs_the_time_since_the_last_and_the_first_one_a_tick_more,
			set_up),
		cmocka_unit_test_setup(test_at_a_low_rate_ticks_are_left_out, set_up),
		cmocka_unit_test_setup(test_threads_of_any_length_weigh_what_they_use, set_up),
		cmocka_unit_test_setup(test_threads_that_sleep_weigh_what_they_use, set_up),
		cmocka_unit_test_setup(test_perfs_second_timer_is_no_sample, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
