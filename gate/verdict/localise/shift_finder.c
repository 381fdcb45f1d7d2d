/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/shift_finder.h"

#include <math.h>
#include <string.h>

#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/localise/same_work.h"

#define DECREASED_T (-3)
#define COMPENSATED_PART 0.5
#define COMPENSATED_SE 2

enum mark {
	MARK_GROWN = 1, /* what the increase was measured on: compensates nothing */
	MARK_PARENT = 2,
	MARK_PARENT_SUBTREE = 4,
	MARK_SIBLING = 8,
	MARK_CHILD = 16,
	MARK_ELSEWHERE = 32, /* below another call of the function that grew */
};

/* The sums of one candidate's compensators. */
struct sums {
	struct moments_sum sum[VERDICT_COMPENSATOR_COUNT];
	uint32_t from[VERDICT_COMPENSATOR_COUNT];
	bool used[VERDICT_COMPENSATOR_COUNT];
};

/* In preorder a node comes after all that leads to it. */
static void find_unreached(struct shift_finder *finder, const bool *caused, struct arena *arena)
{
	const struct tree *tree = finder->tree;
	const struct verdict_input *input = finder->input;
	bool *unchanged = arena_array(arena, tree->count, sizeof(*unchanged));

	finder->unreached = arena_array(arena, input->function_count, sizeof(bool));
	if (!tree->real || input->policy.same_build)
		return;
	memset(finder->unreached, true, input->function_count * sizeof(bool));
	for (size_t v = 0; v < tree->count; v++) {
		uint32_t function = tree->function[v], up = tree->parent[v];

		unchanged[v] = (up == VERDICT_NONE || unchanged[up]) &&
			       (function == VERDICT_NONE ||
				       tree_flags(input, function) & VERDICT_FUNCTION_UNCHANGED);
		if (function != VERDICT_NONE)
			finder->unreached[function] &= unchanged[v] && !caused[function];
	}
	for (uint32_t f = 0; f < input->function_count; f++) {
		finder->unreached[f] |= !caused[f] && same_work_is_counted(input, f);
		if (finder->unreached[f])
			finder->elsewhere += finder->pooled->function[f].mean;
	}
}

void shift_finder_init(struct shift_finder *finder, const struct verdict_input *input,
	const struct stage *pooled, const struct tree *tree, const bool *caused,
	struct arena *arena)
{
	finder->input = input;
	finder->pooled = pooled;
	finder->tree = tree;
	finder->mark = arena_array(arena, tree->count, sizeof(*finder->mark));
	finder->decreased = arena_array(arena, input->function_count, sizeof(bool));
	find_unreached(finder, caused, arena);
	for (uint32_t f = 0; f < input->function_count; f++) {
		struct estimate estimate = stage_estimate(pooled, &pooled->function[f]);

		finder->decreased[f] = !finder->unreached[f] && pooled->function[f].sampled > 0 &&
				       estimate_t(&estimate, 0) < DECREASED_T;
	}
}

static void mark_family(struct shift_finder *finder)
{
	const struct tree *tree = finder->tree;
	uint8_t *mark = finder->mark;

	for (size_t v = 0; v < tree->count; v++) {
		uint32_t up = tree->parent[v];

		if (up != VERDICT_NONE) {
			mark[v] |= mark[up] & (MARK_PARENT_SUBTREE | MARK_SIBLING | MARK_CHILD |
						      MARK_ELSEWHERE);
			if (mark[up] & MARK_GROWN)
				mark[v] |= MARK_CHILD;
			if (mark[up] & MARK_PARENT && !(mark[v] & MARK_GROWN))
				mark[v] |= MARK_SIBLING;
		}
		if (mark[v] & MARK_PARENT)
			mark[v] |= MARK_PARENT_SUBTREE;
	}
}

