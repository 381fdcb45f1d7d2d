/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edited notes become a commit on the ref's tip, batch by batch. To read notes is an edit that
 * writes nothing.
 */
#include "gate/vcs/notes/notes_ref_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/base/error.h"

#define AGE_LINE "\nflamegate-pushes: "
#define BATCH_BYTES ((size_t)16 << 20)
#define COMMIT_MAX_BYTES ((size_t)64 << 10)

/* A commit whose note is edited: `count` entries from `first` of the list that belongs to it. */
struct target {
	const char *commit;
	size_t first, count, bytes;
};

struct targets {
	struct target *items;
	struct note_entry *entries;
	struct note_blob *blobs;
	size_t count, entry_count;
};

/* ---- age ------------------------------------------------------------------------------------ */

static int read_age(struct notes_ref *notes, uint64_t *age, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *line;
	int rc = ERR_OK;

	if (notes->tip[0])
		rc = notes_run(notes,
			(struct git_command){
				.args = GIT_ARGS("cat-file", "commit", notes->tip),
				.limit = COMMIT_MAX_BYTES,
				.out = &text,
			},
			err);
	/* Nobody's message of ours is that long. */
	if (rc == ERR_LIMIT)
		rc = ERR_OK;
	if (!rc) {
		line = strstr(text.data, AGE_LINE);
		*age = line ? strtoull(line + strlen(AGE_LINE), NULL, 10) : 0;
	}
	strbuf_release(&text);
	return rc;
}

static int age_work(struct notes_ref *notes, void *data, struct error *err)
{
	return read_age(notes, data, err);
}

int notes_ref_age(struct notes_ref *notes, uint64_t *pushes_since_rewrite, struct error *err)
{
	return notes_locked(notes, age_work, pushes_since_rewrite, err);
}

/* ---- what is edited ------------------------------------------------------------------------- */

static void release_targets(struct targets *targets)
{
	free(targets->items);
	free(targets->entries);
	free(targets->blobs);
}

static void add_target(const struct notes_ref *notes, const char *commit, struct targets *targets,
	size_t *capacity)
{
	struct target *target = &targets->items[targets->count++];
	const struct note_entry *found = notes_find(notes, commit, &target->count);

	target->commit = commit;
	target->first = targets->entry_count;
	targets->entry_count += target->count;
	targets->entries = grow_array(
		targets->entries, capacity, targets->entry_count + 1, sizeof(*targets->entries));
	if (found)
		memcpy(targets->entries + target->first, found, target->count * sizeof(*found));
}

static void choose_targets(
	const struct notes_ref *notes, const struct notes_writing *writing, struct targets *targets)
{
	size_t count = writing->commits ? writing->count : notes->entry_count, capacity = 0;

	targets->items = xcalloc(count + 1, sizeof(*targets->items));
	for (size_t i = 0; i < count; i++) {
		const char *commit =
			writing->commits ? writing->commits[i] : notes->entries[i].commit;

		if (!writing->commits && i && strcmp(commit, notes->entries[i - 1].commit) == 0)
			continue;
		add_target(notes, commit, targets, &capacity);
	}
	targets->blobs = xcalloc(targets->entry_count + 1, sizeof(*targets->blobs));
}

static int measure_targets(struct notes_ref *notes, struct targets *targets, struct error *err)
{
	int rc = ERR_OK;

	if (targets->entry_count > 1)
		rc = notes_bring(notes, targets->entries, targets->entry_count, err);
	if (!rc && targets->entry_count)
		rc = notes_sizes(
			notes, targets->entries, targets->entry_count, targets->blobs, err);
	for (size_t i = 0; !rc && i < targets->count; i++) {
		struct target *target = &targets->items[i];

		for (size_t j = 0; j < target->count; j++)
			target->bytes += targets->blobs[target->first + j].size;
	}
	return rc;
}

/* ---- editing -------------------------------------------------------------------------------- */

static void canonical_path(const char *commit, char path[OBJECT_ID_SIZE + 1])
{
	snprintf(path, OBJECT_ID_SIZE + 1, "%.2s/%s", commit, commit + 2);
}

