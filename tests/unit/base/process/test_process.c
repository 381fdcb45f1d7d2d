/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process/process.h"

#include "gate/base/error.h"
#include "gate/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MILLISECOND_NS 1000000ULL

struct outcome {
	int rc;
	struct process_result result;
	struct strbuf out, errors;
	struct error err;
};

static struct outcome run(struct process_options options)
{
	struct outcome outcome = {.out = STRBUF_INIT, .errors = STRBUF_INIT};

	if (!options.output_path)
		options.capture = &outcome.out;
	outcome.rc = process_run(&options, &outcome.result, &outcome.err);
	return outcome;
}

static struct outcome shell_with(struct process_options options, const char *script)
{
	const char *argv[] = {"sh", "-c", script, NULL};

	options.argv = argv;
	return run(options);
}

static struct outcome shell(const char *script)
{
	return shell_with((struct process_options){0}, script);
}

static void drop(struct outcome *outcome)
{
	strbuf_release(&outcome->out);
	strbuf_release(&outcome->errors);
}

static bool alive(const char *pid_text)
{
	return kill((pid_t)strtol(pid_text, NULL, 10), 0) == 0;
}

static void assert_no_children(void)
{
	siginfo_t info;

	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_exit_status_is_reported(void **state)
{
	(void)state;
	for (int status = 0; status < 256; status += 51) {
		char script[32];
		struct outcome outcome;

		snprintf(script, sizeof(script), "exit %d", status);
		outcome = shell(script);
		assert_int_equal(outcome.rc, ERR_OK);
		assert_int_equal(outcome.result.exit_status, status);
		assert_int_equal(outcome.result.signal, 0);
		assert_int_equal(outcome.result.reaped, 1);
		assert_true(outcome.result.wall_ns > 0);
		drop(&outcome);
	}
}

static void test_signal_is_reported(void **state)
{
	struct outcome outcome = shell("kill -KILL $$");

	(void)state;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_int_equal(outcome.result.exit_status, -1);
	assert_int_equal(outcome.result.signal, SIGKILL);
	assert_string_equal(process_result_text(&outcome.result), "was killed by SIGKILL (9)");
	drop(&outcome);
}

static void test_missing_program_is_a_tool_error(void **state)
{
	const char *argv[] = {"flamegate-no-such-program", NULL};
	struct outcome outcome = run((struct process_options){.argv = argv});

	(void)state;
	assert_int_equal(outcome.rc, ERR_TOOL);
	assert_non_null(strstr(outcome.err.message, "flamegate-no-such-program"));
	argv[0] = "/no/such/file";
	outcome = run((struct process_options){.argv = argv});
	assert_int_equal(outcome.rc, ERR_TOOL);
	argv[0] = "";
	outcome = run((struct process_options){.argv = argv});
	assert_int_equal(outcome.rc, ERR_TOOL);
	assert_no_children();
}

static void test_what_cannot_be_executed_is_an_io_error(void **state)
{
	const char *argv[] = {"/etc/passwd", NULL};
	struct outcome outcome = run((struct process_options){.argv = argv});

	(void)state;
	assert_int_equal(outcome.rc, ERR_IO);
	assert_non_null(strstr(outcome.err.message, "Permission denied"));
	argv[0] = "true";
	outcome = run((struct process_options){.argv = argv, .directory = "/no/such/folder"});
	assert_int_equal(outcome.rc, ERR_IO);
	assert_non_null(strstr(outcome.err.message, "/no/such/folder"));
}

static void test_path_of_the_given_environment_decides(void **state)
{
	const char *env[] = {"PATH=:relative:/no/such", NULL};
	struct outcome outcome = shell_with((struct process_options){.env = env}, "true");

	(void)state;
	assert_int_equal(outcome.rc, ERR_TOOL);
}

static void test_closed_folders_in_path_are_skipped(void **state)
{
	const char *argv[] = {"flamegate-no-such-program", NULL}, *env[] = {NULL, NULL};
	struct process_options options = {.argv = argv, .env = env};
	struct strbuf path = STRBUF_INIT;
	int status;
	char *dir;
	pid_t pid;

	(void)state;
	assert_int_equal(file_make_temp_dir(NULL, "fg-process-", &dir, NULL), ERR_OK);
	strbuf_addf(&path, "PATH=%s", dir);
	env[0] = path.data;
	assert_int_equal(chmod(dir, 0), 0);
	pid = fork();
	if (pid == 0) {
		/* Root may enter any folder. */
		if (geteuid() == 0 && setuid(65534) < 0)
			_exit(99);
		_exit(run(options).rc);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), ERR_TOOL);
	assert_int_equal(file_remove_tree(dir, NULL), ERR_OK);
	strbuf_release(&path);
	free(dir);
}

