/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/check.h"

#include "gate/base/file.h"
#include "gate/check/decide/decide.h"
#include "gate/check/measure/measure_alone.h"
#include "gate/check/measure/measure_counted.h"
#include "gate/check/output_folder.h"
#include "gate/check/session/session_context.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_ID 10

/* The benchmarks of a record, all alive at once: their runs take turns. */
struct takes {
	struct plan *plan;
	struct alone **items; /* [benchmark]; NULL: it has failed */
	uint32_t blocks;
};

static int find_commit(struct plan *plan, struct error *err)
{
	const char *name = plan->options->head ? plan->options->head : "HEAD";
	struct result_commit *head = &plan->session->head;
	int rc = repo_resolve_commit(plan->repo, name, plan->commits.head, err);

	if (rc == ERR_NOT_FOUND)
		return err->code = ERR_USAGE;
	if (rc)
		return rc;
	head->id = arena_strdup(&plan->session->arena, plan->commits.head);
	head->name = arena_strdup(&plan->session->arena, name);
	return repo_subject(
		plan->repo, plan->commits.head, &plan->session->arena, &head->subject, err);
}

static void say(void *data, const char *text)
{
	plan_progress(data, "%s", text);
}

static int build(struct plan *plan, struct error *err)
{
	int rc = arm_cache_open(&plan->builds.cache, plan->repo, err);

	if (!rc)
		rc = arm_prepare(&plan->builds.cache, plan->repo, &plan->config, plan->commits.head,
			"head", say, plan, &plan->builds.arms[ARM_HEAD], err);
	if (!rc)
		plan->builds.arm_of[ARM_HEAD] = &plan->builds.arms[ARM_HEAD];
	return rc;
}

/* One that fails is out; the others go on. Only an interruption stops them all. */
static int settle(struct takes *takes, size_t i, int rc, const struct error *err)
{
	struct session *session = takes->plan->session;
	struct session_benchmark *benchmark = &session->benchmarks[i];

	if (!rc || rc == ERR_INTERRUPTED)
		return rc;
	benchmark->outcome = OUTCOME_ERROR;
	benchmark->detail = arena_strdup(&session->arena, err->message);
	alone_free(takes->items[i]);
	takes->items[i] = NULL;
	session_drop_recordings(benchmark);
	return ERR_OK;
}

static int probe_all(struct takes *takes, struct error *err)
{
	struct plan *plan = takes->plan;
	int rc = ERR_OK;

	for (size_t i = 0; i < plan->session->benchmark_count && !rc; i++) {
		struct session_benchmark *benchmark = &plan->session->benchmarks[i];

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

	for (size_t i = 0; i < takes->plan->session->benchmark_count; i++) {
		if (!takes->items[i])
			continue;
		step.benchmark = takes->plan->session->benchmarks[i].name;
		step.pair_seconds += alone_block_seconds(takes->items[i]);
		alive++;
	}
	if (alive > 1)
		step.benchmark = "all benchmarks";
	step.pairs = takes->blocks * (uint32_t)alive;
	step.pair_seconds /= alive ? (double)alive : 1;
	return step;
}

/* By steps where somebody asked for them, else by a line every quarter. */
static void say_block_done(const struct takes *takes, uint32_t done)
{
	uint32_t quarter = takes->blocks >= 8 ? takes->blocks / 4 : takes->blocks;

	if (!takes->plan->options->steps && done % quarter == 0)
		plan_progress(takes->plan, "recorded %u of %u runs of each benchmark", done,
			takes->blocks);
}

/* In turns, so that every recording covers the whole time: neighbouring runs are alike. */
static int run_all(struct takes *takes, struct error *err)
{
	size_t count = takes->plan->session->benchmark_count;
	struct check_step step = first_step(takes);
	int rc = ERR_OK;

	if (step.pairs)
		plan_step(takes->plan, &step);
	for (uint32_t block = 0; block < takes->blocks && !rc; block++) {
		for (size_t i = 0; i < count && !rc; i++) {
			if (!takes->items[i])
				continue;
			rc = settle(takes, i, alone_block(takes->items[i], err), err);
			/* One that failed is not run any more. */
			step.done++;
			step.pairs -= takes->items[i] ? 0 : takes->blocks - block - 1;
			if (!rc)
				plan_step(takes->plan, &step);
		}
		if (!rc)
			say_block_done(takes, block + 1);
	}
	return rc;
}

static int record_all(struct plan *plan, uint32_t blocks, struct error *err)
{
	struct takes takes = {.plan = plan,
		.items = xcalloc(plan->session->benchmark_count + 1, sizeof(struct alone *)),
		.blocks = blocks ? blocks : plan->config.policy.stage1_blocks};
	int rc = probe_all(&takes, err);

	if (!rc)
		rc = run_all(&takes, err);
	for (size_t i = 0; i < plan->session->benchmark_count; i++) {
		struct session_benchmark *benchmark = &plan->session->benchmarks[i];

		if (!rc && takes.items[i])
			alone_tell(takes.items[i]);
		alone_free(takes.items[i]);
		if (!rc && benchmark->head_only)
			rc = plan_count(
				plan, config_find(&plan->config, benchmark->name), benchmark, err);
		if (!rc && benchmark->head_only)
			rc = session_write_recordings(benchmark, plan->output.recordings, err);
	}
	free(takes.items);
	return rc;
}

static int run_plan(struct plan *plan, uint32_t blocks, struct error *err)
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
	if (rc)
		return rc;
	plan_read_toolchain(plan);
	rc = plan_choose_rate(plan, err);
	if (!rc)
		rc = plan_calibrate(plan, err);
	if (!rc)
		rc = record_all(plan, blocks, err);
	return rc ? rc : session_write(plan->session, plan->output.recordings, err);
}

int record_run(const struct record_options *options, struct result **out, struct error *err)
{
	const struct check_options common = {
		.directory = options->directory,
		.head = options->commit,
		.output = options->output,
		.only = options->only,
		.ci = options->ci,
		.mechanism = options->mechanism,
		.progress = options->progress,
		.steps = options->steps,
		.progress_data = options->progress_data,
	};
	struct plan plan = {
		.options = &common, .session = session_new("record"), .recording = true};
	int rc;

	session_stamp(plan.session);
	rc = run_plan(&plan, options->blocks, err);
	plan_release(&plan);
	if (!rc)
		*out = decide_session(plan.session);
	session_free(plan.session);
	return rc;
}
