/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/calls/measure_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/calls/calls_settle.h"
#include "gate/check/calls/calls_trap.h"
#include "gate/check/calls/unchanged_calls.h"

#define MOST_REASON 200 /* bytes */
#define SECOND_NS 1e9

/* What all steps know. */
struct counting {
	struct side *sides;
	struct call_sites *sites;
	struct measured_benchmark *out;
	const struct analysis *analysis;
	size_t benchmarks_in_gate;
	double deadline; /* by monotonic_seconds() */
};

static const struct config_benchmark *config_of(const struct counting *counting)
{
	return counting->sides[VERSION_BASE].config;
}

static bool excuses_unchanged(const struct counting *counting)
{
	return !counting->sides[VERSION_BASE].plan->options->strict;
}

/* ---- under valgrind ------------------------------------------------------------------------ */

int calls_fit_valgrind(double cpu_seconds, struct error *err)
{
	double seconds = CALLS_SLOWDOWN * cpu_seconds;

	if (seconds <= CALLS_MOST_SECONDS)
		return ERR_OK;
	return error_set(err, ERR_MEASURE, "runs under valgrind would take about %.0f minutes",
		ceil(seconds / 60));
}

/* Of the runs that are missing. */
static double missing_seconds(const struct counting *counting)
{
	double seconds = 0;

	for (int version = 0; version < VERSION_COUNT; version++)
		seconds += counting->sides[version].probe_cpu_seconds *
			   (CALL_SITES_RUNS - counting->sites[version].runs);
	return seconds;
}

/* Before the first run: why there shall be none. ERR_MEASURE, or ERR_TOOL. */
static int check_valgrind(const struct counting *counting, struct error *err)
{
	enum instructions_engine engine;

	if (instructions_choose("callgrind", true, &engine, NULL))
		return error_set(err, ERR_TOOL, "valgrind is not installed");
	if (config_of(counting)->work == CONFIG_WORK_MARKS)
		return error_set(err, ERR_MEASURE,
			"flamegate.h, which tells the work, is not heard under valgrind");
	return calls_fit_valgrind(missing_seconds(counting), err);
}

/* instructions_run() raises a time limit by what the engine may cost: ours is of the whole. */
static void limit_time(const struct counting *counting, struct run_options *options)
{
	double left = counting->deadline - monotonic_seconds();
	double most_ns = left * SECOND_NS / INSTRUCTIONS_MOST_SLOWDOWN;

	if (!options->timeout_ns || (double)options->timeout_ns > most_ns)
		options->timeout_ns = most_ns > 1 ? (uint64_t)most_ns : 1;
}

static int count_once(struct counting *counting, int version, struct error *err)
{
	struct side *side = &counting->sides[version];
	struct run_options options = side->runs.options;
	struct instructions_run run = {0};
	int rc = side_check_files(side, err);

	limit_time(counting, &options);
	if (!rc)
		rc = side_prepare_run(side, err);
	if (rc)
		return rc;
	rc = instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, err);
	if (!rc)
		call_sites_add(&counting->sites[version], &run);
	instructions_run_release(&run);
	return rc;
}

static int name_calls(
	struct counting *counting, struct profile *profiles[VERSION_COUNT], struct error *err)
{
	int rc = ERR_OK;

	for (int version = 0; version < VERSION_COUNT && !rc; version++) {
		const struct build *place = counting->sides[version].plan->builds.of[version];
		const char *const prefixes[] = {place->build_path, place->path, NULL};

		rc = build_activate(&counting->sides[version].plan->builds.cache, place, err);
		if (!rc)
			rc = call_sites_profile(
				&counting->sites[version], prefixes, &profiles[version], err);
	}
	return rc;
}

