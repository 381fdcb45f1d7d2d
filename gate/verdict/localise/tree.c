/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/tree.h"

static void link_nodes(struct tree *tree, const struct verdict_input *input)
{
	for (size_t v = 0; v < tree->count; v++) {
		tree->parent[v] = v && tree->real ? input->node_parent[v] : VERDICT_NONE;
		tree->end[v] = (uint32_t)v + 1;
	}
	for (size_t v = tree->count; v-- > 1;)
		if (tree->real && tree->end[v] > tree->end[tree->parent[v]])
			tree->end[tree->parent[v]] = tree->end[v];
}

static const uint32_t *identity(size_t count, struct arena *arena)
{
	uint32_t *numbers = arena_array(arena, count, sizeof(*numbers));

	for (size_t i = 0; i < count; i++)
		numbers[i] = (uint32_t)i;
	return numbers;
}

void tree_init(struct tree *tree, const struct verdict_input *input, const struct stage *pooled,
	struct arena *arena)
{
	tree->real = input->node_count > 0;
	tree->row = input->pairs;
	tree->count = tree->real ? input->node_count : input->function_count;
	tree->function = tree->real ? input->node_function : identity(tree->count, arena);
	tree->parent = arena_array(arena, tree->count, sizeof(*tree->parent));
	tree->end = arena_array(arena, tree->count, sizeof(*tree->end));
	for (int version = 0; version < 2; version++)
		tree->self[version] = tree->real ? input->node_self[version] : input->self[version];
	link_nodes(tree, input);
	tree->moments = arena_array(arena, tree->count, sizeof(*tree->moments));
	for (size_t v = 0; v < tree->count; v++)
		moments_of_row(&pooled->pairs, tree->self[0] + v * tree->row,
			tree->self[1] + v * tree->row, &tree->moments[v]);
}

uint8_t tree_flags(const struct verdict_input *input, uint32_t function)
{
	if (!input->function_flags || function == VERDICT_NONE)
		return 0;
	return input->function_flags[function];
}

void tree_add_self(const struct tree *tree, size_t node, struct moments_sum *sum)
{
	moments_sum_add(sum, tree->self[0] + node * tree->row, tree->self[1] + node * tree->row);
}
