/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/localise.h"

#include <math.h>
#include <string.h>

#include "gate/verdict/localise/edges.h"

/*
 * Evidence is compared as a part of evidence, whatever its size: what no hypothesis fits (a callee
 * that grew a little less than in proportion, a context that grew a little more) grows with the
 * regression, and beside it a constant is nothing. Code that the diff touches is the likelier
 * cause, unchanged code the less likely one.
 */
#define TOUCHED_WEIGHT 1.25
#define UNCHANGED_WEIGHT 0.8
/*
 * A self hypothesis is simpler; of near equals, where a subtree is nearly one function, it wins.
 * And of the many calls above a function one fits better by chance: by a constant, which matters
 * where there is little evidence.
 */
#define CALLED_WEIGHT 0.97
#define CALLED_CHANCE 1
/* A subtree with this part of the benchmark is "everything". */
#define SPREAD_SHARE 0.9
/* Unchanged code is not excused if calling it more often fits within
 * e^2 as well as its own growth. */
#define UNCHANGED_SLACK 2
/* A new call with this part of the evidence for one above it stands for it. */
#define NEW_CALL_PART 0.7

/* A function that holds this part of what seems to have grown everywhere is no part of a crowd. */
#define NOT_SPREAD_PART 0.5
/* The least evidence for the first culprit, z = 2.8; what a confirmed test shows is far above. */
#define FIRST_LEAST 4

struct hypothesis {
	enum verdict_blame kind;
	double evidence, score; /* score: the evidence, weighed by what is known of the code */
	uint32_t function;      /* self */
	uint32_t node;          /* called: the node, or an edge's largest */
	bool whole_edge;        /* called: in all contexts */
};

static void weigh_nodes(struct localise *localise)
{
	const struct tree *tree = localise->tree;

	for (size_t v = 0; v < tree->count; v++) {
		const struct moments *moments = &tree->moments[v];
		struct estimate estimate = stage_estimate(localise->pooled, moments);

		if (moments->sampled <= 0 || !(estimate.se > 0))
			continue;
		localise->change[v] = estimate.change;
		localise->weight[v] = 1 / (estimate.se * estimate.se);
		/* The mean of both versions: unbiased where a node has few samples, defined where
		 * it is new. */
		localise->cost[v] = (moments->base + moments->head) / 2;
	}
}

static void weigh_functions(struct localise *localise)
{
	for (size_t f = 0; f < localise->input->function_count; f++) {
		const struct moments *moments = &localise->pooled->function[f];
		struct estimate estimate = stage_estimate(localise->pooled, moments);

		localise->function_change[f] = moments->sampled > 0 ? estimate.change : 0;
		localise->function_se[f] = estimate.se;
	}
}

/* Without sampling variance (exact counts) the tiniest change is infinite evidence; cap it. */
static double evidence_of(double change, double se)
{
	double t = se > 0 ? change / se : (change > 0 ? 1e6 : 0);

	return t > 0 ? 0.5 * fmin(t, 1e6) * fmin(t, 1e6) : 0;
}

static void sum_subtrees(struct localise *localise)
{
	const struct tree *tree = localise->tree;

	for (size_t v = 0; v < tree->count; v++) {
		double scaled = localise->cost[v] * localise->weight[v];

		localise->along[v] = localise->change[v] * scaled;
		localise->power[v] = localise->cost[v] * scaled;
	}
	for (size_t v = tree->count; v-- > 1;) {
		uint32_t up = tree->parent[v];

		if (up == VERDICT_NONE)
			continue;
		localise->along[up] += localise->along[v];
		localise->power[up] += localise->power[v];
	}
}

