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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/sampler/sampler.h"

#define PERIOD UINT64_C(1000000)
#define SAME_STEP 16 /* as in timer_posix.c */

static struct fg_thread thread;
static double tick; /* the kernel's, in ns */

/* A thread that has used no CPU time so far. Its real timers send a signal that is blocked. */
static void begin(void)
{
	thread.is_first = true;
	thread.last_ns = 0;
	assert_int_equal(fg_timer_posix.start(&thread), 0);
}

/* One that only meets ticks: it never stays awake for long enough. */
static void sleep_for_ever(void)
{
	fg_timer_posix.stop(&thread);
	thread.posix = (struct fg_posix_timer){.tick = -1, .wall = -1, .wanted = UINT32_MAX};
}

static int set_up(void **state)
{
	struct timespec resolution;

	(void)state;
	clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
	tick = (double)resolution.tv_nsec;
	memset(&thread, 0, sizeof(thread));
	fg_config.rate_hz = 1000;
	thread.random = 20261121;
	thread.tid = gettid();
	begin();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fg_timer_posix.stop(&thread);
	return 0;
}

/* An expiry at this CPU time. The thread never sleeps, whatever the machine does to this one
 * meanwhile. */
static bool expire(uint64_t now, uint64_t *weight)
{
	static const siginfo_t info = {.si_code = SI_TIMER};
	bool is_due = fg_timer_posix.due(&thread, &info, now, weight);

	thread.has_rested = true;
	fg_timer_posix.again(&thread, &info, now);
	return is_due;
}

static void test_the_first_samples_are_a_period_apart_from_a_random_point(void **state)
{
	uint64_t tenths[10] = {0}, weight;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t first = thread.posix.target_ns;

		assert_in_range(first, 1, PERIOD);
		tenths[(first - 1) * 10 / PERIOD]++;
		for (uint64_t k = 0; k < SAME_STEP; k++) {
			assert_int_equal(thread.posix.target_ns, first + k * PERIOD);
			assert_true(expire(first + k * PERIOD, &weight));
			assert_int_equal(weight, PERIOD);
		}
		fg_timer_posix.stop(&thread);
		begin();
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(tenths[i], 52, 148); /* five standard errors */
}

