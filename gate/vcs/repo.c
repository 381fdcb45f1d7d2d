/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/repo.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/text.h"
#include "gate/vcs/repo_internal.h"

bool object_id_is_valid(const char *text, size_t length)
{
	if (length != 40 && length != 64)
		return false;
	return strspn(text, "0123456789abcdef") >= length;
}

/* ---- opening ------------------------------------------------------------------------------ */

static char *copy_without_slash(const char *path)
{
	char *copy = xstrdup(path);
	size_t length = strlen(copy);

	while (length > 1 && copy[length - 1] == '/')
		copy[--length] = '\0';
	return copy;
}

static bool open_library(const char *path, struct repo *repo)
{
	if (git_repository_open_ext(&repo->git, path, 0, NULL) < 0)
		return false;
	if (!git_repository_workdir(repo->git))
		return false;
	repo->root = copy_without_slash(git_repository_workdir(repo->git));
	repo->common_dir = copy_without_slash(git_repository_commondir(repo->git));
	repo->shallow = git_repository_is_shallow(repo->git) == 1;
	return true;
}

/* Answers with one line; a path may hold newlines, so each question is a run of its own. */
static int ask_at(const char *path, const char *question, struct strbuf *out, struct error *err)
{
	struct repo here = {.root = (char *)path};

	return git_ask(&here, GIT_ARGS("rev-parse", "--path-format=absolute", question), out, err);
}

static int open_program(const char *path, struct repo *repo, struct error *err)
{
	struct strbuf root = STRBUF_INIT, common = STRBUF_INIT, shallow = STRBUF_INIT;
	int rc = ask_at(path, "--show-toplevel", &root, err);

	if (!rc)
		rc = ask_at(path, "--git-common-dir", &common, err);
	if (!rc)
		rc = ask_at(path, "--is-shallow-repository", &shallow, err);
	if (!rc) {
		repo->root = copy_without_slash(root.data);
		repo->common_dir = copy_without_slash(common.data);
		repo->shallow = strcmp(shallow.data, "true") == 0;
	}
	strbuf_release(&root);
	strbuf_release(&common);
	strbuf_release(&shallow);
	/* Git ran and refuses: the user has to act (no repository, a bare one, safe.directory). */
	if (rc == ERR_TOOL && err && strncmp(err->message, "git ", 4) == 0) {
		err->code = rc = ERR_USAGE;
		error_prefix(err, "%s is not in a usable git working tree", path);
	}
	return rc;
}

int repo_open(const char *path, struct repo **out, struct error *err)
{
	struct repo *repo = xcalloc(1, sizeof(*repo));
	int rc = ERR_OK;

	git_libgit2_init();
	if (!open_library(path, repo)) {
		repo_use_program(repo);
		rc = open_program(path, repo, err);
	}
	if (rc)
		repo_free(repo);
	else
		*out = repo;
	return rc;
}

void repo_use_program(struct repo *repo)
{
	git_repository_free(repo->git);
	repo->git = NULL;
}

void repo_free(struct repo *repo)
{
	if (!repo)
		return;
	git_repository_free(repo->git);
	free(repo->root);
	free(repo->common_dir);
	free(repo);
	git_libgit2_shutdown();
}

const char *repo_root(const struct repo *repo)
{
	return repo->root;
}

bool repo_is_shallow(const struct repo *repo)
{
	return repo->shallow;
}

/* ---- by libgit2: false means "ask the program" -------------------------------------------- */

static git_object *peel(struct repo *repo, const char *revision, git_object_t type)
{
	git_object *named = NULL, *peeled = NULL;

	if (!repo->git || git_revparse_single(&named, repo->git, revision) < 0)
		return NULL;
	if (git_object_peel(&peeled, named, type) < 0)
		peeled = NULL;
	git_object_free(named);
	return peeled;
}

static bool library_id(
	struct repo *repo, const char *revision, git_object_t type, char id[OBJECT_ID_SIZE])
{
	git_object *object = peel(repo, revision, type);

	if (!object)
		return false;
	git_oid_tostr(id, OBJECT_ID_SIZE, git_object_id(object));
	git_object_free(object);
	return true;
}

static bool library_oid(struct repo *repo, const char *commit, git_oid *oid)
{
	char id[OBJECT_ID_SIZE];

	return library_id(repo, commit, GIT_OBJECT_COMMIT, id) && git_oid_fromstr(oid, id) == 0;
}

static bool library_distance(struct repo *repo, const char *a, const char *b, size_t *count)
{
	size_t ahead, behind;
	git_oid one, two;

	/* libgit2 before 1.7 does not know where a shallow history ends. */
	if (repo->shallow || !library_oid(repo, a, &one) || !library_oid(repo, b, &two))
		return false;
	if (git_graph_ahead_behind(&ahead, &behind, repo->git, &two, &one) < 0)
		return false;
	*count = ahead;
	return true;
}

