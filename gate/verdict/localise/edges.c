/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/edges.h"

#include <stdlib.h>

struct numbered {
	uint64_t pair;
	uint32_t node;
};

static int compare_numbered(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;

	if (a->pair != b->pair)
		return a->pair < b->pair ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static uint64_t pair_of(const struct tree *tree, size_t node)
{
	uint32_t up = tree->parent[node];
	uint32_t caller = up == VERDICT_NONE ? VERDICT_NONE : tree->function[up];

	return (uint64_t)caller << 32 | tree->function[node];
}

size_t edges_number(const struct tree *tree, struct arena *arena, uint32_t *edge)
{
	struct numbered *sorted = arena_array(arena, tree->count, sizeof(*sorted));
	size_t edges = 0;

	for (size_t v = 0; v < tree->count; v++)
		sorted[v] = (struct numbered){pair_of(tree, v), (uint32_t)v};
	qsort(sorted, tree->count, sizeof(*sorted), compare_numbered);
	for (size_t i = 0; i < tree->count; i++) {
		edges += i == 0 || sorted[i].pair != sorted[i - 1].pair;
		edge[sorted[i].node] = (uint32_t)(edges - 1);
	}
	return edges;
}

/* Walks in preorder with the open path's edges counted, so that deep recursion stays linear. */
void edges_outermost(const struct tree *tree, const uint32_t *edge, size_t edge_count,
	struct arena *arena, bool *outermost)
{
	uint32_t *open = arena_array(arena, edge_count, sizeof(*open));
	uint32_t top = VERDICT_NONE;

	for (uint32_t v = 0; v < tree->count; v++) {
		while (top != tree->parent[v] && top != VERDICT_NONE) {
			open[edge[top]]--;
			top = tree->parent[top];
		}
		outermost[v] = open[edge[v]]++ == 0;
		top = v;
	}
}
