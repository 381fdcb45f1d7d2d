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
#define SETTLE_PERIODS 4             /* at most, for an arm to come to its next samples */

/* Processes that are stopped by signals. A pidfd cannot mean another process some day. */
struct held {
	pid_t *pids;
	int *fds;
	size_t count, pid_capacity, fd_capacity;
};

enum stage { STAGE_READY, STAGE_RUNS, STAGE_STANDS, STAGE_OVER };

struct arm_run {
	const struct run_options *options;
	struct run *run;
	struct run_launch launch;
	struct fg_control_page *page;
	struct keeper *keeper;
	enum stage stage;
	struct held held;
	uint32_t stopped;               /* ever held */
	struct process_look stood, now; /* when it came to stand; latest */
	struct idle_account idle;
	uint64_t stands_since_ns, stood_ns;
};

struct pair {
	const struct pair_options *options;
	struct slices slices;
	struct arm_run arms[2];
	struct pair_report *report;
	cpu_set_t our_cpus;
	bool moved; /* to the CPUs that the arms do not use */
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
static void hold_all(struct arm_run *arm)
{
	process_look(&arm->now, keeper_pid(arm->keeper));
	for (size_t i = 0; i < arm->now.count; i++) {
		bool known = false;

		for (size_t j = 0; j < arm->held.count; j++)
			known |= arm->held.pids[j] == arm->now.views[i].pid;
		if (!known && hold(&arm->held, arm->now.views[i].pid))
			arm->stopped++;
	}
}

/* Until nothing runs, as far as their clocks tell;
 * a thread comes to its next sample in a period. */
static void settle(struct arm_run *arm)
{
	uint64_t step = arm->idle.period_ns / 2, used, before;

	process_look(&arm->now, keeper_pid(arm->keeper));
	before = process_look_clocks(&arm->now);
	for (int i = 0; i < 2 * SETTLE_PERIODS; i++, before = used) {
		sleep_ns(step);
		used = process_look_clocks(&arm->now);
		if (used == before)
			break;
	}
	process_look(&arm->stood, keeper_pid(arm->keeper));
}

static void stand_still(struct pair *pair, struct arm_run *arm)
{
	if (pair->options->way == PAIR_STOP)
		hold_all(arm);
	else
		control_park(arm->page, true);
	signal_held(&arm->held, SIGSTOP);
	settle(arm);
	arm->stage = STAGE_STANDS;
	arm->stands_since_ns = now_ns();
}

static void let_go(struct arm_run *arm)
{
	if (arm->stage != STAGE_STANDS)
		return;
	arm->stage = STAGE_RUNS;
	arm->stood_ns += now_ns() - arm->stands_since_ns;
	control_park(arm->page, false);
	signal_held(&arm->held, SIGCONT);
}

/* Did it stand still? Who did not will be stopped another way next time. */
static void judge(struct arm_run *arm)
{
	pid_t *offenders;
	size_t count;

	process_look(&arm->now, keeper_pid(arm->keeper));
	offenders = xcalloc(arm->now.count + 1, sizeof(*offenders));
	count = idle_judge(
		&arm->idle, &arm->stood, &arm->now, arm->held.pids, arm->held.count, offenders);
	forget(&arm->held, &arm->now);
	for (size_t i = 0; i < count; i++) {
		if (hold(&arm->held, offenders[i]))
			arm->stopped++;
		else
			arm->idle.leaks++;
	}
	free(offenders);
}

static int check_idle(struct pair *pair, int which, struct error *err)
{
	const struct arm_run *arm = &pair->arms[which];

	if (!idle_is_hopeless(&arm->idle))
		return ERR_OK;
	pair->report->impossible = true;
	pair->report->failed = which;
	return error_set(err, ERR_MEASURE,
		"it cannot be made to stand still: it used %.0f ms of CPU time "
		"in %u slices of the other's",
		(double)arm->idle.cpu_ns / 1e6, arm->idle.slices);
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
	struct arm_run *arm = &pair->arms[which], *other = &pair->arms[!which];
	int rc = ERR_OK;

	if (other->stage == STAGE_RUNS)
		stand_still(pair, other);
	if (arm->stage == STAGE_RUNS)
		return ERR_OK;
	if (arm->stage == STAGE_STANDS) {
		judge(arm);
		rc = check_idle(pair, which, err);
	}
	if (!rc)
		rc = before_turn(pair, which, err);
	if (rc)
		return rc;
	if (arm->stage == STAGE_STANDS) {
		let_go(arm);
		return ERR_OK;
	}
	arm->stage = STAGE_RUNS;
	return keeper_start(&arm->launch.process, &arm->keeper, err);
}

static bool is_alive(const struct arm_run *arm)
{
	return arm->stage == STAGE_RUNS || arm->stage == STAGE_STANDS;
}

static int end_of(const struct arm_run *arm)
{
	return is_alive(arm) && arm->keeper ? keeper_fd(arm->keeper) : -1;
}

/* Until the slice is over, or something has happened. Who is alone has no slices. */
static void wait_for_end(struct pair *pair, int which)
{
	struct pollfd fds[] = {{end_of(&pair->arms[0]), POLLIN, 0},
		{end_of(&pair->arms[1]), POLLIN, 0}, {process_interrupt_fd(), POLLIN, 0}};
	uint64_t slice_ns = pair->options->slice_ns;
	const struct timespec slice = {
		(time_t)(slice_ns / SECOND_NS), (long)(slice_ns % SECOND_NS)};

	if (!slices_alone(&pair->slices, which)) {
		ppoll(fds, 3, &slice, NULL);
		return;
	}
	while (poll(fds, 3, KEEPER_LOOK_MS) == 0)
		if (keeper_is_stopped(pair->arms[which].keeper))
			return;
}

/* Of a keeper that stands still there is no end to be heard. */
static bool has_ended(const struct arm_run *arm)
{
	struct pollfd fd = {end_of(arm), POLLIN, 0};

	return poll(&fd, 1, 0) > 0 || (fd.fd >= 0 && keeper_is_stopped(arm->keeper));
}

/* The run's own failure; what the captures say is asked when both have ended. */
static bool has_failed(const struct process_result *result)
{
	return result->timed_out || result->signal || result->exit_status;
}

static int finish_arm(struct pair *pair, int which, struct error *err)
{
	struct arm_run *arm = &pair->arms[which];
	struct process_result *result = &arm->run->process;
	int rc;

	if (arm->stage == STAGE_STANDS)
		arm->stood_ns += now_ns() - arm->stands_since_ns;
	arm->stage = STAGE_OVER;
	slices_end(&pair->slices, which);
	rc = keeper_finish(arm->keeper, result, err);
	result->wall_ns -= arm->stood_ns < result->wall_ns ? arm->stood_ns : result->wall_ns;
	if (rc || !has_failed(result))
		return rc;
	return run_collect(arm->options, &arm->launch, arm->run, err);
}

static int note_ends(struct pair *pair, struct error *err)
{
	int rc = ERR_OK;

	for (int i = 0; i < 2 && !rc; i++) {
		if (!has_ended(&pair->arms[i]))
			continue;
		rc = finish_arm(pair, i, err);
		if (rc)
			pair->report->failed = i;
	}
	return rc;
}

/* Stopped or parked, they could not end in their own way. */
static int interrupt(struct pair *pair, struct error *err)
{
	for (int i = 0; i < 2; i++)
		let_go(&pair->arms[i]);
	for (int i = 0; i < 2; i++)
		if (is_alive(&pair->arms[i]))
			finish_arm(pair, i, err);
	return error_set(err, ERR_INTERRUPTED, "interrupted by SIG%s",
		sigabbrev_np(process_interrupt_signal()));
}

static int take_turns(struct pair *pair, struct error *err)
{
	int rc = ERR_OK, arm;

	pair->report->first = SLICES_OVER;
	while (!rc && (arm = slices_next(&pair->slices)) != SLICES_OVER) {
		if (pair->report->first == SLICES_OVER)
			pair->report->first = arm;
		rc = begin_turn(pair, arm, err);
		if (rc)
			break;
		wait_for_end(pair, arm);
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
	const cpu_set_t *theirs = pair->arms[0].options->cpus;
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

static int prepare_arm(struct pair *pair, int which, const struct run_options *options,
	struct run *run, struct error *err)
{
	struct arm_run *arm = &pair->arms[which];
	uint32_t rate_hz = options->rate_hz ? options->rate_hz : SAMPLER_RATE_HZ;
	int rc;

	arm->options = options;
	arm->run = run;
	arm->idle.period_ns = SECOND_NS / rate_hz;
	rc = run_prepare(options, true, run, &arm->launch, err);
	/* It shares its time with the other. */
	arm->launch.process.timeout_ns *= 2;
	arm->launch.process.grace_ns = 2 * RUN_GRACE_NS;
	return rc ? rc : control_create(arm->launch.control, &arm->page, err);
}

static void report_arm(struct pair *pair, int which)
{
	const struct arm_run *arm = &pair->arms[which];

	pair->report->arms[which] = (struct pair_arm){
		.slices = pair->slices.count[which],
		.idle_slices = arm->idle.slices,
		.stopped = arm->stopped,
		.leaks = arm->idle.leaks,
		.idle_ns = arm->stood_ns,
		.idle_cpu_ns = arm->idle.cpu_ns,
	};
}

static void release_arm(struct arm_run *arm)
{
	keeper_free(arm->keeper);
	release_held(&arm->held);
	process_look_release(&arm->stood);
	process_look_release(&arm->now);
	control_release(arm->page);
	run_launch_release(&arm->launch);
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
		rc = prepare_arm(&pair, i, &options[i], &runs[i], err);
	if (!rc) {
		move_away(&pair);
		rc = take_turns(&pair, err);
		move_back(&pair);
	}
	for (int i = 0; i < 2 && !rc; i++) {
		report->failed = i;
		rc = check_idle(&pair, i, err);
		if (!rc)
			rc = run_collect(&options[i], &pair.arms[i].launch, &runs[i], err);
	}
	if (!rc)
		report->failed = -1;
	for (int i = 0; i < 2; i++) {
		report_arm(&pair, i);
		release_arm(&pair.arms[i]);
	}
	return rc;
}