/* *rc: ERR_LIMIT is an answer too. */
static bool library_blob(struct repo *repo, const char *commit, const char *path, size_t max_bytes,
	struct strbuf *out, int *rc)
{
	git_object *tree = peel(repo, commit, GIT_OBJECT_TREE);
	git_tree_entry *entry = NULL;
	git_blob *blob = NULL;
	git_object_t type;
	size_t size;
	git_odb *odb = NULL;
	bool found = false;

	if (!tree || git_tree_entry_bypath(&entry, (git_tree *)tree, path) < 0)
		goto out;
	if ((git_tree_entry_filemode(entry) & 0170000) != 0100000)
		goto out;
	/* The size first: a blob is loaded whole. */
	if (git_repository_odb(&odb, repo->git) < 0 ||
		git_odb_read_header(&size, &type, odb, git_tree_entry_id(entry)) < 0)
		goto out;
	*rc = size > max_bytes ? ERR_LIMIT : ERR_OK;
	found = *rc || git_blob_lookup(&blob, repo->git, git_tree_entry_id(entry)) == 0;
	if (blob)
		strbuf_add(out, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
out:
	git_blob_free(blob);
	git_odb_free(odb);
	git_tree_entry_free(entry);
	git_object_free(tree);
	return found;
}

/* ---- by the git program ------------------------------------------------------------------- */

static const char *shallow_advice(const struct repo *repo)
{
	return repo->shallow ? " (this clone is shallow: fetch the whole history, with "
			       "actions/checkout by fetch-depth: 0)"
			     : "";
}

static int not_found(
	const struct repo *repo, const char *revision, const char *type, struct error *err)
{
	struct strbuf name = STRBUF_INIT;

	text_defuse(&name, revision, strlen(revision));
	error_set(err, ERR_NOT_FOUND, "\"%.200s\" does not name a %s in %s%s", name.data, type,
		repo->root, shallow_advice(repo));
	strbuf_release(&name);
	return ERR_NOT_FOUND;
}

bool object_id_take(const struct strbuf *answer, char id[OBJECT_ID_SIZE])
{
	size_t length = strcspn(answer->data, "\n");

	if (!object_id_is_valid(answer->data, length))
		return false;
	memcpy(id, answer->data, length);
	id[length] = '\0';
	return true;
}

static int program_id(struct repo *repo, const char *revision, const char *type,
	char id[OBJECT_ID_SIZE], struct error *err)
{
	struct strbuf name = STRBUF_INIT, answer = STRBUF_INIT;
	int rc, status = 0;

	strbuf_addf(&name, "%s^{%s}", revision, type);
	rc = git_try(
		&(struct git_command){
			.directory = repo->root,
			.args = GIT_ARGS("rev-parse", "--verify", "--end-of-options", name.data),
			.network = true,
			.out = &answer,
		},
		&status, err);
	if (!rc && (status || !object_id_take(&answer, id)))
		rc = not_found(repo, revision, type, err);
	strbuf_release(&name);
	strbuf_release(&answer);
	return rc;
}

static int resolve(struct repo *repo, const char *revision, git_object_t type,
	char id[OBJECT_ID_SIZE], struct error *err)
{
	if (!*revision)
		return not_found(repo, revision, git_object_type2string(type), err);
	if (library_id(repo, revision, type, id))
		return ERR_OK;
	return program_id(repo, revision, git_object_type2string(type), id, err);
}

static int program_merge_base(
	struct repo *repo, const char *a, const char *b, char id[OBJECT_ID_SIZE], struct error *err)
{
	struct strbuf answer = STRBUF_INIT, problem = STRBUF_INIT;
	int status = 0;
	int rc = git_try(
		&(struct git_command){
			.directory = repo->root,
			.args = GIT_ARGS("merge-base", "--end-of-options", a, b),
			.network = true,
			.out = &answer,
			.problem = &problem,
		},
		&status, err);

	if (!rc && status > 1)
		rc = error_set(
			err, ERR_TOOL, "git merge-base: %s%s", problem.data, shallow_advice(repo));
	else if (!rc && (status || !object_id_take(&answer, id)))
		rc = error_set(err, ERR_NOT_FOUND, "%.12s and %.12s have no common ancestor%s", a,
			b, shallow_advice(repo));
	strbuf_release(&answer);
	strbuf_release(&problem);
	return rc;
}

static int program_distance(
	struct repo *repo, const char *a, const char *b, size_t *count, struct error *err)
{
	struct strbuf range = STRBUF_INIT, answer = STRBUF_INIT;
	char *end;
	int rc;

