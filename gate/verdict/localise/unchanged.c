/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/unchanged.h"

#include <math.h>

#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/localise/called_more.h"

/*
 * What the linker's choice of places does to a function's cost where each version is one build: an
 * SD of 3 %, assumed (README.md). Over the functions of a benchmark it adds up to a change of the
 * total that no number of pairs averages out.
 */
#define LAYOUT_BIAS 0.03
#define LAYOUT_DEVIATIONS 2.5
/*
 * Of this a function that both versions have from one file, like libc's, has a third: its own place
 * is the same, but it works on data, and shares caches and predictors with code, that each version
 * has elsewhere. In 89 gates of three programs no more than the noise was seen of it
 * (tests/bench/RESULTS.md).
 */
#define SAME_PLACE_PART (1.0 / 3)
#define UNCHANGED_PART 0.5
#define UNCHANGED_LAYOUTS 4 /* more average no better: of what is left the machine has its part */
#define UNCHANGED_LEAST 0.01
#define EXPLAINED_PART 0.5

/* ---- bounds --------------------------------------------------------------------------------- */

double unchanged_layout_relative(const struct verdict_policy *policy)
{
	if (policy->layouts > 1 || policy->same_build)
		return 0;
	return LAYOUT_DEVIATIONS * LAYOUT_BIAS * sqrt(2);
}

static double layout_of_squares(const struct verdict_policy *policy, double squares)
{
	return unchanged_layout_relative(policy) * sqrt(squares / 2);
}

/* Nothing of the policy's shape makes sense below one layout. */
static double excused_part(const struct verdict_policy *policy)
{
	double layouts = fmin(fmax((double)policy->layouts, 1), UNCHANGED_LAYOUTS);

	return UNCHANGED_PART / sqrt(layouts);
}

bool unchanged_is_above(const struct verdict_policy *policy, double low, double squares)
{
	return low > fmax(UNCHANGED_LEAST, excused_part(policy) * sqrt(squares));
}

static bool is_above(const struct unchanged *unchanged, double low, double squares)
{
	return unchanged_is_above(&unchanged->gate->input->policy, low, squares);
}

/* ---- sums of functions ---------------------------------------------------------------------- */

/* The square of the part of a function's cost that one layout per version counts for. */
static double weight_of(const struct gate *gate, uint32_t function)
{
	const uint8_t *flags = gate->input->function_flags;
	bool has_one_place = flags && flags[function] & VERDICT_FUNCTION_SAME_PLACE;

	return has_one_place ? SAME_PLACE_PART * SAME_PLACE_PART : 1;
}

double unchanged_layout_of_all(const struct gate *gate, const bool *excused)
{
	double squares = 0;

	for (uint32_t f = 0; f < gate->input->function_count; f++) {
		const struct moments *part = &gate->pooled.function[f];

		if (!excused || !excused[f])
			squares += weight_of(gate, f) *
				   (part->base * part->base + part->head * part->head);
	}
	return layout_of_squares(&gate->input->policy, squares);
}

/* A function has one place, whoever calls it: its contexts below node are one part. */
static void add_parts(struct unchanged *unchanged, uint32_t first, uint32_t end)
{
	const struct tree *tree = unchanged->tree;

	for (uint32_t v = first; v < end; v++) {
		if (tree->function[v] == VERDICT_NONE)
			continue;
		unchanged->part[0][tree->function[v]] += tree->moments[v].base;
		unchanged->part[1][tree->function[v]] += tree->moments[v].head;
	}
}

/* The squares of both versions of what counts; of the mean of what is alike. */
struct squares {
	double counted, unchanged;
};

/* Each function once; ends what add_parts() began. */
static struct squares take_squares(struct unchanged *unchanged, uint32_t first, uint32_t end)
{
	const struct tree *tree = unchanged->tree;
	struct squares sum = {0};

	for (uint32_t v = first; v < end; v++) {
		uint32_t f = tree->function[v];
		double base, head;

		if (f == VERDICT_NONE)
			continue;
		base = unchanged->part[0][f];
		head = unchanged->part[1][f];
		unchanged->part[0][f] = unchanged->part[1][f] = 0;
		if (!unchanged->excused[f])
			sum.counted += weight_of(unchanged->gate, f) * (base * base + head * head);
		sum.unchanged += unchanged->unchanged[f] ? (base + head) * (base + head) / 4 : 0;
	}
	return sum;
}

double unchanged_layout_below(struct unchanged *unchanged, uint32_t node)
{
	uint32_t end = unchanged->tree->end[node];

	add_parts(unchanged, node, end);
	return layout_of_squares(
		&unchanged->gate->input->policy, take_squares(unchanged, node, end).counted);
}

/* ---- who is excused ------------------------------------------------------------------------- */

static double low_of(const struct stage *pooled, const struct moments *moments)
{
	struct estimate estimate = stage_estimate(pooled, moments);

	return estimate.change - stage_half_width(pooled, &estimate);
}

static void unchanged_function(
	struct unchanged *unchanged, struct localise *localise, uint32_t function)
{
	const struct stage *pooled = &unchanged->gate->pooled;
	const struct moments *moments = &pooled->function[function];
	double mean = (moments->base + moments->head) / 2;

	unchanged->unchanged[function] =
		!unchanged->caused[function] && localise_unchanged(localise, function);
	if (!unchanged->unchanged[function])
		return;
	if (is_above(unchanged, low_of(pooled, moments), mean * mean))
		unchanged->outgrown[function] = true;
	else
		unchanged->excused[function] =
			moments->mean > 0 || unchanged->gate->input->policy.layouts > 1;
}

