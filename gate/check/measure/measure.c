/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure.h"

#include "gate/check/measure/measure_benchmark.h"
#include "gate/check/measure/measure_counted.h"
#include "gate/check/measure/measure_production.h"
#include "gate/check/measure/measure_screen.h"
#include "gate/check/measure/measure_stored.h"
#include "gate/check/measure/measure_trial.h"
#include "gate/check/output_folder.h"
#include "gate/check/plan/ci_event.h"
#include "gate/check/session/session_context.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_ID 10

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
	int rc = arm_prepare(&plan->builds.cache, plan->repo, &plan->config, plan->commits.base,
		arm_names[ARM_BASE], plan_forward_progress, plan, &plan->builds.arms[ARM_BASE],
		err);

	if (!rc)
		plan->builds.arm_of[ARM_BASE] = &plan->builds.arms[ARM_BASE];
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
		if (plan->builds.arm_of[arm])
			rc = arm_verify(plan->builds.arm_of[arm], err);
	if (!rc && plan->own.arm.path)
		rc = arm_verify(&plan->own.arm, err);
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
 * ERR_BENCHMARK of a build becomes the benchmarks' outcome; then plan->builds.arm_of is NULL. Head
 * is built in any case: what builds on neither side is no fault of the base's alone.
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

	if (plan->builds.arm_of[ARM_HEAD] && (has_stored(plan) || counts_anything(plan)))
		plan_read_toolchain(plan);
	if (plan->builds.arm_of[ARM_HEAD] && has_stored(plan))
		rc = plan_calibrate(plan, err);
	if (!rc)
		rc = plan_try_head(plan, err);
	if (!rc && plan->builds.arm_of[ARM_BASE] && plan->builds.arm_of[ARM_HEAD])
		rc = plan_screen_first(plan, err);
	if (!rc && plan->builds.arm_of[ARM_BASE] && plan->builds.arm_of[ARM_HEAD])
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
	plan_find_stored(plan);
	rc = plan_read_production(plan, err);
	if (!rc)
		rc = arm_cache_open(&plan->builds.cache, plan->repo, err);
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

static int write_session(struct plan *plan, struct error *err)
{
	int rc = session_write_contexts(plan->session, plan->output.recordings, err);

	rc = plan_kept(plan, rc, err);
	if (!rc && !plan->output.unkept)
		rc = plan_kept(
			plan, session_write(plan->session, plan->output.recordings, err), err);
	return rc;
}

static int run_plan(struct plan *plan, struct error *err)
{
	int rc = plan_open(plan, err);

	count_look(plan);
	if (!rc)
		rc = plan_find_commits(plan, err);
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
