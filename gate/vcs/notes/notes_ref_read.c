/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which notes the tip has, which of their blobs are here, and their text. What is missing comes in
 * one request.
 */
#include "gate/vcs/notes/notes_ref_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"

#define LISTING_MAX_BYTES ((size_t)128 << 20) /* about a million notes */
#define HEADER_MAX_BYTES 128                  /* "<id> blob <size>\n" of cat-file --batch */
#define PROBLEM_MAX_BYTES ((size_t)64 << 10)  /* a limit holds for messages too */

/* ---- the index ------------------------------------------------------------------------------ */

/* "ab/cd/ef..." without slashes is the commit; anything else is no note. */
static bool take_commit(const char *path, char commit[OBJECT_ID_SIZE])
{
	size_t length = 0;

	for (; *path; path++) {
		if (*path == '/')
			continue;
		if (length + 1 >= OBJECT_ID_SIZE)
			return false;
		commit[length++] = *path;
	}
	commit[length] = '\0';
	return object_id_is_valid(commit, length);
}

/* "100644 blob <id>\t<path>"; links, submodules and folders have other modes. */
static bool take_entry(struct notes_ref *notes, const char *line, struct note_entry *entry)
{
	const char *tab = strchr(line, '\t'), *id = line + strlen("100644 blob ");
	char commit[OBJECT_ID_SIZE];

	if (!tab || strncmp(line, "100", 3) != 0 || strncmp(line + 6, " blob ", 6) != 0)
		return false;
	if (!object_id_is_valid(id, (size_t)(tab - id)) || !take_commit(tab + 1, commit))
		return false;
	entry->commit = arena_strdup(&notes->index, commit);
	entry->blob = arena_strndup(&notes->index, id, (size_t)(tab - id));
	entry->path = arena_strdup(&notes->index, tab + 1);
	return true;
}

static void take_strange(struct notes_ref *notes, const char *line)
{
	const char *tab = strchr(line, '\t');

	if (!notes->strange_count++)
		notes->strange = arena_strdup(&notes->index, tab ? tab + 1 : line);
}

size_t notes_ref_strange(const struct notes_ref *notes, const char **first)
{
	*first = notes->strange_count ? notes->strange : "";
	return notes->strange_count;
}

static int by_commit_and_path(const void *a, const void *b)
{
	const struct note_entry *one = a, *two = b;
	int order = strcmp(one->commit, two->commit);

	return order ? order : strcmp(one->path, two->path);
}

static void forget_index(struct notes_ref *notes)
{
	arena_release(&notes->index);
	free(notes->entries);
	notes->entries = NULL;
	notes->entry_count = 0;
	notes->strange_count = 0;
	notes->indexed[0] = '\0';
}

static void fill_index(struct notes_ref *notes, const struct strbuf *listing)
{
	const char *line = listing->data, *end = listing->data + listing->length;
	size_t capacity = 0;
	struct note_entry entry;

	for (; line < end; line += strlen(line) + 1) {
		if (!take_entry(notes, line, &entry)) {
			take_strange(notes, line);
			continue;
		}
		notes->entries = grow_array(
			notes->entries, &capacity, notes->entry_count + 1, sizeof(*notes->entries));
		notes->entries[notes->entry_count++] = entry;
	}
	if (notes->entry_count)
		qsort(notes->entries, notes->entry_count, sizeof(*notes->entries),
			by_commit_and_path);
}

int notes_index(struct notes_ref *notes, struct error *err)
{
	struct strbuf listing = STRBUF_INIT;
	int rc = ERR_OK;

	if (strcmp(notes->indexed, notes->tip) == 0)
		return ERR_OK;
	forget_index(notes);
	if (notes->tip[0])
		rc = notes_run(notes,
			(struct git_command){
				.args = GIT_ARGS("ls-tree", "-r", "-z", "--full-tree",
					"--end-of-options", notes->tip),
				.limit = LISTING_MAX_BYTES,
				.network = true, /* a server may filter trees too */
				.out = &listing,
			},
			err);
	if (rc == ERR_LIMIT)
		rc = error_set(err, ERR_LIMIT, "%s of %s has more entries than can be notes",
			NOTES_REF_NAME, notes->remote.shown);
	if (!rc) {
		fill_index(notes, &listing);
		memcpy(notes->indexed, notes->tip, sizeof(notes->indexed));
	}
	strbuf_release(&listing);
	return rc;
}

