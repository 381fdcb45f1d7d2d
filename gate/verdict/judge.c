/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which confirmed increases count: cost that only moved does not, nor does that of unchanged code.
 * The functions that are left are named as culprits.
 */
#include "gate/verdict/gate.h"

#include <math.h>
#include <string.h>

#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/localise/causes.h"
#include "gate/verdict/localise/localise.h"
#include "gate/verdict/localise/nearest_change.h"
#include "gate/verdict/localise/same_work.h"
#include "gate/verdict/localise/shift_finder.h"
#include "gate/verdict/localise/shifts.h"
#include "gate/verdict/localise/unchanged.h"

#define EXPLAINED_PART 0.5
#define COUNTED_PART 0.5
#define EXPLAINED_SE 1

struct judge {
	struct gate *gate;
	struct tree tree;
	struct shift_finder finder;
	struct localise localise;
	struct unchanged unchanged;
	size_t shift_capacity;
	bool any_function, any_node;
};

static void judge_init(struct judge *judge, struct gate *gate)
{
	const struct verdict_input *input = gate->input;

	memset(judge, 0, sizeof(*judge));
	judge->gate = gate;
	tree_init(&judge->tree, input, &gate->pooled, gate->arena);
	localise_init(&judge->localise, input, &gate->pooled, &judge->tree, gate->arena);
	unchanged_init(&judge->unchanged, gate, &judge->tree, &judge->localise, gate->arena);
	shift_finder_init(&judge->finder, input, &gate->pooled, &judge->tree,
		judge->unchanged.caused, gate->arena);
}

static void count_confirmed(struct judge *judge)
{
	const struct verdict_result *result = judge->gate->result;

	for (size_t f = 0; f < judge->gate->input->function_count; f++)
		judge->shift_capacity += result->functions[f].confirmed;
	for (size_t v = 0; v < judge->gate->input->node_count; v++)
		judge->shift_capacity += result->nodes[v].confirmed;
	judge->gate->result->shifts =
		arena_array(judge->gate->arena, judge->shift_capacity, sizeof(*result->shifts));
}

/* Of a call: the function itself counts, or is in the list already. */
static bool is_said(const struct verdict_result *result, const struct verdict_shift *shift)
{
	if (shift->node == VERDICT_NONE)
		return false;
	if (result->functions[shift->function].state == VERDICT_CONFIRMED)
		return true;
	for (size_t i = 0; i < result->shift_count; i++)
		if (result->shifts[i].function == shift->function)
			return true;
	return false;
}

static enum verdict_state suppress_shift(struct judge *judge, const struct verdict_shift *shift)
{
	struct verdict_result *result = judge->gate->result;

	if (is_said(result, shift))
		return VERDICT_SHIFTED;
	result->shifts[result->shift_count++] = *shift;
	result->reasons |= VERDICT_REASON_SHIFTED;
	return VERDICT_SHIFTED;
}

static enum verdict_state judge_function(struct judge *judge, uint32_t function)
{
	struct verdict_result *result = judge->gate->result;
	struct verdict_shift shift;

	if (judge->unchanged.excused[function]) {
		result->reasons |= VERDICT_REASON_UNCHANGED_CODE;
		return VERDICT_UNCHANGED_CODE;
	}
	if (shift_of_function(&judge->finder, function, &shift))
		return suppress_shift(judge, &shift);
	if (shift_total_contradicts(&judge->finder, judge->gate->pooled.function[function].mean)) {
		result->reasons |= VERDICT_REASON_CONTRADICTED;
		return VERDICT_CONTRADICTED;
	}
	judge->any_function = true;
	return VERDICT_CONFIRMED;
}

static bool is_excused(const struct judge *judge, uint32_t function)
{
	return judge->unchanged.excused[function];
}

/* Suppressed already as a function:
 * cost that moved here did not grow because its callers hold it. */
static bool is_suppressed(const struct judge *judge, uint32_t function)
{
	enum verdict_state state = judge->gate->result->functions[function].state;

	return judge->unchanged.excused[function] || state == VERDICT_SHIFTED ||
	       state == VERDICT_CONTRADICTED;
}

/* The change below node without the functions that are left out. */
static double counted_change(const struct judge *judge, uint32_t node,
	bool (*left_out)(const struct judge *judge, uint32_t function))
{
	const struct tree *tree = &judge->tree;
	double sum = 0;

	for (uint32_t v = node; v < tree->end[node]; v++)
		if (tree->function[v] == VERDICT_NONE || !left_out(judge, tree->function[v]))
			sum += tree->moments[v].mean;
	return sum;
}

