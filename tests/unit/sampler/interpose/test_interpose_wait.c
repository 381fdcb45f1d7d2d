/* SPDX-License-Identifier: Apache-2.0 */
/* Interposed waits against a C library that ends them as the test says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/sampler/waits/real_waits.h"
#include "tests/unit/sampler/fake_waits.h"

static int last_ms, calls_ms[MAX_STEPS];
static const struct timespec *last_time;
static const sigset_t none;
static sem_t semaphore;
static struct epoll_event event;
static struct timespec times[MAX_STEPS];

static int fake_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	(void)fds, (void)count;
	calls_ms[script.calls] = last_ms = timeout;
	return (int)play();
}

static int fake_epoll_wait(int fd, struct epoll_event *events, int room, int timeout)
{
	(void)fd, (void)events, (void)room;
	calls_ms[script.calls] = last_ms = timeout;
	return (int)play();
}

static int fake_ppoll(
	struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	(void)fds, (void)count, (void)mask;
	last_time = timeout;
	if (timeout)
		times[script.calls] = *timeout;
	return (int)play();
}

/* What Linux does: the rest is written back. */
static int fake_select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
	(void)count, (void)in, (void)out, (void)other;
	if (timeout) {
		times[script.calls] = (struct timespec){timeout->tv_sec, timeout->tv_usec};
		*timeout = (struct timeval){4, 999999};
	}
	return (int)play();
}

static int fake_clock_nanosleep(
	clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
	long result;

	(void)clock, (void)flags;
	last_time = wanted;
	times[script.calls] = *wanted;
	result = play();
	*left = (struct timespec){3, 500 + (long)script.calls};
	return result < 0 ? EINTR : 0;
}

static int fake_nanosleep(const struct timespec *wanted, struct timespec *left)
{
	last_time = wanted;
	times[script.calls] = *wanted;
	*left = (struct timespec){7, 100 + (long)script.calls + 1};
	return (int)play();
}

static int fake_sem_timedwait(sem_t *which, const struct timespec *until)
{
	(void)which;
	last_time = until;
	return (int)play();
}

static int fake_semtimedop(
	int id, struct sembuf *operations, size_t count, const struct timespec *timeout)
{
	(void)id, (void)operations, (void)count;
	last_time = timeout;
	return (int)play();
}

static int fake_pause(void)
{
	return (int)play();
}

static int fake_sigsuspend(const sigset_t *mask)
{
	(void)mask;
	return (int)play();
}

static void set_fakes(void)
{
	fg_real_waits();
	fg_real_waits_table.poll = fake_poll;
	fg_real_waits_table.ppoll = fake_ppoll;
	fg_real_waits_table.select = fake_select;
	fg_real_waits_table.epoll_wait = fake_epoll_wait;
	fg_real_waits_table.nanosleep = fake_nanosleep;
	fg_real_waits_table.clock_nanosleep = fake_clock_nanosleep;
	fg_real_waits_table.sem_timedwait = fake_sem_timedwait;
	fg_real_waits_table.semtimedop = fake_semtimedop;
	fg_real_waits_table.pause = fake_pause;
	fg_real_waits_table.sigsuspend = fake_sigsuspend;
}

static int set_up(void **state)
{
	struct error err;
	char *dir;

	if (file_make_temp_dir(NULL, "fgcap-", &dir, &err) != ERR_OK)
		return -1;
	snprintf(fg_config.directory, sizeof(fg_config.directory), "%s", dir);
	fg_config.capture_max_bytes = UINT64_C(1) << 20;
	fg_capture_forked();
	*state = dir;
	set_fakes();
	return fg_capture_open() ? 0 : -1;
}

static int tear_down(void **state)
{
	struct error err;
	int error = file_remove_tree(*state, &err);

	free(*state);
	return error;
}

static uint64_t counted(enum fg_counter counter)
{
	return fg_capture()->counters[counter];
}

static void test_goes_on_after_our_signal(void **state)
{
	uint64_t before = counted(FG_COUNTER_RETRIED);

	(void)state;
	SCRIPT(OURS, OURS, GIVES(3));
	assert_int_equal(poll(NULL, 0, -1), 3);
	assert_int_equal(script.calls, 3);
	assert_int_equal(last_ms, -1);
	assert_int_equal(errno, 12345);
	assert_int_equal(counted(FG_COUNTER_RETRIED) - before, 2);
}

