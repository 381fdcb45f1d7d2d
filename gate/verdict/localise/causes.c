/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/localise/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/verdict/localise/same_work.h"

#define NONE VERDICT_NONE
/* What has this part of its increase below another culprit grew by it. */
#define CARRIED_PART 0.5
/* What is new is one function's doing if this part of it is called from there. */
#define NEW_PART 0.9
/* A call that has less than this part of its group, where others are not below it, does not head
 * it. */
#define HEAD_PART 0.25
/* Culprits that grew by more than this times what the benchmark did explain no part of that. */
#define EXPLAINED_MOST 2

struct finder {
	const struct causes *causes;
	const struct tree *tree;
	struct verdict_culprit *culprits;
	size_t count;
	uint32_t *changed; /* [node]: the nearest node above whose function's code has changed */
	bool *below;       /* [node]: scratch */
	double *net;       /* [culprit]: what is its own alone */
};

static uint8_t flags_of(const struct finder *finder, uint32_t function)
{
	return tree_flags(finder->causes->localise->input, function);
}

/* What is new grew because somebody calls it now, whose code is then the one that changed. */
static bool is_changed(const struct finder *finder, uint32_t function)
{
	uint8_t flags = flags_of(finder, function);

	if (flags & (VERDICT_FUNCTION_NEW | VERDICT_FUNCTION_UNCHANGED))
		return false;
	return (flags & (VERDICT_FUNCTION_TOUCHED | VERDICT_FUNCTION_CHANGED_CODE)) != 0;
}

static bool is_known_not_to_be_changed(const struct finder *finder, uint32_t function)
{
	return (flags_of(finder, function) & (VERDICT_FUNCTION_NEW | VERDICT_FUNCTION_UNCHANGED)) !=
	       0;
}

/* ---- where a culprit grew ------------------------------------------------------------------- */

/* Whether node is one of those that the culprit is about; its growth there. */
static bool grew_at(const struct finder *finder, size_t culprit, size_t node, double *growth)
{
	const struct verdict_culprit *one = &finder->culprits[culprit];

	if (one->kind == VERDICT_BLAME_CALLED) {
		*growth = finder->causes->localise->pooled->node[node].mean;
		return localise_is_top(finder->causes->localise, one, node);
	}
	*growth = finder->tree->moments[node].mean;
	return finder->tree->function[node] == one->function;
}

/* Marks the nodes below the culprit's calls, these included. */
static void mark_below_calls(struct finder *finder, size_t culprit)
{
	const struct tree *tree = finder->tree;

	for (size_t v = 0; v < tree->count; v++) {
		uint32_t up = tree->parent[v];

		finder->below[v] =
			(up != NONE && finder->below[up]) ||
			localise_is_top(finder->causes->localise, &finder->culprits[culprit], v);
	}
}

/* Takes back the marks where a changed function is between, whose doing it rather is. */
static void unmark_below_changed(struct finder *finder)
{
	const struct tree *tree = finder->tree;

	for (size_t v = tree->count; v-- > 0;) {
		uint32_t changed = finder->changed[v];

		if (changed != NONE && finder->below[changed])
			finder->below[v] = false;
	}
}

static void mark_below_function(struct finder *finder, uint32_t function)
{
	const struct tree *tree = finder->tree;

	for (size_t v = 0; v < tree->count; v++) {
		uint32_t changed = finder->changed[v];

		finder->below[v] = changed != NONE && tree->function[changed] == function;
	}
}

/* Whether most of what the culprit grew is at marked nodes. */
static bool is_mostly_below(const struct finder *finder, size_t culprit)
{
	double all = 0, below = 0, growth;

	for (size_t v = 1; v < finder->tree->count; v++) {
		if (!grew_at(finder, culprit, v, &growth))
			continue;
		all += growth;
		below += finder->below[v] ? growth : 0;
	}
	return all > 0 && below >= CARRIED_PART * all;
}

/* ---- confirmed functions that nobody names -------------------------------------------------- */

