/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/runs/measure_side.h"

#include <string.h>
#include <time.h>

#include "gate/base/error.h"
#include "gate/bench/environment.h"
#include "gate/bench/recording/readings.h"
#include "gate/bench/run/slowdown.h"
#include "gate/check/runs/coverage.h"
#include "gate/check/runs/measure_death.h"
#include "gate/check/runs/printed.h"
#include "gate/check/runs/run_text.h"

#define PROBE_ATTEMPTS 6
#define PROBE_AGAIN_SECONDS 20 /* a run that takes longer, mostly asleep, is not tried again */

double monotonic_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Counts under another record are of other work: an unknown build fits no baseline exactly. */
static void take_clock(struct side *side)
{
	bool is_real = side->clock.mode == RUN_CLOCK_REAL;
	bool is_own = is_real || side->clock.mode == RUN_CLOCK_RECORD;

	side->runs.options.clock = is_real ? NULL : &side->clock;
	side->runs.recording->fingerprint.build_hash = is_own ? side->build_hash : "";
}

static void begin_runs(struct side *side, struct recording *recording)
{
	version_runs_init(&side->runs, side->plan, side->version, side->config, recording);
	side->runs.options.env = (const char *const *)side->env;
	side->build_hash = recording->fingerprint.build_hash;
	take_clock(side);
}

void side_set_clock(struct side *side, const struct run_clock *clock)
{
	side->clock = clock ? *clock : (struct run_clock){.mode = RUN_CLOCK_REAL};
	take_clock(side);
}

int side_clean(const struct side *side, struct error *err)
{
	if (side->clock.mode == RUN_CLOCK_REAL)
		return ERR_OK;
	return build_clean(side->plan->builds.of[side->version], err);
}

void side_init(struct side *side, struct plan *plan, int version,
	const struct config_benchmark *config, struct recording *recording)
{
	memset(side, 0, sizeof(*side));
	side->plan = plan;
	side->config = config;
	side->version = version;
	side->probe_mechanism = "";
	side->env = environment_build(&plan->config, config->env);
	begin_runs(side, recording);
}

void side_release(struct side *side)
{
	version_runs_release(&side->runs);
	opened_files_release(&side->opened);
	environment_free(side->env);
}

int side_prepare_run(const struct side *side, struct error *err)
{
	int rc = build_activate(
		&side->plan->builds.cache, side->plan->builds.of[side->version], err);

	return rc ? rc : side_clean(side, err);
}

static int timed_run(const struct side *side, const struct run_options *options, struct run *run,
	double *wall_seconds, struct error *err)
{
	int rc = side_clean(side, err);
	double start = monotonic_seconds();

	if (!rc)
		rc = run_execute(options, run, err);
	*wall_seconds = monotonic_seconds() - start;
	return rc;
}

/*
 * A machine that is taken away below the kernel counts that as CPU time, without a signal: of a
 * short run a third may be so, and of the next one, too. Of so many it is the program.
 */
int side_try(struct side *side, const char *slowdown, struct run *run, double *wall_seconds,
	struct error *err)
{
	struct run_options options = side->runs.options;
	int rc;

	if (slowdown) {
		options.slowdown = slowdown;
		options.rate_hz = SLOWDOWN_FINE_RATE_HZ;
	}
	rc = timed_run(side, &options, run, wall_seconds, err);
	if (rc)
		return rc;
	rc = coverage_check(run, err);
	for (int i = 1; rc && i < PROBE_ATTEMPTS && run->cpu_seconds < COVERAGE_SURE_SECONDS &&
			*wall_seconds < PROBE_AGAIN_SECONDS;
		i++) {
		plan_progress(side->plan, "%s: one more run of %s, because %s", side->config->name,
			version_names[side->version], err->message);
		run_release(run);
		*err = (struct error){0};
		rc = timed_run(side, &options, run, wall_seconds, err);
		if (rc)
			return rc;
		rc = coverage_check(run, err);
	}
	return rc;
}

/*
 * One run that counts for nothing: it warms caches, shows that the benchmark works and can be
 * sampled, how many threads it has, and which files of the build it uses.
 */
static int watched_run(struct side *side, struct run *run, struct error *err)
{
	const struct build *place = side->plan->builds.of[side->version];
	struct file_watch *watch = NULL;
	int rc = file_watch_start(place->path, &watch, err);

	if (rc)
		return rc;
	rc = side_try(side, NULL, run, &side->probe_seconds, err);
	if (rc == ERR_BENCHMARK)
		rc = death_describe(&side->runs, run, err);
	file_watch_stop(watch, &side->opened);
	return rc;
}

