/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/build/arm.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"
#include "gate/base/strbuf.h"
#include "gate/bench/build/arm_internal.h"
#include "gate/bench/build/arm_manifest.h"

#define MAX_HASHED_BYTES ((off_t)32 << 20)

/* One preparation. */
struct preparation {
	struct arm_cache *cache;
	struct repo *repo;
	const struct config *config;
	const char *label;
	arm_progress *progress;
	void *data;
	char **env;
};

static void tell(const struct preparation *preparation, const char *what, const struct arm *arm,
	const char *more)
{
	struct strbuf text = STRBUF_INIT;

	if (!preparation->progress)
		return;
	strbuf_addf(&text, "%s%s%s %.7s%s", what, *what ? " " : "", preparation->label, arm->commit,
		more);
	preparation->progress(preparation->data, text.data);
	strbuf_release(&text);
}

/* git may refuse to help while we are interrupted; the folder must go all the same. */
static void remove_build(const struct preparation *preparation)
{
	const char *path = preparation->cache->build_path;

	if (file_is_link(path))
		unlink(path);
	repo_worktree_remove(preparation->repo, path, NULL);
	file_remove_tree(path, NULL);
}

/* What a killed run left: the link of its last run, or a worktree in the middle of a build. */
static int clear_build(const struct preparation *preparation, struct error *err)
{
	const struct arm_cache *cache = preparation->cache;
	size_t count;
	int rc = ERR_OK;

	if (file_is_link(cache->build_path) && unlink(cache->build_path) < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot remove %s", cache->build_path);
	if (!rc)
		rc = repo_worktree_sweep(preparation->repo, cache->root, &count, err);
	return rc ? rc : file_remove_tree(cache->build_path, err);
}

static int write_manifest(const struct arm *arm, struct error *err)
{
	struct manifest manifest;
	int rc = manifest_scan(&manifest, arm->path, err);

	if (!rc)
		rc = manifest_hash(&manifest, arm->path, err);
	if (!rc)
		rc = manifest_write(&manifest, arm->manifest_path, err);
	manifest_release(&manifest);
	return rc;
}

/* The build may have put something else in the place of its own folder. */
static int check_still_there(const char *path, ino_t inode, struct error *err)
{
	struct stat info;

	if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_ino == inode)
		return ERR_OK;
	return error_set(err, ERR_BENCHMARK, "the build removed or replaced the folder it ran in");
}

static int build_in_place(
	const struct preparation *preparation, const struct arm *arm, struct error *err)
{
	const char *path = preparation->cache->build_path;
	struct stat info;
	int rc = repo_worktree_add(preparation->repo, arm->commit, path, err);

	if (rc)
		return rc;
	if (lstat(path, &info) < 0)
		return error_errno(err, ERR_IO, errno, "cannot read %s", path);
	rc = arm_build(preparation->cache, preparation->config,
		(const char *const *)preparation->env, arm->log_path, err);
	if (!rc)
		rc = check_still_there(path, info.st_ino, err);
	return rc ? rc : repo_worktree_detach_folder(preparation->repo, path, err);
}

/* In the order of the first block, as the last check to use the arm leaves it. */
static int link_first(
	const struct preparation *preparation, const struct arm *arm, struct error *err)
{
	const struct config *config = preparation->config;
	int rc;

	if (!config->relink || !config->relink[0])
		return ERR_OK;
	rc = arm_activate(preparation->cache, arm, err);
	return rc ? rc : arm_relink(preparation->cache, config, arm, 0, err);
}

