/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call tree made smaller: cheap nodes go into an "(other)" beside them. And whether a tree is
 * within the limits of a line.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/line/line_tree.h"
#include "baseline/line/line_tree_internal.h"
#include "gate/base/error.h"

/* The nodes on the way to the node at hand, by depth. */
struct line_path {
	uint32_t *nodes;
	size_t capacity;
};

static uint32_t path_enter(struct line_path *path, uint32_t depth, uint32_t node)
{
	path->nodes = grow_array(path->nodes, &path->capacity, (size_t)depth + 1, sizeof(node));
	path->nodes[depth] = node;
	return depth ? path->nodes[depth - 1] : 0;
}

static uint32_t *find_parents(const struct line_tree *tree)
{
	uint32_t *parents = xcalloc(tree->node_count, sizeof(*parents));
	struct line_path path = {0};

	for (size_t i = 0; i < tree->node_count; i++)
		parents[i] = path_enter(&path, tree->nodes[i].depth, (uint32_t)i);
	free(path.nodes);
	return parents;
}

static int64_t *sum_totals(const struct line_tree *tree, const uint32_t *parents)
{
	int64_t *totals = xcalloc(tree->node_count, sizeof(*totals));

	for (size_t i = 0; i < tree->cell_count; i++)
		totals[tree->cells[i].node] += tree->cells[i].quanta;
	for (size_t i = tree->node_count; i-- > 1;)
		totals[parents[i]] += totals[i];
	return totals;
}

/*
 * numbers[i]: where node i's cost goes in out. A node that goes has its parent's "(other)", which
 * follows its parent at once, or that of the nearest ancestor that stays.
 */
static void place_nodes(const struct line_tree *tree, const uint32_t *parents,
	const int64_t *totals, int64_t threshold, struct line_tree *out, uint32_t *numbers)
{
	bool *stays = xcalloc(tree->node_count, sizeof(*stays));
	bool *has_other = xcalloc(tree->node_count, sizeof(*has_other));

	for (size_t i = 0; i < tree->node_count; i++) {
		stays[i] = !i || (stays[parents[i]] && totals[i] >= threshold);
		has_other[parents[i]] |= !stays[i] && stays[parents[i]];
	}
	for (size_t i = 0; i < tree->node_count; i++) {
		const struct line_node *node = &tree->nodes[i];
		uint32_t parent = numbers[parents[i]];

		numbers[i] = stays[i] ? (uint32_t)out->node_count : parent + stays[parents[i]];
		if (!stays[i])
			continue;
		out->nodes[out->node_count++] = *node;
		if (has_other[i])
			out->nodes[out->node_count++] =
				(struct line_node){node->depth + 1, (uint32_t)tree->function_count};
	}
	free(stays);
	free(has_other);
}

static void move_cells(const struct line_tree *tree, const uint32_t *numbers, struct line_tree *out)
{
	out->cells = arena_array(&out->arena, tree->cell_count, sizeof(*out->cells));
	for (size_t i = 0; i < tree->cell_count; i++) {
		out->cells[i] = tree->cells[i];
		out->cells[i].node = numbers[tree->cells[i].node];
	}
	out->cell_count = line_cells_unite(out->cells, tree->cell_count);
}

void line_tree_cut(
	const struct line_tree *tree, int64_t threshold, struct line_tree *out, size_t *left_out)
{
	uint32_t *parents = find_parents(tree);
	int64_t *totals = sum_totals(tree, parents);
	uint32_t *numbers = xcalloc(tree->node_count, sizeof(*numbers));
	size_t functions = tree->function_count, others = 0;

	*out = *tree;
	arena_init(&out->arena);
	out->node_count = 0;
	out->nodes = arena_array(&out->arena, 2 * tree->node_count, sizeof(*out->nodes));
	out->functions = arena_array(&out->arena, functions + 1, sizeof(*out->functions));
	memcpy(out->functions, tree->functions, functions * sizeof(*out->functions));
	out->functions[functions] = (struct line_function){LINE_OTHER, "", "", "", 0};
	out->function_count = functions + 1;
	place_nodes(tree, parents, totals, threshold, out, numbers);
	for (size_t i = 0; i < out->node_count; i++)
		others += i && out->nodes[i].function == functions;
	*left_out = tree->node_count + others - out->node_count;
	move_cells(tree, numbers, out);
	line_tree_order_functions(out);
	free(parents);
	free(totals);
	free(numbers);
}

static size_t text_bytes(const struct line_tree *tree, size_t *longest)
{
	size_t sum = 0;

	*longest = 0;
	for (size_t i = 0; i < tree->function_count; i++) {
		const char *texts[] = {tree->functions[i].name, tree->functions[i].system_name,
			tree->functions[i].file, tree->functions[i].module};

		for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
			size_t length = strlen(texts[j]);

			sum += length;
			*longest = *longest > length ? *longest : length;
		}
	}
	return sum;
}

int line_tree_fits(const struct line_tree *tree, struct error *err)
{
	size_t frames = 0, depth = 0, longest, text = text_bytes(tree, &longest);

	for (size_t i = 0; i < tree->node_count; i++)
		depth = depth > tree->nodes[i].depth ? depth : tree->nodes[i].depth;
	for (size_t i = 0; i < tree->cell_count; i++)
		frames += tree->nodes[tree->cells[i].node].depth;
	const struct {
		size_t is, most;
		const char *what;
	} limits[] = {
		{tree->function_count, LINE_MAX_FUNCTIONS, "functions"},
		{tree->node_count, LINE_MAX_NODES, "call-tree nodes"},
		{depth, LINE_MAX_DEPTH, "frames in a stack"},
		{tree->cell_count, LINE_MAX_CELLS, "costs of nodes in rounds"},
		{frames, LINE_MAX_FRAMES, "frames"},
		{longest, LINE_MAX_NAME_BYTES, "bytes in a name"},
		{text, LINE_MAX_TEXT_BYTES, "bytes of names"},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i].is > limits[i].most)
			return error_set(
				err, ERR_LIMIT, "more than %zu %s", limits[i].most, limits[i].what);
	return ERR_OK;
}
