/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/notes/notes_ref.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/cache.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/vcs/notes/notes_ref_internal.h"

#define MINUTE_NS (60 * 1000000000ULL)
#define DEFAULT_TIMEOUT_NS (10 * MINUTE_NS)

/* ---- opening -------------------------------------------------------------------------------- */

static int ask_object_format(struct notes_ref *notes, struct error *err)
{
	struct strbuf answer = STRBUF_INIT;
	int rc = git_ask(notes->repo, GIT_ARGS("rev-parse", "--show-object-format"), &answer, err);

	notes->object_format = strcmp(answer.data, "sha256") == 0 ? "sha256" : "sha1";
	strbuf_release(&answer);
	return rc;
}

/* <cache>/notes/<hash of the URL>.git: a relative URL means another place in another repository. */
static int choose_folder(struct notes_ref *notes, struct error *err)
{
	struct strbuf path = STRBUF_INIT, key = STRBUF_INIT;
	char hex[65];
	int rc = cache_home(&path, err);

	if (rc)
		goto out;
	strbuf_addstr(&path, "/notes");
	rc = cache_make_private(path.data, err);
	if (rc)
		goto out;
	strbuf_addf(&key, "%s\n%s\n%s", notes->object_format, notes->remote.url,
		strstr(notes->remote.url, "://") ? "" : notes->repo->common_dir);
	sha256_hex(key.data, key.length, hex);
	notes->dir = arena_printf(&notes->arena, "%s/%.16s.git", path.data, hex);
	notes->lock_path = arena_printf(&notes->arena, "%s/%.16s.lock", path.data, hex);
out:
	strbuf_release(&path);
	strbuf_release(&key);
	return rc;
}

int notes_ref_open(struct repo *repo, const char *remote, struct notes_ref **out, struct error *err)
{
	struct notes_ref *notes = xcalloc(1, sizeof(*notes));
	int rc;

	notes->repo = repo;
	notes->lock_fd = -1;
	notes->timeout_ns = DEFAULT_TIMEOUT_NS;
	strbuf_init(&notes->config);
	rc = notes_read_config(notes, err);
	if (!rc)
		rc = notes_choose_remote(notes, remote, err);
	if (!rc)
		rc = ask_object_format(notes, err);
	if (!rc)
		rc = choose_folder(notes, err);
	if (rc)
		notes_ref_close(notes);
	else
		*out = notes;
	return rc;
}

void notes_ref_close(struct notes_ref *notes)
{
	if (!notes)
		return;
	notes_unlock(notes);
	strbuf_release(&notes->config);
	free(notes->env);
	free(notes->entries);
	arena_release(&notes->index);
	arena_release(&notes->arena);
	free(notes);
}

void notes_ref_set_timeout(struct notes_ref *notes, uint64_t timeout_ns)
{
	notes->timeout_ns = timeout_ns ? timeout_ns : DEFAULT_TIMEOUT_NS;
}

const char *notes_ref_remote(const struct notes_ref *notes)
{
	return notes->remote.shown;
}

/* ---- reading -------------------------------------------------------------------------------- */

int notes_ref_fetch(struct notes_ref *notes, struct error *err)
{
	notes->fetched = false;
	return notes_locked(notes, NULL, NULL, err);
}

static int index_work(struct notes_ref *notes, void *data, struct error *err)
{
	(void)data;
	return notes_index(notes, err);
}

int notes_ref_commits(struct notes_ref *notes, struct arena *arena, const char *const **commits,
	size_t *count, struct error *err)
{
	const char **list;
	size_t filled = 0;
	int rc = notes_locked(notes, index_work, NULL, err);

	if (rc)
		return rc;
	list = arena_array(arena, notes->entry_count, sizeof(*list));
	for (size_t i = 0; i < notes->entry_count; i++) {
		const char *commit = notes->entries[i].commit;

		if (!filled || strcmp(list[filled - 1], commit) != 0)
			list[filled++] = arena_strdup(arena, commit);
	}
	*commits = list;
	*count = filled;
	return ERR_OK;
}

struct read_request {
	const char *commit;
	size_t max_bytes;
	struct strbuf *out;
};

static int too_large(const char *commit, size_t max_bytes, struct error *err)
{
	return error_set(err, ERR_LIMIT,
		"the note of commit %.12s is larger than %zu bytes (git "
		"notes --ref=flamegate remove it)",
		commit, max_bytes);
}

static int read_blobs(struct notes_ref *notes, const struct read_request *request,
	const struct note_entry *entries, size_t count, struct note_blob *blobs, struct error *err)
{
	struct strbuf loaded = STRBUF_INIT;
	size_t total = 0;
	int rc = notes_sizes(notes, entries, count, blobs, err);

	for (size_t i = 0; !rc && i < count; i++) {
		if (blobs[i].size > request->max_bytes - total)
			rc = too_large(request->commit, request->max_bytes, err);
		else
			total += blobs[i].size;
	}
	if (!rc)
		rc = notes_load(notes, entries, count, blobs, &loaded, err);
	if (!rc)
		notes_join(&loaded, blobs, count, request->out);
	strbuf_release(&loaded);
	return rc;
}

static int read_work(struct notes_ref *notes, void *data, struct error *err)
{
	const struct read_request *request = data;
	const struct note_entry *entries;
	struct note_blob *blobs;
	size_t count;
	int rc = notes_index(notes, err);

	if (rc)
		return rc;
	entries = notes_find(notes, request->commit, &count);
	if (!count)
		return error_set(err, ERR_NOT_FOUND, "commit %.12s has no note", request->commit);
	blobs = xcalloc(count, sizeof(*blobs));
	rc = read_blobs(notes, request, entries, count, blobs, err);
	free(blobs);
	return rc;
}

int notes_ref_read(struct notes_ref *notes, const char *commit, size_t max_bytes,
	struct strbuf *out, struct error *err)
{
	struct read_request request = {commit, max_bytes, out};

	return notes_locked(notes, read_work, &request, err);
}

struct commit_list {
	const char *const *commits;
	size_t count;
};

static int prefetch_work(struct notes_ref *notes, void *data, struct error *err)
{
	const struct commit_list *wanted = data;
	struct note_entry *list = NULL;
	size_t filled = 0, capacity = 0;
	int rc = notes_index(notes, err);

	for (size_t i = 0; !rc && i < wanted->count; i++) {
		size_t count;
		const struct note_entry *found = notes_find(notes, wanted->commits[i], &count);

		if (!count)
			continue;
		list = grow_array(list, &capacity, filled + count, sizeof(*list));
		memcpy(list + filled, found, count * sizeof(*list));
		filled += count;
	}
	if (!rc)
		rc = notes_bring(notes, list, filled, err);
	free(list);
	return rc;
}

int notes_ref_prefetch(
	struct notes_ref *notes, const char *const *commits, size_t count, struct error *err)
{
	struct commit_list wanted = {commits, count};

	return notes_locked(notes, prefetch_work, &wanted, err);
}
