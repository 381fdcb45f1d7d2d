/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/excuse.h"

#include <math.h>

#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/localise/called_more.h"

/*
 * What the linker's choice of places does to a function's cost where each arm is one build: an SD
 * of 3 %, assumed (README.md). Over the functions of a benchmark it adds up to a change of
 * the total that no number of blocks averages out.
 */
#define LAYOUT_BIAS 0.03
#define LAYOUT_DEVIATIONS 2.5
/*
 * Of this a function that both arms have from one file, like libc's, has a third: its own place is
 * the same, but it works on data, and shares caches and predictors with code, that each arm has
 * elsewhere. In 89 gates of three programs no more than the noise was seen of it
 * (tests/bench/RESULTS.md).
 */
#define SAME_PLACE_PART (1.0 / 3)
#define EXCUSE_PART 0.5
#define EXCUSE_LAYOUTS 4 /* more average no better: of what is left the machine has its part */
#define EXCUSE_LEAST 0.01
#define EXPLAINED_PART 0.5

/* ---- bounds --------------------------------------------------------------------------------- */

double excuse_layout_relative(const struct verdict_policy *policy)
{
	if (policy->layouts > 1 || policy->same_build)
		return 0;
	return LAYOUT_DEVIATIONS * LAYOUT_BIAS * sqrt(2);
}

static double layout_of_squares(const struct verdict_policy *policy, double squares)
{
	return excuse_layout_relative(policy) * sqrt(squares / 2);
}

/* Nothing of the policy's shape makes sense below one layout. */
static double excused_part(const struct verdict_policy *policy)
{
	double layouts = fmin(fmax((double)policy->layouts, 1), EXCUSE_LAYOUTS);

	return EXCUSE_PART / sqrt(layouts);
}

bool excuse_is_above(const struct verdict_policy *policy, double low, double squares)
{
	return low > fmax(EXCUSE_LEAST, excused_part(policy) * sqrt(squares));
}

static bool is_above(const struct excuse *excuse, double low, double squares)
{
	return excuse_is_above(&excuse->gate->input->policy, low, squares);
}

/* ---- sums of functions ---------------------------------------------------------------------- */

/* The square of the part of a function's cost that one layout per arm counts for. */
static double weight_of(const struct gate *gate, uint32_t function)
{
	const uint8_t *flags = gate->input->function_flags;
	bool has_one_place = flags && flags[function] & VERDICT_FUNCTION_SAME_PLACE;

	return has_one_place ? SAME_PLACE_PART * SAME_PLACE_PART : 1;
}

double excuse_layout_of_all(const struct gate *gate, const bool *excused)
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
static void add_parts(struct excuse *excuse, uint32_t first, uint32_t end)
{
	const struct tree *tree = excuse->tree;

	for (uint32_t v = first; v < end; v++) {
		if (tree->function[v] == VERDICT_NONE)
			continue;
		excuse->part[0][tree->function[v]] += tree->moments[v].base;
		excuse->part[1][tree->function[v]] += tree->moments[v].head;
	}
}

/* The squares of both arms of what counts; of the mean of what is alike. */
struct squares {
	double counted, alike;
};

/* Each function once; ends what add_parts() began. */
static struct squares take_squares(struct excuse *excuse, uint32_t first, uint32_t end)
{
	const struct tree *tree = excuse->tree;
	struct squares sum = {0};

	for (uint32_t v = first; v < end; v++) {
		uint32_t f = tree->function[v];
		double base, head;

		if (f == VERDICT_NONE)
			continue;
		base = excuse->part[0][f];
		head = excuse->part[1][f];
		excuse->part[0][f] = excuse->part[1][f] = 0;
		if (!excuse->excused[f])
			sum.counted += weight_of(excuse->gate, f) * (base * base + head * head);
		sum.alike += excuse->alike[f] ? (base + head) * (base + head) / 4 : 0;
	}
	return sum;
}

double excuse_layout_below(struct excuse *excuse, uint32_t node)
{
	uint32_t end = excuse->tree->end[node];

	add_parts(excuse, node, end);
	return layout_of_squares(
		&excuse->gate->input->policy, take_squares(excuse, node, end).counted);
}

/* ---- who is excused ------------------------------------------------------------------------- */

static double low_of(const struct stage *pooled, const struct moments *moments)
{
	struct estimate estimate = stage_estimate(pooled, moments);

	return estimate.change - stage_half_width(pooled, &estimate);
}

static void excuse_function(struct excuse *excuse, struct localise *localise, uint32_t function)
{
	const struct stage *pooled = &excuse->gate->pooled;
	const struct moments *moments = &pooled->function[function];
	double mean = (moments->base + moments->head) / 2;

	excuse->alike[function] = !excuse->caused[function] && localise_excuses(localise, function);
	if (!excuse->alike[function])
		return;
	if (is_above(excuse, low_of(pooled, moments), mean * mean))
		excuse->outgrown[function] = true;
	else
		excuse->excused[function] =
			moments->mean > 0 || excuse->gate->input->policy.layouts > 1;
}

