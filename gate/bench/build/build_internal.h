/* SPDX-License-Identifier: Apache-2.0 */
/* What the build's files share. Not for others. */
#ifndef FG_BENCH_BUILD_INTERNAL_H
#define FG_BENCH_BUILD_INTERNAL_H

#include "gate/bench/build/build.h"

/* <cache>/<folder>/<name><suffix>, malloc'd. */
char *build_cache_file(
	const struct build_cache *cache, const char *folder, const char *name, const char *suffix);
/* The cache's own lock, until build_cache_release(). */
int build_cache_lock(
	struct build_cache *cache, build_progress *progress, void *data, struct error *err);
/* A shared lock on one build; close *fd to give it up. */
int build_hold(const struct build_cache *cache, const char *key, int *fd, struct error *err);
/* Removes a build's folder, its manifest and what was known about it. */
int build_forget(const struct build_cache *cache, const char *key, struct error *err);

/* The key: 64 hex digits. env is what setup and build get. */
void build_key(const struct build_cache *cache, const struct config *config, const char *tree,
	const char *const *env, char key[65]);

/*
 * Runs setup and build in cache->build_path, output to log_path. ERR_BENCHMARK with the command,
 * its status and last lines.
 */
int build_make(const struct build_cache *cache, const struct config *config, const char *const *env,
	const char *log_path, struct error *err);

#endif
