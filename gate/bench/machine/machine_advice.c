/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to change about a machine that measures badly, gravest first, with the command that does it
 * where there is one.
 */
#include "gate/bench/machine/machine.h"

#include <stdarg.h>
#include <string.h>

#include "gate/base/strbuf.h"

#define PARANOID_ENOUGH 1
#define SCRATCH_ENOUGH ((uint64_t)1 << 30)
#define CACHE_ENOUGH ((uint64_t)2 << 30)
#define MEMORY_ENOUGH ((uint64_t)512 << 20)
#define LOAD_ENOUGH 0.5 /* runnable processes for each of our CPUs, before we start */
#define STEAL_ENOUGH 0.02
#define NOISE_ENOUGH 0.05
#define DRIFT 0.5
#define MEBIBYTE (1024.0 * 1024.0)

struct adviser {
	const struct machine_facts *facts;
	struct arena *arena;
	struct machine_advice *out;
	size_t count;
};

static void advise(struct adviser *adviser, const char *command, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void advise(struct adviser *adviser, const char *command, const char *format, ...)
{
	struct strbuf what = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&what, format, args);
	va_end(args);
	adviser->out[adviser->count++] =
		(struct machine_advice){arena_strdup(adviser->arena, what.data), command};
	strbuf_release(&what);
}

static void on_git(struct adviser *adviser)
{
	const struct machine_facts *facts = adviser->facts;
	const char *command = "sudo apt-get install git";

	if (!*facts->git)
		advise(adviser, command, "git is missing: check needs it for worktrees and stores");
	else if (facts->git_major != MACHINE_UNKNOWN &&
		 (facts->git_major < MACHINE_GIT_MAJOR ||
			 (facts->git_major == MACHINE_GIT_MAJOR &&
				 facts->git_minor < MACHINE_GIT_MINOR)))
		advise(adviser, command,
			"git %d.%d is older than %d.%d: snapshots and the notes store may fail",
			facts->git_major, facts->git_minor, MACHINE_GIT_MAJOR, MACHINE_GIT_MINOR);
}

static void on_perf(struct adviser *adviser)
{
	const struct machine_facts *facts = adviser->facts;

	if (!facts->perf_tried || facts->perf_works)
		return;
	if (!facts->privileged && facts->perf_event_paranoid > PARANOID_ENOUGH)
		advise(adviser, "sudo sysctl kernel.perf_event_paranoid=1",
			"perf events with kernel time are for root alone (perf_event_paranoid is "
			"%d): with 1, 997 samples a CPU second instead of one a kernel tick",
			facts->perf_event_paranoid);
	else
		advise(adviser, "docker run --security-opt seccomp=unconfined ...",
			"perf events are refused (%s) though the kernel's settings allow them: a "
			"container's seccomp profile, most likely",
			facts->perf_refusal ? strerror(facts->perf_refusal) : "no reason given");
}

static void on_neighbours(struct adviser *adviser)
{
	const struct machine_facts *facts = adviser->facts;
	uint32_t cpus = facts->cpus_allowed;

	if (facts->steal > STEAL_ENOUGH)
		advise(adviser, "",
			"the host gave %.1f %% of the CPU time to other virtual machines: one with "
			"CPUs of its own measures better",
			100 * facts->steal);
	if (cpus && facts->load > LOAD_ENOUGH * cpus)
		advise(adviser, "top",
			"something else was running (load %.1f on %u CPUs) before doctor started: "
			"stop it while benchmarks run",
			facts->load, cpus);
	if (cpus == 1)
		advise(adviser, "",
			"there is one CPU for everything: with two, "
			"the benchmark has one of its own");
	if (facts->quota_cpus > 0 && facts->quota_cpus < cpus)
		advise(adviser, "",
			"the control group's quota is %.2f of %u CPUs: the kernel stops benchmarks "
			"in the middle when it is used up; allow whole CPUs "
			"(docker --cpuset-cpus) instead",
			facts->quota_cpus, cpus);
}

static void on_clock_speed(struct adviser *adviser)
{
	const struct machine_facts *facts = adviser->facts;

	if (*facts->governor && strcmp(facts->governor, "performance") != 0)
		advise(adviser, "sudo cpupower frequency-set -g performance",
			"the governor is %s: the clock follows the load, and times with it",
			facts->governor);
	if (*facts->turbo_switch)
		advise(adviser,
			arena_printf(adviser->arena, "echo %d | sudo tee %s",
				strstr(facts->turbo_switch, "no_turbo") ? 1 : 0,
				facts->turbo_switch),
			"turbo is on: the clock depends on temperature and on the other cores");
	if (facts->smt)
		advise(adviser, "echo off | sudo tee /sys/devices/system/cpu/smt/control",
			"two threads share each core (SMT): what runs beside a benchmark slows it");
}

static void on_space(struct adviser *adviser)
{
	const struct machine_facts *facts = adviser->facts;

	if (facts->memory_bytes < MEMORY_ENOUGH)
		advise(adviser, "", "only %.0f MiB of memory are left for builds and benchmarks",
			(double)facts->memory_bytes / MEBIBYTE);
	if (facts->scratch_bytes < SCRATCH_ENOUGH)
		advise(adviser, "export TMPDIR=...",
			"only %.0f MiB are free in %s, where captures are written",
			(double)facts->scratch_bytes / MEBIBYTE, facts->scratch);
	if (facts->cache_bytes < CACHE_ENOUGH)
		advise(adviser, "export FLAMEGATE_CACHE=...",
			"only %.0f MiB are free for %s, where built versions are kept",
			(double)facts->cache_bytes / MEBIBYTE, facts->cache);
}

static void on_noise(struct adviser *adviser)
{
	const struct machine_facts *facts = adviser->facts;

	if (facts->noise < 0 || facts->noise <= NOISE_ENOUGH)
		return;
	if (facts->autocorrelation > DRIFT)
		advise(adviser, "",
			"equal runs differ by %.1f %%, most of it slow drift, which pairs cancel: "
			"do not compare runs from different minutes by hand",
			100 * facts->noise);
	else
		advise(adviser, "",
			"equal runs differ by %.1f %% from one to the next: more pairs "
			"(policy.pairs) or a quieter machine find smaller changes",
			100 * facts->noise);
}

size_t machine_advise(const struct machine_facts *facts, struct arena *arena,
	struct machine_advice out[MACHINE_ADVICE_MAX])
{
	struct adviser adviser = {facts, arena, out, 0};

	on_git(&adviser);
	on_perf(&adviser);
	on_neighbours(&adviser);
	on_noise(&adviser);
	on_clock_speed(&adviser);
	on_space(&adviser);
	return adviser.count;
}