static void test_relative_path_entries_are_skipped(void **state)
{
	const char *env[] = {"PATH=.::", NULL};
	const char *argv[] = {"sh", "-c", "true", NULL};
	struct process_options options = {.argv = argv, .env = env, .directory = "/bin"};
	struct outcome outcome = run(options);

	(void)state;
	assert_int_equal(outcome.rc, ERR_TOOL);
}

static void test_environment_is_exact(void **state)
{
	const char *env[] = {"B=2 3", "A=x\ny", NULL};
	const char *argv[] = {"env", "-0", NULL};
	struct outcome outcome = run((struct process_options){.argv = argv, .env = env});

	(void)state;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_int_equal(outcome.out.length, 12);
	assert_memory_equal(outcome.out.data, "B=2 3\0A=x\ny\0", 12);
	drop(&outcome);
}

static void test_input_reaches_stdin_and_default_is_empty(void **state)
{
	size_t length = 3 * 1000 * 1000;
	char *data = calloc(1, length);
	struct process_options options = {.input = data, .input_length = length};
	struct outcome outcome;

	(void)state;
	assert_non_null(data);
	data[length - 1] = 'x';
	outcome = shell_with(options, "cat");
	assert_int_equal(outcome.rc, ERR_OK);
	assert_int_equal(outcome.out.length, length);
	assert_memory_equal(outcome.out.data, data, length);
	drop(&outcome);
	free(data);
	outcome = shell("cat");
	assert_int_equal(outcome.out.length, 0);
	drop(&outcome);
}

static void test_stderr_goes_with_stdout_unless_asked_for(void **state)
{
	struct outcome outcome = shell("echo out; echo err >&2");
	struct strbuf errors = STRBUF_INIT;

	(void)state;
	assert_string_equal(outcome.out.data, "out\nerr\n");
	drop(&outcome);
	outcome = shell_with(
		(struct process_options){.capture_stderr = &errors}, "echo out; echo err >&2");
	assert_string_equal(outcome.out.data, "out\n");
	assert_string_equal(errors.data, "err\n");
	strbuf_release(&errors);
	drop(&outcome);
}

static void test_output_file_holds_both_streams_and_no_link_is_followed(void **state)
{
	struct strbuf text = STRBUF_INIT;
	char *dir, *path, *link;
	struct outcome outcome;

	(void)state;
	assert_int_equal(file_make_temp_dir(NULL, "fg-process-", &dir, NULL), ERR_OK);
	path = file_join(dir, "output");
	link = file_join(dir, "link");
	outcome =
		shell_with((struct process_options){.output_path = path}, "echo out; echo err >&2");
	assert_int_equal(outcome.rc, ERR_OK);
	assert_int_equal(file_read(path, 100, &text, NULL), ERR_OK);
	assert_string_equal(text.data, "out\nerr\n");
	assert_int_equal(symlink("output", link), 0);
	outcome = shell_with((struct process_options){.output_path = link}, "echo evil");
	assert_int_equal(outcome.rc, ERR_IO);
	strbuf_release(&text);
	assert_int_equal(file_remove_tree(dir, NULL), ERR_OK);
	free(dir);
	free(path);
	free(link);
}

static void test_output_past_the_limit_kills_the_program(void **state)
{
	struct process_options options = {.capture_limit = 1000};
	struct outcome outcome = shell_with(options, "while :; do echo 0123456789; done");

	(void)state;
	assert_int_equal(outcome.rc, ERR_LIMIT);
	assert_int_equal(outcome.out.length, 1000);
	assert_int_equal(outcome.result.signal, SIGKILL);
	assert_no_children();
	drop(&outcome);
	outcome = shell_with((struct process_options){.capture_limit = 6}, "echo 12345");
	assert_int_equal(outcome.rc, ERR_OK);
	assert_string_equal(outcome.out.data, "12345\n");
	drop(&outcome);
}

