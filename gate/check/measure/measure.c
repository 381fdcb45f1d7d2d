/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/expand/expand.h"
#include "gate/check/measure/measure_benchmark.h"
#include "gate/check/measure/measure_counted.h"
#include "gate/check/measure/measure_production.h"
#include "gate/check/measure/measure_reference.h"
#include "gate/check/measure/measure_screen.h"
#include "gate/check/measure/measure_trial.h"
#include "gate/check/measurements/measurements_context.h"
#include "gate/check/output_folder.h"
#include "gate/check/plan/ci_event.h"

#define SHORT_ID 10

static size_t count_outcome(const struct measurements *measurements, enum result_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < measurements->benchmark_count; i++)
		count += measurements->benchmarks[i].outcome == outcome;
	return count;
}

/* What stops the base stops all benchmarks that were to be measured. */
static void fail_base(struct plan *plan, const struct error *err)
{
	struct measurements *measurements = plan->measurements;

	for (size_t i = 0; i < measurements->benchmark_count; i++) {
		struct measured_benchmark *benchmark = &measurements->benchmarks[i];

		if (benchmark->outcome != OUTCOME_MEASURED)
			continue;
		benchmark->detail = arena_strdup(&measurements->arena, err->message);
		benchmark->outcome = OUTCOME_BASE_FAILED;
		benchmark->fails = plan->config.policy.on_base_failure == CONFIG_FAIL;
	}
}

static int prepare_base(struct plan *plan, struct error *err)
{
	int rc = build_prepare(&plan->builds.cache, plan->repo, &plan->config, plan->commits.base,
		version_names[VERSION_BASE], plan_forward_progress, plan,
		&plan->builds.items[VERSION_BASE], err);

	if (!rc)
		plan->builds.of[VERSION_BASE] = &plan->builds.items[VERSION_BASE];
	if (rc != ERR_BENCHMARK)
		return rc;
	fail_base(plan, err);
	return ERR_OK;
}

/* Head was built beside base's finished build: that must not have touched it. */
static int verify_versions(const struct plan *plan, struct error *err)
{
	int rc = ERR_OK;

	for (int version = 0; version < VERSION_COUNT && !rc; version++)
		if (plan->builds.of[version])
			rc = build_verify(plan->builds.of[version], err);
	if (!rc && plan->own.build.path)
		rc = build_verify(&plan->own.build, err);
	return rc;
}

static bool has_reference(const struct plan *plan)
{
	for (size_t i = 0; i < plan->measurements->benchmark_count; i++)
		for (size_t k = 0; k < plan->measurements->benchmarks[i].reference_count; k++)
			if (plan->measurements->benchmarks[i].references[k].has_baseline)
				return true;
	return false;
}

/*
 * ERR_BENCHMARK of a build becomes the benchmarks' outcome; then plan->builds.of is NULL. Head
 * is built in any case: what builds on neither side is no fault of the base's alone.
 */
static int prepare_versions(struct plan *plan, struct error *err)
{
	int rc = count_outcome(plan->measurements, OUTCOME_MEASURED) ? prepare_base(plan, err)
								     : ERR_OK;

	if (!rc)
		rc = plan_prepare_head(plan, err);
	return rc ? rc : verify_versions(plan, err);
}

/* ---- measuring ----------------------------------------------------------------------------- */

/* Each knows its program's symbols: no more of them are alive at a time. */
#define MOST_SERIES 32

/* The benchmarks that are to be measured in pairs, in the order in which that shall be done. */
struct series_list {
	struct series *items[MOST_SERIES];
	size_t count;
};

/* From *next on, until the list is full. */
static int probe_some(struct plan *plan, size_t in_gate, size_t *next, struct series_list *list,
	struct error *err)
{
	struct measurements *measurements = plan->measurements;
	int rc = ERR_OK;

	for (; *next < measurements->benchmark_count && list->count < MOST_SERIES && !rc; ++*next) {
		struct measured_benchmark *benchmark = &measurements->benchmarks[*next];
		const struct config_benchmark *config = config_find(&plan->config, benchmark->name);
		struct series *series;

		if (benchmark->outcome != OUTCOME_MEASURED || !config)
			continue;
		series = series_new(plan, config, benchmark, in_gate);
		rc = series_probe(series, err);
		if (!rc && benchmark->outcome == OUTCOME_MEASURED)
			list->items[list->count++] = series;
		else
			series_free(series);
	}
	return rc;
}

/* The most suspicious first. Insertion keeps the configuration's
 * order among equals; there are few. */
static void order_series(struct series_list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		struct series *series = list->items[i];
		size_t k = i;

		for (; k && series_suspicion(list->items[k - 1]) < series_suspicion(series); k--)
			list->items[k] = list->items[k - 1];
		list->items[k] = series;
	}
}

static int measure_some(struct plan *plan, size_t in_gate, size_t *next, struct error *err)
{
	struct series_list list = {.count = 0};
	int rc = probe_some(plan, in_gate, next, &list, err);

	order_series(&list);
	for (size_t i = 0; i < list.count && !rc; i++) {
		rc = series_count(list.items[i], err);
		if (!rc)
			rc = series_measure(list.items[i], err);
	}
	for (size_t i = 0; i < list.count; i++)
		series_free(list.items[i]);
	return rc;
}

