/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process/keeper.h"

#include "gate/base/error.h"
#include "gate/base/file.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_ROUNDS 3000 /* of 10 ms */

static char folder[] = "/tmp/flamegate-keeper-XXXXXX";

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int end(void **state)
{
	(void)state;
	return chdir("/") || file_remove_tree(folder, NULL);
}

static void rest(void)
{
	const struct timespec pause = {0, 10000000};

	nanosleep(&pause, NULL);
}

static struct process_options shell(const char *script)
{
	static const char *argv[] = {"sh", "-c", NULL, NULL};

	argv[2] = script;
	return (struct process_options){.argv = argv};
}

static void assert_no_children(void)
{
	siginfo_t info;

	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), -1);
	assert_int_equal(errno, ECHILD);
}

/* The number in a file that a script writes; waits until it is there. */
static pid_t pid_in(const char *name)
{
	for (int round = 0; round < PATIENCE_ROUNDS; round++, rest()) {
		FILE *file = fopen(name, "re");
		int pid = 0, found = file ? fscanf(file, "%d;", &pid) : 0;

		if (file)
			fclose(file);
		if (found == 1 && pid > 0)
			return pid;
	}
	fail_msg("%s was never written", name);
	return 0;
}

/* The third field behind the name; 'X' when it is gone. */
static char state_of(pid_t pid)
{
	char path[64], state = 'X';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return state;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'X';
	fclose(file);
	return state;
}

static bool is_dead(pid_t pid)
{
	char state = state_of(pid);

	return state == 'X' || state == 'Z';
}

static void assert_dies(pid_t pid)
{
	for (int round = 0; round < PATIENCE_ROUNDS; round++, rest())
		if (is_dead(pid))
			return;
	fail_msg("process %d is still there, in state %c", (int)pid, state_of(pid));
}

static void test_a_kept_run_is_reported_as_any_other(void **state)
{
	struct process_options options =
		shell("i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; (exit 0) & exit 7");
	struct process_result result = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(keeper_run(&options, &result, &err), ERR_OK);
	assert_int_equal(result.exit_status, 7);
	assert_true(result.cpu_ns > 1000000);
	assert_true(result.wall_ns >= result.cpu_ns / 2);
	assert_no_children();
}

static void test_what_cannot_be_started_is_said(void **state)
{
	const char *argv[] = {"flamegate-no-such-program", NULL};
	struct process_options options = {.argv = argv};
	struct process_result result;
	struct error err = {0};

	(void)state;
	assert_int_equal(keeper_run(&options, &result, &err), ERR_TOOL);
	assert_non_null(strstr(err.message, "flamegate-no-such-program"));
	assert_no_children();
}

static void test_two_runs_go_on_at_the_same_time(void **state)
{
	/* Each waits for the other's file: one after the other they would never end. */
	struct process_options first =
		shell("touch a; while [ ! -e b ]; do sleep 0.01; done; exit 1");
	struct keeper *one = NULL, *two = NULL;
	struct process_result result = {0};
	struct process_options second;
	struct error err = {0};

	(void)state;
	assert_int_equal(keeper_start(&first, &one, &err), ERR_OK);
	second = shell("touch b; while [ ! -e a ]; do sleep 0.01; done; exit 2");
	assert_int_equal(keeper_start(&second, &two, &err), ERR_OK);
	assert_int_equal(keeper_finish(one, &result, &err), ERR_OK);
	assert_int_equal(result.exit_status, 1);
	assert_int_equal(keeper_finish(two, &result, &err), ERR_OK);
	assert_int_equal(result.exit_status, 2);
	keeper_free(one);
	keeper_free(two);
	assert_no_children();
}

/* A child that leaves the session, and one that stands still. */
#define FAMILY                                                                                     \
	"setsid sh -c 'echo \"$$;\" >leaver.new; mv leaver.new leaver; exec sleep 1000' &"         \
	"sh -c 'echo \"$$;\" >stopped.new; mv stopped.new stopped; kill -STOP $$; exec sleep "     \
	"1000' & echo \"$$;\" >parent.new; mv parent.new parent; wait; wait"

