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

#include "gate/base/error.h"
#include "gate/check/result.h"

#define PRUNE_MAX_NODES 20000u
#define PRUNE_MAX_FUNCTIONS 20000u
#define PRUNE_MAX_FINDINGS 1000u /* of a stored baseline */

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

#endif
