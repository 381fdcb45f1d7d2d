/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of other types beside a benchmark's own. */
#include "tests/unit/report/fixture.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tests/unit/report/fixture_build.h"

/* The log tool's tree with these costs for each second, and what changes at one function. */
static struct result_profile make_profile(struct result *result, const char *type, const char *unit,
	double per_second, uint32_t function, double more)
{
	struct result spare = {.arena = result->arena};
	struct result_benchmark *tree;

	spare.benchmarks = arena_array(&spare.arena, 1, sizeof(struct result_benchmark));
	tree = build_benchmark(&spare, type, RESULT_PASS, OUTCOME_PROFILE);
	build_log_tool(tree);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		double cost = tree->nodes[i].self[0] * per_second;

		for (int version = 0; version < 2; version++)
			node_at(tree, i)->self[version] = per_second > 1 ? round(cost) : cost;
	}
	node_at(tree, find_node(tree, function))->self[1] += more;
	build_costs(tree);
	result->arena = spare.arena;
	return (struct result_profile){.profile_type = type,
		.unit = unit,
		.sides = SIDES_BOTH,
		.total = {tree->total.base, tree->total.head},
		.functions = tree->functions,
		.function_count = tree->function_count,
		.nodes = tree->nodes,
		.node_count = tree->node_count};
}

/* All nodes of parse_record and below it are of region "parse", in two threads; the others have no
 * label. */
static void add_labels(struct result *result, const struct result_node *nodes, size_t count,
	const struct result_label **labels, size_t *label_count)
{
	static const char *const threads[] = {"a", "b", ""};
	const char **regions = arena_array(&result->arena, 2, sizeof(*regions));
	struct result_label *all = arena_array(&result->arena, 2, sizeof(*all));
	struct result_label_cost *region = arena_array(&result->arena, count, sizeof(*region));
	struct result_label_cost *thread = arena_array(&result->arena, 2 * count, sizeof(*thread));
	size_t regions_made = 0, threads_made = 0;

	regions[0] = "parse";
	regions[1] = "";
	for (uint32_t i = 0; i < count; i++) {
		const struct result_node *node = &nodes[i];
		bool parses = i >= 4 && i <= 8;

		region[regions_made++] =
			(struct result_label_cost){!parses, i, {node->self[0], node->self[1]}};
		thread[threads_made++] = (struct result_label_cost){parses ? 0 : 2, i,
			{node->self[0] / (1 + parses), node->self[1] / (1 + parses)}};
		if (parses)
			thread[threads_made++] = (struct result_label_cost){
				1, i, {node->self[0] / 2, node->self[1] / 2}};
	}
	all[0] = (struct result_label){
		"region", regions, 2, region, label_costs_merge(region, regions_made)};
	all[1] = (struct result_label){
		"thread", threads, 3, thread, label_costs_merge(thread, threads_made)};
	*labels = all;
	*label_count = 2;
}

struct result *fixture_kinds(void)
{
	struct result *result = fixture_pass();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_profile *profiles = arena_array(&result->arena, 3, sizeof(*profiles));

	profiles[0] = make_profile(result, "alloc_bytes", "bytes", 64e6, HASH, 18e6);
	profiles[1] = make_profile(result, "instructions", "count", 3e9, MAIN, 0);
	profiles[2] = make_profile(result, "delay", "seconds", 0.02, READ, 0.1);
	benchmark->profiles = profiles;
	benchmark->profile_count = 3;
	add_labels(result, benchmark->nodes, benchmark->node_count, &benchmark->labels,
		&benchmark->label_count);
	add_labels(result, profiles[0].nodes, profiles[0].node_count, &profiles[0].labels,
		&profiles[0].label_count);
	return result;
}

void fixture_add_hostile_profile(
	struct result *result, struct result_benchmark *benchmark, const char *hostile)
{
	struct result_profile *profile = arena_alloc(&result->arena, sizeof(*profile));

	*profile = make_profile(result, hostile, hostile, 1e3, HASH, 100);
	for (size_t i = 0; i < profile->function_count; i++) {
		struct result_function *function = (struct result_function *)&profile->functions[i];

		function->name = function->module = function->file = hostile;
	}
	benchmark->profiles = profile;
	benchmark->profile_count = 1;
	add_labels(result, benchmark->nodes, benchmark->node_count, &benchmark->labels,
		&benchmark->label_count);
	((struct result_label *)benchmark->labels)->key = hostile;
	((const char **)benchmark->labels[0].values)[0] = hostile;
}

struct result_node *fixture_undecided(struct result *result, size_t nodes)
{
	struct result_node *all = arena_array(&result->arena, nodes, sizeof(*all));

	memcpy(all, result->benchmarks[0].nodes, nodes * sizeof(*all));
	for (size_t i = 0; i < nodes; i++)
		all[i].state = all[i].self_state = STATE_INELIGIBLE;
	return all;
}
