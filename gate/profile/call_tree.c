/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/call_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/map.h"
#include "gate/profile/profile_frame.h"

#define DEFAULT_MAX_NODES 2000000
#define DEFAULT_MAX_DEPTH 1024

/*
 * Samples are first folded into nodes in the order in which they are met; sorting comes once, at
 * the end, when the number of nodes is far below the number of frames.
 */
struct builder {
	const struct profile *profile;
	size_t max_nodes, max_depth;
	struct call_tree_node *nodes; /* unsorted */
	size_t node_count, node_capacity;
	uint32_t *sample_nodes; /* indices of unsorted nodes */
	/* Open addressing on (parent, function): a node's index, or 0 for free. Power of two. */
	uint32_t *slots;
	size_t slot_count;
};

static size_t slot_of(const struct builder *b, uint32_t parent, uint32_t function)
{
	uint64_t key = (uint64_t)parent << 32 | function;

	/* Fibonacci hashing, with the high bits folded into those that the mask keeps. */
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(key ^ key >> 32) & (b->slot_count - 1);
}

static uint32_t *find_slot(const struct builder *b, uint32_t parent, uint32_t function)
{
	size_t i = slot_of(b, parent, function);

	for (; b->slots[i]; i = (i + 1) & (b->slot_count - 1)) {
		const struct call_tree_node *node = &b->nodes[b->slots[i]];

		if (node->parent == parent && node->function == function)
			break;
	}
	return &b->slots[i];
}

static void grow_slots(struct builder *b)
{
	free(b->slots);
	b->slot_count = b->slot_count ? b->slot_count * 2 : 1024;
	b->slots = xcalloc(b->slot_count, sizeof(*b->slots));
	for (size_t i = 1; i < b->node_count; i++)
		*find_slot(b, b->nodes[i].parent, b->nodes[i].function) = (uint32_t)i;
}

static uint32_t append_node(struct builder *b, uint32_t parent, uint32_t function)
{
	uint32_t depth = b->node_count ? b->nodes[parent].depth + 1 : 0;

	b->nodes = grow_array(b->nodes, &b->node_capacity, b->node_count + 1, sizeof(*b->nodes));
	b->nodes[b->node_count] = (struct call_tree_node){parent, function, depth, 0, 0};
	return (uint32_t)b->node_count++;
}

/* Replaces *node by its child for the function. */
static int enter(struct builder *b, uint32_t function, uint32_t *node, struct error *err)
{
	uint32_t *slot = find_slot(b, *node, function);

	if (*slot) {
		*node = *slot;
		return ERR_OK;
	}
	if (b->nodes[*node].depth >= b->max_depth)
		return error_set(err, ERR_LIMIT, "a stack has more than %zu frames", b->max_depth);
	if (b->node_count >= b->max_nodes)
		return error_set(
			err, ERR_LIMIT, "the call tree has more than %zu nodes", b->max_nodes);
	*node = *slot = append_node(b, *node, function);
	if (b->node_count * 4 > b->slot_count * 3)
		grow_slots(b);
	return ERR_OK;
}

/* lines[0] is the innermost frame, so the way from the root goes from the last to the first. */
static int enter_location(struct builder *b, uint32_t index, struct profile_frame *outer,
	uint32_t *node, struct error *err)
{
	const struct profile_location *location = &b->profile->locations[index];
	int rc = ERR_OK;

	for (uint32_t i = location->line_count; i-- > 0 && !rc;) {
		struct profile_frame frame = profile_frame_of(location, i);

		if (!profile_frame_goes_on(outer, &frame))
			rc = enter(b, frame.function, node, err);
		*outer = frame;
	}
	return rc;
}

static int add_to(int64_t *sum, int64_t value, struct error *err)
{
	if (__builtin_add_overflow(*sum, value, sum))
		return error_set(err, ERR_LIMIT, "the sum of the samples' values overflows");
	return ERR_OK;
}

static int fold_sample(struct builder *b, size_t index, size_t value_type, struct error *err)
{
	const struct profile_sample *sample = &b->profile->samples[index];
	struct profile_frame outer = {.function = CALL_TREE_ROOT_FUNCTION};
	uint32_t node = 0;
	int rc = ERR_OK;

	for (uint32_t i = sample->depth; i-- > 0 && !rc;)
		rc = enter_location(b, sample->locations[i], &outer, &node, err);
	b->sample_nodes[index] = node;
	return rc ? rc : add_to(&b->nodes[node].self, sample->values[value_type], err);
}

static int fold(struct builder *b, size_t value_type, struct error *err)
{
	int rc = ERR_OK;

	grow_slots(b);
	append_node(b, 0, CALL_TREE_ROOT_FUNCTION);
	for (size_t i = 0; i < b->profile->sample_count && !rc; i++)
		rc = fold_sample(b, i, value_type, err);
	return rc;
}

struct function_key {
	const char *name, *file;
	uint32_t index;
};

static int compare_functions(const void *left, const void *right)
{
	const struct function_key *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (!order)
		order = strcmp(a->file, b->file);
	if (!order)
		order = (a->index > b->index) - (a->index < b->index);
	return order;
}