void localise_init(struct localise *localise, const struct verdict_input *input,
	const struct stage *pooled, const struct tree *tree, struct arena *arena)
{
	size_t nodes = tree->count, functions = input->function_count;

	localise->input = input;
	localise->pooled = pooled;
	localise->tree = tree;
	localise->change = arena_array(arena, nodes, sizeof(double));
	localise->weight = arena_array(arena, nodes, sizeof(double));
	localise->cost = arena_array(arena, nodes, sizeof(double));
	localise->along = arena_array(arena, nodes, sizeof(double));
	localise->power = arena_array(arena, nodes, sizeof(double));
	localise->function_change = arena_array(arena, functions, sizeof(double));
	localise->function_se = arena_array(arena, functions, sizeof(double));
	localise->edge = arena_array(arena, nodes, sizeof(*localise->edge));
	localise->outermost = arena_array(arena, nodes, sizeof(bool));
	weigh_nodes(localise);
	weigh_functions(localise);
	localise->edge_count = edges_number(tree, arena, localise->edge);
	edges_outermost(tree, localise->edge, localise->edge_count, arena, localise->outermost);
	sum_subtrees(localise);
}

void localise_forget(struct localise *localise, uint32_t function)
{
	localise->function_change[function] = 0;
	for (size_t v = 0; v < localise->tree->count; v++)
		if (localise->tree->function[v] == function)
			localise->change[v] = 0;
}

void localise_forget_call(struct localise *localise, uint32_t node)
{
	for (size_t v = node; v < localise->tree->end[node]; v++)
		localise->change[v] = 0;
}

static double called_evidence(double along, double power)
{
	return along > 0 && power > 0 ? 0.5 * along * along / power : 0;
}

static uint32_t caller_function(const struct tree *tree, size_t node)
{
	uint32_t up = tree->parent[node];

	return up == VERDICT_NONE ? VERDICT_NONE : tree->function[up];
}

/* The node of function that grew most; VERDICT_NONE if none did. */
static uint32_t grown_node(const struct tree *tree, uint32_t function)
{
	uint32_t best = VERDICT_NONE;
	double most = 0;

	for (size_t v = 0; v < tree->count; v++) {
		if (tree->function[v] != function || tree->moments[v].mean <= most)
			continue;
		most = tree->moments[v].mean;
		best = (uint32_t)v;
	}
	return best;
}

bool localise_unchanged(struct localise *localise, uint32_t function)
{
	const struct tree *tree = localise->tree;
	uint32_t node = grown_node(tree, function);
	double self;

	if (!(tree_flags(localise->input, function) & VERDICT_FUNCTION_UNCHANGED))
		return false;
	if (!tree->real || node == VERDICT_NONE)
		return true;
	self = 0.5 * localise->change[node] * localise->change[node] * localise->weight[node];
	for (uint32_t v = node; v != VERDICT_NONE; v = tree->parent[v]) {
		uint32_t caller = caller_function(tree, v);

		if (caller == VERDICT_NONE ||
			tree_flags(localise->input, caller) & VERDICT_FUNCTION_UNCHANGED)
			continue;
		if (called_evidence(localise->along[v], localise->power[v]) >=
			self - UNCHANGED_SLACK)
			return false;
	}
	return true;
}

/* The root, which is no function, is not changed either. */
static double weight_of_code(const struct localise *localise, uint32_t function)
{
	uint8_t flags = tree_flags(localise->input, function);

	if (function == VERDICT_NONE || flags & VERDICT_FUNCTION_UNCHANGED)
		return UNCHANGED_WEIGHT;
	return flags & VERDICT_FUNCTION_TOUCHED ? TOUCHED_WEIGHT : 1;
}

static void consider(const struct hypothesis *candidate, struct hypothesis *best)
{
	if (candidate->evidence > 0 && candidate->score > best->score)
		*best = *candidate;
}

static void consider_functions(const struct localise *localise, struct hypothesis *best)
{
	for (uint32_t f = 0; f < localise->input->function_count; f++) {
		struct hypothesis candidate = {.kind = VERDICT_BLAME_SELF, .function = f};

		candidate.evidence =
			evidence_of(localise->function_change[f], localise->function_se[f]);
		candidate.score = candidate.evidence * weight_of_code(localise, f);
		consider(&candidate, best);
	}
}

