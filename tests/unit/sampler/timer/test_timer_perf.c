/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event's credit, with a real event and a handler that takes three intervals: the program goes
 * on between two of its samples, and no more of them wait than were granted.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/sampler/sampler.h"

#define RATE_HZ 4000
#define SAMPLES 600
#define STUCK 3000 /* samples in a row: the program stands still for good */

static struct fg_thread thread;
static volatile sig_atomic_t samples, in_a_row, longest;
static volatile uint64_t slow_from; /* the first sample whose handler is slow */

static void burn(uint64_t ns)
{
	uint64_t end = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (fg_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void on_sample(int signal, siginfo_t *info, void *context)
{
	uint64_t now = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	(void)signal, (void)context;
	if (!thread.timer || info->si_code == SI_TIMER)
		return;
	samples++;
	thread.samples++;
	if (++in_a_row > longest)
		longest = in_a_row;
	if (in_a_row >= STUCK || samples >= SAMPLES) {
		fg_timer_perf.stop(&thread);
		thread.timer = NULL;
		return;
	}
	if ((uint64_t)samples >= slow_from)
		burn(3 * fg_timer_perf.period_ns());
	fg_timer_perf.again(&thread, info, now);
}

static int set_up(void **state)
{
	struct sigaction action = {.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART};

	(void)state;
	memset(&thread, 0, sizeof(thread));
	fg_config.rate_hz = RATE_HZ;
	thread.random = 20261124;
	thread.tid = gettid();
	thread.perf_fd = thread.perf_watch = -1;
	samples = in_a_row = longest = 0;
	sigfillset(&action.sa_mask);
	fg_signal = 0; /* our sigaction() would keep the handler to itself */
	if (sigaction(SIGRTMAX - 5, &action, NULL) != 0)
		return -1;
	fg_signal = SIGRTMAX - 5;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (thread.timer)
		fg_timer_perf.stop(&thread);
	thread.timer = NULL;
	return 0;
}

/* Until all samples came; what the program itself does is to say that it is there. */
static void sampled(uint64_t first_slow)
{
	slow_from = first_slow;
	thread.timer = &fg_timer_perf;
	if (fg_timer_perf.start(&thread) != 0)
		skip();
	while (__atomic_load_n(&thread.timer, __ATOMIC_RELAXED))
		in_a_row = 0;
}

static void test_a_slow_handler_leaves_the_program_its_interval(void **state)
{
	(void)state;
	sampled(0);
	assert_int_equal(samples, SAMPLES);
	assert_in_range(longest, 1, 4);
}

/* All that was granted before may come in a row, once. */
static void test_a_handler_that_becomes_slow_uses_up_what_was_granted(void **state)
{
	(void)state;
	sampled(100);
	assert_int_equal(samples, SAMPLES);
	assert_in_range(longest, 1, 300);
}

static void test_a_handler_in_time_is_renewed_in_batches(void **state)
{
	(void)state;
	sampled(SAMPLES);
	assert_int_equal(samples, SAMPLES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_a_slow_handler_leaves_the_program_its_interval, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_handler_that_becomes_slow_uses_up_what_was_granted, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_handler_in_time_is_renewed_in_batches, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
