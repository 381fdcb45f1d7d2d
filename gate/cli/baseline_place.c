/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/baseline_place.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/text.h"
#include "gate/cli/output.h"

#define DEFAULT_STORE "notes"
#define SHORT_ID 12

/* pull_request and pull_request_target: what is checked out may be anybody's. */
static const char *pull_request_event(void)
{
	const char *event = getenv("GITHUB_EVENT_NAME");

	return event && strncmp(event, "pull_request", strlen("pull_request")) == 0 ? event : NULL;
}

int baseline_refuse_pull_request(const char *what, struct error *err)
{
	const char *event = pull_request_event();

	if (!event)
		return ERR_OK;
	return error_set(err, ERR_USAGE,
		"baselines are %s by the default branch's own runs, not by a %s", what, event);
}

static int read_config(struct baseline_place *place, struct error *err)
{
	char *path = file_join(repo_root(place->repo), CONFIG_FILE_NAME);
	int rc = ERR_OK;

	if (file_exists(path) && !pull_request_event()) {
		rc = config_read_file(&place->config, path, err);
		place->has_config = rc == ERR_OK;
	}
	free(path);
	return rc;
}

int baseline_place_store(
	const struct baseline_place *place, const char *url, struct store **out, struct error *err)
{
	const struct store_options options = {
		.repo = place->repo,
		.credentials = place->has_config ? place->config.credentials : NULL,
		.progress = output_progress,
	};

	return store_open(url, &options, out, err);
}

int baseline_place_open(
	struct baseline_place *place, const char *directory, const char *url, struct error *err)
{
	struct error lost = {0};
	int rc;

	memset(place, 0, sizeof(*place));
	rc = repo_open(directory ? directory : ".", &place->repo, url ? &lost : err);
	if (!rc)
		rc = read_config(place, url ? &lost : err);
	if (rc && !url)
		return rc;
	if (!url)
		url = place->has_config ? place->config.store : DEFAULT_STORE;
	return baseline_place_store(place, url, &place->store, err);
}

void baseline_place_close(struct baseline_place *place)
{
	const struct store_lines *warnings = place->store ? store_warnings(place->store) : NULL;

	for (size_t i = 0; warnings && i < warnings->count; i++)
		output_progress(NULL, warnings->items[i]);
	store_close(place->store);
	if (place->has_config)
		config_release(&place->config);
	repo_free(place->repo);
}

int baseline_place_commit(const struct baseline_place *place, const char *revision,
	char id[OBJECT_ID_SIZE], struct error *err)
{
	int rc;

	if (object_id_is_valid(revision, strlen(revision))) {
		memcpy(id, revision, strlen(revision) + 1);
		return ERR_OK;
	}
	if (!place->repo)
		return error_set(err, ERR_USAGE,
			"'%s' names a commit only inside a repository: give its full id", revision);
	rc = repo_resolve_commit(place->repo, revision, id, err);
	return rc == ERR_NOT_FOUND ? (err->code = ERR_USAGE) : rc;
}

static bool is_wanted(const struct baseline_filter *filter, const struct baseline_key *key)
{
	return (!filter->benchmark || strcmp(filter->benchmark, key->benchmark) == 0) &&
	       (!filter->type || strcmp(filter->type, key->profile_type) == 0) &&
	       (!filter->environment || strcmp(filter->environment, key->environment) == 0);
}

int baseline_each(const struct baseline_place *place, const char *revision,
	const struct baseline_filter *filter, baseline_visit *visit, void *data, struct error *err)
{
	struct baseline_list list = {.arena = ARENA_INIT};
	char id[OBJECT_ID_SIZE];
	size_t visited = 0;
	int rc = baseline_place_commit(place, revision ? revision : "HEAD", id, err);

	if (!rc)
		rc = store_list(place->store, id, false, &list, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < list.count && !rc; i++)
		if (is_wanted(filter, &list.entries[i].key)) {
			rc = visit(data, place->store, &list.entries[i], err);
			visited++;
		}
	if (!rc && !visited)
		rc = error_set(err, ERR_NOT_FOUND, "%s has no such baseline of %.*s",
			store_name(place->store), SHORT_ID, id);
	baseline_list_release(&list);
	return rc;
}

const char *baseline_time_text(int64_t time_ns)
{
	static char text[32];
	time_t seconds = (time_t)(time_ns / 1000000000);
	struct tm utc;

	text[0] = '\0';
	if (time_ns > 0 && gmtime_r(&seconds, &utc))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &utc);
	return text;
}

const char *baseline_detail_text(enum baseline_detail detail)
{
	static const char *const texts[] = {
		[BASELINE_EXACT] = "exact",
		[BASELINE_TREE] = "tree",
		[BASELINE_SUMMARY] = "summary",
		[BASELINE_SERVER] = "server",
	};

	return texts[detail];
}

const char *baseline_plain(struct strbuf *out, const char *text)
{
	strbuf_reset(out);
	text_defuse(out, text, strlen(text));
	for (size_t i = 0; i < out->length; i++)
		if (out->data[i] == '\n' || out->data[i] == '\t')
			out->data[i] = ' ';
	return out->data;
}