static void test_ends_with_the_programs_signal(void **state)
{
	(void)state;
	SCRIPT(PROGRAMS);
	assert_int_equal(poll(NULL, 0, 1000), -1);
	assert_int_equal(errno, EINTR);
	SCRIPT(OURS, PROGRAMS);
	assert_int_equal(epoll_wait(0, &event, 1, 1000), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(script.calls, 2);
}

/* Our signal came while the kernel returned from the program's handler. */
static void test_ends_when_a_handler_ran_whatever_was_noted(void **state)
{
	uint64_t before = counted(FG_COUNTER_RETRIED);

	(void)state;
	SCRIPT(BOTH);
	assert_int_equal(pause(), -1);
	assert_int_equal(errno, EINTR);
	SCRIPT(BOTH);
	assert_int_equal(sigsuspend(&none), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(counted(FG_COUNTER_RETRIED), before);
}

static void test_interruptions_without_any_note_are_the_programs(void **state)
{
	(void)state;
	SCRIPT(FAILS(EINTR));
	assert_int_equal(poll(NULL, 0, 5), -1);
	assert_int_equal(script.calls, 1);
}

static void test_other_errors_stay(void **state)
{
	(void)state;
	SCRIPT({.result = -1, .error = EBADF, .ours = true});
	assert_int_equal(epoll_wait(9, &event, 1, 5), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(script.calls, 1);
}

static void test_unsampled_threads_are_left_alone(void **state)
{
	(void)state;
	SCRIPT(OURS, GIVES(1));
	fg_self = NULL;
	assert_int_equal(poll(NULL, 0, 5), -1);
	assert_int_equal(errno, EINTR);
}

static void test_milliseconds_left_are_rounded_up(void **state)
{
	(void)state;
	SCRIPT(OURS, GIVES(1));
	assert_int_equal(poll(NULL, 0, 3600000), 1);
	assert_int_equal(calls_ms[0], 3600000);
	/* an hour less what this has taken: less than a ms of it reads as all */
	assert_in_range(calls_ms[1], 3500000, 3600000);
	SCRIPT(OURS, GIVES(0));
	assert_int_equal(poll(NULL, 0, 0), 0);
	assert_int_equal(calls_ms[1], 0);
}

static void pass_2_ms(void)
{
	uint64_t end = fg_clock_ns(CLOCK_MONOTONIC) + 2000000;

	while (fg_clock_ns(CLOCK_MONOTONIC) < end)
		;
}

static int slow_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	int result = fake_poll(fds, count, timeout);

	pass_2_ms();
	errno = EINTR;
	return result;
}

static void test_a_time_out_that_has_passed_is_nothing_more(void **state)
{
	(void)state;
	SCRIPT(OURS, GIVES(0));
	fg_real_waits_table.poll = slow_poll;
	assert_int_equal(poll(NULL, 0, 1), 0);
	fg_real_waits_table.poll = fake_poll;
	assert_int_equal(calls_ms[1], 0);
	assert_int_equal(script.calls, 2);
}

static void test_times_left_are_less_than_asked_for(void **state)
{
	const struct timespec hour = {3600, 0}, wrong = {1, 1000000000};

	(void)state;
	SCRIPT(OURS, GIVES(1));
	assert_int_equal(ppoll(NULL, 0, &hour, NULL), 1);
	assert_int_equal(times[0].tv_sec, 3600);
	assert_true(last_time != &hour);
	assert_in_range(times[1].tv_sec, 3500, 3599);
	SCRIPT(OURS, GIVES(1));
	assert_int_equal(ppoll(NULL, 0, NULL, NULL), 1);
	assert_null(last_time);
	SCRIPT(FAILS(EINVAL));
	assert_int_equal(ppoll(NULL, 0, &wrong, NULL), -1);
	assert_ptr_equal(last_time, &wrong);
}

static void test_select_goes_on_with_what_linux_wrote_back(void **state)
{
	struct timeval timeout = {9, 5}, zero = {0, 0};

	(void)state;
	SCRIPT(OURS, GIVES(1));
	assert_int_equal(select(0, NULL, NULL, NULL, &timeout), 1);
	assert_int_equal(times[1].tv_sec, 5);
	assert_int_equal(times[1].tv_nsec, 0);
	SCRIPT(OURS, GIVES(1));
	assert_int_equal(select(0, NULL, NULL, NULL, NULL), 1);
	SCRIPT(GIVES(0));
	assert_int_equal(select(0, NULL, NULL, NULL, &zero), 0);
	assert_int_equal(times[0].tv_nsec, 0);
}

static void test_sleeps_go_on_with_the_rest(void **state)
{
	struct timespec wanted = {20, 0}, left = {1, 1};

	(void)state;
	SCRIPT(OURS, OURS, GIVES(0));
	assert_int_equal(nanosleep(&wanted, &left), 0);
	assert_int_equal(script.calls, 3);
	assert_int_equal(times[1].tv_sec, 7);
	assert_int_equal(times[2].tv_nsec, 102);
	assert_int_equal(left.tv_sec, 1); /* only an interrupted sleep tells */
	assert_int_equal(errno, 12345);
	SCRIPT(OURS, PROGRAMS);
	assert_int_equal(nanosleep(&wanted, &left), -1);
	assert_int_equal(left.tv_sec, 7);
	assert_int_equal(left.tv_nsec, 102);
	SCRIPT(PROGRAMS);
	assert_int_equal(nanosleep(&wanted, NULL), -1);
}

static void test_clock_sleeps_return_their_error(void **state)
{
	struct timespec wanted = {20, 0}, left = {1, 1};

	(void)state;
	SCRIPT(OURS, PROGRAMS);
	assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, 0, &wanted, &left), EINTR);
	assert_int_equal(times[1].tv_sec, 3);
	assert_int_equal(left.tv_nsec, 502);
	left.tv_sec = 1;
	SCRIPT(OURS, PROGRAMS);
	assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wanted, &left), EINTR);
	assert_ptr_equal(last_time, &wanted);
	assert_int_equal(left.tv_sec, 1);
}

