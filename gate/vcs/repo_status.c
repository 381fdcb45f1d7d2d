/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/repo_status.h"

#include <string.h>

#include "gate/base/error.h"

#define STATUS_LIMIT_BYTES ((size_t)256 * 1024 * 1024)
#define SUBMODULE_MODE "160000"

/* "1 <XY> <sub> <mode HEAD> <mode index> <mode working tree> <id> <id> <path>" */
struct entry {
	const char *state;      /* X: index against HEAD, Y: working tree against index */
	const char *submodule;  /* "N..." or "S<commit><modified><untracked>" */
	const char *index_mode; /* six digits, as the next */
	const char *tree_mode;
	const char *path;
};

static int malformed(struct error *err)
{
	return error_set(err, ERR_TOOL, "cannot understand the answer of git status");
}

static bool split(const char *line, struct entry *entry)
{
	const char *fields[8] = {line};

	for (size_t i = 1; i < 8; i++) {
		const char *space = strchr(fields[i - 1], ' ');

		if (!space)
			return false;
		fields[i] = space + 1;
	}
	entry->state = fields[1];
	entry->submodule = fields[2];
	entry->index_mode = fields[4];
	entry->tree_mode = fields[5];
	entry->path = strchr(fields[7], ' ');
	if (!entry->path || !*++entry->path)
		return false;
	return entry->submodule - entry->state == 3 && entry->index_mode - entry->submodule > 4;
}

static bool is_submodule(const char *mode)
{
	return strncmp(mode, SUBMODULE_MODE " ", sizeof(SUBMODULE_MODE)) == 0;
}

static void add_path(struct strbuf *list, const char *path)
{
	strbuf_add(list, path, strlen(path) + 1);
}

static int add_tracked(const char *line, struct repo_status *status, struct error *err)
{
	struct entry entry;

	if (!split(line, &entry))
		return malformed(err);
	if (is_submodule(entry.tree_mode) && is_submodule(entry.index_mode))
		status->dirty_submodules += strncmp(entry.submodule, "S...", 4) != 0;
	else if (entry.state[1] == 'D')
		add_path(&status->gone, entry.path);
	else if (entry.state[0] != 'D')
		add_path(&status->changed, entry.path);
	return ERR_OK;
}

/* "u <XY> <sub> <3 modes> <mode> <3 ids> <path>" */
static int conflict(const char *line, struct error *err)
{
	for (int i = 0; i < 10 && line; i++) {
		line = strchr(line, ' ');
		line += line != NULL;
	}
	return error_set(err, ERR_USAGE,
		"%.300s has a conflict: resolve it and \"git add\" it "
		"before its version is measured",
		line ? line : "a file");
}

static int add_line(const char *line, struct repo_status *status, struct error *err)
{
	size_t length = strlen(line);

	switch (line[0]) {
	case '1':
		status->any = true;
		return add_tracked(line, status, err);
	case 'u':
		return conflict(line, err);
	case '?':
		if (length < 3)
			return malformed(err);
		/* A folder is named only where it is a repository of its own. */
		if (line[length - 1] != '/')
			add_path(&status->untracked, line + 2);
		status->any |= line[length - 1] != '/';
		return ERR_OK;
	case '#':
		return ERR_OK;
	default:
		return malformed(err);
	}
}

static int read_lines(const struct strbuf *list, struct repo_status *status, struct error *err)
{
	const char *end = list->data + list->length;
	int rc = ERR_OK;

	for (const char *at = list->data; !rc && at < end; at += strlen(at) + 1)
		rc = add_line(at, status, err);
	return rc;
}

int repo_status_read(struct repo *repo, struct repo_status *status, struct error *err)
{
	struct repo_status found = {
		.changed = STRBUF_INIT, .gone = STRBUF_INIT, .untracked = STRBUF_INIT};
	struct strbuf list = STRBUF_INIT;
	int rc = git_run(
		&(struct git_command){
			.directory = repo->root,
			.args = GIT_ARGS("status", "--porcelain=v2", "-z", "--no-renames",
				"--untracked-files=all", "--ignore-submodules=none"),
			.limit = STATUS_LIMIT_BYTES,
			.network = true,
			.out = &list,
		},
		err);

	if (!rc)
		rc = read_lines(&list, &found, err);
	if (rc)
		repo_status_release(&found);
	else
		*status = found;
	strbuf_release(&list);
	return rc;
}

void repo_status_release(struct repo_status *status)
{
	strbuf_release(&status->changed);
	strbuf_release(&status->gone);
	strbuf_release(&status->untracked);
}
