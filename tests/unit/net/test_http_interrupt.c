/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C ends whatever a request waits for. The flag is for a whole process: each has its own. */
#include "gate/base/error.h"
#include "gate/base/process/process.h"
#include "tests/unit/net/http_scene.h"

/* The server holds on without an end, our own limits are at 60 s. */
#define SOON_NS (4 * SCENE_SECOND_NS)

static void interrupt_parent_later(void)
{
	pid_t parent = getpid();

	if (fork() == 0) {
		usleep(300 * 1000);
		kill(parent, SIGINT);
		_exit(0);
	}
}

static int ask(unsigned port, const char *path)
{
	struct http_request request = {.attempts = 3,
		.timeout_ns = 60 * SCENE_SECOND_NS,
		.connect_timeout_ns = 60 * SCENE_SECOND_NS,
		.idle_timeout_ns = 60 * SCENE_SECOND_NS};
	struct outcome outcome = scene_send("http", port, path, request);
	int status = 0;

	if (outcome.rc != ERR_INTERRUPTED || !strstr(outcome.err.message, "interrupted"))
		status = 1;
	else if (outcome.wall_ns > SOON_NS)
		status = 2;
	else if (outcome.response.attempts != 1)
		status = 3;
	scene_release(&outcome);
	return status;
}

static void check_interrupted(unsigned port, const char *path, bool before)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		signal(SIGINT, SIG_DFL); /* a background shell ignores it */
		process_init();
		if (before)
			raise(SIGINT);
		else
			interrupt_parent_later();
		_exit(ask(port, path));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_waiting_for_a_connection_is_interrupted(void **state)
{
	(void)state;
	check_interrupted(scene.full, "/", false);
}

static void test_waiting_for_an_answer_is_interrupted(void **state)
{
	(void)state;
	check_interrupted(scene.mute, "/", false);
}

static void test_an_answer_on_its_way_is_interrupted(void **state)
{
	(void)state;
	check_interrupted(scene.http, "/drip", false);
}

static void test_a_refusal_on_its_way_is_interrupted(void **state)
{
	(void)state;
	check_interrupted(scene.http, "/drip?status=503", false);
}

static void test_waiting_for_the_next_attempt_is_interrupted(void **state)
{
	(void)state;
	check_interrupted(scene.http, "/status/503?Retry-After=29", false);
}

static void test_after_an_interruption_nothing_is_asked(void **state)
{
	(void)state;
	check_interrupted(scene.http, "/flaky/never?n=0&status=503", true);
	assert_int_equal(scene_count("never"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waiting_for_a_connection_is_interrupted),
		cmocka_unit_test(test_waiting_for_an_answer_is_interrupted),
		cmocka_unit_test(test_an_answer_on_its_way_is_interrupted),
		cmocka_unit_test(test_a_refusal_on_its_way_is_interrupted),
		cmocka_unit_test(test_waiting_for_the_next_attempt_is_interrupted),
		cmocka_unit_test(test_after_an_interruption_nothing_is_asked),
	};

	return cmocka_run_group_tests_name("http_interrupt", tests, scene_start, scene_stop);
}
