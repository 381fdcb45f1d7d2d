/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of profiles: samples with the same stack and the same labels become one. Used for ranges of
 * time that a server hands out in pieces, and to put a recording together from its rounds and value
 * types.
 */
#ifndef FG_BASELINE_MERGE_H
#define FG_BASELINE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/profile/profile.h"

struct error;

#define MERGE_MAX_SAMPLES ((size_t)4000000)

/* How one profile is added. All 0 and NULL: every sample, as it is. */
struct merge_rule {
	/* By value type of the source: where it goes in the sum, -1 nowhere. NULL: to the type of
	 * the same name and unit. */
	const int *columns;
	bool drop_labels;
	bool only_round; /* samples whose label "round" is `round` */
	bool set_round;  /* the samples get the label "round" instead of their own labels */
	int64_t round;
	size_t max_depth; /* 0: any; else the outermost frames are cut off */
	size_t *cut;      /* counts samples that were; may be NULL */
};

struct merge;
/* A type that comes twice is one. */
struct merge *merge_new(const struct profile_value_type *types, size_t count, size_t default_type);
void merge_free(struct merge *merge);

/*
 * ERR_CORRUPT where the sum has no such value type, ERR_LIMIT past MERGE_MAX_SAMPLES or where a sum
 * does not fit; then only merge_free() may follow.
 */
int merge_add(struct merge *merge, const struct profile *profile, const struct merge_rule *rule,
	struct error *err);

/*
 * The sum: samples in the order of their first appearance, those without a value left out. Time,
 * duration, period and comments are the caller's to set. The merge is empty afterwards (and still
 * to be freed); the caller owns the profile.
 */
struct profile *merge_take(struct merge *merge);

#endif
