/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_benchmark.h"

#include "gate/base/file.h"
#include "gate/bench/elf/identical.h"
#include "gate/check/analysis/code.h"
#include "gate/check/calls/measure_calls.h"
#include "gate/check/decide/decide.h"
#include "gate/check/decide/decide_stored.h"
#include "gate/check/fixed_work/measure_work.h"
#include "gate/check/measure/measure_counted.h"
#include "gate/check/measure/measure_pair.h"
#include "gate/check/measure/measure_plan.h"
#include "gate/check/measure/measure_switches.h"
#include "gate/check/measure/pair_order.h"
#include "gate/check/runs/measure_side.h"

#include <stdlib.h>

/* One benchmark being measured: both arms' runs, and what proves that their files stay the same. */
struct duel {
	struct plan *plan;
	const struct config_benchmark *config;
	struct session_benchmark *out;
	size_t benchmarks_in_gate;
	struct side sides[ARM_COUNT];
	cpu_set_t cpus;
	struct pairing pairing;
	struct call_sites call_sites[ARM_COUNT];
	double suspicion;
};

struct duel *duel_new(struct plan *plan, const struct config_benchmark *config,
	struct session_benchmark *out, size_t benchmarks_in_gate)
{
	struct duel *duel = xcalloc(1, sizeof(*duel));
	uint64_t seed = pair_seed(plan->options);

	duel->plan = plan;
	duel->config = config;
	duel->out = out;
	duel->benchmarks_in_gate = benchmarks_in_gate;
	duel->pairing.sides = duel->sides;
	duel->pairing.random = pair_random(seed, config->name);
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		side_init(&duel->sides[arm], plan, arm, config, &out->recordings[arm]);
		out->recordings[arm].seed = seed;
		call_sites_init(&duel->call_sites[arm]);
	}
	out->call_sites = duel->call_sites;
	out->recorded = true;
	return duel;
}

void duel_free(struct duel *duel)
{
	if (!duel)
		return;
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		side_release(&duel->sides[arm]);
		call_sites_release(&duel->call_sites[arm]);
	}
	duel->out->call_sites = NULL;
	if (duel->out->outcome != OUTCOME_MEASURED)
		session_drop_recordings(duel->out);
	free(duel);
}

double duel_suspicion(const struct duel *duel)
{
	return duel->suspicion;
}

static void set_outcome(struct duel *duel, enum result_outcome outcome, const char *detail)
{
	duel->out->outcome = outcome;
	duel->out->detail = arena_strdup(&duel->plan->session->arena, detail);
}

/* ---- probes -------------------------------------------------------------------------------- */

/* One run is no measurement, but it tells which benchmark to look at first. */
static void suspect(struct duel *duel, const struct run *run)
{
	const struct session_stored *stored = session_find_stored(duel->out, RECORDING_TYPE_CPU);
	struct recording single;
	struct screen_result screen;
	struct arena scratch = ARENA_INIT;
	struct error ignored;
	size_t capacity = 0;

	if (!stored || !stored->has_baseline)
		return;
	recording_begin(&single, duel->config->name, duel->config->command_text, "head",
		&duel->plan->config.policy);
	if (!recording_add_run(
		    &single, &capacity, duel->sides[ARM_HEAD].runs.symbolizer, run, 0, &ignored) &&
		!screen_recordings(&stored->baseline, &single, &duel->plan->session->diff, &scratch,
			&screen, &ignored))
		duel->suspicion = screen.suspicion;
	recording_release(&single);
	arena_release(&scratch);
}

static int probe(struct duel *duel, int arm, struct error *err)
{
	struct run run = {0};
	int rc = side_probe(&duel->sides[arm], &run, err);

	if (!rc && arm == ARM_HEAD)
		suspect(duel, &run);
	run_release(&run);
	return rc;
}

/*
 * A base that does not run is the policy's to judge, but only if head does: what is broken in both,
 * or is our own failure, is no pass.
 */
static int probe_both(struct duel *duel, struct error *err)
{
	struct error base_error = {0};
	int base = probe(duel, ARM_BASE, &base_error), rc;

	if (base && base != ERR_BENCHMARK) {
		*err = base_error;
		return base;
	}
	rc = probe(duel, ARM_HEAD, err);
	if (rc == ERR_INTERRUPTED)
		return rc;
	if (rc) {
		error_prefix(
			err, rc == ERR_BENCHMARK ? "head does not run" : "head cannot be measured");
		set_outcome(duel, OUTCOME_ERROR, err->message);
		return rc;
	}
	if (!base)
		return ERR_OK;
	*err = base_error;
	error_prefix(err, "the base does not run");
	set_outcome(duel, OUTCOME_BASE_FAILED, err->message);
	duel->out->fails = duel->plan->config.policy.on_base_failure == CONFIG_FAIL;
	return base;
}

