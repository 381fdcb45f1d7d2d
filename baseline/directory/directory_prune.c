/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Old commits' recordings become summaries, damaged ones are dropped, and what a killed writer left
 * behind goes.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "baseline/directory/directory_internal.h"
#include "baseline/line/line.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/recording/recording.h"

#define ABANDONED_SECONDS 3600 /* what a writer that was killed left behind */

struct pruner {
	struct store *store;
	const char *root;
	struct store_prune_result *result;
};

static size_t tree_bytes(const struct baseline_list *list)
{
	size_t bytes = 0;

	for (size_t i = 0; i < list->count; i++)
		bytes += list->entries[i].bytes;
	return bytes;
}

/* The summary first, so that there is something to read at any time. */
static int replace_by_line(
	const struct directory_entry *entry, const struct strbuf *line, struct error *err)
{
	char *summary = file_join(entry->path, DIRECTORY_SUMMARY_NAME);
	char *json = file_join(entry->path, RECORDING_JSON_NAME);
	struct directory_names files;
	int rc = file_write(summary, line->data, line->length, err);

	if (!rc && unlink(json) < 0 && errno != ENOENT)
		rc = error_errno(err, ERR_IO, errno, "cannot remove %s", json);
	if (!rc)
		rc = directory_names_read(entry->path, &files, err);
	if (!rc) {
		for (size_t i = 0; i < files.count; i++) {
			char *path = file_join(entry->path, files.items[i]);

			if (strcmp(files.items[i], DIRECTORY_SUMMARY_NAME) != 0)
				unlink(path);
			free(path);
		}
		directory_names_release(&files);
	}
	free(summary);
	free(json);
	return rc ? rc : directory_sync(entry->path, err);
}

static int drop(struct pruner *pruner, const struct directory_entry *entry, const struct error *why,
	struct error *err)
{
	int rc = directory_remove(entry->path, err);

	if (rc)
		return rc;
	store_lines_add(&pruner->store->warnings, "%s was dropped: %s", entry->path, why->message);
	pruner->result->dropped++;
	return ERR_OK;
}

static int summarise(struct pruner *pruner, const struct directory_entry *entry, struct error *err)
{
	struct strbuf line = STRBUF_INIT;
	struct recording recording;
	enum baseline_detail detail;
	struct error why;
	int rc = directory_read(entry, &recording, &detail, &why);

	if (rc == ERR_NOT_FOUND && !file_exists(entry->path))
		return ERR_OK;
	if (rc == ERR_IO)
		return error_set(err, rc, "%s", why.message);
	if (rc)
		return drop(pruner, entry, &why, err);
	if (detail == BASELINE_EXACT) {
		rc = line_encode(&recording, BASELINE_SUMMARY, &line, err);
		if (!rc)
			rc = replace_by_line(entry, &line, err);
		pruner->result->summarised += !rc;
	}
	strbuf_release(&line);
	recording_release(&recording);
	return rc;
}

static int summarise_commit(struct pruner *pruner, const char *commit, struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct directory_entry *entries = NULL;
	size_t count = 0;
	int rc = directory_scan(pruner->root, commit, "", &arena, &entries, &count, err);

	/* A name that is not ours may be anything: it is nobody's to delete. */
	for (size_t i = 0; i < count && !rc; i++)
		if (directory_time(entries[i].name) >= 0)
			rc = summarise(pruner, &entries[i], err);
	free(entries);
	arena_release(&arena);
	return rc;
}

/* ---- what nobody is writing any more --------------------------------------------------------- */

static void sweep(const char *folder)
{
	DIR *names = opendir(folder);
	struct dirent *entry;
	time_t now = time(NULL);
	struct stat info;

	while (names && (entry = readdir(names))) {
		char *path = file_join(folder, entry->d_name);

		if (strncmp(entry->d_name, DIRECTORY_TEMP_PREFIX, strlen(DIRECTORY_TEMP_PREFIX)) ==
				0 &&
			lstat(path, &info) == 0 && now - info.st_mtime > ABANDONED_SECONDS)
			file_remove_tree(path, NULL);
		free(path);
	}
	if (names)
		closedir(names);
}

/* ---- which commits -------------------------------------------------------------------------- */

static bool starts_commit(const struct baseline_list *list, size_t i)
{
	return !i || strcmp(list->entries[i].key.commit, list->entries[i - 1].key.commit) != 0;
}

static size_t count_full_commits(const struct baseline_list *list)
{
	const char *last = "";
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct baseline_entry *entry = &list->entries[i];

		if (entry->detail != BASELINE_EXACT || strcmp(entry->key.commit, last) == 0)
			continue;
		last = entry->key.commit;
		count++;
	}
	return count;
}

static int prune_commits(
	struct pruner *pruner, const struct baseline_list *list, size_t keep, struct error *err)
{
	size_t commits = 0;
	int rc = ERR_OK;

	for (size_t i = 0; i < list->count && !rc; i++) {
		const struct baseline_entry *entry = &list->entries[i];

		if (starts_commit(list, i)) {
			char *folder = file_join(pruner->root, entry->key.commit);

			commits++;
			sweep(folder);
			free(folder);
			if (commits > keep)
				rc = summarise_commit(pruner, entry->key.commit, err);
		}
		if (commits <= keep)
			pruner->result->kept_full += entry->detail == BASELINE_EXACT;
	}
	return rc;
}

int directory_prune(struct store *store, size_t keep, bool only_if_needed,
	struct store_prune_result *result, struct error *err)
{
	struct pruner pruner = {store, store->data, result};
	struct baseline_list before, after;
	int rc = store_list(store, NULL, true, &before, err);

	if (rc)
		return rc;
	if (only_if_needed && count_full_commits(&before) <= keep + keep / 4) {
		baseline_list_release(&before);
		return ERR_OK;
	}
	result->bytes_before = tree_bytes(&before);
	rc = prune_commits(&pruner, &before, keep, err);
	baseline_list_release(&before);
	if (!rc)
		rc = store_list(store, NULL, true, &after, err);
	if (rc)
		return rc;
	result->bytes_after = tree_bytes(&after);
	baseline_list_release(&after);
	return ERR_OK;
}
