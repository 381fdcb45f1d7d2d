/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/line/line_tree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/line/line_tree_internal.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"
#include "gate/profile/call_tree.h"

void line_tree_release(struct line_tree *tree)
{
	arena_release(&tree->arena);
	*tree = (struct line_tree){.arena = ARENA_INIT};
}

/* ---- functions ------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Of a function whose code is in several objects the first one counts. */
static void find_modules(const struct profile *profile, struct line_function *functions)
{
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];

		if (location->mapping == PROFILE_NO_MAPPING)
			continue;
		for (uint32_t j = 0; j < location->line_count; j++) {
			struct line_function *function = &functions[location->lines[j].function];

			if (!*function->module)
				function->module =
					base_name(profile->mappings[location->mapping].file);
		}
	}
}

static void take_functions(struct line_tree *tree, const struct profile *profile)
{
	tree->function_count = profile->function_count;
	tree->functions = arena_array(&tree->arena, tree->function_count, sizeof(*tree->functions));
	for (size_t i = 0; i < tree->function_count; i++) {
		const struct profile_function *function = &profile->functions[i];

		tree->functions[i] = (struct line_function){function->name, function->system_name,
			function->file, "", function->start_line};
	}
	find_modules(profile, tree->functions);
}

struct ordered_function {
	struct line_function function;
	uint32_t index;
	bool used;
};

static int compare_functions(const void *left, const void *right)
{
	const struct ordered_function *a = left, *b = right;
	const struct line_function *x = &a->function, *y = &b->function;
	int order = strcmp(x->module, y->module);

	if (!order)
		order = strcmp(x->file, y->file);
	if (!order)
		order = (x->start_line > y->start_line) - (x->start_line < y->start_line);
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->system_name, y->system_name);
}

void line_tree_order_functions(struct line_tree *tree)
{
	struct ordered_function *ordered = xcalloc(tree->function_count, sizeof(*ordered));
	uint32_t *numbers = xcalloc(tree->function_count, sizeof(*numbers));
	uint32_t used = 0;

	for (size_t i = 0; i < tree->function_count; i++)
		ordered[i] = (struct ordered_function){tree->functions[i], (uint32_t)i, false};
	for (size_t i = 1; i < tree->node_count; i++)
		ordered[tree->nodes[i].function].used = true;
	qsort(ordered, tree->function_count, sizeof(*ordered), compare_functions);
	for (size_t i = 0; i < tree->function_count; i++) {
		if (!ordered[i].used)
			continue;
		numbers[ordered[i].index] = used;
		tree->functions[used++] = ordered[i].function;
	}
	for (size_t i = 1; i < tree->node_count; i++)
		tree->nodes[i].function = numbers[tree->nodes[i].function];
	tree->function_count = used;
	free(ordered);
	free(numbers);
}

/* ---- cells ---------------------------------------------------------------------------------- */

static int compare_cells(const void *left, const void *right)
{
	const struct line_cell *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->round > b->round) - (a->round < b->round);
}

size_t line_cells_unite(struct line_cell *cells, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(cells, count, sizeof(*cells), compare_cells);
	for (size_t i = 0; i < count; i++) {
		if (!cells[i].quanta)
			continue;
		if (kept && compare_cells(&cells[kept - 1], &cells[i]) == 0)
			cells[kept - 1].quanta += cells[i].quanta;
		else
			cells[kept++] = cells[i];
	}
	return kept;
}

/* Still in the value's unit. call_tree_build() has seen that no sum overflows. */
static void take_cells(struct line_tree *tree, const struct recording *recording,
	const struct call_tree *folded, int type)
{
	const struct profile *profile = recording->profile;

	tree->cells = arena_array(&tree->arena, profile->sample_count, sizeof(*tree->cells));
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];

		tree->cells[i] = (struct line_cell){folded->sample_nodes[i],
			(uint32_t)profile_sample_number(sample, PROFILE_LABEL_ROUND, 0),
			sample->values[type]};
	}
	tree->cell_count = line_cells_unite(tree->cells, profile->sample_count);
}

static void take_nodes(struct line_tree *tree, const struct call_tree *folded)
{
	tree->node_count = folded->node_count;
	tree->nodes = arena_array(&tree->arena, tree->node_count, sizeof(*tree->nodes));
	for (size_t i = 0; i < tree->node_count; i++)
		tree->nodes[i] =
			(struct line_node){folded->nodes[i].depth, folded->nodes[i].function};
}

static void take_rounds(struct line_tree *tree, const struct recording *recording)
{
	const struct profile *profile = recording->profile;
	int squares = profile_find_type(profile, PROFILE_TYPE_CPU_SQUARES);

	tree->round_count = recording->round_count;
	tree->rounds = arena_array(&tree->arena, tree->round_count, sizeof(*tree->rounds));
	memcpy(tree->rounds, recording->rounds, tree->round_count * sizeof(*tree->rounds));
	tree->squares = arena_array(&tree->arena, tree->round_count, sizeof(*tree->squares));
	for (size_t i = 0; squares >= 0 && i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		int64_t *sum =
			&tree->squares[profile_sample_number(sample, PROFILE_LABEL_ROUND, 0)];

		if (sample->values[squares] < 0 ||
			__builtin_add_overflow(*sum, sample->values[squares], sum))
			*sum = 0;
	}
}

/* ---- rounding ------------------------------------------------------------------------------- */

/* The mean weight of a sample, but no round may round to nothing. */
static int64_t choose_quantum(const struct line_tree *tree)
{
	double *sums = xcalloc(tree->round_count, sizeof(*sums)), all = 0, samples = 0, quantum;

	for (size_t i = 0; i < tree->cell_count; i++)
		sums[tree->cells[i].round] += (double)tree->cells[i].quanta;
	for (size_t i = 0; i < tree->round_count; i++) {
		all += sums[i];
		samples += (double)tree->rounds[i].samples;
	}
	quantum = all / samples;
	for (size_t i = 0; i < tree->round_count; i++)
		quantum = fmin(quantum, sums[i]);
	free(sums);
	return quantum > 1 ? (int64_t)quantum : 1;
}

static void round_cells(struct line_tree *tree)
{
	double *left = xcalloc(tree->round_count, sizeof(*left));

	for (size_t i = 0; i < tree->cell_count; i++) {
		struct line_cell *cell = &tree->cells[i];
		double exact = (double)cell->quanta / (double)tree->quantum + left[cell->round];

		cell->quanta = llround(exact);
		left[cell->round] = exact - (double)cell->quanta;
	}
	tree->cell_count = line_cells_unite(tree->cells, tree->cell_count);
	free(left);
}

int line_tree_build(struct line_tree *out, const struct recording *recording, struct error *err)
{
	struct line_tree tree = {.arena = ARENA_INIT, .quantum = 1};
	int type = recording_value_type(recording);
	struct call_tree folded;
	int rc = call_tree_build(&folded, recording->profile, (size_t)type, NULL, err);

	if (rc)
		return rc;
	tree.unit = recording->profile->types[type].unit;
	take_functions(&tree, recording->profile);
	take_nodes(&tree, &folded);
	take_cells(&tree, recording, &folded, type);
	take_rounds(&tree, recording);
	if (strcmp(recording->profile_type, RECORDING_TYPE_CPU) == 0) {
		tree.quantum = choose_quantum(&tree);
		round_cells(&tree);
	}
	tree.weight = tree.quantum;
	line_tree_order_functions(&tree);
	call_tree_release(&folded);
	*out = tree;
	return ERR_OK;
}