static void mark_function(struct shift_finder *finder, uint32_t function)
{
	const struct tree *tree = finder->tree;

	memset(finder->mark, 0, tree->count);
	for (size_t v = 0; v < tree->count; v++) {
		if (tree->function[v] != function)
			continue;
		finder->mark[v] |= MARK_GROWN;
		if (tree->parent[v] != VERDICT_NONE)
			finder->mark[tree->parent[v]] |= MARK_PARENT;
	}
	mark_family(finder);
}

/* A call that moves from one caller to another is more here and less there, all contexts count. */
static void mark_elsewhere(struct shift_finder *finder, uint32_t function)
{
	const struct tree *tree = finder->tree;

	for (size_t v = 0; function != VERDICT_NONE && v < tree->count; v++)
		if (tree->function[v] == function)
			finder->mark[v] |= MARK_ELSEWHERE;
}

static void mark_node(struct shift_finder *finder, uint32_t node)
{
	const struct tree *tree = finder->tree;

	memset(finder->mark, 0, tree->count);
	mark_elsewhere(finder, tree->function[node]);
	memset(finder->mark + node, MARK_GROWN, tree->end[node] - node);
	finder->mark[tree->parent[node]] |= MARK_PARENT;
	mark_family(finder);
}

/* Which compensators the node belongs to, one bit each. grown: the function that grew. */
static unsigned memberships(const struct shift_finder *finder, size_t v, uint32_t grown)
{
	const struct verdict_input *input = finder->input;
	uint32_t function = finder->tree->function[v];
	uint8_t mark = finder->mark[v], flags = tree_flags(input, function);
	unsigned set = 0;

	set |= mark & MARK_PARENT ? 1u << VERDICT_COMPENSATOR_PARENT : 0;
	set |= mark & MARK_SIBLING ? 1u << VERDICT_COMPENSATOR_SIBLINGS : 0;
	set |= mark & MARK_CHILD ? 1u << VERDICT_COMPENSATOR_CHILDREN : 0;
	set |= mark & MARK_PARENT_SUBTREE ? 1u << VERDICT_COMPENSATOR_PARENT_SUBTREE : 0;
	set |= mark & MARK_ELSEWHERE ? 1u << VERDICT_COMPENSATOR_CONTEXTS : 0;
	if (function == VERDICT_NONE)
		return set;
	if (flags & (VERDICT_FUNCTION_NEW | VERDICT_FUNCTION_VANISHED))
		set |= 1u << VERDICT_COMPENSATOR_SYMBOLS;
	if (flags & (VERDICT_FUNCTION_TOUCHED | VERDICT_FUNCTION_CHANGED_CODE))
		set |= 1u << VERDICT_COMPENSATOR_TOUCHED;
	if (input->function_file && grown != VERDICT_NONE &&
		input->function_file[function] != VERDICT_NONE &&
		input->function_file[function] == input->function_file[grown])
		set |= 1u << VERDICT_COMPENSATOR_FILE;
	if (finder->decreased[function])
		set |= 1u << VERDICT_COMPENSATOR_DECREASED;
	return set;
}

/* The change is in it: cost comes from there rather than from what only happened to go down. */
static bool is_changed(const struct shift_finder *finder, uint32_t function)
{
	return (tree_flags(finder->input, function) &
		       (VERDICT_FUNCTION_TOUCHED | VERDICT_FUNCTION_VANISHED)) != 0;
}

static bool is_unreached(const struct shift_finder *finder, uint32_t function)
{
	return function != VERDICT_NONE && finder->unreached[function];
}

static void remember_from(const struct shift_finder *finder, uint32_t function, uint32_t *from)
{
	const struct moments *moments = finder->pooled->function;

	if (function == VERDICT_NONE || moments[function].mean >= 0)
		return;
	if (*from == VERDICT_NONE || moments[function].mean < moments[*from].mean)
		*from = function;
}

