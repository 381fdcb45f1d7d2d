/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording on a profile server: one profile for each piece of a round, told apart and found
 * again by the labels of its series.
 *
 *   commit, branch, benchmark, environment, type   as in baseline_key; branch may be missing
 *   recording     16 hex digits, new with each push: a push that broke off, and what a server
 *                 stored twice of another one, never mixes with it
 *   recorded      when it was measured, pushed: the time of its profiles; ns since 1970
 *   round, rounds, part, parts                     "3" of "16"; a large round has several parts
 *   sum           of the values of the recording's type in the round: a server that stored a
 *                 profile twice, or half, is found out
 *   totals        of the round, as a JSON array in the order of struct recording_round
 *   meta_0..3     on the very first piece: recording.json without rounds, gzip, base64, cut up
 *
 * The store adds __name__ and what else its server wants; there is room for 10 labels of its own.
 */
#ifndef FG_BASELINE_LABELS_H
#define FG_BASELINE_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "baseline/store.h"
#include "gate/base/strbuf.h"
#include "gate/bench/recording/recording.h"

#define LABELS_MAX_VALUE_BYTES 2000
#define LABELS_META_LABELS 4
#define LABELS_MAX_PARTS 256
#define LABELS_RECORDING_BYTES 17 /* with its NUL */

/* The names of all of them, for servers that must be told which to show; those of meta last. */
#define LABELS_MAX 18
extern const char *const labels_names[LABELS_MAX];

struct label {
	const char *name, *value;
};

struct piece_labels {
	struct baseline_key key;
	const char *branch;    /* "" unknown */
	const char *recording; /* 16 hex digits */
	int64_t time_ns, pushed_ns;
	uint32_t round, rounds, part, parts;
	int64_t sum;                   /* of the round */
	struct recording_round totals; /* of the round */
	const char *meta;              /* labels_meta_encode(); "" but on round 0, part 0 */
};

/* A fresh id for the label "recording". */
void labels_new_recording(char id[LABELS_RECORDING_BYTES]);

/*
 * Everything of the recording but its rounds and profile, as text; what does not fit is left out:
 * first moments of the heap over time, then the warnings, then the command. ERR_LIMIT if it is
 * still too long.
 */
int labels_meta_encode(const struct recording *recording, struct arena *arena, const char **text,
	struct error *err);
/* From hostile text. Release with recording_release() only after ERR_OK. */
int labels_meta_decode(const char *text, struct recording *out, struct error *err);

/*
 * The labels of one piece, sorted by name; values are UTF-8. ERR_LIMIT for one that servers would
 * refuse. Arena-owned.
 */
int labels_write(const struct piece_labels *piece, struct arena *arena, struct label **labels,
	size_t *count, struct error *err);
/*
 * Back from a series, among whose labels may be the server's own. ERR_CORRUPT for what is none of
 * ours, or does not add up. Without meta labels (not asked for) meta is "". Arena-owned.
 */
int labels_read(const struct label *labels, size_t count, struct arena *arena,
	struct piece_labels *out, struct error *err);

/* Appends name="value", quoted for a selector; a comma before it unless it is the first. */
void labels_add_matcher(struct strbuf *selector, const char *name, const char *value);

#endif