/* In the language of git fast-import. */
static void add_change(const struct targets *targets, const struct target *target,
	const struct strbuf *note, struct strbuf *changes)
{
	char path[OBJECT_ID_SIZE + 1];

	canonical_path(target->commit, path);
	for (size_t i = 0; i < target->count; i++)
		strbuf_addf(changes, "D %s\n", targets->entries[target->first + i].path);
	if (!note->length)
		return;
	strbuf_addf(changes, "M 100644 inline %s\ndata %zu\n", path, note->length);
	strbuf_add(changes, note->data, note->length);
	strbuf_addch(changes, '\n');
}

static bool is_as_it_was(const struct targets *targets, const struct target *target,
	const struct strbuf *before, const struct strbuf *after)
{
	char path[OBJECT_ID_SIZE + 1];

	canonical_path(target->commit, path);
	return target->count <= 1 && before->length == after->length &&
	       memcmp(before->data, after->data, after->length) == 0 &&
	       (!target->count || strcmp(targets->entries[target->first].path, path) == 0);
}

static int edit_target(const struct notes_writing *writing, const struct targets *targets,
	const struct target *target, const struct strbuf *loaded, struct strbuf *changes,
	struct error *err)
{
	struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
	int rc;

	notes_join(loaded, targets->blobs + target->first, target->count, &before);
	if (writing->visit) {
		rc = writing->visit(writing->data, target->commit, before.data, before.length, err);
		strbuf_release(&before);
		return rc;
	}
	rc = writing->edit(writing->data, target->commit, before.data, before.length, &after, err);
	if (!rc && !is_as_it_was(targets, target, &before, &after))
		add_change(targets, target, &after, changes);
	strbuf_release(&before);
	strbuf_release(&after);
	return rc;
}

/* Some targets whose entries follow each other. */
static int edit_batch(struct notes_ref *notes, const struct notes_writing *writing,
	const struct targets *targets, const struct target *first, size_t count,
	struct strbuf *changes, struct error *err)
{
	const struct target *last = first + count - 1;
	size_t entries = last->first + last->count - first->first;
	struct strbuf loaded = STRBUF_INIT;
	int rc = ERR_OK;

	if (entries)
		rc = notes_load(notes, targets->entries + first->first, entries,
			targets->blobs + first->first, &loaded, err);
	for (size_t i = 0; !rc && i < count; i++)
		rc = edit_target(writing, targets, first + i, &loaded, changes, err);
	strbuf_release(&loaded);
	return rc;
}

/* ---- committing ----------------------------------------------------------------------------- */

static int take_new_id(const struct strbuf *answer, char id[OBJECT_ID_SIZE], struct error *err)
{
	size_t length = strcspn(answer->data, "\n");

	if (!object_id_is_valid(answer->data, length))
		return error_set(err, ERR_TOOL, "git did not say what it has committed");
	memcpy(id, answer->data, length);
	id[length] = '\0';
	return ERR_OK;
}

static void add_message(const struct notes_writing *writing, struct strbuf *out)
{
	strbuf_addf(
		out, "%s\n" AGE_LINE "%llu\n", writing->message, (unsigned long long)writing->age);
}

/* *tip: the commit to build on ("" none), and then the new one. */
static int commit_changes(struct notes_ref *notes, const struct notes_writing *writing,
	const struct strbuf *changes, char tip[OBJECT_ID_SIZE], struct error *err)
{
	struct strbuf stream = STRBUF_INIT, message = STRBUF_INIT, answer = STRBUF_INIT;
	int rc;

	add_message(writing, &message);
	strbuf_addf(&stream,
		"commit " NOTES_PRIVATE_NEW
		"\nmark :1\ncommitter flamegate <flamegate@localhost> %lld "
		"+0000\ndata %zu\n%s\n",
		(long long)time(NULL), message.length, message.data);
	if (tip[0])
		strbuf_addf(&stream, "from %s\n", tip);
	strbuf_add(&stream, changes->data, changes->length);
	strbuf_addstr(&stream, "\nget-mark :1\n");
	rc = notes_run(notes,
		(struct git_command){
			.args = GIT_ARGS("fast-import", "--quiet", "--force"),
			.input = stream.data,
			.input_length = stream.length,
			.network = true,
			.out = &answer,
		},
		err);
	if (!rc)
		rc = take_new_id(&answer, tip, err);
	strbuf_release(&stream);
	strbuf_release(&message);
	strbuf_release(&answer);
	return rc;
}