/* What below a node many functions' places may add up to; one function has its own margin. */
static bool may_be_layout(struct judge *judge, uint32_t node)
{
	const struct gate *gate = judge->gate;
	struct estimate estimate = stage_estimate(&gate->pooled, &gate->pooled.node[node]);
	double low = estimate.change - stage_half_width(&gate->pooled, &estimate);

	return low < unchanged_layout_below(&judge->unchanged, node);
}

static enum verdict_state judge_node(struct judge *judge, uint32_t node)
{
	struct verdict_result *result = judge->gate->result;
	double increase = judge->gate->pooled.node[node].mean;
	struct verdict_shift shift;

	if (counted_change(judge, node, is_excused) < EXPLAINED_PART * increase) {
		result->reasons |= VERDICT_REASON_NODE_UNEXPLAINED;
		return VERDICT_UNCHANGED_CODE;
	}
	if (counted_change(judge, node, is_suppressed) < EXPLAINED_PART * increase)
		return VERDICT_SHIFTED; /* the function's own shift is in the list already */
	if (shift_of_node(&judge->finder, node, &shift))
		return suppress_shift(judge, &shift);
	if (shift_total_contradicts(&judge->finder, increase)) {
		result->reasons |= VERDICT_REASON_CONTRADICTED;
		return VERDICT_CONTRADICTED;
	}
	if (may_be_layout(judge, node)) {
		result->reasons |= VERDICT_REASON_LAYOUT;
		return VERDICT_UNCHANGED_CODE;
	}
	judge->any_node = true;
	return VERDICT_CONFIRMED;
}

static double lower_bound(const struct robust_mean *log_ratio)
{
	double t = numeric_student_quantile(0.025, log_ratio->df);

	return expm1(log_ratio->mean - t * log_ratio->se);
}

/* Of the functions that are not excused, with the sampling noise of its sum; of base's total. */
struct counted {
	double sum, variance;
};

static struct counted count_functions(const struct judge *judge)
{
	const struct stage *pooled = &judge->gate->pooled;
	double of_base = stage_of_base(pooled);
	struct counted counted = {0};

	for (size_t f = 0; f < judge->gate->input->function_count; f++) {
		if (is_excused(judge, (uint32_t)f))
			continue;
		counted.sum += of_base * pooled->function[f].mean;
		counted.variance +=
			of_base * of_base * pooled->function[f].poisson / (double)pooled->pairs.n;
	}
	return counted;
}

/* Of base's total. */
static double excused_change(const struct judge *judge)
{
	double sum = 0;

	for (size_t f = 0; f < judge->gate->input->function_count; f++)
		if (is_excused(judge, (uint32_t)f))
			sum += judge->gate->pooled.function[f].mean;
	return sum * stage_of_base(&judge->gate->pooled);
}

/*
 * Whether the functions that count hold half of the total's increase. Where nobody is excused that
 * is all of them, and only the samples could speak against the clock: a standard error is granted,
 * since for the sum of all it is far above the total's. Functions that shrank count too: the net is
 * what matters.
 */
static bool is_explained(const struct judge *judge, const struct counted *counted, double increase)
{
	double granted = judge->unchanged.count ? 0 : EXPLAINED_SE * sqrt(counted->variance);

	return counted->sum + granted >= EXPLAINED_PART * increase;
}

/* True if the total's increase counts. */
static bool judge_total(struct judge *judge)
{
	const struct stage *pooled = &judge->gate->pooled;
	struct verdict_total *total = &judge->gate->result->total;
	double increase = expm1(pooled->log_ratio.mean);
	struct counted counted = count_functions(judge);

	total->explained = increase > 0 ? fmin(fmax(counted.sum / increase, 0), 1) : 0;
	if (!total->confirmed)
		return false;
	if (!is_explained(judge, &counted, increase)) {
		judge->gate->result->reasons |= VERDICT_REASON_TOTAL_UNEXPLAINED;
		if (excused_change(judge) >= EXPLAINED_PART * increase)
			judge->gate->result->reasons |= VERDICT_REASON_TOTAL_UNCHANGED;
		total->state = VERDICT_UNCHANGED_CODE;
		return false;
	}
	if (expm1(lower_bound(&pooled->log_ratio)) <
		unchanged_layout_of_all(judge->gate, judge->unchanged.excused) *
			stage_of_base(pooled)) {
		judge->gate->result->reasons |= VERDICT_REASON_LAYOUT;
		total->state = VERDICT_UNCHANGED_CODE;
		return false;
	}
	total->state = VERDICT_CONFIRMED;
	return true;
}