static bool is_named(const struct finder *finder, uint32_t function)
{
	for (size_t i = 0; i < finder->count; i++)
		if (finder->culprits[i].function == function)
			return true;
	return false;
}

static uint32_t carrier_of(struct finder *finder, size_t culprit)
{
	for (size_t i = 0; i < culprit; i++) {
		if (finder->culprits[i].kind != VERDICT_BLAME_CALLED)
			continue;
		mark_below_calls(finder, i);
		if (is_mostly_below(finder, culprit))
			return (uint32_t)i;
	}
	return NONE;
}

static void name_confirmed(struct finder *finder, bool spread)
{
	const struct causes *causes = finder->causes;
	size_t functions = causes->localise->input->function_count;

	for (uint32_t f = 0; f < functions && finder->count < VERDICT_CULPRITS_MAX; f++) {
		struct verdict_culprit *one = &finder->culprits[finder->count];

		if (!causes->confirmed[f] || causes->in_place[f] || is_named(finder, f))
			continue;
		localise_describe(causes->localise, causes->display, f, VERDICT_BLAME_CARRIED, one);
		one->cause = carrier_of(finder, finder->count);
		if (one->cause == NONE && !spread)
			one->kind = VERDICT_BLAME_SELF;
		finder->count++;
	}
}

/* ---- what its place may explain -------------------------------------------------------------- */

/* Something else that grew more did not do the same as before. */
static bool stands_beside(const struct finder *finder, size_t culprit)
{
	for (size_t i = 0; i < finder->count; i++)
		if (finder->culprits[i].score > finder->culprits[culprit].score &&
			same_work_never(finder->causes->localise, &finder->culprits[i]))
			return true;
	return false;
}

/* From the last, so that what is asked about stands beside all that is left of the list. */
static void leave_in_place(struct finder *finder)
{
	struct verdict_culprit *culprits = finder->culprits;

	for (size_t i = finder->count; i-- > 0;) {
		if (!stands_beside(finder, i) ||
			!same_work_explains(finder->causes->localise, &culprits[i]))
			continue;
		finder->causes->in_place[culprits[i].function] = true;
		memmove(&culprits[i], &culprits[i + 1], (--finder->count - i) * sizeof(*culprits));
	}
}

/* ---- what hangs on what --------------------------------------------------------------------- */

static bool hangs(const struct verdict_culprit *culprit)
{
	return culprit->cause != NONE || culprit->kind == VERDICT_BLAME_CARRIED;
}

/* Where nothing is known of the code, a call is made by its caller. */
static uint32_t seat_of(const struct finder *finder, const struct verdict_culprit *culprit)
{
	uint32_t caller;

	if (culprit->kind != VERDICT_BLAME_CALLED || culprit->caller_node == NONE)
		return culprit->function;
	caller = finder->tree->function[culprit->caller_node];
	if (!is_changed(finder, caller) && is_changed(finder, culprit->function))
		return culprit->function;
	return caller;
}

static void find_changed(struct finder *finder)
{
	const struct tree *tree = finder->tree;

	for (size_t v = 0; v < tree->count; v++) {
		uint32_t up = tree->parent[v];

		finder->changed[v] = up == NONE                               ? NONE
				     : is_changed(finder, tree->function[up]) ? up
									      : finder->changed[up];
	}
}

static bool is_own_cost(const struct verdict_culprit *culprit)
{
	return culprit->kind == VERDICT_BLAME_SELF;
}

static bool share_a_seat(const struct finder *finder, size_t a, size_t b)
{
	uint32_t seat = finder->culprits[a].seat;

	return seat == finder->culprits[b].seat &&
	       (is_changed(finder, seat) || is_own_cost(&finder->culprits[a]) ||
		       is_own_cost(&finder->culprits[b]));
}

static bool is_new(const struct finder *finder, size_t culprit)
{
	return is_own_cost(&finder->culprits[culprit]) &&
	       flags_of(finder, finder->culprits[culprit].function) & VERDICT_FUNCTION_NEW;
}

