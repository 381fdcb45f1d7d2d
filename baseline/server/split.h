/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording's profile of one round, made fit for profile servers, in pieces that they accept.
 *
 * Each piece is a whole pprof profile: ids 1..N in order, nothing that no sample uses; valid UTF-8;
 * all of the recording's value types, with names and units that every server takes; a period type;
 * time_ns as given and duration_ns the round's (at least 1: Parca calls that "delta"). Samples have
 * no labels: string labels would become series, numeric ones are lost anyway. Equal stacks are one
 * sample, samples without a value are left out.
 */
#ifndef FG_BASELINE_SPLIT_H
#define FG_BASELINE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/strbuf.h"

struct error;
struct recording;

struct split_limits {
	size_t max_bytes;   /* of a piece, uncompressed */
	size_t max_samples; /* of a piece */
	size_t max_depth;   /* of a stack: deeper ones lose their outermost frames */
};

struct split_piece {
	struct strbuf pprof; /* gzip */
	size_t bytes;        /* uncompressed */
};

struct split {
	struct split_piece *pieces;
	size_t count, capacity;
	size_t deep;     /* samples that lost frames */
	int64_t *totals; /* over all pieces, by value type of the recording's profile */
};

/*
 * At least one piece. ERR_MEASURE for a round without samples or with a negative value, ERR_USAGE
 * for value types that servers do not take, ERR_LIMIT where one sample alone is too large or there
 * would be more than LABELS_MAX_PARTS pieces. split_release() it only after ERR_OK.
 */
int split_round(const struct recording *recording, uint32_t round, int64_t time_ns,
	const struct split_limits *limits, struct split *out, struct error *err);
void split_release(struct split *split);

/* The name before the first ':' of the servers' type ids, their label __name__: "process_cpu" for
 * CPU time, as others call it; else the type's own. */
const char *split_profile_name(const struct recording *recording);
/* Appends the servers' id of one of the profile's value types:
 * "process_cpu:cpu:nanoseconds:cpu:nanoseconds". */
void split_add_type_id(const struct recording *recording, size_t type, struct strbuf *out);

#endif
