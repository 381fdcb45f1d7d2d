/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manifest: what a build's folder held when it was built, one line per file. Like git's index: a
 * file whose size and times are unchanged is taken as unchanged, otherwise its content is hashed
 * again.
 */
#ifndef FG_BENCH_BUILD_MANIFEST_H
#define FG_BENCH_BUILD_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "gate/base/arena.h"

struct error;

#define MANIFEST_MAX_FILES 1000000
#define MANIFEST_MAX_DEPTH 200

struct manifest_entry {
	const char *path; /* relative, '/' between */
	char kind;        /* 'f' file, 'd' folder, 'l' link, 'o' other */
	mode_t mode;      /* permission bits */
	uint64_t size;
	int64_t mtime_ns, ctime_ns;
	const char *hash; /* hex; of the content, of a link's target; "-" for others */
};

struct manifest {
	struct arena arena;
	struct manifest_entry *entries; /* sorted by path */
	size_t count, capacity;
};

/* Lists all files below root. Without hashes ("-"). Release also after an error. */
int manifest_scan(struct manifest *manifest, const char *root, struct error *err);
/* Fills the hashes. */
int manifest_hash(struct manifest *manifest, const char *root, struct error *err);
int manifest_write(const struct manifest *manifest, const char *path, struct error *err);
int manifest_read(struct manifest *manifest, const char *path, struct error *err);
void manifest_release(struct manifest *manifest);

/*
 * Compares the folder with its manifest: *changed is the first path that is missing or different,
 * or NULL (owned by one of the two). If remove_new, what the manifest does not have is deleted.
 */
int manifest_compare(const struct manifest *manifest, struct manifest *now, const char *root,
	bool remove_new, const char **changed, struct error *err);

#endif
