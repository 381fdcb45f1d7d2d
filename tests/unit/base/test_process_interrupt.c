/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The flag is for a whole process, so each scene plays in one of its own. */
static int play(int (*scene)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		signal(SIGINT, SIG_DFL); /* a background shell ignores it */
		process_init();
		_exit(scene());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__ % 90 + 1;                                                  \
	} while (0)

static int run_shell(struct process_options options, const char *script, struct strbuf *out)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	struct process_result result = {0};
	struct error err;

	options.argv = argv;
	options.capture = out;
	return process_run(&options, &result, &err);
}

static int scene_tree_is_killed(void)
{
	struct strbuf out = STRBUF_INIT;
	char parent[160];

	/* The grandchild leaves the session and the group, and tells us off once all is running. */
	snprintf(parent, sizeof(parent),
		"setsid sh -c 'trap \"\" TERM; echo $$; kill -INT %d; sleep 60; sleep 60' & wait",
		(int)getpid());
	REQUIRE(run_shell((struct process_options){0}, parent, &out) == ERR_INTERRUPTED);
	REQUIRE(process_interrupted() && process_interrupt_signal() == SIGINT);
	REQUIRE(out.length > 1 && kill((pid_t)strtol(out.data, NULL, 10), 0) < 0);
	REQUIRE(waitpid(-1, NULL, WNOHANG) < 0);
	strbuf_release(&out);
	return 0;
}

static int scene_nothing_starts_afterwards_but_the_cleaning_up(void)
{
	struct process_options cleaning = {.ignore_interrupt = true};
	struct strbuf out = STRBUF_INIT;

	raise(SIGTERM);
	REQUIRE(process_interrupt_signal() == SIGTERM);
	REQUIRE(run_shell((struct process_options){0}, "echo started", &out) == ERR_INTERRUPTED);
	REQUIRE(out.length == 0);
	REQUIRE(run_shell(cleaning, "sleep 0.1; echo cleaned", &out) == ERR_OK);
	REQUIRE(strcmp(out.data, "cleaned\n") == 0);
	strbuf_release(&out);
	return 0;
}

static int scene_first_signal_is_kept(void)
{
	raise(SIGHUP);
	raise(SIGINT);
	REQUIRE(process_interrupt_signal() == SIGHUP);
	return 0;
}

static int scene_ignored_by_the_shell_stays_ignored(void)
{
	signal(SIGHUP, SIG_IGN);
	process_init();
	raise(SIGHUP);
	REQUIRE(!process_interrupted());
	return 0;
}

static void test_interruption_kills_the_tree(void **state)
{
	(void)state;
	assert_int_equal(play(scene_tree_is_killed), 0);
}

static void test_after_an_interruption_only_cleaning_up_runs(void **state)
{
	(void)state;
	assert_int_equal(play(scene_nothing_starts_afterwards_but_the_cleaning_up), 0);
}

static void test_first_interrupting_signal_is_kept(void **state)
{
	(void)state;
	assert_int_equal(play(scene_first_signal_is_kept), 0);
}

static void test_ignored_hangup_stays_ignored(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		signal(SIGHUP, SIG_IGN);
		_exit(scene_ignored_by_the_shell_stays_ignored());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interruption_kills_the_tree),
		cmocka_unit_test(test_after_an_interruption_only_cleaning_up_runs),
		cmocka_unit_test(test_first_interrupting_signal_is_kept),
		cmocka_unit_test(test_ignored_hangup_stays_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