static const char *const family[] = {"leaver", "stopped", "parent"};

static void remove_family(void)
{
	for (size_t i = 0; i < 3; i++)
		unlink(family[i]);
}

static void test_freeing_kills_all_at_once(void **state)
{
	struct process_options options = shell(FAMILY);
	struct keeper *keeper = NULL;
	struct error err = {0};
	pid_t pids[3];

	(void)state;
	remove_family();
	assert_int_equal(keeper_start(&options, &keeper, &err), ERR_OK);
	for (size_t i = 0; i < 3; i++)
		pids[i] = pid_in(family[i]);
	keeper_free(keeper);
	for (size_t i = 0; i < 3; i++)
		assert_true(is_dead(pids[i]));
	assert_no_children();
}

static void test_a_stopped_keeper_ends_all_the_same(void **state)
{
	struct process_options options = shell("exec sleep 1000");
	struct keeper *keeper = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(keeper_start(&options, &keeper, &err), ERR_OK);
	kill(keeper_pid(keeper), SIGSTOP);
	alarm(60); /* it would never come back */
	keeper_free(keeper);
	alarm(0);
	assert_no_children();
}

static void test_a_copy_of_our_end_of_the_lifeline_holds_nothing_up(void **state)
{
	struct process_options options = shell("exec sleep 1000");
	struct keeper *keeper = NULL;
	struct error err = {0};
	pid_t copy;

	(void)state;
	assert_int_equal(keeper_start(&options, &keeper, &err), ERR_OK);
	copy = fork();
	if (copy == 0) {
		pause();
		_exit(0);
	}
	alarm(60);
	keeper_free(keeper);
	kill(copy, SIGKILL);
	waitpid(copy, NULL, 0); /* it looks like an orphan of the run, and may be gone */
	alarm(0);
	assert_no_children();
}

/* As flamegate does: starts a run and waits; says who the keeper is. */
static pid_t fork_owner(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct process_options options = shell(FAMILY);
		struct process_result result;
		struct keeper *keeper = NULL;
		struct error err = {0};
		FILE *file;

		if (keeper_start(&options, &keeper, &err))
			_exit(1);
		file = fopen("keeper.new", "we");
		fprintf(file, "%d;", (int)keeper_pid(keeper));
		fclose(file);
		rename("keeper.new", "keeper");
		_exit(keeper_finish(keeper, &result, &err) == ERR_IO ? 42 : 1);
	}
	return pid;
}

static void test_when_we_are_killed_nothing_stays(void **state)
{
	pid_t pids[3], keeper, owner;

	(void)state;
	remove_family();
	unlink("keeper");
	owner = fork_owner();
	keeper = pid_in("keeper");
	for (size_t i = 0; i < 3; i++)
		pids[i] = pid_in(family[i]);
	assert_false(is_dead(pids[0]));
	kill(owner, SIGKILL);
	assert_int_equal(waitpid(owner, NULL, 0), owner);
	for (size_t i = 0; i < 3; i++)
		assert_dies(pids[i]);
	assert_dies(keeper);
	waitpid(keeper, NULL, 0); /* ours, if we are a subreaper by now */
}

static void test_when_the_keeper_is_killed_its_run_is_killed_and_does_not_count(void **state)
{
	pid_t pids[3], keeper, owner;
	int status = 0;

	(void)state;
	remove_family();
	unlink("keeper");
	owner = fork_owner();
	keeper = pid_in("keeper");
	for (size_t i = 0; i < 3; i++)
		pids[i] = pid_in(family[i]);
	kill(keeper, SIGKILL);
	assert_int_equal(waitpid(owner, &status, 0), owner);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
	for (size_t i = 0; i < 3; i++)
		assert_true(is_dead(pids[i]));
}

