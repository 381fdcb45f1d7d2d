/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf task-clock per thread, the kernel included (a thread that spends its time in page faults
 * must read so). Signals are sent on credit (PERF_EVENT_IOC_REFRESH): a thread that blocks the
 * signal for long queues no more than that many of them. Past RLIMIT_SIGPENDING the kernel would
 * send a SIGIO (full_queue.h). Credit is renewed in batches, because a renewal costs up to 8 us;
 * where few threads share the limit, in large ones.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/thread/slots.h"

#define SHORTEST_NS 10000 /* the kernel's own lower bound */
#define CREDIT 64
#define CREDIT_OF_FEW 256
#define FEW_THREADS 16
#define VARY_EVERY 16
#define WATCH_FROM 8       /* samples after which a thread is worth a second timer */
#define WATCH_NS 100000000 /* of CPU time between two looks */

static uint64_t period_ns(void)
{
	return UINT64_C(1000000000) / fg_config.rate_hz;
}

static int open_event(const struct fg_thread *thread, uint64_t first_ns)
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
	pid_t whose = thread->is_adopted ? thread->tid : 0;
	long fd = FG_RAW6(SYS_perf_event_open, &attr, whose, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);

	if (fd == -EINVAL || fd == -E2BIG) {
		attr.remove_on_exec = 0; /* before Linux 5.13 */
		fd = FG_RAW6(SYS_perf_event_open, &attr, whose, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
	}
	return (int)fd;
}

static int move_up(int fd)
{
	int high = (int)FG_RAW3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FG_LOWEST_FD);

	fg_raw_close(fd);
	return high;
}

/* 0 or errno. */
static int control(int fd, unsigned long request, const void *argument)
{
	return (int)-FG_RAW3(SYS_ioctl, fd, request, argument);
}

static int with_number(int fd, unsigned long request, uintptr_t number)
{
	return (int)-FG_RAW3(SYS_ioctl, fd, request, number);
}

static int direct_signals(int fd, pid_t tid)
{
	const struct f_owner_ex owner = {F_OWNER_TID, tid};
	long error = FG_RAW3(SYS_fcntl, fd, F_SETFL, O_ASYNC | O_NONBLOCK);

	if (!error)
		error = FG_RAW3(SYS_fcntl, fd, F_SETSIG, fg_signal);
	if (!error)
		error = FG_RAW3(SYS_fcntl, fd, F_SETOWN_EX, &owner);
	return (int)-error;
}

static int start(struct fg_thread *thread)
{
	int fd = open_event(thread, fg_thread_random(thread, period_ns())), error;

	thread->perf_credit = thread->perf_before = thread->perf_since = 0;
	thread->perf_hurries = false;
	if (fd >= 0)
		fd = move_up(fd);
	if (fd < 0)
		return -fd;
	error = direct_signals(fd, thread->tid);
	if (!error)
		error = control(fd, PERF_EVENT_IOC_ID, &thread->perf_id);
	if (!error && !fg_slot_set_fd(thread, fd))
		error = EMFILE;
	if (!error)
		error = with_number(fd, PERF_EVENT_IOC_REFRESH, 1);
	if (error) {
		fg_slot_set_fd(thread, -1);
		fg_raw_close(fd);
	}
	return error;
}

/* The program may have closed our descriptor and opened its own in its place. */
static bool is_ours(const struct fg_thread *thread)
{
	uint64_t id = 0;

	return thread->perf_fd >= 0 && control(thread->perf_fd, PERF_EVENT_IOC_ID, &id) == 0 &&
	       id == thread->perf_id;
}

/* handler. A closed event sends nothing; this timer is the kernel's tick, so it costs nothing. */
static void watch(struct fg_thread *thread)
{
	const struct itimerspec when = {{0, WATCH_NS}, {0, WATCH_NS}};

	if (fg_timer_create(thread, fg_thread_clock(thread->tid), &thread->perf_watch) == 0)
		FG_RAW6(SYS_timer_settime, thread->perf_watch, 0, &when, 0, 0, 0);
}

/* Where the user has no timer left it is asked for again, at twice as many samples each time. */
static bool is_time_to_watch(const struct fg_thread *thread)
{
	return thread->perf_watch < 0 && thread->samples >= WATCH_FROM &&
	       (thread->samples & (thread->samples - 1)) == 0;
}

static void unwatch(struct fg_thread *thread)
{
	if (thread->perf_watch >= 0)
		FG_RAW3(SYS_timer_delete, thread->perf_watch, 0, 0);
	thread->perf_watch = -1;
}

/* No sample between two looks: the last signal on credit found no way to us (full_queue.h). */
static void start_again(struct fg_thread *thread)
{
	if (thread->samples == thread->perf_looked && period_ns() < WATCH_NS / 2)
		with_number(thread->perf_fd, PERF_EVENT_IOC_REFRESH, 1);
	thread->perf_looked = thread->samples;
}

static void look_after(struct fg_thread *thread)
{
	if (is_ours(thread)) {
		start_again(thread);
		return;
	}
	unwatch(thread);
	fg_slot_set_fd(thread, -1);
	fg_count(FG_COUNTER_LOST_TIMER);
	thread->timer = fg_timer_posix.start(thread) == 0 ? &fg_timer_posix : NULL;
}

/* The first expiry comes after a part of a period, and stands for all of it. */
static bool due(struct fg_thread *thread, const siginfo_t *info, uint64_t now_ns, uint64_t *weight)
{
	if (info->si_code == SI_TIMER) {
		look_after(thread);
		return false;
	}
	*weight = now_ns - thread->last_ns;
	if (thread->is_first && *weight < period_ns())
		*weight = period_ns();
	return true;
}

