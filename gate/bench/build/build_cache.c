/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache folder of builds: where things lie in it, who has it locked, which builds are held, and
 * which ones are thrown away.
 */
#include "gate/bench/build/build_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/cache.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"
#include "gate/base/strbuf.h"

#define POLL_NS 200000000L
#define KEEP_LOGS_SECONDS (7 * 24 * 3600)

char *build_cache_file(
	const struct build_cache *cache, const char *folder, const char *name, const char *suffix)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/%s/%s%s", cache->root, folder, name, suffix);
	return strbuf_detach(&path, NULL);
}

static int make_folders(const struct build_cache *cache, struct error *err)
{
	static const char *const names[] = {"builds", "manifests", "logs", "locks"};
	int rc = cache_make_private(cache->root, err);
	size_t i;

	for (i = 0; !rc && i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = file_join(cache->root, names[i]);

		rc = file_mkdirs(path, err);
		free(path);
	}
	return rc;
}

int build_cache_open(struct build_cache *cache, const struct repo *repo, struct error *err)
{
	struct build_cache opened = {.lock_fd = -1};
	struct strbuf root = STRBUF_INIT;
	const char *repository = repo_root(repo);
	char hex[65], *real = NULL;
	int rc = cache_home(&root, err);

	if (rc)
		goto out;
	sha256_hex(repository, strlen(repository), hex);
	strbuf_addf(&root, "/%.16s", hex);
	opened.root = strbuf_detach(&root, NULL);
	rc = make_folders(&opened, err);
	if (rc)
		goto out;
	/* git, the loader and debug information all show real paths. */
	real = realpath(opened.root, NULL);
	if (real) {
		free(opened.root);
		opened.root = real;
	}
	opened.build_path = file_join(opened.root, "build");
	*cache = opened;
out:
	if (rc)
		free(opened.root);
	strbuf_release(&root);
	return rc;
}

void build_cache_release(struct build_cache *cache)
{
	/* Only the one who holds the lock may say where the link leads. */
	if (cache->lock_fd >= 0) {
		if (file_is_link(cache->build_path))
			unlink(cache->build_path);
		close(cache->lock_fd);
	}
	free(cache->root);
	free(cache->build_path);
	*cache = (struct build_cache){.lock_fd = -1};
}

static int open_lock(const char *path, int *fd, struct error *err)
{
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*fd < 0)
		return error_errno(err, ERR_IO, errno, "cannot open the lock %s", path);
	return ERR_OK;
}

static int wait_for_lock(
	int fd, const char *path, build_progress *progress, void *data, struct error *err)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	bool told = false;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return error_errno(err, ERR_IO, errno, "cannot lock %s", path);
		if (process_interrupted())
			return error_set(err, ERR_INTERRUPTED,
				"interrupted while waiting for another flamegate");
		if (!told && progress)
			progress(data, "waiting for another flamegate that works on this "
				       "repository");
		told = true;
		nanosleep(&pause, NULL);
	}
	return ERR_OK;
}

int build_cache_lock(
	struct build_cache *cache, build_progress *progress, void *data, struct error *err)
{
	char *path;
	int fd, rc;

	if (cache->lock_fd >= 0)
		return ERR_OK;
	path = build_cache_file(cache, "locks", "cache", "");
	rc = open_lock(path, &fd, err);
	if (!rc) {
		rc = wait_for_lock(fd, path, progress, data, err);
		if (rc)
			close(fd);
		else
			cache->lock_fd = fd;
	}
	free(path);
	return rc;
}

/* Shared: one check may hold one build twice, as base and as head.
 * Pruning asks for it exclusively. */
int build_hold(const struct build_cache *cache, const char *key, int *out, struct error *err)
{
	char *path = build_cache_file(cache, "locks", key, "");
	int fd, rc = open_lock(path, &fd, err);

	while (!rc && flock(fd, LOCK_SH) < 0)
		if (errno != EINTR) {
			rc = error_errno(err, ERR_IO, errno, "cannot lock %s", path);
			close(fd);
		}
	if (!rc)
		*out = fd;
	free(path);
	return rc;
}

struct used_build {
	char key[65];
	struct timespec used; /* of the manifest; 0 where there is none */
};

