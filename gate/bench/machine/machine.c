/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "gate/base/cache.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"
#include "gate/base/strbuf.h"
#include "gate/bench/machine/memory_room.h"

#define MAX_FILE_BYTES ((size_t)1 << 20)
#define MAX_VERSION_BYTES 4096
#define STOLEN_FIELD 7 /* of the "cpu" line, from 0 */
#define IDLE_FIELD 3
#define WAIT_FIELD 4

#define CPU_FOLDER "/sys/devices/system/cpu/"

/* The file without its last line break; "" where it cannot be read. */
static const char *read_text(const char *root, const char *path, struct arena *arena)
{
	char *full = file_join(root, path + (*root ? 1 : 0));
	struct strbuf content = STRBUF_INIT;
	const char *text = "";

	if (file_read(full, MAX_FILE_BYTES, &content, NULL) == ERR_OK)
		text = arena_strndup(arena, content.data, strcspn(content.data, "\n"));
	strbuf_release(&content);
	free(full);
	return text;
}

static int32_t read_paranoid(const char *root, struct arena *arena)
{
	const char *text = read_text(root, "/proc/sys/kernel/perf_event_paranoid", arena);
	char *end;
	long value = strtol(text, &end, 10);

	return end == text || value < -10 || value > 100 ? MACHINE_UNKNOWN : (int32_t)value;
}

/* Intel's switch is 1 for "off", everybody else's 0. */
static const char *read_turbo_switch(const char *root, struct arena *arena)
{
	static const char intel[] = CPU_FOLDER "intel_pstate/no_turbo";
	static const char others[] = CPU_FOLDER "cpufreq/boost";

	if (*read_text(root, intel, arena) == '0')
		return intel;
	return *read_text(root, others, arena) == '1' ? others : "";
}

/* "200000 100000" (microseconds of a period), or "max 100000". */
static double read_quota(const char *root, struct arena *arena)
{
	double quota, period;

	if (sscanf(read_text(root, "/sys/fs/cgroup/cpu.max", arena), "%lf %lf", &quota, &period) !=
			2 ||
		!(quota > 0) || !(period > 0))
		return 0;
	return quota / period;
}

static double read_load(const char *root, struct arena *arena)
{
	double load;

	return sscanf(read_text(root, "/proc/loadavg", arena), "%lf", &load) == 1 && load >= 0
		       ? load
		       : -1;
}

static uint32_t count_allowed(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 0;
}

/* Of the folder, or of the nearest one above it that is there. */
static uint64_t free_bytes(const char *path)
{
	char *at = xstrdup(path), *slash;
	struct statvfs info;
	uint64_t bytes = UINT64_MAX;

	while (statvfs(at, &info) != 0 && (slash = strrchr(at, '/')) && slash != at)
		*slash = '\0';
	if (statvfs(at, &info) == 0)
		bytes = (uint64_t)info.f_bavail * info.f_frsize;
	free(at);
	return bytes;
}

static void read_space(struct machine_facts *facts, struct arena *arena)
{
	const char *temporary = getenv("TMPDIR");
	struct strbuf cache = STRBUF_INIT;

	facts->scratch = arena_strdup(arena, temporary && *temporary ? temporary : "/tmp");
	facts->scratch_bytes = free_bytes(facts->scratch);
	facts->cache = "";
	facts->cache_bytes = UINT64_MAX;
	if (cache_home(&cache, NULL) == ERR_OK) {
		facts->cache = arena_strdup(arena, cache.data);
		facts->cache_bytes = free_bytes(facts->cache);
	}
	strbuf_release(&cache);
}

void machine_git_version(const char *text, int32_t *major, int32_t *minor)
{
	int first, second;

	*major = *minor = MACHINE_UNKNOWN;
	if (sscanf(text, "git version %4d.%4d", &first, &second) != 2 || first < 0 || second < 0)
		return;
	*major = first;
	*minor = second;
}

static void read_git(struct machine_facts *facts, struct arena *arena)
{
	const char *const argv[] = {"git", "--version", NULL};
	struct strbuf text = STRBUF_INIT;
	const struct process_options options = {
		.argv = argv, .capture = &text, .capture_limit = MAX_VERSION_BYTES};
	struct process_result result;

	facts->git = "";
	facts->git_major = facts->git_minor = MACHINE_UNKNOWN;
	if (process_run(&options, &result, NULL) == ERR_OK && result.exit_status == 0) {
		facts->git = arena_strndup(arena, text.data, strcspn(text.data, "\n"));
		machine_git_version(facts->git, &facts->git_major, &facts->git_minor);
	}
	strbuf_release(&text);
}

void machine_read(const char *root, struct machine_facts *facts, struct arena *arena)
{
	*facts = (struct machine_facts){.steal = -1, .noise = -1};
	facts->perf_event_paranoid = read_paranoid(root, arena);
	facts->privileged = geteuid() == 0;
	facts->governor = read_text(root, CPU_FOLDER "cpu0/cpufreq/scaling_governor", arena);
	facts->turbo_switch = read_turbo_switch(root, arena);
	facts->smt = *read_text(root, CPU_FOLDER "smt/active", arena) == '1';
	facts->cpus_allowed = count_allowed();
	facts->quota_cpus = read_quota(root, arena);
	facts->load = read_load(root, arena);
	facts->memory_bytes = memory_room();
	read_space(facts, arena);
	read_git(facts, arena);
}

bool machine_cpu_times(const char *root, struct machine_cpu_times *out)
{
	struct arena arena = ARENA_INIT;
	const char *at = read_text(root, "/proc/stat", &arena);
	struct machine_cpu_times times = {0, 0};
	int field = 0;

	if (strncmp(at, "cpu ", 4) == 0) {
		char *end;

		for (at += 4; field <= STOLEN_FIELD; field++, at = end) {
			double ticks = strtod(at, &end);

			if (end == at)
				break;
			if (field == STOLEN_FIELD)
				times.stolen = ticks;
			else if (field != IDLE_FIELD && field != WAIT_FIELD)
				times.busy += ticks;
		}
	}
	arena_release(&arena);
	if (field <= STOLEN_FIELD)
		return false;
	*out = times;
	return true;
}

double machine_steal(const struct machine_cpu_times *before, const struct machine_cpu_times *after)
{
	double busy = after->busy - before->busy, stolen = after->stolen - before->stolen;

	if (!(busy >= 0) || !(stolen >= 0) || !(busy + stolen > 0))
		return -1;
	return stolen / (busy + stolen);
}