/*
 * 0.5 to 1.5 periods, so that no loop of the program keeps step for long. Not each time: while the
 * event runs the call sets the processor's timer twice, which takes 2 to 20 us in virtual machines.
 * Before the renewal, which would let the old period run first.
 */
static void vary_period(struct fg_thread *thread, uint64_t spent_ns)
{
	uint64_t period = period_ns() / 2 + fg_thread_random(thread, period_ns());

	period = period > spent_ns + SHORTEST_NS ? period - spent_ns : SHORTEST_NS;
	control(thread->perf_fd, PERF_EVENT_IOC_PERIOD, &period);
}

/*
 * The first sample of a process makes its file, which takes longer than some processes live: that
 * is CPU time too, and a part of the interval that begins.
 */
static void vary_at(struct fg_thread *thread, uint64_t now_ns)
{
	uint64_t spent = 0;

	if (thread->samples == 1) {
		spent = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID) - now_ns;
		thread->perf_hurries = spent > period_ns() / 8;
		vary_period(thread, thread->perf_hurries ? spent : 0);
	} else if (thread->perf_hurries || thread->samples % VARY_EVERY == 0) {
		thread->perf_hurries = false;
		vary_period(thread, 0);
	}
}

/* All threads that this process has had count as alive: a limit shared by too many is worse. */
static int most_credit(void)
{
	const struct fg_capture_header *header = fg_capture();
	uint64_t threads =
		header ? __atomic_load_n(&header->threads, __ATOMIC_RELAXED) : FEW_THREADS + 1;

	return threads <= FEW_THREADS ? CREDIT_OF_FEW : CREDIT;
}

static bool one_waits(void)
{
	uint64_t pending = 0;

	FG_RAW3(SYS_rt_sigpending, &pending, sizeof(pending), 0);
	return pending >> (fg_signal - 1) & 1;
}

static void grant(struct fg_thread *thread, int left, int count)
{
	if (count <= 0 ||
		with_number(thread->perf_fd, PERF_EVENT_IOC_REFRESH, (uintptr_t)count) != 0)
		return;
	thread->perf_credit = left + count;
	thread->perf_before = left;
	thread->perf_since = 0;
}

/*
 * POLL_HUP: the event had sent all it might. Signals come in order: where this one was granted
 * before the last renewal, the event runs again since; else it has stopped, and what does not wait
 * was lost.
 */
static int credit_left(struct fg_thread *thread, bool is_spent)
{
	int left = thread->perf_credit - 1;
	bool has_stopped = ++thread->perf_since > thread->perf_before && is_spent;

	return left <= 0 || (has_stopped && !one_waits()) ? 0 : left;
}

static bool takes_long(uint64_t began_ns)
{
	return fg_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns > period_ns() / 2;
}

/*
 * An interval may be shorter than its own interruption takes: a hurried one, or any where the
 * handler is slow. On more than one credit the event would follow itself until all were spent, and
 * be renewed meanwhile: the program would stand still. On one it has the interval for itself.
 */
static void renew(struct fg_thread *thread, bool is_spent, uint64_t began_ns)
{
	int most = thread->perf_hurries ? 1 : most_credit(), left = credit_left(thread, is_spent);

	thread->perf_credit = left;
	if (left > most / 2) {
		grant(thread, left, is_spent); /* one too many at times: it shall not stand still */
		return;
	}
	if (most > 1 && takes_long(began_ns))
		most = 1;
	grant(thread, left, left < most ? most - left : is_spent);
}

/*
 * The first expiry was armed alone, with a period of its own. POLL_HUP: it was the last on credit.
 * One that came as a SIGIO does not say whether it was: what it has used is given back.
 */
static void again(struct fg_thread *thread, const siginfo_t *info, uint64_t now_ns)
{
	if (info->si_code == SI_TIMER)
		return;
	vary_at(thread, now_ns);
	if (info->si_code == SI_KERNEL)
		with_number(thread->perf_fd, PERF_EVENT_IOC_REFRESH, 1);
	else
		renew(thread, info->si_code == POLL_HUP, now_ns);
	if (is_time_to_watch(thread))
		watch(thread);
}

static void suspend(struct fg_thread *thread)
{
	with_number(thread->perf_fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Where drained signals had used up the credit there is no limit until the next again(). */
static void resume(struct fg_thread *thread)
{
	with_number(thread->perf_fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void stop(struct fg_thread *thread)
{
	int fd = thread->perf_fd;
	bool ours = is_ours(thread);

	unwatch(thread);
	fg_slot_set_fd(thread, -1);
	if (!ours)
		return;
	with_number(fd, PERF_EVENT_IOC_DISABLE, 0);
	fg_raw_close(fd);
}

/* A forked child's copy of the descriptor: closing it leaves the parent's event alone. */
static void forget(struct fg_thread *thread)
{
	int fd = thread->perf_fd;
	bool ours = is_ours(thread);

	thread->perf_watch = -1;
	fg_slot_set_fd(thread, -1);
	if (ours)
		fg_raw_close(fd);
}

const struct fg_timer fg_timer_perf = {
	.mechanism = FG_MECHANISM_PERF,
	.start = start,
	.due = due,
	.again = again,
	.suspend = suspend,
	.resume = resume,
	.stop = stop,
	.forget = forget,
	.period_ns = period_ns,
};
