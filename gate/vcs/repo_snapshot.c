/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The working tree as a commit. A copy of the user's index gets what "git add -A" would put there,
 * and becomes a tree and a commit. The copy keeps the flags of a sparse checkout and what git knows
 * of unchanged files, so that only changed ones are read. Only objects are written into the
 * repository: they have no ref and go with the next garbage collection.
 */
#include "gate/vcs/repo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/map.h"
#include "gate/base/scratch.h"
#include "gate/vcs/repo_internal.h"
#include "gate/vcs/repo_status.h"

#define MEBIBYTE ((uint64_t)1024 * 1024)
#define UNTRACKED_LIMIT_BYTES (512 * MEBIBYTE)
#define COPY_BYTES ((size_t)64 * 1024)
#define SIGNATURE "flamegate <flamegate@localhost>"

struct snapshot {
	struct repo *repo;
	struct repo_status status;
	struct scratch folder;  /* of the index's copy */
	struct strbuf variable; /* GIT_INDEX_FILE=... */
	char head[OBJECT_ID_SIZE], head_tree[OBJECT_ID_SIZE], tree[OBJECT_ID_SIZE];
};

/* ---- the index ---------------------------------------------------------------------------- */

static int copy_bytes(int from, int to)
{
	char buffer[COPY_BYTES];
	ssize_t got;

	while ((got = read(from, buffer, sizeof(buffer))) > 0) {
		if (file_write_fd(to, buffer, (size_t)got) < 0)
			return -1;
	}
	return got < 0 ? -1 : 0;
}

/* With its time: by that git knows which files may have changed since without looking so. */
static int copy_index(const char *source, const char *target, struct error *err)
{
	struct stat info;
	int from, to = -1, rc = file_open_regular(source, &from, err);

	/* Without an index everything is untracked. */
	if (rc == ERR_NOT_FOUND)
		return ERR_OK;
	if (rc)
		return rc;
	to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0 || fstat(from, &info) < 0 || copy_bytes(from, to) < 0 ||
		futimens(to, (const struct timespec[]){info.st_atim, info.st_mtim}) < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot copy %s", source);
	if (to >= 0)
		close(to);
	close(from);
	return rc;
}

static int make_index(struct snapshot *snapshot, struct error *err)
{
	struct strbuf source = STRBUF_INIT;
	char *target = NULL;
	int rc = git_ask(snapshot->repo,
		GIT_ARGS("rev-parse", "--path-format=absolute", "--git-path", "index"), &source,
		err);

	if (!rc)
		rc = scratch_make(&snapshot->folder, err);
	if (!rc) {
		target = file_join(snapshot->folder.path, "index");
		strbuf_addf(&snapshot->variable, "GIT_INDEX_FILE=%s", target);
		rc = copy_index(source.data, target, err);
	}
	free(target);
	strbuf_release(&source);
	return rc;
}

static int git_on_index(struct snapshot *snapshot, const char *const *args,
	const struct strbuf *input, struct strbuf *out, struct error *err)
{
	return git_run(
		&(struct git_command){
			.directory = snapshot->repo->root,
			.args = args,
			.env = (const char *const[]){snapshot->variable.data, NULL},
			.input = input ? input->data : NULL,
			.input_length = input ? input->length : 0,
			.network = true,
			.out = out,
		},
		err);
}

static int update_index(
	struct snapshot *snapshot, const char *how, const struct strbuf *paths, struct error *err)
{
	if (!paths->length)
		return ERR_OK;
	return git_on_index(snapshot,
		GIT_ARGS("update-index", "--add", "--replace", how, "-z", "--stdin"), paths, NULL,
		err);
}

/* What is gone goes first: a file may have become a folder, or the other way round. */
static int fill_index(struct snapshot *snapshot, struct error *err)
{
	const struct repo_status *status = &snapshot->status;
	int rc = update_index(snapshot, "--force-remove", &status->gone, err);

	if (!rc)
		rc = update_index(snapshot, "--remove", &status->changed, err);
	return rc ? rc : update_index(snapshot, "--remove", &status->untracked, err);
}

/* ---- limits ------------------------------------------------------------------------------- */

