/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are two builds the same program on the same input? One run of each under inotify shows which
 * files of the build a benchmark opens or executes; if both open the same set and each file equals
 * its counterpart (byte for byte, or for ELF files: in all that is loaded but the build id),
 * nothing needs measuring. Whatever is not certain counts as different: then they are measured.
 */
#ifndef FG_BENCH_IDENTICAL_H
#define FG_BENCH_IDENTICAL_H

#include <stdbool.h>
#include <stddef.h>

struct error;

struct opened_file {
	char *path;   /* relative to the root; a folder ends in '/', the root itself is "./" */
	bool created; /* it did not exist before the run: an output, never an input */
	bool written; /* it existed, and the run changed or replaced it */
};

/* Files below root that were opened while a watch was on, sorted by path. */
struct opened_files {
	struct opened_file *items;
	size_t count, capacity;
	bool complete; /* false: too many folders, or events were lost: prove nothing */
};

#define FILE_WATCH_MAX_FOLDERS 8192
#define FILE_WATCH_MAX_FILES 65536

struct file_watch;

/*
 * Watches root and all folders in it but .git, in a thread that keeps the kernel's queue short. The
 * folder must be at rest. ERR_IO if the kernel gives no watch.
 */
int file_watch_start(const char *root, struct file_watch **out, struct error *err);
/* Ends the watch. files is filled also when incomplete; release it with opened_files_release(). */
void file_watch_stop(struct file_watch *watch, struct opened_files *files);
void opened_files_release(struct opened_files *files);

/*
 * Equal content: byte for byte, or as ELF files that run alike (see elf_file.h). ERR_IO or
 * ERR_NOT_FOUND if one is no regular file; symbolic links are not followed.
 */
int files_equivalent(const char *a, const char *b, bool *equal, struct error *err);

/*
 * *identical: proven the same. reason says what differs first, e.g. "logstat differs", or why
 * nothing can be proven; "" when identical.
 */
int builds_identical(const char *root_a, const struct opened_files *a, const char *root_b,
	const struct opened_files *b, bool *identical, char *reason, size_t reason_size,
	struct error *err);

#endif
