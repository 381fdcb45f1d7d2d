/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be said of cost that moved: the verdict knows that something else went down as a
 * function went up, which may be chance, a machine that was busy, or two changes. That one became
 * the other is said only where the code shows it and the amounts are alike; where unchanged code
 * merely scattered, or amounts are all and the total is a regression by itself, nothing is said.
 */
#include "gate/check/findings/claims.h"

#include <math.h>
#include <stdlib.h>

#include "gate/check/analysis/presence.h"

/* Of two amounts that are alike the smaller is at least this part of the larger. */
#define ALIKE_PART 0.5
/* The same of what was split off or merged: it is the same work, and a call. */
#define PARTED_PART 0.67
/* What a function cost below its new caller in base already, as a part of what it does in head. */
#define STRAY_PART 0.05
/* Calls between a caller and what took the place of its callee. */
#define MOST_NEW_CALLERS 5

/* What a function itself takes, or with all that it calls. */
struct amount {
	double cost[VERSION_COUNT], change; /* per run; fraction of the total */
};

struct mover {
	struct claims *claims;
	const struct comparison *comparison;
	size_t first;        /* of the claims of moved cost */
	struct amount *lost; /* [claim - first]: what its subject takes less; CLAIM_MERGED: more */
	bool *is_told;       /* [function]: it is among a claim's others */
};

/* ---- how two functions are related ----------------------------------------------------------- */

static bool is_absent(const struct mover *mover, int version, uint32_t function)
{
	return mover->claims->analysis->presence[version][function] == PRESENCE_ABSENT;
}

static bool is_changed(const struct mover *mover, uint32_t function)
{
	return claims_is_changed(mover->claims, function);
}

static bool is_called_by(const struct mover *mover, int version, uint32_t callee, uint32_t caller)
{
	return call_pairs_total(&mover->claims->pairs, version, caller, callee) > 0;
}

static bool is_in_one_file(const struct mover *mover, uint32_t a, uint32_t b)
{
	const uint32_t *file = mover->claims->analysis->input.function_file;

	return file[a] != VERDICT_NONE && file[a] == file[b];
}

/* One more step up from the functions that are marked, as far as these are new. */
static bool climb(const struct mover *mover, uint32_t from, uint8_t *step, uint8_t number)
{
	const struct call_pairs *pairs = &mover->claims->pairs;

	for (size_t i = 0; i < pairs->count; i++) {
		const struct call_pair *pair = &pairs->items[i];

		if (step[pair->callee] != number || !(pair->total[VERSION_HEAD] > 0))
			continue;
		if (is_called_by(mover, VERSION_BASE, from, pair->caller))
			return true;
		if (!step[pair->caller] && is_absent(mover, VERSION_BASE, pair->caller))
			step[pair->caller] = number + 1;
	}
	return false;
}

/* In head a caller that `from` had in base leads to `to` by way of nothing but new functions. */
static bool is_in_its_place(const struct mover *mover, uint32_t from, uint32_t to)
{
	uint8_t *step = xcalloc(mover->comparison->matches.count, sizeof(*step));
	bool found = false;

	step[to] = 1;
	for (uint8_t number = 1; number <= MOST_NEW_CALLERS && !found; number++)
		found = climb(mover, from, step, number);
	free(step);
	return found;
}

/* The one became a part of the other or of what it was, as far as samples show calls; or it took
 * its place. */
static bool are_related(const struct mover *mover, uint32_t from, uint32_t to)
{
	bool parted = is_called_by(mover, VERSION_HEAD, to, from) &&
		      !is_called_by(mover, VERSION_BASE, to, from);
	bool taken_in = is_called_by(mover, VERSION_BASE, from, to) &&
			!is_called_by(mover, VERSION_HEAD, from, to);

	if (parted || taken_in)
		return true;
	return is_absent(mover, VERSION_BASE, to) && is_absent(mover, VERSION_HEAD, from) &&
	       (is_in_one_file(mover, from, to) || is_in_its_place(mover, from, to));
}

