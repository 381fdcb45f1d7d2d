/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of notes_ref.c share: which remote and how git reaches it (notes_ref_remote.c),
 * the private repository (notes_ref_cache.c), the tip (notes_ref_fetch.c), its index and blobs
 * (notes_ref_read.c), writing (notes_ref_write.c).
 *
 * In the private repository the remote has the name "flamegate"; its URL and all that is needed to
 * reach it come with each command's environment, never by arguments or files: they hold secrets.
 */
#ifndef FG_VCS_NOTES_REF_INTERNAL_H
#define FG_VCS_NOTES_REF_INTERNAL_H

#include "gate/vcs/notes/notes_ref.h"
#include "gate/vcs/repo_internal.h"

#define NOTES_HERE "."
#define NOTES_PRIVATE_REMOTE "flamegate"
#define NOTES_PRIVATE_TIP "refs/flamegate/remote"
#define NOTES_PRIVATE_NEW "refs/flamegate/new"
#define NOTES_NOTE_MAX_BYTES ((size_t)64 << 20) /* larger ones are never loaded */

/* A note's file in the tip's tree. A commit may have several: fan-out differs between writers. */
struct note_entry {
	const char *commit, *blob, *path; /* arena-owned */
};

/* The remote as the user's configuration has it. */
struct notes_remote {
	const char *name;      /* in the configuration; NULL: a URL, or the repository itself */
	const char *url;       /* as configured or typed */
	const char *shown;     /* for people, without user info */
	const char *user_info; /* of the URL, "" none: must not get into a message */
};

struct notes_ref {
	struct repo *repo;
	struct arena arena;
	struct notes_remote remote;
	const char *object_format; /* "sha1" or "sha256" */
	const char *dir;           /* of the private repository */
	const char *lock_path;
	int lock_fd; /* -1: not held */
	uint64_t timeout_ns;
	struct strbuf config; /* what the user's repository is configured with, see there */
	const char **env;     /* NULL-terminated */
	bool fetched;
	bool silent;        /* the server said nothing: it is not asked again in this command */
	bool blobs_refused; /* in this command: a blob could not be fetched by itself */
	bool unfiltered;    /* so blobs come with the tip from now on */
	char tip[OBJECT_ID_SIZE]; /* "": the remote has no notes */
	char indexed[OBJECT_ID_SIZE];
	struct arena index;
	struct note_entry *entries; /* of the tip `indexed`, sorted by commit and path */
	size_t entry_count;
	size_t strange_count; /* what else the tip's tree holds */
	const char *strange;  /* the name of one, "" without */
};

/* ---- notes_ref_remote.c ---- */
/* Asks git for the configuration that holds in the repository (into notes->config). */
int notes_read_config(struct notes_ref *notes, struct error *err);
int notes_choose_remote(struct notes_ref *notes, const char *wanted, struct error *err);
/* notes->env: needs the private repository, whose own view of the configuration is left out. */
int notes_make_environment(struct notes_ref *notes, struct error *err);

/* ---- notes_ref_cache.c ---- */
/* Locks the private repository (waits for others) and makes it if there is none. */
int notes_lock(struct notes_ref *notes, struct error *err);
void notes_unlock(struct notes_ref *notes);
/* This remote sends no blobs when asked for them alone; remembered until it is made anew. */
int notes_remember_unfiltered(struct notes_ref *notes, struct error *err);
/* Throws the private repository away; the next command finds a new one. Nothing is fetched. */
int notes_make_anew(struct notes_ref *notes, struct error *err);
/* Is something wrong with the private repository, not with the remote? */
bool notes_is_damaged(struct notes_ref *notes);
/* What has become old may go. */
void notes_tidy(struct notes_ref *notes);
/* git_run(), git_try() in the private repository. Messages know no user info. */
int notes_run(struct notes_ref *notes, struct git_command command, struct error *err);
int notes_try(
	struct notes_ref *notes, struct git_command command, int *exit_status, struct error *err);

/* ---- notes_ref_fetch.c ---- */
/* Brings the tip. The lock is held. */
int notes_fetch(struct notes_ref *notes, struct error *err);
/* Runs `work` (may be NULL) with the lock held and a tip fetched; once more on a private repository
 * made anew if it turns out to be damaged. */
typedef int notes_work(struct notes_ref *notes, void *data, struct error *err);
int notes_locked(struct notes_ref *notes, notes_work *work, void *data, struct error *err);
/* Adds to a failure of git what the user can do about it. */
int notes_advise(const struct notes_ref *notes, struct error *err);

/* Does the remote answer, and is the ref there? */
int notes_ask_for_ref(struct notes_ref *notes, bool *exists);

/* ---- notes_ref_read.c ---- */
/* Fills entries; does nothing if it has been done for this tip. */
int notes_index(struct notes_ref *notes, struct error *err);
/* The commit's entries: *first of them at the returned address. */
const struct note_entry *notes_find(
	const struct notes_ref *notes, const char *commit, size_t *count);
/* Brings these entries' blobs, if they are not here, in one request. */
int notes_bring(
	struct notes_ref *notes, const struct note_entry *entries, size_t count, struct error *err);

struct note_blob {
	size_t size;
	size_t start; /* in the buffer of notes_load() */
};
/* Sizes, without loading anything. */
int notes_sizes(struct notes_ref *notes, const struct note_entry *entries, size_t count,
	struct note_blob *blobs, struct error *err);
/* Loads what notes_sizes() has measured. */
int notes_load(struct notes_ref *notes, const struct note_entry *entries, size_t count,
	struct note_blob *blobs, struct strbuf *out, struct error *err);
/* One commit's entries as one note: each ends in a newline. */
void notes_join(const struct strbuf *loaded, const struct note_blob *blobs, size_t count,
	struct strbuf *out);

/* ---- notes_ref_build.c ---- */
/* One call of notes_ref_edit() or notes_ref_rewrite(). */
struct notes_writing {
	const char *const *commits; /* NULL: all that have a note, and the history goes */
	size_t count;
	const char *message;
	notes_edit *edit;
	notes_visit *visit; /* instead of edit: nothing is changed */
	void *data;
	unsigned attempts, refusals;
	uint64_t age;     /* of what was pushed, or is there */
	uint64_t step_ns; /* the shortest attempt so far */
};
/* The edited notes as a commit; *id is the tip itself if there is nothing to push. */
int notes_build(struct notes_ref *notes, struct notes_writing *writing, char id[OBJECT_ID_SIZE],
	struct error *err);

#endif
