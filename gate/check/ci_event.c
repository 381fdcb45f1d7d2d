/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/ci_event.h"

#include "gate/base/file.h"
#include "gate/net/json.h"
#include "gate/vcs/repo.h"

#include <stdlib.h>
#include <string.h>

#define MAX_EVENT_BYTES ((size_t)16 << 20)
#define BRANCH_PREFIX "refs/heads/"

static int read_merge_group(
	const struct json *root, struct arena *arena, struct ci_event *event, struct error *err)
{
	const struct json *group;
	const char *reference, *commit;
	int rc = json_get_object(root, "merge_group", &group, err);

	if (!rc)
		rc = json_get_string(group, "base_ref", &reference, err);
	if (!rc)
		rc = json_get_string(group, "base_sha", &commit, err);
	if (rc)
		return rc;
	if (!object_id_is_valid(commit, strlen(commit)))
		return json_error(json_get(group, "base_sha"), err, "no commit id");
	if (strncmp(reference, BRANCH_PREFIX, strlen(BRANCH_PREFIX)) == 0)
		reference += strlen(BRANCH_PREFIX);
	event->base_branch = arena_strdup(arena, reference);
	event->base_commit = arena_strdup(arena, commit);
	return ERR_OK;
}

int ci_event_read(struct arena *arena, struct ci_event *event, struct error *err)
{
	const char *name = getenv("GITHUB_EVENT_NAME"), *path = getenv("GITHUB_EVENT_PATH");
	struct strbuf text = STRBUF_INIT;
	struct json *root = NULL;
	int rc;

	event->base_branch = event->base_commit = "";
	if (!name || strcmp(name, "merge_group") != 0 || !path || !path[0])
		return ERR_OK;
	rc = file_read(path, MAX_EVENT_BYTES, &text, err);
	if (!rc)
		rc = json_parse(text.data, text.length, "GITHUB_EVENT_PATH", NULL, &root, err);
	if (!rc)
		rc = read_merge_group(root, arena, event, err);
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