static void take_back(struct excuse *excuse, uint32_t function)
{
	if (function == VERDICT_NONE || !excuse->excused[function])
		return;
	excuse->excused[function] = false;
	excuse->outgrown[function] = true;
}

/* Of what shrank as well: of the others alone, chance would add up. */
static double low_of_alike(const struct excuse *excuse, uint32_t first, uint32_t end)
{
	const struct tree *tree = excuse->tree;
	struct arena scratch = ARENA_INIT;
	struct moments_sum sum;
	struct moments moments;
	double low;

	moments_sum_init(&sum, &excuse->gate->pooled.blocks, &scratch);
	for (uint32_t v = first; v < end; v++)
		if (tree->function[v] != VERDICT_NONE && excuse->alike[tree->function[v]])
			tree_add_self(tree, v, &sum);
	moments_sum_finish(&sum, &moments);
	low = low_of(&excuse->gate->pooled, &moments);
	arena_release(&scratch);
	return low;
}

/* Each of these nodes' functions may be within its bound, and all together far outside. */
static void look_at_nodes(struct excuse *excuse, uint32_t first, uint32_t end)
{
	double squares;

	add_parts(excuse, first, end);
	squares = take_squares(excuse, first, end).alike;
	if (!is_above(excuse, low_of_alike(excuse, first, end), squares))
		return;
	for (uint32_t v = first; v < end; v++)
		take_back(excuse, excuse->tree->function[v]);
}

void excuse_init(struct excuse *excuse, const struct gate *gate, const struct tree *tree,
	struct localise *localise, struct arena *arena)
{
	size_t functions = gate->input->function_count;

	*excuse = (struct excuse){.gate = gate, .tree = tree};
	excuse->alike = arena_array(arena, functions, sizeof(bool));
	excuse->excused = arena_array(arena, functions, sizeof(bool));
	excuse->outgrown = arena_array(arena, functions, sizeof(bool));
	excuse->caused = called_more_find(gate, tree, arena);
	for (int arm = 0; arm < 2; arm++)
		excuse->part[arm] = arena_array(arena, functions, sizeof(double));
	if (gate->input->policy.same_build)
		return;
	for (uint32_t f = 0; f < functions; f++)
		excuse_function(excuse, localise, f);
	for (uint32_t v = 1; v < gate->input->node_count; v++)
		if (gate->result->nodes[v].confirmed)
			look_at_nodes(excuse, v, tree->end[v]);
	if (gate->result->total.confirmed)
		look_at_nodes(excuse, 0, (uint32_t)tree->count);
	for (size_t f = 0; f < functions; f++) {
		excuse->count += excuse->excused[f];
		excuse->caused[f] |= excuse->outgrown[f];
	}
}

/* ---- who has outgrown it -------------------------------------------------------------------- */

/* It is a culprit that it is called more often from there, and the caller may well have changed. */
static bool is_blamed_call(const struct excuse *excuse, uint32_t node)
{
	const struct verdict_result *result = excuse->gate->result;
	const struct tree *tree = excuse->tree;
	uint32_t up = tree->parent[node];
	uint32_t caller = up == VERDICT_NONE ? VERDICT_NONE : tree->function[up];

	if (caller == VERDICT_NONE ||
		tree_flags(excuse->gate->input, caller) & VERDICT_FUNCTION_SAME_CODE)
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
static double gained_by_calls(const struct excuse *excuse, uint32_t function)
{
	const struct tree *tree = excuse->tree;
	double sum = 0;

	for (uint32_t v = 0, end; v < tree->count; v = end) {
		end = v + 1;
		if (!is_blamed_call(excuse, v))
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

static bool has_outgrown(const struct excuse *excuse, uint32_t function)
{
	const struct verdict_result *result = excuse->gate->result;
	enum verdict_state state = result->functions[function].state;
	double gained = excuse->gate->pooled.function[function].mean;

	if (!excuse->outgrown[function] || state == VERDICT_SHIFTED || state == VERDICT_VETOED ||
		state == VERDICT_EXONERATED)
		return false;
	return is_blamed_itself(result, function) ||
	       gained_by_calls(excuse, function) < EXPLAINED_PART * gained;
}

bool excuse_has_outgrown(const struct excuse *excuse)
{
	if (excuse->gate->input->policy.same_build)
		return true;
	for (uint32_t f = 0; f < excuse->gate->input->function_count; f++)
		if (has_outgrown(excuse, f))
			return true;
	return false;
}
