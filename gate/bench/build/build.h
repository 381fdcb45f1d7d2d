/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds: a commit's files, built. Both versions are built at the same path in turn (so that
 * __FILE__ and debug information agree), then moved to <cache>/builds/<key>: paths of equal length,
 * and the next check finds them there. key = SHA-256 over tree id, commands, environment, build
 * path and the compilers' identity: after an upgrade of a compiler a cached build would not compare
 * with a new one.
 *
 * The cache folder holds: build (the one build path; a detached git worktree while building, a link
 * to the build that runs while measuring), builds/, manifests/, logs/, locks/. From the first
 * build_prepare() to build_cache_release() the cache is locked: two checks of one repository would
 * share the build path and disturb each other's measurement. Builds that nobody holds may be
 * removed by build_cache_prune().
 */
#ifndef FG_BENCH_BUILD_H
#define FG_BENCH_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/bench/config/config.h"
#include "gate/bench/elf/identical.h"
#include "gate/bench/environment.h"
#include "gate/vcs/repo.h"

struct error;

#define BUILD_CACHE_KEEP 8

struct build_cache {
	/*
	 * Absolute: FLAMEGATE_CACHE, else XDG_CACHE_HOME/flamegate, else ~/.cache/flamegate; plus a
	 * hash of the repository's path. Private to the user.
	 */
	char *root;
	char *build_path;
	int lock_fd; /* -1 until the first build_prepare() */
};

struct build {
	char *path;          /* <cache>/builds/<key>: where benchmarks run */
	char *build_path;    /* where it was built: the prefix in its debug information */
	char *log_path;      /* output of setup and build */
	char *manifest_path; /* what was there when it was built */
	char *known_path;    /* what checks have found out about its benchmarks; goes with it */
	char key[65];
	char commit[OBJECT_ID_SIZE], tree[OBJECT_ID_SIZE];
	bool cached; /* was there already */
	int lock_fd;
};

/* Called with plain progress text, e.g. "building base 1a2b3c4". May be NULL. */
typedef void build_progress(void *data, const char *text);

int build_cache_open(struct build_cache *cache, const struct repo *repo, struct error *err);
void build_cache_release(struct build_cache *cache);
/*
 * Keeps the `keep` most recently used builds (0: BUILD_CACHE_KEEP) and those that are held. Does
 * nothing while another check uses the cache.
 */
int build_cache_prune(struct build_cache *cache, size_t keep, struct error *err);

/*
 * Checks out, sets up, builds and moves; or finds it, and then removes what earlier runs left in
 * it, so that both builds start alike. A cached build whose files have changed is built again.
 * ERR_BENCHMARK when a command fails: the message has the command, its status and the log's last
 * lines (terminal controls removed). Interrupted or failed builds leave nothing in the cache but
 * the log. Waits, with a progress line, while another check uses the cache. build is untouched on
 * failure.
 */
int build_prepare(struct build_cache *cache, struct repo *repo, const struct config *config,
	const char *commit, const char *label, build_progress *progress, void *data,
	struct build *build, struct error *err);
void build_release(struct build *build);
/* Releases it and leaves nothing of it in the cache. */
void build_discard(const struct build_cache *cache, struct build *build);

/*
 * Makes the build path a link to this build, so that absolute paths that the build wrote into it
 * (rpath, install prefixes) lead to its own files. Before each run.
 */
int build_activate(struct build_cache *cache, const struct build *build, struct error *err);

/*
 * Runs the configuration's relink commands in the build, which must be active: with FLAMEGATE_SEED
 * in their environment, and {seed} in them replaced. ERR_BENCHMARK as of build_prepare(), which
 * does this with seed 0: what was not linked back to it the next check builds again.
 */
int build_relink(const struct build_cache *cache, const struct config *config,
	const struct build *build, uint32_t seed, struct error *err);

/*
 * Every file of the build is as it was built: ERR_MEASURE names the first that is not. New files
 * are fine. Cheap: contents are read again only where a time stamp has changed.
 */
int build_verify(const struct build *build, struct error *err);

/*
 * The same, and what runs have left there is removed: some harnesses keep their last results, and do
 * something else where they find some.
 */
int build_clean(const struct build *build, struct error *err);

/*
 * SHA-256 over the build's files that a run opened (but not those that it makes or changes itself):
 * to be compared before each pair. Of files above 32 MiB the identity and times count, not the
 * content: they cannot be set back.
 */
int build_hash_files(const struct build *build, const struct opened_files *files, char hex[65],
	struct error *err);

/*
 * Reads the build's programs and libraries that a run opened into other pages of memory than those
 * that they are in. As long as they stay, their places decide which code and data share a set of
 * the caches: of five copies of one program, in the same function 3.6 to 4.1 % of the CPU time run
 * after run; one of 13 copies of another took a third more in all. No such difference where they
 * are read anew, into pages that were not theirs before: the kernel would hand out again what it
 * was given back. Not those above 32 MiB. As good as the file system can: no error.
 */
void build_renew_pages(const struct build *build, const struct opened_files *files);

#endif
