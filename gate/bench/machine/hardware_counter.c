/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/hardware_counter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gate/base/error.h"

const struct hardware_event hardware_instructions = {
	PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};

/* What read() gives, by read_format. */
struct reading {
	uint64_t count, enabled_ns, running_ns;
};

static int explain(int number, struct error *err)
{
	if (number == EACCES || number == EPERM)
		return error_set(err, ERR_MEASURE,
			"the processor's counters may not be read here: "
			"kernel.perf_event_paranoid must be 2 or less, and a container's seccomp "
			"profile must allow perf_event_open");
	if (number == ENOENT || number == EOPNOTSUPP || number == ENODEV || number == ENOSYS)
		return error_set(err, ERR_MEASURE,
			"this machine has no such processor counter (most "
			"virtual machines have none)");
	return error_errno(err, ERR_MEASURE, number, "cannot open a processor counter");
}

/* We never exec, so of the counter's processes only those that we start are ever counted. */
int hardware_counter_open(
	const struct hardware_event *event, struct hardware_counter *counter, struct error *err)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	counter->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return counter->fd < 0 ? explain(errno, err) : ERR_OK;
}

int hardware_counter_read(
	const struct hardware_counter *counter, uint64_t *count, struct error *err)
{
	struct reading reading;
	ssize_t got = read(counter->fd, &reading, sizeof(reading));

	if (got != (ssize_t)sizeof(reading))
		return error_errno(
			err, ERR_MEASURE, got < 0 ? errno : EIO, "cannot read a processor counter");
	if (reading.running_ns < reading.enabled_ns)
		return error_set(err, ERR_MEASURE,
			"the processor's counters were shared with others, so the count is no "
			"exact one: run nothing else that counts, or take valgrind");
	*count = reading.count;
	return ERR_OK;
}

void hardware_counter_close(struct hardware_counter *counter)
{
	if (counter->fd >= 0)
		close(counter->fd);
	counter->fd = -1;
}
