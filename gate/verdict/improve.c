/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went down. Nobody is failed or passed by it: it is shown. Functions are listed by a test of
 * their own; what may be shown as less, they too, the calls and the total, is what would count as
 * an increase if the versions were exchanged: beyond the margin, no cost that only moved, and more
 * than what the layout or unchanged code may explain.
 */
#include "gate/verdict/gate.h"

#include <math.h>
#include <stdlib.h>

#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/localise/unchanged.h"

#define FEWER_CALLS 0.995 /* of base's: less are not as many */

/* ---- the versions exchanged ------------------------------------------------------------------ */

struct mirror {
	struct verdict_input input;
	struct verdict_result result;
	struct gate gate;
};

static void swap_cells(const struct verdict_cell *cells[2])
{
	const struct verdict_cell *base = cells[0];

	cells[0] = cells[1];
	cells[1] = base;
}

static uint8_t *mirror_flags(const struct verdict_input *input, struct arena *arena)
{
	const uint8_t both = VERDICT_FUNCTION_NEW | VERDICT_FUNCTION_VANISHED;
	uint8_t *flags = arena_array(arena, input->function_count, sizeof(*flags));

	for (size_t f = 0; f < input->function_count; f++) {
		uint8_t one = input->function_flags[f] & both;

		flags[f] = input->function_flags[f];
		if (one && one != both)
			flags[f] ^= both;
	}
	return flags;
}

/* NULL of none. */
static const double *mirror_ratios(const double *ratios, size_t count, struct arena *arena)
{
	double *out = ratios ? arena_array(arena, count, sizeof(*out)) : NULL;

	for (size_t f = 0; out && f < count; f++)
		out[f] = ratios[f] > 0 ? 1 / ratios[f] : NAN;
	return out;
}

static void mirror_input(
	const struct verdict_input *input, struct arena *arena, struct verdict_input *out)
{
	*out = *input;
	for (int version = 0; version < 2; version++) {
		out->total[version] = input->total[1 - version];
		out->work[version] = input->work[1 - version];
		out->unseen[version] = input->unseen[1 - version];
	}
	swap_cells(out->self);
	swap_cells(out->node_self);
	swap_cells(out->node_total);
	if (input->function_flags)
		out->function_flags = mirror_flags(input, arena);
	out->call_ratio = mirror_ratios(input->call_ratio, input->function_count, arena);
	out->instruction_ratio =
		mirror_ratios(input->instruction_ratio, input->function_count, arena);
	out->own_instruction_ratio =
		mirror_ratios(input->own_instruction_ratio, input->function_count, arena);
	out->known_count = 0;
	/* One test of all pairs: who went down is no reason to measure stage 2. */
	out->policy.alpha_stage1_nodes = out->policy.alpha_stage1_total =
		input->policy.alpha_stage2;
}

static void mirror_pairs(const struct pairs *pairs, struct arena *arena, struct pairs *out)
{
	*out = *pairs;
	out->factor[0] = pairs->factor[1];
	out->factor[1] = pairs->factor[0];
	out->log_base = arena_array(arena, pairs->n, sizeof(*out->log_base));
	out->log_ratio = arena_array(arena, pairs->n, sizeof(*out->log_ratio));
	for (size_t k = 0; k < pairs->n; k++) {
		out->log_base[k] = pairs->log_base[k] + pairs->log_ratio[k];
		out->log_ratio[k] = -pairs->log_ratio[k];
	}
}

static void mirror_init(struct mirror *mirror, const struct gate *gate)
{
	struct stage *stage = &mirror->gate.stage[0];

	*mirror = (struct mirror){0};
	mirror_input(gate->input, gate->arena, &mirror->input);
	mirror->result.functions = arena_array(
		gate->arena, gate->input->function_count, sizeof(*mirror->result.functions));
	mirror->result.nodes =
		arena_array(gate->arena, gate->input->node_count, sizeof(*mirror->result.nodes));
	mirror->gate.input = &mirror->input;
	mirror->gate.arena = gate->arena;
	mirror->gate.result = &mirror->result;
	mirror_pairs(&gate->pooled.pairs, gate->arena, &stage->pairs);
	stage_measure(&mirror->input, gate->arena, stage);
	mirror->gate.pooled = *stage;
}

static void confirm(struct verdict_effect *effects, size_t count)
{
	for (size_t i = 0; i < count; i++)
		effects[i].confirmed = effects[i].flagged;
}

