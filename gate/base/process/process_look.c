/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process/process_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/process/process_internal.h"

#define SECOND_NS 1000000000ULL

uint64_t process_cpu_ns(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (uint64_t)used.tv_sec * SECOND_NS + (uint64_t)used.tv_nsec;
}

/* What stands in /proc/PID/stat behind the name: the fields from "state", the third, on. */
struct stat_fields {
	uint64_t reaped_ns;
	uint32_t threads;
};

static bool parse_stat(const char *text, struct stat_fields *out)
{
	const char *end = strrchr(text, ')'); /* the name may hold anything */
	unsigned long long in_user, in_kernel;
	unsigned long threads;
	long ticks = sysconf(_SC_CLK_TCK);

	/* cutime and cstime are fields 16 and 17, num_threads is field 20 */
	if (!end || ticks <= 0 ||
		sscanf(end + 1,
			" %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %llu %llu %*d %*d %lu",
			&in_user, &in_kernel, &threads) != 3)
		return false;
	out->reaped_ns = (in_user + in_kernel) * (SECOND_NS / (uint64_t)ticks);
	out->threads = threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
	return true;
}

static bool read_stat(pid_t pid, struct stat_fields *out)
{
	char path[64], *text;
	bool known;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	text = process_read_proc(path);
	known = text && parse_stat(text, out);
	free(text);
	return known;
}

static void add_view(struct process_look *look, pid_t pid)
{
	struct stat_fields fields;

	if (!read_stat(pid, &fields))
		return;
	look->views =
		grow_array(look->views, &look->capacity, look->count + 1, sizeof(*look->views));
	look->views[look->count++] =
		(struct process_view){pid, process_cpu_ns(pid), fields.threads};
	look->reaped_ns += fields.reaped_ns;
}

void process_look(struct process_look *look, pid_t root)
{
	struct pid_set below = {0};
	struct stat_fields own;

	look->count = 0;
	look->reaped_ns = read_stat(root, &own) ? own.reaped_ns : 0;
	process_tree_below(root, &below);
	for (size_t i = 0; i < below.count; i++)
		add_view(look, below.pids[i]);
	pid_set_release(&below);
}

void process_look_release(struct process_look *look)
{
	free(look->views);
	*look = (struct process_look){0};
}

const struct process_view *process_look_find(const struct process_look *look, pid_t pid)
{
	for (size_t i = 0; i < look->count; i++)
		if (look->views[i].pid == pid)
			return &look->views[i];
	return NULL;
}

uint64_t process_look_clocks(const struct process_look *look)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < look->count; i++)
		sum += process_cpu_ns(look->views[i].pid);
	return sum;
}
