/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/init/init_configure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/build/build.h"
#include "gate/bench/config/config.h"
#include "gate/bench/untrusted_file.h"
#include "gate/cli/init/init_reason.h"
#include "gate/cli/output.h"
#include "gate/vcs/repo.h"

#define LOG "flamegate-configure.log"
#define MAX_LOG_BYTES ((size_t)16 * 1024 * 1024)

struct configuring {
	struct repo *repo;
	struct build_cache cache;
	char commit[OBJECT_ID_SIZE];
	struct detection *found;
	struct error *err;
};

/* ---- one attempt ---------------------------------------------------------------------------- */

/* A configuration whose build asks CMake and does no more; it does not fail where CMake does, so
 * that what CMake says can be read. */
static int make_config(const struct detect_project *project, const char *options,
	struct config *config, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_addf(&text, "version: 1\nbuild:\n  - 'mkdir -p %s/%s && : >%s/%s/%s'\n  - '",
		project->build_folder, CODEMODEL_QUERY_FOLDER, project->build_folder,
		CODEMODEL_QUERY_FOLDER, CODEMODEL_QUERY);
	detect_add_configure(&text, project->configure, options);
	strbuf_addf(&text,
		" >%s/" LOG " 2>&1 || true'\nbenchmarks:\n  - {name: none, command: 'true'}\n",
		project->build_folder);
	rc = config_parse(config, text.data, text.length, CONFIG_FILE_NAME, err);
	strbuf_release(&text);
	return rc;
}

/* *reason: why not, the arena's; NULL: it is configured, and model is there. */
static void read_answer(struct configuring *configuring, const struct detect_project *project,
	const char *path, struct codemodel *model, const char **reason)
{
	const char *checkout = configuring->cache.build_path;
	char *folder = file_join(path, project->build_folder), *log = file_join(folder, LOG);
	struct strbuf text = STRBUF_INIT;
	struct error problem = {0};
	int rc = codemodel_read(folder, model, &problem);

	untrusted_file_read(log, MAX_LOG_BYTES, &text, NULL);
	*reason = NULL;
	if (rc == ERR_NOT_FOUND)
		*reason = init_reason_of_cmake(&configuring->found->arena, checkout, text.data);
	else if (rc)
		*reason = init_reason(&configuring->found->arena, checkout, problem.message);
	strbuf_release(&text);
	free(folder);
	free(log);
}

static int attempt(struct configuring *configuring, const struct detect_project *project,
	const char *options, struct codemodel *model, const char **reason)
{
	struct error *err = configuring->err;
	struct config config;
	struct build build;
	int rc = make_config(project, options, &config, err);

	if (rc)
		return rc;
	rc = build_prepare(&configuring->cache, configuring->repo, &config, configuring->commit,
		"configuration", output_progress, NULL, &build, err);
	config_release(&config);
	if (rc == ERR_BENCHMARK) {
		*reason = init_reason(
			&configuring->found->arena, configuring->cache.build_path, err->message);
		return ERR_OK;
	}
	if (rc)
		return rc;
	read_answer(configuring, project, build.path, model, reason);
	build_discard(&configuring->cache, &build);
	return ERR_OK;
}

/* ---- a project ------------------------------------------------------------------------------ */

static void say_failure(
	const struct detect_project *project, const char *options, const char *reason)
{
	printf("CMake could not be configured (%s%s%s%s)\n  %s\n", project->folder,
		strcmp(project->folder, ".") == 0 ? "" : "/CMakeLists.txt", *options ? ": " : "",
		options, reason);
}

static int configure(struct configuring *configuring, const struct detect_project *project,
	struct init_configured *out)
{
	struct detect_configured *one = &out->items[out->count];
	struct codemodel *model = &out->models[out->count];
	int rc = ERR_OK;

	out->count++;
	*one = (struct detect_configured){.folder = project->folder, .options = "", .reason = ""};
	for (size_t i = 0; i < project->attempt_count && !one->model && !rc; i++) {
		const char *reason = NULL;

		rc = attempt(configuring, project, project->attempts[i], model, &reason);
		if (rc)
			break;
		if (!reason) {
			one->model = model;
			one->options = project->attempts[i];
			break;
		}
		say_failure(project, project->attempts[i], reason);
		if (!*one->reason)
			one->reason = reason;
	}
	return rc;
}

int init_configure(
	struct repo *repo, struct detection *found, struct init_configured *out, struct error *err)
{
	struct configuring configuring = {.repo = repo, .found = found, .err = err};
	int rc;

	*out = (struct init_configured){.count = 0};
	if (!found->project_count)
		return ERR_OK;
	rc = repo_resolve_commit(repo, "HEAD", configuring.commit, err);
	if (rc == ERR_NOT_FOUND)
		return err->code = ERR_USAGE;
	if (!rc)
		rc = build_cache_open(&configuring.cache, repo, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < found->project_count && !rc; i++)
		rc = configure(&configuring, &found->projects[i], out);
	build_cache_release(&configuring.cache);
	return rc;
}

void init_configured_release(struct init_configured *configured)
{
	for (size_t i = 0; i < configured->count; i++)
		if (configured->items[i].model)
			codemodel_release(&configured->models[i]);
}