static void test_no_descriptor_leaks_into_the_child(void **state)
{
	int leak = open("/dev/null", O_RDONLY); /* not close-on-exec, on purpose */
	int copy = dup2(leak, 57);
	struct strbuf errors = STRBUF_INIT;
	struct outcome outcome;

	(void)state;
	assert_int_equal(copy, 57);
	/* 3 is what ls has the folder open with. */
	outcome = shell_with(
		(struct process_options){.capture_stderr = &errors}, "exec ls /proc/self/fd");
	assert_string_equal(outcome.out.data, "0\n1\n2\n3\n");
	close(leak);
	close(copy);
	strbuf_release(&errors);
	drop(&outcome);
}

static void test_signals_are_back_to_default_in_the_child(void **state)
{
	struct outcome outcome = shell("grep -E '^Sig(Ign|Blk)' /proc/self/status | cut -f 2");

	(void)state;
	/* 32 and 33 are glibc's own: its posix_spawn(), by which make starts us, leaves them
	 * ignored. */
	for (char *line = outcome.out.data; *line; line = strchr(line, '\n') + 1)
		assert_int_equal(strtoull(line, NULL, 16) & ~UINT64_C(0x180000000), 0);
	assert_int_equal(outcome.out.length, 34);
	drop(&outcome);
}

static void test_child_has_its_own_session_without_a_terminal(void **state)
{
	struct outcome outcome = shell("cut -d ' ' -f 5-7 /proc/$$/stat; echo $$");
	char expected[64], *newline;
	long pid;

	(void)state;
	newline = strchr(outcome.out.data, '\n');
	assert_non_null(newline);
	pid = strtol(newline, NULL, 10);
	snprintf(expected, sizeof(expected), "%ld %ld 0\n%ld\n", pid, pid, pid);
	assert_string_equal(outcome.out.data, expected);
	drop(&outcome);
}

static void test_cpu_set_is_applied(void **state)
{
	cpu_set_t ours, one;
	struct outcome outcome;
	char expected[32];
	size_t cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
	while (!CPU_ISSET(cpu, &ours))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	outcome = shell_with((struct process_options){.cpus = &one},
		"grep Cpus_allowed_list /proc/self/status | cut -f 2");
	snprintf(expected, sizeof(expected), "%zu\n", cpu);
	assert_string_equal(outcome.out.data, expected);
	drop(&outcome);
}

static void limit_files(void *data)
{
	struct rlimit limit = {*(rlim_t *)data, *(rlim_t *)data};

	setrlimit(RLIMIT_NOFILE, &limit);
}

static void test_prepare_runs_in_the_child_only(void **state)
{
	rlim_t files = 77;
	struct outcome outcome =
		shell_with((struct process_options){.prepare = limit_files, .prepare_data = &files},
			"ulimit -n");
	struct rlimit ours;

	(void)state;
	assert_string_equal(outcome.out.data, "77\n");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &ours), 0);
	assert_true(ours.rlim_cur != 77);
	drop(&outcome);
}

static void test_timeout_kills_what_called_setsid_and_ignores_sigterm(void **state)
{
	struct process_options options = {.timeout_ns = 1500 * MILLISECOND_NS};
	struct outcome outcome = shell_with(options,
		"trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$; sleep 60 & wait; sleep 60' &"
		"wait; sleep 60");

	(void)state;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_true(outcome.result.timed_out);
	assert_int_equal(outcome.result.signal, SIGKILL);
	assert_string_equal(process_result_text(&outcome.result),
		"was killed by SIGKILL (9) after the time limit");
	assert_true(outcome.out.length > 1);
	assert_false(alive(outcome.out.data));
	assert_no_children();
	drop(&outcome);
}

static void test_timeout_lets_a_program_end_in_its_own_way(void **state)
{
	struct process_options options = {.timeout_ns = 1500 * MILLISECOND_NS};
	struct outcome outcome =
		shell_with(options, "trap 'echo bye; exit 7' TERM; sleep 60 & wait");

	(void)state;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_true(outcome.result.timed_out);
	assert_int_equal(outcome.result.exit_status, 7);
	assert_string_equal(outcome.out.data, "bye\n");
	drop(&outcome);
}

