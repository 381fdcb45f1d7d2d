/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in git notes: one note a commit, one line an entry (line.h). Two writers of one commit
 * are no conflict: each edit is a union of lines on the ref's newest tip.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/notes/notes_internal.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"

#define MOST_TRIED 8     /* records that cannot be read, before the others are not tried any more */
#define MOST_WARNINGS 50 /* who can write notes must not flood a log */

/* ---- lines of a note ------------------------------------------------------------------------ */

bool notes_next_line(const char *note, size_t length, size_t *at, struct notes_line *line)
{
	const char *end;

	if (*at >= length)
		return false;
	line->text = note + *at;
	end = memchr(line->text, '\n', length - *at);
	line->length = end ? (size_t)(end - line->text) : length - *at;
	*at += line->length + 1;
	return true;
}

static bool is_known(const struct store_lines *lines, const char *text)
{
	for (size_t i = 0; i < lines->count; i++)
		if (strcmp(lines->items[i], text) == 0)
			return true;
	return false;
}

static void keep_warning(struct store *store, const char *text)
{
	if (store->warnings.count > MOST_WARNINGS || is_known(&store->warnings, text))
		return;
	if (store->warnings.count == MOST_WARNINGS)
		text = "more records were skipped: flamegate baseline verify tells of all";
	store_lines_add(&store->warnings, "%s", text);
}

void notes_keep_warnings(struct store *store, struct store_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		keep_warning(store, lines->items[i]);
	store_lines_release(lines);
}

int notes_clean(struct store *store, const char *commit, const char *note, size_t length,
	const struct strbuf *more, struct strbuf *out, struct error *err)
{
	struct store_lines warnings = {.arena = ARENA_INIT};
	int rc = note_merge(note, length, more ? more->data : "", more ? more->length : 0, commit,
		out, &warnings, err);

	notes_keep_warnings(store, &warnings);
	return rc;
}

/* ---- one commit's note ---------------------------------------------------------------------- */

static void forget(struct notes_store *notes)
{
	notes->commit[0] = '\0';
	strbuf_reset(&notes->note);
}

/* Merged, so that each key has one line. Remembered: list and get ask for the same one again. */
static int load(struct store *store, const char *commit, struct error *err)
{
	struct notes_store *notes = store->data;
	struct strbuf raw = STRBUF_INIT;
	struct error one;
	int rc;

	if (strcmp(notes->commit, commit) == 0)
		return ERR_OK;
	forget(notes);
	rc = notes_ref_read(notes->ref, commit, NOTE_MAX_BYTES, &raw, &one);
	if (rc == ERR_LIMIT)
		store_lines_add(&store->warnings, "%s: it was skipped", one.message);
	if (!rc)
		rc = notes_clean(store, commit, raw.data, raw.length, NULL, &notes->note, &one);
	strbuf_release(&raw);
	if (rc && rc != ERR_NOT_FOUND && rc != ERR_LIMIT)
		return error_set(err, rc, "%s", one.message);
	snprintf(notes->commit, sizeof(notes->commit), "%s", commit);
	return ERR_OK;
}

/* ---- open, close ---------------------------------------------------------------------------- */

static int notes_open(
	struct store *store, const struct url *url, const char *rest, struct error *err)
{
	struct notes_store *notes;
	struct notes_ref *ref;
	int rc;

	(void)url;
	if (!store->options.repo)
		return error_set(
			err, ERR_USAGE, "git notes are kept in a repository, and this is none");
	rc = notes_ref_open(store->options.repo, *rest ? rest : NULL, &ref, err);
	if (rc == ERR_NOT_FOUND) {
		if (err)
			err->code = ERR_USAGE;
		rc = ERR_USAGE;
	}
	if (rc)
		return rc;
	notes_ref_set_timeout(ref, store->options.timeout_ns);
	notes = arena_alloc(&store->arena, sizeof(*notes));
	notes->ref = ref;
	strbuf_init(&notes->note);
	store->data = notes;
	store->name = arena_printf(&store->arena, "git notes of %s", notes_ref_remote(ref));
	return ERR_OK;
}

