/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allow-listed environment of builds and benchmarks: what a compiler or a language's tools
 * need, the variables that the configuration names, and nothing else. No token, secret, GITHUB_*,
 * ACTIONS_*, INPUT_*, RUNNER_* or CI credential passes by default, nor our own LD_PRELOAD.
 * Names are listed whole, none by its beginning.
 */
#ifndef FG_BENCH_ENVIRONMENT_H
#define FG_BENCH_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/bench/config/config.h"

/*
 * The list, then config->pass from our environment, config->env, and extra (NULL-terminated, may be
 * NULL); the later of two equal names wins. Sorted by name. config may be NULL.
 * Malloc'd NULL-terminated list: free with environment_free().
 */
char **environment_build(const struct config *config, const char *const *extra);
void environment_free(char **env);

/* The value of NAME in a list of NAME=value, or NULL. */
const char *environment_get(const char *const *env, const char *name);

/*
 * A variable that passes by default: its name is on the list, and its value holds no credentials in
 * an address (scheme://user:password@host; for proxies the scheme may be missing).
 */
bool environment_is_allowed(const char *name, size_t name_length, const char *value);

#endif