static void test_sleep_tells_whole_seconds(void **state)
{
	struct timespec wanted = {2, 0}, left;

	(void)state;
	SCRIPT(OURS, GIVES(0));
	assert_int_equal(sleep(30), 0);
	assert_int_equal(errno, 12345);
	SCRIPT(OURS, PROGRAMS);
	assert_int_equal(sleep(30), 7);
	SCRIPT(PROGRAMS);
	assert_int_equal(usleep(2500001), -1);
	assert_int_equal(times[0].tv_sec, 2);
	assert_int_equal(times[0].tv_nsec, 500001000);
	SCRIPT(OURS, PROGRAMS);
	assert_int_equal(thrd_sleep(&wanted, &left), -1);
	assert_int_equal(left.tv_sec, 3);
	SCRIPT(OURS, GIVES(0));
	assert_int_equal(thrd_sleep(&wanted, &left), 0);
}

static void test_absolute_times_stay(void **state)
{
	const struct timespec until = {5, 5}, relative = {5, 5};

	(void)state;
	SCRIPT(OURS, FAILS(ETIMEDOUT));
	assert_int_equal(sem_timedwait(&semaphore, &until), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_ptr_equal(last_time, &until);
	SCRIPT(OURS, GIVES(0));
	assert_int_equal(semtimedop(0, NULL, 0, &relative), 0);
	assert_true(last_time != &relative);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goes_on_after_our_signal),
		cmocka_unit_test(test_ends_with_the_programs_signal),
		cmocka_unit_test(test_ends_when_a_handler_ran_whatever_was_noted),
		cmocka_unit_test(test_interruptions_without_any_note_are_the_programs),
		cmocka_unit_test(test_other_errors_stay),
		cmocka_unit_test(test_unsampled_threads_are_left_alone),
		cmocka_unit_test(test_milliseconds_left_are_rounded_up),
		cmocka_unit_test(test_a_time_out_that_has_passed_is_nothing_more),
		cmocka_unit_test(test_times_left_are_less_than_asked_for),
		cmocka_unit_test(test_select_goes_on_with_what_linux_wrote_back),
		cmocka_unit_test(test_sleeps_go_on_with_the_rest),
		cmocka_unit_test(test_clock_sleeps_return_their_error),
		cmocka_unit_test(test_sleep_tells_whole_seconds),
		cmocka_unit_test(test_absolute_times_stay),
	};

	return cmocka_run_group_tests_name("interpose_wait", tests, set_up, tear_down);
}