static void notes_close(struct store *store)
{
	struct notes_store *notes = store->data;

	notes_ref_close(notes->ref);
	strbuf_release(&notes->note);
}

/* ---- put ------------------------------------------------------------------------------------ */

/* New lines by commit. */
struct addition {
	const char *commit;
	struct strbuf lines;
};

struct additions {
	struct store *store;
	struct addition *items;
	const char **commits;
	size_t count;
};

static struct addition *addition_of(struct additions *additions, const char *commit)
{
	for (size_t i = 0; i < additions->count; i++)
		if (strcmp(additions->items[i].commit, commit) == 0)
			return &additions->items[i];
	additions->commits[additions->count] = commit;
	additions->items[additions->count] = (struct addition){commit, STRBUF_INIT};
	return &additions->items[additions->count++];
}

static int encode_all(struct additions *additions, const struct recording *const *recordings,
	size_t count, struct error *err)
{
	int rc = ERR_OK;

	additions->items = xcalloc(count, sizeof(*additions->items));
	additions->commits = xcalloc(count, sizeof(*additions->commits));
	for (size_t i = 0; i < count && !rc; i++)
		rc = line_encode(recordings[i], BASELINE_TREE,
			&addition_of(additions, recordings[i]->commit)->lines, err);
	return rc;
}

static int add_lines(void *data, const char *commit, const char *note, size_t length,
	struct strbuf *out, struct error *err)
{
	struct additions *additions = data;

	return notes_clean(additions->store, commit, note, length,
		&addition_of(additions, commit)->lines, out, err);
}

static void release_additions(struct additions *additions)
{
	for (size_t i = 0; i < additions->count; i++)
		strbuf_release(&additions->items[i].lines);
	free(additions->items);
	free(additions->commits);
}

static int notes_put(struct store *store, const struct recording *const *recordings, size_t count,
	unsigned *attempts, struct error *err)
{
	struct notes_store *notes = store->data;
	struct additions additions = {.store = store};
	int rc = encode_all(&additions, recordings, count, err);

	forget(notes);
	if (!rc)
		rc = notes_ref_edit(notes->ref, additions.commits, additions.count,
			"flamegate: record", add_lines, &additions, attempts, NULL, err);
	release_additions(&additions);
	return rc;
}

/* ---- list, find ----------------------------------------------------------------------------- */

struct listing {
	struct store *store;
	struct baseline_list *list;
};

static int list_note(
	void *data, const char *commit, const char *note, size_t length, struct error *err)
{
	struct listing *listing = data;
	struct arena arena = ARENA_INIT;
	struct strbuf clean = STRBUF_INIT;
	struct notes_line line;
	struct line_head head;
	size_t at = 0;
	int rc = notes_clean(listing->store, commit, note, length, NULL, &clean, err);

	while (!rc && notes_next_line(clean.data, clean.length, &at, &line)) {
		if (line_read_head(line.text, line.length, commit, &arena, &head, NULL))
			continue;
		head.entry.bytes = line.length + 1;
		baseline_list_add(listing->list, &head.entry);
	}
	strbuf_release(&clean);
	arena_release(&arena);
	return rc;
}

/* A visit that starts over hands out the first commit again. */
static int list_next(
	void *data, const char *commit, const char *note, size_t length, struct error *err)
{
	struct listing *listing = data;
	const struct baseline_list *list = listing->list;

	if (list->count && strcmp(commit, list->entries[list->count - 1].key.commit) <= 0)
		baseline_list_release(listing->list);
	return list_note(data, commit, note, length, err);
}

static int notes_list(struct store *store, const char *commit, bool full,
	struct baseline_list *list, struct error *err)
{
	struct notes_store *notes = store->data;
	struct listing listing = {store, list};
	int rc;