static void add_compensators(const struct shift_finder *finder, uint32_t grown, struct sums *sums)
{
	for (size_t v = 0; v < finder->tree->count; v++) {
		unsigned set;

		if (finder->mark[v] & MARK_GROWN || finder->tree->moments[v].sampled <= 0 ||
			is_unreached(finder, finder->tree->function[v]))
			continue;
		set = memberships(finder, v, grown);
		for (int c = 1; c < VERDICT_COMPENSATOR_COUNT; c++) {
			if (!(set & 1u << c))
				continue;
			sums->used[c] = true;
			tree_add_self(finder->tree, v, &sums->sum[c]);
			remember_from(finder, finder->tree->function[v], &sums->from[c]);
		}
	}
}

static void sums_init(const struct shift_finder *finder, struct arena *scratch, struct sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	for (int c = 1; c < VERDICT_COMPENSATOR_COUNT; c++) {
		moments_sum_init(&sums->sum[c], &finder->pooled->pairs, scratch);
		sums->from[c] = VERDICT_NONE;
	}
}

/*
 * One standard error is granted to the compensator: a hot function that gave cost away is measured
 * worse than the small one that received it, and refactors must not fail for that (simulated: 1.0 %
 * of real moves of 2 % failed without, 0.75 % with; power for +1 % and +2 % falls by at most 1.3
 * points).
 */
static bool compensates(const struct estimate *estimate, double increase)
{
	return estimate->change - estimate->se < -COMPENSATED_PART * increase &&
	       estimate->change < -COMPENSATED_SE * estimate->se;
}

/*
 * Of several compensators, one whose largest decrease is where the change is; of those the one that
 * leaves the least: it tells best where the cost came from.
 */
static bool find_compensator(const struct shift_finder *finder, double increase,
	const struct sums *sums, struct verdict_shift *shift)
{
	bool found = false, best_changed = false;

	for (int c = 1; c < VERDICT_COMPENSATOR_COUNT; c++) {
		struct moments moments;
		struct estimate estimate;
		bool changed;

		if (!sums->used[c])
			continue;
		moments_sum_finish(&sums->sum[c], &moments);
		estimate = stage_estimate(finder->pooled, &moments);
		if (!compensates(&estimate, increase))
			continue;
		changed = is_changed(finder, sums->from[c]);
		if (found && best_changed > changed)
			continue;
		if (found && best_changed == changed &&
			fabs(increase + estimate.change) >= fabs(shift->net))
			continue;
		best_changed = changed;
		found = true;
		shift->compensator = (enum verdict_compensator)c;
		shift->from = sums->from[c];
		shift->compensation = estimate.change;
		shift->se = estimate.se;
		shift->net = increase + estimate.change;
	}
	return found;
}

static bool judge_marked(
	const struct shift_finder *finder, double increase, struct verdict_shift *shift)
{
	struct arena scratch = ARENA_INIT;
	struct sums sums;
	bool found;

	sums_init(finder, &scratch, &sums);
	add_compensators(finder, shift->function, &sums);
	shift->moved = increase;
	found = find_compensator(finder, increase, &sums, shift);
	arena_release(&scratch);
	return found;
}

bool shift_of_function(struct shift_finder *finder, uint32_t function, struct verdict_shift *shift)
{
	memset(shift, 0, sizeof(*shift));
	shift->function = function;
	shift->node = shift->from = VERDICT_NONE;
	mark_function(finder, function);
	return judge_marked(finder, finder->pooled->function[function].mean, shift);
}

bool shift_of_node(struct shift_finder *finder, uint32_t node, struct verdict_shift *shift)
{
	memset(shift, 0, sizeof(*shift));
	shift->function = finder->tree->function[node];
	shift->node = node;
	shift->from = VERDICT_NONE;
	mark_node(finder, node);
	return judge_marked(finder, finder->pooled->node[node].mean, shift);
}

bool shift_total_contradicts(const struct shift_finder *finder, double increase)
{
	const struct robust_mean *log_ratio = &finder->pooled->log_ratio;
	double t = numeric_student_quantile(0.025, log_ratio->df);
	double bound = expm1(log_ratio->mean + t * log_ratio->se);
	double of_base = stage_of_base(finder->pooled);

	return bound - of_base * finder->elsewhere < COMPENSATED_PART * of_base * increase;
}