static void consider_called(const struct localise *localise, uint32_t node, double evidence,
	bool whole_edge, struct hypothesis *best)
{
	struct hypothesis candidate = {.kind = VERDICT_BLAME_CALLED, .node = node};

	candidate.function = localise->tree->function[node];
	if (candidate.function == VERDICT_NONE)
		return;
	candidate.whole_edge = whole_edge;
	candidate.evidence = evidence;
	candidate.score = fmin(CALLED_WEIGHT * evidence, evidence - CALLED_CHANCE) *
			  weight_of_code(localise, caller_function(localise->tree, node));
	consider(&candidate, best);
}

/* An edge is represented by the context in which it grew most. */
static void consider_edges(
	const struct localise *localise, struct arena *scratch, struct hypothesis *best)
{
	const struct tree *tree = localise->tree;
	size_t edges = localise->edge_count;
	double *along = arena_array(scratch, edges, sizeof(double));
	double *power = arena_array(scratch, edges, sizeof(double));
	uint32_t *node = arena_array(scratch, edges, sizeof(*node));

	for (uint32_t v = 1; v < tree->count; v++) {
		uint32_t e = localise->edge[v];

		if (!localise->outermost[v])
			continue;
		along[e] += localise->along[v];
		power[e] += localise->power[v];
		if (node[e] == 0 || localise->along[v] > localise->along[node[e]])
			node[e] = v;
	}
	for (size_t e = 0; e < edges; e++)
		if (node[e] != 0)
			consider_called(
				localise, node[e], called_evidence(along[e], power[e]), true, best);
}

/* All contexts of the edge of node. */
static double edge_evidence(const struct localise *localise, uint32_t node)
{
	double along = 0, power = 0;

	for (uint32_t v = 1; v < localise->tree->count; v++) {
		if (!localise->outermost[v] || localise->edge[v] != localise->edge[node])
			continue;
		along += localise->along[v];
		power += localise->power[v];
	}
	return called_evidence(along, power);
}

static bool is_new_call(const struct localise *localise, uint32_t node)
{
	const struct tree *tree = localise->tree;

	return tree_flags(localise->input, tree->function[node]) & VERDICT_FUNCTION_NEW &&
	       !(tree_flags(localise->input, caller_function(tree, node)) & VERDICT_FUNCTION_NEW);
}

/*
 * Whoever calls something new, and all above, look as if they were called more often. The new call
 * is the cause where it has most of the evidence.
 */
static void narrow_to_new_call(const struct localise *localise, struct hypothesis *found)
{
	const struct tree *tree = localise->tree;
	uint32_t best = VERDICT_NONE;

	if (found->kind != VERDICT_BLAME_CALLED || is_new_call(localise, found->node))
		return;
	for (uint32_t v = found->node + 1; v < tree->end[found->node]; v++)
		if (is_new_call(localise, v) &&
			(best == VERDICT_NONE || localise->along[v] > localise->along[best]))
			best = v;
	if (best == VERDICT_NONE || edge_evidence(localise, best) < NEW_CALL_PART * found->evidence)
		return;
	found->node = best;
	found->function = tree->function[best];
	found->whole_edge = true;
	found->evidence = edge_evidence(localise, best);
}

static struct hypothesis best_hypothesis(struct localise *localise)
{
	struct hypothesis best = {.score = -INFINITY};
	struct arena scratch = ARENA_INIT;

	consider_functions(localise, &best);
	if (localise->tree->real) {
		sum_subtrees(localise);
		consider_edges(localise, &scratch, &best);
		for (uint32_t v = 1; v < localise->tree->count; v++)
			consider_called(localise, v,
				called_evidence(localise->along[v], localise->power[v]), false,
				&best);
		narrow_to_new_call(localise, &best);
	}
	arena_release(&scratch);
	return best;
}

