/* SPDX-License-Identifier: Apache-2.0 */
/* What the arm's files share. Not for others. */
#ifndef FG_BENCH_ARM_INTERNAL_H
#define FG_BENCH_ARM_INTERNAL_H

#include "gate/bench/build/arm.h"

/* <cache>/<folder>/<name><suffix>, malloc'd. */
char *arm_cache_file(
	const struct arm_cache *cache, const char *folder, const char *name, const char *suffix);
/* The cache's own lock, until arm_cache_release(). */
int arm_cache_lock(struct arm_cache *cache, arm_progress *progress, void *data, struct error *err);
/* A shared lock on one arm; close *fd to give it up. */
int arm_hold(const struct arm_cache *cache, const char *key, int *fd, struct error *err);
/* Removes an arm's folder, its manifest and what was known about it. */
int arm_forget(const struct arm_cache *cache, const char *key, struct error *err);

/* The key: 64 hex digits. env is what setup and build get. */
void arm_key(const struct arm_cache *cache, const struct config *config, const char *tree,
	const char *const *env, char key[65]);

/*
 * Runs setup and build in cache->build_path, output to log_path. ERR_BENCHMARK with the command,
 * its status and last lines.
 */
int arm_build(const struct arm_cache *cache, const struct config *config, const char *const *env,
	const char *log_path, struct error *err);

#endif
