/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: source text of the versions, line by line. It comes from the git
 * objects of the versions' commits alone, by paths inside their trees: debug information may name
 * any file, and gets no other. A working tree's text is that of the snapshot it was built from.
 */
#ifndef FG_CHECK_SOURCES_H
#define FG_CHECK_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/check/measurements/measurements.h"

#define SOURCES_MAX_FILE_BYTES ((size_t)16 * 1024 * 1024)

/*
 * Of the measurements' two commits, in the repository that contains directory (NULL: here). NULL
 * where there is no repository, or one that does not know both: measurements may come from
 * elsewhere.
 */
struct sources *sources_open(const char *directory, const struct measurements *measurements);
void sources_free(struct sources *sources);

/* The version's tree has a file at this path, whether or not its text is here, or may have one: in
 * a submodule. */
bool sources_has(struct sources *sources, int version, const char *path);

/* A text file of one version. */
struct source_file;
/*
 * The regular file that the version's tree has at this path. NULL if there is none (or a link, a
 * submodule), if it is larger than the above, or no text: it holds a NUL; and if it cannot be read
 * (a partial clone, from which nothing is fetched; a damaged one), see sources_trouble(). Valid
 * until the version's next file is asked for.
 */
const struct source_file *sources_file(struct sources *sources, int version, const char *path);
/* The version's tree has nothing at this path, nor a submodule above it: it is no file of the
 * repository's. */
bool sources_lack(struct sources *sources, int version, const char *path);
/* Of the first text that could not be read: which, and why. NULL: there is none. */
const char *sources_trouble(const struct sources *sources);
int64_t source_file_lines(const struct source_file *file);
/* Line 1..lines, without its line break; not NUL-terminated. */
const char *source_file_line(const struct source_file *file, int64_t line, size_t *length);

#endif