static bool is_top_of(
	const struct localise *localise, uint32_t called, bool whole_edge, size_t node)
{
	if (!whole_edge)
		return node == called;
	return localise->outermost[node] && localise->edge[node] == localise->edge[called];
}

/* Whether node is the top of a subtree that the hypothesis says grew. */
static bool is_top(const struct localise *localise, const struct hypothesis *found, size_t node)
{
	return is_top_of(localise, found->node, found->whole_edge, node);
}

bool localise_is_top(
	const struct localise *localise, const struct verdict_culprit *culprit, size_t node)
{
	return culprit->kind == VERDICT_BLAME_CALLED && node > 0 &&
	       is_top_of(localise, culprit->node, culprit->every_context, node);
}

static void subtract_called(struct localise *localise, const struct hypothesis *found)
{
	const struct tree *tree = localise->tree;
	double along = 0, power = 0, scale;

	for (size_t v = 1; v < tree->count; v++) {
		along += is_top(localise, found, v) ? localise->along[v] : 0;
		power += is_top(localise, found, v) ? localise->power[v] : 0;
	}
	scale = along / power;
	for (size_t v = 1; v < tree->count; v++) {
		if (!is_top(localise, found, v))
			continue;
		for (size_t u = v; u < tree->end[v]; u++) {
			double part = scale * localise->cost[u];

			localise->change[u] -= part;
			if (tree->function[u] != VERDICT_NONE)
				localise->function_change[tree->function[u]] -= part;
		}
		v = tree->end[v] - 1; /* tops are outermost: none below */
	}
}

static struct moments moments_of_called(const struct localise *localise,
	const struct hypothesis *found, const struct stage *display)
{
	const struct verdict_input *input = localise->input;
	struct arena scratch = ARENA_INIT;
	struct moments_sum sum;
	struct moments moments;

	moments_sum_init(&sum, &display->pairs, &scratch);
	for (size_t v = 1; v < localise->tree->count; v++)
		if (is_top(localise, found, v))
			moments_sum_add(&sum, input->node_total[0] + v * input->pairs,
				input->node_total[1] + v * input->pairs);
	moments_sum_finish(&sum, &moments);
	arena_release(&scratch);
	return moments;
}

static void set_numbers(
	const struct stage *display, const struct moments *moments, struct verdict_culprit *culprit)
{
	struct estimate estimate = stage_estimate(display, moments);
	double half = stage_half_width(display, &estimate);

	culprit->change = estimate.change;
	culprit->se = estimate.se;
	culprit->low = estimate.change - half;
	culprit->high = estimate.change + half;
	culprit->base = moments->base;
	culprit->score = estimate.change * estimate.change /
			 sqrt(estimate.change * estimate.change + 4 * estimate.se * estimate.se);
	if (!(culprit->score > 0)) /* 0 / 0 where nothing changed without variance */
		culprit->score = 0;
}

/* The root is nobody's function, so it is no caller to show. */
static uint32_t caller_node(const struct tree *tree, uint32_t node)
{
	uint32_t up = node == VERDICT_NONE || !tree->real ? VERDICT_NONE : tree->parent[node];

	return up == VERDICT_NONE || tree->function[up] == VERDICT_NONE ? VERDICT_NONE : up;
}

static void name_caller(const struct localise *localise, struct verdict_culprit *culprit)
{
	culprit->caller_node = caller_node(localise->tree, culprit->node);
	if (culprit->kind == VERDICT_BLAME_CALLED && culprit->caller_node != VERDICT_NONE)
		culprit->caller_first = tree_flags(localise->input,
						localise->tree->function[culprit->caller_node]) &
					VERDICT_FUNCTION_TOUCHED;
}

