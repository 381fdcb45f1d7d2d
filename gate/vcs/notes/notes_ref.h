/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A notes ref on a remote, read and written by the git program: only that ref is fetched (one
 * commit deep, without blobs where the server allows it; those are fetched as they are asked for),
 * and what is written is built on the ref's tip of this moment and pushed as a fast-forward. Knows
 * bytes, not what they mean.
 *
 * Nothing of the user's repository is changed: objects and refs live in a private bare repository
 * in the cache folder (one per remote URL, locked while it is used, made anew if it is damaged),
 * which borrows the remote's URL and how to reach it (http.*, credential.*, core.sshCommand, url.*,
 * remote.*.proxy: extraheader of checkout actions included) from the user's repository. Where the
 * remote is the repository itself ("."), the ref is written there.
 */
#ifndef FG_VCS_NOTES_REF_H
#define FG_VCS_NOTES_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/strbuf.h"
#include "gate/vcs/repo.h"

struct error;

#define NOTES_REF_NAME "refs/notes/flamegate"
#define NOTES_REF_ATTEMPTS 20

struct notes_ref;

/* remote: a name, a URL or path, "." for the repository itself; NULL: origin, else the only remote,
 * else
 * ".". Contacts nobody. ERR_NOT_FOUND if there is no such remote. */
int notes_ref_open(
	struct repo *repo, const char *remote, struct notes_ref **out, struct error *err);
void notes_ref_close(struct notes_ref *notes);
/* Of one run of git over the network; 0: ten minutes. */
void notes_ref_set_timeout(struct notes_ref *notes, uint64_t timeout_ns);
/* "origin", or the URL without user info, or "this repository". */
const char *notes_ref_remote(const struct notes_ref *notes);

/*
 * Brings the remote's tip here; done by the others where it has not been. A remote without the ref
 * is an empty tip. ERR_TOOL with git's words and what to do (contents: write, no such remote, no
 * network).
 */
int notes_ref_fetch(struct notes_ref *notes, struct error *err);
/* Commits that have a note, sorted; from trees alone. Names that are no commit ids are left out. */
int notes_ref_commits(struct notes_ref *notes, struct arena *arena, const char *const **commits,
	size_t *count, struct error *err);
/* How many entries of the tip's tree are no note of a commit, as its commits were last read; *first
 * is the name of one, good until the next call. */
size_t notes_ref_strange(const struct notes_ref *notes, const char **first);
/* Appends the note (all variants of fan-out, one after the other); ERR_NOT_FOUND if there is none,
 * ERR_LIMIT past max_bytes (its size is known before it is read). */
int notes_ref_read(struct notes_ref *notes, const char *commit, size_t max_bytes,
	struct strbuf *out, struct error *err);
/* Brings the blobs of these commits' notes in one request. What has none is passed over. */
int notes_ref_prefetch(
	struct notes_ref *notes, const char *const *commits, size_t count, struct error *err);

/* Called with each note in turn; anything but ERR_OK ends the visit. */
typedef int notes_visit(
	void *data, const char *commit, const char *note, size_t length, struct error *err);
/*
 * These commits' notes (commits NULL: all, sorted), brought and read many at a time; "" for a
 * commit that has none. Notes of more than 64 MiB are passed over. visit may be called again from
 * the start (with the first commit) if the private repository has to be made anew.
 */
int notes_ref_visit(struct notes_ref *notes, const char *const *commits, size_t count,
	notes_visit *visit, void *data, struct error *err);

/*
 * Called with the note as it is at the tip ("" if none); appends what it shall be ("" removes it).
 * Called again on every attempt. Returns an error code.
 */
typedef int notes_edit(void *data, const char *commit, const char *note, size_t length,
	struct strbuf *out, struct error *err);

/*
 * Edits these commits' notes and pushes: fetch, edit, commit on the tip, push; after a rejection
 * because somebody else was faster again from the fetch, after a random pause whose range doubles
 * with each attempt and is measured in attempts (a slow server needs longer ones), at most
 * NOTES_REF_ATTEMPTS times. A ref that was rewritten meanwhile (prune) is built
 * upon anew: only these edits get there. A note that already is as it shall be is no edit; if none
 * is left nothing is pushed. *pushes_since_rewrite (may be NULL): how many commits the ref's
 * history has since it was last rewritten.
 */
int notes_ref_edit(struct notes_ref *notes, const char *const *commits, size_t count,
	const char *message, notes_edit *edit, void *data, unsigned *attempts,
	uint64_t *pushes_since_rewrite, struct error *err);

/*
 * Rewrites the ref: one new root commit with every note passed through edit, pushed with a lease on
 * the tip it was made from (never over somebody's newer line), retried as above. So the old blobs
 * can go.
 */
int notes_ref_rewrite(struct notes_ref *notes, const char *message, notes_edit *edit, void *data,
	unsigned *attempts, struct error *err);
/* pushes_since_rewrite of the tip at hand. */
int notes_ref_age(struct notes_ref *notes, uint64_t *pushes_since_rewrite, struct error *err);

#endif