static uint64_t size_of(int root, const char *path)
{
	struct stat info;

	if (fstatat(root, path, &info, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(info.st_mode))
		return 0;
	return (uint64_t)info.st_size;
}

/* Each would be copied into the repository, and again into a worktree. */
static int check_untracked(struct snapshot *snapshot, struct error *err)
{
	const struct strbuf *paths = &snapshot->status.untracked;
	const char *largest = "";
	uint64_t total = 0, most = 0;
	int root = open(snapshot->repo->root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (const char *at = paths->data; at < paths->data + paths->length; at += strlen(at) + 1) {
		uint64_t size = size_of(root, at);

		total += size;
		if (size > most) {
			most = size;
			largest = at;
		}
	}
	if (root >= 0)
		close(root);
	if (total <= UNTRACKED_LIMIT_BYTES)
		return ERR_OK;
	return error_set(err, ERR_LIMIT,
		"untracked files make %llu MiB, more than %llu (the largest is %.300s with %llu): "
		"add what is not needed to .gitignore, remove it, or check a commit",
		(unsigned long long)(total / MEBIBYTE),
		(unsigned long long)(UNTRACKED_LIMIT_BYTES / MEBIBYTE), largest,
		(unsigned long long)(most / MEBIBYTE));
}

/* ---- tree and commit ---------------------------------------------------------------------- */

static int ask_id(struct snapshot *snapshot, const char *const *args, const struct strbuf *input,
	char id[OBJECT_ID_SIZE], struct error *err)
{
	struct strbuf answer = STRBUF_INIT;
	int rc = git_on_index(snapshot, args, input, &answer, err);

	if (!rc && !object_id_take(&answer, id))
		rc = error_set(err, ERR_TOOL, "git %s did not answer with an id", args[0]);
	strbuf_release(&answer);
	return rc;
}

/* "<author's time> <committer's time>" */
static int head_times(struct snapshot *snapshot, struct strbuf *times, struct error *err)
{
	struct strbuf answer = STRBUF_INIT;
	const char *line;
	int rc = git_ask(snapshot->repo,
		GIT_ARGS("rev-list", "--max-count=1", "--format=%at %ct", "--end-of-options",
			snapshot->head),
		&answer, err);

	if (!rc) {
		line = strchr(answer.data, '\n');
		strbuf_addstr(times, line ? line + 1 : "0 0");
	}
	strbuf_release(&answer);
	return rc;
}

/* Written by hand, so that no setting of the user's gets into the id. */
static int write_commit(struct snapshot *snapshot, char id[OBJECT_ID_SIZE], struct error *err)
{
	struct strbuf times = STRBUF_INIT, text = STRBUF_INIT;
	const char *space;
	int rc = head_times(snapshot, &times, err);

	if (rc)
		goto out;
	space = times.data + strcspn(times.data, " ");
	strbuf_addf(&text, "tree %s\nparent %s\n", snapshot->tree, snapshot->head);
	strbuf_addf(
		&text, "author " SIGNATURE " %.*s +0000\n", (int)(space - times.data), times.data);
	strbuf_addf(&text, "committer " SIGNATURE "%s +0000\n\n", space);
	strbuf_addstr(&text, "The working tree with its uncommitted changes\n");
	rc = ask_id(
		snapshot, GIT_ARGS("hash-object", "-t", "commit", "-w", "--stdin"), &text, id, err);
out:
	strbuf_release(&times);
	strbuf_release(&text);
	return rc;
}

/* ---- counting ----------------------------------------------------------------------------- */

/* Of the files in which the commit differs from HEAD: a change may have been taken back. */
static void count_paths(const struct strbuf *differing, const struct strbuf *untracked,
	size_t *modified_count, size_t *untracked_count)
{
	struct map names;

	map_init(&names);
	for (const char *at = untracked->data; at < untracked->data + untracked->length;
		at += strlen(at) + 1)
		map_put_str(&names, at, 0);
	*modified_count = *untracked_count = 0;
	for (const char *at = differing->data; at < differing->data + differing->length;
		at += strlen(at) + 1)
		++*(map_get_str(&names, at) == MAP_NONE ? modified_count : untracked_count);
	map_release(&names);
}

static int count_changes(
	struct snapshot *snapshot, size_t *modified, size_t *untracked, struct error *err)
{
	struct strbuf names = STRBUF_INIT;
	int rc = git_on_index(snapshot,
		GIT_ARGS("diff-tree", "-r", "--no-renames", "--name-only", "-z", "--end-of-options",
			snapshot->head_tree, snapshot->tree),
		NULL, &names, err);

	if (!rc)
		count_paths(&names, &snapshot->status.untracked, modified, untracked);
	strbuf_release(&names);
	return rc;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int find_head(struct snapshot *snapshot, struct error *err)
{
	int rc = repo_resolve_commit(snapshot->repo, "HEAD", snapshot->head, err);

	if (rc == ERR_NOT_FOUND)
		return error_set(err, ERR_USAGE,
			"%s has no commit yet: there is nothing to compare with; commit first",
			snapshot->repo->root);
	return rc ? rc : repo_tree_id(snapshot->repo, snapshot->head, snapshot->head_tree, err);
}

static int take_snapshot(struct snapshot *snapshot, char id[OBJECT_ID_SIZE], size_t *modified,
	size_t *untracked, struct error *err)
{
	size_t changes = 0, additions = 0;
	int rc = check_untracked(snapshot, err);

	if (!rc)
		rc = make_index(snapshot, err);
	if (!rc)
		rc = fill_index(snapshot, err);
	if (!rc)
		rc = ask_id(snapshot, GIT_ARGS("write-tree"), NULL, snapshot->tree, err);
	if (!rc)
		rc = count_changes(snapshot, &changes, &additions, err);
	if (!rc && strcmp(snapshot->tree, snapshot->head_tree) == 0)
		memcpy(id, snapshot->head, OBJECT_ID_SIZE);
	else if (!rc)
		rc = write_commit(snapshot, id, err);
	if (!rc) {
		*modified = changes;
		*untracked = additions;
	}
	return rc;
}

int repo_snapshot(struct repo *repo, char id[OBJECT_ID_SIZE], size_t *modified, size_t *untracked,
	size_t *dirty_submodules, struct error *err)
{
	struct snapshot snapshot = {.repo = repo, .variable = STRBUF_INIT};
	int rc = find_head(&snapshot, err);

	if (!rc)
		rc = repo_status_read(repo, &snapshot.status, err);
	if (rc)
		return rc;
	if (snapshot.status.any) {
		rc = take_snapshot(&snapshot, id, modified, untracked, err);
	} else {
		memcpy(id, snapshot.head, OBJECT_ID_SIZE);
		*modified = *untracked = 0;
	}
	if (!rc && dirty_submodules)
		*dirty_submodules = snapshot.status.dirty_submodules;
	scratch_remove(&snapshot.folder);
	strbuf_release(&snapshot.variable);
	repo_status_release(&snapshot.status);
	return rc;
}
