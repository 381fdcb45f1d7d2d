/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure.h"

#include "gate/base/file.h"
#include "gate/bench/fingerprint.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ARMS_KEPT 8
#define SHORT_ID 10

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

static void forward_progress(void *data, const char *text)
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
	session->environment = arena_printf(&session->arena, "%s, %u CPUs, %s, %s",
		fingerprint.cpu_model[0] ? fingerprint.cpu_model : "unknown CPU",
		fingerprint.cpus_allowed, fingerprint.kernel, fingerprint.libc);
}

static int describe_commit(struct plan *plan, const char *id, const char *name,
	struct result_commit *commit, struct error *err)
{
	struct arena *arena = &plan->session->arena;

	commit->id = arena_strdup(arena, id);
	commit->name = arena_strdup(arena, name);
	return repo_subject(plan->repo, id, arena, &commit->subject, err);
}

static int find_base(struct plan *plan, struct error *err)
{
	struct arena *arena = &plan->session->arena;
	size_t distance = 0;
	int rc = repo_target(
		plan->repo, plan->options->base, arena, &plan->target_name, plan->target, err);

	/* A revision that the user typed and that does not exist is the user's to mend. */
	if (rc == ERR_NOT_FOUND && plan->options->base && !repo_is_shallow(plan->repo))
		return err->code = ERR_USAGE;
	if (!rc)
		rc = repo_merge_base(plan->repo, plan->target, plan->head, plan->base, err);
	if (!rc)
		rc = repo_distance(plan->repo, plan->base, plan->target, &distance, err);
	if (!rc && strcmp(plan->base, plan->head) == 0 && strcmp(plan->target, plan->head) != 0)
		session_add_line(plan->session, &plan->session->warnings,
			arena_printf(arena, "head is already contained in %s: it is its own base",
				plan->target_name));
	return rc;
}

static int find_commits(struct plan *plan, struct error *err)
{
	const char *head = plan->options->head ? plan->options->head : "HEAD";
	int rc = repo_resolve_commit(plan->repo, head, plan->head, err);

	if (rc == ERR_NOT_FOUND)
		return err->code = ERR_USAGE;
	if (!rc)
		rc = find_base(plan, err);
	if (!rc)
		rc = describe_commit(
			plan, plan->base, plan->target_name, &plan->session->base, err);
	if (!rc)
		rc = describe_commit(plan, plan->head, head, &plan->session->head, err);
	if (!rc)
		rc = repo_diff(plan->repo, plan->base, plan->head, &plan->session->arena,
			&plan->session->diff, err);
	return rc;
}

/* Uncommitted changes are announced, not measured. */
static int note_dirt(struct plan *plan, struct error *err)
{
	size_t modified = 0, untracked = 0;
	int rc;

	if (plan->options->head)
		return ERR_OK;
	rc = repo_count_dirty(plan->repo, &modified, &untracked, err);
	if (rc || (!modified && !untracked))
		return rc;
	plan->session->head.dirty = true;
	session_add_line(plan->session, &plan->session->warnings,
		arena_printf(&plan->session->arena,
			"the working tree has uncommitted changes (%zu modified, %zu untracked "
			"files): "
			"they are not measured, head is the commit",
			modified, untracked));
	plan_progress(plan, "%s", plan->session->warnings.items[plan->session->warnings.count - 1]);
	return ERR_OK;
}

static size_t count_outcome(const struct session *session, enum result_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < session->benchmark_count; i++)
		count += session->benchmarks[i].outcome == outcome;
	return count;
}

/* What stops one arm stops all benchmarks that were to be measured. */
static void fail_all(struct plan *plan, int arm, const struct error *err)
{
	struct session *session = plan->session;

	for (size_t i = 0; i < session->benchmark_count; i++) {
		struct session_benchmark *benchmark = &session->benchmarks[i];

		if (benchmark->outcome != OUTCOME_MEASURED)
			continue;
		benchmark->detail = arena_strdup(&session->arena, err->message);
		benchmark->outcome = arm == ARM_BASE ? OUTCOME_BASE_FAILED : OUTCOME_ERROR;
		benchmark->fails =
			arm == ARM_BASE && plan->config.policy.on_base_failure == CONFIG_FAIL;
	}
}

static int prepare_arm(struct plan *plan, int arm, const char *commit, struct error *err)
{
	int rc = arm_prepare(&plan->cache, plan->repo, &plan->config, commit, arm_names[arm],
		forward_progress, plan, &plan->arms[arm], err);

	if (!rc)
		plan->arm_of[arm] = &plan->arms[arm];
	return rc;
}

/* ERR_BENCHMARK of a build becomes the benchmarks' outcome; *ready tells whether both arms stand.
 */