static int tell(struct counting *counting, struct error *err)
{
	struct profile *profiles[VERSION_COUNT] = {NULL, NULL};
	struct counted_calls counted[VERSION_COUNT];
	int rc = name_calls(counting, profiles, err);

	for (int version = 0; version < VERSION_COUNT && !rc; version++) {
		const struct call_sites *sites = &counting->sites[version];

		counted[version] = (struct counted_calls){
			.profile = profiles[version], .runs = sites->runs, .lost = sites->lost};
		memcpy(counted[version].iterations, sites->iterations, sizeof(sites->iterations));
	}
	if (!rc)
		calls_settle(counting->analysis, counting->benchmarks_in_gate,
			excuses_unchanged(counting), counted, counting->out->recordings);
	for (int version = 0; version < VERSION_COUNT; version++)
		profile_free(profiles[version]);
	return rc;
}

static int count_by_valgrind(struct counting *counting, struct error *err)
{
	int rc = check_valgrind(counting, err);

	for (int version = 0; version < VERSION_COUNT && !rc; version++)
		while (counting->sites[version].runs < CALL_SITES_RUNS && !rc)
			rc = count_once(counting, version, err);
	return rc ? rc : tell(counting, err);
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* One clause: the benchmark's last words, on further lines, are none. */
static int clause_length(const char *message)
{
	size_t length = strcspn(message, "\n");

	return (int)(length < MOST_REASON ? length : MOST_REASON);
}

static void say_why_not(
	struct counting *counting, const struct error *valgrind, const struct error *perf)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct recording *recording = &counting->out->recordings[version];

		recording->calls = (struct call_counts){.engine = "",
			.why_not = arena_printf(&recording->arena, "%.*s, and %.*s",
				clause_length(valgrind->message), valgrind->message,
				clause_length(perf->message), perf->message)};
	}
}

static int count_calls(struct counting *counting, struct error *err)
{
	struct error valgrind = {0}, perf = {0};
	int rc;

	plan_progress(counting->sides[VERSION_BASE].plan, "%s: counting calls",
		config_of(counting)->name);
	rc = count_by_valgrind(counting, &valgrind);
	if (rc && rc != ERR_INTERRUPTED) {
		rc = calls_trap(counting->sides, counting->analysis, counting->out->recordings,
			counting->deadline, &perf);
		valgrind = rc == ERR_INTERRUPTED ? perf : valgrind;
	}
	if (rc == ERR_INTERRUPTED) {
		*err = valgrind;
		return rc;
	}
	if (rc)
		say_why_not(counting, &valgrind, &perf);
	return ERR_OK;
}

/* Orders may differ in what they link: what was counted before is of other addresses. */
static void forget_relinked(
	struct side sides[VERSION_COUNT], struct call_sites sites[VERSION_COUNT])
{
	for (int version = 0; version < VERSION_COUNT && sides[version].runs.relinked; version++) {
		call_sites_release(&sites[version]);
		call_sites_init(&sites[version]);
	}
}

int calls_measure(struct side sides[VERSION_COUNT], struct call_sites sites[VERSION_COUNT],
	struct measured_benchmark *out, size_t benchmarks_in_gate, struct error *err)
{
	struct counting counting = {.sides = sides,
		.sites = sites,
		.out = out,
		.benchmarks_in_gate = benchmarks_in_gate,
		.deadline = monotonic_seconds() + 2 * CALLS_MOST_SECONDS};
	struct analysis analysis;
	struct error ignored;
	int rc = ERR_OK;

	if (sides[VERSION_BASE].plan->options->plant)
		return ERR_OK;
	forget_relinked(sides, sites);
	counting.analysis = &analysis;
	if (!calls_decide(&analysis, out->recordings, &sides[VERSION_BASE].plan->measurements->diff,
		    benchmarks_in_gate, excuses_unchanged(&counting), &ignored)) {
		bool excuses = unchanged_calls_wanted(&analysis);

		giver_calls_want(&analysis);
		if (excuses || calls_has_culprits(&analysis))
			rc = count_calls(&counting, err);
	}
	analysis_release(&analysis);
	return rc;
}
