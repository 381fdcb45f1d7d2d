/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure.h"

#include "gate/base/file.h"
#include "gate/bench/identical.h"
#include "gate/check/decide.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROBE_MIN_COVERAGE 0.7
#define PROBE_SHORT_SECONDS 0.03 /* below it no sample may be chance */

/* One benchmark being measured: both arms' runs, and what proves that their files stay the same. */
struct duel {
	struct plan *plan;
	const struct config_benchmark *config;
	struct session_benchmark *out;
	size_t benchmarks_in_gate;
	char **env;
	struct arm_runs runs[ARM_COUNT];
	struct opened_files opened[ARM_COUNT];
	char hashes[ARM_COUNT][65];
	cpu_set_t cpus;
	uint64_t random;      /* state of splitmix64 */
	double probe_seconds; /* wall time of one run of each arm */
};

static double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* splitmix64 (Steele, Lea, Flood 2014): enough to shuffle pairs, and the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t choose_seed(const struct check_options *options)
{
	struct timespec t;

	if (options->seed)
		return options->seed;
	clock_gettime(CLOCK_REALTIME, &t);
	return hash_bytes(&t, sizeof(t), 0) >> 16; /* short enough to be typed */
}

static void duel_init(struct duel *duel, struct plan *plan, const struct config_benchmark *config,
	struct session_benchmark *out, size_t benchmarks_in_gate)
{
	uint64_t seed = choose_seed(plan->options);

	memset(duel, 0, sizeof(*duel));
	duel->plan = plan;
	duel->config = config;
	duel->out = out;
	duel->benchmarks_in_gate = benchmarks_in_gate;
	duel->env = environment_build(&plan->config, config->env);
	duel->random = seed ^ hash_bytes(config->name, strlen(config->name), 0);
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		arm_runs_init(&duel->runs[arm], plan, arm, config, &out->recordings[arm]);
		duel->runs[arm].options.env = (const char *const *)duel->env;
		out->recordings[arm].seed = seed;
	}
	out->recorded = true;
}

static void duel_release(struct duel *duel)
{
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		arm_runs_release(&duel->runs[arm]);
		opened_files_release(&duel->opened[arm]);
	}
	environment_free(duel->env);
}

/* What a command hides from the sampler shows before minutes are spent on it. */
static int check_coverage(const struct run *run, struct error *err)
{
	double share = run->cpu_seconds > 0 ? run->sampled_seconds / run->cpu_seconds : 0;

	if (!run->captures.samples && run->cpu_seconds < PROBE_SHORT_SECONDS)
		return error_set(err, ERR_MEASURE,
			"not one sample was taken: the benchmark used only %.0f ms of CPU time",
			run->cpu_seconds * 1e3);
	if (share >= PROBE_MIN_COVERAGE)
		return ERR_OK;
	return error_set(err, ERR_MEASURE,
		"samples account for only %.0f %% of the %.2f s of CPU time: the rest is spent "
		"where the "
		"sampler cannot follow (a program that clears LD_PRELOAD or is statically linked)",
		share * 100, run->cpu_seconds);
}

/*
 * One run of an arm that counts for nothing: it warms caches, shows that the benchmark works and
 * can be sampled, how many threads it has, and which files of the arm it uses.
 */
static int probe(struct duel *duel, int arm, struct error *err)
{
	struct arm_runs *runs = &duel->runs[arm];
	const struct arm *place = duel->plan->arm_of[arm];
	struct file_watch *watch = NULL;
	struct run run = {0};
	double start;
	int rc = preload_check(runs->options.argv, runs->options.env, runs->options.directory, err);

	if (!rc)
		rc = arm_activate(&duel->plan->cache, place, err);
	if (!rc)
		rc = file_watch_start(place->path, &watch, err);
	if (rc)
		return rc;
	start = now_seconds();
	rc = block_run(&runs->options, &run, err);
	if (!rc)
		rc = check_coverage(&run, err);
	duel->probe_seconds += now_seconds() - start;
	file_watch_stop(watch, &duel->opened[arm]);
	runs->max_threads = run.max_threads;
	run_release(&run);
	if (!rc)
		rc = arm_hash_files(place, &duel->opened[arm], duel->hashes[arm], err);
	return rc;
}

static int prove_identical(struct duel *duel, bool *identical, struct error *err)
{
	const struct plan *plan = duel->plan;
	char reason[256];
	int rc;

	*identical = false;
	if (plan->options->measure_identical)
		return ERR_OK;
	rc = arms_identical(plan->arm_of[ARM_BASE]->path, &duel->opened[ARM_BASE],
		plan->arm_of[ARM_HEAD]->path, &duel->opened[ARM_HEAD], identical, reason,
		sizeof(reason), err);
	if (!rc && !*identical)
		plan_progress(plan, "%s: must be measured: %s", duel->config->name, reason);
	return rc;
}

/* A file that the benchmark uses and that changed since the probe: somebody tampers with the arm.
 */
static int check_files(struct duel *duel, int arm, struct error *err)
{
	char hash[65];
	int rc = arm_hash_files(duel->plan->arm_of[arm], &duel->opened[arm], hash, err);

	if (!rc && strcmp(hash, duel->hashes[arm]) != 0)
		rc = error_set(err, ERR_MEASURE,
			"the files that %s uses in the %s arm changed while it was measured: the "
			"runs are "
			"not comparable",
			duel->config->name, arm_names[arm]);
	return rc;
}