static bool is_too_large(const struct target *target)
{
	return target->bytes > NOTES_NOTE_MAX_BYTES;
}

/* What is too large is a batch of its own: commit_batch() does not load it. */
static size_t batch_length(const struct targets *targets, size_t first)
{
	size_t bytes = targets->items[first].bytes, end = first + 1;

	while (end < targets->count && bytes < BATCH_BYTES && !is_too_large(&targets->items[end]))
		bytes += targets->items[end++].bytes;
	return end - first;
}

static int too_large(const struct target *target, struct error *err)
{
	return error_set(err, ERR_LIMIT,
		"the note of commit %.12s is larger than %zu bytes (git "
		"notes --ref=flamegate remove it)",
		target->commit, NOTES_NOTE_MAX_BYTES);
}

static int commit_batch(struct notes_ref *notes, struct notes_writing *writing,
	const struct targets *targets, size_t first, size_t count, char tip[OBJECT_ID_SIZE],
	struct error *err)
{
	const struct target *target = &targets->items[first];
	struct strbuf changes = STRBUF_INIT;
	int rc;

	if (is_too_large(target))
		return writing->commits && !writing->visit ? too_large(target, err) : ERR_OK;
	rc = edit_batch(notes, writing, targets, target, count, &changes, err);
	if (!rc && changes.length) {
		writing->age++;
		rc = commit_changes(notes, writing, &changes, tip, err);
	}
	strbuf_release(&changes);
	return rc;
}

static int commit_all(struct notes_ref *notes, struct notes_writing *writing,
	const struct targets *targets, char tip[OBJECT_ID_SIZE], struct error *err)
{
	size_t first = 0;
	int rc = ERR_OK;

	while (!rc && first < targets->count) {
		size_t count = batch_length(targets, first);

		rc = commit_batch(notes, writing, targets, first, count, tip, err);
		first += count;
	}
	return rc;
}

/* The tree of *tip as a commit without parents. */
static int cut_history(struct notes_ref *notes, struct notes_writing *writing,
	char tip[OBJECT_ID_SIZE], struct error *err)
{
	struct strbuf message = STRBUF_INIT, tree = STRBUF_INIT, answer = STRBUF_INIT;
	int rc;

	writing->age = 0;
	add_message(writing, &message);
	strbuf_addf(&tree, "%s^{tree}", tip);
	rc = notes_run(notes,
		(struct git_command){
			.args = GIT_ARGS("commit-tree", "-m", message.data, tree.data),
			.out = &answer,
		},
		err);
	if (!rc)
		rc = take_new_id(&answer, tip, err);
	strbuf_release(&message);
	strbuf_release(&tree);
	strbuf_release(&answer);
	return rc;
}

int notes_build(struct notes_ref *notes, struct notes_writing *writing, char id[OBJECT_ID_SIZE],
	struct error *err)
{
	struct targets targets = {0};
	int rc = notes_index(notes, err);

	if (!rc)
		rc = read_age(notes, &writing->age, err);
	if (rc)
		return rc;
	memcpy(id, notes->tip, OBJECT_ID_SIZE);
	choose_targets(notes, writing, &targets);
	rc = measure_targets(notes, &targets, err);
	if (!rc)
		rc = commit_all(notes, writing, &targets, id, err);
	if (!rc && !writing->commits && !writing->visit && id[0])
		rc = cut_history(notes, writing, id, err);
	release_targets(&targets);
	return rc;
}

/* ---- looking -------------------------------------------------------------------------------- */

static int visit_work(struct notes_ref *notes, void *data, struct error *err)
{
	char id[OBJECT_ID_SIZE];

	return notes_build(notes, data, id, err);
}

int notes_ref_visit(struct notes_ref *notes, const char *const *commits, size_t count,
	notes_visit *visit, void *data, struct error *err)
{
	struct notes_writing looking = {
		.commits = commits,
		.count = count,
		.visit = visit,
		.data = data,
	};

	return notes_locked(notes, visit_work, &looking, err);
}