/* a is new, and b, whose code has changed, is who calls it. */
static bool is_new_callee(const struct finder *finder, size_t a, size_t b)
{
	const struct tree *tree = finder->tree;
	uint32_t caller = finder->culprits[b].function;
	double all = 0, called = 0, growth;

	if (!is_new(finder, a) || !is_own_cost(&finder->culprits[b]) || !is_changed(finder, caller))
		return false;
	for (size_t v = 1; v < tree->count; v++) {
		uint32_t up = tree->parent[v];

		if (!grew_at(finder, a, v, &growth))
			continue;
		all += growth;
		called += up != NONE && tree->function[up] == caller ? growth : 0;
	}
	return all > 0 && called >= NEW_PART * all;
}

/* The larger of the two is the cause. */
static bool are_one(const struct finder *finder, size_t a, size_t b)
{
	return share_a_seat(finder, a, b) || is_new_callee(finder, a, b) ||
	       is_new_callee(finder, b, a);
}

/* a is blamed for other calls than those that b is below. */
static bool is_beside(struct finder *finder, size_t b, size_t a)
{
	if (finder->culprits[a].kind != VERDICT_BLAME_CALLED)
		return false;
	mark_below_calls(finder, a);
	return !is_mostly_below(finder, b);
}

/* Whether b grew by what a is blamed for. What is new did not by another call beside it. */
static bool grew_by(struct finder *finder, size_t b, size_t a)
{
	uint32_t seat = finder->culprits[b].seat, cause = finder->culprits[a].seat;

	if (is_changed(finder, seat))
		return false;
	if (is_changed(finder, cause) && is_known_not_to_be_changed(finder, seat) &&
		!(is_new(finder, b) && is_beside(finder, b, a))) {
		mark_below_function(finder, cause);
		if (is_mostly_below(finder, b))
			return true;
	}
	if (finder->culprits[a].kind != VERDICT_BLAME_CALLED)
		return false;
	mark_below_calls(finder, a);
	unmark_below_changed(finder);
	return is_mostly_below(finder, b);
}

static bool hangs_on(const struct finder *finder, size_t low, size_t high)
{
	while (low != high && finder->culprits[low].cause != NONE)
		low = finder->culprits[low].cause;
	return low == high;
}

/* Of several that it may hang on, the largest. */
static void hang(struct finder *finder, size_t b)
{
	for (size_t a = 0; a < finder->count; a++) {
		if (a == b || finder->culprits[a].kind == VERDICT_BLAME_CARRIED ||
			hangs_on(finder, a, b))
			continue;
		if (are_one(finder, a, b) ? a < b
					  : finder->culprits[a].seat != finder->culprits[b].seat &&
						    grew_by(finder, b, a)) {
			finder->culprits[b].cause = (uint32_t)a;
			return;
		}
	}
}

static void hang_all(struct finder *finder)
{
	for (size_t i = 0; i < finder->count; i++)
		finder->culprits[i].seat = seat_of(finder, &finder->culprits[i]);
	find_changed(finder);
	for (size_t i = 0; i < finder->count; i++)
		if (finder->culprits[i].kind != VERDICT_BLAME_CARRIED)
			hang(finder, i);
	for (size_t i = 0; i < finder->count; i++) {
		uint32_t *cause = &finder->culprits[i].cause;

		while (*cause != NONE && finder->culprits[*cause].cause != NONE)
			*cause = finder->culprits[*cause].cause;
	}
}

/* ---- what each explains --------------------------------------------------------------------- */

/* The innermost culprit by calls that each node is below. */
static uint32_t *find_callers(const struct finder *finder)
{
	const struct tree *tree = finder->tree;
	uint32_t *owner = arena_array(finder->causes->arena, tree->count, sizeof(*owner));

	for (size_t v = 0; v < tree->count; v++) {
		owner[v] = tree->parent[v] == NONE ? NONE : owner[tree->parent[v]];
		for (size_t i = finder->count; i-- > 0;)
			if (localise_is_top(finder->causes->localise, &finder->culprits[i], v))
				owner[v] = (uint32_t)i;
	}
	return owner;
}

