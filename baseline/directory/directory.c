/* SPDX-License-Identifier: Apache-2.0 */
/* The store in a folder; directory_internal.h says how it looks. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "baseline/directory/directory_internal.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/map.h"
#include "gate/bench/recording/recording.h"

#define LOOKS 64 /* at a commit whose folders go away while they are read */

static int directory_open(
	struct store *store, const struct url *url, const char *rest, struct error *err)
{
	size_t length = strlen(rest);
	struct stat info;
	char *path;

	(void)url;
	if (!length)
		return error_set(err, ERR_USAGE, "dir: needs a folder, as in dir:baselines");
	while (length > 1 && rest[length - 1] == '/')
		length--;
	path = arena_strndup(&store->arena, rest, length);
	if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode))
		return error_set(err, ERR_USAGE, "%s is not a folder", path);
	store->data = path;
	store->name = arena_printf(&store->arena, "folder %s", path);
	return ERR_OK;
}

static const char *root_of(const struct store *store)
{
	return store->data;
}

/* ---- what went wrong with one entry, and whether the others are worth a look ----------------- */

static bool is_bad_entry(int rc)
{
	return rc == ERR_CORRUPT || rc == ERR_LIMIT || rc == ERR_MEASURE || rc == ERR_NOT_FOUND;
}

static void warn_of(struct store *store, const char *path, const struct error *err)
{
	store_lines_add(&store->warnings, "%s was skipped: %s", path, err->message);
}

static void warn_of_strange_name(struct store *store, const char *name)
{
	store_lines_add(
		&store->warnings, "%s/%s was skipped: it is no commit's", root_of(store), name);
}

/* A commit's folder that is a link, or none, is an empty one. */
static int scan(struct store *store, const char *commit, const char *slug, struct arena *arena,
	struct directory_entry **entries, size_t *count, struct error *err)
{
	struct error one;
	int rc = directory_scan(root_of(store), commit, slug, arena, entries, count, &one);

	if (rc == ERR_CORRUPT) {
		warn_of(store, commit, &one);
		*entries = NULL;
		*count = 0;
		return ERR_OK;
	}
	return rc ? error_set(err, rc, "%s", one.message) : ERR_OK;
}

/* ---- list, find ----------------------------------------------------------------------------- */

/* Entries come newest first: the first one of a key is the one that counts. */
static void list_entry(
	struct map *seen, const struct directory_entry *entry, struct baseline_list *list)
{
	const char *dot = strrchr(entry->name, '.');
	bool added;

	map_intern(seen, entry->name, (size_t)(dot - entry->name), 0, &added);
	if (added)
		baseline_list_add(list, &entry->entry);
}

static int list_commit(
	struct store *store, const char *commit, struct baseline_list *list, struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct directory_entry *entries = NULL;
	size_t count = 0;
	struct map seen;
	struct error one;
	int rc = scan(store, commit, "", &arena, &entries, &count, err);

	map_init(&seen);
	for (size_t i = 0; i < count && !rc; i++) {
		int bad = directory_read_head(&entries[i], &arena, &one);

		if (!bad)
			list_entry(&seen, &entries[i], list);
		else if (!is_bad_entry(bad))
			rc = error_set(err, bad, "%s", one.message);
		else if (bad != ERR_NOT_FOUND || file_exists(entries[i].path))
			warn_of(store, entries[i].path, &one);
	}
	map_release(&seen);
	free(entries);
	arena_release(&arena);
	return rc;
}

static int list_all(struct store *store, struct baseline_list *list, struct error *err)
{
	struct directory_names names;
	int rc = directory_names_read(root_of(store), &names, err);

	if (rc)
		return rc == ERR_NOT_FOUND ? ERR_OK : rc;
	for (size_t i = 0; i < names.count && !rc; i++) {
		if (store_is_commit_id(names.items[i]))
			rc = list_commit(store, names.items[i], list, err);
		else
			warn_of_strange_name(store, names.items[i]);
	}
	directory_names_release(&names);
	return rc;
}

static int directory_list(struct store *store, const char *commit, bool full,
	struct baseline_list *list, struct error *err)
{
	(void)full; /* the small file tells all */
	return commit ? list_commit(store, commit, list, err) : list_all(store, list, err);
}

static int directory_find(struct store *store, const char *const *commits, size_t count,
	bool *found, struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = 0; i < count && !rc; i++) {
		struct baseline_list list = {.arena = ARENA_INIT};

		rc = list_commit(store, commits[i], &list, err);
		found[i] = list.count > 0;
		baseline_list_release(&list);
	}
	return rc;
}

