/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `flamegate record` does: one commit is built, and its benchmarks run in turns. One that
 * fails does not stop the others. Declared in check.h.
 */
#include "gate/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/decide/decide.h"
#include "gate/check/expand/expand.h"
#include "gate/check/measure/measure_alone.h"
#include "gate/check/measure/measure_counted.h"
#include "gate/check/measurements/measurements_context.h"
#include "gate/check/output_folder.h"

#define SHORT_ID 10

/* Each knows its program's symbols: no more of them are alive at a time. */
#define MOST_TAKES 32

/* Benchmarks of a record that are alive at once: their runs take turns. */
struct takes {
	struct plan *plan;
	struct alone **items; /* [benchmark]; NULL: it has failed, or is none of these */
	size_t first, end;    /* of the measurements' benchmarks: these */
	uint32_t rounds;
};

static int find_commit(struct plan *plan, struct error *err)
{
	const char *name = plan->options->head ? plan->options->head : "HEAD";
	struct result_commit *head = &plan->measurements->head;
	int rc = repo_resolve_commit(plan->repo, name, plan->commits.head, err);

	if (rc == ERR_NOT_FOUND)
		return err->code = ERR_USAGE;
	if (rc)
		return rc;
	head->id = arena_strdup(&plan->measurements->arena, plan->commits.head);
	head->name = arena_strdup(&plan->measurements->arena, name);
	return repo_subject(
		plan->repo, plan->commits.head, &plan->measurements->arena, &head->subject, err);
}

static void say(void *data, const char *text)
{
	plan_progress(data, "%s", text);
}

static int build(struct plan *plan, struct error *err)
{
	int rc = build_cache_open(&plan->builds.cache, plan->repo, err);

	if (!rc)
		rc = build_prepare(&plan->builds.cache, plan->repo, &plan->config,
			plan->commits.head, "head", say, plan, &plan->builds.items[VERSION_HEAD],
			err);
	if (!rc)
		plan->builds.of[VERSION_HEAD] = &plan->builds.items[VERSION_HEAD];
	return rc;
}

/* One that fails is out; the others go on. Only an interruption stops them all. */
static int settle(struct takes *takes, size_t i, int rc, const struct error *err)
{
	struct measurements *measurements = takes->plan->measurements;
	struct measured_benchmark *benchmark = &measurements->benchmarks[i];

	if (!rc || rc == ERR_INTERRUPTED)
		return rc;
	benchmark->outcome = OUTCOME_ERROR;
	benchmark->detail = arena_strdup(&measurements->arena, err->message);
	alone_free(takes->items[i]);
	takes->items[i] = NULL;
	measurements_drop_recordings(benchmark);
	return ERR_OK;
}

static int probe_all(struct takes *takes, struct error *err)
{
	struct plan *plan = takes->plan;
	int rc = ERR_OK;

	for (size_t i = takes->first; i < takes->end && !rc; i++) {
		struct measured_benchmark *benchmark = &plan->measurements->benchmarks[i];

		if (benchmark->outcome == OUTCOME_ERROR)
			continue;
		benchmark->outcome = OUTCOME_PROFILE;
		takes->items[i] =
			alone_new(plan, config_find(&plan->config, benchmark->name), benchmark);
		rc = alone_probe(takes->items[i], err);
		if (!rc)
			rc = alone_settle_work(takes->items[i], err);
		rc = settle(takes, i, rc, err);
	}
	return rc;
}

/* The runs of all benchmarks together, those of the ones that have failed left out. */
static struct check_step first_step(const struct takes *takes)
{
	struct check_step step = {.benchmark = "all"};
	size_t alive = 0;

	for (size_t i = takes->first; i < takes->end; i++) {
		if (!takes->items[i])
			continue;
		step.benchmark = takes->plan->measurements->benchmarks[i].name;
		step.pair_seconds += alone_round_seconds(takes->items[i]);
		alive++;
	}
	if (alive > 1)
		step.benchmark = "all benchmarks";
	step.pairs = takes->rounds * (uint32_t)alive;
	step.pair_seconds /= alive ? (double)alive : 1;
	return step;
}