static int prove_identical(struct duel *duel, bool *identical, struct error *err)
{
	const struct plan *plan = duel->plan;
	char reason[256];
	int rc;

	*identical = false;
	if (plan->options->measure_identical)
		return ERR_OK;
	rc = arms_identical(plan->builds.arm_of[ARM_BASE]->path, &duel->sides[ARM_BASE].opened,
		plan->builds.arm_of[ARM_HEAD]->path, &duel->sides[ARM_HEAD].opened, identical,
		reason, sizeof(reason), err);
	if (!rc && !*identical)
		plan_progress(plan, "%s: must be measured: %s", duel->config->name, reason);
	return rc;
}

static int probe_pair(struct duel *duel, struct error *err)
{
	bool identical;
	int rc = probe_both(duel, err);

	if (!rc)
		rc = prove_identical(duel, &identical, err);
	if (!rc && !identical)
		return work_settle(duel->sides, duel->out, err);
	if (rc)
		return rc;
	plan_progress(duel->plan, "%s: both versions execute the same files", duel->config->name);
	set_outcome(duel, OUTCOME_IDENTICAL, "both versions execute the same files");
	return ERR_OK;
}

/* Only an interruption stops the check: everything else is this benchmark's own outcome. */
static int own_outcome(struct duel *duel, int rc, const struct error *err)
{
	if (rc && rc != ERR_INTERRUPTED && duel->out->outcome == OUTCOME_MEASURED)
		set_outcome(duel, OUTCOME_ERROR, err->message);
	return rc == ERR_INTERRUPTED ? rc : ERR_OK;
}

int duel_probe(struct duel *duel, struct error *err)
{
	double start = monotonic_seconds();
	int rc = own_outcome(duel, probe_pair(duel, err), err);

	duel->out->wall_seconds += monotonic_seconds() - start;
	return rc;
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* By steps where somebody asked for them, else by a line every quarter. */
static void say_pairs_done(const struct duel *duel, const struct check_step *step)
{
	const struct check_options *options = duel->plan->options;
	uint32_t quarter = step->pairs >= 8 ? step->pairs / 4 : step->pairs;

	if (options->steps)
		options->steps(options->progress_data, step);
	else if (step->done && step->done % quarter == 0 && step->done < step->pairs)
		plan_progress(duel->plan, "%s: stage %d, %u of %u pairs done", step->benchmark,
			step->stage, step->done, step->pairs);
}

/* Expected, by the probes. */
static double pair_seconds(const struct duel *duel)
{
	return (duel->sides[ARM_BASE].probe_seconds + duel->sides[ARM_HEAD].probe_seconds) *
	       duel->sides[ARM_BASE].runs.repeat;
}

/* again: as of pairing_run(). */
static int run_stage(struct duel *duel, int stage, uint32_t pairs, bool *again, struct error *err)
{
	struct check_step step = {.benchmark = duel->config->name,
		.stage = stage,
		.pairs = pairs,
		.pair_seconds = pair_seconds(duel)};
	int rc = ERR_OK;

	plan_progress(duel->plan, "%s: stage %d, %u pairs of runs, about %.0f s",
		duel->config->name, stage, pairs, step.pair_seconds * pairs);
	*again = false;
	say_pairs_done(duel, &step);
	while (step.done < pairs && !rc && !*again) {
		rc = pairing_run(&duel->pairing, again, err);
		step.done++;
		if (!rc && !*again)
			say_pairs_done(duel, &step);
	}
	return rc;
}

/* More blocks where the first ones' noise asks for them. */
static int extend_stage1(struct duel *duel, double pilot_seconds, bool *again, struct error *err)
{
	const struct config_policy *policy = &duel->out->recordings[ARM_HEAD].policy;
	uint32_t done = policy->stage1_blocks;

	if (duel->plan->options->plant && duel->plan->options->plant->pairs)
		return ERR_OK;
	plan_blocks(duel->plan->session, duel->out, duel->benchmarks_in_gate, pilot_seconds,
		(double)duel->config->budget_ns / 1e9);
	return policy->stage1_blocks > done
		       ? run_stage(duel, 1, policy->stage1_blocks - done, again, err)
		       : ERR_OK;
}

/*
 * Stage 2 is needed by what the verdict will see: a function that was split looks new until sizes
 * are known.
 */
static int needs_stage2(struct duel *duel, bool *needed, struct error *err)
{
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		const struct arm_runs *runs = &duel->sides[arm].runs;

		code_note(runs->recording, runs->symbolizer);
	}
	return decide_needs_stage2(duel->out, duel->benchmarks_in_gate, needed, err);
}

