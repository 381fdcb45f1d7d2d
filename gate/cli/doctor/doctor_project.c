/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What doctor reads of the project: its configuration, its benchmarks' programs, its stores and
 * credentials. Nothing is built or run.
 */
#include "baseline/store.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/environment.h"
#include "gate/bench/preload/preload.h"
#include "gate/cli/doctor/doctor.h"
#include "gate/vcs/repo.h"

#include <stdlib.h>
#include <string.h>

#define STORE_TIMEOUT_NS 15000000000u

/* What is looked at; all of it is released by doctor_look_at_project(). */
struct visit {
	const struct doctor_options *options;
	struct doctor_report *report;
	struct doctor_project *project;
	struct repo *repo;
	struct config config;
};

/* ---- benchmarks --------------------------------------------------------------------------- */

static void look_at_benchmark(
	struct visit *visit, const struct config_benchmark *benchmark, struct doctor_benchmark *out)
{
	struct arena *arena = &visit->report->arena;
	char *folder = file_join(repo_root(visit->repo), benchmark->directory);
	char **env = environment_build(&visit->config, benchmark->env);
	char *program = preload_program(benchmark->argv, (const char *const *)env, folder);
	struct error err = {0};

	out->name = arena_strdup(arena, benchmark->name);
	out->program = arena_strdup(arena, program ? program : "");
	out->problem = "";
	if (program && preload_check(benchmark->argv, (const char *const *)env, folder, &err)) {
		out->problem = arena_strdup(arena, err.message);
		error_prefix(&err, "benchmark %s", benchmark->name);
		doctor_problem(visit->report, &err);
	}
	free(program);
	environment_free(env);
	free(folder);
}

static void look_at_benchmarks(struct visit *visit)
{
	size_t count = visit->config.benchmark_count;

	visit->project->benchmarks =
		arena_array(&visit->report->arena, count, sizeof(*visit->project->benchmarks));
	visit->project->benchmark_count = count;
	for (size_t i = 0; i < count; i++)
		look_at_benchmark(
			visit, &visit->config.benchmarks[i], &visit->project->benchmarks[i]);
}

/* ---- stores ------------------------------------------------------------------------------- */

/* One look-up of HEAD's baselines: the cheapest question that needs an answer. */
static int ask_store(const struct visit *visit, struct store *store, bool *has, struct error *err)
{
	char id[OBJECT_ID_SIZE];
	const char *commits[] = {id};
	int rc = repo_resolve_commit(visit->repo, "HEAD", id, err);

	if (rc)
		return rc;
	return store_find(store, commits, 1, has, err);
}

/* A URL that is refused is not shown: it may hold a password. */
static void look_at_store(
	struct visit *visit, const char *url, const char *key, struct doctor_store *out)
{
	const struct store_options options = {.repo = visit->repo,
		.credentials = visit->config.credentials,
		.timeout_ns = STORE_TIMEOUT_NS};
	struct arena *arena = &visit->report->arena;
	struct store *store = NULL;
	struct error err = {0};
	int rc = store_open(url, &options, &store, &err);

	*out = (struct doctor_store){.name = key, .problem = ""};
	if (!rc) {
		out->name = arena_strdup(arena, store_name(store));
		out->asked = !visit->options->offline;
	}
	if (out->asked)
		rc = ask_store(visit, store, &out->has_head, &err);
	if (rc)
		out->problem = arena_strdup(arena, err.message);
	store_close(store);
}

static void look_at_stores(struct visit *visit)
{
	const char *const *publish = visit->config.publish;
	size_t count = 1;

	while (publish[count - 1])
		count++;
	visit->project->stores =
		arena_array(&visit->report->arena, count, sizeof(*visit->project->stores));
	visit->project->store_count = count;
	for (size_t i = 0; i < count; i++)
		look_at_store(visit, i ? publish[i - 1] : visit->config.store,
			i ? "baseline.publish" : "baseline.store", &visit->project->stores[i]);
}

static void look_at_credentials(struct visit *visit)
{
	static const char *const suffixes[DOCTOR_VARIABLES] = {
		"TOKEN", "USER", "PASSWORD", "ORG_ID"};

	for (size_t i = 0; i < DOCTOR_VARIABLES; i++) {
		const char *name = arena_printf(
			&visit->report->arena, "%s_%s", visit->config.credentials, suffixes[i]);
		const char *value = getenv(name);

		visit->project->variables[i] = (struct doctor_variable){name, value && *value};
	}
}

/* ---- the configuration -------------------------------------------------------------------- */

static void read_config(struct visit *visit)
{
	struct error err = {0};

	if (config_read_file(&visit->config, visit->project->config, &err)) {
		doctor_problem(visit->report, &err);
		return;
	}
	visit->project->readable = true;
	visit->report->policy = visit->config.policy;
	look_at_benchmarks(visit);
	look_at_stores(visit);
	look_at_credentials(visit);
	config_release(&visit->config);
}

void doctor_look_at_project(const struct doctor_options *options, struct doctor_report *report)
{
	struct visit visit = {.options = options, .report = report, .project = &report->project};
	struct error err = {0};
	char *path;

	report->policy = config_policy_default();
	if (repo_open(options->directory ? options->directory : ".", &visit.repo, &err)) {
		if (options->directory)
			doctor_problem(report, &err);
		return;
	}
	path = file_join(repo_root(visit.repo), CONFIG_FILE_NAME);
	if (file_exists(path)) {
		visit.project->there = true;
		visit.project->config = arena_strdup(&report->arena, path);
		read_config(&visit);
	}
	free(path);
	repo_free(visit.repo);
}
