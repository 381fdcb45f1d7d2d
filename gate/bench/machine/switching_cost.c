/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/switching_cost.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/bench/machine/measuring_child.h"

#define PERIOD_NS 1003009 /* as at 997 Hz */
#define ROUNDS 15         /* pairs of turns without and with the event */
#define TURNS 250         /* of each process in a round */

/* What the measuring child sends home. */
struct answer {
	int error; /* errno of the step that failed */
	double ns;
};

/* ---- in the children ------------------------------------------------------------------------- */

static double used_ns(const struct rusage *usage)
{
	return 1e9 * (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       1e3 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static bool stay_on_one_processor(void)
{
	cpu_set_t all, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		return false;
	for (size_t i = CPU_SETSIZE; i-- > 0;) {
		if (!CPU_ISSET(i, &all))
			continue;
		CPU_SET(i, &one);
		return sched_setaffinity(0, sizeof(one), &one) == 0;
	}
	return false;
}

/* Nobody is told of its samples: only the switches are to cost something. */
static int open_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = PERIOD_NS,
		.disabled = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Until the other side has had enough. */
static void echo(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
		;
}

static void close_both(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static bool take_turns(int in, int out)
{
	char byte = 0;

	for (int i = 0; i < TURNS; i++)
		if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1)
			return false;
	return true;
}

/*
 * CPU time of both, since the kernel charges a part of a switch to whoever comes next; negative:
 * it failed. The partner is new in each round, and what it costs to make it is in all of them.
 */
static double round_ns(int event, bool is_on)
{
	struct rusage before, after, partner;
	int there[2], back[2];
	bool done;
	pid_t pid;

	if (pipe(there) != 0)
		return -1;
	if (pipe(back) != 0) {
		close_both(there);
		return -1;
	}
	getrusage(RUSAGE_SELF, &before);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(there[1]);
		echo(there[0], back[1]);
		_exit(0);
	}
	ioctl(event, is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	close(back[1]);
	done = pid > 0 && take_turns(back[0], there[1]);
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	close_both(there);
	close(back[0]);
	if (pid > 0 && wait4(pid, NULL, 0, &partner) != pid)
		done = false;
	getrusage(RUSAGE_SELF, &after);
	return done ? used_ns(&after) - used_ns(&before) + used_ns(&partner) : -1;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* What else runs on the machine only makes rounds longer. */
static double lower_quartile(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), compare);
	return values[ROUNDS / 4];
}

static void measure(void *data, void *found)
{
	struct answer *answer = found;
	double without[ROUNDS], with[ROUNDS];
	int event = open_event();

	(void)data;
	signal(SIGCHLD, SIG_DFL);
	if (event < 0 || !stay_on_one_processor()) {
		answer->error = errno;
		return;
	}
	for (int i = 0; i < ROUNDS; i++) {
		without[i] = round_ns(event, false);
		with[i] = round_ns(event, true);
		if (without[i] < 0 || with[i] < 0) {
			answer->error = EIO;
			return;
		}
	}
	answer->ns = (lower_quartile(with) - lower_quartile(without)) / TURNS;
	if (answer->ns < 0)
		answer->ns = 0;
}

/* ---- in the parent --------------------------------------------------------------------------- */

int switching_cost_measure(double *ns, struct error *err)
{
	struct answer answer;
	int code =
		measuring_child_run(measure, NULL, &answer, sizeof(answer), "a switch costs", err);

	if (code)
		return code;
	if (answer.error)
		return error_errno(
			err, ERR_IO, answer.error, "cannot measure what a switch costs by perf");
	*ns = answer.ns;
	return ERR_OK;
}

double switching_share(double ns, uint64_t switches, uint64_t cpu_ns)
{
	return cpu_ns ? ns * (double)switches / (double)cpu_ns : 0;
}
