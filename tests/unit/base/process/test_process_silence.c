/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process/process_silence.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)
#define START (1000 * SECOND)
#define PATIENCE_ROUNDS 3000 /* of 10 ms */

/* ---- by a clock of our own ----------------------------------------------------------------- */

struct look {
	uint64_t second;
	struct process_signs signs;
	uint64_t silent_s;
};

static void assert_silences(const struct look *looks, size_t count)
{
	struct process_silence silence = {0};

	for (size_t i = 0; i < count; i++)
		assert_int_equal(process_silence_add(&silence, &looks[i].signs,
					 START + looks[i].second * SECOND),
			looks[i].silent_s * SECOND);
}

#define ASSERT_SILENCES(...)                                                                       \
	do {                                                                                       \
		const struct look looks[] = {__VA_ARGS__};                                         \
		assert_silences(looks, sizeof(looks) / sizeof(*looks));                            \
	} while (0)

static void test_silence_grows_until_a_byte_comes(void **state)
{
	(void)state;
	ASSERT_SILENCES({0, {true, 100, 0}, 0}, {10, {true, 100, 0}, 10}, {29, {true, 100, 0}, 29},
		{30, {true, 101, 0}, 0}, {59, {true, 101, 0}, 29}, {61, {true, 101, 0}, 31});
}

static void test_a_process_that_ends_is_a_sign_of_life(void **state)
{
	(void)state;
	ASSERT_SILENCES({0, {true, 100, SECOND}, 0}, {10, {true, 90, SECOND}, 0},
		{20, {true, 90, SECOND / 2}, 0}, {30, {true, 90, SECOND / 2}, 10});
}

static void test_computing_is_no_silence_but_waiting_in_a_loop_is(void **state)
{
	(void)state;
	ASSERT_SILENCES({0, {true, 1, 0}, 0}, {10, {true, 1, SECOND}, 0},
		{20, {true, 1, SECOND + SECOND / 10}, 10},
		{40, {true, 1, SECOND + SECOND / 4}, 30});
}

static void test_who_waits_for_no_server_is_never_silent(void **state)
{
	(void)state;
	ASSERT_SILENCES({0, {false, 1, 0}, 0}, {1000, {false, 1, 0}, 0}, {2000, {true, 1, 0}, 1000},
		{2001, {false, 1, 0}, 0});
}

/* ---- of real processes --------------------------------------------------------------------- */

static void rest(void)
{
	const struct timespec pause = {0, 10000000};

	nanosleep(&pause, NULL);
}

/* Two ends of a TCP connection. */
static void connect_ends(int ends[2])
{
	struct sockaddr_in place = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(place);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(listener, (void *)&place, sizeof(place)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (void *)&place, &length), 0);
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(ends[0], (void *)&place, sizeof(place)), 0);
	ends[1] = accept(listener, NULL, NULL);
	assert_true(ends[1] >= 0);
	close(listener);
}

/* Takes all by recv(), which /proc/PID/io does not count, and never sends. */
static pid_t fork_receiver(const int ends[2])
{
	char bytes[4096];
	int ready[2];
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[1]);
		close(ready[0]);
		close(ready[1]);
		while (recv(ends[0], bytes, sizeof(bytes), 0) > 0)
			;
		pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], bytes, 1), 0); /* it has its own end alone */
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_what_a_connection_carries_is_seen_from_outside(void **state)
{
	static const char bytes[1000];
	struct process_signs before = {0}, after = {0};
	int ends[2];
	pid_t pid;

	(void)state;
	connect_ends(ends);
	pid = fork_receiver(ends);
	process_signs_read(pid, &before);
	assert_true(before.waits);
	after = before;
	assert_int_equal(send(ends[1], bytes, sizeof(bytes), 0), sizeof(bytes));
	for (int round = 0; round < PATIENCE_ROUNDS && after.bytes == before.bytes; round++, rest())
		process_signs_read(pid, &after);
	assert_int_equal(after.bytes - before.bytes, sizeof(bytes));
	end(pid);
	close(ends[0]);
	close(ends[1]);
}

static void test_who_has_no_socket_waits_for_no_server(void **state)
{
	struct process_signs signs;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	process_signs_read(pid, &signs);
	assert_false(signs.waits);
	end(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silence_grows_until_a_byte_comes),
		cmocka_unit_test(test_a_process_that_ends_is_a_sign_of_life),
		cmocka_unit_test(test_computing_is_no_silence_but_waiting_in_a_loop_is),
		cmocka_unit_test(test_who_waits_for_no_server_is_never_silent),
		cmocka_unit_test(test_what_a_connection_carries_is_seen_from_outside),
		cmocka_unit_test(test_who_has_no_socket_waits_for_no_server),
	};

	return cmocka_run_group_tests_name("base/process_silence", tests, NULL, NULL);
}
