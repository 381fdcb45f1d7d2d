/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure.h"

#include "gate/base/file.h"
#include "gate/bench/fingerprint.h"
#include "gate/check/ci_event.h"
#include "gate/check/measure_counted.h"
#include "gate/check/output_folder.h"
#include "gate/check/session_context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ARMS_KEPT 8
#define SHORT_ID 10

void plan_step(const struct plan *plan, const struct check_step *step)
{
	if (plan->options->steps)
		plan->options->steps(plan->options->progress_data, step);
}

void plan_progress(const struct plan *plan, const char *format, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list args;

	if (!plan->options->progress)
		return;
	va_start(args, format);
	strbuf_vaddf(&line, format, args);
	va_end(args);
	plan->options->progress(plan->options->progress_data, line.data);
	strbuf_release(&line);
}

void plan_forward_progress(void *data, const char *text)
{
	plan_progress(data, "%s", text);
}

void session_stamp(struct session *session)
{
	struct fingerprint fingerprint;
	struct tm utc;
	time_t now = time(NULL);
	char text[32];

	gmtime_r(&now, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	session->date = arena_strdup(&session->arena, text);
	fingerprint_read(&fingerprint, &session->arena);
	session->environment = fingerprint_line(&fingerprint, &session->arena);
}

static size_t count_outcome(const struct session *session, enum result_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < session->benchmark_count; i++)
		count += session->benchmarks[i].outcome == outcome;
	return count;
}

/* What stops the base stops all benchmarks that were to be measured. */
static void fail_base(struct plan *plan, const struct error *err)
{
	struct session *session = plan->session;

	for (size_t i = 0; i < session->benchmark_count; i++) {
		struct session_benchmark *benchmark = &session->benchmarks[i];

		if (benchmark->outcome != OUTCOME_MEASURED)
			continue;
		benchmark->detail = arena_strdup(&session->arena, err->message);
		benchmark->outcome = OUTCOME_BASE_FAILED;
		benchmark->fails = plan->config.policy.on_base_failure == CONFIG_FAIL;
	}
}

static int prepare_base(struct plan *plan, struct error *err)
{
	int rc = arm_prepare(&plan->cache, plan->repo, &plan->config, plan->base,
		arm_names[ARM_BASE], plan_forward_progress, plan, &plan->arms[ARM_BASE], err);

	if (!rc)
		plan->arm_of[ARM_BASE] = &plan->arms[ARM_BASE];
	if (rc != ERR_BENCHMARK)
		return rc;
	fail_base(plan, err);
	return ERR_OK;
}

/* Head's build ran beside base's finished arm: it must not have touched it. */
static int verify_arms(const struct plan *plan, struct error *err)
{
	int rc = ERR_OK;

	for (int arm = 0; arm < ARM_COUNT && !rc; arm++)
		if (plan->arm_of[arm])
			rc = arm_verify(plan->arm_of[arm], err);
	if (!rc && plan->own_arm.path)
		rc = arm_verify(&plan->own_arm, err);
	return rc;
}

static bool has_stored(const struct plan *plan)
{
	for (size_t i = 0; i < plan->session->benchmark_count; i++)
		for (size_t k = 0; k < plan->session->benchmarks[i].stored_count; k++)
			if (plan->session->benchmarks[i].stored[k].has_baseline)
				return true;
	return false;
}

/*
 * ERR_BENCHMARK of a build becomes the benchmarks' outcome; then plan->arm_of is NULL. Head is
 * built in any case: what builds on neither side is no fault of the base's alone.
 */
static int prepare_arms(struct plan *plan, struct error *err)
{
	int rc = count_outcome(plan->session, OUTCOME_MEASURED) ? prepare_base(plan, err) : ERR_OK;

	if (!rc)
		rc = plan_prepare_head(plan, err);
	return rc ? rc : verify_arms(plan, err);
}

/* ---- measuring ----------------------------------------------------------------------------- */

