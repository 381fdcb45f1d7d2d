/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call tree: a profile folded by stack, inlined frames expanded, but for those that are more of the
 * same function (profile_frame.h). Node 0 is the root (no function);
 * nodes are in depth-first order (parent[i] < i, a subtree is contiguous) and siblings are sorted
 * by function name, file, index: equal profiles give equal trees.
 *
 * The shape does not depend on the value type: trees of one profile for different types have the
 * same nodes. Recursion stays as it is: a function may be its own ancestor, so a function's total
 * is not the sum of its nodes' totals.
 */
#ifndef FG_PROFILE_CALL_TREE_H
#define FG_PROFILE_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/profile/profile.h"

struct error;

#define CALL_TREE_ROOT_FUNCTION UINT32_MAX

struct call_tree_node {
	uint32_t parent;   /* node 0: 0 */
	uint32_t function; /* profile function index; CALL_TREE_ROOT_FUNCTION for node 0 */
	uint32_t depth;
	int64_t self, total; /* of the chosen value type */
};

struct call_tree {
	struct arena arena;
	struct call_tree_node *nodes;
	size_t node_count;
	/* The node of each sample's leaf frame, by sample index; 0 for a sample without frames. */
	uint32_t *sample_nodes;
};

struct call_tree_limits {
	size_t max_nodes, max_depth; /* 0: 2,000,000 and 1,024; past them ERR_LIMIT */
};

/*
 * tree is overwritten; call_tree_release() it, also after an error. limits may be NULL. A location
 * without lines has no function and is left out (pprof_decode() gives every location a line).
 * ERR_LIMIT also where a sum does not fit int64_t, ERR_USAGE where value_type does not exist.
 */
int call_tree_build(struct call_tree *tree, const struct profile *profile, size_t value_type,
	const struct call_tree_limits *limits, struct error *err);
void call_tree_release(struct call_tree *tree);

#endif
