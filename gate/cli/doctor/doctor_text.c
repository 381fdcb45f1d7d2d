/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor found out as aligned lines, for people. */
#include "gate/base/text.h"
#include "gate/check/version.h"
#include "gate/cli/doctor/doctor.h"
#include "gate/cli/version/build_info.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define COLUMN 14
#define MEBIBYTE (1024.0 * 1024.0)

void doctor_say(struct strbuf *out, const char *what, const char *format, ...)
{
	struct strbuf raw = STRBUF_INIT, plain = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&raw, format, args);
	va_end(args);
	text_defuse(&plain, raw.data, raw.length);
	for (size_t i = 0; i < plain.length; i++)
		if (plain.data[i] == '\n' || plain.data[i] == '\t')
			plain.data[i] = ' ';
	strbuf_addf(out, "%-*s%s\n", COLUMN, what, plain.length ? plain.data : "not readable");
	strbuf_release(&raw);
	strbuf_release(&plain);
}

static void say_machine(const struct doctor_report *report, struct strbuf *out)
{
	const struct fingerprint *fingerprint = &report->fingerprint;

	doctor_say(out, "flamegate", "%s (%s)", FLAMEGATE_VERSION, build_info);
	doctor_say(out, "cpu", "%s", fingerprint->cpu_model);
	doctor_say(out, "cpus", "%u online, %u for us%s", fingerprint->cpus_online,
		fingerprint->cpus_allowed, report->facts.smt ? ", two threads a core" : "");
	doctor_say(out, "kernel", "%s", fingerprint->kernel);
	doctor_say(out, "libc", "%s", fingerprint->libc);
	doctor_say(out, "governor", "%s", fingerprint->governor);
	doctor_say(out, "turbo", "%s", fingerprint->turbo);
	doctor_say(out, "virtual", "%s",
		fingerprint->virtualization[0] ? fingerprint->virtualization : "no");
	doctor_say(out, "perf_paranoid", "%s", fingerprint->perf_event_paranoid);
	doctor_say(out, "environment", "%s", report->environment);
}

static void say_space(struct strbuf *out, const char *what, uint64_t bytes, const char *where)
{
	if (bytes == UINT64_MAX)
		doctor_say(out, what, "unknown%s", where);
	else
		doctor_say(out, what, "%.0f MiB%s", (double)bytes / MEBIBYTE, where);
}

static void say_resources(const struct doctor_report *report, struct strbuf *out)
{
	const struct machine_facts *facts = &report->facts;
	struct strbuf where = STRBUF_INIT;

	say_space(out, "memory", facts->memory_bytes, " for us");
	strbuf_addf(&where, " free in %s", facts->scratch);
	say_space(out, "scratch", facts->scratch_bytes, where.data);
	strbuf_reset(&where);
	strbuf_addf(&where, " free for %s", facts->cache);
	say_space(out, "cache", facts->cache_bytes, where.data);
	strbuf_release(&where);
	if (facts->steal >= 0)
		doctor_say(out, "steal", "%.1f %% of the CPU time asked for went to other machines",
			100 * facts->steal);
	doctor_say(out, "git", "%s", *facts->git ? facts->git : "missing");
	doctor_say(out, "instructions", "%s",
		*report->instructions ? report->instructions
				      : "nothing counts them here: install valgrind");
	doctor_say(out, "library", "%s", *report->library ? report->library : "not found");
}

static void say_clock(struct strbuf *out, const char *what, const struct probe_sampling *sampling)
{
	if (!sampling->works)
		doctor_say(out, what, "refused%s%s", sampling->refusal ? ": " : "",
			sampling->refusal ? strerror(sampling->refusal) : "");
	else
		doctor_say(out, what,
			"%.0f samples per CPU second, %.1f %% complete stacks, %.1f %% of the CPU "
			"time seen, own work %.2f %%",
			sampling->rate_hz, 100 * sampling->complete, 100 * sampling->coverage,
			100 * sampling->own_cost);
}

static void say_rate(const struct sampling_cost *cost, struct strbuf *out)
{
	uint32_t rate = sampling_rate_auto(cost);

	doctor_say(out, "rate",
		"auto is %u Hz: the clock (%s) and its signal take %.1f us a sample, %.1f %% "
		"of the CPU time",
		rate, cost->mechanism, cost->signal_ns / 1e3, rate * cost->signal_ns / 1e7);
}

static void say_switches(double switching_ns, struct strbuf *out)
{
	doctor_say(out, "switches",
		"perf adds %.1f us to each context switch of what it samples: %.1f %% of the CPU "
		"time at 1,000 a CPU second",
		switching_ns / 1e3, switching_share(switching_ns, 1000, 1000000000) * 100);
}

static void say_cost(const struct noise_cost *cost, struct strbuf *out)
{
	if (cost->clear)
		doctor_say(out, "cost",
			"sampling adds %.1f %% of CPU time (95 %% interval: %.1f to %.1f)",
			100 * cost->extra, 100 * cost->low, 100 * cost->high);
	else
		doctor_say(out, "cost",
			"not measurable: sampling adds less than the noise (95 %% "
			"interval: %.1f to %.1f %%)",
			100 * cost->low, 100 * cost->high);
}

