/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/verdict/why.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gate/verdict/estimate/numeric.h"
#include "tests/bench/verdict/situations.h"

#define RATE_HZ 1000.0 /* as sim_default() */
#define PAIRS_1 16
#define PAIRS_2 24

enum fate {
	FOUND,
	CANNOT_DECIDE,
	STAGE1_FLAGGED_NOTHING,
	STAGE1_FLAGGED_OTHERS,
	STAGE2_DID_NOT_CONFIRM,
	SHIFTED,
	CONTRADICTED,
	UNCHANGED_CODE,
	FATE_COUNT,
};
static const char *const fates[FATE_COUNT] = {
	[FOUND] = "found",
	[CANNOT_DECIDE] = "missed: cannot be decided",
	[STAGE1_FLAGGED_NOTHING] = "missed: stage 1 flagged nothing",
	[STAGE1_FLAGGED_OTHERS] = "missed: stage 1 flagged others alone",
	[STAGE2_DID_NOT_CONFIRM] = "missed: stage 2 did not confirm",
	[SHIFTED] = "missed: taken for moved cost",
	[CONTRADICTED] = "missed: the total contradicts",
	[UNCHANGED_CODE] = "missed: excused, or allowed for the layout",
};

enum blame { RIGHT, OTHER_KIND, A_CALLER, A_CALLEE, ELSEWHERE, NOBODY, BLAME_COUNT };
static const char *const blames[BLAME_COUNT] = {
	[RIGHT] = "first culprit: what was planted",
	[OTHER_KIND] = "first culprit: the function, but the other kind of blame",
	[A_CALLER] = "first culprit: one that calls it",
	[A_CALLEE] = "first culprit: one that it calls",
	[ELSEWHERE] = "first culprit: another",
	[NOBODY] = "no culprit",
};

struct counts {
	size_t gates, fate[FATE_COUNT], blame[BLAME_COUNT];
	double by_sampling_alone, tests;
};

/* What can show the planted change: the function's own cost, its node, the total. */
struct signs {
	const struct verdict_effect *self, *node;
	const struct verdict_total *total;
};

static bool is_flagged(const struct signs *signs)
{
	return signs->self->flagged || signs->node->flagged || signs->total->flagged;
}

static bool is_confirmed(const struct signs *signs)
{
	return signs->self->confirmed || signs->node->confirmed || signs->total->confirmed;
}

static bool has_state(const struct signs *signs, enum verdict_state state)
{
	return (signs->self->confirmed && signs->self->state == state) ||
	       (signs->node->confirmed && signs->node->state == state);
}

static enum fate fate_of(const struct drawn *drawn)
{
	const struct verdict_result *result = &drawn->result;
	struct signs signs;

	if (drawn->failed)
		return FOUND;
	if (result->status == VERDICT_CANNOT_DECIDE)
		return CANNOT_DECIDE;
	if (!result->tests_stage2 && !result->total.flagged)
		return STAGE1_FLAGGED_NOTHING;
	signs = (struct signs){&result->functions[drawn->sim.planted],
		&result->nodes[drawn->sim.planted + 1], &result->total};
	if (!is_flagged(&signs))
		return STAGE1_FLAGGED_OTHERS;
	if (!is_confirmed(&signs))
		return STAGE2_DID_NOT_CONFIRM;
	if (has_state(&signs, VERDICT_SHIFTED))
		return SHIFTED;
	return has_state(&signs, VERDICT_CONTRADICTED) ? CONTRADICTED : UNCHANGED_CODE;
}

static bool is_below(const struct sim *sim, uint32_t node, uint32_t top)
{
	while (node && node != top)
		node = sim->input.node_parent[node];
	return node == top;
}

static enum blame blame_of(const struct drawn *drawn, enum sim_change change)
{
	const struct verdict_culprit *culprit = drawn->result.culprits;
	uint32_t planted = drawn->sim.planted + 1, node;

	if (drawn->result.culprit_count == 0)
		return NOBODY;
	if (draw_is_right(drawn, change, culprit))
		return RIGHT;
	node = culprit->function + 1;
	if (node == planted)
		return OTHER_KIND;
	if (is_below(&drawn->sim, planted, node))
		return A_CALLER;
	return is_below(&drawn->sim, node, planted) ? A_CALLEE : ELSEWHERE;
}

/* Noise of nothing but the samples; the margin and the level are the gate's. */
static double power_of_stage(const struct drawn *drawn, double margin, double pairs, double alpha)
{
	double se = sqrt((2 * drawn->share + drawn->size) / RATE_HZ / pairs), df = pairs + 9;

	return numeric_student_upper(
		numeric_student_quantile(alpha, df) - (drawn->size - margin) / se, df);
}

static double power_by_sampling(const struct drawn *drawn, enum sim_change change)
{
	const struct verdict_policy *policy = &drawn->sim.input.policy;
	double relative =
		change == SIM_CALLED ? policy->margin_total_relative : policy->margin_self_relative;
	double margin = policy->margin_points + relative * drawn->share;
	double flagged = fmax((double)drawn->result.tests_stage2, 1);

	return power_of_stage(drawn, margin, PAIRS_1,
		       policy->alpha_stage1_nodes / (double)drawn->result.tests_stage1) *
	       power_of_stage(drawn, margin, PAIRS_2, policy->alpha_stage2 / flagged);
}

static void count(const struct situation *situation, enum machine_noise noise, size_t gate,
	struct counts *counts)
{
	struct arena arena = ARENA_INIT;
	struct drawn drawn;

	draw_benchmark(situation, noise, draw_seed(situation, noise, gate), &arena, &drawn);
	counts->gates++;
	counts->fate[fate_of(&drawn)]++;
	counts->by_sampling_alone += power_by_sampling(&drawn, situation->change);
	counts->tests += (double)drawn.result.tests_stage1;
	if (drawn.failed)
		counts->blame[blame_of(&drawn, situation->change)]++;
	arena_release(&arena);
}

static void print(const struct counts *counts)
{
	double n = (double)counts->gates, found = (double)counts->fate[FOUND];

	for (int i = 0; i < FATE_COUNT; i++)
		if (counts->fate[i])
			printf("%6.3f  %s\n", (double)counts->fate[i] / n, fates[i]);
	for (int i = 0; i < BLAME_COUNT && found > 0; i++)
		if (counts->blame[i])
			printf("%6.3f  %s\n", (double)counts->blame[i] / found, blames[i]);
	printf("%6.3f  would be found by its own test with the samples' noise alone; %.0f tests\n",
		counts->by_sampling_alone / n, counts->tests / n);
}

static bool find_noise(const char *name, enum machine_noise *noise)
{
	for (int i = 0; i < NOISE_COUNT; i++)
		if (strcmp(noise_names[i], name) == 0) {
			*noise = (enum machine_noise)i;
			return true;
		}
	return false;
}

bool why_print(const char *name, const char *noise_name, size_t gates)
{
	enum machine_noise noise;
	bool found = false;

	if (!find_noise(noise_name, &noise))
		return false;
	for (size_t i = 0; i < situation_count; i++) {
		struct counts counts = {0};

		if (strncmp(situations[i].name, name, strlen(name)) != 0)
			continue;
		found = true;
		for (size_t gate = 0; gate < gates; gate++)
			count(&situations[i], noise, gate, &counts);
		printf("%s, %s, %zu gates\n", situations[i].name, noise_name, gates);
		print(&counts);
	}
	return found;
}