	(void)full; /* a line's key is in the line */
	if (!commit)
		return notes_ref_visit(notes->ref, NULL, 0, list_next, &listing, err);
	rc = load(store, commit, err);
	return rc ? rc : list_note(&listing, commit, notes->note.data, notes->note.length, err);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int notes_find(struct store *store, const char *const *commits, size_t count, bool *found,
	struct error *err)
{
	struct notes_store *notes = store->data;
	struct arena arena = ARENA_INIT;
	const char *const *noted;
	size_t noted_count;
	int rc = notes_ref_commits(notes->ref, &arena, &noted, &noted_count, err);

	for (size_t i = 0; !rc && i < count; i++)
		found[i] = noted_count &&
			   bsearch(&commits[i], noted, noted_count, sizeof(*noted), by_text);
	arena_release(&arena);
	return rc;
}

/* ---- get ------------------------------------------------------------------------------------ */

static bool fits(const struct baseline_key *wanted, const struct baseline_key *key)
{
	return strcmp(wanted->benchmark, key->benchmark) == 0 &&
	       strcmp(wanted->profile_type, key->profile_type) == 0 &&
	       (!wanted->environment || strcmp(wanted->environment, key->environment) == 0);
}

static int newest_first(const void *a, const void *b)
{
	const struct notes_line *one = a, *two = b;

	if (one->text == two->text)
		return 0;
	return notes_line_is_older(one, two) ? 1 : -1;
}

/* The lines that fit, the newest first; the caller frees them. One pass: heads are dear. */
static struct notes_line *find_lines(
	const struct strbuf *note, const struct baseline_key *key, size_t *count)
{
	struct notes_line *lines = NULL, line;
	struct arena arena = ARENA_INIT;
	size_t capacity = 0, at = 0;
	struct line_head head;

	*count = 0;
	while (notes_next_line(note->data, note->length, &at, &line)) {
		if (line_read_head(line.text, line.length, key->commit, &arena, &head, NULL) ||
			!fits(key, &head.entry.key))
			continue;
		line.time_ns = head.entry.time_ns;
		lines = grow_array(lines, &capacity, *count + 1, sizeof(*lines));
		lines[(*count)++] = line;
	}
	if (*count)
		qsort(lines, *count, sizeof(*lines), newest_first);
	arena_release(&arena);
	return lines;
}

static int no_baseline(const struct store *store, const struct baseline_key *key, struct error *err)
{
	return error_set(err, ERR_NOT_FOUND, "%s have no %s baseline of %s for commit %.12s",
		store->name, key->profile_type, key->benchmark, key->commit);
}

static int notes_get(struct store *store, const struct baseline_key *key, struct recording *out,
	enum baseline_detail *detail, struct error *err)
{
	struct notes_store *notes = store->data;
	struct notes_line *lines;
	size_t count;
	int rc = load(store, key->commit, err);

	if (rc)
		return rc;
	lines = find_lines(&notes->note, key, &count);
	rc = ERR_NOT_FOUND;
	for (size_t i = 0; rc && i < count && i < MOST_TRIED; i++) {
		struct error one;

		rc = line_decode(lines[i].text, lines[i].length, key->commit, out, detail, &one);
		if (rc)
			store_lines_add(&store->warnings, "a record of %.12s was skipped: %s",
				key->commit, one.message);
	}
	free(lines);
	return rc ? no_baseline(store, key, err) : ERR_OK;
}

static const char *const schemes[] = {"notes", NULL};
static const char *const losses[] = {
	"costs are rounded to whole samples, and kept by function, not by line",
	"of commits older than the newest ones only the hottest functions are kept",
	"the heap over time is kept in fewer moments, and of older commits not at all",
	NULL,
};

const struct store_kind store_notes = {
	.schemes = schemes,
	.losses = losses,
	.open = notes_open,
	.close = notes_close,
	.put = notes_put,
	.list = notes_list,
	.find = notes_find,
	.get = notes_get,
	.prune = notes_prune,
	.verify = notes_verify,
};
