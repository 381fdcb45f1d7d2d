/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A benchmark small enough to be sent around: the call tree cut down to its larger nodes. What is
 * notable, a culprit, or on the way to one is never dropped, whatever the limit. A parent's dropped
 * children (with all below them) become one node without a function, "(other)", so that totals
 * still add up. Functions that nothing names any more are dropped when there are too many, and so
 * are the smallest findings of a stored baseline.
 */
#ifndef FG_REPORT_PRUNE_H
#define FG_REPORT_PRUNE_H

#include <stddef.h>

struct arena;
struct error;
struct result_benchmark;

#define PRUNE_MAX_NODES 20000u
#define PRUNE_MAX_FUNCTIONS 20000u
#define PRUNE_MAX_PROFILE_NODES 10000u /* of another profile type */
#define PRUNE_LEAST_PROFILE_NODES 100u /* with fewer it is left out */
#define PRUNE_MAX_LABEL_COSTS 100000u  /* of a benchmark's trees */
#define PRUNE_MAX_FINDINGS 1000u       /* of a stored baseline */

/*
 * Fills *out with a copy that shares what did not change with `in` and has the rest in the arena.
 * What was folded is said in out->excluded. ERR_CORRUPT if a node's parent does not come before it
 * or an index is out of range.
 */
int prune_benchmark(const struct result_benchmark *in, size_t max_nodes, size_t max_functions,
	struct arena *arena, struct result_benchmark *out, struct error *err);

/*
 * Keeps the culprits' source within the limits of result.h and max_bytes of text: the worst
 * culprits' first, lines cut.
 */
void prune_sources(struct result_benchmark *out, size_t max_bytes, struct arena *arena);

/*
 * Cuts the trees of out->profiles down to max_nodes each, into the arena, and says so in
 * out->excluded. Below PRUNE_LEAST_PROFILE_NODES none stays. ERR_CORRUPT as prune_benchmark().
 */
int prune_profiles(
	struct result_benchmark *out, size_t max_nodes, struct arena *arena, struct error *err);
/*
 * Leaves out labels, rounds before regions and those of profiles first, until all trees' have
 * max_costs together, and says so in out->excluded.
 */
void prune_labels(struct result_benchmark *out, size_t max_costs, struct arena *arena);
/* A line more in out->excluded. */
void prune_say(struct result_benchmark *out, struct arena *arena, const char *line);

#endif