/* Who called `from` in base and calls `to` in head instead, as the code or counted calls say. */
static uint32_t who_swapped(const struct mover *mover, uint32_t from, uint32_t to)
{
	const struct call_pairs *pairs = &mover->claims->pairs;

	for (size_t i = 0; i < pairs->count; i++) {
		const struct call_pair *pair = &pairs->items[i];

		if (pair->callee == to && pair->total[VERSION_HEAD] > 0 &&
			is_changed(mover, pair->caller) &&
			is_called_by(mover, VERSION_BASE, from, pair->caller) &&
			claims_calls_instead(mover->claims, pair->caller, from, to))
			return pair->caller;
	}
	return COMPARE_NONE;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static struct result_claim *find_claim(
	const struct mover *mover, enum result_claim_kind kind, uint32_t subject)
{
	for (size_t i = mover->first; i < mover->claims->count; i++)
		if (mover->claims->items[i].kind == kind &&
			mover->claims->items[i].subject == subject)
			return &mover->claims->items[i];
	return NULL;
}

/* One cause, one claim: its costs are those of all its others. */
static struct result_claim *add_to_cause(
	struct mover *mover, enum result_claim_kind kind, uint32_t subject, uint32_t other)
{
	struct result_claim *claim = find_claim(mover, kind, subject);

	if (mover->is_told[other])
		return NULL;
	if (claim && claim->other_count < RESULT_MAX_OTHERS)
		((uint32_t *)(uintptr_t)claim->others)[claim->other_count++] = other;
	else if (!claim)
		claim = claims_add(mover->claims, kind, subject, other, COMPARE_NONE);
	if (claim)
		mover->is_told[other] = true;
	return claim;
}

static void add_costs(struct result_claim *claim, const double cost[VERSION_COUNT], double change)
{
	claim->cost[VERSION_BASE] += cost[VERSION_BASE];
	claim->cost[VERSION_HEAD] += cost[VERSION_HEAD];
	claim->change += change;
}

static void say(struct result_claim *claim, enum result_evidence evidence, const char *because)
{
	claim->evidence = evidence;
	claim->because = because;
}

static struct amount amount_of(const struct mover *mover, uint32_t function, bool inclusive)
{
	const struct result_benchmark *benchmark = mover->claims->benchmark;
	const struct result_function *one = &benchmark->functions[function];
	struct amount amount = {{one->self.base, one->self.head}, one->self.change};

	if (!inclusive)
		return amount;
	amount.cost[VERSION_BASE] = one->total[VERSION_BASE];
	amount.cost[VERSION_HEAD] = one->total[VERSION_HEAD];
	amount.change = benchmark->total.base > 0
				? (one->total[VERSION_HEAD] - one->total[VERSION_BASE]) /
					  benchmark->total.base
				: 0;
	return amount;
}

/* The program's machine code was read in both versions, if not of every function: what is inlined
 * has none. */
static bool knows_code(const struct mover *mover)
{
	const struct verdict_input *input = &mover->claims->analysis->input;

	for (size_t f = 0; f < input->function_count; f++)
		if (!(input->function_flags[f] & VERDICT_FUNCTION_SAME_PLACE) &&
			input->function_flags[f] &
				(VERDICT_FUNCTION_CHANGED_CODE | VERDICT_FUNCTION_UNCHANGED))
			return true;
	return false;
}

/*
 * Where the total is no regression amounts tell why not: two changes made up for each other, or
 * one calls the other for what it did itself. Else they may be chance.
 */
static bool amounts_tell(const struct mover *mover, uint32_t from, uint32_t to)
{
	if (mover->claims->analysis->verdict.reasons & VERDICT_REASON_TOTAL)
		return false;
	return !knows_code(mover) ||
	       (is_changed(mover, from) &&
		       (is_changed(mover, to) || claims_calls_newly(mover->claims, from, to)));
}

/* CLAIM_OFFSET where no more than the amounts is known; false: these do not tell. */
static bool choose_kind(
	const struct mover *mover, uint32_t from, uint32_t to, enum result_claim_kind *kind)
{
	bool is_new = is_absent(mover, VERSION_BASE, to),
	     is_gone = is_absent(mover, VERSION_HEAD, from);

	if (is_new && is_changed(mover, from) && is_called_by(mover, VERSION_HEAD, to, from))
		*kind = CLAIM_SPLIT;
	else if (is_gone && is_changed(mover, to) && is_called_by(mover, VERSION_BASE, from, to))
		*kind = CLAIM_MERGED;
	else if (is_changed(mover, from) && is_changed(mover, to) && are_related(mover, from, to))
		*kind = CLAIM_MOVED;
	else if (who_swapped(mover, from, to) != COMPARE_NONE)
		*kind = CLAIM_SWAPPED;
	else
		*kind = CLAIM_OFFSET;
	return *kind != CLAIM_OFFSET || amounts_tell(mover, from, to);
}

static void say_why(
	const struct mover *mover, struct result_claim *claim, uint32_t from, uint32_t to)
{
	switch (claim->kind) {
	case CLAIM_SPLIT:
		say(claim, EVIDENCE_OBJECTS, "base's object files do not have what it calls now");
		break;
	case CLAIM_MERGED:
		say(claim, EVIDENCE_OBJECTS, "head's object files do not have what it called");
		break;
	case CLAIM_MOVED:
		claims_say_changed(mover->claims, from, claim);
		break;
	case CLAIM_SWAPPED:
		say(claim, EVIDENCE_CODE,
			"the caller's calls of the one are gone, those of the other are new");
		break;
	default:
		claims_say_changed(
			mover->claims, claims_is_changed(mover->claims, from) ? from : to, claim);
	}
}

/* Of two functions; for CLAIM_MERGED the cause is where the cost went. */
static void tell_pair(struct mover *mover, uint32_t from, uint32_t to, bool inclusive)
{
	struct amount gained, lost;
	enum result_claim_kind kind;
	struct result_claim *claim;
	bool merged, fresh;

	if (from == to || !choose_kind(mover, from, to, &kind))
		return;
	/* The one calls the other: what it takes with it is the same. */
	inclusive = inclusive && kind != CLAIM_SPLIT && kind != CLAIM_MERGED;
	gained = amount_of(mover, to, inclusive);
	lost = amount_of(mover, from, inclusive);
	merged = kind == CLAIM_MERGED;
	fresh = !find_claim(mover, kind, merged ? to : from);
	claim = add_to_cause(mover, kind, merged ? to : from, merged ? from : to);
	if (!claim)
		return;
	if (fresh) {
		say_why(mover, claim, from, to);
		mover->lost[(size_t)(claim - mover->claims->items) - mover->first] =
			merged ? gained : lost;
	}
	if (kind == CLAIM_SWAPPED && claim->other_count == 1)
		((uint32_t *)(uintptr_t)claim->others)[claim->other_count++] =
			who_swapped(mover, from, to);
	if (merged)
		add_costs(claim, lost.cost, lost.change);
	else
		add_costs(claim, gained.cost, gained.change);
}

/* ---- another way to the same function -------------------------------------------------------- */

static double cost_below(const struct mover *mover, int version, uint32_t caller, uint32_t callee)
{
	return call_pairs_total(&mover->claims->pairs, version, caller, callee) /
	       recording_total_work(mover->claims->analysis->recordings[version]);
}

/* It took in base, by whatever way, what it takes by way of its new caller. */
static bool was_as_much(const struct mover *mover, uint32_t function, double cost)
{
	double total = mover->claims->benchmark->functions[function].total[VERSION_BASE];

	return fmin(total, cost) >= ALIKE_PART * cost;
}

/* The same function is called from elsewhere: by way of the nearest changed function above it. */
static void tell_way(struct mover *mover, uint32_t node)
{
	const struct comparison_node *nodes = mover->comparison->nodes;
	uint32_t below = node, above = nodes[node].parent;
	double cost[VERSION_COUNT], whole = mover->claims->benchmark->total.base;
	struct result_claim *claim;

	while (above && !is_changed(mover, nodes[above].function)) {
		below = above;
		above = nodes[above].parent;
	}
	if (!above || is_changed(mover, nodes[below].function))
		return;
	for (int version = 0; version < VERSION_COUNT; version++)
		cost[version] =
			cost_below(mover, version, nodes[above].function, nodes[below].function);
	if (cost[VERSION_BASE] > STRAY_PART * cost[VERSION_HEAD] || !(whole > 0) ||
		!was_as_much(mover, nodes[below].function, cost[VERSION_HEAD]))
		return;
	claim = add_to_cause(mover, CLAIM_REACHED, nodes[above].function, nodes[below].function);
	if (!claim)
		return;
	if (claim->other_count == 1)
		claims_say_changed(mover->claims, nodes[above].function, claim);
	add_costs(claim, cost, (cost[VERSION_HEAD] - cost[VERSION_BASE]) / whole);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_below_told(const struct mover *mover, uint32_t node)
{
	for (; node; node = mover->comparison->nodes[node].parent)
		if (mover->is_told[mover->comparison->nodes[node].function])
			return true;
	return false;
}

static void tell(struct mover *mover, const struct verdict_shift *shift)
{
	uint32_t node =
		shift->node == VERDICT_NONE ? 0 : mover->comparison->tested_node[shift->node];

	if (node && is_below_told(mover, node))
		return;
	if (node && shift->compensator == VERDICT_COMPENSATOR_CONTEXTS)
		tell_way(mover, node);
	else if (shift->from != VERDICT_NONE)
		tell_pair(mover, shift->from, shift->function, node != 0);
}

/* Its amounts are what it says they are. */
static bool adds_up(const struct result_claim *claim, const struct amount *lost)
{
	double gained = fabs(claim->change);
	double less = claim->kind == CLAIM_MERGED ? lost->change : -lost->change;

	double part = claim->kind == CLAIM_SPLIT || claim->kind == CLAIM_MERGED ? PARTED_PART
										: ALIKE_PART;

	if (claim->kind == CLAIM_REACHED)
		return true;
	return fmin(gained, less) >= part * fmax(gained, less);
}

/* No more has moved than what its subject takes less. */
static void match_amounts(struct result_claim *claim, const struct amount *lost)
{
	double less = lost->cost[VERSION_BASE] - lost->cost[VERSION_HEAD];

	if (claim->kind != CLAIM_MOVED || claim->change <= -lost->change)
		return;
	claim->cost[VERSION_HEAD] = claim->cost[VERSION_BASE] + less;
	claim->change = -lost->change;
}

static void keep_what_adds_up(struct mover *mover)
{
	struct claims *claims = mover->claims;
	size_t kept = mover->first;

	for (size_t i = mover->first; i < claims->count; i++) {
		const struct amount *lost = &mover->lost[i - mover->first];

		if (!adds_up(&claims->items[i], lost))
			continue;
		match_amounts(&claims->items[i], lost);
		claims->items[kept++] = claims->items[i];
	}
	claims->count = kept;
}

static int compare_claims(const void *left, const void *right)
{
	const struct result_claim *a = left, *b = right;
	double x = fabs(a->change), y = fabs(b->change);

	if (x < y || x > y)
		return x > y ? -1 : 1;
	return a->subject < b->subject ? -1 : a->subject > b->subject;
}

void claims_of_moved(struct claims *claims)
{
	const struct verdict_result *verdict = &claims->analysis->verdict;
	struct mover mover = {.claims = claims,
		.comparison = &claims->analysis->comparison,
		.first = claims->count};
	size_t functions = claims->benchmark->function_count;

	mover.lost = xcalloc(RESULT_MAX_CLAIMS, sizeof(*mover.lost));
	mover.is_told = xcalloc(functions, sizeof(*mover.is_told));
	for (size_t i = 0; i < verdict->shift_count; i++)
		tell(&mover, &verdict->shifts[i]);
	keep_what_adds_up(&mover);
	if (claims->count > mover.first)
		qsort(claims->items + mover.first, claims->count - mover.first,
			sizeof(*claims->items), compare_claims);
	free(mover.lost);
	free(mover.is_told);
}
