/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process/process.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/base/error.h"

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

/* As at a terminal, where the program gets the SIGINT too and may end in its own way. */
static int scene_own_terminal(void)
{
	const char *argv[] = {"sh", "-c", NULL, NULL};
	struct process_options options = {.argv = argv, .inherit_stdio = true};
	struct process_result result = {0};
	char script[160];

	snprintf(script, sizeof(script), "trap 'exit 9' TERM; kill -INT %d; sleep 0.2; exit 7",
		(int)getpid());
	argv[2] = script;
	REQUIRE(process_run(&options, &result, NULL) == ERR_INTERRUPTED);
	REQUIRE(result.exit_status == 7);
	return 0;
}

static int scene_own_terminal_but_deaf(void)
{
	const char *argv[] = {"sh", "-c", NULL, NULL};
	struct process_options options = {.argv = argv, .inherit_stdio = true};
	struct process_result result = {0};
	char script[160];

	snprintf(script, sizeof(script), "trap '' TERM INT; kill -INT %d; sleep 60; sleep 60",
		(int)getpid());
	argv[2] = script;
	REQUIRE(process_run(&options, &result, NULL) == ERR_INTERRUPTED);
	REQUIRE(result.signal == SIGKILL);
	REQUIRE(waitpid(-1, NULL, WNOHANG) < 0);
	return 0;
}

static void test_program_on_our_terminal_may_end_in_its_own_way(void **state)
{
	(void)state;
	assert_int_equal(play(scene_own_terminal), 0);
}

static void test_deaf_program_on_our_terminal_is_killed(void **state)
{
	(void)state;
	assert_int_equal(play(scene_own_terminal_but_deaf), 0);
}

static void test_child_dies_with_us(void **state)
{
	char script[64], text[32] = "";
	int ends[2], status;
	pid_t pid, child;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		snprintf(script, sizeof(script), "echo $$ >/proc/%d/fd/%d; exec sleep 60",
			(int)getpid(), ends[1]);
		run_shell((struct process_options){0}, script, NULL);
		_exit(0);
	}
	assert_true(read(ends[0], text, sizeof(text) - 1) > 1);
	child = (pid_t)strtol(text, NULL, 10);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(ends[0]);
	close(ends[1]);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
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
		cmocka_unit_test(test_program_on_our_terminal_may_end_in_its_own_way),
		cmocka_unit_test(test_deaf_program_on_our_terminal_is_killed),
		cmocka_unit_test(test_child_dies_with_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
