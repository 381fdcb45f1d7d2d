/* SPDX-License-Identifier: Apache-2.0 */
/* A commit's line of first parents, HEAD's branch, and the branch that pull requests go to. */
#include "gate/vcs/repo.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/vcs/repo_internal.h"

#define LIST_LIMIT_BYTES ((size_t)256 * 1024 * 1024)

/* Ids as they come; an arena cannot grow the list. */
struct id_list {
	struct arena *arena;
	const char **ids;
	size_t count, capacity;
};

static void add_id(struct id_list *list, const char *id, size_t length)
{
	list->ids = grow_array(list->ids, &list->capacity, list->count + 1, sizeof(*list->ids));
	list->ids[list->count++] = arena_strndup(list->arena, id, length);
}

static const char *const *finish(struct id_list *list)
{
	const char **ids = arena_array(list->arena, list->count, sizeof(*ids));

	if (list->count)
		memcpy(ids, list->ids, list->count * sizeof(*ids));
	return ids;
}

/* ---- by libgit2: false means "ask the program" -------------------------------------------- */

/* *oid becomes its first parent; *root if it has none. */
static bool step_back(struct repo *repo, git_oid *oid, bool *root)
{
	git_commit *commit;

	if (git_commit_lookup(&commit, repo->git, oid) < 0)
		return false;
	*root = !git_commit_parentcount(commit);
	if (!*root)
		git_oid_cpy(oid, git_commit_parent_id(commit, 0));
	git_commit_free(commit);
	return true;
}

static bool library_first_parents(
	struct repo *repo, const char *commit, size_t max, struct id_list *list)
{
	char id[OBJECT_ID_SIZE];
	bool root = false;
	git_oid oid;

	/* libgit2 before 1.7 does not know where a shallow history ends. */
	if (!repo->git || repo->shallow || git_oid_fromstr(&oid, commit) < 0)
		return false;
	while (!root && list->count < max) {
		git_oid_tostr(id, sizeof(id), &oid);
		if (!step_back(repo, &oid, &root))
			return false;
		add_id(list, id, strlen(id));
	}
	return true;
}

/* ---- by the git program ------------------------------------------------------------------- */

static int read_ids(const struct strbuf *lines, struct id_list *list, struct error *err)
{
	const char *at = lines->data, *end = at + lines->length;

	while (at < end) {
		size_t length = strcspn(at, "\n");

		if (!object_id_is_valid(at, length))
			return error_set(err, ERR_TOOL, "git rev-list did not answer with ids");
		add_id(list, at, length);
		at += length + 1;
	}
	return ERR_OK;
}

static int program_first_parents(
	struct repo *repo, const char *commit, size_t max, struct id_list *list, struct error *err)
{
	struct strbuf limit = STRBUF_INIT, lines = STRBUF_INIT;
	int rc;

	strbuf_addf(&limit, "--max-count=%d", max < INT_MAX ? (int)max : INT_MAX);
	rc = git_run(
		&(struct git_command){
			.directory = repo->root,
			.args = GIT_ARGS("rev-list", "--first-parent", limit.data,
				"--end-of-options", commit),
			.limit = LIST_LIMIT_BYTES,
			.out = &lines,
		},
		err);
	if (!rc)
		rc = read_ids(&lines, list, err);
	strbuf_release(&limit);
	strbuf_release(&lines);
	return rc;
}

/* The commit names a parent that a shallow history hides: cat-file shows what it says itself. */
static int has_parent(struct repo *repo, const char *commit, bool *parent, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = git_ask(repo, GIT_ARGS("cat-file", "commit", commit), &text, err);

	if (!rc) {
		const char *line = strchr(text.data, '\n');

		*parent = line && strncmp(line, "\nparent ", 8) == 0;
	}
	strbuf_release(&text);
	return rc;
}

static int ask_program(struct repo *repo, const char *commit, size_t max, struct id_list *list,
	bool *cut, struct error *err)
{
	int rc = program_first_parents(repo, commit, max, list, err);

	if (!rc && repo->shallow && list->count && list->count < max)
		rc = has_parent(repo, list->ids[list->count - 1], cut, err);
	return rc;
}

/* ---- questions ---------------------------------------------------------------------------- */

int repo_first_parents(struct repo *repo, const char *commit, size_t max, struct arena *arena,
	const char *const **ids, size_t *count, bool *cut, struct error *err)
{
	struct id_list list = {.arena = arena};
	char start[OBJECT_ID_SIZE];
	bool ends_early = false;
	int rc = repo_resolve_commit(repo, commit, start, err);

	if (!rc && !library_first_parents(repo, start, max, &list)) {
		list.count = 0;
		rc = ask_program(repo, start, max, &list, &ends_early, err);
	}
	if (!rc) {
		*ids = finish(&list);
		*count = list.count;
		if (cut)
			*cut = ends_early;
	}
	free(list.ids);
	return rc;
}

/* The branch below a prefix that a symbolic ref points to, "" if it does not. */
static int symbolic_branch(struct repo *repo, const char *reference, const char *prefix,
	struct arena *arena, const char **name, struct error *err)
{
	struct strbuf target = STRBUF_INIT;
	size_t length = strlen(prefix);
	int status = 0;
	int rc = git_try(
		&(struct git_command){
			.directory = repo->root,
			.args = GIT_ARGS("symbolic-ref", "--quiet", reference),
			.out = &target,
		},
		&status, err);

	if (!rc && !status && strncmp(target.data, prefix, length) == 0)
		*name = arena_strndup(
			arena, target.data + length, strcspn(target.data + length, "\n"));
	else if (!rc)
		*name = "";
	strbuf_release(&target);
	return rc;
}

int repo_branch(struct repo *repo, struct arena *arena, const char **name, struct error *err)
{
	return symbolic_branch(repo, "HEAD", "refs/heads/", arena, name, err);
}

int repo_default_branch(
	struct repo *repo, struct arena *arena, const char **name, struct error *err)
{
	static const char *const usual[] = {"refs/remotes/origin/main",
		"refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"};
	char id[OBJECT_ID_SIZE];
	const char *found;
	int rc = symbolic_branch(
		repo, "refs/remotes/origin/HEAD", "refs/remotes/origin/", arena, &found, err);

	for (size_t i = 0; !rc && !*found && i < sizeof(usual) / sizeof(*usual); i++) {
		if (repo_resolve_commit(repo, usual[i], id, NULL) == ERR_OK)
			found = strrchr(usual[i], '/') + 1;
	}
	if (!rc && !*found)
		rc = repo_branch(repo, arena, &found, err);
	if (!rc)
		*name = found;
	return rc;
}