static void say_detectable(
	const struct doctor_report *report, struct strbuf *out, const char *what, int stages)
{
	struct strbuf pairs = STRBUF_INIT;
	double increase = report->detectable[stages - 1];

	strbuf_addf(&pairs, "%u pairs", report->policy.stage1_pairs);
	if (stages > 1)
		strbuf_addf(&pairs, ", confirmed by %u,", report->policy.stage2_pairs);
	if (isfinite(increase))
		doctor_say(out, what, "%s find a whole benchmark that is %.1f %% slower",
			pairs.data, 100 * increase);
	else
		doctor_say(out, what, "%s find no slower benchmark: too much noise", pairs.data);
	strbuf_release(&pairs);
}

static void say_noise(const struct doctor_report *report, struct strbuf *out)
{
	const struct noise *noise = &report->noise;

	doctor_say(out, "noise",
		"%zu equal runs of %.2f s: %.1f %% from run to run, correlation of neighbours "
		"%.2f, %.1f %% within a pair",
		report->noise_runs, noise->mean, 100 * noise->cv, noise->autocorrelation,
		100 * noise->pair_deviation);
	say_detectable(report, out, "finds", 1);
	say_detectable(report, out, "", 2);
}

static void say_calibration(const struct calibration *calibration, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < CALIBRATION_COUNT; i++) {
		strbuf_addf(&text, "%s%s ", i ? ", " : "", calibration_names[i]);
		if (calibration->ns[i] > 0)
			strbuf_addf(&text, "%.3g ns", calibration->ns[i]);
		else
			strbuf_addstr(&text, "no room");
	}
	doctor_say(out, "calibration", "%s", text.data);
	strbuf_release(&text);
}

static void say_measured(const struct doctor_report *report, struct strbuf *out)
{
	if (report->has_sampling) {
		say_clock(out, "perf", &report->perf);
		say_clock(out, "posix", &report->posix);
	}
	if (report->has_clock_cost)
		say_rate(&report->clock_cost, out);
	if (report->switching_ns > 0)
		say_switches(report->switching_ns, out);
	if (report->has_cost)
		say_cost(&report->cost, out);
	if (report->has_noise)
		say_noise(report, out);
	if (report->has_calibration)
		say_calibration(&report->calibration, out);
}

static void say_benchmark(const struct doctor_benchmark *benchmark, struct strbuf *out)
{
	if (*benchmark->problem)
		doctor_say(out, "benchmark", "%s: cannot be profiled, see below", benchmark->name);
	else if (*benchmark->program)
		doctor_say(out, "benchmark", "%s: %s can be profiled", benchmark->name,
			benchmark->program);
	else
		doctor_say(out, "benchmark", "%s: known when it is built and run", benchmark->name);
}

static void say_store(const struct doctor_store *store, struct strbuf *out)
{
	bool is_named = strncmp(store->problem, store->name, strlen(store->name)) == 0;

	if (*store->problem)
		doctor_say(out, "store", "%s%s%s", is_named ? "" : store->name,
			is_named ? "" : ": ", store->problem);
	else if (!store->asked)
		doctor_say(out, "store", "%s: not asked", store->name);
	else
		doctor_say(out, "store", "%s: answers, has %s baseline of HEAD", store->name,
			store->has_head ? "a" : "no");
}

static void say_project(const struct doctor_project *project, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	if (!project->there)
		return;
	doctor_say(out, "config", "%s%s", project->config, project->readable ? "" : ": see below");
	if (!project->readable)
		return;
	for (size_t i = 0; i < project->benchmark_count; i++)
		say_benchmark(&project->benchmarks[i], out);
	for (size_t i = 0; i < project->store_count; i++)
		say_store(&project->stores[i], out);
	for (size_t i = 0; i < DOCTOR_VARIABLES; i++)
		strbuf_addf(&text, "%s%s %s", i ? ", " : "", project->variables[i].name,
			project->variables[i].set ? "set" : "not set");
	doctor_say(out, "credentials", "%s", text.data);
	strbuf_release(&text);
}

void doctor_text(const struct doctor_report *report, struct strbuf *out)
{
	say_machine(report, out);
	say_resources(report, out);
	say_measured(report, out);
	say_project(&report->project, out);
	for (size_t i = 0; i < report->advice_count; i++) {
		doctor_say(out, "advice", "%s", report->advice[i].what);
		if (*report->advice[i].command)
			doctor_say(out, "", "  %s", report->advice[i].command);
	}
	for (size_t i = 0; i < report->problem_count; i++)
		doctor_say(out, "problem", "%s", report->problems[i]);
	strbuf_addstr(out, report->problem_count
				   ? "Measuring here needs these problems solved first.\n"
				   : "This machine can measure.\n");
}