static void test_a_child_that_stays_stopped_is_killed_and_named(void **state)
{
	struct process_options options = {.stopped_ns = 300 * MILLISECOND_NS};
	struct outcome outcome =
		shell_with(options, "sh -c 'kill -STOP $PPID; exec sleep 1000'; :");

	(void)state;
	assert_int_equal(outcome.rc, ERR_BENCHMARK);
	assert_non_null(strstr(outcome.err.message, "sh was stopped by a signal"));
	assert_no_children();
	drop(&outcome);
}

/* However long it stands in all: no stop is longer than it is continued after. */
static void test_a_child_that_is_continued_goes_on(void **state)
{
	struct process_options options = {.stopped_ns = 60000 * MILLISECOND_NS};
	struct outcome outcome = shell_with(options,
		"sh -c 'for i in 1 2 3; do kill -STOP $PPID; sleep 0.1; kill -CONT $PPID; done';"
		"exit 5");

	(void)state;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_int_equal(outcome.result.exit_status, 5);
	drop(&outcome);
}

static void test_orphan_is_reaped_and_its_cpu_time_counted(void **state)
{
	/* The daemon outlives its parent and the child, then burns CPU time, and ends by itself. */
	struct outcome outcome = shell("(setsid sh -c 'sleep 0.2; i=0; while [ $i -lt 50000 ];"
				       "do i=$((i+1)); done' &) ; exit 4");

	(void)state;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_int_equal(outcome.result.exit_status, 4);
	assert_int_equal(outcome.result.reaped, 2);
	assert_int_equal(outcome.result.killed, 0);
	assert_true(outcome.result.cpu_ns > 5 * MILLISECOND_NS);
	assert_no_children();
	drop(&outcome);
}

static void test_daemon_that_stays_is_killed_after_the_grace_time(void **state)
{
	struct outcome outcome = shell("(setsid sh -c 'echo $$; exec sleep 60' &); exit 0");

	(void)state;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_int_equal(outcome.result.exit_status, 0);
	assert_int_equal(outcome.result.killed, 1);
	assert_false(alive(outcome.out.data));
	assert_no_children();
	drop(&outcome);
}

static void test_a_longer_grace_time_lets_it_end_by_itself(void **state)
{
	struct outcome outcome =
		shell_with((struct process_options){.grace_ns = 60000 * MILLISECOND_NS},
			"(setsid sleep 3 &); exit 0");

	(void)state;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_int_equal(outcome.result.killed, 0);
	assert_no_children();
	drop(&outcome);
}

static void test_forking_daemon_cannot_outrun_the_kill(void **state)
{
	struct outcome outcome =
		shell("(setsid sh -c 'while :; do sleep 0.001 & sleep 0.001; done' &); exit 0");

	(void)state;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_true(outcome.result.killed >= 1);
	assert_no_children();
	drop(&outcome);
}

static void test_kept_daemon_lives_and_does_not_hold_us(void **state)
{
	struct process_options options = {.keep_descendants = true};
	struct outcome outcome =
		/* Descriptor 3 of the daemon keeps the capture pipe open. */
		shell_with(options, "exec 3>&1; (setsid sh -c 'echo $$ >&3; echo go;"
				    "exec sleep 60 >/dev/null' &) | read go");
	pid_t daemon = (pid_t)strtol(outcome.out.data, NULL, 10);

	(void)state;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_int_equal(outcome.result.killed, 0);
	assert_true(daemon > 1);
	assert_int_equal(kill(daemon, SIGKILL), 0);
	assert_int_equal(waitpid(daemon, NULL, 0), daemon);
	drop(&outcome);
}

