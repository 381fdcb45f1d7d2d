/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a line keeps of a recording's profile: the call tree by functions, and what each node itself
 * cost in each round, in whole quanta. Private to baseline/line*.c.
 *
 * Sampled types (cpu): the quantum is the mean weight of a sample. Within a round costs are rounded
 * in preorder, each with what the ones before it left over, so every subtree's cost is right to one
 * quantum, and so is the round's. Counted types: the quantum is 1, nothing is rounded.
 */
#ifndef FG_BASELINE_LINE_TREE_H
#define FG_BASELINE_LINE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "baseline/store.h"
#include "gate/base/arena.h"

struct error;
struct recording;
struct recording_round;

#define LINE_OTHER BASELINE_OTHER

/* Of hostile lines; recordings past them are cut by line_tree_cut() before they are written. */
#define LINE_MAX_FUNCTIONS ((size_t)1 << 18)
#define LINE_MAX_NODES ((size_t)1 << 18)
#define LINE_MAX_DEPTH ((size_t)1024)
#define LINE_MAX_CELLS ((size_t)1 << 21)  /* become a sample each ... */
#define LINE_MAX_FRAMES ((size_t)1 << 26) /* ... with a stack each */
#define LINE_MAX_NAME_BYTES ((size_t)65536)
#define LINE_MAX_TEXT_BYTES ((size_t)1 << 25) /* of all names */

struct line_function {
	const char *name, *system_name, *file, *module; /* module: base name, "" unknown */
	int64_t start_line;
};

/* Preorder: a node's parent is the last one before it that is one less deep. nodes[0], the root,
 * has no function; what it cost itself are samples without frames. */
struct line_node {
	uint32_t depth, function;
};

struct line_cell {
	uint32_t node, round;
	int64_t quanta; /* > 0 */
};

struct line_tree {
	struct arena arena; /* but for the strings of a tree that was built from a recording */
	struct line_function *functions; /* sorted: module, file, line, name; each is used */
	size_t function_count;
	struct line_node *nodes;
	size_t node_count;
	struct line_cell *cells; /* by node, then by round; none twice */
	size_t cell_count;
	struct recording_round *rounds;
	int64_t *squares; /* [round]: of the samples' weights in us^2; 0 for a counted type */
	size_t round_count;
	int64_t quantum; /* in the value's unit */
	int64_t weight;  /* of a restored sample: the quantum, but for summaries (line_summary.h) */
	const char *unit;
};

/* line_tree_release() only after ERR_OK. The recording is sound (recording_check). */
int line_tree_build(struct line_tree *tree, const struct recording *recording, struct error *err);
void line_tree_release(struct line_tree *tree);

/*
 * Nodes of less than `threshold` quanta (inclusive, all rounds) go into an "(other)" beside them.
 * *left_out: how many nodes went. out is a new tree; it borrows tree's strings.
 */
void line_tree_cut(
	const struct line_tree *tree, int64_t threshold, struct line_tree *out, size_t *left_out);
/* Within the limits above. */
int line_tree_fits(const struct line_tree *tree, struct error *err);

/*
 * The profile and rounds of a recording whose other members are set; a checked tree. Each round's
 * sampled_seconds and each sample's values come from the quanta: value = quanta * quantum, samples
 * = quanta, squares = the round's in proportion. ERR_CORRUPT where a sum does not fit.
 */
int line_tree_restore(const struct line_tree *tree, struct recording *recording, struct error *err);

#endif
