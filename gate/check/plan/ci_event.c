/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/plan/ci_event.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/net/json.h"
#include "gate/vcs/repo.h"

#define MAX_EVENT_BYTES ((size_t)16 << 20)
#define BRANCH_PREFIX "refs/heads/"

/* Of a branch's full name; "" of another reference. */
static const char *branch_of(const char *reference)
{
	size_t length = strlen(BRANCH_PREFIX);

	return strncmp(reference, BRANCH_PREFIX, length) == 0 ? reference + length : "";
}

static int read_merge_group(
	const struct json *root, struct arena *arena, struct ci_event *event, struct error *err)
{
	const struct json *group;
	const char *reference, *commit, *branch;
	int rc = json_get_object(root, "merge_group", &group, err);

	if (!rc)
		rc = json_get_string(group, "base_ref", &reference, err);
	if (!rc)
		rc = json_get_string(group, "base_sha", &commit, err);
	if (rc)
		return rc;
	if (!object_id_is_valid(commit, strlen(commit)))
		return json_error(json_get(group, "base_sha"), err, "no commit id");
	branch = branch_of(reference);
	event->kind = CI_EVENT_QUEUE;
	event->base_branch = arena_strdup(arena, *branch ? branch : reference);
	event->base_commit = arena_strdup(arena, commit);
	return ERR_OK;
}

/* *out is untouched where the member is missing or null. */
static int read_if_there(
	const struct json *object, const char *key, const char **out, struct error *err)
{
	const struct json *node = json_get(object, key);

	return json_type(node) == JSON_NULL ? ERR_OK : json_string(node, out, err);
}

/* The id of a branch that did not exist: zeros alone. */
static bool is_no_commit(const char *id)
{
	return strspn(id, "0") == strlen(id);
}

static int read_push(
	const struct json *root, struct arena *arena, struct ci_event *event, struct error *err)
{
	const char *before = "", *reference = "", *branch = "";
	int rc = read_if_there(root, "before", &before, err);

	if (!rc)
		rc = read_if_there(root, "ref", &reference, err);
	if (!rc)
		rc = read_if_there(json_get(root, "repository"), "default_branch", &branch, err);
	if (rc)
		return rc;
	if (!is_no_commit(before) && !object_id_is_valid(before, strlen(before)))
		return json_error(json_get(root, "before"), err, "no commit id");
	event->kind = CI_EVENT_PUSH;
	event->base_branch = arena_strdup(arena, branch);
	event->base_commit = is_no_commit(before) ? "" : arena_strdup(arena, before);
	event->pushed_branch = arena_strdup(arena, branch_of(reference));
	return ERR_OK;
}

/* Of other events nothing is read. */
static const struct reader {
	const char *event;
	int (*read)(const struct json *root, struct arena *arena, struct ci_event *event,
		struct error *err);
} readers[] = {{"merge_group", read_merge_group}, {"push", read_push}};

static const struct reader *find_reader(const char *event)
{
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (strcmp(readers[i].event, event) == 0)
			return &readers[i];
	return NULL;
}

int ci_event_read(struct arena *arena, struct ci_event *event, struct error *err)
{
	const char *name = getenv("GITHUB_EVENT_NAME"), *path = getenv("GITHUB_EVENT_PATH");
	const struct reader *reader = find_reader(name ? name : "");
	struct strbuf text = STRBUF_INIT;
	struct json *root = NULL;
	int rc;

	*event = (struct ci_event){.name = arena_strdup(arena, name ? name : ""),
		.base_branch = "",
		.base_commit = "",
		.pushed_branch = ""};
	if (!reader || !path || !path[0])
		return ERR_OK;
	rc = file_read(path, MAX_EVENT_BYTES, &text, err);
	if (!rc)
		rc = json_parse(text.data, text.length, "GITHUB_EVENT_PATH", NULL, &root, err);
	if (!rc)
		rc = reader->read(root, arena, event, err);
	json_free(root);
	strbuf_release(&text);
	return rc;
}

uint32_t ci_run_attempt(void)
{
	const char *text = getenv("GITHUB_RUN_ATTEMPT");
	unsigned long attempt;
	char *end;

	if (!text || text[0] < '1' || text[0] > '9')
		return 1;
	attempt = strtoul(text, &end, 10);
	return *end || attempt > INT32_MAX ? 1 : (uint32_t)attempt;
}
