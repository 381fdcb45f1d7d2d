/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/screen/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/verdict/check_input.h"
#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/screen/screen_internal.h"

#define RUNS_MIN 3 /* both versions: one of them must show how much runs differ */

struct screen_policy screen_policy_default(void)
{
	return (struct screen_policy){
		.margin_points = 0.005,
		.margin_relative = 0.10,
		.alpha = 0.001,
		.min_samples = 20,
		.size_functions = 60,
	};
}

static bool policy_is_sane(const struct screen_policy *policy)
{
	return policy->margin_points >= 0 && policy->margin_points < 1 &&
	       policy->margin_relative >= 0 && policy->margin_relative < 1 && policy->alpha > 0 &&
	       policy->alpha < 1 && check_number(policy->min_samples) && policy->size_functions > 0;
}

static bool totals_are_sane(const struct screen_input *input)
{
	for (int version = 0; version < 2; version++)
		for (size_t b = 0; b < input->pairs[version]; b++)
			if (!check_divisor(input->total[version][b]) ||
				(input->work[version] && !check_divisor(input->work[version][b])))
				return false;
	return true;
}

static bool cells_are_sane(const struct screen_input *input)
{
	for (int version = 0; version < 2; version++)
		for (size_t f = 0; f < input->function_count; f++)
			if (!check_cells(
				    input->self[version] + f * input->row, input->pairs[version]))
				return false;
	return true;
}

static double samples_of(const struct screen_input *input, int version)
{
	double samples = 0;

	for (size_t f = 0; f < input->function_count; f++)
		for (size_t b = 0; b < input->pairs[version]; b++)
			samples += input->self[version][f * input->row + b].samples;
	return samples;
}

/* "" if the numbers can be screened at all. */
static const char *check_screen(const struct screen_input *input)
{
	const size_t *pairs = input->pairs;

	if (!policy_is_sane(&input->policy))
		return "the screen's limits make no sense";
	if (pairs[0] < 1 || pairs[1] < 1 || pairs[0] + pairs[1] < RUNS_MIN)
		return "too few runs";
	if (input->row < pairs[0] || input->row < pairs[1] || !cells_are_sane(input))
		return "a cost is not a number that a measurement can give";
	if (!totals_are_sane(input))
		return "a run's total is 0 or no number";
	for (int version = 0; version < 2; version++)
		if (samples_of(input, version) < fmax(1, input->policy.min_samples))
			return "too few samples";
	return "";
}

/* Functions that vanished are known not to have grown. */
static bool is_tested(const struct screen *screen, size_t function)
{
	double base = screen->function[0][function].sampled;
	double head = screen->function[1][function].sampled;

	return head > 0 && base + head >= screen->input->policy.min_samples;
}

static size_t count_tests(const struct screen *screen)
{
	size_t tests = 0;

	for (size_t f = 0; f < screen->input->function_count; f++)
		tests += is_tested(screen, f);
	return tests;
}

static double margin_of(const struct screen *screen, size_t function)
{
	const struct screen_policy *policy = &screen->input->policy;

	return policy->margin_points + policy->margin_relative * screen_base(screen, function);
}

static struct screen_effect describe(const struct screen *screen, size_t function)
{
	struct estimate estimate = screen_change(screen, function);
	double wide = numeric_student_quantile(0.025, estimate.df) * estimate.se;
	double margin = margin_of(screen, function), t = estimate_t(&estimate, margin);

	return (struct screen_effect){
		.function = (uint32_t)function,
		.change = estimate.change,
		.se = estimate.se,
		.low = estimate.change - wide,
		.high = estimate.change + wide,
		.t = t,
		.p = numeric_student_upper(t, estimate.df),
		.margin = margin,
		.base = screen_base(screen, function),
	};
}

static int compare_effects(const void *left, const void *right)
{
	const struct screen_effect *a = left, *b = right;

	if (a->change != b->change)
		return a->change > b->change ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* The effects that exceed their margins, largest first; sets the largest t of all tested. */
static struct screen_effect *find_grown(const struct screen *screen, double alpha, size_t *count)
{
	size_t functions = screen->input->function_count, grown = 0;
	struct screen_effect *effects = arena_array(screen->arena, functions, sizeof(*effects));

	screen->result->suspicion = -INFINITY;
	for (size_t f = 0; f < functions; f++) {
		struct estimate estimate = screen_change(screen, f);
		double t = estimate_t(&estimate, margin_of(screen, f));

		if (!is_tested(screen, f))
			continue;
		screen->result->suspicion = fmax(screen->result->suspicion, t);
		if (numeric_student_upper(t, estimate.df) <= alpha)
			effects[grown++] = describe(screen, f);
	}
	qsort(effects, grown, sizeof(*effects), compare_effects);
	*count = grown;
	return effects;
}

/* Splits what grew into what counts and what was only moved; both keep their order. */
static void shift_grown(
	const struct screen *screen, const struct screen_effect *grown, size_t count)
{
	struct screen_result *result = screen->result;
	const bool *decreased = count ? screen_decreased(screen) : NULL;

	result->flagged = arena_array(screen->arena, count, sizeof(*grown));
	result->shifted = arena_array(screen->arena, count, sizeof(*grown));
	for (size_t i = 0; i < count; i++) {
		if (screen_shifted(screen, decreased, grown[i].function, grown[i].change))
			result->shifted[result->shifted_count++] = grown[i];
		else
			result->flagged[result->flagged_count++] = grown[i];
	}
}

/*
 * Shares are of each version's own total, so that a function that grew takes from all others: the
 * factor is what the scaled base is of head. In its total a change is what the program takes more.
 */
static void of_base(const struct screen *screen, struct screen_effect *effects, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct screen_effect *effect = &effects[i];

		effect->change /= screen->factor;
		effect->se /= screen->factor;
		effect->low /= screen->factor;
		effect->high /= screen->factor;
		effect->margin /= screen->factor;
		effect->base /= screen->factor;
	}
}

static void judge(struct screen *screen)
{
	struct screen_result *result = screen->result;
	double alpha = screen->input->policy.alpha / (double)result->tests;
	struct screen_effect *grown;
	double part;
	size_t count;

	grown = find_grown(screen, alpha, &count);
	shift_grown(screen, grown, count);
	of_base(screen, result->flagged, result->flagged_count);
	of_base(screen, result->shifted, result->shifted_count);
	part = screen_mde(screen, alpha, VERDICT_TYPICAL_SHARE); /* of head, not of base */
	result->mde_function = part < 1 ? part / (1 - part) : INFINITY;
	result->status = result->flagged_count ? SCREEN_FLAGGED : SCREEN_CLEAR;
}

void screen_decide(
	const struct screen_input *input, struct arena *arena, struct screen_result *result)
{
	struct screen screen = {.input = input, .arena = arena, .result = result};

	memset(result, 0, sizeof(*result));
	result->status = SCREEN_CANNOT;
	result->reason = check_screen(input);
	if (*result->reason)
		return;
	screen_measure(&screen);
	result->tests = count_tests(&screen);
	if (screen_find_size(&screen))
		judge(&screen);
	else
		result->reason = "too few functions";
}
