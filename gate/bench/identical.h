/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are two arms the same program on the same input? One run of each under inotify shows which files of
 * the arm a benchmark opens or executes; if both open the same set and each pair is equal (byte for byte,
 * or for ELF files: in all allocated sections but the build id), nothing needs measuring.
 */
#ifndef FG_BENCH_IDENTICAL_H
#define FG_BENCH_IDENTICAL_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/error.h"

/* Files below root that were opened while a watch was on, relative paths, sorted. */
struct opened_files {
	char **paths;
	size_t count, capacity;
	bool complete; /* false: too many folders, or the event queue overflowed: prove nothing */
};

struct file_watch;
int file_watch_start(const char *root, struct file_watch **out, struct error *err);
/* Ends the watch. files is filled also when incomplete; release it with opened_files_release(). */
void file_watch_stop(struct file_watch *watch, struct opened_files *files);
void opened_files_release(struct opened_files *files);

/* Equal content: byte for byte, or as ELF files whose allocated sections (names, addresses, flags, bytes)
 * agree but for .note.gnu.build-id. */
int files_equivalent(const char *a, const char *b, bool *equal, struct error *err);

/*
 * *identical: proven the same. *reason (static or arena-free text up to reason_size) says what differs
 * first, e.g. "logstat differs", or why nothing can be proven.
 */
int arms_identical(const char *root_a, const struct opened_files *a, const char *root_b,
	const struct opened_files *b, bool *identical, char *reason, size_t reason_size,
	struct error *err);

#endif
