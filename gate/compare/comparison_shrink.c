/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of more nodes than there is room for: which ones stay. */
#include "gate/compare/comparison_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OMITTED_CELLS ((size_t)1 << 20)

/* The larger of its shares of base and head: versions may have run for different times. */
static double share_of(const struct builder *builder, const struct comparison_node *node)
{
	double share = 0;

	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		double all = builder->version_total[version];

		if (all > 0)
			share = fmax(share, fabs(node->total[version]) / all);
	}
	return share;
}

/* No node weighs less than what is below it, even where values are negative. */
static double *weigh(const struct builder *builder)
{
	double *weights = xcalloc(builder->node_count, sizeof(*weights));

	for (size_t i = builder->node_count; i-- > 0;) {
		uint32_t parent = builder->nodes[i].parent;

		weights[i] = fmax(weights[i], share_of(builder, &builder->nodes[i]));
		if (i)
			weights[parent] = fmax(weights[parent], weights[i]);
	}
	return weights;
}

static int compare_descending(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

/* The weight of the last that stays. */
static double least_kept(const double *weights, size_t count, size_t keep)
{
	double *sorted = xcalloc(count, sizeof(*sorted)), least;

	memcpy(sorted, weights, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_descending);
	least = sorted[keep - 1];
	free(sorted);
	return least;
}

static size_t count_above(const double *weights, size_t count, double least)
{
	size_t above = 0;

	for (size_t i = 0; i < count; i++)
		above += weights[i] > least;
	return above;
}

static void keep_node(struct builder *builder, uint32_t old, uint32_t *renamed)
{
	struct comparison_node node = builder->nodes[old];
	uint32_t key[2] = {renamed[node.parent], node.function};
	uint32_t id = (uint32_t)builder->node_count++;

	node.parent = old ? key[0] : 0;
	renamed[old] = id;
	builder->nodes[id] = node;
	if (old)
		map_put(&builder->children, key, sizeof(key), id);
}

/*
 * Parents are met before their children and weigh no less, so that with ties given to who was met
 * first a node stays only if its parent does.
 */
void comparison_shrink(struct builder *builder, size_t keep)
{
	size_t count = builder->node_count, ties;
	uint32_t *renamed = xcalloc(count, sizeof(*renamed));
	double *weights = weigh(builder), least = least_kept(weights, count, keep);

	ties = keep - count_above(weights, count, least);
	map_release(&builder->children);
	builder->node_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (weights[i] > least || (weights[i] == least && ties && ties--))
			keep_node(builder, i, renamed);
	}
	builder->shrunk = true;
	free(weights);
	free(renamed);
}

/* ---- what was left out ----------------------------------------------------------------------- */

/* Many nodes share a cell, so the largest cell is no less than the largest node. */
void comparison_note_omitted(
	struct builder *builder, int version, uint32_t parent, uint32_t function, double value)
{
	uint32_t key[2] = {parent, function};

	if (!builder->omitted[version])
		builder->omitted[version] =
			xcalloc(OMITTED_CELLS, sizeof(*builder->omitted[version]));
	builder->omitted[version][hash_bytes(key, sizeof(key), 0) % OMITTED_CELLS] += fabs(value);
}

double comparison_omitted_share(const struct builder *builder)
{
	double share = 0;

	for (int version = 0; version < COMPARE_VERSIONS; version++)
		for (size_t i = 0; builder->omitted[version] && i < OMITTED_CELLS; i++)
			share = fmax(share,
				builder->omitted[version][i] / builder->version_total[version]);
	return share;
}