static void mirror_judge(struct mirror *mirror)
{
	struct verdict_result *result = &mirror->result;

	effects_flag(&mirror->gate);
	if (!mirror->gate.flagged && !result->total.flagged)
		return;
	confirm(result->functions, mirror->input.function_count);
	confirm(result->nodes, mirror->input.node_count);
	result->total.confirmed = result->total.flagged;
	effects_describe(&mirror->gate);
	judge_states(&mirror->gate);
}

/* What stage 1 flagged went up. */
static void take_states(const struct mirror *mirror, struct gate *gate)
{
	struct verdict_result *result = gate->result;

	for (size_t v = 1; v < gate->input->node_count; v++)
		if (mirror->result.nodes[v].state == VERDICT_CONFIRMED && !result->nodes[v].flagged)
			result->nodes[v].state = VERDICT_IMPROVED;
	if (mirror->result.total.state == VERDICT_CONFIRMED && !result->total.flagged)
		result->total.state = VERDICT_IMPROVED;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* What came up elsewhere of a function's decrease. */
static double moved_from(const struct verdict_result *result, uint32_t function)
{
	double moved = 0;

	for (size_t i = 0; i < result->shift_count; i++)
		if (result->shifts[i].from == function)
			moved += result->shifts[i].moved;
	return moved;
}

/* Beyond what only moved. */
static bool improved(const struct gate *gate, uint32_t function)
{
	const struct moments *moments = &gate->pooled.function[function];
	struct estimate estimate = stage_estimate(&gate->pooled, moments);
	double margin = stage_self_margin(&gate->input->policy, moments), p;
	size_t tests = gate->result->tests_stage1 ? gate->result->tests_stage1 : 1;

	if (!stage_eligible(gate->input, &gate->pooled, moments))
		return false;
	margin += moved_from(gate->result, function);
	p = numeric_student_upper(-estimate_t(&estimate, -margin), estimate.df);
	return p <= gate->input->policy.alpha_stage2 / (double)tests;
}

/* Unchanged code that shrank by no more than its place explains, and is not known to be called less
 * often. */
static bool is_layout(const struct gate *gate, uint32_t function)
{
	const struct verdict_input *input = gate->input;
	const struct moments *moments = &gate->pooled.function[function];
	struct estimate estimate = stage_estimate(&gate->pooled, moments);
	double least = -estimate.change - stage_half_width(&gate->pooled, &estimate);
	double mean = (moments->base + moments->head) / 2;

	if (input->call_ratio && input->call_ratio[function] < FEWER_CALLS)
		return false;
	return !input->policy.same_build &&
	       (tree_flags(input, function) & VERDICT_FUNCTION_UNCHANGED) &&
	       !unchanged_is_above(&input->policy, least, mean * mean);
}

/* As an increase of the versions exchanged it would not count. Below a changed caller it would, as
 * maybe called more often; but where the whole is not less that alone is nothing to show. */
static bool is_excused(const struct mirror *mirror, const struct gate *gate, uint32_t function)
{
	return mirror->result.functions[function].state == VERDICT_UNCHANGED_CODE ||
	       (mirror->result.total.state != VERDICT_CONFIRMED && is_layout(gate, function));
}

struct gain {
	double change;
	uint32_t function;
};

static int compare_gains(const void *left, const void *right)
{
	const struct gain *a = left, *b = right;

	if (a->change != b->change)
		return a->change < b->change ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

void judge_improvements(struct gate *gate)
{
	size_t functions = gate->input->function_count, count = 0;
	struct gain *gains = arena_array(gate->arena, functions, sizeof(*gains));
	struct verdict_result *result = gate->result;
	struct mirror mirror;

	mirror_init(&mirror, gate);
	mirror_judge(&mirror);
	take_states(&mirror, gate);
	for (uint32_t f = 0; f < functions; f++) {
		if (is_excused(&mirror, gate, f) || !improved(gate, f))
			continue;
		result->functions[f].state = VERDICT_IMPROVED;
		gains[count++] = (struct gain){result->functions[f].change, f};
	}
	qsort(gains, count, sizeof(*gains), compare_gains);
	result->improvements = arena_array(gate->arena, count, sizeof(uint32_t));
	for (size_t i = 0; i < count; i++)
		result->improvements[i] = gains[i].function;
	result->improvement_count = count;
}
