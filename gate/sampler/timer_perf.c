/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf task-clock per thread, the kernel included (a thread that spends its time in page faults
 * must read so). Signals are sent on credit (PERF_EVENT_IOC_REFRESH): a thread that blocks the
 * signal for long queues no more than CREDIT of them. Past RLIMIT_SIGPENDING the kernel would send
 * a SIGIO, which kills. Credit is renewed in batches, because asking for each signal costs 8 us.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gate/sampler/raw.h"

#define FG_LOWEST_FD 256  /* out of the way of programs that count on small numbers */
#define SHORTEST_NS 10000 /* the kernel's own lower bound */
#define CREDIT 64

static uint64_t period_ns(void)
{
	return UINT64_C(1000000000) / fg_config.rate_hz;
}

static int open_event(uint64_t first_ns)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = first_ns < SHORTEST_NS ? SHORTEST_NS : first_ns,
		.disabled = 1,
		.exclude_hv = 1,
		.wakeup_events = 1,
		.remove_on_exec = 1,
	};
	long fd = FG_RAW6(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);

	if (fd == -EINVAL || fd == -E2BIG) {
		attr.remove_on_exec = 0; /* before Linux 5.13 */
		fd = FG_RAW6(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
	}
	return (int)fd;
}

static int move_up(int fd)
{
	int high = (int)FG_RAW3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FG_LOWEST_FD);

	fg_raw_close(fd);
	return high;
}

static int direct_signals(int fd, pid_t tid)
{
	struct f_owner_ex owner = {F_OWNER_TID, tid};

	if (fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) != 0 || fcntl(fd, F_SETSIG, fg_signal) != 0 ||
		fcntl(fd, F_SETOWN_EX, &owner) != 0)
		return -1;
	return 0;
}

static int start(struct fg_thread *thread)
{
	int fd = open_event(fg_thread_random(thread, period_ns())), error;

	if (fd >= 0)
		fd = move_up(fd);
	if (fd < 0)
		return -fd;
	if (direct_signals(fd, thread->tid) != 0 ||
		ioctl(fd, PERF_EVENT_IOC_ID, &thread->perf_id) != 0 ||
		ioctl(fd, PERF_EVENT_IOC_REFRESH, 1) != 0) {
		error = errno;
		fg_raw_close(fd);
		return error;
	}
	thread->perf_fd = fd;
	return 0;
}

static bool owns(const struct fg_thread *thread, const siginfo_t *info)
{
	return (info->si_code == POLL_IN || info->si_code == POLL_HUP) &&
	       info->si_fd == thread->perf_fd;
}

/* The first expiry was armed alone, with a period of its own. POLL_HUP: it was the last on credit.
 */
static void again(struct fg_thread *thread, const siginfo_t *info)
{
	uint64_t period = period_ns();

	if (thread->samples == 1)
		ioctl(thread->perf_fd, PERF_EVENT_IOC_PERIOD, &period);
	if (info->si_code == POLL_HUP) {
		thread->perf_credit = CREDIT;
		ioctl(thread->perf_fd, PERF_EVENT_IOC_REFRESH, CREDIT);
	} else if (--thread->perf_credit <= CREDIT / 2) {
		thread->perf_credit += CREDIT / 2;
		ioctl(thread->perf_fd, PERF_EVENT_IOC_REFRESH, CREDIT / 2);
	}
}

static void suspend(struct fg_thread *thread)
{
	ioctl(thread->perf_fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Where drained signals had used up the credit there is no limit until the next again(). */
static void resume(struct fg_thread *thread)
{
	ioctl(thread->perf_fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* The program may have closed our descriptor and opened its own in its place. */
static bool is_ours(const struct fg_thread *thread)
{
	uint64_t id;

	return thread->perf_fd >= 0 && ioctl(thread->perf_fd, PERF_EVENT_IOC_ID, &id) == 0 &&
	       id == thread->perf_id;
}

static void stop(struct fg_thread *thread)
{
	if (is_ours(thread)) {
		ioctl(thread->perf_fd, PERF_EVENT_IOC_DISABLE, 0);
		fg_raw_close(thread->perf_fd);
	}
	thread->perf_fd = -1;
}

/* A forked child's copy of the descriptor: closing it leaves the parent's event alone. */
static void forget(struct fg_thread *thread)
{
	if (is_ours(thread))
		fg_raw_close(thread->perf_fd);
	thread->perf_fd = -1;
}

const struct fg_timer fg_timer_perf = {
	.mechanism = FG_MECHANISM_PERF,
	.start = start,
	.owns = owns,
	.again = again,
	.suspend = suspend,
	.resume = resume,
	.stop = stop,
	.forget = forget,
	.period_ns = period_ns,
};