/* The benchmarks that are to be measured in pairs, in the order in which that shall be done. */
struct duels {
	struct duel **items;
	size_t count;
};

static int probe_all(struct plan *plan, struct duels *duels, struct error *err)
{
	struct session *session = plan->session;
	size_t in_gate = count_outcome(session, OUTCOME_MEASURED);
	int rc = ERR_OK;

	duels->items = xcalloc(session->benchmark_count + 1, sizeof(struct duel *));
	for (size_t i = 0; i < session->benchmark_count && !rc; i++) {
		struct session_benchmark *benchmark = &session->benchmarks[i];
		const struct config_benchmark *config = config_find(&plan->config, benchmark->name);
		struct duel *duel;

		if (benchmark->outcome != OUTCOME_MEASURED || !config)
			continue;
		duel = duel_new(plan, config, benchmark, in_gate);
		rc = duel_probe(duel, err);
		if (!rc && benchmark->outcome == OUTCOME_MEASURED)
			duels->items[duels->count++] = duel;
		else
			duel_free(duel);
	}
	return rc;
}

/* The most suspicious first. Insertion keeps the configuration's order among equals; there are few.
 */
static void order_duels(struct duels *duels)
{
	for (size_t i = 1; i < duels->count; i++) {
		struct duel *duel = duels->items[i];
		size_t k = i;

		for (; k && duel_suspicion(duels->items[k - 1]) < duel_suspicion(duel); k--)
			duels->items[k] = duels->items[k - 1];
		duels->items[k] = duel;
	}
}

static int measure_pairs(struct plan *plan, struct error *err)
{
	struct duels duels = {0};
	int rc = probe_all(plan, &duels, err);

	order_duels(&duels);
	for (size_t i = 0; i < duels.count && !rc; i++) {
		rc = duel_count(duels.items[i], err);
		if (!rc)
			rc = duel_measure(duels.items[i], err);
	}
	for (size_t i = 0; i < duels.count; i++)
		duel_free(duels.items[i]);
	free(duels.items);
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

	if (plan->arm_of[ARM_HEAD] && (has_stored(plan) || counts_anything(plan)))
		plan_read_toolchain(plan);
	if (plan->arm_of[ARM_HEAD] && has_stored(plan))
		rc = plan_calibrate(plan, err);
	if (!rc)
		rc = plan_try_head(plan, err);
	if (!rc && plan->arm_of[ARM_BASE] && plan->arm_of[ARM_HEAD])
		rc = plan_screen_first(plan, err);
	if (!rc && plan->arm_of[ARM_BASE] && plan->arm_of[ARM_HEAD])
		rc = measure_pairs(plan, err);
	return rc ? rc : plan_screen_failed(plan, err);
}

/* Where head was not measured a stored baseline has nothing to say: no file of it, no word. */
static void drop_unused(struct plan *plan)
{
	for (size_t i = 0; i < plan->session->benchmark_count; i++) {
		struct session_benchmark *benchmark = &plan->session->benchmarks[i];

		if (!benchmark->recorded && !benchmark->head_only)
			session_drop_stored(benchmark);
	}
}

int plan_open(struct plan *plan, struct error *err)
{
	const struct check_options *options = plan->options;
	const char *github = getenv("GITHUB_REF_NAME");
	int rc = repo_open(options->directory ? options->directory : ".", &plan->repo, err);

	plan->output_lock = -1;
	plan->own_arm.lock_fd = -1;
	plan->toolchain.compiler = plan->toolchain.build_hash = "";
	plan->branch = "";
	if (rc)
		return rc;
	rc = repo_branch(plan->repo, &plan->session->arena, &plan->branch, err);
	if (!rc && !plan->branch[0] && options->ci && github)
		plan->branch = arena_strdup(&plan->session->arena, github);
	return rc;
}

