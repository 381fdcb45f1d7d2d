/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/build/build.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"
#include "gate/base/strbuf.h"
#include "gate/bench/build/build_internal.h"
#include "gate/bench/build/build_manifest.h"

#define MAX_HASHED_BYTES ((off_t)32 << 20)

/* One preparation. */
struct preparation {
	struct build_cache *cache;
	struct repo *repo;
	const struct config *config;
	const char *label;
	build_progress *progress;
	void *data;
	char **env;
};

static void tell(const struct preparation *preparation, const char *what, const struct build *build,
	const char *more)
{
	struct strbuf text = STRBUF_INIT;

	if (!preparation->progress)
		return;
	strbuf_addf(&text, "%s%s%s %.7s%s", what, *what ? " " : "", preparation->label,
		build->commit, more);
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
	const struct build_cache *cache = preparation->cache;
	size_t count;
	int rc = ERR_OK;

	if (file_is_link(cache->build_path) && unlink(cache->build_path) < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot remove %s", cache->build_path);
	if (!rc)
		rc = repo_worktree_sweep(preparation->repo, cache->root, &count, err);
	return rc ? rc : file_remove_tree(cache->build_path, err);
}

static int write_manifest(const struct build *build, struct error *err)
{
	struct manifest manifest;
	int rc = manifest_scan(&manifest, build->path, err);

	if (!rc)
		rc = manifest_hash(&manifest, build->path, err);
	if (!rc)
		rc = manifest_write(&manifest, build->manifest_path, err);
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
	const struct preparation *preparation, const struct build *build, struct error *err)
{
	const char *path = preparation->cache->build_path;
	struct stat info;
	int rc = repo_worktree_add(preparation->repo, build->commit, path, err);

	if (rc)
		return rc;
	if (lstat(path, &info) < 0)
		return error_errno(err, ERR_IO, errno, "cannot read %s", path);
	rc = build_make(preparation->cache, preparation->config,
		(const char *const *)preparation->env, build->log_path, err);
	if (!rc)
		rc = check_still_there(path, info.st_ino, err);
	return rc ? rc : repo_worktree_detach_folder(preparation->repo, path, err);
}

/* In the order of the first pair, as the last check to use the build leaves it. */
static int link_first(
	const struct preparation *preparation, const struct build *build, struct error *err)
{
	const struct config *config = preparation->config;
	int rc;

	if (!config->relink || !config->relink[0])
		return ERR_OK;
	rc = build_activate(preparation->cache, build, err);
	return rc ? rc : build_relink(preparation->cache, config, build, 0, err);
}

static int build_build(
	const struct preparation *preparation, const struct build *build, struct error *err)
{
	const char *path = preparation->cache->build_path;
	int rc = build_forget(preparation->cache, build->key, err);

	if (rc)
		return rc;
	tell(preparation, "building", build, "");
	rc = build_in_place(preparation, build, err);
	if (!rc && rename(path, build->path) < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot move %s to %s", path, build->path);
	if (!rc)
		rc = link_first(preparation, build, err);
	if (!rc)
		rc = write_manifest(build, err);
	if (!rc && process_interrupted())
		rc = error_set(err, ERR_INTERRUPTED, "interrupted");
	if (!rc)
		return ERR_OK;
	remove_build(preparation);
	build_forget(preparation->cache, build->key, NULL);
	return rc == ERR_INTERRUPTED ? rc : error_prefix(err, "%s", preparation->label);
}

/* *found: the build is there, unchanged, and what earlier runs left in it is gone. */
static int find_built(const struct preparation *preparation, const struct build *build, bool *found,
	struct error *err)
{
	struct manifest manifest, now = {.arena = ARENA_INIT};
	const char *changed = NULL;
	int rc = manifest_read(&manifest, build->manifest_path, err);

	*found = false;
	if (!rc && file_exists(build->path))
		rc = manifest_compare(&manifest, &now, build->path, true, &changed, err);
	else
		changed = "";
	if (changed && *changed)
		tell(preparation, "", build,
			" was built already, but its files have changed since");
	*found = !rc && !changed;
	manifest_release(&manifest);
	manifest_release(&now);
	/* A manifest that is missing or damaged is a reason to build, not to stop. */
	return rc == ERR_NOT_FOUND || rc == ERR_CORRUPT || rc == ERR_LIMIT ? ERR_OK : rc;
}

static void name_files(struct build *build, const struct build_cache *cache)
{
	build->path = build_cache_file(cache, "builds", build->key, "");
	build->manifest_path = build_cache_file(cache, "manifests", build->key, "");
	build->known_path = build_cache_file(cache, "manifests", build->key, ".known");
	build->log_path = build_cache_file(cache, "logs", build->key, ".log");
	build->build_path = xstrdup(cache->build_path);
}

static int find_or_build(
	const struct preparation *preparation, struct build *build, struct error *err)
{
	bool found;
	int rc = build_hold(preparation->cache, build->key, &build->lock_fd, err);

	if (!rc)
		rc = clear_build(preparation, err);
	if (!rc)
		rc = find_built(preparation, build, &found, err);
	if (rc)
		return rc;
	build->cached = found;
	if (!found)
		return build_build(preparation, build, err);
	tell(preparation, "", build, " is built already");
	utimensat(AT_FDCWD, build->manifest_path, NULL, 0); /* for build_cache_prune() */
	return ERR_OK;
}

int build_prepare(struct build_cache *cache, struct repo *repo, const struct config *config,
	const char *commit, const char *label, build_progress *progress, void *data,
	struct build *build, struct error *err)
{
	struct preparation preparation = {cache, repo, config, label, progress, data, NULL};
	struct build prepared = {.lock_fd = -1};
	int rc = repo_tree_id(repo, commit, prepared.tree, err);

	if (rc)
		return rc;
	repo_expect_code(repo, environment_is_allowed);
	rc = build_cache_lock(cache, progress, data, err);
	if (rc)
		return rc;
	snprintf(prepared.commit, sizeof(prepared.commit), "%s", commit);
	preparation.env = environment_build(config, NULL);
	build_key(cache, config, prepared.tree, (const char *const *)preparation.env, prepared.key);
	name_files(&prepared, cache);
	rc = find_or_build(&preparation, &prepared, err);
	environment_free(preparation.env);
	if (rc)
		build_release(&prepared);
	else
		*build = prepared;
	return rc;
}

void build_release(struct build *build)
{
	if (build->path && build->lock_fd >= 0)
		close(build->lock_fd);
	free(build->path);
	free(build->build_path);
	free(build->log_path);
	free(build->manifest_path);
	free(build->known_path);
	*build = (struct build){.lock_fd = -1};
}

void build_discard(const struct build_cache *cache, struct build *build)
{
	build_forget(cache, build->key, NULL);
	unlink(build->log_path);
	build_release(build);
}

/* By a new link that takes the old one's place, so that the path never leads nowhere. */
int build_activate(struct build_cache *cache, const struct build *build, struct error *err)
{
	char *fresh = file_join(cache->root, "build.new");
	int rc = ERR_OK;

	if (cache->lock_fd < 0)
		rc = error_set(err, ERR_IO, "the cache is not locked");
	else if ((unlink(fresh) < 0 && errno != ENOENT) || symlink(build->path, fresh) < 0 ||
		 rename(fresh, cache->build_path) < 0)
		rc = error_errno(
			err, ERR_IO, errno, "cannot link %s to %s", cache->build_path, build->path);
	free(fresh);
	return rc;
}

static int compare_with_manifest(const struct build *build, bool remove_new, struct error *err)
{
	struct manifest manifest, now = {.arena = ARENA_INIT};
	const char *changed = NULL;
	int rc = manifest_read(&manifest, build->manifest_path, err);

	if (!rc)
		rc = manifest_compare(&manifest, &now, build->path, remove_new, &changed, err);
	if (!rc && changed)
		rc = error_set(err, ERR_MEASURE,
			"%s of commit %.7s has changed since it was built; the benchmark must not "
			"change the files it is made of",
			changed, build->commit);
	manifest_release(&manifest);
	manifest_release(&now);
	return rc;
}

int build_verify(const struct build *build, struct error *err)
{
	return compare_with_manifest(build, false, err);
}

int build_clean(const struct build *build, struct error *err)
{
	return compare_with_manifest(build, true, err);
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

int build_hash_files(const struct build *build, const struct opened_files *files, char hex[65],
	struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = ERR_OK;
	size_t i;

	for (i = 0; !rc && i < files->count; i++) {
		const struct opened_file *file = &files->items[i];
		char *path;

		if (file->created || file->written || file->path[strlen(file->path) - 1] == '/')
			continue;
		path = file_join(build->path, file->path);
		rc = hash_opened(path, file->path, &text, err);
		free(path);
	}
	if (!rc)
		sha256_hex(text.data, text.length, hex);
	strbuf_release(&text);
	return rc;
}
