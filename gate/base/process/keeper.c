/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/process/process_internal.h"

#define KEEPER_NAME "flamegate-keep"
#define PATIENCE_MS 5000 /* after an interruption: process_run()'s own grace, and some */
/* A stop must last: whoever stops and continues us and ours together does not reach all at once. */
#define STOPPED_MS 200
#define KILL_ROUNDS 1000
#define LAST_MS 15000 /* for a keeper that is told to end: process_run() gives up after 10 s */

#define MOST_FDS 65536 /* looked at where the kernel cannot close them all */

struct keeper {
	struct keeper *next; /* of all that are alive */
	pid_t pid;
	int lifeline, report;   /* -1: closed */
	int64_t stopped_ms;     /* when it was first seen to be stopped; 0: it is not */
	struct pid_set foreign; /* children that we had before */
	char *name;             /* of the program, for messages */
};

static struct keeper *keepers;

/* What a keeper says in the end: the same program reads it. */
struct report {
	int rc;
	struct process_result result;
	struct error err;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- in the keeper ------------------------------------------------------------------------ */

static void write_all(int fd, const void *data, size_t length)
{
	const char *at = data;

	while (length) {
		ssize_t wrote = write(fd, at, length);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return;
		at += wrote;
		length -= (size_t)wrote;
	}
}

static void close_from(int first)
{
	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0)
		return;
	for (int fd = first; fd < sysconf(_SC_OPEN_MAX) && fd < MOST_FDS; fd++)
		close(fd);
}

/* The two that it needs, what the program is to have, and none of ours: locks and pipes must end
 * with us. */
static void keep_only(int lifeline, int report, bool inherited)
{
	int fd = 3;

	for (; fd < PROCESS_INHERITED_FDS || fd <= lifeline || fd <= report; fd++)
		if (fd != lifeline && fd != report &&
			!(inherited && fd < PROCESS_INHERITED_FDS && process_is_inherited(fd)))
			close(fd);
	close_from(fd);
}

__attribute__((noreturn)) static void keep(
	const struct process_options *options, int lifeline, int report_fd)
{
	struct process_options mine = *options;
	struct report report = {0};
	sigset_t none;

	/* Away from the terminal's signals, which we hear and pass on; but a program of the user's
	 * terminal is to hear them, too. */
	if (!options->inherit_stdio)
		setsid();
	prctl(PR_SET_NAME, KEEPER_NAME);
	keep_only(lifeline, report_fd, options->inherit_stdio);
	process_forked();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	mine.lifeline = &lifeline;
	report.rc = process_run(&mine, &report.result, &report.err);
	write_all(report_fd, &report, sizeof(report));
	_exit(0);
}

/* ---- here --------------------------------------------------------------------------------- */

