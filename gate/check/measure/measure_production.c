/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile of production that the configuration names. It weighs and never decides: what cannot
 * be had is a note. A file is read before anything is built: builds and benchmarks run as the same
 * user and could write what they liked into it. A server is asked after the pairs, where there are
 * any: some take their time, or profile for as long as they are told.
 */
#include "gate/check/measure/measure_production.h"

#include <stdlib.h>
#include <string.h>

#include "baseline/source.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/check/production/production.h"
#include "gate/profile/pprof.h"
#include "gate/profile/profile_read.h"

static void note(struct plan *plan, const char *text)
{
	measurements_add_line(plan->measurements, &plan->measurements->notes,
		arena_printf(&plan->measurements->arena, "production profile: %s", text));
	plan_progress(plan, "production profile: %s", text);
}

static void forward_line(void *data, const char *line)
{
	plan_progress(data, "%s", line);
}

static int read_url(struct plan *plan, const char *url, struct profile **out, struct error *err)
{
	const struct source_options options = {
		.credentials = arena_printf(&plan->measurements->arena, "%s_PRODUCTION",
			plan->config.credentials ? plan->config.credentials : "FLAMEGATE"),
		.progress = forward_line,
		.progress_data = plan};
	struct store_lines notes = {.arena = ARENA_INIT};
	struct error said = {0};
	int rc = source_read(url, &options, out, &notes, &said);

	/* A server's own words are for who runs the check: reports may be public. */
	if (rc) {
		plan_progress(plan, "production profile: %s", said.message);
		error_set(err, rc, "the output of the command that measured says why");
	}

	for (size_t i = 0; i < notes.count && !rc; i++)
		note(plan, notes.items[i]);
	store_lines_release(&notes);
	return rc;
}

/* As a tree names it: "./a//b" is a/b. The configuration has no "..". */
static void add_tree_path(struct strbuf *out, const char *path)
{
	while (*path) {
		size_t length = strcspn(path, "/");

		if (length && !(length == 1 && *path == '.')) {
			if (out->length)
				strbuf_addch(out, '/');
			strbuf_add(out, path, length);
		}
		path += length + (path[length] == '/');
	}
}

/* Of the target branch's commit: what lies in the checkout may be the pull request's. */
static int read_committed(
	struct plan *plan, const char *path, struct profile **out, struct error *err)
{
	struct strbuf name = STRBUF_INIT, data = STRBUF_INIT;
	int rc;

	add_tree_path(&name, path);
	rc = repo_read_blob(plan->repo, plan->commits.target, name.data,
		pprof_default_limits.max_bytes, &data, err);
	if (!rc)
		rc = profile_read_data(&data, path, out, err);
	strbuf_release(&name);
	strbuf_release(&data);
	return rc;
}

static int read_file(struct plan *plan, const char *path, struct profile **out, struct error *err)
{
	char *full;
	int rc;

	if (path[0] != '/' && plan->options->ci)
		return read_committed(plan, path, out, err);
	full = path[0] == '/' ? xstrdup(path) : file_join(repo_root(plan->repo), path);
	rc = profile_read_file(full, out, err);
	free(full);
	return rc;
}

static bool has_pairs(const struct measurements *measurements)
{
	for (size_t i = 0; i < measurements->benchmark_count; i++)
		if (measurements->benchmarks[i].recorded)
			return true;
	return false;
}

/* The configuration's, where it is to be used at all. */
static const char *source_of(const struct plan *plan)
{
	return plan->options->plant ? NULL : plan->config.production;
}

int plan_read_production(struct plan *plan, struct error *err)
{
	struct plan_production *production = &plan->production;
	const char *source = source_of(plan);

	if (!source || source_is_url(source))
		return ERR_OK;
	production->rc = read_file(plan, source, &production->profile, &production->lost);
	if (production->rc != ERR_INTERRUPTED)
		return ERR_OK;
	*err = production->lost;
	return ERR_INTERRUPTED;
}

int plan_weigh(struct plan *plan, struct error *err)
{
	struct plan_production *production = &plan->production;
	const char *source = source_of(plan);
	struct arena *arena = &plan->measurements->arena;
	struct error *lost = &production->lost;
	int rc = production->rc;

	if (!source || !has_pairs(plan->measurements))
		return ERR_OK;
	if (source_is_url(source))
		rc = read_url(plan, source, &production->profile, lost);
	if (!rc)
		rc = production_take(plan->measurements, production->profile, lost);
	if (rc == ERR_INTERRUPTED) {
		*err = *lost;
		return rc;
	}
	note(plan, rc ? arena_printf(arena, "%s could not be used: %s", source, lost->message)
		      : arena_printf(arena, "%s, which has %zu of the functions measured here",
				source, plan->measurements->production.count));
	return ERR_OK;
}