static int build_arm(
	const struct preparation *preparation, const struct arm *arm, struct error *err)
{
	const char *path = preparation->cache->build_path;
	int rc = arm_forget(preparation->cache, arm->key, err);

	if (rc)
		return rc;
	tell(preparation, "building", arm, "");
	rc = build_in_place(preparation, arm, err);
	if (!rc && rename(path, arm->path) < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot move %s to %s", path, arm->path);
	if (!rc)
		rc = link_first(preparation, arm, err);
	if (!rc)
		rc = write_manifest(arm, err);
	if (!rc && process_interrupted())
		rc = error_set(err, ERR_INTERRUPTED, "interrupted");
	if (!rc)
		return ERR_OK;
	remove_build(preparation);
	arm_forget(preparation->cache, arm->key, NULL);
	return rc == ERR_INTERRUPTED ? rc : error_prefix(err, "%s", preparation->label);
}

/* *found: the arm is there, unchanged, and what earlier runs left in it is gone. */
static int find_built(const struct preparation *preparation, const struct arm *arm, bool *found,
	struct error *err)
{
	struct manifest manifest, now = {.arena = ARENA_INIT};
	const char *changed = NULL;
	int rc = manifest_read(&manifest, arm->manifest_path, err);

	*found = false;
	if (!rc && file_exists(arm->path))
		rc = manifest_compare(&manifest, &now, arm->path, true, &changed, err);
	else
		changed = "";
	if (changed && *changed)
		tell(preparation, "", arm, " was built already, but its files have changed since");
	*found = !rc && !changed;
	manifest_release(&manifest);
	manifest_release(&now);
	/* A manifest that is missing or damaged is a reason to build, not to stop. */
	return rc == ERR_NOT_FOUND || rc == ERR_CORRUPT || rc == ERR_LIMIT ? ERR_OK : rc;
}

static void name_files(struct arm *arm, const struct arm_cache *cache)
{
	arm->path = arm_cache_file(cache, "arms", arm->key, "");
	arm->manifest_path = arm_cache_file(cache, "manifests", arm->key, "");
	arm->known_path = arm_cache_file(cache, "manifests", arm->key, ".known");
	arm->log_path = arm_cache_file(cache, "logs", arm->key, ".log");
	arm->build_path = xstrdup(cache->build_path);
}

static int find_or_build(const struct preparation *preparation, struct arm *arm, struct error *err)
{
	bool found;
	int rc = arm_hold(preparation->cache, arm->key, &arm->lock_fd, err);

	if (!rc)
		rc = clear_build(preparation, err);
	if (!rc)
		rc = find_built(preparation, arm, &found, err);
	if (rc)
		return rc;
	arm->cached = found;
	if (!found)
		return build_arm(preparation, arm, err);
	tell(preparation, "", arm, " is built already");
	utimensat(AT_FDCWD, arm->manifest_path, NULL, 0); /* for arm_cache_prune() */
	return ERR_OK;
}

int arm_prepare(struct arm_cache *cache, struct repo *repo, const struct config *config,
	const char *commit, const char *label, arm_progress *progress, void *data, struct arm *arm,
	struct error *err)
{
	struct preparation preparation = {cache, repo, config, label, progress, data, NULL};
	struct arm prepared = {.lock_fd = -1};
	int rc = repo_tree_id(repo, commit, prepared.tree, err);

	if (rc)
		return rc;
	repo_expect_code(repo, environment_is_allowed);
	rc = arm_cache_lock(cache, progress, data, err);
	if (rc)
		return rc;
	snprintf(prepared.commit, sizeof(prepared.commit), "%s", commit);
	preparation.env = environment_build(config, NULL);
	arm_key(cache, config, prepared.tree, (const char *const *)preparation.env, prepared.key);
	name_files(&prepared, cache);
	rc = find_or_build(&preparation, &prepared, err);
	environment_free(preparation.env);
	if (rc)
		arm_release(&prepared);
	else
		*arm = prepared;
	return rc;
}

void arm_release(struct arm *arm)
{
	if (arm->path && arm->lock_fd >= 0)
		close(arm->lock_fd);
	free(arm->path);
	free(arm->build_path);
	free(arm->log_path);
	free(arm->manifest_path);
	free(arm->known_path);
	*arm = (struct arm){.lock_fd = -1};
}

/* By a new link that takes the old one's place, so that the path never leads nowhere. */
int arm_activate(struct arm_cache *cache, const struct arm *arm, struct error *err)
{
	char *fresh = file_join(cache->root, "build.new");
	int rc = ERR_OK;

	if (cache->lock_fd < 0)
		rc = error_set(err, ERR_IO, "the cache is not locked");
	else if ((unlink(fresh) < 0 && errno != ENOENT) || symlink(arm->path, fresh) < 0 ||
		 rename(fresh, cache->build_path) < 0)
		rc = error_errno(
			err, ERR_IO, errno, "cannot link %s to %s", cache->build_path, arm->path);
	free(fresh);
	return rc;
}

int arm_verify(const struct arm *arm, struct error *err)
{
	struct manifest manifest, now = {.arena = ARENA_INIT};
	const char *changed = NULL;
	int rc = manifest_read(&manifest, arm->manifest_path, err);

	if (!rc)
		rc = manifest_compare(&manifest, &now, arm->path, false, &changed, err);
	if (!rc && changed)
		rc = error_set(err, ERR_MEASURE,
			"%s of commit %.7s has changed since it was built; the benchmark must not "
			"change the files it is made of",
			changed, arm->commit);
	manifest_release(&manifest);
	manifest_release(&now);
	return rc;
}

static int hash_opened(
	const char *path, const char *relative, struct strbuf *text, struct error *err)
{
	struct stat info;
	char hex[65];
	int rc;

	if (lstat(path, &info) < 0) {
		strbuf_addf(text, "missing %s\n", relative);
		return ERR_OK;
	}
	if (!S_ISREG(info.st_mode) || info.st_size > MAX_HASHED_BYTES) {
		strbuf_addf(text, "%ju %jd %jd.%09ld %jd.%09ld %o %s\n", (uintmax_t)info.st_ino,
			(intmax_t)info.st_size, (intmax_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
			(intmax_t)info.st_ctim.tv_sec, info.st_ctim.tv_nsec, (unsigned)info.st_mode,
			relative);
		return ERR_OK;
	}
	rc = file_sha256_hex(path, hex, err);
	if (!rc)
		strbuf_addf(text, "%s %o %s\n", hex, (unsigned)info.st_mode, relative);
	return rc;
}

int arm_hash_files(
	const struct arm *arm, const struct opened_files *files, char hex[65], struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = ERR_OK;
	size_t i;

	for (i = 0; !rc && i < files->count; i++) {
		const struct opened_file *file = &files->items[i];
		char *path;

		if (file->created || file->written || file->path[strlen(file->path) - 1] == '/')
			continue;
		path = file_join(arm->path, file->path);
		rc = hash_opened(path, file->path, &text, err);
		free(path);
	}
	if (!rc)
		sha256_hex(text.data, text.length, hex);
	strbuf_release(&text);
	return rc;
}
