/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that builds may use: compilers, linkers, build tools and the runtimes of other
 * languages. Which files they are decides whether a cached build may be used again; which versions,
 * whether counts of two machines may be compared.
 */
#ifndef FG_BENCH_TOOLCHAIN_H
#define FG_BENCH_TOOLCHAIN_H

#include <stddef.h>

#include "gate/base/strbuf.h"

struct toolchain_program {
	char *name;         /* "gcc", or the last part of what CC and the like name */
	char *path;         /* absolute; found in the environment's PATH */
	const char *option; /* makes it print its version; NULL: its version says little */
};

struct toolchain {
	struct toolchain_program *programs; /* in a fixed order */
	size_t count, capacity;
};

/* Those that exist. env is what a build gets (NULL-terminated NAME=value). */
void toolchain_find(struct toolchain *toolchain, const char *const *env);
void toolchain_release(struct toolchain *toolchain);

/*
 * Appends e.g. "gcc 12.2.0, rustc 1.70.0": what the compilers and runtimes say of themselves, "?"
 * for one that does not say it, nothing for one that does not run, "none" if there are none. Starts
 * each once, with this environment and a time limit, in the root folder: no project's files choose
 * the version. Answers from memory for the environment of the last call. Not thread safe.
 */
void toolchain_versions(const char *const *env, struct strbuf *out);

/*
 * Appends the version in a program's answer ("12.2.0" of "gcc (Debian 12.2.0-14) 12.2.0"): the
 * first line that is not empty; what stands in parentheses only if there is nothing else. Nothing
 * if there is none.
 */
void toolchain_parse_version(const char *answer, struct strbuf *out);

#endif
