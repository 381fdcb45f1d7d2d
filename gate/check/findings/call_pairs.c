/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/findings/call_pairs.h"

#include <stdlib.h>

static struct call_pair *find_pair(struct call_pairs *pairs, uint32_t caller, uint32_t callee)
{
	uint32_t key[2] = {caller, callee};
	bool added;
	uint32_t id = map_intern(&pairs->index, key, sizeof(key), (uint32_t)pairs->count, &added);

	if (added) {
		pairs->items = grow_array(
			pairs->items, &pairs->capacity, pairs->count + 1, sizeof(*pairs->items));
		pairs->items[pairs->count++] =
			(struct call_pair){.caller = caller, .callee = callee};
	}
	return &pairs->items[id];
}

void call_pairs_init(struct call_pairs *pairs, const struct comparison *comparison)
{
	const struct comparison_node *nodes = comparison->nodes;

	*pairs = (struct call_pairs){.count = 0};
	map_init(&pairs->index);
	for (size_t v = 1; v < comparison->node_count; v++) {
		struct call_pair *pair;

		if (!nodes[v].parent)
			continue;
		pair = find_pair(pairs, nodes[nodes[v].parent].function, nodes[v].function);
		for (int version = 0; version < VERSION_COUNT; version++)
			pair->total[version] += nodes[v].total[version];
	}
}

void call_pairs_release(struct call_pairs *pairs)
{
	map_release(&pairs->index);
	free(pairs->items);
}

double call_pairs_total(
	const struct call_pairs *pairs, int version, uint32_t caller, uint32_t callee)
{
	uint32_t key[2] = {caller, callee}, id = map_get(&pairs->index, key, sizeof(key));

	return id == MAP_NONE ? 0 : pairs->items[id].total[version];
}
