/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_benchmark.h"

#include <stdlib.h>

#include "gate/base/error.h"
#include "gate/bench/elf/identical.h"
#include "gate/check/analysis/code.h"
#include "gate/check/calls/measure_calls.h"
#include "gate/check/decide/decide.h"
#include "gate/check/decide/decide_reference.h"
#include "gate/check/fixed_work/measure_work.h"
#include "gate/check/measure/measure_counted.h"
#include "gate/check/measure/measure_pair.h"
#include "gate/check/measure/measure_plan.h"
#include "gate/check/measure/pair_order.h"
#include "gate/check/runs/measure_side.h"
#include "gate/check/runs/measure_switches.h"

/* One benchmark being measured: both versions' runs, and what proves that their files stay the
 * same. */
struct series {
	struct plan *plan;
	const struct config_benchmark *config;
	struct measured_benchmark *out;
	size_t benchmarks_in_gate;
	struct side sides[VERSION_COUNT];
	cpu_set_t cpus;
	struct pair_runner runner;
	struct call_sites call_sites[VERSION_COUNT];
	double suspicion;
};

struct series *series_new(struct plan *plan, const struct config_benchmark *config,
	struct measured_benchmark *out, size_t benchmarks_in_gate)
{
	struct series *series = xcalloc(1, sizeof(*series));
	uint64_t seed = pair_seed(plan->options);

	series->plan = plan;
	series->config = config;
	series->out = out;
	series->benchmarks_in_gate = benchmarks_in_gate;
	series->runner.sides = series->sides;
	series->runner.random = pair_random(seed, config->name);
	for (int version = 0; version < VERSION_COUNT; version++) {
		side_init(
			&series->sides[version], plan, version, config, &out->recordings[version]);
		out->recordings[version].seed = seed;
		call_sites_init(&series->call_sites[version]);
	}
	out->call_sites = series->call_sites;
	out->recorded = true;
	return series;
}

void series_free(struct series *series)
{
	if (!series)
		return;
	for (int version = 0; version < VERSION_COUNT; version++) {
		side_release(&series->sides[version]);
		call_sites_release(&series->call_sites[version]);
	}
	series->out->call_sites = NULL;
	if (series->out->outcome != OUTCOME_MEASURED)
		measurements_drop_recordings(series->out);
	free(series);
}

double series_suspicion(const struct series *series)
{
	return series->suspicion;
}

static void set_outcome(struct series *series, enum result_outcome outcome, const char *detail)
{
	series->out->outcome = outcome;
	series->out->detail = arena_strdup(&series->plan->measurements->arena, detail);
}

/* ---- probes -------------------------------------------------------------------------------- */

/* One run is no measurement, but it tells which benchmark to look at first. */
static void suspect(struct series *series, const struct run *run)
{
	const struct measured_reference *reference =
		measurements_find_reference(series->out, RECORDING_TYPE_CPU);
	struct recording single;
	struct screen_result screen;
	struct arena scratch = ARENA_INIT;
	struct error ignored;
	size_t capacity = 0;

	if (!reference || !reference->has_baseline)
		return;
	recording_begin(&single, series->config->name, series->config->command_text, "head",
		&series->plan->config.policy);
	if (!recording_add_run(&single, &capacity, series->sides[VERSION_HEAD].runs.symbolizer, run,
		    0, &ignored) &&
		!screen_recordings(&reference->baseline, &single, &series->plan->measurements->diff,
			&scratch, &screen, &ignored))
		series->suspicion = screen.suspicion;
	recording_release(&single);
	arena_release(&scratch);
}

static int probe(struct series *series, int version, struct error *err)
{
	struct run run = {0};
	int rc = side_probe(&series->sides[version], &run, err);

	if (!rc && version == VERSION_HEAD)
		suspect(series, &run);
	run_release(&run);
	return rc;
}

/*
 * A base that does not run is the policy's to judge, but only if head does: what is broken in both,
 * or is our own failure, is no pass.
 */
static int probe_both(struct series *series, struct error *err)
{
	struct error base_error = {0};
	int base = probe(series, VERSION_BASE, &base_error), rc;

	if (base && base != ERR_BENCHMARK) {
		*err = base_error;
		return base;
	}
	rc = probe(series, VERSION_HEAD, err);
	if (rc == ERR_INTERRUPTED)
		return rc;
	if (rc) {
		error_prefix(
			err, rc == ERR_BENCHMARK ? "head does not run" : "head cannot be measured");
		set_outcome(series, OUTCOME_ERROR, err->message);
		return rc;
	}
	if (!base)
		return ERR_OK;
	*err = base_error;
	error_prefix(err, "the base does not run");
	set_outcome(series, OUTCOME_BASE_FAILED, err->message);
	series->out->fails = series->plan->config.policy.on_base_failure == CONFIG_FAIL;
	return base;
}

