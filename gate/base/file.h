/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounded file and gzip I/O. Every read has a limit; every write is atomic (temporary file beside
 * the target, fsync, rename), refuses to follow a symbolic link at the target and leaves nothing
 * behind on failure.
 */
#ifndef FG_BASE_FILE_H
#define FG_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/strbuf.h"

struct error;

/*
 * Opens for reading what is a regular file (through symbolic links): never blocks on a pipe or a
 * terminal. ERR_NOT_FOUND if missing, ERR_IO otherwise. The caller closes *fd.
 */
int file_open_regular(const char *path, int *fd, struct error *err);
/*
 * Appends the regular file to out. ERR_NOT_FOUND if missing, ERR_LIMIT past max_bytes, ERR_IO
 * otherwise; out is as before then.
 */
int file_read(const char *path, size_t max_bytes, struct strbuf *out, struct error *err);
/* Replaces path by the bytes, mode 0644; a device or a pipe takes them and stays. ERR_IO. */
int file_write(const char *path, const void *data, size_t length, struct error *err);
/* mkdir -p, mode 0777 & ~umask. */
int file_mkdirs(const char *path, struct error *err);
/*
 * rm -rf that never follows symbolic links, stays below path and on its filesystem, and opens
 * folders that their owner has made unwritable. Any depth. A missing path is fine.
 */
int file_remove_tree(const char *path, struct error *err);
bool file_exists(const char *path);
/* path itself is a symbolic link. */
bool file_is_link(const char *path);
/* All bytes, past short writes and EINTR; -1 with errno on failure. */
int file_write_fd(int fd, const void *bytes, size_t length);
/* "dir/name", malloc'd; just name if dir is "". */
char *file_join(const char *dir, const char *name);
/* A fresh private directory <parent>/<prefix>XXXXXX, malloc'd path in *out. parent NULL: TMPDIR or
 * /tmp. */
int file_make_temp_dir(const char *parent, const char *prefix, char **out, struct error *err);

/* Appends the gzip of data to out (level 6, no time stamp: equal input, equal bytes). */
int gzip_compress(const void *data, size_t length, struct strbuf *out, struct error *err);
/*
 * Appends the inflated data (all members) to out. ERR_LIMIT past max_bytes, ERR_CORRUPT on damage
 * or truncation, also for anything behind the last member. On failure out is as before.
 */
int gzip_decompress(
	const void *data, size_t length, size_t max_bytes, struct strbuf *out, struct error *err);
/* Appends the first max_bytes at most, as far as the data is good. */
void gzip_decompress_start(const void *data, size_t length, size_t max_bytes, struct strbuf *out);
bool gzip_is_compressed(const void *data, size_t length);

/* SHA-256 (FIPS 180-4) of the data, as 64 lower-case hex digits and a NUL. */
void sha256_hex(const void *data, size_t length, char hex[65]);
/* The same of a regular file's content. */
int file_sha256_hex(const char *path, char hex[65], struct error *err);

#endif