	strbuf_addf(&range, "%s..%s", a, b);
	rc = git_ask(repo, GIT_ARGS("rev-list", "--count", "--end-of-options", range.data), &answer,
		err);
	if (!rc) {
		unsigned long value = strtoul(answer.data, &end, 10);

		if (!answer.length || *end)
			rc = error_set(err, ERR_TOOL, "git rev-list did not answer with a number");
		else
			*count = value;
	}
	strbuf_release(&range);
	strbuf_release(&answer);
	return rc;
}

bool repo_is_tree_path(const char *path)
{
	for (;; path++) {
		size_t length = strcspn(path, "/");

		if (!length || (length <= 2 && strspn(path, ".") >= length))
			return false;
		path += length;
		if (!*path)
			return true;
	}
}

static int no_file(const char *commit, const char *path, struct error *err)
{
	return error_set(
		err, ERR_NOT_FOUND, "there is no regular file %s in commit %.12s", path, commit);
}

static int too_large(const char *commit, const char *path, size_t max_bytes, struct error *err)
{
	return error_set(err, ERR_LIMIT, "%s in commit %.12s is larger than %zu bytes", path,
		commit, max_bytes);
}

/* "100644 blob <id>\t<path>\0"; other modes are links, submodules and folders. */
static bool take_file_entry(const struct strbuf *answer, const char *path, char id[OBJECT_ID_SIZE])
{
	const char *at = answer->data, *tab = strchr(at, '\t');
	size_t length;

	if (!tab || strncmp(at, "100", 3) != 0 || strncmp(at + 6, " blob ", 6) != 0)
		return false;
	at += 12;
	length = (size_t)(tab - at);
	if (strcmp(tab + 1, path) != 0 || !object_id_is_valid(at, length))
		return false;
	memcpy(id, at, length);
	id[length] = '\0';
	return true;
}

struct blob_request {
	const char *commit, *path;
	size_t max_bytes;
	bool here; /* nothing is fetched */
};

static int program_blob(struct repo *repo, const struct blob_request *request, struct strbuf *out,
	struct error *err)
{
	const char *const *env = request->here ? git_fetches_nothing : NULL;
	struct strbuf entry = STRBUF_INIT;
	size_t before = out->length;
	char id[OBJECT_ID_SIZE] = "";
	int rc = git_run(&(struct git_command){.directory = repo->root,
				 .args = GIT_ARGS("--literal-pathspecs", "ls-tree", "-z",
					 "--full-tree", request->commit, "--", request->path),
				 .env = env,
				 .network = !request->here,
				 .out = &entry},
		err);

	if (!rc && !take_file_entry(&entry, request->path, id))
		rc = no_file(request->commit, request->path, err);
	if (!rc)
		rc = git_run(
			&(struct git_command){
				.directory = repo->root,
				.args = GIT_ARGS("cat-file", "blob", id),
				.env = env,
				.network = !request->here,
				/* 0 means the default there; one byte more is seen below. */
				.limit = request->max_bytes ? request->max_bytes : 1,
				.out = out,
			},
			err);
	if (rc == ERR_LIMIT || (!rc && out->length - before > request->max_bytes))
		rc = too_large(request->commit, request->path, request->max_bytes, err);
	if (rc == ERR_TOOL && request->here)
		rc = repo_explain_absent(repo, id[0] ? id : NULL, err);
	if (rc)
		strbuf_truncate(out, before);
	strbuf_release(&entry);
	return rc;
}

/* ---- questions ---------------------------------------------------------------------------- */

/* With --missing git does not fetch; a missing commit is an error all the same. */
static bool program_has_commit(struct repo *repo, const char *id)
{
	struct strbuf answer = STRBUF_INIT;
	char found[OBJECT_ID_SIZE];
	struct error ignored;
	int status = 0;
	bool has = !git_try(&(struct git_command){.directory = repo->root,
				    .args = GIT_ARGS("rev-list", "--no-walk", "--missing=allow-any",
					    "--end-of-options", id),
				    .out = &answer},
			   &status, &ignored) &&
		   !status && object_id_take(&answer, found) && strcmp(found, id) == 0;

	strbuf_release(&answer);
	return has;
}

bool repo_has_commit(struct repo *repo, const char *id)
{
	git_oid oid;

	if (!object_id_is_valid(id, strlen(id)))
		return false;
	return library_oid(repo, id, &oid) || program_has_commit(repo, id);
}

int repo_resolve_commit(
	struct repo *repo, const char *revision, char id[OBJECT_ID_SIZE], struct error *err)
{
	return resolve(repo, revision, GIT_OBJECT_COMMIT, id, err);
}

int repo_tree_id(struct repo *repo, const char *commit, char id[OBJECT_ID_SIZE], struct error *err)
{
	return resolve(repo, commit, GIT_OBJECT_TREE, id, err);
}

static int resolve_pair(struct repo *repo, const char *const names[2], char ids[2][OBJECT_ID_SIZE],
	struct error *err)
{
	int rc = repo_resolve_commit(repo, names[0], ids[0], err);