static void test_a_killed_keeper_leaves_other_runs_alone(void **state)
{
	struct process_options first = shell("exec sleep 1000"), second;
	struct keeper *one = NULL, *two = NULL;
	struct process_result result = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(keeper_start(&first, &one, &err), ERR_OK);
	second = shell("sleep 0.3; exit 5");
	assert_int_equal(keeper_start(&second, &two, &err), ERR_OK);
	kill(keeper_pid(one), SIGKILL);
	assert_int_equal(keeper_finish(one, &result, &err), ERR_IO);
	assert_int_equal(keeper_finish(two, &result, &err), ERR_OK);
	assert_int_equal(result.exit_status, 5);
	keeper_free(one);
	keeper_free(two);
	assert_no_children();
}

/* ---- a keeper that is stopped -------------------------------------------------------------- */

#define STOPS_ITS_PARENT "kill -STOP $PPID; "

static void test_a_benchmark_that_stops_its_parent_ends_and_is_named(void **state)
{
	struct process_options options =
		shell(STOPS_ITS_PARENT "setsid sleep 1000 & exec sleep 1000");
	struct process_result result;
	struct error err = {0};

	(void)state;
	alarm(60); /* it would never come back */
	assert_int_equal(keeper_run(&options, &result, &err), ERR_BENCHMARK);
	alarm(0);
	assert_non_null(strstr(err.message, "the process that watches sh was stopped"));
	assert_no_children();
}

static void test_what_has_ended_before_its_stopped_keeper_saw_it_does_not_count(void **state)
{
	struct process_options options = shell(STOPS_ITS_PARENT "exit 0");
	struct process_result result;
	struct error err = {0};

	(void)state;
	alarm(60);
	assert_int_equal(keeper_run(&options, &result, &err), ERR_BENCHMARK);
	alarm(0);
	assert_no_children();
}

static void await_state(pid_t pid, bool stopped)
{
	for (int round = 0; round < PATIENCE_ROUNDS; round++, rest())
		if ((state_of(pid) == 'T') == stopped)
			return;
	fail_msg("process %d is in state %c", (int)pid, state_of(pid));
}

/* Such as by a debugger, or by somebody who stops and continues all of a job. */
static void test_a_keeper_that_goes_on_is_left_alone(void **state)
{
	struct process_options options = shell("until [ -e go ]; do sleep 0.01; done; exit 3");
	struct process_result result = {0};
	struct keeper *keeper = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(keeper_start(&options, &keeper, &err), ERR_OK);
	for (int i = 0; i < 2; i++) {
		kill(keeper_pid(keeper), SIGSTOP);
		await_state(keeper_pid(keeper), true);
		assert_false(keeper_is_stopped(keeper));
		kill(keeper_pid(keeper), SIGCONT);
		await_state(keeper_pid(keeper), false);
		for (int round = 0; round < 30; round++, rest())
			assert_false(keeper_is_stopped(keeper));
	}
	fclose(fopen("go", "we"));
	assert_int_equal(keeper_finish(keeper, &result, &err), ERR_OK);
	assert_int_equal(result.exit_status, 3);
	keeper_free(keeper);
	assert_no_children();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_kept_run_is_reported_as_any_other),
		cmocka_unit_test(test_what_cannot_be_started_is_said),
		cmocka_unit_test(test_two_runs_go_on_at_the_same_time),
		cmocka_unit_test(test_freeing_kills_all_at_once),
		cmocka_unit_test(test_a_stopped_keeper_ends_all_the_same),
		cmocka_unit_test(test_a_copy_of_our_end_of_the_lifeline_holds_nothing_up),
		cmocka_unit_test(test_when_we_are_killed_nothing_stays),
		cmocka_unit_test(
			test_when_the_keeper_is_killed_its_run_is_killed_and_does_not_count),
		cmocka_unit_test(test_a_benchmark_that_stops_its_parent_ends_and_is_named),
		cmocka_unit_test(
			test_what_has_ended_before_its_stopped_keeper_saw_it_does_not_count),
		cmocka_unit_test(test_a_keeper_that_goes_on_is_left_alone),
		cmocka_unit_test(test_a_killed_keeper_leaves_other_runs_alone),
	};

	return cmocka_run_group_tests_name("base/keeper", tests, begin, end);
}
