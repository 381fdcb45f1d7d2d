/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/pair.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/process/keeper.h"
#include "gate/base/process/process_look.h"
#include "gate/bench/run/pair_control.h"
#include "gate/bench/run/pair_slices.h"
#include "gate/bench/run/run_internal.h"

#define SECOND_NS UINT64_C(1000000000)
#define RUN_GRACE_NS (2 * SECOND_NS) /* of a run alone (process.h) */
#define SETTLE_PERIODS 4             /* at most, for a version to come to its next samples */

/* Processes that are stopped by signals. A pidfd cannot mean another process some day. */
struct held {
	pid_t *pids;
	int *fds;
	size_t count, pid_capacity, fd_capacity;
};

enum phase { PHASE_READY, PHASE_RUNS, PHASE_STANDS, PHASE_OVER };

struct version_run {
	const struct run_options *options;
	struct run *run;
	struct run_launch launch;
	struct fg_control_page *page;
	struct keeper *keeper;
	enum phase phase;
	struct held held;
	uint32_t stopped;               /* ever held */
	struct process_look stood, now; /* when it came to stand; latest */
	struct idle_account idle;
	uint64_t stands_since_ns, stood_ns;
};

struct pair {
	const struct pair_options *options;
	struct slices slices;
	struct version_run versions[2];
	struct pair_report *report;
	cpu_set_t our_cpus;
	bool moved; /* to the CPUs that the versions do not use */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static void sleep_ns(uint64_t ns)
{
	const struct timespec time = {(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};

	nanosleep(&time, NULL);
}

/* ---- standing still ----------------------------------------------------------------------- */

/* False if it has just ended, or the kernel has no pidfds. */
static bool hold(struct held *held, pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return false;
	held->pids =
		grow_array(held->pids, &held->pid_capacity, held->count + 1, sizeof(*held->pids));
	held->fds = grow_array(held->fds, &held->fd_capacity, held->count + 1, sizeof(*held->fds));
	held->pids[held->count] = pid;
	held->fds[held->count++] = fd;
	return true;
}

/* Those that have ended. */
static void forget(struct held *held, const struct process_look *now)
{
	size_t kept = 0;

	for (size_t i = 0; i < held->count; i++) {
		if (!process_look_find(now, held->pids[i])) {
			close(held->fds[i]);
			continue;
		}
		held->pids[kept] = held->pids[i];
		held->fds[kept++] = held->fds[i];
	}
	held->count = kept;
}

static void signal_held(const struct held *held, int signal)
{
	for (size_t i = 0; i < held->count; i++)
		syscall(SYS_pidfd_send_signal, held->fds[i], signal, NULL, 0);
}

static void release_held(struct held *held)
{
	for (size_t i = 0; i < held->count; i++)
		close(held->fds[i]);
	free(held->pids);
	free(held->fds);
	*held = (struct held){0};
}

/* By signals alone: all that is there, without being asked to park first. */
static void hold_all(struct version_run *version)
{
	process_look(&version->now, keeper_pid(version->keeper));
	for (size_t i = 0; i < version->now.count; i++) {
		bool known = false;

		for (size_t j = 0; j < version->held.count; j++)
			known |= version->held.pids[j] == version->now.views[i].pid;
		if (!known && hold(&version->held, version->now.views[i].pid))
			version->stopped++;
	}
}

/* Until nothing runs, as far as their clocks tell;
 * a thread comes to its next sample in a period. */
static void settle(struct version_run *version)
{
	uint64_t step = version->idle.period_ns / 2, used, before;

	process_look(&version->now, keeper_pid(version->keeper));
	before = process_look_clocks(&version->now);
	for (int i = 0; i < 2 * SETTLE_PERIODS; i++, before = used) {
		sleep_ns(step);
		used = process_look_clocks(&version->now);
		if (used == before)
			break;
	}
	process_look(&version->stood, keeper_pid(version->keeper));
}

static void stand_still(struct pair *pair, struct version_run *version)
{
	if (pair->options->way == PAIR_STOP)
		hold_all(version);
	else
		control_park(version->page, true);
	signal_held(&version->held, SIGSTOP);
	settle(version);
	version->phase = PHASE_STANDS;
	version->stands_since_ns = now_ns();
}

static void let_go(struct version_run *version)
{
	if (version->phase != PHASE_STANDS)
		return;
	version->phase = PHASE_RUNS;
	version->stood_ns += now_ns() - version->stands_since_ns;
	control_park(version->page, false);
	signal_held(&version->held, SIGCONT);
}

/* Did it stand still? Who did not will be stopped another way next time. */
static void judge(struct version_run *version)
{
	pid_t *offenders;
	size_t count;

	process_look(&version->now, keeper_pid(version->keeper));
	offenders = xcalloc(version->now.count + 1, sizeof(*offenders));
	count = idle_judge(&version->idle, &version->stood, &version->now, version->held.pids,
		version->held.count, offenders);
	forget(&version->held, &version->now);
	for (size_t i = 0; i < count; i++) {
		if (hold(&version->held, offenders[i]))
			version->stopped++;
		else
			version->idle.leaks++;
	}
	free(offenders);
}

static int check_idle(struct pair *pair, int which, struct error *err)
{
	const struct version_run *version = &pair->versions[which];

	if (!idle_is_hopeless(&version->idle))
		return ERR_OK;
	pair->report->impossible = true;
	pair->report->failed = which;
	return error_set(err, ERR_MEASURE,
		"it cannot be made to stand still: it used %.0f ms of CPU time "
		"in %u slices of the other's",
		(double)version->idle.cpu_ns / 1e6, version->idle.slices);
}

/* ---- turns -------------------------------------------------------------------------------- */

static int before_turn(struct pair *pair, int which, struct error *err)
{
	const struct pair_options *options = pair->options;

	return options->before_turn ? options->before_turn(options->data, which, err) : ERR_OK;
}

/* Ends what was the other's turn, and begins this one's. */
static int begin_turn(struct pair *pair, int which, struct error *err)
{
	struct version_run *version = &pair->versions[which], *other = &pair->versions[!which];
	int rc = ERR_OK;

	if (other->phase == PHASE_RUNS)
		stand_still(pair, other);
	if (version->phase == PHASE_RUNS)
		return ERR_OK;
	if (version->phase == PHASE_STANDS) {
		judge(version);
		rc = check_idle(pair, which, err);
	}
	if (!rc)
		rc = before_turn(pair, which, err);
	if (rc)
		return rc;
	if (version->phase == PHASE_STANDS) {
		let_go(version);
		return ERR_OK;
	}
	version->phase = PHASE_RUNS;
	return keeper_start(&version->launch.process, &version->keeper, err);
}

static bool is_alive(const struct version_run *version)
{
	return version->phase == PHASE_RUNS || version->phase == PHASE_STANDS;
}

static int end_of(const struct version_run *version)
{
	return is_alive(version) && version->keeper ? keeper_fd(version->keeper) : -1;
}

/* Until the slice is over, or something has happened. Who is alone has no slices. */
static void wait_for_end(struct pair *pair, int which)
{
	struct pollfd fds[] = {{end_of(&pair->versions[0]), POLLIN, 0},
		{end_of(&pair->versions[1]), POLLIN, 0}, {process_interrupt_fd(), POLLIN, 0}};
	uint64_t slice_ns = pair->options->slice_ns;
	const struct timespec slice = {
		(time_t)(slice_ns / SECOND_NS), (long)(slice_ns % SECOND_NS)};

	if (!slices_alone(&pair->slices, which)) {
		ppoll(fds, 3, &slice, NULL);
		return;
	}
	while (poll(fds, 3, KEEPER_LOOK_MS) == 0)
		if (keeper_is_stopped(pair->versions[which].keeper))
			return;
}

/* Of a keeper that stands still there is no end to be heard. */
static bool has_ended(const struct version_run *version)
{
	struct pollfd fd = {end_of(version), POLLIN, 0};

	return poll(&fd, 1, 0) > 0 || (fd.fd >= 0 && keeper_is_stopped(version->keeper));
}

/* The run's own failure; what the captures say is asked when both have ended. */
static bool has_failed(const struct process_result *result)
{
	return result->timed_out || result->signal || result->exit_status;
}

static int finish_version(struct pair *pair, int which, struct error *err)
{
	struct version_run *version = &pair->versions[which];
	struct process_result *result = &version->run->process;
	int rc;

	if (version->phase == PHASE_STANDS)
		version->stood_ns += now_ns() - version->stands_since_ns;
	version->phase = PHASE_OVER;
	slices_end(&pair->slices, which);
	rc = keeper_finish(version->keeper, result, err);
	result->wall_ns -=
		version->stood_ns < result->wall_ns ? version->stood_ns : result->wall_ns;
	if (rc || !has_failed(result))
		return rc;
	return run_collect(version->options, &version->launch, version->run, err);
}

static int note_ends(struct pair *pair, struct error *err)
{
	int rc = ERR_OK;

	for (int i = 0; i < 2 && !rc; i++) {
		if (!has_ended(&pair->versions[i]))
			continue;
		rc = finish_version(pair, i, err);
		if (rc)
			pair->report->failed = i;
	}
	return rc;
}

/* Stopped or parked, they could not end in their own way. */
static int interrupt(struct pair *pair, struct error *err)
{
	for (int i = 0; i < 2; i++)
		let_go(&pair->versions[i]);
	for (int i = 0; i < 2; i++)
		if (is_alive(&pair->versions[i]))
			finish_version(pair, i, err);
	return error_set(err, ERR_INTERRUPTED, "interrupted by SIG%s",
		sigabbrev_np(process_interrupt_signal()));
}

static int take_turns(struct pair *pair, struct error *err)
{
	int rc = ERR_OK, version;

	pair->report->first = SLICES_OVER;
	while (!rc && (version = slices_next(&pair->slices)) != SLICES_OVER) {
		if (pair->report->first == SLICES_OVER)
			pair->report->first = version;
		rc = begin_turn(pair, version, err);
		if (rc)
			break;
		wait_for_end(pair, version);
		if (process_interrupted())
			return interrupt(pair, err);
		rc = note_ends(pair, err);
	}
	return rc;
}

/* ---- before and after --------------------------------------------------------------------- */

/* Away from what is measured, where there is room. */
static void move_away(struct pair *pair)
{
	const cpu_set_t *theirs = pair->versions[0].options->cpus;
	cpu_set_t rest;

	if (!theirs || sched_getaffinity(0, sizeof(pair->our_cpus), &pair->our_cpus) < 0)
		return;
	CPU_XOR(&rest, &pair->our_cpus, theirs);
	CPU_AND(&rest, &rest, &pair->our_cpus);
	pair->moved = CPU_COUNT(&rest) && sched_setaffinity(0, sizeof(rest), &rest) == 0;
}

static void move_back(struct pair *pair)
{
	if (pair->moved)
		sched_setaffinity(0, sizeof(pair->our_cpus), &pair->our_cpus);
}

static int prepare_version(struct pair *pair, int which, const struct run_options *options,
	struct run *run, struct error *err)
{
	struct version_run *version = &pair->versions[which];
	uint32_t rate_hz = options->rate_hz ? options->rate_hz : SAMPLER_RATE_HZ;
	int rc;

	version->options = options;
	version->run = run;
	version->idle.period_ns = SECOND_NS / rate_hz;
	rc = run_prepare(options, true, run, &version->launch, err);
	/* It shares its time with the other. */
	version->launch.process.timeout_ns *= 2;
	version->launch.process.grace_ns = 2 * RUN_GRACE_NS;
	return rc ? rc : control_create(version->launch.control, &version->page, err);
}

static void report_version(struct pair *pair, int which)
{
	const struct version_run *version = &pair->versions[which];

	pair->report->versions[which] = (struct pair_version){
		.slices = pair->slices.count[which],
		.idle_slices = version->idle.slices,
		.stopped = version->stopped,
		.leaks = version->idle.leaks,
		.idle_ns = version->stood_ns,
		.idle_cpu_ns = version->idle.cpu_ns,
	};
}

static void release_version(struct version_run *version)
{
	keeper_free(version->keeper);
	release_held(&version->held);
	process_look_release(&version->stood);
	process_look_release(&version->now);
	control_release(version->page);
	run_launch_release(&version->launch);
}

int pair_run(const struct run_options options[2], const struct pair_options *pair_options,
	struct run runs[2], struct pair_report *report, struct error *err)
{
	struct pair pair = {.options = pair_options, .report = report};
	int rc = ERR_OK;

	*report = (struct pair_report){.failed = -1};
	runs[0] = runs[1] = (struct run){0};
	slices_init(&pair.slices, pair_options->seed);
	for (int i = 0; i < 2 && !rc; i++)
		rc = prepare_version(&pair, i, &options[i], &runs[i], err);
	if (!rc) {
		move_away(&pair);
		rc = take_turns(&pair, err);
		move_back(&pair);
	}
	for (int i = 0; i < 2 && !rc; i++) {
		report->failed = i;
		rc = check_idle(&pair, i, err);
		if (!rc)
			rc = run_collect(&options[i], &pair.versions[i].launch, &runs[i], err);
	}
	if (!rc)
		report->failed = -1;
	for (int i = 0; i < 2; i++) {
		report_version(&pair, i);
		release_version(&pair.versions[i]);
	}
	return rc;
}