static int open_places(struct plan *plan, struct error *err)
{
	int rc = output_folder_recordings(
		plan->options->output, &plan->recordings, &plan->output_lock, err);

	return rc ? rc : scratch_make(&plan->scratch, err);
}

static int build_and_measure(struct plan *plan, struct error *err)
{
	int rc;

	plan_progress(plan, "base %.*s (%s), head %.*s", SHORT_ID, plan->base, plan->base_name,
		SHORT_ID, plan->head);
	plan_find_stored(plan);
	rc = plan_read_production(plan, err);
	if (!rc)
		rc = arm_cache_open(&plan->cache, plan->repo, err);
	if (!rc)
		rc = prepare_arms(plan, err);
	if (!rc)
		rc = plan_choose_rate(plan, err);
	return rc ? rc : measure_all(plan, err);
}

/* Whoever runs a failed check again until it passes has looked that often. */
static void count_look(struct plan *plan)
{
	const struct check_options *options = plan->options;

	plan->look = options->look ? options->look : options->ci ? ci_run_attempt() : 1;
	if (plan->look > 1)
		session_add_line(plan->session, &plan->session->notes,
			arena_printf(&plan->session->arena,
				"look %u at the same change: each further look halves the error "
				"rates, so that all of them together stay below twice the first's; "
				"what the earlier ones found stands in their reports",
				plan->look));
}

int plan_kept(struct plan *plan, int rc, struct error *err)
{
	if (rc != ERR_IO || plan->recording)
		return rc;
	if (!plan->unkept)
		session_add_line(plan->session, &plan->session->warnings,
			arena_printf(&plan->session->arena,
				"the recordings could not be written, so this check cannot be "
				"replayed: %s",
				err->message));
	plan->unkept = true;
	return ERR_OK;
}

static int write_session(struct plan *plan, struct error *err)
{
	int rc = session_write_contexts(plan->session, plan->recordings, err);

	rc = plan_kept(plan, rc, err);
	if (!rc && !plan->unkept)
		rc = plan_kept(plan, session_write(plan->session, plan->recordings, err), err);
	return rc;
}

static int run_plan(struct plan *plan, struct error *err)
{
	int rc = plan_open(plan, err);

	count_look(plan);
	if (!rc)
		rc = plan_commits(plan, err);
	if (!rc)
		rc = plan_configuration(plan, err);
	if (!rc)
		rc = plan->options->plant ? ERR_OK : plan_acceptances(plan, err);
	if (!rc)
		rc = open_places(plan, err);
	if (!rc && (count_outcome(plan->session, OUTCOME_MEASURED) || plan_has_trials(plan)))
		rc = build_and_measure(plan, err);
	if (!rc)
		rc = plan_weigh(plan, err);
	if (!rc)
		drop_unused(plan);
	return rc ? rc : write_session(plan, err);
}

void plan_release(struct plan *plan)
{
	struct error ignored;

	for (int arm = 0; arm < ARM_COUNT; arm++)
		if (plan->arm_of[arm] == &plan->arms[arm])
			arm_release(&plan->arms[arm]);
	arm_release(&plan->own_arm);
	if (plan->cache.root) {
		arm_cache_prune(&plan->cache, ARMS_KEPT, &ignored);
		arm_cache_release(&plan->cache);
	}
	scratch_remove(&plan->scratch);
	if (plan->has_config)
		config_release(&plan->config);
	if (plan->has_own)
		config_release(&plan->own);
	profile_free(plan->production.profile);
	repo_free(plan->repo);
	output_folder_unlock(plan->output_lock);
	free(plan->recordings);
}

int measure_session(const struct check_options *options, struct session **out, struct error *err)
{
	struct plan plan = {.options = options, .session = session_new("check")};
	int rc;

	session_stamp(plan.session);
	rc = run_plan(&plan, err);
	plan_release(&plan);
	if (rc)
		session_free(plan.session);
	else
		*out = plan.session;
	return rc;
}
