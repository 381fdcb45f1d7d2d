/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a line's call tree back to a recording: its rounds, and one sample for what each node cost
 * in each round.
 */
#include <stdlib.h>
#include <string.h>

#include "baseline/line/line_tree.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"
#include "gate/profile/profile.h"

struct restorer {
	const struct line_tree *tree;
	struct recording *recording;
	bool is_cpu;
	uint32_t *function_locations; /* [function] */
	uint32_t *path;               /* locations on the way to the node at hand, by depth */
	uint32_t *stack;              /* the same, leaf first */
	int64_t *sums;                /* [round]: quanta */
};

static void add_types(struct restorer *restorer)
{
	struct recording *recording = restorer->recording;
	struct profile *profile = recording->profile;

	if (restorer->is_cpu)
		profile_add_type(profile, PROFILE_TYPE_SAMPLES, "count");
	profile->default_type =
		profile_add_type(profile, recording->profile_type, restorer->tree->unit);
	if (restorer->is_cpu)
		profile_add_type(profile, PROFILE_TYPE_CPU_SQUARES, "microseconds_squared");
	profile->time_ns = recording->time_ns;
}

static void add_functions(struct restorer *restorer)
{
	struct profile *profile = restorer->recording->profile;

	for (size_t i = 0; i < restorer->tree->function_count; i++) {
		const struct line_function *from = &restorer->tree->functions[i];
		struct profile_function function = {
			from->name, from->system_name, from->file, from->start_line};
		struct profile_mapping mapping = {
			.file = from->module, .build_id = "", .has_functions = true};
		struct profile_line line = {profile_add_function(profile, &function), 0};
		struct profile_location location = {
			.mapping = PROFILE_NO_MAPPING, .lines = &line, .line_count = 1};

		if (*from->module)
			location.mapping = profile_add_mapping(profile, &mapping);
		restorer->function_locations[i] = profile_add_location(profile, &location);
	}
}

static int sum_quanta(struct restorer *restorer, struct error *err)
{
	const struct line_tree *tree = restorer->tree;
	int64_t all = 0, value;

	for (size_t i = 0; i < tree->cell_count; i++) {
		const struct line_cell *cell = &tree->cells[i];

		if (__builtin_mul_overflow(cell->quanta, tree->quantum, &value) ||
			__builtin_add_overflow(all, value, &all))
			return error_set(err, ERR_CORRUPT, "the sum of the costs overflows");
		restorer->sums[cell->round] += cell->quanta;
	}
	return ERR_OK;
}

/* One sample a cell: in the order of the tree, then of the rounds. */
static void add_sample(struct restorer *restorer, const struct line_cell *cell, uint32_t depth)
{
	const struct line_tree *tree = restorer->tree;
	struct profile_label label = {PROFILE_LABEL_ROUND, NULL, cell->round, ""};
	double share = (double)cell->quanta / (double)restorer->sums[cell->round];
	int64_t cost = cell->quanta * tree->quantum;
	int64_t values[3] = {(cost + tree->weight / 2) / tree->weight, cost,
		(int64_t)(share * (double)tree->squares[cell->round] + 0.5)};
	struct profile_sample sample = {.locations = restorer->stack,
		.depth = depth,
		.values = restorer->is_cpu ? values : &cost,
		.labels = &label,
		.label_count = 1};

	for (uint32_t i = 0; i < depth; i++)
		restorer->stack[i] = restorer->path[depth - i];
	profile_add_sample(restorer->recording->profile, &sample);
}

static void add_samples(struct restorer *restorer)
{
	const struct line_tree *tree = restorer->tree;
	size_t cell = 0;

	for (size_t i = 0; i < tree->node_count; i++) {
		const struct line_node *node = &tree->nodes[i];

		if (i)
			restorer->path[node->depth] = restorer->function_locations[node->function];
		for (; cell < tree->cell_count && tree->cells[cell].node == i; cell++)
			add_sample(restorer, &tree->cells[cell], node->depth);
	}
}

static void add_rounds(struct restorer *restorer)
{
	const struct line_tree *tree = restorer->tree;
	struct recording *recording = restorer->recording;

	recording->round_count = tree->round_count;
	recording->rounds =
		arena_array(&recording->arena, tree->round_count, sizeof(*recording->rounds));
	if (tree->round_count)
		memcpy(recording->rounds, tree->rounds,
			tree->round_count * sizeof(*recording->rounds));
	for (size_t i = 0; restorer->is_cpu && i < tree->round_count; i++)
		recording->rounds[i].sampled_seconds =
			(double)(restorer->sums[i] * tree->quantum) / 1e9;
}

int line_tree_restore(const struct line_tree *tree, struct recording *recording, struct error *err)
{
	struct restorer restorer = {.tree = tree,
		.recording = recording,
		.is_cpu = strcmp(recording->profile_type, RECORDING_TYPE_CPU) == 0};
	int rc;

	restorer.sums = xcalloc(tree->round_count, sizeof(*restorer.sums));
	restorer.function_locations =
		xcalloc(tree->function_count, sizeof(*restorer.function_locations));
	restorer.path = xcalloc(LINE_MAX_DEPTH + 1, sizeof(*restorer.path));
	restorer.stack = xcalloc(LINE_MAX_DEPTH + 1, sizeof(*restorer.stack));
	rc = sum_quanta(&restorer, err);
	if (!rc) {
		recording->profile = profile_new();
		add_types(&restorer);
		add_functions(&restorer);
		add_samples(&restorer);
		add_rounds(&restorer);
	}
	free(restorer.sums);
	free(restorer.function_locations);
	free(restorer.path);
	free(restorer.stack);
	return rc;
}
