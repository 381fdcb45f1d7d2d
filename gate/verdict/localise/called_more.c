/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/called_more.h"

#include <math.h>

static bool is_unchanged(const struct verdict_input *input, uint32_t function)
{
	return (tree_flags(input, function) & VERDICT_FUNCTION_UNCHANGED) != 0;
}

/* NAN: not known. */
static double ratio_of(const struct verdict_input *input, uint32_t function)
{
	return function == VERDICT_NONE ? NAN : input->call_ratio[function];
}

/*
 * What more calls add to each function. A caller of changed code may call as often as it likes, so
 * it says nothing of what is below. In preorder a node comes after all that leads to it.
 */
static void add_by_nodes(const struct verdict_input *input, const struct tree *tree,
	struct arena *scratch, double *added)
{
	double *more = arena_array(scratch, tree->count, sizeof(*more));

	for (size_t v = 0; v < tree->count; v++) {
		uint32_t function = tree->function[v], up = tree->parent[v];
		double ratio = ratio_of(input, function);

		if (is_unchanged(input, function))
			more[v] = !isnan(ratio) ? ratio - 1 : up != VERDICT_NONE ? more[up] : 0;
		if (function != VERDICT_NONE)
			added[function] += more[v] * tree->moments[v].base;
	}
}

static bool explains(const struct gate *gate, const struct moments *moments, double added)
{
	struct estimate estimate = stage_estimate(&gate->pooled, moments);
	double high = estimate.change + stage_half_width(&gate->pooled, &estimate);

	return added > stage_self_margin(&gate->input->policy, moments) &&
	       added >= CALLED_MORE_PART * estimate.change &&
	       added <= fmax(CALLED_MORE_MOST * estimate.change, high);
}

bool *called_more_find(const struct gate *gate, const struct tree *tree, struct arena *arena)
{
	const struct verdict_input *input = gate->input;
	bool *found = arena_array(arena, input->function_count, sizeof(*found));
	struct arena scratch = ARENA_INIT;
	double *added;

	if (!input->call_ratio)
		return found;
	added = arena_array(&scratch, input->function_count, sizeof(*added));
	add_by_nodes(input, tree, &scratch, added);
	for (uint32_t f = 0; f < input->function_count; f++)
		found[f] = explains(gate, &gate->pooled.function[f], added[f]);
	arena_release(&scratch);
	return found;
}