/* Each function's place in the order of siblings, so that nodes are compared by numbers. */
static uint32_t *rank_functions(const struct profile *profile)
{
	size_t count = profile->function_count;
	struct function_key *keys = xcalloc(count, sizeof(*keys));
	uint32_t *ranks = xcalloc(count, sizeof(*ranks));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct function_key){
			profile->functions[i].name, profile->functions[i].file, (uint32_t)i};
	qsort(keys, count, sizeof(*keys), compare_functions);
	for (size_t i = 0; i < count; i++)
		ranks[keys[i].index] = (uint32_t)i;
	free(keys);
	return ranks;
}

struct sort_key {
	uint32_t parent, rank, node;
};

static int compare_keys(const void *left, const void *right)
{
	const struct sort_key *a = left, *b = right;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* All nodes but the root, grouped by parent, each group in the order of siblings. */
static struct sort_key *sorted_children(const struct builder *b)
{
	struct sort_key *keys = xcalloc(b->node_count, sizeof(*keys));
	uint32_t *ranks = rank_functions(b->profile);

	for (size_t i = 1; i < b->node_count; i++)
		keys[i - 1] = (struct sort_key){
			b->nodes[i].parent, ranks[b->nodes[i].function], (uint32_t)i};
	qsort(keys, b->node_count - 1, sizeof(*keys), compare_keys);
	free(ranks);
	return keys;
}

/*
 * Depth-first numbering of the nodes with a stack of unsorted indices. Children are pushed last
 * first, so that the first is popped first; every node is pushed once, so the stack never needs
 * more room.
 */
static void number_nodes(const struct builder *b, const struct sort_key *keys, uint32_t *new_index)
{
	size_t key_count = b->node_count - 1, pushed = 1;
	uint32_t *first = xcalloc(b->node_count + 1, sizeof(*first));
	uint32_t *stack = xcalloc(b->node_count, sizeof(*stack));

	/* The keys of a node's children are first[node] .. first[node + 1] - 1. */
	for (size_t i = 0; i < key_count; i++)
		first[keys[i].parent + 1]++;
	for (size_t i = 0; i < b->node_count; i++)
		first[i + 1] += first[i];
	for (uint32_t next = 0; pushed; next++) {
		uint32_t node = stack[--pushed];

		new_index[node] = next;
		for (uint32_t i = first[node + 1]; i-- > first[node];)
			stack[pushed++] = keys[i].node;
	}
	free(stack);
	free(first);
}

static void place_nodes(struct call_tree *tree, const struct builder *b, const uint32_t *new_index)
{
	tree->node_count = b->node_count;
	tree->nodes = arena_array(&tree->arena, b->node_count, sizeof(*tree->nodes));
	for (size_t i = 0; i < b->node_count; i++) {
		struct call_tree_node *node = &tree->nodes[new_index[i]];

		*node = b->nodes[i];
		node->parent = new_index[node->parent];
		node->total = node->self;
	}
	tree->sample_nodes =
		arena_array(&tree->arena, b->profile->sample_count, sizeof(*tree->sample_nodes));
	for (size_t i = 0; i < b->profile->sample_count; i++)
		tree->sample_nodes[i] = new_index[b->sample_nodes[i]];
}

static int add_totals(struct call_tree *tree, struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = tree->node_count; i-- > 1 && !rc;)
		rc = add_to(&tree->nodes[tree->nodes[i].parent].total, tree->nodes[i].total, err);
	return rc;
}

static int finish(struct call_tree *tree, const struct builder *b, struct error *err)
{
	struct sort_key *keys = sorted_children(b);
	uint32_t *new_index = xcalloc(b->node_count, sizeof(*new_index));

	number_nodes(b, keys, new_index);
	place_nodes(tree, b, new_index);
	free(new_index);
	free(keys);
	return add_totals(tree, err);
}

/* Nodes are numbered with 32 bits. */
static size_t limit_or(size_t limit, size_t fallback)
{
	if (!limit)
		return fallback;
	return limit < UINT32_MAX ? limit : UINT32_MAX;
}

int call_tree_build(struct call_tree *tree, const struct profile *profile, size_t value_type,
	const struct call_tree_limits *limits, struct error *err)
{
	struct builder b = {.profile = profile};
	int rc;

	memset(tree, 0, sizeof(*tree));
	arena_init(&tree->arena);
	if (value_type >= profile->type_count)
		return error_set(
			err, ERR_USAGE, "the profile has no value type number %zu", value_type);
	b.max_nodes = limit_or(limits ? limits->max_nodes : 0, DEFAULT_MAX_NODES);
	b.max_depth = limit_or(limits ? limits->max_depth : 0, DEFAULT_MAX_DEPTH);
	b.sample_nodes = xcalloc(profile->sample_count, sizeof(*b.sample_nodes));
	rc = fold(&b, value_type, err);
	if (!rc)
		rc = finish(tree, &b, err);
	free(b.sample_nodes);
	free(b.nodes);
	free(b.slots);
	if (rc)
		call_tree_release(tree);
	return rc;
}

void call_tree_release(struct call_tree *tree)
{
	arena_release(&tree->arena);
	memset(tree, 0, sizeof(*tree));
}
