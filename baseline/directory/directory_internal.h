/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the directory store share. On disk:
 *
 *   PATH/<commit>/<benchmark>-<type>-<hash>-<environment>.<time>/
 *
 * is a recording's folder (recording.h), or holds the file "summary" with one line (line.h)
 * instead. The benchmark is made a safe name; the hash, over benchmark and type, keeps names apart
 * that this made equal. A folder never changes but into a summary: a newer recording of the same
 * key gets a folder of its own, by one rename, and then the older one goes. So readers need no
 * lock: they take the newest folder, and look again if it goes away under their hands. What names
 * say is checked against the content. Names that begin with "." are being written or removed.
 */
#ifndef FG_BASELINE_DIRECTORY_INTERNAL_H
#define FG_BASELINE_DIRECTORY_INTERNAL_H

#include "baseline/store_internal.h"

#define DIRECTORY_MAX_NAMES ((size_t)100000) /* in one folder */
#define DIRECTORY_SUMMARY_NAME "summary"
#define DIRECTORY_TEMP_PREFIX ".flamegate-"

struct directory_names {
	struct arena arena;
	const char **items; /* sorted */
	size_t count, capacity;
};
/* Names in a folder, but for those that begin with "."; ERR_NOT_FOUND if it is missing, ERR_CORRUPT
 * if it is a link or no folder. directory_names_release() only after ERR_OK. */
int directory_names_read(const char *path, struct directory_names *names, struct error *err);
void directory_names_release(struct directory_names *names);

/* "<benchmark>-<type>-<hash>-[<environment>.]": what all folders of the key's name begin with. */
const char *directory_slug(const struct baseline_key *key, struct arena *arena);
/* The time at a name's end, or -1. */
int64_t directory_time(const char *name);

/* What is in one folder of a commit. */
struct directory_entry {
	const char *commit, *name, *path;
	struct baseline_entry entry; /* after directory_read_head() */
};
/* Without the profile. ERR_NOT_FOUND if it went away, ERR_CORRUPT or ERR_LIMIT for what is not to
 * be believed. Strings are in the arena. */
int directory_read_head(struct directory_entry *entry, struct arena *arena, struct error *err);
/* All of it, checked. */
int directory_read(const struct directory_entry *entry, struct recording *out,
	enum baseline_detail *detail, struct error *err);
/* One commit's folders whose names begin with slug ("" all), newest first. Empty if there are none.
 * The caller frees *entries; strings are in the arena. */
int directory_scan(const char *root, const char *commit, const char *slug, struct arena *arena,
	struct directory_entry **entries, size_t *count, struct error *err);

/* Moves the folder away at once and then deletes it. A missing one is fine. */
int directory_remove(const char *path, struct error *err);
int directory_sync(const char *path, struct error *err);

int directory_put(struct store *store, const struct recording *const *recordings, size_t count,
	unsigned *attempts, struct error *err);
int directory_prune(struct store *store, size_t keep, bool only_if_needed,
	struct store_prune_result *result, struct error *err);

#endif
