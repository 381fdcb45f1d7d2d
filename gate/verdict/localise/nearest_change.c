/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/nearest_change.h"

static bool is_touched(const struct links *links, uint32_t node)
{
	uint8_t flags = tree_flags(links->input, links->tree->function[node]);

	return (flags & VERDICT_FUNCTION_TOUCHED) != 0;
}

/* One pass down and one up, so that deep recursion stays linear. */
static void look_up(struct links *links)
{
	for (uint32_t v = 0; v < links->tree->count; v++) {
		uint32_t up = links->tree->parent[v];

		links->above[v] = VERDICT_NONE;
		if (up == VERDICT_NONE)
			continue;
		if (is_touched(links, up)) {
			links->above[v] = up;
			links->up[v] = 1;
		} else if (links->above[up] != VERDICT_NONE) {
			links->above[v] = links->above[up];
			links->up[v] = links->up[up] + 1;
		}
	}
}

static void offer_below(struct links *links, uint32_t up, uint32_t found, uint32_t distance)
{
	const struct moments *moments = links->tree->moments;
	uint32_t known = links->below[up];

	if (found == VERDICT_NONE || (known != VERDICT_NONE && links->down[up] < distance))
		return;
	if (known != VERDICT_NONE && links->down[up] == distance &&
		moments[known].mean >= moments[found].mean)
		return;
	links->below[up] = found;
	links->down[up] = distance;
}

static void look_down(struct links *links)
{
	for (size_t v = 0; v < links->tree->count; v++)
		links->below[v] = VERDICT_NONE;
	for (uint32_t v = (uint32_t)links->tree->count; v-- > 0;) {
		uint32_t up = links->tree->parent[v];

		if (up == VERDICT_NONE)
			continue;
		if (is_touched(links, v))
			offer_below(links, up, v, 1);
		else
			offer_below(links, up, links->below[v], links->down[v] + 1);
	}
}

void links_init(struct links *links, const struct verdict_input *input, const struct tree *tree,
	struct arena *arena)
{
	*links = (struct links){.tree = tree, .input = input};
	links->above = arena_array(arena, tree->count, sizeof(*links->above));
	links->below = arena_array(arena, tree->count, sizeof(*links->below));
	links->up = arena_array(arena, tree->count, sizeof(*links->up));
	links->down = arena_array(arena, tree->count, sizeof(*links->down));
	look_up(links);
	look_down(links);
}

struct offer {
	enum verdict_link_kind kind;
	uint32_t node, distance;
	double grown; /* of the context */
};

static bool is_better(const struct offer *offer, const struct offer *best)
{
	if (offer->node == VERDICT_NONE || best->kind == VERDICT_LINK_NONE)
		return offer->node != VERDICT_NONE;
	if (offer->distance != best->distance)
		return offer->distance < best->distance;
	if (offer->kind != best->kind)
		return offer->kind == VERDICT_LINK_CALLER;
	return offer->grown > best->grown;
}

struct verdict_link links_nearest(const struct links *links, uint32_t function)
{
	const struct tree *tree = links->tree;
	struct offer best = {.kind = VERDICT_LINK_NONE};

	if (tree_flags(links->input, function) & VERDICT_FUNCTION_TOUCHED)
		return (struct verdict_link){VERDICT_LINK_SELF, function, 0};
	for (size_t v = 0; v < tree->count; v++) {
		double grown = tree->moments[v].mean;
		struct offer above = {VERDICT_LINK_CALLER, links->above[v], links->up[v], grown};
		struct offer below = {VERDICT_LINK_CALLEE, links->below[v], links->down[v], grown};

		if (tree->function[v] != function)
			continue;
		if (is_better(&above, &best))
			best = above;
		if (is_better(&below, &best))
			best = below;
	}
	if (best.kind == VERDICT_LINK_NONE)
		return (struct verdict_link){VERDICT_LINK_NONE, VERDICT_NONE, 0};
	return (struct verdict_link){best.kind, tree->function[best.node], best.distance};
}
