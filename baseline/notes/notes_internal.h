/* SPDX-License-Identifier: Apache-2.0 */
/* Private to baseline/notes*.c. */
#ifndef FG_BASELINE_NOTES_INTERNAL_H
#define FG_BASELINE_NOTES_INTERNAL_H

#include "baseline/instant.h"
#include "baseline/line/line.h"
#include "baseline/store_internal.h"
#include "gate/vcs/notes/notes_ref.h"

struct notes_store {
	struct notes_ref *ref;
	char commit[OBJECT_ID_SIZE]; /* whose note is below; "" none */
	struct strbuf note;
};

struct notes_line {
	const char *text; /* without its line break */
	size_t length;
	int64_t time_ns;
};

/* Lines in turn; at starts with 0. */
bool notes_next_line(const char *note, size_t length, size_t *at, struct notes_line *line);

/* By time, then by where it stands: of two that are equally old one is older. */
static inline bool notes_line_is_older(const struct notes_line *a, const struct notes_line *b)
{
	int64_t x = instant_rank(a->time_ns), y = instant_rank(b->time_ns);

	return x != y ? x < y : a->text < b->text;
}

/* note_merge() of the note and more lines (may be NULL); what is skipped is a warning, once. */
int notes_clean(struct store *store, const char *commit, const char *note, size_t length,
	const struct strbuf *more, struct strbuf *out, struct error *err);
/* Moves what is new of lines to the store's warnings and releases lines. */
void notes_keep_warnings(struct store *store, struct store_lines *lines);

/* notes_prune.c: see store.h */
int notes_prune(struct store *store, size_t keep, bool only_if_needed,
	struct store_prune_result *result, struct error *err);
int notes_verify(struct store *store, struct store_verify_result *result, struct error *err);

#endif
