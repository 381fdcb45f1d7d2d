/* SPDX-License-Identifier: Apache-2.0 */
/* What one culprit weighs there. */
#include "gate/check/production/production.h"

#include <math.h>

#include "gate/bench/recording/production_shares.h"
#include "gate/check/production/production_internal.h"
#include "gate/check/result.h"
#include "gate/compare/match.h"

/* Of the total: what costs less here says nothing of how many times more it costs now. */
#define LEAST_BASE 0.001

/*
 * In the recordings: base's name first, since production runs what was there before the change.
 * NULL: it is in neither.
 */
static const struct profile_function *recorded_function(
	const struct analysis *analysis, uint32_t function)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		const struct profile *profile = analysis->recordings[version]->profile;
		const uint32_t *of = analysis->comparison.matches.of[version];

		for (size_t i = 0; i < profile->function_count; i++)
			if (of[i] == function)
				return &profile->functions[i];
	}
	return NULL;
}

/* A name that no function has, where it is in neither recording: it is not seen. */
static struct production_function named(
	const struct analysis *analysis, uint32_t function, struct arena *arena)
{
	const struct profile_function *recorded = recorded_function(analysis, function);

	if (!recorded)
		return (struct production_function){"", "", ""};
	return (struct production_function){production_name(arena, recorded),
		function_key_name(arena, recorded), recorded->file};
}

/* The change adds the share times its relative change, of what costs `base` here. */
static void set_impact(
	struct result_production *out, const struct result_culprit *culprit, double base)
{
	double scale = base >= LEAST_BASE ? out->share / base : NAN;

	out->impact = scale * culprit->change;
	out->low = scale * culprit->low;
	out->high = scale * culprit->high;
}

/* ---- what got slower itself ------------------------------------------------------------------ */

/* Its share times what its own cost changed by, of what that was. */
static void weigh_self(const struct analysis *analysis, const struct result_culprit *culprit,
	struct arena *scratch, struct result_production *out)
{
	const struct verdict_effect *effect = &analysis->verdict.functions[culprit->function];
	struct production_function function = named(analysis, culprit->function, scratch);
	double scale;

	out->of = PRODUCTION_SELF;
	out->share = production_self(analysis->production, &function);
	scale = effect->base >= LEAST_BASE ? out->share / effect->base : NAN;
	out->impact = scale * effect->change;
	out->low = scale * effect->low;
	out->high = scale * effect->high;
}

/* ---- what is called more often --------------------------------------------------------------- */

static bool is_call(const struct analysis *analysis, size_t node, uint32_t caller, uint32_t callee)
{
	const struct comparison_node *nodes = analysis->comparison.nodes;

	return node && nodes[node].function == callee &&
	       (nodes[node].parent ? nodes[nodes[node].parent].function : RESULT_NONE) == caller;
}

/* Below another of the same calls: a recursion counts once. */
static bool is_within(
	const struct analysis *analysis, size_t node, uint32_t caller, uint32_t callee)
{
	const struct comparison_node *nodes = analysis->comparison.nodes;

	for (node = nodes[node].parent; node; node = nodes[node].parent)
		if (is_call(analysis, node, caller, callee))
			return true;
	return false;
}

/* What base spent there in all its runs, in the unit of changes: a fraction of its total. */
static double fraction_of_base(const struct analysis *analysis, double seconds)
{
	const struct recording *base = analysis->recordings[VERSION_BASE];
	double whole = analysis_run_seconds(base);

	return whole > 0 ? seconds / recording_total_work(base) / whole : 0;
}

/*
 * What base spent in these calls, of the one context that was judged, or of all together, as they
 * are in production: then the change of one of them is diluted.
 */
static double base_of_calls(const struct analysis *analysis, const struct result_culprit *culprit)
{
	const struct comparison *comparison = &analysis->comparison;
	uint32_t caller = culprit->caller, callee = culprit->function;
	size_t contexts = 0;
	double sum = 0;

	for (size_t i = 1; i < comparison->node_count; i++) {
		if (!is_call(analysis, i, caller, callee) || is_within(analysis, i, caller, callee))
			continue;
		sum += comparison->nodes[i].total[VERSION_BASE];
		contexts++;
	}
	return contexts == 1 ? culprit->change / culprit->relative
			     : fraction_of_base(analysis, sum);
}

static double base_of_function(const struct analysis *analysis, uint32_t function)
{
	return fraction_of_base(
		analysis, analysis->comparison.function_total[VERSION_BASE][function]);
}

/* Without a caller, or without this call there, only what it takes whoever calls it is known. */
static void weigh_called(const struct analysis *analysis, const struct result_culprit *culprit,
	struct arena *scratch, struct result_production *out)
{
	struct production_function function = named(analysis, culprit->function, scratch), caller;
	double called;

	out->of = PRODUCTION_TOTAL;
	out->share = production_total(analysis->production, &function);
	out->impact = out->low = out->high = NAN;
	if (culprit->caller == RESULT_NONE) {
		set_impact(out, culprit, base_of_function(analysis, culprit->function));
		return;
	}
	caller = named(analysis, culprit->caller, scratch);
	called = production_called(analysis->production, &caller, &function);
	if (called <= 0) {
		out->of = PRODUCTION_ELSEWHERE;
		return;
	}
	out->of = PRODUCTION_CALL;
	out->share = called;
	set_impact(out, culprit, base_of_calls(analysis, culprit));
}

/* In measurements of before there were own costs alone. */
static bool has_totals(const struct production *production)
{
	return !production->count || !isnan(production->shares[0].total);
}

const struct result_production *production_of(
	const struct analysis *analysis, const struct result_culprit *culprit, struct arena *arena)
{
	struct arena scratch = ARENA_INIT;
	struct result_production *out;

	if (!analysis->production || !analysis->production->known)
		return NULL;
	if (culprit->blame == BLAME_CALLED && !has_totals(analysis->production))
		return NULL;
	out = arena_alloc(arena, sizeof(*out));
	if (culprit->blame == BLAME_CALLED)
		weigh_called(analysis, culprit, &scratch, out);
	else
		weigh_self(analysis, culprit, &scratch, out);
	arena_release(&scratch);
	return out;
}
