/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arms: a commit's files, built. Both arms are built at the same path in turn (so that __FILE__ and
 * debug information agree), then moved to <cache>/arms/<key>, key = SHA-256 over tree id, commands and
 * environment: paths of equal length, and the next check finds the arm built.
 *
 * The cache folder holds: build/ (the one build path; a detached git worktree while building), arms/,
 * locks/. A lock is held on an arm from arm_prepare() to arm_release(); arms that nobody holds may be
 * removed by arm_cache_prune().
 */
#ifndef FG_BENCH_ARM_H
#define FG_BENCH_ARM_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/error.h"
#include "gate/bench/config.h"
#include "gate/bench/environment.h"
#include "gate/vcs/repo.h"

struct arm_cache {
	char *root; /* absolute: FLAMEGATE_CACHE, else XDG_CACHE_HOME/flamegate, else ~/.cache/flamegate; plus a repository's hash */
	char *build_path;
	int lock_fd;
};

struct arm {
	char *path;	  /* <cache>/arms/<key>: where benchmarks run */
	char *build_path; /* where it was built: the prefix in its debug information */
	char *log_path;	  /* output of setup and build */
	char key[65];
	char commit[OBJECT_ID_SIZE], tree[OBJECT_ID_SIZE];
	bool cached; /* was there already */
	int lock_fd;
};

/* Called with plain progress text, e.g. "building base 1a2b3c4". May be NULL. */
typedef void arm_progress(void *data, const char *text);

int arm_cache_open(struct arm_cache *cache, const struct repo *repo, struct error *err);
void arm_cache_release(struct arm_cache *cache);
/* Keeps the `keep` most recently used arms (default 8). */
int arm_cache_prune(struct arm_cache *cache, size_t keep, struct error *err);

/*
 * Checks out, sets up, builds and moves; or finds it. ERR_BENCHMARK when a command fails: the message
 * has the command, its status and the log's last lines (terminal controls removed). Interrupted or
 * failed builds leave nothing in the cache but the log.
 */
int arm_prepare(struct arm_cache *cache, struct repo *repo, const struct config *config,
	const char *commit, const char *label, arm_progress *progress, void *data, struct arm *arm,
	struct error *err);
void arm_release(struct arm *arm);

#endif
