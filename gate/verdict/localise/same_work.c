/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/same_work.h"

#include <math.h>

#include "gate/verdict/localise/unchanged.h"

/* More calls, or instructions, by less than this part are as many. */
#define SAME_COUNT 0.005

static bool has_flag(const struct localise *localise, uint32_t function, uint8_t flag)
{
	return (tree_flags(localise->input, function) & flag) != 0;
}

/* Head's calls by base's; NAN: not counted. */
static double calls_of(const struct localise *localise, uint32_t function)
{
	const double *calls = localise->input->call_ratio;

	return calls && function != VERDICT_NONE ? calls[function] : NAN;
}

static bool is_called_more(const struct localise *localise, uint32_t function)
{
	return calls_of(localise, function) > 1 + SAME_COUNT;
}

/* What is not counted, being inlined, is called by code that is: the nearest of the same code above
 * the node; VERDICT_NONE: there is none. */
static uint32_t counted_above(const struct localise *localise, uint32_t node)
{
	const struct tree *tree = localise->tree;

	for (uint32_t v = node; v != VERDICT_NONE; v = tree->parent[v]) {
		uint32_t function = tree->function[v];

		if (!has_flag(localise, function, VERDICT_FUNCTION_UNCHANGED))
			return VERDICT_NONE;
		if (!isnan(calls_of(localise, function)))
			return function;
	}
	return VERDICT_NONE;
}

static bool is_called_as_often(const struct localise *localise, uint32_t function)
{
	return function != VERDICT_NONE && fabs(calls_of(localise, function) - 1) <= SAME_COUNT;
}

static bool executes_as_many(const double *ratios, uint32_t function)
{
	return ratios && fabs(ratios[function] - 1) <= SAME_COUNT;
}

bool same_work_is_counted(const struct verdict_input *input, uint32_t function)
{
	return tree_flags(input, function) & VERDICT_FUNCTION_UNCHANGED &&
	       executes_as_many(input->call_ratio, function) &&
	       executes_as_many(input->own_instruction_ratio, function);
}

/* Not given more work either. Of what is inlined only what its host executes is counted. */
static bool does_the_same(
	const struct localise *localise, const struct verdict_culprit *culprit, uint32_t counted)
{
	const struct verdict_input *input = localise->input;
	bool own = culprit->kind != VERDICT_BLAME_CALLED;

	return executes_as_many(input->instruction_ratio, counted) ||
	       (own && executes_as_many(input->own_instruction_ratio, counted));
}

/* Adds to cost[function] what is below a node: false where not all is the same code, called no more
 * often. A function has one place, however many call it. */
static bool add_costs(const struct localise *localise, uint32_t node, double *cost)
{
	const struct tree *tree = localise->tree;

	for (uint32_t v = node; v < tree->end[node]; v++) {
		if (!has_flag(localise, tree->function[v], VERDICT_FUNCTION_UNCHANGED) ||
			is_called_more(localise, tree->function[v]))
			return false;
		cost[tree->function[v]] += (tree->moments[v].base + tree->moments[v].head) / 2;
	}
	return true;
}

static bool take_squares(
	const struct localise *localise, const struct verdict_culprit *culprit, double *squares)
{
	struct arena scratch = ARENA_INIT;
	size_t functions = localise->input->function_count;
	double *cost = arena_array(&scratch, functions, sizeof(*cost));
	bool all = true;

	if (culprit->kind != VERDICT_BLAME_CALLED)
		cost[culprit->function] = culprit->base + culprit->change / 2;
	for (uint32_t v = 0; v < localise->tree->count && all; v++)
		if (localise_is_top(localise, culprit, v))
			all = add_costs(localise, v, cost);
	*squares = 0;
	for (size_t f = 0; f < functions; f++)
		*squares += cost[f] * cost[f];
	arena_release(&scratch);
	return all;
}

bool same_work_explains(const struct localise *localise, const struct verdict_culprit *culprit)
{
	const struct verdict_policy *policy = &localise->input->policy;
	uint32_t counted;
	double squares;

	if (policy->same_build || culprit->node == VERDICT_NONE)
		return false;
	counted = counted_above(localise, culprit->node);
	return is_called_as_often(localise, counted) && take_squares(localise, culprit, &squares) &&
	       (does_the_same(localise, culprit, counted) ||
		       !unchanged_is_above(policy, culprit->low, squares));
}

bool same_work_never(const struct localise *localise, const struct verdict_culprit *culprit)
{
	const uint8_t other = VERDICT_FUNCTION_NEW | VERDICT_FUNCTION_CHANGED_CODE;

	return has_flag(localise, culprit->function, other) ||
	       is_called_more(localise, culprit->function);
}
