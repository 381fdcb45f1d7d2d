/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store keeps baselines: recordings of a commit, by benchmark, profile type and environment. One
 * interface, and one folder for each kind of store:
 *
 *   notes:[REMOTE]                git notes (refs/notes/flamegate) of the remote; default: origin,
 *                                 else the repository itself. "notes" alone is fine; notes:. is the
 *                                 repository itself
 *   dir:PATH                      a folder: an artifact, a cache, a network share
 *   pyroscope[s]://HOST[:PORT]    a Pyroscope server; s: by TLS. [?service=NAME]
 *   parca[s]://HOST[:PORT]        a Parca server
 *
 * What comes out of a store is hostile: it is checked like any file, what cannot be trusted is
 * skipped with a warning, and nothing of it is a command, a path or a policy.
 */
#ifndef FG_BASELINE_STORE_H
#define FG_BASELINE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/vcs/repo.h"

struct error;
struct recording;

/* What names one baseline. Strings are never NULL. */
struct baseline_key {
	const char *commit;       /* full hex id */
	const char *benchmark;    /* as in the configuration */
	const char *profile_type; /* "cpu", "instructions", ... */
	const char *environment;  /* fingerprint_id() of where it was recorded */
};

/* How much of the recording a store still has. */
enum baseline_detail {
	BASELINE_EXACT, /* the recording as it was */
	BASELINE_TREE,  /* the call tree with its rounds; weights rounded to the sampling quantum */
	BASELINE_SUMMARY, /* the hottest functions only */
	BASELINE_SERVER,  /* what a profile server gave back; see the store's losses */
};

/* The function that stands for all that a tree or a summary left out. */
#define BASELINE_OTHER "(other)"

struct baseline_entry {
	struct baseline_key key;
	int64_t time_ns; /* when it was measured, since 1970 */
	enum baseline_detail detail;
	size_t rounds;
	double cpu_seconds; /* mean per run; 0 unknown */
	size_t bytes;       /* it takes in the store; 0 unknown */
};

/* A growing list of plain strings; owner: who has the struct. */
struct store_lines {
	struct arena arena;
	const char **items;
	size_t count, capacity;
};
void store_lines_add(struct store_lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void store_lines_release(struct store_lines *lines);

struct baseline_list {
	struct arena arena;
	struct baseline_entry *entries; /* sorted by commit's newest entry (newest first),
					   benchmark, type, environment */
	size_t count;
};
void baseline_list_release(struct baseline_list *list);

struct store_options {
	struct repo *repo;       /* notes: needed; others: NULL is fine */
	const char *credentials; /* prefix of the variables, see http.h; NULL: the default */
	const char *branch;      /* of what is pushed; NULL or "" unknown */
	uint64_t timeout_ns;     /* of one network operation; 0: 60 s for servers, 10 min for git */
	void (*progress)(void *data, const char *line); /* may be NULL */
	void *progress_data;
};

struct store; /* opaque: see store_internal.h */

/* Nothing is contacted yet. ERR_USAGE for a URL that names no store. options are borrowed until
 * close. */
int store_open(const char *url, const struct store_options *options, struct store **out,
	struct error *err);
void store_close(struct store *store);
/* For people, without credentials: "git notes of origin", "http://127.0.0.1:4040". */
const char *store_name(const struct store *store);
/* Warnings gathered so far: what was skipped and why. Owned by the store. */
const struct store_lines *store_warnings(const struct store *store);
/* What this kind of store loses or rounds, one sentence each, for the report; static strings,
 * NULL-terminated. */
const char *const *store_losses(const struct store *store);

/*
 * Adds recordings (each names its commit, benchmark, type and environment), all or nothing where
 * the store can do that. An existing one with the same key is replaced if it is older. *attempts
 * (may be NULL) tells how often a concurrent writer made us start over, plus one. ERR_OK means: it
 * is there.
 */
int store_put(struct store *store, const struct recording *const *recordings, size_t count,
	unsigned *attempts, struct error *err);

/*
 * What there is for one commit (full id), or for all (NULL). `full`: also what can only be told by
 * reading each entry (detail, rounds, bytes, time); without it a store may leave those 0 where that
 * is dear.
 */
int store_list(struct store *store, const char *commit, bool full, struct baseline_list *out,
	struct error *err);

/*
 * Which of these commits (nearest first) have any entry: found[i]. One look-up for all of them
 * where the store can.
 */
int store_find(struct store *store, const char *const *commits, size_t count, bool *found,
	struct error *err);

/*
 * One baseline; of several with the same key the newest. ERR_NOT_FOUND if there is none.
 * key->environment NULL: any, newest first. *detail tells what is left of it. recording_release()
 * it.
 */
int store_get(struct store *store, const struct baseline_key *key, struct recording *out,
	enum baseline_detail *detail, struct error *err);

struct store_prune_result {
	size_t kept_full, summarised, dropped; /* entries */
	size_t bytes_before, bytes_after;      /* 0 unknown */
};
/*
 * Keeps full entries for the newest `keep` commits, summaries for older ones. only_if_needed: do
 * nothing unless the store has grown enough to be worth it (then *result is all 0). ERR_USAGE where
 * the store's own retention decides (with only_if_needed ERR_OK: there it never is).
 */
int store_prune(struct store *store, size_t keep, bool only_if_needed,
	struct store_prune_result *result, struct error *err);

struct store_verify_result {
	size_t entries; /* baselines that were read, good and bad */
	size_t bad;     /* of these: damaged, or not to be believed */
	size_t unread;  /* what else lies there: another tool's, of a newer format, too large */
};
/* Reads everything and checks it, older ones of a key too; what is bad or unread is a warning. */
int store_verify(struct store *store, struct store_verify_result *result, struct error *err);

#endif