	return rc ? rc : repo_resolve_commit(repo, names[1], ids[1], err);
}

int repo_merge_base(
	struct repo *repo, const char *a, const char *b, char id[OBJECT_ID_SIZE], struct error *err)
{
	char ids[2][OBJECT_ID_SIZE];
	int rc = resolve_pair(repo, (const char *const[]){a, b}, ids, err);

	return rc ? rc : program_merge_base(repo, ids[0], ids[1], id, err);
}

int repo_is_ancestor(
	struct repo *repo, const char *ancestor, const char *head, bool *is, struct error *err)
{
	char base[OBJECT_ID_SIZE];
	int rc = ERR_NOT_FOUND;

	if (repo_has_commit(repo, ancestor))
		rc = repo_merge_base(repo, ancestor, head, base, err);
	if (rc && rc != ERR_NOT_FOUND)
		return rc;
	*is = !rc && strcmp(base, ancestor) == 0;
	return ERR_OK;
}

int repo_distance(struct repo *repo, const char *a, const char *b, size_t *count, struct error *err)
{
	char ids[2][OBJECT_ID_SIZE];
	int rc;

	if (library_distance(repo, a, b, count))
		return ERR_OK;
	rc = resolve_pair(repo, (const char *const[]){a, b}, ids, err);
	return rc ? rc : program_distance(repo, ids[0], ids[1], count, err);
}

static const char *first_line(struct arena *arena, const char *message)
{
	message += strspn(message, "\n");
	return arena_strndup(arena, message, strcspn(message, "\n"));
}

int repo_subject(struct repo *repo, const char *commit, struct arena *arena, const char **subject,
	struct error *err)
{
	git_object *object = peel(repo, commit, GIT_OBJECT_COMMIT);
	struct strbuf text = STRBUF_INIT;
	char id[OBJECT_ID_SIZE];
	const char *body;
	int rc;

	if (object) {
		*subject = first_line(arena, git_commit_message((git_commit *)object));
		git_object_free(object);
		return ERR_OK;
	}
	rc = repo_resolve_commit(repo, commit, id, err);
	if (!rc)
		rc = git_ask(repo, GIT_ARGS("cat-file", "commit", id), &text, err);
	if (!rc) {
		body = strstr(text.data, "\n\n");
		*subject = first_line(arena, body ? body : "");
	}
	strbuf_release(&text);
	return rc;
}

static int read_blob(struct repo *repo, const struct blob_request *request, struct strbuf *out,
	struct error *err)
{
	struct blob_request by_id = *request;
	char id[OBJECT_ID_SIZE];
	int rc = ERR_OK;

	if (repo->git &&
		library_blob(repo, request->commit, request->path, request->max_bytes, out, &rc))
		return rc ? too_large(request->commit, request->path, request->max_bytes, err)
			  : ERR_OK;
	/* An id needs no look-up, whose failure would be taken for a commit that is not there. */
	if (!request->here) {
		rc = repo_resolve_commit(repo, request->commit, id, err);
		by_id.commit = id;
	}
	if (!rc && !repo_is_tree_path(request->path))
		rc = no_file(by_id.commit, request->path, err);
	return rc ? rc : program_blob(repo, &by_id, out, err);
}

int repo_read_blob(struct repo *repo, const char *commit, const char *path, size_t max_bytes,
	struct strbuf *out, struct error *err)
{
	return read_blob(repo, &(struct blob_request){commit, path, max_bytes, false}, out, err);
}

int repo_read_blob_here(struct repo *repo, const char *commit, const char *path, size_t max_bytes,
	struct strbuf *out, struct error *err)
{
	return read_blob(repo, &(struct blob_request){commit, path, max_bytes, true}, out, err);
}

int repo_count_dirty(struct repo *repo, size_t *modified, size_t *untracked, struct error *err)
{
	struct strbuf list = STRBUF_INIT;
	/* The program, since libgit2 runs no filters: every LFS file would look changed. */
	int rc = git_run(
		&(struct git_command){
			.directory = repo->root,
			.args = GIT_ARGS("status", "--porcelain=v1", "-z", "--no-renames",
				"--untracked-files=all", "--ignore-submodules=none"),
			.out = &list,
		},
		err);

	/* Past the limit the counts are what was seen: enough for a warning. */
	if (rc == ERR_LIMIT)
		rc = ERR_OK;
	if (!rc) {
		*modified = *untracked = 0;
		for (const char *at = list.data; at < list.data + list.length; at += strlen(at) + 1)
			++*(strncmp(at, "?? ", 3) == 0 ? untracked : modified);
	}
	strbuf_release(&list);
	return rc;
}