static int prepare_arms(struct plan *plan, bool *ready, struct error *err)
{
	char trees[ARM_COUNT][OBJECT_ID_SIZE];
	int arm = ARM_BASE, rc;

	*ready = false;
	rc = repo_tree_id(plan->repo, plan->base, trees[ARM_BASE], err);
	if (!rc)
		rc = repo_tree_id(plan->repo, plan->head, trees[ARM_HEAD], err);
	if (!rc)
		rc = prepare_arm(plan, ARM_BASE, plan->base, err);
	if (!rc && strcmp(trees[ARM_BASE], trees[ARM_HEAD]) == 0) {
		plan->arm_of[ARM_HEAD] = plan->arm_of[ARM_BASE];
	} else if (!rc) {
		arm = ARM_HEAD;
		rc = prepare_arm(plan, ARM_HEAD, plan->head, err);
	}
	if (rc == ERR_BENCHMARK) {
		fail_all(plan, arm, err);
		return ERR_OK;
	}
	/* Head's build ran beside base's finished arm: it must not have touched it. */
	for (arm = ARM_BASE; arm < ARM_COUNT && !rc; arm++)
		rc = arm_verify(plan->arm_of[arm], err);
	*ready = rc == ERR_OK;
	return rc;
}

static int measure_all(struct plan *plan, struct error *err)
{
	struct session *session = plan->session;
	size_t in_gate = count_outcome(session, OUTCOME_MEASURED);
	int rc = ERR_OK;

	for (size_t i = 0; i < session->benchmark_count && !rc; i++) {
		struct session_benchmark *benchmark = &session->benchmarks[i];
		const struct config_benchmark *config = config_find(&plan->config, benchmark->name);

		if (benchmark->outcome == OUTCOME_MEASURED && config)
			rc = measure_benchmark(plan, config, benchmark, in_gate, err);
	}
	return rc;
}

/*
 * An earlier check's recordings make room; nothing else is deleted. The folder stands in the
 * checkout by default, so a symbolic link there may be the repository's doing and is not followed.
 */
static int clear_recordings(const struct plan *plan, struct error *err)
{
	const char *paths[] = {plan->options->output, plan->recordings};
	char *marker = file_join(plan->recordings, SESSION_FILE_NAME);
	struct stat info;
	int rc = ERR_OK;

	for (size_t i = 0; i < 2 && !rc; i++)
		if (lstat(paths[i], &info) == 0 && !S_ISDIR(info.st_mode))
			rc = error_set(err, ERR_USAGE,
				"%s is not a folder: name another one by --output", paths[i]);
	if (!rc && rmdir(plan->recordings) < 0 && errno != ENOENT) {
		if (file_exists(marker))
			rc = file_remove_tree(plan->recordings, err);
		else
			rc = error_set(err, ERR_USAGE,
				"%s holds something else than a check's recordings: name another "
				"folder "
				"by --output",
				plan->recordings);
	}
	free(marker);
	return rc;
}

static int open_places(struct plan *plan, struct error *err)
{
	int rc;

	plan->recordings = file_join(plan->options->output, "recordings");
	rc = clear_recordings(plan, err);
	if (!rc)
		rc = file_mkdirs(plan->recordings, err);
	if (!rc)
		rc = file_make_temp_dir(NULL, "flamegate-", &plan->scratch, err);
	return rc;
}

static int run_plan(struct plan *plan, struct error *err)
{
	bool ready = false;
	int rc = repo_open(
		plan->options->directory ? plan->options->directory : ".", &plan->repo, err);

	if (!rc)
		rc = find_commits(plan, err);
	if (!rc)
		rc = note_dirt(plan, err);
	if (!rc)
		rc = plan_configuration(plan, err);
	if (!rc)
		rc = open_places(plan, err);
	if (!rc && count_outcome(plan->session, OUTCOME_MEASURED)) {
		plan_progress(plan, "base %.*s (%s), head %.*s", SHORT_ID, plan->base,
			plan->target_name, SHORT_ID, plan->head);
		rc = arm_cache_open(&plan->cache, plan->repo, err);
		if (!rc)
			rc = prepare_arms(plan, &ready, err);
		if (!rc && ready)
			rc = measure_all(plan, err);
	}
	if (!rc)
		rc = session_write(plan->session, plan->recordings, err);
	return rc;
}

static void release_plan(struct plan *plan)
{
	struct error ignored;

	for (int arm = 0; arm < ARM_COUNT; arm++)
		if (plan->arm_of[arm] == &plan->arms[arm])
			arm_release(&plan->arms[arm]);
	if (plan->cache.root) {
		arm_cache_prune(&plan->cache, ARMS_KEPT, &ignored);
		arm_cache_release(&plan->cache);
	}
	if (plan->scratch)
		file_remove_tree(plan->scratch, &ignored);
	if (plan->has_config)
		config_release(&plan->config);
	repo_free(plan->repo);
	free(plan->scratch);
	free(plan->recordings);
}

int measure_session(const struct check_options *options, struct session **out, struct error *err)
{
	struct plan plan = {.options = options, .session = session_new("check")};
	int rc;

	session_stamp(plan.session);
	rc = run_plan(&plan, err);
	release_plan(&plan);
	if (rc)
		session_free(plan.session);
	else
		*out = plan.session;
	return rc;
}