static int measure_pairs(struct plan *plan, struct error *err)
{
	size_t in_gate = count_outcome(plan->measurements, OUTCOME_MEASURED);
	int rc = ERR_OK;

	for (size_t next = 0; next < plan->measurements->benchmark_count && !rc;)
		rc = measure_some(plan, in_gate, &next, err);
	return rc;
}

static bool counts_anything(const struct plan *plan)
{
	for (size_t i = 0; i < plan->config.benchmark_count; i++)
		if (counted_kind(&plan->config.benchmarks[i], 0))
			return true;
	return false;
}

static int measure_all(struct plan *plan, struct error *err)
{
	int rc = ERR_OK;

	if (plan->builds.of[VERSION_HEAD] && (has_reference(plan) || counts_anything(plan)))
		plan_read_toolchain(plan);
	if (plan->builds.of[VERSION_HEAD] && has_reference(plan))
		rc = plan_calibrate(plan, err);
	if (!rc)
		rc = plan_try_head(plan, err);
	if (!rc && plan->builds.of[VERSION_BASE] && plan->builds.of[VERSION_HEAD])
		rc = plan_screen_first(plan, err);
	if (!rc && plan->builds.of[VERSION_BASE] && plan->builds.of[VERSION_HEAD])
		rc = measure_pairs(plan, err);
	return rc ? rc : plan_screen_failed(plan, err);
}

/* Where head was not measured a stored baseline has nothing to say: no file of it, no word. */
static void drop_unused(struct plan *plan)
{
	for (size_t i = 0; i < plan->measurements->benchmark_count; i++) {
		struct measured_benchmark *benchmark = &plan->measurements->benchmarks[i];

		if (!benchmark->recorded && !benchmark->head_only)
			measurements_drop_references(benchmark);
	}
}

static int open_places(struct plan *plan, struct error *err)
{
	int rc = output_folder_recordings(
		plan->options->output, &plan->output.recordings, &plan->output.lock, err);

	return rc ? rc : scratch_make(&plan->output.scratch, err);
}

static int build_and_measure(struct plan *plan, struct error *err)
{
	int rc;

	plan_progress(plan, "base %.*s (%s), head %.*s", SHORT_ID, plan->commits.base,
		plan->commits.base_name, SHORT_ID, plan->commits.head);
	plan_find_references(plan, false);
	rc = plan_read_production(plan, err);
	if (!rc)
		rc = build_cache_open(&plan->builds.cache, plan->repo, err);
	if (!rc)
		rc = prepare_versions(plan, err);
	if (!rc)
		rc = plan_expand(plan, err);
	if (!rc)
		plan_find_references(plan, true);
	if (!rc)
		rc = plan_choose_rate(plan, err);
	return rc ? rc : measure_all(plan, err);
}

/* Whoever runs a failed check again until it passes has that many chances. */
static void count_attempt(struct plan *plan)
{
	const struct check_options *options = plan->options;

	plan->attempt = options->attempt ? options->attempt : options->ci ? ci_run_attempt() : 1;
	if (plan->attempt > 1)
		measurements_add_line(plan->measurements, &plan->measurements->notes,
			arena_printf(&plan->measurements->arena,
				"attempt %u at the same change: each further attempt halves the "
				"error rates, so that all of them together stay below twice the "
				"first's; what the earlier ones found stands in their reports",
				plan->attempt));
}

static int write_measurements(struct plan *plan, struct error *err)
{
	int rc = measurements_write_contexts(plan->measurements, plan->output.recordings, err);

	rc = plan_kept(plan, rc, err);
	if (!rc && !plan->output.unkept)
		rc = plan_kept(plan,
			measurements_write(plan->measurements, plan->output.recordings, err), err);
	return rc;
}

static int run_plan(struct plan *plan, struct error *err)
{
	int rc = plan_open(plan, err);

	count_attempt(plan);
	if (!rc)
		rc = plan_find_commits(plan, err);
	if (!rc)
		rc = plan_configuration(plan, err);
	if (!rc)
		rc = plan->options->plant ? ERR_OK : plan_acceptances(plan, err);
	if (!rc)
		rc = open_places(plan, err);
	if (!rc && (count_outcome(plan->measurements, OUTCOME_MEASURED) || plan_has_trials(plan)))
		rc = build_and_measure(plan, err);
	if (!rc)
		rc = plan_weigh(plan, err);
	if (!rc)
		drop_unused(plan);
	return rc ? rc : write_measurements(plan, err);
}

int measure_check(const struct check_options *options, struct measurements **out, struct error *err)
{
	struct plan plan = {.options = options, .measurements = measurements_new("check")};
	int rc;

	measurements_stamp(plan.measurements);
	rc = run_plan(&plan, err);
	plan_release(&plan);
	if (rc)
		measurements_free(plan.measurements);
	else
		*out = plan.measurements;
	return rc;
}
