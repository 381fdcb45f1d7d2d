/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trees of other profile types are cut to the nodes that the report has room for, or all left
 * out, and it says so.
 */
#include "report/json/prune.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/check/result.h"

/* A line of its own for each: they are of one tree among several. */
static void say_of(struct result_benchmark *out, const struct result_profile *profile,
	const struct result_benchmark *tree, struct arena *arena)
{
	for (size_t i = 0; i < tree->excluded_count; i++)
		prune_say(out, arena,
			arena_printf(arena, "%s: %s", profile->profile_type, tree->excluded[i]));
}

static int prune_one(struct result_benchmark *out, struct result_profile *profile, size_t max_nodes,
	struct arena *arena, struct error *err)
{
	struct result_benchmark whole = {.functions = profile->functions,
		.function_count = profile->function_count,
		.nodes = profile->nodes,
		.node_count = profile->node_count,
		.labels = profile->labels,
		.label_count = profile->label_count};
	struct result_benchmark tree;
	int code = prune_benchmark(&whole, max_nodes, max_nodes, arena, &tree, err);

	if (code)
		return code;
	profile->functions = tree.functions;
	profile->function_count = tree.function_count;
	profile->nodes = tree.nodes;
	profile->node_count = tree.node_count;
	profile->labels = tree.labels;
	profile->label_count = tree.label_count;
	say_of(out, profile, &tree, arena);
	return ERR_OK;
}

static void leave_out(struct result_benchmark *out, struct arena *arena)
{
	prune_say(out, arena,
		arena_printf(arena,
			"%zu trees of other profile types: the report has no room for them",
			out->profile_count));
	out->profiles = NULL;
	out->profile_count = 0;
}

int prune_profiles(
	struct result_benchmark *out, size_t max_nodes, struct arena *arena, struct error *err)
{
	size_t count = out->profile_count;
	struct result_profile *profiles = arena_array(arena, count, sizeof(*profiles));
	int code = ERR_OK;

	if (!count)
		return ERR_OK;
	if (max_nodes < PRUNE_LEAST_PROFILE_NODES) {
		leave_out(out, arena);
		return ERR_OK;
	}
	memcpy(profiles, out->profiles, count * sizeof(*profiles));
	for (size_t i = 0; i < count && !code; i++)
		code = prune_one(out, &profiles[i], max_nodes, arena, err);
	out->profiles = profiles;
	return code;
}
