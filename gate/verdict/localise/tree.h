/* SPDX-License-Identifier: Apache-2.0 */
/* The call tree as the shift finder and localisation walk it. */
#ifndef FG_VERDICT_TREE_H
#define FG_VERDICT_TREE_H

#include "gate/verdict/stage.h"
#include "gate/verdict/verdict.h"

/* Without a call tree in the input, every function is a node without a parent. */
struct tree {
	bool real;
	size_t count, row; /* row: pairs per row of cells */
	uint32_t *parent;  /* VERDICT_NONE for the root and without a tree */
	uint32_t *end;     /* the subtree of v is v .. end[v] - 1 */
	const uint32_t *function;
	const struct verdict_cell *self[2];
	struct moments *moments; /* of each node's self cost, all pairs */
};

/* pooled: both stages' pairs. */
void tree_init(struct tree *tree, const struct verdict_input *input, const struct stage *pooled,
	struct arena *arena);

/* 0 where the input has no flags or the function is unknown. */
uint8_t tree_flags(const struct verdict_input *input, uint32_t function);

void tree_add_self(const struct tree *tree, size_t node, struct moments_sum *sum);

#endif