void localise_describe(const struct localise *localise, const struct stage *display,
	uint32_t function, enum verdict_blame kind, struct verdict_culprit *culprit)
{
	struct estimate pooled =
		stage_estimate(localise->pooled, &localise->pooled->function[function]);

	*culprit = (struct verdict_culprit){
		.kind = kind,
		.function = function,
		.node = localise->tree->real ? grown_node(localise->tree, function) : VERDICT_NONE,
		.cause = VERDICT_NONE,
		.log_likelihood = evidence_of(pooled.change, pooled.se),
	};
	name_caller(localise, culprit);
	set_numbers(display, &display->function[function], culprit);
}

static struct moments describe_called(const struct localise *localise,
	const struct hypothesis *found, const struct stage *display,
	struct verdict_culprit *culprit)
{
	struct moments moments = moments_of_called(localise, found, display);

	*culprit = (struct verdict_culprit){
		.kind = VERDICT_BLAME_CALLED,
		.function = found->function,
		.node = found->node,
		.every_context = found->whole_edge,
		.cause = VERDICT_NONE,
		.log_likelihood = found->evidence,
	};
	name_caller(localise, culprit);
	set_numbers(display, &moments, culprit);
	return moments;
}

/* Of what was sampled, both versions together: a share of base alone shrinks as head grows. */
static bool is_everything(
	const struct localise *localise, const struct stage *display, const struct moments *moments)
{
	double sampled = 0;

	for (size_t f = 0; f < localise->input->function_count; f++)
		sampled += display->function[f].base + display->function[f].head;
	return moments->base + moments->head >= SPREAD_SHARE * sampled;
}

/* The change that is left below the hypothesis' calls. */
static double change_below(const struct localise *localise, const struct hypothesis *found)
{
	const struct tree *tree = localise->tree;
	double sum = 0;

	for (size_t v = 1; v < tree->count; v++) {
		if (!is_top(localise, found, v))
			continue;
		for (size_t u = v; u < tree->end[v]; u++)
			sum += localise->change[u];
		v = tree->end[v] - 1;
	}
	return sum;
}

/* The confirmed function of which it is false that no single function explains what grew. */
static uint32_t not_spread(
	const struct localise *localise, const bool *confirmed, const struct hypothesis *found)
{
	double most = NOT_SPREAD_PART * change_below(localise, found);
	uint32_t best = VERDICT_NONE;

	for (uint32_t f = 0; f < localise->input->function_count; f++)
		if (confirmed[f] && localise->function_change[f] >= most &&
			localise->function_change[f] > 0) {
			most = localise->function_change[f];
			best = f;
		}
	return best;
}

static void take_called(struct localise *localise, const struct stage *display,
	const bool *confirmed, const struct hypothesis *found, struct localised *result)
{
	struct verdict_culprit *culprit = &result->culprits[result->count];
	struct moments moments = describe_called(localise, found, display, culprit);
	uint32_t alone;

	if (culprit->caller_first || !is_everything(localise, display, &moments)) {
		result->count++;
		subtract_called(localise, found);
		return;
	}
	alone = not_spread(localise, confirmed, found);
	if (alone == VERDICT_NONE) {
		result->spread = true;
		subtract_called(localise, found);
		return;
	}
	localise_describe(localise, display, alone, VERDICT_BLAME_SELF, culprit);
	result->count++;
	localise_forget(localise, alone);
}

void localise_run(struct localise *localise, const struct stage *display, double least,
	const bool *confirmed, struct localised *result)
{
	memset(result, 0, sizeof(*result));
	for (int round = 0; result->count < VERDICT_CULPRITS_MAX; round++) {
		struct hypothesis found = best_hypothesis(localise);

		if (found.evidence < (round > 0 ? least : FIRST_LEAST))
			break;
		if (found.kind == VERDICT_BLAME_CALLED) {
			take_called(localise, display, confirmed, &found, result);
			continue;
		}
		localise_describe(localise, display, found.function, VERDICT_BLAME_SELF,
			&result->culprits[result->count]);
		result->culprits[result->count++].log_likelihood = found.evidence;
		localise_forget(localise, found.function);
	}
}