/* What is known to be no regression must not attract the blame;
 * nor must the other end of a shift. */
static void forget_suppressed(struct judge *judge)
{
	const struct verdict_result *result = judge->gate->result;

	for (uint32_t f = 0; f < judge->gate->input->function_count; f++) {
		bool other_end = result->shift_count > 0 && judge->finder.decreased[f];

		if (is_suppressed(judge, f) || other_end)
			localise_forget(&judge->localise, f);
	}
	for (uint32_t v = 1; v < judge->gate->input->node_count; v++)
		if (result->nodes[v].state == VERDICT_SHIFTED)
			localise_forget_call(&judge->localise, v);
}

static void link_culprits(struct judge *judge, struct verdict_culprit *culprits, size_t count)
{
	struct links links;

	links_init(&links, judge->gate->input, &judge->tree, judge->gate->arena);
	for (size_t i = 0; i < count; i++)
		culprits[i].link = links_nearest(&links, culprits[i].function);
}

static const bool *confirmed_functions(const struct judge *judge)
{
	const struct gate *gate = judge->gate;
	bool *confirmed = arena_array(gate->arena, gate->input->function_count, sizeof(bool));

	for (size_t f = 0; f < gate->input->function_count; f++)
		confirmed[f] = gate->result->functions[f].state == VERDICT_CONFIRMED;
	return confirmed;
}

static bool is_culprit(const struct verdict_result *result, uint32_t function)
{
	for (size_t i = 0; i < result->culprit_count; i++)
		if (result->culprits[i].function == function)
			return true;
	return false;
}

static void mark_excused(struct verdict_result *result, enum verdict_state *state)
{
	*state = VERDICT_UNCHANGED_CODE;
	result->reasons |= VERDICT_REASON_UNCHANGED_CODE;
}

/* What the calls, once there was something to blame, have told to be the same: as what was excused
 * before. */
static void rule_out(struct judge *judge, const bool *in_place)
{
	const struct gate *gate = judge->gate;
	struct verdict_effect *functions = gate->result->functions, *nodes = gate->result->nodes;

	for (uint32_t f = 0; f < gate->input->function_count; f++) {
		if (!in_place[f] || is_culprit(gate->result, f))
			continue;
		judge->unchanged.excused[f] = true;
		if (functions[f].state == VERDICT_CONFIRMED)
			mark_excused(gate->result, &functions[f].state);
	}
	for (uint32_t v = 1; v < gate->input->node_count; v++)
		if (nodes[v].state == VERDICT_CONFIRMED &&
			counted_change(judge, v, is_excused) <
				EXPLAINED_PART * gate->pooled.node[v].mean)
			mark_excused(gate->result, &nodes[v].state);
}

/* Calls were judged while their functions' increase was a shift. */
static void take_back_calls(struct judge *judge)
{
	const struct gate *gate = judge->gate;
	struct verdict_effect *nodes = gate->result->nodes;

	for (uint32_t v = 1; v < gate->input->node_count; v++) {
		if (nodes[v].state != VERDICT_SHIFTED ||
			counted_change(judge, v, is_suppressed) <
				EXPLAINED_PART * gate->pooled.node[v].mean)
			continue;
		nodes[v].state = VERDICT_CONFIRMED;
		shifts_forget_call(gate->result, v);
		gate->result->reasons |= VERDICT_REASON_NODE;
	}
}

static void name_culprits(struct judge *judge)
{
	struct gate *gate = judge->gate;
	struct verdict_result *result = gate->result;
	size_t tests = result->tests_stage1 ? result->tests_stage1 : 1;
	double least = numeric_normal_quantile(gate->input->policy.alpha_stage2 / (double)tests);
	struct causes causes = {.localise = &judge->localise,
		.display = effects_shown(gate),
		.confirmed = confirmed_functions(judge),
		.decreased = judge->finder.decreased,
		.increase = result->total.change / stage_of_base(effects_shown(gate)),
		.in_place = arena_array(gate->arena, gate->input->function_count, sizeof(bool)),
		.arena = gate->arena};
	struct localised found;

	forget_suppressed(judge);
	localise_run(
		&judge->localise, causes.display, 0.5 * least * least, causes.confirmed, &found);
	result->cause_count = causes_find(&causes, &found);
	if (found.spread || result->cause_count == 0)
		result->reasons |= VERDICT_REASON_SPREAD;
	link_culprits(judge, found.culprits, found.count);
	result->culprits = arena_array(gate->arena, found.count, sizeof(*found.culprits));
	memcpy(result->culprits, found.culprits, found.count * sizeof(*found.culprits));
	result->culprit_count = found.count;
	rule_out(judge, causes.in_place);
}

