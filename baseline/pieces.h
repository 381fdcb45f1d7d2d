/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recordings that a profile server has, put together from the labels of its series (labels.h):
 * the same for every kind of server.
 */
#ifndef FG_BASELINE_PIECES_H
#define FG_BASELINE_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "baseline/labels.h"

struct pieces {
	struct arena arena;
	struct piece_labels *items;
	size_t count, capacity;
};
#define PIECES_INIT {.arena = ARENA_INIT}
void pieces_release(struct pieces *pieces);

/* One series. ERR_CORRUPT for what is none of ours, which is not added. */
int pieces_add(struct pieces *pieces, const struct label *labels, size_t count, struct error *err);
/*
 * Sorts them and drops recordings that are not whole (a push that broke off): each block must have
 * each part once, and the first piece its meta if `with_meta`. Returns how many were dropped.
 */
size_t pieces_keep_whole(struct pieces *pieces, bool with_meta);

/* The pieces of one recording, by block and part. */
struct pieces_recording {
	const struct piece_labels *items;
	size_t count;
};
/* Of whole recordings, from *at (0 at first) on; false after the last. */
bool pieces_next(const struct pieces *pieces, size_t *at, struct pieces_recording *recording);
/* The newest with this key; key->environment NULL: any. */
bool pieces_find(const struct pieces *pieces, const struct baseline_key *key,
	struct pieces_recording *recording);
/* Adds an entry for each key, of its newest recording. */
void pieces_list(const struct pieces *pieces, struct baseline_list *out);

/*
 * The recording of its labels and the profile that the server gave back (label "block" set), which
 * is taken over, also after an error. ERR_CORRUPT where labels and meta contradict each other.
 */
int pieces_rebuild(const struct pieces_recording *recording, struct profile *profile,
	struct recording *out, struct error *err);

#endif
