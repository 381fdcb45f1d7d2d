/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a recording gets into the store: it is written beside, published by one rename, and then the
 * older ones of its key go.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "baseline/directory/directory_internal.h"
#include "baseline/instant.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/recording/recording.h"

#define MODE 0755 /* an artifact or a share has other readers */

/* A recording on its way into the store. */
struct staged {
	const struct recording *recording;
	const char *root, *commit_folder, *slug, *target;
	char *temp;  /* NULL: nothing to publish */
	char *parts; /* the recording's folder in it */
};

static void describe(struct staged *staged, const char *root, const struct recording *recording,
	struct arena *arena)
{
	struct baseline_key key = {recording->commit, recording->benchmark, recording->profile_type,
		recording_environment(recording, arena)};

	staged->recording = recording;
	staged->root = root;
	staged->commit_folder = arena_printf(arena, "%s/%s", root, recording->commit);
	staged->slug = directory_slug(&key, arena);
	staged->target = arena_printf(arena, "%s/%s%019lld", staged->commit_folder, staged->slug,
		(long long)recording->time_ns);
}

static bool is_readable(const struct directory_entry *entry)
{
	struct recording recording;
	enum baseline_detail detail;

	if (directory_read(entry, &recording, &detail, NULL))
		return false;
	recording_release(&recording);
	return true;
}

/* Is one there that is as new, and good? */
static int find_newer(
	const struct staged *staged, struct arena *arena, bool *found, struct error *err)
{
	struct directory_entry *entries;
	size_t count;
	int rc = directory_scan(staged->root, staged->recording->commit, staged->slug, arena,
		&entries, &count, err);

	if (rc)
		return rc;
	*found = false;
	for (size_t i = 0; i < count && !*found; i++)
		*found = instant_rank(directory_time(entries[i].name)) >=
				 staged->recording->time_ns &&
			 is_readable(&entries[i]);
	free(entries);
	return ERR_OK;
}

static int stage(struct staged *staged, struct arena *arena, struct error *err)
{
	bool is_there = false;
	int rc = file_mkdirs(staged->commit_folder, err);

	if (!rc)
		rc = find_newer(staged, arena, &is_there, err);
	if (rc || is_there)
		return rc;
	rc = file_make_temp_dir(staged->commit_folder, DIRECTORY_TEMP_PREFIX, &staged->temp, err);
	if (rc)
		return rc;
	staged->parts = file_join(staged->temp, "new");
	rc = recording_write(staged->recording, staged->parts, err);
	if (!rc && chmod(staged->parts, MODE) < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot write %s", staged->parts);
	return rc ? rc : directory_sync(staged->parts, err);
}

/* What holds the name and can be read is as good as ours: it has our key and our time. */
static int publish(const struct staged *staged, struct error *err)
{
	struct directory_entry there = {.commit = staged->recording->commit,
		.name = strrchr(staged->target, '/') + 1,
		.path = staged->target};
	int rc;

	if (rename(staged->parts, staged->target) == 0)
		return directory_sync(staged->commit_folder, err);
	if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
		return error_errno(err, ERR_IO, errno, "cannot write %s", staged->target);
	if (is_readable(&there))
		return ERR_OK;
	rc = directory_remove(staged->target, err);
	if (!rc && rename(staged->parts, staged->target) < 0 && !is_readable(&there))
		rc = error_errno(err, ERR_IO, errno, "cannot write %s", staged->target);
	return rc ? rc : directory_sync(staged->commit_folder, err);
}

/* What is left over does no harm: readers take the newest. */
static void remove_older(const struct staged *staged, struct arena *arena)
{
	struct directory_entry *entries;
	size_t count;

	if (directory_scan(staged->root, staged->recording->commit, staged->slug, arena, &entries,
		    &count, NULL))
		return;
	for (size_t i = 0; i < count; i++) {
		int64_t time = directory_time(entries[i].name);

		if (time >= 0 && time < staged->recording->time_ns)
			directory_remove(entries[i].path, NULL);
	}
	free(entries);
}

static void unstage(struct staged *staged)
{
	if (staged->temp)
		file_remove_tree(staged->temp, NULL);
	free(staged->temp);
	free(staged->parts);
}

int directory_put(struct store *store, const struct recording *const *recordings, size_t count,
	unsigned *attempts, struct error *err)
{
	struct staged *staged = xcalloc(count, sizeof(*staged));
	struct arena arena = ARENA_INIT;
	const char *root = store->data;
	int rc = ERR_OK;

	for (size_t i = 0; i < count && !rc; i++) {
		describe(&staged[i], root, recordings[i], &arena);
		rc = stage(&staged[i], &arena, err);
	}
	for (size_t i = 0; i < count && !rc; i++)
		if (staged[i].temp)
			rc = publish(&staged[i], err);
	for (size_t i = 0; i < count && !rc; i++)
		if (staged[i].temp)
			remove_older(&staged[i], &arena);
	if (!rc)
		rc = directory_sync(root, err);
	for (size_t i = 0; i < count; i++)
		unstage(&staged[i]);
	free(staged);
	arena_release(&arena);
	if (!rc)
		*attempts = 1;
	return rc;
}