/* Were they called more often it would have been seen (called_more.h): those that are counted hold
 * half of what all of them grew, or of the total's increase, in which what others' noise adds and
 * takes is gone. */
static bool excused_are_counted(const struct judge *judge)
{
	const struct verdict_input *input = judge->gate->input;
	const struct stage *pooled = &judge->gate->pooled;
	double increase = expm1(pooled->log_ratio.mean) / stage_of_base(pooled);
	double grown = 0, counted = 0;

	for (uint32_t f = 0; input->call_ratio && f < input->function_count; f++) {
		double growth = fmax(judge->gate->pooled.function[f].mean, 0);

		grown += is_excused(judge, f) ? growth : 0;
		counted += is_excused(judge, f) && !isnan(input->call_ratio[f]) ? growth : 0;
	}
	if (increase > 0)
		grown = fmin(grown, increase);
	return grown > 0 && counted > COUNTED_PART * grown;
}

/* It was let pass as the same code, and is counted to be called more often, or to do more. */
static bool does_more(const struct judge *judge, uint32_t function)
{
	const struct verdict_input *input = judge->gate->input;

	return is_excused(judge, function) && input->call_ratio &&
	       !isnan(input->call_ratio[function]) && !same_work_is_counted(input, function);
}

/* False, too, where nobody knows any function's code. */
static bool has_nothing_changed(const struct judge *judge)
{
	const struct verdict_input *input = judge->gate->input;
	const uint8_t changed = VERDICT_FUNCTION_TOUCHED | VERDICT_FUNCTION_CHANGED_CODE;
	bool known = false;

	for (uint32_t f = 0; f < input->function_count; f++) {
		uint8_t flags = tree_flags(input, f);

		if ((flags & changed && !(flags & VERDICT_FUNCTION_SAME_PLACE)) ||
			does_more(judge, f))
			return false;
		known |= flags & VERDICT_FUNCTION_UNCHANGED;
	}
	return known;
}

/* True: it is a regression. */
static bool judge_all(struct judge *judge, struct gate *gate)
{
	struct verdict_result *result = gate->result;
	bool total;

	judge_init(judge, gate);
	count_confirmed(judge);
	for (uint32_t f = 0; f < gate->input->function_count; f++)
		if (result->functions[f].confirmed)
			result->functions[f].state = judge_function(judge, f);
	judge->any_function |= shifts_take_back(gate, &judge->finder, SHIFTS_PART);
	for (uint32_t v = 1; v < gate->input->node_count; v++)
		if (result->nodes[v].confirmed)
			result->nodes[v].state = judge_node(judge, v);
	shifts_sort(result);
	total = judge_total(judge);
	result->calls_known = excused_are_counted(judge);
	result->nothing_changed = has_nothing_changed(judge);
	result->reasons |= judge->any_function ? VERDICT_REASON_FUNCTION : 0;
	result->reasons |= judge->any_node ? VERDICT_REASON_NODE : 0;
	result->reasons |= total ? VERDICT_REASON_TOTAL : 0;
	return judge->any_function || judge->any_node || total;
}

void judge_states(struct gate *gate)
{
	struct judge judge;

	judge_all(&judge, gate);
}

void judge_confirmed(struct gate *gate)
{
	struct verdict_result *result = gate->result;
	struct judge judge;

	if (!judge_all(&judge, gate))
		return;
	result->status = VERDICT_REGRESSION;
	if (result->reasons & VERDICT_REASON_TOTAL &&
		shifts_take_back(gate, &judge.finder, SHIFTS_PART_OF_FAILURE)) {
		result->reasons |= VERDICT_REASON_FUNCTION;
		take_back_calls(&judge);
	}
	name_culprits(&judge);
	if (unchanged_has_outgrown(&judge.unchanged))
		result->reasons |= VERDICT_REASON_UNCHANGED_GREW;
}