static int run_arm(struct duel *duel, int arm, uint32_t order, struct error *err)
{
	int rc = check_files(duel, arm, err);

	if (!rc)
		rc = arm_activate(&duel->plan->cache, duel->plan->arm_of[arm], err);
	if (!rc)
		rc = arm_runs_block(&duel->runs[arm], order, err);
	if (rc && rc != ERR_INTERRUPTED)
		error_prefix(err, "%s arm, block %zu", arm_names[arm],
			duel->out->recordings[arm].block_count);
	return rc;
}

static int run_pair(struct duel *duel, struct error *err)
{
	int first = next_random(&duel->random) & 1 ? ARM_HEAD : ARM_BASE;
	int rc = run_arm(duel, first, 0, err);

	if (!rc)
		rc = run_arm(duel, first == ARM_HEAD ? ARM_BASE : ARM_HEAD, 1, err);
	return rc;
}

static int run_stage(struct duel *duel, int stage, uint32_t pairs, struct error *err)
{
	double pair_seconds = duel->probe_seconds;
	uint32_t quarter = pairs >= 8 ? pairs / 4 : pairs;
	int rc = ERR_OK;

	plan_progress(duel->plan, "%s: stage %d, %u pairs of runs, about %.0f s",
		duel->config->name, stage, pairs, pair_seconds * pairs);
	for (uint32_t i = 0; i < pairs && !rc; i++) {
		rc = run_pair(duel, err);
		if (!rc && (i + 1) % quarter == 0 && i + 1 < pairs)
			plan_progress(duel->plan, "%s: stage %d, %u of %u pairs done",
				duel->config->name, stage, i + 1, pairs);
	}
	return rc;
}

static int run_stages(struct duel *duel, struct error *err)
{
	const struct config_policy *policy = &duel->plan->config.policy;
	bool more = false;
	int rc = run_stage(duel, 1, policy->stage1_blocks, err);

	if (!rc)
		rc = decide_needs_stage2(duel->out, duel->benchmarks_in_gate, &more, err);
	if (!rc && more) {
		plan_progress(duel->plan, "%s: something looks slower; confirming on fresh runs",
			duel->config->name);
		rc = run_stage(duel, 2, policy->stage2_blocks, err);
	}
	return rc;
}

static void choose_cpus(struct duel *duel)
{
	uint32_t threads = duel->runs[ARM_BASE].max_threads;

	if (duel->runs[ARM_HEAD].max_threads > threads)
		threads = duel->runs[ARM_HEAD].max_threads;
	block_choose_cpus(duel->config->cpus, threads, &duel->cpus);
	for (int arm = 0; arm < ARM_COUNT; arm++)
		duel->runs[arm].options.cpus = &duel->cpus;
}

/* The lower rate and its phase lock are nothing to hide. */
static void warn_mechanism(struct duel *duel)
{
	if (strcmp(duel->out->recordings[ARM_HEAD].mechanism, "posix") != 0 &&
		strcmp(duel->out->recordings[ARM_BASE].mechanism, "posix") != 0)
		return;
	session_add_line(duel->plan->session, &duel->out->warnings,
		"sampled by the POSIX CPU timer: at most one sample a kernel tick (250 Hz on most "
		"machines), and code that runs in step with the tick is over- or undercounted; "
		"allow "
		"perf events (sysctl kernel.perf_event_paranoid=1) for 997 Hz");
}

static void drop_recordings(struct session_benchmark *out)
{
	if (!out->recorded)
		return;
	for (int arm = 0; arm < ARM_COUNT; arm++)
		recording_release(&out->recordings[arm]);
	out->recorded = false;
}

static void set_outcome(struct duel *duel, enum result_outcome outcome, const char *detail)
{
	duel->out->outcome = outcome;
	duel->out->detail = arena_strdup(&duel->plan->session->arena, detail);
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
		error_prefix(err, "head does not run");
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

static int measure_pair(struct duel *duel, struct error *err)
{
	bool identical;
	int rc = probe_both(duel, err);

	if (!rc)
		rc = prove_identical(duel, &identical, err);
	if (!rc && identical) {
		plan_progress(
			duel->plan, "%s: both versions execute the same files", duel->config->name);
		set_outcome(duel, OUTCOME_IDENTICAL, "both versions execute the same files");
		return ERR_OK;
	}
	if (rc)
		return rc;
	choose_cpus(duel);
	rc = run_stages(duel, err);
	if (!rc)
		warn_mechanism(duel);
	if (!rc)
		rc = session_write_recordings(duel->out, duel->plan->recordings, err);
	return rc;
}

int measure_benchmark(struct plan *plan, const struct config_benchmark *config,
	struct session_benchmark *out, size_t benchmarks_in_gate, struct error *err)
{
	struct duel duel;
	double start = now_seconds();
	int rc;

	duel_init(&duel, plan, config, out, benchmarks_in_gate);
	rc = measure_pair(&duel, err);
	if (rc && rc != ERR_INTERRUPTED && out->outcome == OUTCOME_MEASURED)
		set_outcome(&duel, OUTCOME_ERROR, err->message);
	duel_release(&duel);
	out->wall_seconds = now_seconds() - start;
	if (out->outcome != OUTCOME_MEASURED || rc)
		drop_recordings(out);
	return rc == ERR_INTERRUPTED ? rc : ERR_OK;
}