static uint32_t *find_selves(const struct finder *finder)
{
	const struct causes *causes = finder->causes;
	size_t functions = causes->localise->input->function_count;
	uint32_t *owner = arena_array(causes->arena, functions, sizeof(*owner));

	for (size_t f = 0; f < functions; f++)
		owner[f] = NONE;
	for (size_t i = 0; i < finder->count; i++)
		if (finder->culprits[i].kind != VERDICT_BLAME_CALLED)
			owner[finder->culprits[i].function] = (uint32_t)i;
	return owner;
}

static double own_change(const struct finder *finder, size_t node)
{
	const struct tree *tree = finder->tree;
	struct moments moments;

	moments_of_row(&finder->causes->display->pairs, tree->self[0] + node * tree->row,
		tree->self[1] + node * tree->row, &moments);
	return moments.mean;
}

/*
 * A call has what is below it but for what inner calls and functions that are culprits themselves
 * have. Nodes that are too small to be tested are in the sums of those above, as they are in what a
 * call is said to have grown by.
 */
static void net_calls(struct finder *finder, const uint32_t *self, const uint32_t *caller)
{
	const struct tree *tree = finder->tree;
	const struct moments *below = finder->causes->display->node;

	for (size_t v = 1; tree->real && v < tree->count; v++) {
		uint32_t outer = caller[tree->parent[v]];

		if (caller[v] != NONE && self[tree->function[v]] != NONE)
			finder->net[caller[v]] -= own_change(finder, v);
		if (caller[v] == outer)
			continue;
		finder->net[caller[v]] += below[v].mean;
		if (outer != NONE)
			finder->net[outer] -= below[v].mean;
	}
}

/* What clearly went down and is in no culprit's sum; positive. */
static double all_that_shrank(
	const struct finder *finder, const uint32_t *self, const uint32_t *caller)
{
	const struct tree *tree = finder->tree;
	double sum = 0;

	for (size_t v = 0; v < tree->count; v++) {
		uint32_t function = tree->function[v];

		if (function != NONE && finder->causes->decreased[function] &&
			self[function] == NONE && caller[v] == NONE)
			sum -= own_change(finder, v);
	}
	return fmax(sum, 0);
}

/* What hangs on a call, is not below it, and has more of the group by its own than the call has;
 * NONE: nothing. */
static uint32_t better_head(struct finder *finder, size_t head)
{
	uint32_t best = NONE;
	double together = finder->net[head], most;

	for (size_t i = 0; i < finder->count; i++)
		together += finder->culprits[i].cause == head ? finder->net[i] : 0;
	most = HEAD_PART * together;
	if (finder->culprits[head].kind != VERDICT_BLAME_CALLED || finder->net[head] >= most)
		return NONE;
	mark_below_calls(finder, head);
	for (size_t i = 0; i < finder->count; i++) {
		if (finder->culprits[i].cause != head || finder->net[i] <= most ||
			finder->culprits[i].kind == VERDICT_BLAME_CARRIED ||
			is_mostly_below(finder, i))
			continue;
		most = finder->net[i];
		best = (uint32_t)i;
	}
	return best;
}

/* A changed function is blamed for one call, and most of what grew below it is elsewhere: a reader
 * looks for that. */
static void choose_heads(struct finder *finder)
{
	for (size_t head = 0; head < finder->count; head++) {
		uint32_t best = hangs(&finder->culprits[head]) ? NONE : better_head(finder, head);

		if (best == NONE)
			continue;
		for (size_t i = 0; i < finder->count; i++)
			if (finder->culprits[i].cause == head)
				finder->culprits[i].cause = best;
		finder->culprits[head].cause = best;
		finder->culprits[best].cause = NONE;
	}
}

