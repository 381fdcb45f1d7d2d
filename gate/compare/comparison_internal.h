/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by comparison.c (the tree), comparison_shrink.c and comparison_fill.c (what each pair
 * spent where). */
#ifndef FG_COMPARE_COMPARISON_INTERNAL_H
#define FG_COMPARE_COMPARISON_INTERNAL_H

#include "gate/compare/comparison.h"

/* Where a profile keeps its numbers; -1: it has none. */
struct sample_values {
	int value, count, squares;
	double scale; /* to seconds */
};

struct builder {
	struct comparison *out;
	const struct profile *profile[COMPARE_VERSIONS];
	struct sample_values values[COMPARE_VERSIONS];
	size_t max_nodes;
	double version_total[COMPARE_VERSIONS]; /* of all samples' values, without signs */
	bool shrunk;                            /* nodes were dropped */
	bool complete;                          /* no more nodes are made */
	double *omitted[COMPARE_VERSIONS];      /* of those that would be, in cells; NULL: none */
	bool pooled;                            /* no replication: every sample is of pair 0 */
	struct map children;                    /* (parent, function) -> node, numbered as met */
	struct comparison_node *nodes;
	size_t node_count, node_capacity;
	uint32_t *renamed; /* node as met -> node in preorder */
	uint32_t *path;    /* scratch of sample_path() */
	size_t path_capacity;
	uint32_t leaf_inlining; /* by which the last path's leaf is none of its own, or
				   INLINING_NONE */
};

/* The sample's pair; 0 when pooled. Negative when its label is. */
int64_t sample_pair(const struct builder *builder, const struct profile_sample *sample);
/* One sample as a cell: seconds, squared seconds, samples. */
struct verdict_cell sample_cell(
	const struct sample_values *values, const struct profile_sample *sample);
void cell_add(struct verdict_cell *sum, const struct verdict_cell *cell);
/* Writes builder->path, outermost function first, and returns its length. Parts are not on it. */
size_t sample_path(struct builder *builder, int version, const struct profile_sample *sample);

/* The node as it was met, or MAP_NONE: there is none, or it was dropped. */
uint32_t node_child(const struct builder *builder, uint32_t parent, uint32_t function);

/* ---- comparison_shrink.c ---- */
/*
 * Drops the smallest nodes until `keep` (less than there are, at least one) are left. Nodes are
 * numbered anew; what is left has lost nothing.
 */
void comparison_shrink(struct builder *builder, size_t keep);
/* A sample's value in a child that has no node. */
void comparison_note_omitted(
	struct builder *builder, int version, uint32_t parent, uint32_t function, double value);
/* No such child takes more than this share of its version. */
double comparison_omitted_share(const struct builder *builder);

/* Second pass over the samples, once the tree stands: cells of functions and tested nodes, lines,
 * modules. */
void comparison_fill(struct builder *builder);

#endif
