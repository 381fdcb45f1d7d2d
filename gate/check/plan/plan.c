/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/plan/plan.h"

#include <stdarg.h>
#include <stdlib.h>

#include "gate/base/error.h"
#include "gate/check/output_folder.h"

#define BUILDS_KEPT 8

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

int plan_open(struct plan *plan, struct error *err)
{
	const struct check_options *options = plan->options;
	const char *github = getenv("GITHUB_REF_NAME");
	int rc = repo_open(options->directory ? options->directory : ".", &plan->repo, err);

	plan->output.lock = -1;
	plan->own.build.lock_fd = -1;
	plan->machine.toolchain.compiler = plan->machine.toolchain.build_hash = "";
	plan->branch = "";
	if (rc)
		return rc;
	rc = repo_branch(plan->repo, &plan->measurements->arena, &plan->branch, err);
	if (!rc && !plan->branch[0] && options->ci && github)
		plan->branch = arena_strdup(&plan->measurements->arena, github);
	return rc;
}

int plan_kept(struct plan *plan, int rc, struct error *err)
{
	if (rc != ERR_IO || plan->recording)
		return rc;
	if (!plan->output.unkept)
		measurements_add_line(plan->measurements, &plan->measurements->warnings,
			arena_printf(&plan->measurements->arena,
				"the recordings could not be written, "
				"so this check cannot be replayed: %s",
				err->message));
	plan->output.unkept = true;
	return ERR_OK;
}

void plan_release(struct plan *plan)
{
	struct error ignored;

	for (int version = 0; version < VERSION_COUNT; version++)
		if (plan->builds.of[version] == &plan->builds.items[version])
			build_release(&plan->builds.items[version]);
	build_release(&plan->own.build);
	if (plan->builds.cache.root) {
		build_cache_prune(&plan->builds.cache, BUILDS_KEPT, &ignored);
		build_cache_release(&plan->builds.cache);
	}
	scratch_remove(&plan->output.scratch);
	if (plan->has_config)
		config_release(&plan->config);
	if (plan->own.exists)
		config_release(&plan->own.config);
	profile_free(plan->production.profile);
	repo_free(plan->repo);
	output_folder_unlock(plan->output.lock);
	free(plan->output.recordings);
}
