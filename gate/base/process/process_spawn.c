/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a program is started: in a session of its own, with no descriptor or signal setting that it
 * should not have. The error says what failed between fork and exec.
 */
#include "gate/base/process/process_internal.h"

#include "gate/base/arena.h"
#include "gate/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

enum step { STEP_SESSION, STEP_STDIO, STEP_DIRECTORY, STEP_CPUS, STEP_EXEC };

struct failure {
	enum step step;
	int error;
};

/* All that the child needs, made before the fork: it may only make system calls. */
struct launch {
	const struct process_options *options;
	char **candidates; /* NULL-terminated paths to try */
	char *const *env;
	int stdio[3];       /* for the child; -1: leave ours */
	int output, errors; /* our ends of the pipes */
	int report[2];      /* closed by a successful exec, else one struct failure */
	pid_t parent;
	int max_fd;
};

static const char *find_path(const char *const *env)
{
	for (; *env; env++) {
		if (strncmp(*env, "PATH=", 5) == 0)
			return *env + 5;
	}
	return DEFAULT_PATH;
}

/* Empty and relative entries would find programs that the repository brings along. */
static char **path_candidates(const char *name, const char *path)
{
	size_t count = 0, capacity = 0;
	char **list = grow_array(NULL, &capacity, 2, sizeof(*list));

	if (strchr(name, '/')) {
		list[count++] = xstrdup(name);
	} else if (*name) {
		for (const char *at = path, *end; *at; at = *end ? end + 1 : end) {
			struct strbuf full = STRBUF_INIT;

			end = at + strcspn(at, ":");
			if (*at != '/')
				continue;
			strbuf_add(&full, at, (size_t)(end - at));
			strbuf_addf(&full, "/%s", name);
			list = grow_array(list, &capacity, count + 2, sizeof(*list));
			list[count++] = strbuf_detach(&full, NULL);
		}
	}
	list[count] = NULL;
	return list;
}

/* ---- what we were started with ------------------------------------------------------------- */

static bool inherited[PROCESS_INHERITED_FDS];

void process_note_inherited(void)
{
	for (int fd = 3; fd < PROCESS_INHERITED_FDS; fd++) {
		int flags = fcntl(fd, F_GETFD);

		inherited[fd] = flags >= 0 && !(flags & FD_CLOEXEC);
	}
}

bool process_is_inherited(int fd)
{
	return inherited[fd];
}

/* ---- in the child: async-signal-safe only ------------------------------------------------- */

static void fail_child(const struct launch *launch, enum step step)
{
	struct failure failure = {step, errno};
	ssize_t ignored = write(launch->report[1], &failure, sizeof(failure));

	(void)ignored;
	_exit(127);
}

/* What a shell ignores on purpose (nohup, background jobs) stays ignored; our own ways do not pass
 * on. */
