/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a profile server has: pieces (labels.h), gathered into the recordings they were pushed as.
 * Only whole ones count: of a push that broke off some pieces are missing.
 */
#ifndef FG_BASELINE_PIECES_H
#define FG_BASELINE_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "baseline/server/labels.h"
#include "baseline/server/merge.h"
#include "baseline/store.h"

struct piece_list {
	struct arena arena;
	struct piece_labels *items;
	size_t count, capacity;
	size_t foreign; /* series that were none of ours */
};

/* The pieces of one push of one recording. */
struct piece_group {
	const struct piece_labels *pieces; /* sorted by round and part */
	size_t count;
	bool complete;
};

void piece_list_release(struct piece_list *list);
/* Adds a series; one that is not ours is counted. */
void piece_list_add(struct piece_list *list, const struct label *labels, size_t count);

/*
 * Sorts the list and drops what is in it twice. Groups in the order of their keys; of one key the
 * newest first (measured, then pushed). Arena-owned by the list, which must not change any more.
 */
struct piece_group *piece_list_group(struct piece_list *list, size_t *count);
/* Of all rounds, by their labels; past the end it wraps around. */
int64_t piece_group_sum(const struct piece_group *group);
/* What stands for the group in a list; strings are the list's. */
struct baseline_entry piece_group_entry(const struct piece_group *group);
/* Adds the newest whole recording of each key, and a warning for each one that is not whole. */
void piece_list_entries(
	struct piece_list *list, struct baseline_list *out, struct store_lines *warnings);
bool piece_key_equals(const struct baseline_key *a, const struct baseline_key *b);

/*
 * The recording without its profile: what meta and totals say. ERR_CORRUPT for a group that is not
 * whole, and where they contradict the key. recording_release() it only after ERR_OK.
 */
int piece_group_recording(
	const struct piece_group *group, struct recording *out, struct error *err);

/*
 * A profile being put together from what a server gives back. Types of CPU recordings are known
 * (profile.h); others are the server's, and must name the recording's own.
 */
struct merge *piece_merge_new(const struct recording *recording,
	const struct profile_value_type *types, size_t count, struct error *err);
/* Gives the recording its profile and checks whether all adds up: each round to its label "sum"
 * (ERR_CORRUPT), and recording_check(). */
int piece_merge_finish(struct merge *merge, const struct piece_group *group,
	struct recording *recording, struct error *err);

#endif
