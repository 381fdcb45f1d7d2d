/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers that are cut short, against a C library that cuts them as the test says. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gate/sampler/waits/real_waits.h"
#include "tests/unit/sampler/fake_waits.h"

static int ends[2], file_fd, zero_fd;
static char bytes[100];
static struct {
	const void *bytes;
	size_t count;
} asked[MAX_STEPS];

static long ask(const void *from, size_t count)
{
	asked[script.calls].bytes = from;
	asked[script.calls].count = count;
	return play();
}

static ssize_t fake_write(int fd, const void *from, size_t count)
{
	(void)fd;
	return ask(from, count);
}

static ssize_t fake_read(int fd, void *to, size_t count)
{
	(void)fd;
	return ask(to, count);
}

static ssize_t fake_writev(int fd, const struct iovec *parts, int count)
{
	(void)fd;
	return ask(parts, (size_t)count);
}

static ssize_t fake_send(int fd, const void *from, size_t count, int flags)
{
	(void)fd, (void)flags;
	return ask(from, count);
}

static ssize_t fake_recv(int fd, void *to, size_t count, int flags)
{
	(void)fd, (void)flags;
	return ask(to, count);
}

static ssize_t fake_getrandom(void *to, size_t count, unsigned flags)
{
	(void)flags;
	return ask(to, count);
}

static int fake_connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t length)
{
	(void)fd, (void)address, (void)length;
	return (int)play();
}

static int set_up(void **state)
{
	(void)state;
	zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	file_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	fg_real_waits();
	fg_real_waits_table.write = fake_write;
	fg_real_waits_table.read = fake_read;
	fg_real_waits_table.writev = fake_writev;
	fg_real_waits_table.send = fake_send;
	fg_real_waits_table.recv = fake_recv;
	fg_real_waits_table.getrandom = fake_getrandom;
	fg_real_waits_table.connect = fake_connect;
	return zero_fd < 0 || file_fd < 0 || pipe(ends) != 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	return close(ends[0]) || close(ends[1]) || close(file_fd) || close(zero_fd);
}

static void test_a_cut_write_goes_on(void **state)
{
	(void)state;
	SCRIPT(CUT(10), OURS, CUT(30), GIVES(60));
	assert_int_equal(write(ends[1], bytes, 100), 100);
	assert_int_equal(script.calls, 4);
	assert_ptr_equal(asked[3].bytes, bytes + 40);
	assert_int_equal(asked[3].count, 60);
	assert_int_equal(errno, 12345);
}

static void test_a_short_write_of_another_reason_stays(void **state)
{
	(void)state;
	SCRIPT(GIVES(10));
	assert_int_equal(write(ends[1], bytes, 100), 10);
	SCRIPT({.result = 10, .ours = true, .program = true});
	assert_int_equal(write(ends[1], bytes, 100), 10);
	SCRIPT(CUT(10), GIVES(20));
	assert_int_equal(write(ends[1], bytes, 100), 30);
	assert_int_equal(script.calls, 2);
}

static void test_an_error_in_the_rest_leaves_what_was_moved(void **state)
{
	(void)state;
	SCRIPT(CUT(10), FAILS(EAGAIN));
	assert_int_equal(write(ends[1], bytes, 100), 10);
	assert_int_equal(errno, 12345);
	SCRIPT(CUT(10), PROGRAMS);
	assert_int_equal(write(ends[1], bytes, 100), 10);
}

static void test_files_are_not_written_twice(void **state)
{
	(void)state;
	SCRIPT(CUT(10), GIVES(90));
	assert_int_equal(write(file_fd, bytes, 100), 10);
	assert_int_equal(script.calls, 1);
}

static void test_parts_are_gone_through_in_order(void **state)
{
	const struct iovec parts[] = {
		{bytes, 10}, {bytes + 10, 0}, {bytes + 20, 30}, {bytes + 60, 40}};

	(void)state;
	SCRIPT(CUT(15), CUT(5), GIVES(20), GIVES(40));
	assert_int_equal(writev(ends[1], parts, 4), 80);
	assert_ptr_equal(asked[1].bytes, bytes + 25);
	assert_int_equal(asked[1].count, 25);
	assert_ptr_equal(asked[2].bytes, bytes + 30);
	assert_ptr_equal(asked[3].bytes, bytes + 60);
	assert_int_equal(asked[3].count, 40);
	SCRIPT(CUT(10), GIVES(30), GIVES(8));
	assert_int_equal(writev(ends[1], parts, 4), 48);
}

static void test_reads_go_on_from_memory_devices_alone(void **state)
{
	(void)state;
	SCRIPT(CUT(10), GIVES(90));
	assert_int_equal(read(ends[0], bytes, 100), 10);
	SCRIPT(CUT(10), GIVES(90));
	assert_int_equal(read(zero_fd, bytes, 100), 100);
	SCRIPT(CUT(10), GIVES(90));
	assert_int_equal(getrandom(bytes, 100, 0), 100);
}

static void test_receives_go_on_when_they_wait_for_all(void **state)
{
	(void)state;
	SCRIPT(CUT(10), GIVES(90));
	assert_int_equal(recv(ends[0], bytes, 100, 0), 10);
	SCRIPT(CUT(10), GIVES(90));
	assert_int_equal(recv(ends[0], bytes, 100, MSG_WAITALL), 100);
	SCRIPT(CUT(10), GIVES(90));
	assert_int_equal(recv(ends[0], bytes, 100, MSG_WAITALL | MSG_PEEK), 10);
	SCRIPT(OURS, CUT(10), GIVES(90));
	assert_int_equal(send(ends[1], bytes, 100, 0), 100);
}

/* A peer that has gone: recv() gives 0, and that is the end. */
static void test_the_end_of_a_stream_ends_it(void **state)
{
	(void)state;
	SCRIPT(CUT(10), GIVES(0));
	assert_int_equal(recv(ends[0], bytes, 100, MSG_WAITALL), 10);
	assert_int_equal(script.calls, 2);
}

static void test_connect_tells_what_the_first_attempt_would(void **state)
{
	(void)state;
	SCRIPT(OURS, FAILS(EISCONN));
	assert_int_equal(connect(0, NULL, 0), 0);
	assert_int_equal(errno, 12345);
	SCRIPT(OURS, FAILS(EALREADY));
	assert_int_equal(connect(0, NULL, 0), -1);
	assert_int_equal(errno, EINPROGRESS);
	SCRIPT(FAILS(EISCONN));
	assert_int_equal(connect(0, NULL, 0), -1);
	assert_int_equal(errno, EISCONN);
	SCRIPT(FAILS(EALREADY));
	assert_int_equal(connect(0, NULL, 0), -1);
	assert_int_equal(errno, EALREADY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cut_write_goes_on),
		cmocka_unit_test(test_a_short_write_of_another_reason_stays),
		cmocka_unit_test(test_an_error_in_the_rest_leaves_what_was_moved),
		cmocka_unit_test(test_files_are_not_written_twice),
		cmocka_unit_test(test_parts_are_gone_through_in_order),
		cmocka_unit_test(test_reads_go_on_from_memory_devices_alone),
		cmocka_unit_test(test_receives_go_on_when_they_wait_for_all),
		cmocka_unit_test(test_the_end_of_a_stream_ends_it),
		cmocka_unit_test(test_connect_tells_what_the_first_attempt_would),
	};

	return cmocka_run_group_tests_name("interpose_transfer", tests, set_up, tear_down);
}
