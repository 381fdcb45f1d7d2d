/* SPDX-License-Identifier: Apache-2.0 */
/* Can a command be profiled by a preloaded library, and where is that library? */
#ifndef FG_BENCH_PRELOAD_H
#define FG_BENCH_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct error;

/*
 * The program that would run (after PATH look-up and shebangs) can be preloaded. ERR_BENCHMARK with
 * what to do instead for static programs (no PT_INTERP), those without any library, setuid/setgid
 * or file-capability ones, musl interpreters, other architectures, and sanitizer builds
 * (__asan_init needed). Of "sh -c COMMAND" the shell is checked and, where COMMAND is one simple
 * command, its program. env NULL: ours.
 */
int preload_check(
	const char *const *argv, const char *const *env, const char *directory, struct error *err);

/* What a shell command ends in that gets more arguments behind it: they are words, too. */
#define PRELOAD_ARGUMENTS " \"$@\""

/*
 * The program that would be profiled: argv's, or that of a simple shell command; malloc'd. NULL: it
 * is not there (yet), or only the shell can tell.
 */
char *preload_program(const char *const *argv, const char *const *env, const char *directory);

/* Which of the libraries that lie side by side. */
enum preload_variant {
	PRELOAD_SAMPLER, /* libflamegate.so */
	/* libflamegate-heap.so: the same with the allocator's names in it. In all other runs what a
	 * program allocates costs nothing more. */
	PRELOAD_HEAP,
	PRELOAD_CLOCK, /* libflamegate-clock.so: the clock alone (gate/clock) */
};

/*
 * Absolute path of a library, malloc'd: by FLAMEGATE_LIBRARY, which names libflamegate.so, beside the
 * executable, or in ../lib/flamegate/. LD_PRELOAD can hold no path with spaces or colons: such a
 * library gets a symbolic link in link_folder, and that is the path; ERR_USAGE where that folder has
 * them too. NULL: it is only looked for.
 */
int preload_library(
	enum preload_variant variant, const char *link_folder, char **path, struct error *err);

/* One program file that is no script. name is what messages call it. */
int preload_check_elf(const char *name, const void *data, size_t size, struct error *err);

/*
 * Starting such a file would change privileges, so the loader would ignore LD_PRELOAD. As the
 * kernel sees it: a setuid file of the user's own changes nothing, and root gains nothing by
 * capabilities.
 */
bool preload_is_privileged(const struct stat *info, bool has_capabilities, uid_t user, gid_t group);

#endif