static void test_later_steps_are_drawn_and_weigh_what_they_are(void **state)
{
	enum { GROUPS = 2000 };
	uint64_t tenths[10] = {0}, weight, last = 0;

	(void)state;
	for (uint64_t i = 0; i < SAME_STEP * (GROUPS + 1); i++) {
		uint64_t target = thread.posix.target_ns, step = target - last;

		assert_true(expire(target, &weight));
		last = target;
		if (i < SAME_STEP)
			continue;
		assert_in_range(step, PERIOD / 2 + 1, PERIOD / 2 + PERIOD);
		assert_int_equal(weight, step);
		if (i % SAME_STEP == 0)
			tenths[(step - PERIOD / 2 - 1) * 10 / PERIOD]++;
		if (i % SAME_STEP != SAME_STEP - 1)
			assert_int_equal(thread.posix.target_ns, target + step);
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(tenths[i], GROUPS / 10 - 67, GROUPS / 10 + 67);
}

static time_t seconds_left(void)
{
	struct itimerspec left;

	assert_int_equal(syscall(SYS_timer_gettime, thread.posix.wall, &left), 0);
	return left.it_value.tv_sec;
}

/* The timer is real: what is armed is what is left, and goes on by the step. */
static void test_a_little_early_is_due_and_much_waits_for_the_rest(void **state)
{
	uint64_t target = thread.posix.target_ns, weight = 77;
	struct itimerspec left;

	(void)state;
	thread.posix.target_ns = target +=
		3600 * 1000 * PERIOD; /* an hour: it cannot expire here */
	assert_false(expire(target - PERIOD * 1000 * 1800, &weight));
	assert_int_equal(weight, 77);
	assert_int_equal(thread.posix.target_ns, target);
	assert_int_equal(syscall(SYS_timer_gettime, thread.posix.wall, &left), 0);
	assert_in_range(left.it_value.tv_sec, 1600, 1800);
	assert_int_equal(left.it_interval.tv_nsec, PERIOD);
	assert_false(expire(target - PERIOD / 8, &weight));
	assert_true(expire(target - PERIOD / 32, &weight));
	assert_int_equal(thread.posix.target_ns, target - PERIOD / 32 + PERIOD);
}

/* The kernel goes on from when the expiry was due: after a late one the next would be early. */
static void test_after_a_late_sample_the_timer_begins_anew(void **state)
{
	uint64_t weight;

	(void)state;
	thread.posix.step_ns = 3600 * 1000 * PERIOD;
	assert_true(expire(thread.posix.target_ns + PERIOD / 32, &weight));
	assert_int_equal(seconds_left(), 0); /* not told of that step */
	assert_true(expire(thread.posix.target_ns + PERIOD / 4, &weight));
	assert_in_range(seconds_left(), 3500, 3600);
}

static void test_late_weighs_the_delay_and_the_next_is_a_step_after(void **state)
{
	uint64_t late = thread.posix.target_ns + 70 * PERIOD, weight;

	(void)state;
	assert_true(expire(late, &weight));
	assert_int_equal(weight, 71 * PERIOD);
	assert_int_equal(thread.posix.target_ns, late + PERIOD);
}

static void test_a_tick_weighs_the_time_since_the_last_and_the_first_one_a_tick_more(void **state)
{
	uint64_t weight;

	(void)state;
	sleep_for_ever();
	thread.posix.since_ns = thread.posix.target_ns = 3 * PERIOD;
	assert_true(expire(5 * PERIOD, &weight));
	assert_int_equal(weight, 2 * PERIOD + (uint64_t)tick);
	assert_int_equal(thread.posix.target_ns, 5 * PERIOD); /* the next tick */
	assert_true(expire(12 * PERIOD, &weight));
	assert_int_equal(weight, 7 * PERIOD);
}

static void test_at_a_low_rate_ticks_are_left_out(void **state)
{
	uint64_t now = 0, weight, samples = 0, ticks = 100000;

	(void)state;
	fg_config.rate_hz = (uint32_t)(1e9 / (5 * tick));
	sleep_for_ever();
	for (uint64_t i = 1; i <= ticks; i++) {
		now += (uint64_t)tick;
		samples += expire(now, &weight);
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

	begin();
	while ((double)thread.posix.target_ns <= ns) {
		expire(thread.posix.target_ns, &weight);
		sum += (double)weight;
	}
	fg_timer_posix.stop(&thread);
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

	sleep_for_ever();
	for (; now <= ns; now += exponential(tick))
		if (expire((uint64_t)now, &weight))
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
	check_expectation(live_by_points, 3e6, 16e6);
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
	fg_timer_posix.stop(&thread);
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
		cmocka_unit_test_setup_teardown(
			test_the_first_samples_are_a_period_apart_from_a_random_point, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			test_later_steps_are_drawn_and_weigh_what_they_are, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_little_early_is_due_and_much_waits_for_the_rest, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_after_a_late_sample_the_timer_begins_anew, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_late_weighs_the_delay_and_the_next_is_a_step_after, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_tick_weighs_the_time_since_the_last_and_the_first_one_a_tick_more,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_at_a_low_rate_ticks_are_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_threads_of_any_length_weigh_what_they_use, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_threads_that_sleep_weigh_what_they_use, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_perfs_second_timer_is_no_sample, set_up, tear_down),
	};

	const uint64_t ours = UINT64_C(1) << (SIGRTMAX - 1);

	fg_signal = SIGRTMAX;
	/* Not by sigprocmask(), which here is the library's and leaves its signal alone. */
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &ours, NULL, sizeof(ours));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
