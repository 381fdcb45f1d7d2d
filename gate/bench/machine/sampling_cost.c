/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/sampling_cost.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/bench/machine/measuring_child.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define PERIOD_NS 1003009 /* as at 997 Hz */
#define GAPS_WANTED 300
#define GAPS_NEEDED 200
#define CPU_BUDGET_NS 1000000000ULL
#define STEPS_BETWEEN_LOOKS 4096
#define MOST_SHARE 0.01
#define MOST_HZ 997
#define LEAST_HZ 97

struct mechanism {
	const char *name;
	int (*start)(int signal);
};

/* What the child sends home. */
struct answer {
	int error; /* errno of the step that failed */
	unsigned gaps;
	double quartile_ns;
};

/* ---- in the child ---------------------------------------------------------------------------- */

static volatile sig_atomic_t signals;
static timer_t posix_timer;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void on_perf(int signal)
{
	(void)signal;
	signals++;
}

static int arm_posix(void)
{
	const struct itimerspec once = {{0, 0}, {0, PERIOD_NS}};

	return timer_settime(posix_timer, 0, &once, NULL);
}

/* Each expiry arms the next one, as the sampler does. */
static void on_posix(int signal)
{
	(void)signal;
	signals++;
	arm_posix();
}

static bool handle(int number, void (*handler)(int))
{
	struct sigaction action;
	sigset_t set;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = SA_RESTART;
	sigemptyset(&set);
	sigaddset(&set, number);
	return sigaction(number, &action, NULL) == 0 && sigprocmask(SIG_UNBLOCK, &set, NULL) == 0;
}

/* These return 0 or errno. */
static int start_perf(int number)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = PERIOD_NS,
		.disabled = 1,
		.exclude_hv = 1,
		.wakeup_events = 1,
	};
	const struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || !handle(number, on_perf) || fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) != 0 ||
		fcntl(fd, F_SETSIG, number) != 0 || fcntl(fd, F_SETOWN_EX, &owner) != 0 ||
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
		return errno;
	return 0;
}

static int start_posix(int number)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = number;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (!handle(number, on_posix) || timer_create(CLOCK_MONOTONIC, &event, &posix_timer) != 0 ||
		arm_posix() != 0)
		return errno;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * A loop that reads the clock. A signal is seen in the step that it has torn, or in the one after
 * where it fell between the two reads; the shortest step is the loop's own.
 */
static unsigned tear(uint64_t *gaps)
{
	uint64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + CPU_BUDGET_NS;
	uint64_t last = now_ns(CLOCK_MONOTONIC), before = 0, shortest = UINT64_MAX;
	sig_atomic_t seen = signals;
	unsigned count = 0;

	for (uint64_t i = 1; count < GAPS_WANTED; i++) {
		sig_atomic_t came = signals;
		uint64_t now = now_ns(CLOCK_MONOTONIC), step = now - last;

		if (came == seen + 1)
			gaps[count++] = step > before ? step : before;
		if (step < shortest)
			shortest = step;
		if (i % STEPS_BETWEEN_LOOKS == 0 && now_ns(CLOCK_THREAD_CPUTIME_ID) > end)
			break;
		before = step;
		last = now;
		seen = came;
	}
	for (unsigned i = 0; i < count; i++)
		gaps[i] -= gaps[i] > shortest ? shortest : gaps[i];
	return count;
}

static void spin(void *data, void *answer)
{
	static uint64_t gaps[GAPS_WANTED];
	const struct mechanism *mechanism = data;
	struct answer *out = answer;

	out->error = mechanism->start(SIGRTMIN + 1);
	if (out->error)
		return;
	out->gaps = tear(gaps);
	qsort(gaps, out->gaps, sizeof(*gaps), compare);
	if (out->gaps)
		out->quartile_ns = (double)gaps[out->gaps / 4];
}

/* ---- in the parent --------------------------------------------------------------------------- */

static struct mechanism mechanisms[] = {{"perf", start_perf}, {"posix", start_posix}};

static int measure_one(struct mechanism *mechanism, struct sampling_cost *out, struct error *err)
{
	struct answer answer;
	int code = measuring_child_run(
		spin, mechanism, &answer, sizeof(answer), "a sample costs", err);

	if (code)
		return code;
	if (answer.error)
		return error_errno(
			err, ERR_IO, answer.error, "%s timers do not work here", mechanism->name);
	if (answer.gaps < GAPS_NEEDED)
		return error_set(err, ERR_MEASURE,
			"only %u signals of %s came in a second of CPU time", answer.gaps,
			mechanism->name);
	*out = (struct sampling_cost){mechanism->name, answer.quartile_ns, answer.gaps};
	return ERR_OK;
}

int sampling_cost_measure(const char *mechanism, struct sampling_cost *out, struct error *err)
{
	bool any = strcmp(mechanism, "auto") == 0;
	int code = error_set(err, ERR_USAGE, "no timer is called %s", mechanism);

	for (size_t i = 0; code && i < sizeof(mechanisms) / sizeof(mechanisms[0]); i++)
		if (any || strcmp(mechanism, mechanisms[i].name) == 0)
			code = measure_one(&mechanisms[i], out, err);
	return code;
}

static bool is_prime(uint32_t number)
{
	for (uint32_t divisor = 2; divisor * divisor <= number; divisor++)
		if (number % divisor == 0)
			return false;
	return true;
}

uint32_t sampling_rate_auto(const struct sampling_cost *cost)
{
	uint32_t rate = MOST_HZ;

	while (rate > LEAST_HZ &&
		(!is_prime(rate) || (double)rate * cost->signal_ns > MOST_SHARE * 1e9))
		rate--;
	return rate;
}
