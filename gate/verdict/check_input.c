/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/check_input.h"

#include <math.h>

/* Far past any measurement, and far from overflow when squared. */
#define NUMBER_MAX 1e30
#define NUMBER_MIN 1e-30

bool check_number(double value)
{
	return value >= 0 && value <= NUMBER_MAX; /* false for NaN */
}

bool check_divisor(double value)
{
	return check_number(value) && value >= NUMBER_MIN;
}

static bool is_part(double value)
{
	return value >= 0 && value < 1;
}

static bool policy_is_sane(const struct verdict_policy *policy)
{
	return is_part(policy->margin_points) && is_part(policy->margin_self_relative) &&
	       is_part(policy->margin_total_relative) && is_part(policy->total_margin) &&
	       is_part(policy->alpha_stage1_nodes) && policy->alpha_stage1_nodes > 0 &&
	       is_part(policy->alpha_stage1_total) && policy->alpha_stage1_total > 0 &&
	       is_part(policy->alpha_stage2) && policy->alpha_stage2 > 0 &&
	       policy->benchmarks_in_gate >= 1 && policy->min_pairs >= 2 &&
	       check_number(policy->min_samples) && is_part(policy->min_coverage) &&
	       check_number(policy->max_coverage_gap);
}

static uint32_t check_value(double value, size_t pair, struct verdict_result *result)
{
	uint32_t reason = 0;

	if (!check_number(value))
		reason = VERDICT_REASON_BAD_NUMBER;
	else if (!check_divisor(value))
		reason = VERDICT_REASON_ZERO_TOTAL;
	if (reason && result->bad_pair == SIZE_MAX)
		result->bad_pair = pair;
	return reason;
}

static uint32_t check_totals(const struct verdict_input *input, struct verdict_result *result)
{
	uint32_t reasons = 0;

	for (size_t b = 0; b < input->pairs; b++)
		for (int version = 0; version < 2; version++) {
			reasons |= check_value(input->total[version][b], b, result);
			if (input->work[version])
				reasons |= check_value(input->work[version][b], b, result);
		}
	return reasons;
}

bool check_cells(const struct verdict_cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!check_number(cells[i].x) || !check_number(cells[i].squares) ||
			!check_number(cells[i].samples))
			return false;
	return true;
}

static uint32_t check_all_cells(const struct verdict_input *input)
{
	size_t functions = input->function_count * input->pairs;
	size_t nodes = input->node_count * input->pairs;
	size_t known = input->known_count * input->pairs;

	for (int version = 0; version < 2; version++)
		if (!check_cells(input->self[version], functions) ||
			(known && !check_cells(input->known_total[version], known)) ||
			(nodes && (!check_cells(input->node_self[version], nodes) ||
					  !check_cells(input->node_total[version], nodes))))
			return VERDICT_REASON_BAD_NUMBER;
	return 0;
}

/* NAN: it is not known. */
static bool check_ratios(const struct verdict_input *input, const double *ratios)
{
	for (size_t f = 0; ratios && f < input->function_count; f++)
		if (!isnan(ratios[f]) && !check_number(ratios[f]))
			return false;
	return true;
}

static uint32_t check_calls(const struct verdict_input *input)
{
	return check_ratios(input, input->call_ratio) &&
			       check_ratios(input, input->instruction_ratio) &&
			       check_ratios(input, input->own_instruction_ratio)
		       ? 0
		       : VERDICT_REASON_BAD_NUMBER;
}

/* In preorder a node's parent is the node before it or one of that node's ancestors. */
static bool follows_preorder(const struct verdict_input *input, size_t node)
{
	size_t at = node - 1;

	while (at != input->node_parent[node]) {
		if (at == 0)
			return false;
		at = input->node_parent[at];
	}
	return true;
}

static uint32_t check_tree(const struct verdict_input *input)
{
	if (input->node_count >= VERDICT_NONE || input->function_count >= VERDICT_NONE)
		return VERDICT_REASON_BAD_TREE;
	if (input->node_count > 0 && input->node_parent[0] != 0)
		return VERDICT_REASON_BAD_TREE;
	for (size_t v = 0; v < input->node_count; v++) {
		uint32_t function = input->node_function[v];

		if (function >= input->function_count && function != VERDICT_NONE)
			return VERDICT_REASON_BAD_TREE;
		if (v > 0 && !follows_preorder(input, v))
			return VERDICT_REASON_BAD_TREE;
	}
	return 0;
}

struct coverage {
	double sampled, total, samples;
};

static struct coverage coverage_of(const struct verdict_input *input, int version)
{
	struct coverage sum = {0};

	for (size_t i = 0; i < input->function_count * input->pairs; i++) {
		sum.sampled += input->self[version][i].x;
		sum.samples += input->self[version][i].samples;
	}
	for (size_t b = 0; b < input->pairs; b++)
		sum.total += input->total[version][b];
	return sum;
}

/*
 * Lost samples and a falsified clock look alike: the samples do not add up to the CPU time. Four
 * standard errors of the sampling itself are allowed on top.
 */
static uint32_t check_coverage(const struct verdict_input *input, struct verdict_result *result)
{
	double chance[2], gap;
	uint32_t reasons = 0;

	for (int version = 0; version < 2; version++) {
		struct coverage sum = coverage_of(input, version);

		if (sum.samples <= 0 || sum.sampled <= 0)
			return VERDICT_REASON_NO_SAMPLES;
		result->coverage[version] = sum.sampled / sum.total;
		chance[version] = 1 / sqrt(sum.samples);
		if (result->coverage[version] * (1 + 4 * chance[version]) +
				input->unseen[version] / sum.total <
			input->policy.min_coverage)
			reasons |= VERDICT_REASON_COVERAGE;
	}
	gap = fabs(log(result->coverage[1] / result->coverage[0]));
	if (input->policy.max_coverage_gap > 0 &&
		gap > input->policy.max_coverage_gap + 4 * hypot(chance[0], chance[1]))
		reasons |= VERDICT_REASON_COVERAGE_GAP;
	return reasons;
}

uint32_t check_input(const struct verdict_input *input, struct verdict_result *result)
{
	uint32_t reasons;

	if (!policy_is_sane(&input->policy))
		return VERDICT_REASON_BAD_POLICY;
	if (input->pairs == 0 || input->stage1_pairs == 0 || input->stage1_pairs > input->pairs)
		return VERDICT_REASON_NO_PAIRS;
	if (input->pairs > VERDICT_PAIRS_MAX)
		return VERDICT_REASON_TOO_MANY_PAIRS;
	reasons = check_totals(input, result) | check_all_cells(input) | check_tree(input) |
		  check_calls(input);
	return reasons ? reasons : check_coverage(input, result);
}
