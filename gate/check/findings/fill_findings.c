/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the result says of the verdict's findings: culprits with their source, what hangs on them,
 * cost that moved, and improvements.
 */
#include "gate/check/findings/fill.h"

#include "gate/check/findings/claims.h"
#include "gate/check/production/production.h"
#include "gate/check/source/blame_line.h"
#include "gate/check/source/culprit_source.h"

#include <math.h>

static const enum result_link link_of[] = {
	[VERDICT_LINK_NONE] = LINK_NONE,
	[VERDICT_LINK_SELF] = LINK_SELF,
	[VERDICT_LINK_CALLER] = LINK_CALLER,
	[VERDICT_LINK_CALLEE] = LINK_CALLEE,
};

static void fill_path(
	const struct analysis *analysis, struct arena *arena, struct result_culprit *culprit)
{
	const struct comparison_node *nodes = analysis->comparison.nodes;
	uint32_t *path;
	size_t length = 0;

	for (uint32_t node = culprit->node; node; node = nodes[node].parent)
		length++;
	path = arena_array(arena, length, sizeof(*path));
	culprit->path = path;
	culprit->path_length = length;
	for (uint32_t node = culprit->node; node; node = nodes[node].parent)
		path[--length] = nodes[node].function;
}

static const enum result_blame blame_of[] = {
	[VERDICT_BLAME_SELF] = BLAME_SELF,
	[VERDICT_BLAME_CALLED] = BLAME_CALLED,
	[VERDICT_BLAME_CARRIED] = BLAME_CARRIED,
};

static uint32_t shown_node(const struct analysis *analysis, uint32_t tested)
{
	return tested == VERDICT_NONE ? 0 : analysis->comparison.tested_node[tested];
}

/* The function that makes the call, where one is blamed. */
static uint32_t caller_of(const struct analysis *analysis, const struct verdict_culprit *from)
{
	uint32_t caller = shown_node(analysis, from->caller_node);

	return from->kind == VERDICT_BLAME_CALLED && caller
		       ? analysis->comparison.nodes[caller].function
		       : RESULT_NONE;
}

static void fill_culprit(const struct analysis *analysis, struct result *result,
	const struct verdict_culprit *from, struct result_culprit *out)
{
	out->node = shown_node(analysis, from->node);
	out->function = from->function;
	out->blame = blame_of[from->kind];
	out->caller = caller_of(analysis, from);
	out->base = from->base * analysis->whole;
	out->head = (from->base + from->change) * analysis->whole;
	out->change = from->change;
	out->low = from->low;
	out->high = from->high;
	out->relative = from->base > 0 ? from->change / from->base : INFINITY;
	out->together = from->together;
	out->explained = from->explained;
	out->link = link_of[from->link.kind];
	out->linked = from->link.kind == VERDICT_LINK_NONE ? RESULT_NONE : from->link.function;
	out->production = production_of(analysis, out, &result->arena);
	fill_path(analysis, &result->arena, out);
	blame_line(analysis, &result->arena, out);
}

static void fill_consequence(const struct analysis *analysis, const struct verdict_culprit *from,
	struct result_consequence *out)
{
	*out = (struct result_consequence){
		.cause = from->cause == VERDICT_NONE ? RESULT_NONE : from->cause,
		.function = from->function,
		.blame = blame_of[from->kind],
		.caller = caller_of(analysis, from),
		.change = from->change,
		.low = from->low,
		.high = from->high,
	};
}

/* The worst first, as long as there is room for their text. */
static void fill_sources(const struct analysis *analysis, struct arena *arena,
	struct result_culprit *culprits, size_t count)
{
	size_t bytes_left = RESULT_SOURCE_BYTES;

	for (size_t i = 0; i < count && i < RESULT_SOURCE_CULPRITS; i++)
		culprits[i].source = culprit_source(analysis, &culprits[i], arena, &bytes_left);
}

static void fill_shift(const struct verdict_shift *from, struct result_shift *out)
{
	out->to = from->function;
	out->from = from->from == VERDICT_NONE ? RESULT_NONE : from->from;
	out->how = verdict_compensator_text(from->compensator);
	out->moved = from->moved;
	out->net = from->net;
}

void fill_findings(
	const struct analysis *analysis, struct result *result, struct result_benchmark *out)
{
	const struct verdict_result *verdict = &analysis->verdict;
	size_t causes = verdict->cause_count, hanging = verdict->culprit_count - causes;
	struct result_culprit *culprits = arena_array(&result->arena, causes, sizeof(*culprits));
	struct result_consequence *consequences =
		arena_array(&result->arena, hanging, sizeof(*consequences));
	struct result_shift *shifts =
		arena_array(&result->arena, verdict->shift_count, sizeof(*shifts));
	uint32_t *improvements =
		arena_array(&result->arena, verdict->improvement_count, sizeof(*improvements));

	for (size_t i = 0; i < causes; i++)
		fill_culprit(analysis, result, &verdict->culprits[i], &culprits[i]);
	fill_sources(analysis, &result->arena, culprits, causes);
	for (size_t i = 0; i < hanging; i++)
		fill_consequence(analysis, &verdict->culprits[causes + i], &consequences[i]);
	for (size_t i = 0; i < verdict->shift_count; i++)
		fill_shift(&verdict->shifts[i], &shifts[i]);
	for (size_t i = 0; i < verdict->improvement_count; i++)
		improvements[i] = verdict->improvements[i];
	out->culprits = culprits;
	out->culprit_count = causes;
	out->consequences = consequences;
	out->consequence_count = hanging;
	out->shifts = shifts;
	out->shift_count = verdict->shift_count;
	out->improvements = improvements;
	out->improvement_count = verdict->improvement_count;
	claims_fill(analysis, out, culprits, &result->arena);
}