static int most_recent_first(const void *a, const void *b)
{
	const struct used_build *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? 1 : -1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? 1 : -1;
	return strcmp(x->key, y->key);
}

static bool is_key(const char *name)
{
	return strlen(name) == 64 && strspn(name, "0123456789abcdef") == 64;
}

static int list_builds(const struct build_cache *cache, struct used_build **builds, size_t *count,
	struct error *err)
{
	char *folder = file_join(cache->root, "builds");
	size_t capacity = 0;
	DIR *dir = opendir(folder);
	struct dirent *entry;

	*builds = NULL;
	*count = 0;
	if (!dir) {
		int saved = errno;

		free(folder);
		return error_errno(err, ERR_IO, saved, "cannot read the cache %s", cache->root);
	}
	while ((entry = readdir(dir))) {
		struct used_build *build;
		struct stat info;
		char *manifest;

		if (!is_key(entry->d_name))
			continue;
		*builds = grow_array(*builds, &capacity, *count + 1, sizeof(**builds));
		build = &(*builds)[(*count)++];
		*build = (struct used_build){.used = {0, 0}};
		memcpy(build->key, entry->d_name, 65);
		manifest = build_cache_file(cache, "manifests", build->key, "");
		if (stat(manifest, &info) == 0)
			build->used = info.st_mtim;
		free(manifest);
	}
	closedir(dir);
	free(folder);
	return ERR_OK;
}

static bool is_held(const struct build_cache *cache, const char *key)
{
	char *path = build_cache_file(cache, "locks", key, "");
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool held = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;

	if (fd >= 0)
		close(fd);
	free(path);
	return held;
}

int build_forget(const struct build_cache *cache, const char *key, struct error *err)
{
	char *manifest = build_cache_file(cache, "manifests", key, "");
	char *known = build_cache_file(cache, "manifests", key, ".known");
	char *folder = build_cache_file(cache, "builds", key, "");
	int rc;

	/* First the manifest: without it the rest is no build, should we be killed here. */
	unlink(manifest);
	unlink(known);
	rc = file_remove_tree(folder, err);
	free(manifest);
	free(known);
	free(folder);
	return rc;
}

static void forget_traces(const struct build_cache *cache, const char *key)
{
	char *log = build_cache_file(cache, "logs", key, ".log");
	char *lock = build_cache_file(cache, "locks", key, "");

	unlink(log);
	unlink(lock);
	free(log);
	free(lock);
}

/* Logs of failures belong to no build in the cache; they are of use for some days. */
static void prune_logs(const struct build_cache *cache)
{
	char *folder = file_join(cache->root, "logs");
	DIR *dir = opendir(folder);
	time_t now = time(NULL);
	struct dirent *entry;
	struct stat info;

	while (dir && (entry = readdir(dir)))
		if (fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(info.st_mode) && now - info.st_mtime > KEEP_LOGS_SECONDS)
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	free(folder);
}

static int prune_builds(const struct build_cache *cache, size_t keep, struct error *err)
{
	struct used_build *builds;
	size_t count, i;
	int rc = list_builds(cache, &builds, &count, err);

	if (!rc && count)
		qsort(builds, count, sizeof(*builds), most_recent_first);
	for (i = keep; !rc && i < count; i++) {
		if (is_held(cache, builds[i].key))
			continue;
		rc = build_forget(cache, builds[i].key, err);
		if (!rc)
			forget_traces(cache, builds[i].key);
	}
	free(builds);
	return rc;
}

int build_cache_prune(struct build_cache *cache, size_t keep, struct error *err)
{
	bool locked = cache->lock_fd >= 0;
	int rc = ERR_OK;

	if (!locked) {
		char *path = build_cache_file(cache, "locks", "cache", "");
		int fd = -1;

		rc = open_lock(path, &fd, err);
		free(path);
		if (rc)
			return rc;
		if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
			close(fd);
			return ERR_OK;
		}
		cache->lock_fd = fd;
	}
	rc = prune_builds(cache, keep ? keep : BUILD_CACHE_KEEP, err);
	prune_logs(cache);
	if (!locked) {
		close(cache->lock_fd);
		cache->lock_fd = -1;
	}
	return rc;
}