/* The first entry whose commit is not smaller. */
static size_t lower_bound(const struct notes_ref *notes, const char *commit)
{
	size_t low = 0, high = notes->entry_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(notes->entries[middle].commit, commit) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct note_entry *notes_find(
	const struct notes_ref *notes, const char *commit, size_t *count)
{
	size_t first = lower_bound(notes, commit), end = first;

	while (end < notes->entry_count && strcmp(notes->entries[end].commit, commit) == 0)
		end++;
	*count = end - first;
	return *count ? notes->entries + first : NULL;
}

/* ---- blobs ---------------------------------------------------------------------------------- */

static void add_ids(struct strbuf *list, const struct note_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		strbuf_addf(list, "%s\n", entries[i].blob);
}

/* Which of the tip's objects are not here: "?<id>" lines. Asking for one by cat-file would fetch
 * it, and so one request each. */
static int list_missing(struct notes_ref *notes, struct strbuf *out, struct error *err)
{
	return notes_run(notes,
		(struct git_command){
			.args = GIT_ARGS("rev-list", "--objects", "--no-object-names",
				"--missing=print", "--end-of-options", notes->tip),
			.limit = LISTING_MAX_BYTES,
			.network = true,
			.out = out,
		},
		err);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted; they point into text, whose newlines become NULs. */
static const char **split_missing(struct strbuf *text, size_t *count)
{
	const char **ids = NULL;
	size_t capacity = 0;
	char *line = text->data, *newline;

	*count = 0;
	for (; (newline = strchr(line, '\n')); line = newline + 1) {
		*newline = '\0';
		if (*line != '?')
			continue;
		ids = grow_array(ids, &capacity, *count + 1, sizeof(*ids));
		ids[(*count)++] = line + 1;
	}
	if (*count)
		qsort(ids, *count, sizeof(*ids), by_text);
	return ids;
}

static int wanted_and_missing(struct notes_ref *notes, const struct note_entry *entries,
	size_t count, struct strbuf *wanted, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	size_t missing = 0;
	const char **ids = NULL;
	int rc = list_missing(notes, &text, err);

	if (!rc)
		ids = split_missing(&text, &missing);
	for (size_t i = 0; !rc && missing && i < count; i++) {
		if (bsearch(&entries[i].blob, ids, missing, sizeof(*ids), by_text))
			add_ids(wanted, &entries[i], 1);
	}
	free(ids);
	strbuf_release(&text);
	return rc;
}

/* As git itself does it for one object. */
static int fetch_objects(struct notes_ref *notes, const struct strbuf *ids, struct error *err)
{
	return notes_run(notes,
		(struct git_command){
			.args = GIT_ARGS("-c", "fetch.negotiationAlgorithm=noop", "fetch",
				"--quiet", "--no-tags", "--no-write-fetch-head",
				"--no-recurse-submodules", "--no-auto-maintenance",
				"--filter=blob:none", "--stdin", NOTES_PRIVATE_REMOTE),
			.input = ids->data,
			.input_length = ids->length,
			.network = true,
		},
		err);
}

int notes_bring(
	struct notes_ref *notes, const struct note_entry *entries, size_t count, struct error *err)
{
	struct strbuf wanted = STRBUF_INIT;
	int rc = ERR_OK;

	if (count && !notes->unfiltered)
		rc = wanted_and_missing(notes, entries, count, &wanted, err);
	if (!rc && wanted.length) {
		rc = fetch_objects(notes, &wanted, err);
		notes->blobs_refused |= rc == ERR_TOOL;
	}
	strbuf_release(&wanted);
	return rc;
}

static int batch(struct notes_ref *notes, const char *question, const struct note_entry *entries,
	size_t count, size_t limit, struct strbuf *out, struct error *err)
{
	struct strbuf ids = STRBUF_INIT;
	int rc;

	add_ids(&ids, entries, count);
	rc = notes_run(notes,
		(struct git_command){
			.args = GIT_ARGS("cat-file", question),
			.input = ids.data,
			.input_length = ids.length,
			.limit = limit + PROBLEM_MAX_BYTES,
			.network = true, /* what is missing is fetched */
			.out = out,
		},
		err);
	notes->blobs_refused |= rc == ERR_TOOL;
	strbuf_release(&ids);
	return rc;
}

/* "<id> blob <size>\n" at text; returns what follows, or NULL. */
static const char *read_header(const char *text, const char *id, size_t *size)
{
	size_t length = strlen(id);
	char *end;

	if (strncmp(text, id, length) != 0 || strncmp(text + length, " blob ", 6) != 0)
		return NULL;
	*size = strtoul(text + length + 6, &end, 10);
	return *end == '\n' ? end + 1 : NULL;
}

static int no_blob(const struct note_entry *entry, struct error *err)
{
	return error_set(err, ERR_TOOL, "git cat-file has no blob %s for the note of %.12s",
		entry->blob, entry->commit);
}

int notes_sizes(struct notes_ref *notes, const struct note_entry *entries, size_t count,
	struct note_blob *blobs, struct error *err)
{
	struct strbuf answer = STRBUF_INIT;
	const char *at;
	int rc = batch(notes, "--batch-check", entries, count, (count + 1) * HEADER_MAX_BYTES,
		&answer, err);

	at = answer.data;
	for (size_t i = 0; !rc && i < count; i++) {
		at = read_header(at, entries[i].blob, &blobs[i].size);
		if (!at)
			rc = no_blob(&entries[i], err);
	}
	strbuf_release(&answer);
	return rc;
}

int notes_load(struct notes_ref *notes, const struct note_entry *entries, size_t count,
	struct note_blob *blobs, struct strbuf *out, struct error *err)
{
	size_t limit = HEADER_MAX_BYTES, size, at = out->length;
	int rc;

	for (size_t i = 0; i < count; i++)
		limit += blobs[i].size + HEADER_MAX_BYTES;
	rc = batch(notes, "--batch", entries, count, limit, out, err);
	for (size_t i = 0; !rc && i < count; i++) {
		const char *content = read_header(out->data + at, entries[i].blob, &size);

		if (!content || size != blobs[i].size ||
			size >= out->length - (size_t)(content - out->data))
			return no_blob(&entries[i], err);
		blobs[i].start = (size_t)(content - out->data);
		at = blobs[i].start + size + 1;
	}
	return rc;
}

void notes_join(const struct strbuf *loaded, const struct note_blob *blobs, size_t count,
	struct strbuf *out)
{
	for (size_t i = 0; i < count; i++) {
		strbuf_add(out, loaded->data + blobs[i].start, blobs[i].size);
		if (blobs[i].size && out->data[out->length - 1] != '\n')
			strbuf_addch(out, '\n');
	}
}