static void test_cpu_time_of_grandchildren_is_counted_once(void **state)
{
	struct rusage before, after;
	struct outcome outcome;
	uint64_t spent;

	(void)state;
	getrusage(RUSAGE_CHILDREN, &before);
	outcome = shell("sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; true");
	getrusage(RUSAGE_CHILDREN, &after);
	spent = (uint64_t)((after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 +
			   after.ru_utime.tv_usec - before.ru_utime.tv_usec +
			   (after.ru_stime.tv_sec - before.ru_stime.tv_sec) * 1000000 +
			   after.ru_stime.tv_usec - before.ru_stime.tv_usec) *
		1000;
	assert_int_equal(outcome.rc, ERR_OK);
	assert_true(spent > 20 * MILLISECOND_NS);
	/* The system rounds to microseconds each of the two that it adds up. */
	assert_in_range(outcome.result.cpu_ns, spent - 4000, spent + 4000);
	assert_true(outcome.result.max_rss_bytes > 100 * 1024);
	/* As many times somebody left a processor, be it only at its end. */
	assert_true(outcome.result.switches > 0);
	assert_int_equal(outcome.result.switches,
		after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw);
	drop(&outcome);
}

static void test_children_of_others_are_left_alone(void **state)
{
	pid_t running = fork(), ended;
	struct outcome outcome;
	int status;

	(void)state;
	if (running == 0) {
		pause();
		_exit(0);
	}
	ended = fork();
	if (ended == 0)
		_exit(9);
	outcome = shell("exit 0");
	assert_int_equal(outcome.rc, ERR_OK);
	assert_int_equal(outcome.result.reaped, 1);
	assert_int_equal(outcome.result.killed, 0);
	assert_int_equal(waitpid(ended, &status, 0), ended);
	assert_int_equal(WEXITSTATUS(status), 9);
	assert_int_equal(kill(running, SIGKILL), 0);
	assert_int_equal(waitpid(running, &status, 0), running);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	drop(&outcome);
}

static void test_inherited_stdio_stays_in_our_group(void **state)
{
	const char *argv[] = {"sh", "-c",
		"test $(cut -d ' ' -f 5 /proc/$$/stat) = $(cut -d ' ' -f 5 /proc/$PPID/stat)",
		NULL};
	struct process_options options = {.argv = argv, .inherit_stdio = true};
	struct process_result result;

	(void)state;
	assert_int_equal(process_run(&options, &result, NULL), ERR_OK);
	assert_int_equal(result.exit_status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_status_is_reported),
		cmocka_unit_test(test_signal_is_reported),
		cmocka_unit_test(test_missing_program_is_a_tool_error),
		cmocka_unit_test(test_what_cannot_be_executed_is_an_io_error),
		cmocka_unit_test(test_path_of_the_given_environment_decides),
		cmocka_unit_test(test_closed_folders_in_path_are_skipped),
		cmocka_unit_test(test_relative_path_entries_are_skipped),
		cmocka_unit_test(test_environment_is_exact),
		cmocka_unit_test(test_input_reaches_stdin_and_default_is_empty),
		cmocka_unit_test(test_stderr_goes_with_stdout_unless_asked_for),
		cmocka_unit_test(test_output_file_holds_both_streams_and_no_link_is_followed),
		cmocka_unit_test(test_output_past_the_limit_kills_the_program),
		cmocka_unit_test(test_no_descriptor_leaks_into_the_child),
		cmocka_unit_test(test_signals_are_back_to_default_in_the_child),
		cmocka_unit_test(test_child_has_its_own_session_without_a_terminal),
		cmocka_unit_test(test_cpu_set_is_applied),
		cmocka_unit_test(test_prepare_runs_in_the_child_only),
		cmocka_unit_test(test_timeout_kills_what_called_setsid_and_ignores_sigterm),
		cmocka_unit_test(test_timeout_lets_a_program_end_in_its_own_way),
		cmocka_unit_test(test_a_child_that_stays_stopped_is_killed_and_named),
		cmocka_unit_test(test_a_child_that_is_continued_goes_on),
		cmocka_unit_test(test_orphan_is_reaped_and_its_cpu_time_counted),
		cmocka_unit_test(test_daemon_that_stays_is_killed_after_the_grace_time),
		cmocka_unit_test(test_a_longer_grace_time_lets_it_end_by_itself),
		cmocka_unit_test(test_forking_daemon_cannot_outrun_the_kill),
		cmocka_unit_test(test_kept_daemon_lives_and_does_not_hold_us),
		cmocka_unit_test(test_cpu_time_of_grandchildren_is_counted_once),
		cmocka_unit_test(test_children_of_others_are_left_alone),
		cmocka_unit_test(test_inherited_stdio_stays_in_our_group),
	};

	/* Whoever starts us in the background may have had them ignored. */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	process_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
