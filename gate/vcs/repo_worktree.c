/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worktrees of a commit: added with their submodules, removed, detached from the repository, and
 * swept up after a run that was killed.
 */
#include "gate/vcs/repo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/vcs/repo_internal.h"

/*
 * A worktree is registered by <common>/worktrees/<id>/gitdir, which holds the path of its .git
 * file. We look it up from that side: what lies in the worktree is the build's to change. Doing it
 * without the git program also works in the middle of an interruption, and ignores the lock that a
 * killed "git worktree add" leaves.
 */

#define LFS_POINTER "version https://git-lfs.github.com/spec/"

/* The path with its parent resolved; the last part need not exist. malloc'd,
 * NULL if it cannot be. */
static char *canonical(const char *path)
{
	char *copy = xstrdup(path), *slash, *parent, *full = NULL;
	size_t length = strlen(copy);

	while (length > 1 && copy[length - 1] == '/')
		copy[--length] = '\0';
	slash = strrchr(copy, '/');
	if (slash)
		*slash = '\0';
	parent = realpath(!slash ? "." : slash == copy ? "/" : copy, NULL);
	if (parent)
		full = file_join(parent, slash ? slash + 1 : copy);
	free(parent);
	free(copy);
	return full;
}

/* The folder whose .git file a registration names; malloc'd, NULL if it cannot be told. */
static char *registered_folder(const char *admin)
{
	char *path = file_join(admin, "gitdir"), *folder = NULL;
	struct strbuf text = STRBUF_INIT;

	if (file_read(path, 64 * 1024, &text, NULL) == ERR_OK && text.length > 6) {
		if (text.data[text.length - 1] == '\n')
			strbuf_truncate(&text, text.length - 1);
		if (text.length > 5 && strcmp(text.data + text.length - 5, "/.git") == 0) {
			strbuf_truncate(&text, text.length - 5);
			/* Newer gits may write it relative to the registration. */
			folder = *text.data == '/' ? xstrdup(text.data)
						   : file_join(admin, text.data);
		}
	}
	if (folder) {
		char *resolved = canonical(folder);

		if (resolved) {
			free(folder);
			folder = resolved;
		}
	}
	strbuf_release(&text);
	free(path);
	return folder;
}

/* Called for each registration; a non-zero return ends the walk. */
typedef int each_worktree(const char *admin, const char *folder, void *data, struct error *err);

static int walk(struct repo *repo, each_worktree *visit, void *data, struct error *err)
{
	char *list = file_join(repo->common_dir, "worktrees");
	DIR *dir = opendir(list);
	struct dirent *entry;
	int rc = ERR_OK;

	if (!dir && errno != ENOENT)
		rc = error_errno(err, ERR_IO, errno, "cannot read %s", list);
	while (dir && !rc && (entry = readdir(dir))) {
		char *admin, *folder;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		admin = file_join(list, entry->d_name);
		folder = registered_folder(admin);
		if (folder)
			rc = visit(admin, folder, data, err);
		free(folder);
		free(admin);
	}
	if (dir)
		closedir(dir);
	/* As git does: no folder without worktrees. */
	rmdir(list);
	free(list);
	return rc;
}

static int forget_same(const char *admin, const char *folder, void *data, struct error *err)
{
	return strcmp(folder, data) == 0 ? file_remove_tree(admin, err) : ERR_OK;
}

static int forget(struct repo *repo, const char *path, struct error *err)
{
	char *folder = canonical(path);
	int rc = ERR_OK;

	if (folder)
		rc = walk(repo, forget_same, folder, err);
	free(folder);
	return rc;
}

int repo_worktree_remove(struct repo *repo, const char *path, struct error *err)
{
	int rc = file_remove_tree(path, err);

	return rc ? rc : forget(repo, path, err);
}

int repo_worktree_detach_folder(struct repo *repo, const char *path, struct error *err)
{
	char *link = file_join(path, ".git");
	int rc = file_remove_tree(link, err);

	free(link);
	return rc ? rc : forget(repo, path, err);
}