int side_probe(struct side *side, struct run *run, struct error *err)
{
	const struct run_options *options = &side->runs.options;
	const struct build *place = side->plan->builds.of[side->version];
	int rc = preload_check(options->argv, options->env, options->directory, err);

	if (!rc)
		rc = build_activate(&side->plan->builds.cache, place, err);
	if (!rc)
		rc = watched_run(side, run, err);
	side->runs.max_threads = run->max_threads;
	side->runs.probe_cpu_seconds = run->cpu_seconds;
	side->probe_rss_bytes = run->process.max_rss_bytes;
	side->probe_resident_bytes = readings_resident(run);
	side->probe_switches = run->process.switches;
	side->probe_tree_ns = run->process.cpu_ns;
	side->probe_mechanism = run_mechanism(&run->captures);
	side->probe_work = (struct work_tally){run->cpu_seconds, run->iterations, 0};
	printed_hash(run, place, side->probe_printed);
	side->probe_cpu_seconds = run->cpu_seconds + run->left_out_seconds + run->paused_seconds;
	return rc ? rc : build_hash_files(place, &side->opened, side->hash, err);
}

/* A file that the benchmark uses and that changed since the probe:
 * somebody tampers with the build. */
int side_check_files(const struct side *side, struct error *err)
{
	const struct build *place = side->plan->builds.of[side->version];
	char hash[65];
	int rc;

	build_renew_pages(place, &side->opened);
	rc = build_hash_files(place, &side->opened, hash, err);

	if (!rc && strcmp(hash, side->hash) != 0)
		rc = error_set(err, ERR_MEASURE,
			"the files that %s uses in the %s build changed while it was measured: the "
			"runs are not comparable",
			side->config->name, version_names[side->version]);
	return rc;
}

int side_blame(const struct side *side, struct error *err)
{
	if (err->code != ERR_INTERRUPTED)
		error_prefix(err, "%s, round %zu", version_names[side->version],
			side->runs.recording->round_count);
	return err->code;
}

static bool is_relinked(const struct side *side)
{
	const char *const *relink = side->plan->config.relink;

	return relink && relink[0];
}

static int link_with(const struct side *side, uint32_t seed, struct error *err)
{
	struct plan *plan = side->plan;
	const struct build *place = plan->builds.of[side->version];
	int rc = build_activate(&plan->builds.cache, place, err);

	return rc ? rc : build_relink(&plan->builds.cache, &plan->config, place, seed, err);
}

int side_relink(struct side *side, struct error *err)
{
	uint32_t seed = (uint32_t)(side->runs.recording->round_count % RELINK_SEEDS);
	int rc;

	if (!is_relinked(side))
		return ERR_OK;
	/* What was put there since the last link is not to be linked. */
	rc = side_check_files(side, err);
	if (!rc)
		rc = link_with(side, seed, err);
	if (!rc)
		rc = build_hash_files(
			side->plan->builds.of[side->version], &side->opened, side->hash, err);
	side->runs.recording->layouts = RELINK_SEEDS;
	return rc ? side_blame(side, err) : ERR_OK;
}

void side_link_back(const struct side *side)
{
	if (is_relinked(side))
		link_with(side, 0, NULL);
}

int side_run(struct side *side, bool first, uint32_t order, struct error *err)
{
	int rc = first ? side_check_files(side, err) : ERR_OK;

	if (!rc)
		rc = side_prepare_run(side, err);
	if (!rc)
		rc = version_runs_once(&side->runs, first, order, err);
	return rc ? side_blame(side, err) : ERR_OK;
}

int side_round(struct side *side, uint32_t order, struct error *err)
{
	int rc = side_run(side, true, order, err);

	for (uint32_t i = 1; i < side->runs.repeat && !rc; i++)
		rc = side_run(side, false, order, err);
	return rc;
}

void side_restart(struct side *side)
{
	const struct version_runs old = side->runs;
	struct recording *recording = old.recording;
	uint64_t seed = recording->seed;

	version_runs_release(&side->runs);
	recording_release(recording);
	begin_runs(side, recording);
	side->runs.options.cpus = old.options.cpus;
	side->runs.max_threads = old.max_threads;
	side->runs.repeat = old.repeat;
	side->runs.probe_cpu_seconds = old.probe_cpu_seconds;
	recording->seed = seed;
}