static void add_together(struct finder *finder)
{
	for (size_t i = 0; i < finder->count; i++)
		finder->culprits[i].together = finder->net[i];
	for (size_t i = 0; i < finder->count; i++)
		if (finder->culprits[i].cause != NONE)
			finder->culprits[finder->culprits[i].cause].together += finder->net[i];
}

/* The total's increase; but culprits whose sum is larger by chance explain all of it. */
static double whole_increase(const struct finder *finder, double shrank)
{
	double grown = 0, whole;

	for (size_t i = 0; i < finder->count; i++)
		if (finder->culprits[i].cause == NONE)
			grown += fmax(finder->culprits[i].together, 0);
	whole = fmax(finder->causes->increase, grown - shrank);
	return grown <= EXPLAINED_MOST * whole ? whole : 0;
}

static void explain(struct finder *finder)
{
	const struct stage *display = finder->causes->display;
	uint32_t *self = find_selves(finder), *caller = find_callers(finder);
	double whole;

	for (size_t i = 0; i < finder->count; i++)
		if (finder->culprits[i].kind != VERDICT_BLAME_CALLED)
			finder->net[i] = display->function[finder->culprits[i].function].mean;
	net_calls(finder, self, caller);
	choose_heads(finder);
	add_together(finder);
	whole = whole_increase(finder, all_that_shrank(finder, self, caller));
	for (size_t i = 0; i < finder->count; i++)
		finder->culprits[i].explained =
			whole > 0 ? fmax(finder->culprits[i].together, 0) / whole : 0;
}

/* ---- the order ------------------------------------------------------------------------------ */

/* A culprit with its place before, and its cause's size. */
struct placed {
	struct verdict_culprit culprit;
	uint32_t place;
	bool hangs;
	double size;
};

static int compare_scores(const void *left, const void *right)
{
	const struct verdict_culprit *a = left, *b = right;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* Of causes, by what they are together; what hangs on one, in the order that they had. */
static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->hangs != b->hangs)
		return a->hangs ? 1 : -1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	if (a->hangs && a->culprit.cause != b->culprit.cause)
		return a->culprit.cause < b->culprit.cause ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static void sort_causes(struct finder *finder)
{
	struct placed *placed = arena_array(finder->causes->arena, finder->count, sizeof(*placed));
	uint32_t *now = arena_array(finder->causes->arena, finder->count, sizeof(*now));

	for (size_t i = 0; i < finder->count; i++) {
		uint32_t cause = finder->culprits[i].cause;

		placed[i] = (struct placed){.culprit = finder->culprits[i],
			.place = (uint32_t)i,
			.hangs = hangs(&finder->culprits[i]),
			.size = finder->culprits[cause == NONE ? i : cause].together};
	}
	qsort(placed, finder->count, sizeof(*placed), compare_placed);
	for (size_t i = 0; i < finder->count; i++)
		now[placed[i].place] = (uint32_t)i;
	for (size_t i = 0; i < finder->count; i++) {
		finder->culprits[i] = placed[i].culprit;
		if (placed[i].culprit.cause != NONE)
			finder->culprits[i].cause = now[placed[i].culprit.cause];
	}
}

size_t causes_find(const struct causes *causes, struct localised *found)
{
	const struct tree *tree = causes->localise->tree;
	struct finder finder = {.causes = causes,
		.tree = tree,
		.culprits = found->culprits,
		.count = found->count,
		.changed = arena_array(causes->arena, tree->count, sizeof(uint32_t)),
		.below = arena_array(causes->arena, tree->count, sizeof(bool)),
		.net = arena_array(causes->arena, VERDICT_CULPRITS_MAX, sizeof(double))};
	size_t count = 0;

	qsort(found->culprits, found->count, sizeof(*found->culprits), compare_scores);
	leave_in_place(&finder);
	name_confirmed(&finder, found->spread);
	leave_in_place(&finder);
	hang_all(&finder);
	explain(&finder);
	sort_causes(&finder);
	found->count = finder.count;
	while (count < finder.count && !hangs(&finder.culprits[count]))
		count++;
	return count;
}