/* By steps where somebody asked for them, else by a line every quarter. */
static void say_round_done(const struct takes *takes, uint32_t done)
{
	uint32_t quarter = takes->rounds >= 8 ? takes->rounds / 4 : takes->rounds;

	if (!takes->plan->options->steps && done % quarter == 0)
		plan_progress(takes->plan, "recorded %u of %u runs of each benchmark", done,
			takes->rounds);
}

/* In turns, so that every recording covers the whole time: neighbouring runs are alike. */
static int run_all(struct takes *takes, struct error *err)
{
	struct check_step step = first_step(takes);
	int rc = ERR_OK;

	if (step.pairs)
		plan_step(takes->plan, &step);
	for (uint32_t round = 0; round < takes->rounds && !rc; round++) {
		for (size_t i = takes->first; i < takes->end && !rc; i++) {
			if (!takes->items[i])
				continue;
			rc = settle(takes, i, alone_round(takes->items[i], err), err);
			/* One that failed is not run any more. */
			step.done++;
			step.pairs -= takes->items[i] ? 0 : takes->rounds - round - 1;
			if (!rc)
				plan_step(takes->plan, &step);
		}
		if (!rc)
			say_round_done(takes, round + 1);
	}
	return rc;
}

static int record_some(struct takes *takes, struct error *err)
{
	struct plan *plan = takes->plan;
	int rc = probe_all(takes, err);

	if (!rc)
		rc = run_all(takes, err);
	for (size_t i = takes->first; i < takes->end; i++) {
		struct measured_benchmark *benchmark = &plan->measurements->benchmarks[i];

		if (!rc && takes->items[i])
			alone_tell(takes->items[i]);
		alone_free(takes->items[i]);
		if (!rc && benchmark->head_only)
			rc = plan_count(
				plan, config_find(&plan->config, benchmark->name), benchmark, err);
		if (!rc && benchmark->head_only)
			rc = measurements_write_recordings(benchmark, plan->output.recordings, err);
	}
	return rc;
}

static int record_all(struct plan *plan, uint32_t rounds, struct error *err)
{
	size_t count = plan->measurements->benchmark_count;
	struct takes takes = {.plan = plan,
		.items = xcalloc(count + 1, sizeof(struct alone *)),
		.rounds = rounds ? rounds : plan->config.policy.stage1_pairs};
	int rc = ERR_OK;

	for (; takes.first < count && !rc; takes.first = takes.end) {
		takes.end = count - takes.first > MOST_TAKES ? takes.first + MOST_TAKES : count;
		rc = record_some(&takes, err);
	}
	free(takes.items);
	return rc;
}

static int run_plan(struct plan *plan, uint32_t rounds, struct error *err)
{
	int rc = plan_open(plan, err);

	if (!rc)
		rc = find_commit(plan, err);
	if (!rc)
		rc = plan_record_configuration(plan, err);
	if (!rc)
		rc = output_folder_recordings(
			plan->options->output, &plan->output.recordings, &plan->output.lock, err);
	if (!rc)
		rc = scratch_make(&plan->output.scratch, err);
	if (!rc)
		plan_progress(plan, "recording %.*s", SHORT_ID, plan->commits.head);
	if (!rc)
		rc = build(plan, err);
	if (!rc)
		rc = plan_expand(plan, err);
	if (rc)
		return rc;
	plan_read_toolchain(plan);
	rc = plan_choose_rate(plan, err);
	if (!rc)
		rc = plan_calibrate(plan, err);
	if (!rc)
		rc = record_all(plan, rounds, err);
	return rc ? rc : measurements_write(plan->measurements, plan->output.recordings, err);
}

int record_run(const struct record_options *options, struct result **out, struct error *err)
{
	const struct check_options common = {
		.directory = options->directory,
		.head = options->commit,
		.configuration = options->configuration,
		.output = options->output,
		.only = options->only,
		.ci = options->ci,
		.mechanism = options->mechanism,
		.progress = options->progress,
		.steps = options->steps,
		.progress_data = options->progress_data,
	};
	struct plan plan = {
		.options = &common, .measurements = measurements_new("record"), .recording = true};
	int rc;

	measurements_stamp(plan.measurements);
	rc = run_plan(&plan, options->rounds, err);
	plan_release(&plan);
	if (!rc)
		*out = decide_measurements(plan.measurements);
	measurements_free(plan.measurements);
	return rc;
}
