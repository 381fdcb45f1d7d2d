/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_trial.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/check/runs/measure_side.h"

/* ---- which -------------------------------------------------------------------------------- */

/* A new benchmark that has a detail is one that head does not have either. */
static bool is_trial(const struct measured_benchmark *benchmark)
{
	return benchmark->outcome == OUTCOME_BASE_FAILED ||
	       (benchmark->outcome == OUTCOME_NEW && !benchmark->detail[0]);
}

bool plan_has_trials(const struct plan *plan)
{
	for (size_t i = 0; i < plan->measurements->benchmark_count; i++)
		if (is_trial(&plan->measurements->benchmarks[i]))
			return true;
	return false;
}

/* Only head's own configuration knows it. */
static bool is_own(const struct plan *plan, const struct measured_benchmark *benchmark)
{
	return !config_find(&plan->config, benchmark->name);
}

static bool needs_head(const struct plan *plan, bool own)
{
	for (size_t i = 0; i < plan->measurements->benchmark_count; i++) {
		const struct measured_benchmark *benchmark = &plan->measurements->benchmarks[i];

		if ((is_trial(benchmark) || benchmark->outcome == OUTCOME_MEASURED) &&
			is_own(plan, benchmark) == own)
			return true;
	}
	return false;
}

/* ---- building ------------------------------------------------------------------------------- */

static void set_error(
	struct plan *plan, struct measured_benchmark *benchmark, const struct error *err)
{
	benchmark->outcome = OUTCOME_ERROR;
	benchmark->fails = false;
	benchmark->detail = arena_strdup(&plan->measurements->arena, err->message);
}

/* What builds on neither side is head's error, such as a package that the machine lacks. */
static void fail_head(struct plan *plan, bool own, const struct error *err)
{
	for (size_t i = 0; i < plan->measurements->benchmark_count; i++) {
		struct measured_benchmark *benchmark = &plan->measurements->benchmarks[i];
		struct error why = *err;

		if (!(is_trial(benchmark) || benchmark->outcome == OUTCOME_MEASURED) ||
			is_own(plan, benchmark) != own)
			continue;
		if (benchmark->outcome == OUTCOME_BASE_FAILED)
			error_prefix(&why, "neither base nor head builds");
		set_error(plan, benchmark, &why);
	}
}

/* The same tree is built once. *same: base stands for head. */
static int is_base(const struct plan *plan, bool *same, struct error *err)
{
	char trees[VERSION_COUNT][OBJECT_ID_SIZE];
	int rc = repo_tree_id(plan->repo, plan->commits.base, trees[VERSION_BASE], err);

	if (!rc)
		rc = repo_tree_id(plan->repo, plan->commits.head, trees[VERSION_HEAD], err);
	*same = !rc && plan->builds.of[VERSION_BASE] &&
		strcmp(trees[VERSION_BASE], trees[VERSION_HEAD]) == 0;
	return rc;
}

static int build_head(
	struct plan *plan, const struct config *config, struct build *build, struct error *err)
{
	return build_prepare(&plan->builds.cache, plan->repo, config, plan->commits.head,
		version_names[VERSION_HEAD], plan_forward_progress, plan, build, err);
}

static int prepare_head(struct plan *plan, struct error *err)
{
	bool same;
	int rc = is_base(plan, &same, err);

	if (rc)
		return rc;
	if (same) {
		plan->builds.of[VERSION_HEAD] = plan->builds.of[VERSION_BASE];
		return ERR_OK;
	}
	rc = build_head(plan, &plan->config, &plan->builds.items[VERSION_HEAD], err);
	if (!rc)
		plan->builds.of[VERSION_HEAD] = &plan->builds.items[VERSION_HEAD];
	return rc;
}

int plan_prepare_head(struct plan *plan, struct error *err)
{
	int rc = needs_head(plan, false) ? prepare_head(plan, err) : ERR_OK;

	if (rc == ERR_BENCHMARK) {
		fail_head(plan, false, err);
		rc = ERR_OK;
	}
	if (!rc && needs_head(plan, true))
		rc = build_head(plan, &plan->own.config, &plan->own.build, err);
	if (rc == ERR_BENCHMARK) {
		fail_head(plan, true, err);
		rc = ERR_OK;
	}
	return rc;
}

/* ---- running -------------------------------------------------------------------------------- */

static int take_run(
	struct side *side, const struct run *run, struct measured_benchmark *out, struct error *err)
{
	struct plan *plan = side->plan;
	int rc = version_runs_add(&side->runs, run, true, 0, err);

	if (rc)
		return rc;
	out->wall_seconds = (double)run->process.wall_ns / 1e9;
	version_runs_tell(&side->runs, plan, version_names[VERSION_HEAD], out);
	return measurements_write_recordings(out, plan->output.recordings, err);
}

/* A new benchmark's run is shown; where a base failed there is nothing new to see in head's. */
static int run_once(struct plan *plan, const struct config_benchmark *config,
	struct measured_benchmark *benchmark, struct error *err)
{
	struct side side;
	struct run run = {0};
	int rc;

	benchmark->head_only = true;
	side_init(&side, plan, VERSION_HEAD, config, &benchmark->recordings[VERSION_HEAD]);
	rc = side_probe(&side, &run, err);
	if (!rc && benchmark->outcome == OUTCOME_NEW)
		rc = take_run(&side, &run, benchmark, err);
	run_release(&run);
	side_release(&side);
	if (rc || benchmark->outcome != OUTCOME_NEW)
		measurements_drop_recordings(benchmark);
	return rc;
}

/* The plan as it is for head's own configuration: it differs in commands and build. */
static struct plan own_plan(struct plan *plan)
{
	struct plan own = *plan;

	own.config = plan->own.config;
	own.builds.of[VERSION_BASE] = NULL;
	own.builds.of[VERSION_HEAD] = &plan->own.build;
	return own;
}

static int try_one(struct plan *plan, struct measured_benchmark *benchmark, struct error *err)
{
	struct plan own = own_plan(plan);
	struct plan *with = is_own(plan, benchmark) ? &own : plan;
	struct error why = {0};
	int rc;

	plan_progress(plan, "%s: one run of head alone", benchmark->name);
	rc = run_once(with, config_find(&with->config, benchmark->name), benchmark, &why);
	if (rc == ERR_INTERRUPTED) {
		*err = why;
		return rc;
	}
	if (rc) {
		error_prefix(&why, "head does not run");
		set_error(plan, benchmark, &why);
	}
	return ERR_OK;
}

int plan_try_head(struct plan *plan, struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = 0; i < plan->measurements->benchmark_count && !rc; i++)
		if (is_trial(&plan->measurements->benchmarks[i]))
			rc = try_one(plan, &plan->measurements->benchmarks[i], err);
	return rc;
}