static pid_t fork_keeper(
	const struct process_options *options, const int lifeline[2], const int report[2])
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		keep(options, lifeline[0], report[1]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static void unlink_keeper(struct keeper *keeper)
{
	for (struct keeper **at = &keepers; *at; at = &(*at)->next)
		if (*at == keeper) {
			*at = keeper->next;
			return;
		}
}

int keeper_start(const struct process_options *options, struct keeper **out, struct error *err)
{
	struct keeper *keeper = xcalloc(1, sizeof(*keeper));
	int lifeline[2] = {-1, -1}, report[2] = {-1, -1}, rc = ERR_OK;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	process_tree_children(NULL, &keeper->foreign);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lifeline) < 0 ||
		pipe2(report, O_CLOEXEC) < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot make a pipe");
	if (!rc)
		keeper->pid = fork_keeper(options, lifeline, report);
	if (!rc && keeper->pid < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot start %s", options->argv[0]);
	close_fd(&lifeline[0]);
	close_fd(&report[1]);
	if (rc) {
		close_fd(&lifeline[1]);
		close_fd(&report[0]);
		pid_set_release(&keeper->foreign);
		free(keeper);
		return rc;
	}
	keeper->lifeline = lifeline[1];
	keeper->report = report[0];
	keeper->name = xstrdup(options->argv[0]);
	keeper->next = keepers;
	keepers = keeper;
	*out = keeper;
	return ERR_OK;
}

pid_t keeper_pid(const struct keeper *keeper)
{
	return keeper->pid;
}

int keeper_fd(const struct keeper *keeper)
{
	return keeper->report;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* Whose orphans are what is new among our children? Those of the keeper that has died. */
static void find_known(const struct keeper *dead, struct pid_set *known)
{
	for (size_t i = 0; i < dead->foreign.count; i++)
		pid_set_add(known, dead->foreign.pids[i]);
	for (const struct keeper *other = keepers; other; other = other->next)
		if (other != dead)
			pid_set_add(known, other->pid);
}

static size_t reap_all(const struct pid_set *known)
{
	struct pid_set left = {0};
	size_t running = 0;

	process_tree_children(known, &left);
	for (size_t i = 0; i < left.count; i++)
		running += waitpid(left.pids[i], NULL, WNOHANG) == 0;
	pid_set_release(&left);
	return running;
}

/* Each that ends may hand us its own children. */
static void kill_orphans(const struct keeper *dead)
{
	const struct timespec pause = {0, 1000000};
	struct pid_set known = {0};

	find_known(dead, &known);
	for (int round = 0; round < KILL_ROUNDS; round++) {
		if (!process_tree_kill(&known) && !reap_all(&known))
			break;
		nanosleep(&pause, NULL);
	}
	pid_set_release(&known);
}

/* Whoever else may hold a copy of our end. */
static void cut_lifeline(struct keeper *keeper)
{
	if (keeper->lifeline >= 0)
		shutdown(keeper->lifeline, SHUT_RDWR);
	close_fd(&keeper->lifeline);
}

/* True once it is gone. */
static bool await_keeper(const struct keeper *keeper, int patience_ms)
{
	const struct timespec pause = {0, 1000000};
	pid_t got = 0;

	for (int ms = 0; ms < patience_ms; ms++) {
		got = waitpid(keeper->pid, NULL, WNOHANG);
		if (got > 0 || (got < 0 && errno != EINTR))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static void reap_keeper(struct keeper *keeper, bool was_killed)
{
	cut_lifeline(keeper);
	close_fd(&keeper->report);
	kill(keeper->pid, SIGCONT); /* somebody may have stopped it */
	if (!await_keeper(keeper, LAST_MS)) {
		kill(keeper->pid, SIGKILL);
		await_keeper(keeper, LAST_MS);
		was_killed = true;
	}
	if (was_killed)
		kill_orphans(keeper);
	unlink_keeper(keeper);
	keeper->pid = 0;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool keeper_is_stopped(struct keeper *keeper)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)keeper->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) < 0 ||
		!info.si_pid) {
		keeper->stopped_ms = 0;
		return false;
	}
	if (!keeper->stopped_ms)
		keeper->stopped_ms = now_ms();
	return now_ms() - keeper->stopped_ms >= STOPPED_MS;
}

enum outcome { OUTCOME_REPORT, OUTCOME_STOPPED, OUTCOME_SILENT };

/* Until the report is there, or the keeper is gone or will say nothing. Once interrupted, it is
 * told; then it has some time. */
static enum outcome wait_for_report(struct keeper *keeper)
{
	struct pollfd fds[] = {{keeper->report, POLLIN, 0}, {process_interrupt_fd(), POLLIN, 0}};
	int64_t told_ms = 0;

	for (;;) {
		if (poll(fds, 2, KEEPER_LOOK_MS) > 0 && fds[0].revents)
			return OUTCOME_REPORT;
		if (keeper_is_stopped(keeper))
			return OUTCOME_STOPPED;
		if (told_ms && now_ms() - told_ms >= PATIENCE_MS)
			return OUTCOME_SILENT;
		if (!told_ms && process_interrupted()) {
			kill(keeper->pid, SIGTERM);
			told_ms = now_ms();
			fds[1].fd = -1;
		}
	}
}

static bool read_report(struct keeper *keeper, struct report *report)
{
	size_t got = 0;

	while (got < sizeof(*report)) {
		ssize_t n = read(keeper->report, (char *)report + got, sizeof(*report) - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	return true;
}

/* The keeper has said nothing that counts. */
static int explain(const struct keeper *keeper, enum outcome outcome, struct error *err)
{
	if (outcome == OUTCOME_STOPPED)
		return error_set(err, ERR_BENCHMARK,
			"the process that watches %s was stopped by a signal, so the run was "
			"killed and does not count: does it send SIGSTOP to its "
			"parent, or to all processes?",
			keeper->name);
	return error_set(err, ERR_IO,
		"somebody has ended the process that watches %s, so its run does not count",
		keeper->name);
}

static int judge(const struct keeper *keeper, enum outcome outcome, const struct report *report,
	struct process_result *result, struct error *err)
{
	if (process_interrupted())
		return error_set(err, ERR_INTERRUPTED, "interrupted by SIG%s",
			sigabbrev_np(process_interrupt_signal()));
	if (outcome != OUTCOME_REPORT || report->rc == ERR_INTERRUPTED)
		return explain(keeper, outcome, err);
	if (report->rc && err)
		*err = report->err;
	if (report->rc == ERR_OK || report->rc == ERR_LIMIT)
		*result = report->result;
	return report->rc;
}

int keeper_finish(struct keeper *keeper, struct process_result *result, struct error *err)
{
	enum outcome outcome = wait_for_report(keeper);
	struct report report;

	if (outcome == OUTCOME_REPORT && !read_report(keeper, &report))
		outcome = OUTCOME_SILENT;
	if (outcome == OUTCOME_STOPPED)
		kill(keeper->pid, SIGKILL);
	reap_keeper(keeper, outcome != OUTCOME_REPORT);
	return judge(keeper, outcome, &report, result, err);
}

void keeper_free(struct keeper *keeper)
{
	if (!keeper)
		return;
	if (keeper->pid > 0)
		reap_keeper(keeper, true);
	pid_set_release(&keeper->foreign);
	free(keeper->name);
	free(keeper);
}

int keeper_run(
	const struct process_options *options, struct process_result *result, struct error *err)
{
	struct keeper *keeper = NULL;
	int rc = keeper_start(options, &keeper, err);

	if (!rc)
		rc = keeper_finish(keeper, result, err);
	keeper_free(keeper);
	return rc;
}
