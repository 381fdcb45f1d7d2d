/* SPDX-License-Identifier: Apache-2.0 */
/* Call-tree edges as pairs (caller's function, callee's function), over all contexts. */
#ifndef FG_VERDICT_EDGES_H
#define FG_VERDICT_EDGES_H

#include "gate/verdict/localise/tree.h"

/* Sets edge[node] to the number of the pair, 0 .. returned count - 1. */
size_t edges_number(const struct tree *tree, struct arena *arena, uint32_t *edge);

/* Sets outermost[node]: no ancestor has the same edge. */
void edges_outermost(const struct tree *tree, const uint32_t *edge, size_t edge_count,
	struct arena *arena, bool *outermost);

#endif
