/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/process/process_internal.h"
#include "gate/base/process/process_silence.h"

#define SECOND_NS 1000000000ULL
#define GRACE_NS (2 * SECOND_NS)
#define GIVE_UP_NS (10 * SECOND_NS) /* a process that SIGKILL does not end hangs in the kernel */
#define TICK_NS (SECOND_NS / 100)   /* between looks at what no descriptor tells us about */
#define LOOKS 16                    /* in the time that may pass in silence, or stopped */
#define DEFAULT_CAPTURE_LIMIT (16 * 1024 * 1024)

static volatile sig_atomic_t interrupt_signal;
/* Becomes readable with the interruption and stays so: poll() cannot miss it. */
static int interrupt_pipe[2] = {-1, -1};

static void on_interrupt(int signal)
{
	int saved = errno;
	ssize_t ignored;

	if (!interrupt_signal)
		interrupt_signal = signal;
	ignored = write(interrupt_pipe[1], "", 1);
	(void)ignored;
	errno = saved;
}

static void install(int signal)
{
	struct sigaction action = {.sa_handler = on_interrupt}, old;

	/* A shell ignores them for background jobs and under nohup: leave it so. */
	if (sigaction(signal, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	sigaction(signal, &action, NULL);
}

/* An inherited "ignore SIGCHLD" would throw away exit states and CPU times. */
static void adopt_orphans(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL}, old;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (sigaction(SIGCHLD, NULL, &old) == 0 &&
		(old.sa_handler == SIG_IGN || (old.sa_flags & SA_NOCLDWAIT)))
		sigaction(SIGCHLD, &action, NULL);
}

void process_init(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	int fd;

	process_note_inherited();
	/* Started with closed standard streams, our files would land on their numbers. */
	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd < 3);
	if (fd >= 0)
		close(fd);
	if (interrupt_pipe[0] < 0 && pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		interrupt_pipe[0] = interrupt_pipe[1] = -1;
	install(SIGINT);
	install(SIGTERM);
	install(SIGHUP);
	sigaction(SIGPIPE, &ignore, NULL);
	adopt_orphans();
}

void process_forked(void)
{
	if (pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		interrupt_pipe[0] = interrupt_pipe[1] = -1;
	interrupt_signal = 0;
}

int process_interrupt_fd(void)
{
	return interrupt_pipe[0];
}

bool process_interrupted(void)
{
	return interrupt_signal != 0;
}

int process_interrupt_signal(void)
{
	return interrupt_signal;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* How hard we press for the end. Each phase has grace_of() before
 * the next (killing: GIVE_UP_NS). */
enum phase {
	PHASE_RUNNING,   /* until the time limit, or after the child's end for grace_of() */
	PHASE_ASKED,     /* the terminal has sent SIGINT to all of its group */
	PHASE_TERMINATE, /* SIGTERM sent to all */
	PHASE_KILL,      /* SIGKILL sent to all, again and again */
	PHASE_GIVEN_UP,
};

struct run {
	const struct process_options *options;
	struct process_result result;
	struct spawned child;
	struct pid_set foreign; /* children that we had before: somebody else waits for them */
	enum phase phase;
	uint64_t started_ns, deadline_ns; /* 0: no deadline */
	bool child_ended, interrupted, over_limit;
	bool unwanted; /* the lifeline has closed */
	struct process_silence silence;
	uint64_t next_look_ns;     /* for silence */
	uint64_t stopped_since_ns; /* 0: it is not, as far as is known */
	bool stopped;              /* for too long */
	size_t orphans;
};

static uint64_t grace_of(const struct run *run)
{
	return run->options->grace_ns ? run->options->grace_ns : GRACE_NS;
}

/* ---- what the processes used -------------------------------------------------------------- */

static uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_usec * 1000;
}

/* False while it runs. */
static bool reap(struct run *run, pid_t pid, int *status)
{
	struct process_result *result = &run->result;
	struct rusage usage;
	uint64_t rss_bytes;
	pid_t got;

	do
		got = wait4(pid, status, WNOHANG, &usage);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got < 0;
	rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	result->user_ns += timeval_ns(usage.ru_utime);
	result->system_ns += timeval_ns(usage.ru_stime);
	result->cpu_ns = result->user_ns + result->system_ns;
	result->switches += (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
	if (rss_bytes > result->max_rss_bytes)
		result->max_rss_bytes = rss_bytes;
	result->reaped++;
	return true;
}

static void reap_child(struct run *run)
{
	int status = 0;

	if (run->child_ended || !reap(run, run->child.pid, &status))
		return;
	run->child_ended = true;
	run->result.wall_ns = now_ns() - run->started_ns;
	if (WIFSIGNALED(status))
		run->result.signal = WTERMSIG(status);
	run->result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (run->phase == PHASE_RUNNING)
		run->deadline_ns = now_ns() + grace_of(run);
}

/* Everything alive below us hangs on a child of ours, so no new child means no descendant. */
static void reap_orphans(struct run *run)
{
	struct pid_set children = {0};
	int status;

	run->orphans = 0;
	if (!run->child_ended)
		return;
	if (run->options->keep_descendants && run->phase == PHASE_RUNNING)
		return;
	process_tree_children(&run->foreign, &children);
	for (size_t i = 0; i < children.count; i++)
		run->orphans += !reap(run, children.pids[i], &status);
	/* A process that just ended hands its children to us. */
	if (children.count && !run->orphans) {
		children.count = 0;
		process_tree_children(&run->foreign, &children);
		run->orphans = children.count;
	}
	pid_set_release(&children);
}

/* ---- what they print ---------------------------------------------------------------------- */

static void close_pipe(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void read_pipe(struct run *run, int *fd, struct strbuf *out, size_t *total)
{
	size_t limit = run->options->capture_limit;
	char chunk[65536];
	ssize_t got;

	if (!limit)
		limit = DEFAULT_CAPTURE_LIMIT;
	while (*fd >= 0 && !run->over_limit) {
		got = read(*fd, chunk, sizeof(chunk));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0) {
			close_pipe(fd);
			return;
		}
		run->over_limit = (size_t)got > limit - *total;
		if (run->over_limit)
			got = (ssize_t)(limit - *total);
		strbuf_add(out, chunk, (size_t)got);
		*total += (size_t)got;
	}
}

static void read_outputs(struct run *run, size_t totals[2])
{
	read_pipe(run, &run->child.output, run->options->capture, &totals[0]);
	read_pipe(run, &run->child.errors, run->options->capture_stderr, &totals[1]);
}

/* ---- ending them -------------------------------------------------------------------------- */

static void enter(struct run *run, enum phase phase, uint64_t grace_ns)
{
	run->phase = phase;
	run->deadline_ns = now_ns() + grace_ns;
}

static void kill_all(struct run *run)
{
	size_t killed = process_tree_kill(&run->foreign);

	if (run->phase == PHASE_RUNNING)
		run->result.killed = (unsigned)killed;
	if (run->phase != PHASE_KILL)
		enter(run, PHASE_KILL, GIVE_UP_NS);
}

static void terminate_all(struct run *run)
{
	struct pid_set tree = {0};

	/* The group at once, so that nobody in it can fork past the list. */
	if (!run->child_ended && !run->options->inherit_stdio)
		kill(-run->child.pid, SIGTERM);
	process_tree_descendants(&run->foreign, &tree);
	for (size_t i = 0; i < tree.count; i++) {
		if (run->options->inherit_stdio || run->child_ended ||
			getpgid(tree.pids[i]) != run->child.pid)
			kill(tree.pids[i], SIGTERM);
		kill(tree.pids[i], SIGCONT);
	}
	pid_set_release(&tree);
	enter(run, PHASE_TERMINATE, grace_of(run));
}

static void on_deadline(struct run *run)
{
	switch (run->phase) {
	case PHASE_RUNNING:
		if (run->child_ended) {
			kill_all(run);
			return;
		}
		run->result.timed_out = true;
		terminate_all(run);
		return;
	case PHASE_ASKED:
		terminate_all(run);
		return;
	case PHASE_TERMINATE:
		kill_all(run);
		return;
	default:
		run->phase = PHASE_GIVEN_UP;
	}
}

static void on_interruption(struct run *run)
{
	run->interrupted = true;
	/* The terminal has told the child too: let it end in its own way. */
	if (run->options->inherit_stdio && interrupt_signal == SIGINT)
		enter(run, PHASE_ASKED, grace_of(run));
	else
		terminate_all(run);
}

static bool heeds_interrupt(const struct run *run)
{
	return !run->interrupted && !run->options->ignore_interrupt;
}

static bool lifeline_is_cut(const struct run *run)
{
	struct pollfd fd = {.fd = -1, .events = POLLIN};

	if (run->options->lifeline)
		fd.fd = *run->options->lifeline;
	return poll(&fd, 1, 0) > 0;
}

static bool listens(const struct run *run)
{
	return run->options->silence_ns && run->phase == PHASE_RUNNING && !run->child_ended;
}

static void look_for_silence(struct run *run)
{
	struct process_signs signs;
	uint64_t now = now_ns();

	if (!listens(run) || now < run->next_look_ns)
		return;
	run->next_look_ns = now + run->options->silence_ns / LOOKS;
	process_signs_read(run->child.pid, &signs);
	if (process_silence_add(&run->silence, &signs, now) < run->options->silence_ns)
		return;
	run->result.silent = true;
	terminate_all(run);
}

static bool watches_stops(const struct run *run)
{
	return run->options->stopped_ns && run->phase == PHASE_RUNNING && !run->child_ended;
}

static void look_for_stop(struct run *run)
{
	siginfo_t info = {0};

	if (!watches_stops(run))
		return;
	if (waitid(P_PID, (id_t)run->child.pid, &info, WSTOPPED | WNOHANG | WNOWAIT) < 0 ||
		!info.si_pid) {
		run->stopped_since_ns = 0;
		return;
	}
	if (!run->stopped_since_ns)
		run->stopped_since_ns = now_ns();
	if (now_ns() - run->stopped_since_ns < run->options->stopped_ns)
		return;
	run->stopped = true;
	kill_all(run);
}

static void press(struct run *run)
{
	if (!run->unwanted && lifeline_is_cut(run)) {
		run->unwanted = run->interrupted = true;
		kill_all(run);
	}
	if (process_interrupted() && heeds_interrupt(run) && run->phase < PHASE_KILL)
		on_interruption(run);
	if ((run->over_limit && run->phase < PHASE_KILL) || run->phase == PHASE_KILL)
		kill_all(run);
	look_for_silence(run);
	look_for_stop(run);
	if (run->deadline_ns && now_ns() >= run->deadline_ns)
		on_deadline(run);
}

/* ---- the loop ----------------------------------------------------------------------------- */

static int poll_timeout_ms(const struct run *run)
{
	uint64_t now = now_ns(), wait_ns = UINT64_MAX;

	if (run->deadline_ns)
		wait_ns = run->deadline_ns > now ? run->deadline_ns - now : 0;
	if ((run->child_ended || run->child.pidfd < 0 || run->phase != PHASE_RUNNING) &&
		wait_ns > TICK_NS)
		wait_ns = TICK_NS;
	if (listens(run) && wait_ns > run->options->silence_ns / LOOKS)
		wait_ns = run->options->silence_ns / LOOKS;
	if (watches_stops(run) && wait_ns > run->options->stopped_ns / LOOKS)
		wait_ns = run->options->stopped_ns / LOOKS;
	if (wait_ns == UINT64_MAX)
		return -1;
	/* Up, not down: a zero would spin. */
	return wait_ns > 3600 * SECOND_NS ? 3600 * 1000 : (int)((wait_ns + 999999) / 1000000);
}

static void wait_for_event(const struct run *run)
{
	struct pollfd fds[] = {
		{run->child.output, POLLIN, 0},
		{run->child.errors, POLLIN, 0},
		{run->child_ended ? -1 : run->child.pidfd, POLLIN, 0},
		{heeds_interrupt(run) ? interrupt_pipe[0] : -1, POLLIN, 0},
		{run->options->lifeline && !run->unwanted ? *run->options->lifeline : -1, POLLIN,
			0},
	};

	poll(fds, sizeof(fds) / sizeof(*fds), poll_timeout_ms(run));
}

static bool finished(const struct run *run)
{
	return (run->child_ended && !run->orphans) || run->phase == PHASE_GIVEN_UP;
}

static void follow(struct run *run)
{
	size_t totals[2] = {0, 0};

	for (;;) {
		reap_child(run);
		reap_orphans(run);
		/* After the look at the processes:
		 * what they wrote before their end is there now. */
		read_outputs(run, totals);
		if (finished(run))
			return;
		press(run);
		wait_for_event(run);
	}
}

static int judge(const struct run *run, struct error *err)
{
	const struct process_options *options = run->options;

	if (run->unwanted)
		return error_set(
			err, ERR_INTERRUPTED, "nobody waits for %s any more", options->argv[0]);
	if (run->interrupted)
		return error_set(err, ERR_INTERRUPTED, "interrupted by SIG%s",
			sigabbrev_np(process_interrupt_signal()));
	if (run->phase == PHASE_GIVEN_UP)
		return error_set(err, ERR_IO, "a process of %s cannot be killed", options->argv[0]);
	if (run->stopped)
		return error_set(err, ERR_BENCHMARK,
			"%s was stopped by a signal, and nothing continued it for %.0f s, so the "
			"run was killed and does not count: does a process send SIGSTOP to its "
			"parent, or to all processes?",
			options->argv[0], (double)options->stopped_ns / (double)SECOND_NS);
	if (run->over_limit)
		return error_set(err, ERR_LIMIT, "%s printed more than %zu bytes", options->argv[0],
			options->capture_limit ? options->capture_limit
					       : (size_t)DEFAULT_CAPTURE_LIMIT);
	return ERR_OK;
}

int process_run(
	const struct process_options *options, struct process_result *result, struct error *err)
{
	struct run run = {.options = options};
	int rc;

	if (process_interrupted() && !options->ignore_interrupt)
		return error_set(err, ERR_INTERRUPTED, "interrupted by SIG%s",
			sigabbrev_np(process_interrupt_signal()));
	adopt_orphans();
	process_tree_children(NULL, &run.foreign);
	run.started_ns = now_ns();
	if (options->timeout_ns)
		run.deadline_ns = run.started_ns + options->timeout_ns;
	rc = process_spawn(options, &run.child, err);
	if (rc)
		goto out;
	follow(&run);
	close_pipe(&run.child.output);
	close_pipe(&run.child.errors);
	close_pipe(&run.child.pidfd);
	rc = judge(&run, err);
	if (rc == ERR_OK || rc == ERR_LIMIT || rc == ERR_INTERRUPTED)
		*result = run.result;
out:
	pid_set_release(&run.foreign);
	return rc;
}

const char *process_result_text(const struct process_result *result)
{
	static _Thread_local char text[96];
	const char *late = result->timed_out ? " after the time limit" : "";
	const char *name = result->signal ? sigabbrev_np(result->signal) : NULL;

	if (!result->signal)
		snprintf(text, sizeof(text), "exited with status %d%s", result->exit_status, late);
	else if (name)
		snprintf(text, sizeof(text), "was killed by SIG%s (%d)%s", name, result->signal,
			late);
	else
		snprintf(text, sizeof(text), "was killed by signal %d%s", result->signal, late);
	return text;
}