static void reset_signals(void)
{
	struct sigaction fresh = {.sa_handler = SIG_DFL}, old;
	sigset_t none;

	for (int number = 1; number < NSIG; number++) {
		bool by_shell = number == SIGINT || number == SIGQUIT || number == SIGHUP;

		if (by_shell && sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		sigaction(number, &fresh, NULL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_on_exec(int max_fd)
{
	if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		return;
	for (int fd = 3; fd < max_fd; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* What we were given is the program's (such as the pipe of make's jobserver);
 * nothing of ours is. */
static void pass_on_inherited(void)
{
	for (int fd = 3; fd < PROCESS_INHERITED_FDS; fd++)
		if (inherited[fd])
			fcntl(fd, F_SETFD, 0);
}

static void exec_candidates(const struct launch *launch)
{
	char *const *argv = (char *const *)launch->options->argv;
	bool denied = false;

	errno = ENOENT;
	for (char **path = launch->candidates; *path; path++) {
		execve(*path, argv, launch->env);
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			return;
		/* A folder of PATH that is closed to us says nothing about the program. */
		denied = denied || (errno == EACCES && access(*path, F_OK) == 0);
	}
	errno = denied ? EACCES : ENOENT;
}

__attribute__((noreturn)) static void run_child(const struct launch *launch)
{
	const struct process_options *options = launch->options;

	/* Should we be killed, nothing goes on measuring behind our back. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != launch->parent)
		_exit(127);
	/* A session has no terminal: nothing can stop on it, prompt on it or type into it. */
	if (!options->inherit_stdio && setsid() < 0)
		fail_child(launch, STEP_SESSION);
	for (int fd = 0; fd < 3; fd++) {
		if (launch->stdio[fd] >= 0 && dup2(launch->stdio[fd], fd) < 0)
			fail_child(launch, STEP_STDIO);
	}
	if (options->directory && chdir(options->directory) < 0)
		fail_child(launch, STEP_DIRECTORY);
	if (options->cpus && sched_setaffinity(0, sizeof(*options->cpus), options->cpus) < 0)
		fail_child(launch, STEP_CPUS);
	close_on_exec(launch->max_fd);
	if (options->inherit_stdio)
		pass_on_inherited();
	if (options->prepare)
		options->prepare(options->prepare_data);
	reset_signals();
	exec_candidates(launch);
	fail_child(launch, STEP_EXEC);
	_exit(127);
}

/* ---- in the parent ------------------------------------------------------------------------ */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Away from 0..2, which dup2() in the child would overwrite. Takes fd over. */
static int above_stdio(int fd)
{
	int moved;

	if (fd < 0 || fd > 2)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return moved;
}

static int make_pipe(int ends[2], struct error *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(err, ERR_IO, errno, "cannot make a pipe");
	ends[0] = above_stdio(fds[0]);
	ends[1] = above_stdio(fds[1]);
	if (ends[0] >= 0 && ends[1] >= 0)
		return ERR_OK;
	return error_errno(err, ERR_IO, errno, "cannot make a pipe");
}

static int open_null(int flags, int *fd, struct error *err)
{
	*fd = above_stdio(open("/dev/null", flags | O_CLOEXEC));
	return *fd < 0 ? error_errno(err, ERR_IO, errno, "cannot open /dev/null") : ERR_OK;
}

/* A file in memory needs no writer that could wait for a child that does not read. */
static int open_input(const struct process_options *options, int *fd, struct error *err)
{
	const char *data = options->input;
	size_t done = 0;

	if (!data)
		return open_null(O_RDONLY, fd, err);
	*fd = above_stdio(memfd_create("flamegate-input", MFD_CLOEXEC));
	if (*fd < 0)
		return error_errno(err, ERR_IO, errno, "cannot hold a program's input");
	while (done < options->input_length) {
		ssize_t wrote = write(*fd, data + done, options->input_length - done);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return error_errno(err, ERR_IO, errno, "cannot hold a program's input");
		done += (size_t)wrote;
	}
	if (lseek(*fd, 0, SEEK_SET) < 0)
		return error_errno(err, ERR_IO, errno, "cannot hold a program's input");
	return ERR_OK;
}

static int open_capture(int *child_end, int *our_end, struct error *err)
{
	int ends[2] = {-1, -1};
	int rc = make_pipe(ends, err);

	*our_end = ends[0];
	*child_end = ends[1];
	if (!rc && fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot set up a pipe");
	return rc;
}

static int open_file(const char *path, int *child_end, struct error *err)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC;

	*child_end = above_stdio(open(path, flags, 0644));
	if (*child_end < 0)
		return error_errno(err, ERR_IO, errno, "cannot write %s", path);
	return ERR_OK;
}

static int open_output(struct launch *launch, struct error *err)
{
	const struct process_options *options = launch->options;

	if (options->output_path)
		return open_file(options->output_path, &launch->stdio[1], err);
	if (options->capture)
		return open_capture(&launch->stdio[1], &launch->output, err);
	return open_null(O_WRONLY, &launch->stdio[1], err);
}

/* To a place of its own, or where stdout goes. */
static int open_errors(struct launch *launch, struct error *err)
{
	const struct process_options *options = launch->options;

	if (options->error_path)
		return open_file(options->error_path, &launch->stdio[2], err);
	if (options->capture_stderr)
		return open_capture(&launch->stdio[2], &launch->errors, err);
	launch->stdio[2] = fcntl(launch->stdio[1], F_DUPFD_CLOEXEC, 3);
	if (launch->stdio[2] < 0)
		return error_errno(err, ERR_IO, errno, "cannot set up a program's output");
	return ERR_OK;
}

static int open_stdio(struct launch *launch, struct error *err)
{
	const struct process_options *options = launch->options;
	int rc;

	if (options->inherit_stdio)
		return ERR_OK;
	rc = open_input(options, &launch->stdio[0], err);
	if (!rc)
		rc = open_output(launch, err);
	return rc ? rc : open_errors(launch, err);
}

/* Waits until the child has become the program; 0, or what went wrong. */
static bool read_failure(int fd, struct failure *failure)
{
	size_t got = 0;

	while (got < sizeof(*failure)) {
		ssize_t n = read(fd, (char *)failure + got, sizeof(*failure) - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	return true;
}

static int explain(
	const struct process_options *options, const struct failure *failure, struct error *err)
{
	const char *name = options->argv[0];

	switch (failure->step) {
	case STEP_DIRECTORY:
		return error_errno(err, ERR_IO, failure->error, "cannot run %s in the folder %s",
			name, options->directory);
	case STEP_CPUS:
		return error_errno(
			err, ERR_IO, failure->error, "cannot run %s on the chosen CPUs", name);
	case STEP_EXEC:
		if (failure->error == ENOENT && !strchr(name, '/'))
			return error_set(err, ERR_TOOL,
				"cannot find the program %s in PATH: is it installed?", name);
		if (failure->error == ENOENT)
			return error_set(err, ERR_TOOL,
				"cannot run %s: there is no such file, or the interpreter that it "
				"names is missing",
				name);
		break;
	default:
		break;
	}
	return error_errno(err, ERR_IO, failure->error, "cannot run %s", name);
}

static pid_t fork_child(struct launch *launch)
{
	sigset_t all, before;
	pid_t pid;

	/* No handler of ours may run in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		run_child(launch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static int start(struct launch *launch, struct spawned *out, struct error *err)
{
	struct failure failure;
	pid_t pid = fork_child(launch);

	if (pid < 0)
		return error_errno(err, ERR_IO, errno, "cannot start %s", launch->options->argv[0]);
	close_fd(&launch->report[1]);
	if (read_failure(launch->report[0], &failure)) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		return explain(launch->options, &failure, err);
	}
	*out = (struct spawned){pid, -1, launch->output, launch->errors};
	out->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	launch->output = launch->errors = -1;
	return ERR_OK;
}

static void release_launch(struct launch *launch)
{
	for (int i = 0; i < 3; i++)
		close_fd(&launch->stdio[i]);
	for (int i = 0; i < 2; i++)
		close_fd(&launch->report[i]);
	close_fd(&launch->output);
	close_fd(&launch->errors);
	for (char **path = launch->candidates; *path; path++)
		free(*path);
	free(launch->candidates);
}

int process_spawn(const struct process_options *options, struct spawned *out, struct error *err)
{
	const char *const *env = options->env ? options->env : (const char *const *)(void *)environ;
	struct launch launch = {
		.options = options,
		.candidates = path_candidates(options->argv[0], find_path(env)),
		.env = (char *const *)env,
		.stdio = {-1, -1, -1},
		.output = -1,
		.errors = -1,
		.report = {-1, -1},
		.parent = getpid(),
	};
	long max_fd = sysconf(_SC_OPEN_MAX);
	int rc;

	launch.max_fd = max_fd < 0 || max_fd > 65536 ? 65536 : (int)max_fd;
	rc = make_pipe(launch.report, err);
	if (!rc)
		rc = open_stdio(&launch, err);
	if (!rc)
		rc = start(&launch, out, err);
	release_launch(&launch);
	return rc;
}