/* ---- get ------------------------------------------------------------------------------------ */

struct getter {
	struct store *store;
	struct arena arena;
	const struct baseline_key *key;
	const char *slug;
	unsigned looks_left;
};

/*
 * The newest that can be read; ERR_NOT_FOUND without one. What went away while it was read gave way
 * to a newer one: *again then asks for another look rather than take what is older still.
 */
static int read_first(struct getter *getter, const struct directory_entry *entries, size_t count,
	struct recording *out, enum baseline_detail *detail, bool *again, struct error *err)
{
	struct error one;

	for (size_t i = 0; i < count; i++) {
		int rc = directory_read(&entries[i], out, detail, &one);

		if (!rc)
			return ERR_OK;
		if (!is_bad_entry(rc))
			return error_set(err, rc, "%s", one.message);
		*again = rc == ERR_NOT_FOUND && getter->looks_left;
		if (*again)
			return ERR_NOT_FOUND;
		warn_of(getter->store, entries[i].path, &one);
	}
	return ERR_NOT_FOUND;
}

static int look(struct getter *getter, struct recording *out, enum baseline_detail *detail,
	bool *again, struct error *err)
{
	struct directory_entry *entries;
	size_t count;
	int rc = scan(getter->store, getter->key->commit, getter->slug, &getter->arena, &entries,
		&count, err);

	*again = false;
	if (rc)
		return rc;
	rc = read_first(getter, entries, count, out, detail, again, err);
	free(entries);
	return rc;
}

static int directory_get(struct store *store, const struct baseline_key *key, struct recording *out,
	enum baseline_detail *detail, struct error *err)
{
	struct getter getter = {
		.store = store, .arena = ARENA_INIT, .key = key, .looks_left = LOOKS};
	bool again;
	int rc;

	getter.slug = directory_slug(key, &getter.arena);
	do
		rc = look(&getter, out, detail, &again, err);
	while (again && getter.looks_left--);
	if (rc == ERR_NOT_FOUND)
		error_set(err, rc, "%s has no %s baseline of %s for commit %.12s", store->name,
			key->profile_type, key->benchmark, key->commit);
	arena_release(&getter.arena);
	return rc;
}

/* ---- verify --------------------------------------------------------------------------------- */

static int verify_entry(struct store *store, const struct directory_entry *entry,
	struct store_verify_result *result, struct error *err)
{
	struct recording recording;
	enum baseline_detail detail;
	struct error one;
	int rc = directory_read(entry, &recording, &detail, &one);

	if (rc == ERR_NOT_FOUND && !file_exists(entry->path))
		return ERR_OK; /* a newer one has replaced it */
	if (rc && !is_bad_entry(rc))
		return error_set(err, rc, "%s", one.message);
	result->entries++;
	if (!rc) {
		recording_release(&recording);
	} else {
		result->bad++;
		warn_of(store, entry->path, &one);
	}
	return ERR_OK;
}

static int verify_commit(struct store *store, const char *commit,
	struct store_verify_result *result, struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct directory_entry *entries = NULL;
	size_t count = 0, before = store->warnings.count;
	int rc = scan(store, commit, "", &arena, &entries, &count, err);

	result->unread += store->warnings.count - before;
	for (size_t i = 0; i < count && !rc; i++)
		rc = verify_entry(store, &entries[i], result, err);
	free(entries);
	arena_release(&arena);
	return rc;
}

/* Older entries of a key too, which a list leaves out. */
static int directory_verify(
	struct store *store, struct store_verify_result *result, struct error *err)
{
	struct directory_names names;
	int rc = directory_names_read(root_of(store), &names, err);

	if (rc)
		return rc == ERR_NOT_FOUND ? ERR_OK : rc;
	for (size_t i = 0; i < names.count && !rc; i++) {
		if (store_is_commit_id(names.items[i])) {
			rc = verify_commit(store, names.items[i], result, err);
			continue;
		}
		result->unread++;
		warn_of_strange_name(store, names.items[i]);
	}
	directory_names_release(&names);
	return rc;
}

static const char *const schemes[] = {"dir", NULL};
static const char *const losses[] = {NULL};

const struct store_kind store_directory = {
	.schemes = schemes,
	.losses = losses,
	.open = directory_open,
	.put = directory_put,
	.list = directory_list,
	.find = directory_find,
	.get = directory_get,
	.prune = directory_prune,
	.verify = directory_verify,
};
