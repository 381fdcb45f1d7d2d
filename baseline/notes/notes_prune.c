/* SPDX-License-Identifier: Apache-2.0 */
/* The two operations on git notes that read all of them. */
#include "baseline/notes/notes_internal.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/map.h"
#include "gate/bench/recording/recording.h"

/* Below this many pushes a rewrite saves little and only disturbs those who push. */
#define LEAST_PUSHES 50

/* ---- which commits are old ------------------------------------------------------------------ */

struct dated {
	const char *commit;
	int64_t newest_ns;
	bool settled; /* nothing but summaries and lines of others */
};

/* What is done with a commit's note; MAP_NONE for one that stays full. */
enum { SUMMARISE, LEAVE_ALONE };

struct census {
	struct arena arena;
	struct dated *commits; /* as they were visited: sorted by id */
	size_t count, capacity;
};

static int count_note(
	void *data, const char *commit, const char *note, size_t length, struct error *err)
{
	struct census *census = data;
	struct dated dated = {arena_strdup(&census->arena, commit), 0, true};
	struct arena arena = ARENA_INIT;
	struct notes_line line;
	struct line_head head;
	size_t at = 0;

	(void)err;
	/* The visit starts over. */
	if (census->count && strcmp(census->commits[census->count - 1].commit, commit) >= 0)
		census->count = 0;
	while (notes_next_line(note, length, &at, &line)) {
		int rc = line_read_head(line.text, line.length, commit, &arena, &head, NULL);

		if (!rc && instant_rank(head.entry.time_ns) > dated.newest_ns)
			dated.newest_ns = instant_rank(head.entry.time_ns);
		if (rc ? rc != ERR_NOT_FOUND : head.entry.detail != BASELINE_SUMMARY)
			dated.settled = false;
	}
	arena_release(&arena);
	census->commits = grow_array(
		census->commits, &census->capacity, census->count + 1, sizeof(*census->commits));
	census->commits[census->count++] = dated;
	return ERR_OK;
}

static int newest_first(const void *a, const void *b)
{
	const struct dated *one = a, *two = b;

	if (one->newest_ns != two->newest_ns)
		return one->newest_ns < two->newest_ns ? 1 : -1;
	return strcmp(one->commit, two->commit);
}

/* All but the newest `keep`. A commit that is noted later, while we prune, is not among them. */
static int find_old(struct notes_ref *ref, size_t keep, struct map *old, struct error *err)
{
	struct census census = {.arena = ARENA_INIT};
	int rc = notes_ref_visit(ref, NULL, 0, count_note, &census, err);

	if (!rc && census.count) {
		qsort(census.commits, census.count, sizeof(*census.commits), newest_first);
		for (size_t i = keep; i < census.count; i++)
			map_put_str(old, census.commits[i].commit,
				census.commits[i].settled ? LEAVE_ALONE : SUMMARISE);
	}
	free(census.commits);
	arena_release(&census.arena);
	return rc;
}

/* ---- prune ---------------------------------------------------------------------------------- */

struct pruning {
	struct store *store;
	struct map old;
	char last[OBJECT_ID_SIZE]; /* a commit that is not greater begins a new attempt */
	struct store_prune_result result;
};

static void begin_note(struct pruning *pruning, const char *commit)
{
	if (strcmp(commit, pruning->last) <= 0)
		pruning->result = (struct store_prune_result){0};
	memcpy(pruning->last, commit, strlen(commit) + 1);
}

static size_t count_entries(const char *commit, const char *note, size_t length, size_t *full)
{
	struct arena arena = ARENA_INIT;
	struct notes_line line;
	struct line_head head;
	size_t at = 0, count = 0;

	while (notes_next_line(note, length, &at, &line)) {
		count++;
		*full += !line_read_head(line.text, line.length, commit, &arena, &head, NULL) &&
			 head.entry.detail != BASELINE_SUMMARY;
	}
	arena_release(&arena);
	return count;
}

static int summarise(struct pruning *pruning, const char *commit, const char *note, size_t length,
	struct strbuf *out, struct error *err)
{
	struct store_lines warnings = {.arena = ARENA_INIT};
	size_t summarised = 0;
	int rc = note_summarise(note, length, commit, out, &summarised, &warnings, err);

	notes_keep_warnings(pruning->store, &warnings);
	pruning->result.summarised += summarised;
	return rc;
}

static int change_note(struct pruning *pruning, const char *commit, const char *note, size_t length,
	struct strbuf *out, struct error *err)
{
	size_t full = 0, before = count_entries(commit, note, length, &full), after;
	int rc = map_get_str(&pruning->old, commit) == SUMMARISE
			 ? summarise(pruning, commit, note, length, out, err)
			 : notes_clean(pruning->store, commit, note, length, NULL, out, err);

	if (rc)
		return rc;
	full = 0;
	after = count_entries(commit, out->data, out->length, &full);
	pruning->result.kept_full += full;
	pruning->result.dropped += before > after ? before - after : 0;
	return ERR_OK;
}