static int run_both_stages(struct duel *duel, bool *again, struct error *err)
{
	/* The recordings' own: what was planned for them. */
	const struct config_policy *policy = &duel->out->recordings[ARM_HEAD].policy;
	double start = monotonic_seconds();
	bool more = false;
	int rc = run_stage(duel, 1, policy->stage1_blocks, again, err);

	if (!rc && !*again)
		rc = extend_stage1(duel, monotonic_seconds() - start, again, err);
	if (!rc && !*again)
		rc = needs_stage2(duel, &more, err);
	if (!rc && !*again && more) {
		plan_progress(duel->plan, "%s: something looks slower; confirming on fresh runs",
			duel->config->name);
		rc = run_stage(duel, 2, policy->stage2_blocks, again, err);
	}
	return rc;
}

static void tell_threads(struct duel *duel)
{
	struct session *session = duel->plan->session;
	const char *note = pairing_threads_note(&duel->pairing, &session->arena);

	if (*note)
		session_add_line(session, &duel->out->notes, note);
}

static int run_stages(struct duel *duel, struct error *err)
{
	size_t notes;
	bool again = true;
	int rc = ERR_OK;

	pairing_choose(&duel->pairing);
	tell_threads(duel);
	notes = duel->out->notes.count;
	/* Once more at most: whole runs never ask for it. */
	while (!rc && again) {
		/* What was planned for pairs that are forgotten is forgotten too. */
		duel->out->notes.count = notes;
		rc = run_both_stages(duel, &again, err);
	}
	return rc;
}

static void choose_cpus(struct duel *duel)
{
	uint32_t threads = duel->sides[ARM_BASE].runs.max_threads;

	if (duel->sides[ARM_HEAD].runs.max_threads > threads)
		threads = duel->sides[ARM_HEAD].runs.max_threads;
	block_choose_cpus(duel->config->cpus, threads, &duel->cpus);
	for (int arm = 0; arm < ARM_COUNT; arm++)
		duel->sides[arm].runs.options.cpus = &duel->cpus;
}

int duel_count(struct duel *duel, struct error *err)
{
	if (duel->plan->options->plant)
		return ERR_OK;
	return plan_count(duel->plan, duel->config, duel->out, err);
}

/* The same for both arms: as many runs of the faster one as make a second of CPU time. */
static void choose_repeat(struct duel *duel)
{
	double base = duel->sides[ARM_BASE].runs.probe_cpu_seconds;
	double head = duel->sides[ARM_HEAD].runs.probe_cpu_seconds;
	uint32_t repeat =
		duel->config->repeat ? duel->config->repeat : repeat_for(base < head ? base : head);

	for (int arm = 0; arm < ARM_COUNT; arm++)
		duel->sides[arm].runs.repeat = repeat;
	if (repeat > 1)
		session_add_line(duel->plan->session, &duel->out->notes,
			arena_printf(&duel->plan->session->arena,
				"a run takes %.2g s of CPU time: %u runs of each version make a "
				"block",
				base < head ? base : head, repeat));
}

/* Before it is exceeded: who waits should know why. */
static void tell_budget(struct duel *duel)
{
	const struct config_policy *policy = &duel->plan->config.policy;
	const size_t blocks[2] = {policy->stage1_blocks, policy->stage2_blocks};
	const char *line = plan_budget(duel->plan->session, blocks, pair_seconds(duel),
		(double)duel->config->budget_ns / 1e9);

	if (!*line || duel->plan->options->plant)
		return;
	plan_progress(duel->plan, "%s: %s", duel->config->name, line);
	session_add_line(duel->plan->session, &duel->out->notes, line);
}

int duel_measure(struct duel *duel, struct error *err)
{
	double start = monotonic_seconds();
	int rc;

	choose_cpus(duel);
	choose_repeat(duel);
	tell_budget(duel);
	switches_tell(duel->plan, duel->sides, ARM_COUNT, duel->out);
	rc = run_stages(duel, err);
	for (int arm = 0; arm < ARM_COUNT; arm++)
		side_link_back(&duel->sides[arm]);
	if (!rc)
		for (int arm = 0; arm < ARM_COUNT; arm++)
			arm_runs_tell(
				&duel->sides[arm].runs, duel->plan, arm_names[arm], duel->out);
	if (!rc)
		rc = plan_kept(duel->plan,
			session_write_recordings(duel->out, duel->plan->output.recordings, err),
			err);
	/* They are written with the session's context. */
	if (!rc)
		rc = calls_measure(
			duel->sides, duel->call_sites, duel->out, duel->benchmarks_in_gate, err);
	duel->out->wall_seconds += monotonic_seconds() - start;
	return own_outcome(duel, rc, err);
}