static int prove_identical(struct series *series, bool *identical, struct error *err)
{
	const struct plan *plan = series->plan;
	char reason[256];
	int rc;

	*identical = false;
	if (plan->options->measure_identical)
		return ERR_OK;
	rc = builds_identical(plan->builds.of[VERSION_BASE]->path,
		&series->sides[VERSION_BASE].opened, plan->builds.of[VERSION_HEAD]->path,
		&series->sides[VERSION_HEAD].opened, identical, reason, sizeof(reason), err);
	if (!rc && !*identical)
		plan_progress(plan, "%s: must be measured: %s", series->config->name, reason);
	return rc;
}

static int probe_pair(struct series *series, struct error *err)
{
	bool identical;
	int rc = probe_both(series, err);

	if (!rc)
		rc = prove_identical(series, &identical, err);
	if (!rc && !identical)
		return work_settle(series->sides, series->out, err);
	if (rc)
		return rc;
	plan_progress(
		series->plan, "%s: both versions execute the same files", series->config->name);
	set_outcome(series, OUTCOME_IDENTICAL, "both versions execute the same files");
	return ERR_OK;
}

/* Only an interruption stops the check: everything else is this benchmark's own outcome. */
static int own_outcome(struct series *series, int rc, const struct error *err)
{
	if (rc && rc != ERR_INTERRUPTED && series->out->outcome == OUTCOME_MEASURED)
		set_outcome(series, OUTCOME_ERROR, err->message);
	return rc == ERR_INTERRUPTED ? rc : ERR_OK;
}

int series_probe(struct series *series, struct error *err)
{
	double start = monotonic_seconds();
	int rc = own_outcome(series, probe_pair(series, err), err);

	series->out->wall_seconds += monotonic_seconds() - start;
	return rc;
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* By steps where somebody asked for them, else by a line every quarter. */
static void say_pairs_done(const struct series *series, const struct check_step *step)
{
	const struct check_options *options = series->plan->options;
	uint32_t quarter = step->pairs >= 8 ? step->pairs / 4 : step->pairs;

	if (options->steps)
		options->steps(options->progress_data, step);
	else if (step->done && step->done % quarter == 0 && step->done < step->pairs)
		plan_progress(series->plan, "%s: stage %d, %u of %u pairs done", step->benchmark,
			step->stage, step->done, step->pairs);
}

/* Expected, by the probes. */
static double pair_seconds(const struct series *series)
{
	return (series->sides[VERSION_BASE].probe_seconds +
		       series->sides[VERSION_HEAD].probe_seconds) *
	       series->sides[VERSION_BASE].runs.repeat;
}

/* again: as of pair_runner_run(). */
static int run_stage(
	struct series *series, int stage, uint32_t pairs, bool *again, struct error *err)
{
	struct check_step step = {.benchmark = series->config->name,
		.stage = stage,
		.pairs = pairs,
		.pair_seconds = pair_seconds(series)};
	int rc = ERR_OK;

	plan_progress(series->plan, "%s: stage %d, %u pairs of runs, about %.0f s",
		series->config->name, stage, pairs, step.pair_seconds * pairs);
	*again = false;
	say_pairs_done(series, &step);
	while (step.done < pairs && !rc && !*again) {
		rc = pair_runner_run(&series->runner, again, err);
		step.done++;
		if (!rc && !*again)
			say_pairs_done(series, &step);
	}
	return rc;
}

/* More pairs where the first ones' noise asks for them. */
static int extend_stage1(
	struct series *series, double pilot_seconds, bool *again, struct error *err)
{
	const struct config_policy *policy = &series->out->recordings[VERSION_HEAD].policy;
	uint32_t done = policy->stage1_pairs;

	if (series->plan->options->plant && series->plan->options->plant->pairs)
		return ERR_OK;
	plan_pairs(series->plan->measurements, series->out, series->benchmarks_in_gate,
		pilot_seconds, (double)series->config->budget_ns / 1e9);
	return policy->stage1_pairs > done
		       ? run_stage(series, 1, policy->stage1_pairs - done, again, err)
		       : ERR_OK;
}

/*
 * Stage 2 is needed by what the verdict will see: a function that was split looks new until sizes
 * are known.
 */
static int needs_stage2(struct series *series, bool *needed, struct error *err)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		const struct version_runs *runs = &series->sides[version].runs;

		code_note(runs->recording, runs->symbolizer);
	}
	return decide_needs_stage2(series->out, series->benchmarks_in_gate, needed, err);
}