struct sweep {
	const char *prefix;
	size_t count;
};

static int sweep_one(const char *admin, const char *folder, void *data, struct error *err)
{
	struct sweep *sweep = data;
	size_t length = strlen(sweep->prefix);
	int rc;

	if (strncmp(folder, sweep->prefix, length) != 0 || folder[length] != '/')
		return ERR_OK;
	rc = file_remove_tree(folder, err);
	if (!rc)
		rc = file_remove_tree(admin, err);
	sweep->count += !rc;
	return rc;
}

int repo_worktree_sweep(struct repo *repo, const char *prefix, size_t *count, struct error *err)
{
	char *resolved = canonical(prefix);
	struct sweep sweep = {resolved, 0};
	/* Where not even the parent exists, nothing of ours can be left. */
	int rc = resolved ? walk(repo, sweep_one, &sweep, err) : ERR_OK;

	free(resolved);
	if (!rc)
		*count = sweep.count;
	return rc;
}

/* ---- making one --------------------------------------------------------------------------- */

static int git_in(
	const char *directory, const char *const *args, struct strbuf *out, struct error *err)
{
	return git_run(
		&(struct git_command){
			.directory = directory,
			.args = args,
			.limit = 256 * 1024 * 1024,
			.network = true,
			.out = out,
		},
		err);
}

static int update_submodules(const char *path, struct error *err)
{
	char *modules = file_join(path, ".gitmodules");
	bool present = file_exists(modules);
	int rc;

	free(modules);
	if (!present)
		return ERR_OK;
	rc = git_in(path,
		GIT_ARGS("submodule", "--quiet", "update", "--init", "--recursive", "--checkout",
			"--force"),
		NULL, err);
	return rc ? error_prefix(err, "cannot fetch the submodules") : ERR_OK;
}

static bool is_lfs_pointer(const char *root, const char *name)
{
	char *path = file_join(root, name), start[sizeof(LFS_POINTER) - 1];
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool pointer = false;

	if (fd >= 0) {
		pointer = read(fd, start, sizeof(start)) == (ssize_t)sizeof(start) &&
			  memcmp(start, LFS_POINTER, sizeof(start)) == 0;
		close(fd);
	}
	free(path);
	return pointer;
}

/* A benchmark on a pointer file would measure nothing, and well at that. */
static int check_lfs(const char *path, struct error *err)
{
	struct strbuf names = STRBUF_INIT;
	int rc = git_in(path, GIT_ARGS("ls-files", "-z", "--", ":(attr:filter=lfs)"), &names, err);

	for (const char *at = names.data; !rc && at < names.data + names.length;
		at += strlen(at) + 1) {
		if (is_lfs_pointer(path, at))
			rc = error_set(err, ERR_TOOL,
				"%.300s is a git-lfs pointer, not the file itself: install "
				"git-lfs, run \"git lfs install\" and let the checkout fetch it "
				"(actions/checkout: lfs: true)",
				at);
	}
	strbuf_release(&names);
	return rc;
}

int repo_worktree_add(struct repo *repo, const char *commit, const char *path, struct error *err)
{
	char id[OBJECT_ID_SIZE];
	struct stat info;
	char *folder = canonical(path);
	int rc = ERR_OK;

	if (!folder)
		rc = error_errno(err, ERR_IO, errno, "cannot make the worktree %s", path);
	else if (lstat(folder, &info) == 0)
		rc = error_set(err, ERR_IO, "cannot make the worktree %s: it exists", path);
	if (!rc)
		rc = repo_resolve_commit(repo, commit, id, err);
	if (rc)
		goto out;
	/* Forced: a killed run's folder may be gone and its registration left. */
	rc = git_in(repo->root,
		GIT_ARGS("worktree", "add", "--force", "--force", "--quiet", "--detach", "--",
			folder, id),
		NULL, err);
	if (!rc)
		rc = update_submodules(folder, err);
	if (!rc)
		rc = check_lfs(folder, err);
	if (rc)
		repo_worktree_remove(repo, folder, NULL);
out:
	free(folder);
	return rc;
}