static int prune_note(void *data, const char *commit, const char *note, size_t length,
	struct strbuf *out, struct error *err)
{
	struct pruning *pruning = data;
	int rc = ERR_OK;

	begin_note(pruning, commit);
	/* Most notes of a long history: not worth another look. */
	if (map_get_str(&pruning->old, commit) == LEAVE_ALONE)
		strbuf_add(out, note, length);
	else
		rc = change_note(pruning, commit, note, length, out, err);
	pruning->result.bytes_before += length;
	pruning->result.bytes_after += out->length;
	return rc;
}

static int is_needed(struct notes_ref *ref, size_t keep, bool *needed, struct error *err)
{
	uint64_t pushes;
	int rc = notes_ref_age(ref, &pushes, err);

	if (!rc)
		*needed = pushes >= (keep > LEAST_PUSHES ? keep : LEAST_PUSHES);
	return rc;
}

int notes_prune(struct store *store, size_t keep, bool only_if_needed,
	struct store_prune_result *result, struct error *err)
{
	struct notes_store *notes = store->data;
	struct pruning pruning = {.store = store};
	bool needed = true;
	int rc = notes_ref_fetch(notes->ref, err);

	if (!rc && only_if_needed)
		rc = is_needed(notes->ref, keep, &needed, err);
	if (rc || !needed)
		return rc;
	notes->commit[0] = '\0';
	map_init(&pruning.old);
	rc = find_old(notes->ref, keep, &pruning.old, err);
	if (!rc)
		rc = notes_ref_rewrite(
			notes->ref, "flamegate: prune", prune_note, &pruning, NULL, err);
	map_release(&pruning.old);
	if (!rc)
		*result = pruning.result;
	return rc;
}

/* ---- verify --------------------------------------------------------------------------------- */

struct verification {
	struct store *store;
	char last[OBJECT_ID_SIZE];
	struct map visited; /* commits */
	struct store_verify_result result;
};

static void verify_line(
	struct verification *verification, const char *commit, const struct notes_line *line)
{
	struct recording recording;
	enum baseline_detail detail;
	struct error one;
	size_t length = line->length;
	int rc;

	if (length && line->text[length - 1] == '\r')
		length--;
	if (!length)
		return;
	rc = line_decode(line->text, length, commit, &recording, &detail, &one);
	if (!rc) {
		recording_release(&recording);
		verification->result.entries++;
	} else if (rc == ERR_NOT_FOUND) {
		verification->result.unread++;
		store_lines_add(&verification->store->warnings,
			"a record of %.12s was not read: %s", commit, one.message);
	} else {
		verification->result.entries++;
		verification->result.bad++;
		store_lines_add(&verification->store->warnings, "a record of %.12s is bad: %s",
			commit, one.message);
	}
}

static int verify_note(
	void *data, const char *commit, const char *note, size_t length, struct error *err)
{
	struct verification *verification = data;
	struct notes_line line;
	size_t at = 0;

	(void)err;
	if (strcmp(commit, verification->last) <= 0)
		verification->result = (struct store_verify_result){0};
	map_put_str(&verification->visited, commit, 1);
	memcpy(verification->last, commit, strlen(commit) + 1);
	while (notes_next_line(note, length, &at, &line))
		verify_line(verification, commit, &line);
	return ERR_OK;
}

/* What the visit says nothing of: notes that are too large, and names that are no commit's. */
static int tell_passed_over(
	struct verification *verification, struct notes_ref *ref, struct error *err)
{
	struct store_lines *warnings = &verification->store->warnings;
	struct arena arena = ARENA_INIT;
	const char *const *commits, *strange;
	size_t count, strange_count = notes_ref_strange(ref, &strange);
	int rc = notes_ref_commits(ref, &arena, &commits, &count, err);

	for (size_t i = 0; !rc && i < count; i++) {
		if (map_get_str(&verification->visited, commits[i]) != MAP_NONE)
			continue;
		verification->result.unread++;
		store_lines_add(
			warnings, "the note of %.12s was not read: it is too large", commits[i]);
	}
	if (!rc && strange_count) {
		verification->result.unread += strange_count;
		store_lines_add(warnings,
			"%zu entries of " NOTES_REF_NAME " are no notes of a commit: %.100s%s",
			strange_count, strange, strange_count > 1 ? " and others" : "");
	}
	arena_release(&arena);
	return rc;
}

int notes_verify(struct store *store, struct store_verify_result *result, struct error *err)
{
	struct notes_store *notes = store->data;
	struct verification verification = {.store = store};
	int rc;

	map_init(&verification.visited);
	rc = notes_ref_visit(notes->ref, NULL, 0, verify_note, &verification, err);
	if (!rc)
		rc = tell_passed_over(&verification, notes->ref, err);
	map_release(&verification.visited);
	if (!rc)
		*result = verification.result;
	return rc;
}