static void take_back(struct unchanged *unchanged, uint32_t function)
{
	if (function == VERDICT_NONE || !unchanged->excused[function])
		return;
	unchanged->excused[function] = false;
	unchanged->outgrown[function] = true;
}

/* Of what shrank as well: of the others alone, chance would add up. */
static double low_of_alike(const struct unchanged *unchanged, uint32_t first, uint32_t end)
{
	const struct tree *tree = unchanged->tree;
	struct arena scratch = ARENA_INIT;
	struct moments_sum sum;
	struct moments moments;
	double low;

	moments_sum_init(&sum, &unchanged->gate->pooled.pairs, &scratch);
	for (uint32_t v = first; v < end; v++)
		if (tree->function[v] != VERDICT_NONE && unchanged->unchanged[tree->function[v]])
			tree_add_self(tree, v, &sum);
	moments_sum_finish(&sum, &moments);
	low = low_of(&unchanged->gate->pooled, &moments);
	arena_release(&scratch);
	return low;
}

/* Each of these nodes' functions may be within its bound, and all together far outside. */
static void look_at_nodes(struct unchanged *unchanged, uint32_t first, uint32_t end)
{
	double squares;

	add_parts(unchanged, first, end);
	squares = take_squares(unchanged, first, end).unchanged;
	if (!is_above(unchanged, low_of_alike(unchanged, first, end), squares))
		return;
	for (uint32_t v = first; v < end; v++)
		take_back(unchanged, unchanged->tree->function[v]);
}

void unchanged_init(struct unchanged *unchanged, const struct gate *gate, const struct tree *tree,
	struct localise *localise, struct arena *arena)
{
	size_t functions = gate->input->function_count;

	*unchanged = (struct unchanged){.gate = gate, .tree = tree};
	unchanged->unchanged = arena_array(arena, functions, sizeof(bool));
	unchanged->excused = arena_array(arena, functions, sizeof(bool));
	unchanged->outgrown = arena_array(arena, functions, sizeof(bool));
	unchanged->caused = called_more_find(gate, tree, arena);
	for (int version = 0; version < 2; version++)
		unchanged->part[version] = arena_array(arena, functions, sizeof(double));
	if (gate->input->policy.same_build)
		return;
	for (uint32_t f = 0; f < functions; f++)
		unchanged_function(unchanged, localise, f);
	for (uint32_t v = 1; v < gate->input->node_count; v++)
		if (gate->result->nodes[v].confirmed)
			look_at_nodes(unchanged, v, tree->end[v]);
	if (gate->result->total.confirmed)
		look_at_nodes(unchanged, 0, (uint32_t)tree->count);
	for (size_t f = 0; f < functions; f++) {
		unchanged->count += unchanged->excused[f];
		unchanged->caused[f] |= unchanged->outgrown[f];
	}
}

/* ---- who has outgrown it -------------------------------------------------------------------- */

/* It is a culprit that it is called more often from there, and the caller may well have changed. */
static bool is_blamed_call(const struct unchanged *unchanged, uint32_t node)
{
	const struct verdict_result *result = unchanged->gate->result;
	const struct tree *tree = unchanged->tree;
	uint32_t up = tree->parent[node];
	uint32_t caller = up == VERDICT_NONE ? VERDICT_NONE : tree->function[up];

	if (caller == VERDICT_NONE ||
		tree_flags(unchanged->gate->input, caller) & VERDICT_FUNCTION_UNCHANGED)
		return false;
	for (size_t i = 0; i < result->culprit_count; i++) {
		const struct verdict_culprit *culprit = &result->culprits[i];

		if (culprit->kind == VERDICT_BLAME_CALLED &&
			culprit->function == tree->function[node] &&
			culprit->caller_node != VERDICT_NONE &&
			tree->function[culprit->caller_node] == caller)
			return true;
	}
	return false;
}

/* What the function gained below blamed calls. */
static double gained_by_calls(const struct unchanged *unchanged, uint32_t function)
{
	const struct tree *tree = unchanged->tree;
	double sum = 0;

	for (uint32_t v = 0, end; v < tree->count; v = end) {
		end = v + 1;
		if (!is_blamed_call(unchanged, v))
			continue;
		for (end = tree->end[v]; v < end; v++)
			sum += tree->function[v] == function ? tree->moments[v].mean : 0;
	}
	return sum;
}

static bool is_blamed_itself(const struct verdict_result *result, uint32_t function)
{
	for (size_t i = 0; i < result->culprit_count; i++)
		if (result->culprits[i].kind == VERDICT_BLAME_SELF &&
			result->culprits[i].function == function)
			return true;
	return false;
}

static bool has_outgrown(const struct unchanged *unchanged, uint32_t function)
{
	const struct verdict_result *result = unchanged->gate->result;
	enum verdict_state state = result->functions[function].state;
	double gained = unchanged->gate->pooled.function[function].mean;

	if (!unchanged->outgrown[function] || state == VERDICT_SHIFTED ||
		state == VERDICT_CONTRADICTED || state == VERDICT_UNCHANGED_CODE)
		return false;
	return is_blamed_itself(result, function) ||
	       gained_by_calls(unchanged, function) < EXPLAINED_PART * gained;
}

bool unchanged_has_outgrown(const struct unchanged *unchanged)
{
	if (unchanged->gate->input->policy.same_build)
		return true;
	for (uint32_t f = 0; f < unchanged->gate->input->function_count; f++)
		if (has_outgrown(unchanged, f))
			return true;
	return false;
}