static int run_both_stages(struct series *series, bool *again, struct error *err)
{
	/* The recordings' own: what was planned for them. */
	const struct config_policy *policy = &series->out->recordings[VERSION_HEAD].policy;
	double start = monotonic_seconds();
	bool more = false;
	int rc = run_stage(series, 1, policy->stage1_pairs, again, err);

	if (!rc && !*again)
		rc = extend_stage1(series, monotonic_seconds() - start, again, err);
	if (!rc && !*again)
		rc = needs_stage2(series, &more, err);
	if (!rc && !*again && more) {
		plan_progress(series->plan, "%s: something looks slower; confirming on fresh runs",
			series->config->name);
		rc = run_stage(series, 2, policy->stage2_pairs, again, err);
	}
	return rc;
}

static void tell_threads(struct series *series)
{
	struct measurements *measurements = series->plan->measurements;
	const char *note = pair_runner_threads_note(&series->runner, &measurements->arena);

	if (*note)
		measurements_add_line(measurements, &series->out->notes, note);
}

static int run_stages(struct series *series, struct error *err)
{
	size_t notes;
	bool again = true;
	int rc = ERR_OK;

	pair_runner_choose(&series->runner);
	tell_threads(series);
	notes = series->out->notes.count;
	/* Once more at most: whole runs never ask for it. */
	while (!rc && again) {
		/* What was planned for pairs that are forgotten is forgotten too. */
		series->out->notes.count = notes;
		rc = run_both_stages(series, &again, err);
	}
	return rc;
}

static void choose_cpus(struct series *series)
{
	uint32_t threads = series->sides[VERSION_BASE].runs.max_threads;

	if (series->sides[VERSION_HEAD].runs.max_threads > threads)
		threads = series->sides[VERSION_HEAD].runs.max_threads;
	run_choose_cpus(series->config->cpus, threads, &series->cpus);
	for (int version = 0; version < VERSION_COUNT; version++)
		series->sides[version].runs.options.cpus = &series->cpus;
}

int series_count(struct series *series, struct error *err)
{
	if (series->plan->options->plant)
		return ERR_OK;
	return plan_count(series->plan, series->config, series->out, err);
}

/* The same for both versions: as many runs of the faster one as make a second of CPU time. */
static void choose_repeat(struct series *series)
{
	double base = series->sides[VERSION_BASE].runs.probe_cpu_seconds;
	double head = series->sides[VERSION_HEAD].runs.probe_cpu_seconds;
	uint32_t repeat = series->config->repeat ? series->config->repeat
						 : repeat_for(base < head ? base : head);

	for (int version = 0; version < VERSION_COUNT; version++)
		series->sides[version].runs.repeat = repeat;
	if (repeat > 1)
		measurements_add_line(series->plan->measurements, &series->out->notes,
			arena_printf(&series->plan->measurements->arena,
				"a run takes %.2g s of CPU time: "
				"%u runs of each version make a pair",
				base < head ? base : head, repeat));
}

/* Before it is exceeded: who waits should know why. */
static void tell_budget(struct series *series)
{
	const struct config_policy *policy = &series->plan->config.policy;
	const size_t pairs[2] = {policy->stage1_pairs, policy->stage2_pairs};
	const char *line = plan_budget(series->plan->measurements, pairs, pair_seconds(series),
		(double)series->config->budget_ns / 1e9);

	if (!*line || series->plan->options->plant)
		return;
	plan_progress(series->plan, "%s: %s", series->config->name, line);
	measurements_add_line(series->plan->measurements, &series->out->notes, line);
}

int series_measure(struct series *series, struct error *err)
{
	double start = monotonic_seconds();
	int rc;

	choose_cpus(series);
	choose_repeat(series);
	tell_budget(series);
	switches_tell(series->plan, series->sides, VERSION_COUNT, series->out);
	rc = run_stages(series, err);
	for (int version = 0; version < VERSION_COUNT; version++)
		side_link_back(&series->sides[version]);
	if (!rc)
		for (int version = 0; version < VERSION_COUNT; version++)
			version_runs_tell(&series->sides[version].runs, series->plan,
				version_names[version], series->out);
	if (!rc)
		rc = plan_kept(series->plan,
			measurements_write_recordings(
				series->out, series->plan->output.recordings, err),
			err);
	/* They are written with the measurements' context. */
	if (!rc)
		rc = calls_measure(series->sides, series->call_sites, series->out,
			series->benchmarks_in_gate, err);
	series->out->wall_seconds += monotonic_seconds() - start;
	return own_outcome(series, rc, err);
}
