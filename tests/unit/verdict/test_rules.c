/* SPDX-License-Identifier: Apache-2.0 */
/* The gate's rules one by one: stages, margins, levels, outliers, work, the total. */
#include "tests/unit/verdict/rules_scene.h"

static void test_planted_regression_names_its_culprit(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_result *result = &fixture->result;

	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_FUNCTION));
	assert_int_equal(result->functions[fixture->sim.planted].state, VERDICT_CONFIRMED);
	assert_int_equal(result->culprit_count, 1);
	assert_int_equal(result->culprits[0].function, fixture->sim.planted);
	assert_int_equal(result->culprits[0].node, fixture->sim.planted + 1);
	assert_int_equal(result->culprits[0].kind, VERDICT_BLAME_SELF);
	assert_true(result->culprits[0].low < 0.03 && result->culprits[0].high > 0.025);
	assert_true(result->culprits[0].explained > 0.8 && result->culprits[0].explained <= 1);
	assert_int_equal(result->kept[0] + result->kept[1] + result->dropped_count, 40);
}

static void test_same_input_gives_the_same_bits(void **state)
{
	struct fixture *fixture = *state;
	struct verdict_culprit first;

	decide(fixture);
	first = fixture->result.culprits[0];
	decide(fixture);
	assert_memory_equal(&first, &fixture->result.culprits[0], sizeof(first));
}

static void test_stage1_alone_only_asks_for_stage2(void **state)
{
	struct fixture *fixture = *state;

	verdict_stage1(&fixture->sim.input, &fixture->arena, &fixture->result);
	assert_int_equal(fixture->result.status, VERDICT_UNDECIDED);
	assert_int_equal(fixture->result.functions[fixture->sim.planted].state, VERDICT_FLAGGED);
	assert_false(fixture->result.functions[fixture->sim.planted].confirmed);
	assert_int_equal(fixture->result.kept[1], 0);
}

static void test_stage1_passes_what_it_does_not_flag(void **state)
{
	struct fixture *fixture = *state;

	fixture->config.change = SIM_NONE;
	fixture_draw(fixture, 2);
	fixture->sim.input.policy.layouts = 8;
	verdict_stage1(&fixture->sim.input, &fixture->arena, &fixture->result);
	assert_int_equal(fixture->result.status, VERDICT_PASS);
	assert_true(fixture->result.bound > 0 && fixture->result.bound < 0.005);
	assert_true(fixture->result.total.mde > 0.01 && fixture->result.total.mde < 0.02);
	assert_true(fixture->result.mde_function > 0.004 && fixture->result.mde_function < 0.02);
}

/* A copy of base's pairs over head's: what a stage would see if nothing had changed there. */
static void undo_change(struct fixture *fixture, size_t first, size_t end)
{
	struct sim_cells *cells = &fixture->sim.cells;

	for (size_t i = 0; i < fixture->sim.input.function_count * cells->pairs; i++) {
		if (i % cells->pairs < first || i % cells->pairs >= end)
			continue;
		cells->self[1][i] = cells->self[0][i];
		cells->node_self[1][i + cells->pairs] = cells->self[0][i];
	}
	for (size_t b = first; b < end; b++)
		cells->total[1][b] = cells->total[0][b];
	sim_add_up(&fixture->sim);
}

static void test_what_stage2_does_not_confirm_passes(void **state)
{
	struct fixture *fixture = *state;

	undo_change(fixture, 16, 40);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(fixture->result.functions[fixture->sim.planted].state, VERDICT_FLAGGED);
	assert_int_equal(fixture->result.culprit_count, 0);
	/* the printed change is stage 2's, not the one that was selected */
	assert_true(fabs(fixture->result.functions[fixture->sim.planted].change) < 1e-9);
}

static void test_what_stage1_does_not_flag_passes(void **state)
{
	struct fixture *fixture = *state;

	undo_change(fixture, 0, 16);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(fixture->result.tests_stage2, 0);
}

static void test_margin_is_points_plus_a_part_of_the_base(void **state)
{
	struct fixture *fixture = *state;

	fixture->sim.input.node_count = 0;
	draw_exact(fixture, 0.1, 0.0039); /* the margin: 0.002 + 0.02 * 0.1 */
	assert_int_equal(decide(fixture), VERDICT_PASS);
	draw_exact(fixture, 0.1, 0.0042);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.culprits[0].function, 0);
	draw_exact(fixture, 0.01, 0.0021);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	draw_exact(fixture, 0.01, 0.0024);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
}

static void assert_levels(
	const struct verdict_result *result, const struct verdict_effect *effect, double alpha2)
{
	double alpha1 = 0.04 / (double)result->tests_stage1;

	if (!effect->eligible)
		return;
	assert_int_equal(effect->flagged, effect->p_stage[0] <= alpha1);
	assert_int_equal(effect->confirmed,
		effect->flagged && effect->p_stage[1] <= alpha2 / (double)result->tests_stage2);
}

static void test_levels_are_shared_between_all_tests(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_result *result = &fixture->result;
	size_t eligible = 0, flagged = 0;

	fixture->sim.input.policy.benchmarks_in_gate = 5;
	decide(fixture);
	for (size_t f = 0; f < fixture->sim.input.function_count; f++) {
		assert_levels(result, &result->functions[f], 0.01 / 5);
		eligible += result->functions[f].eligible;
		flagged += result->functions[f].flagged;
	}
	for (size_t v = 1; v < fixture->sim.input.node_count; v++) {
		assert_levels(result, &result->nodes[v], 0.01 / 5);
		eligible += result->nodes[v].eligible;
		flagged += result->nodes[v].flagged;
	}
	assert_int_equal(result->tests_stage1, eligible);
	assert_int_equal(result->tests_stage2, flagged);
	assert_true(fabs(result->total.alpha_stage[1] - 0.002) < 1e-15);
}

static void test_outlier_pairs_are_dropped(void **state)
{
	struct fixture *fixture = *state;

	fixture->sim.cells.total[0][3] *= 1.5;
	fixture->sim.cells.total[1][20] *= 1.5;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(fixture->result.dropped[3] && fixture->result.dropped[20]);
	assert_int_equal(
		fixture->result.kept[0] + fixture->result.kept[1] + fixture->result.dropped_count,
		40);
	assert_in_range(fixture->result.dropped_count, 2, 6);
}

/* Of 8 + 8 pairs with plain noise hardly any is an outlier; one that took thrice as long is. */
static void test_few_pairs_are_not_thrown_away(void **state)
{
	struct fixture *fixture = *state;
	size_t dropped = 0;

	fixture->config.noise.jitter = 0.03;
	fixture->config.change = SIM_NONE;
	fixture->config.stage1 = fixture->config.stage2 = 8;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		fixture_draw(fixture, seed);
		decide(fixture);
		dropped += fixture->result.dropped_count;
	}
	assert_in_range(dropped, 0, 3);
	fixture->sim.cells.total[0][3] *= 3;
	decide(fixture);
	assert_true(fixture->result.dropped[3]);
}

static void test_counted_work_is_divided_out(void **state)
{
	struct fixture *fixture = *state;
	double *work[2];

	fixture->config.change = SIM_UNIFORM; /* head did 3 % more work in 3 % more time */
	fixture_draw(fixture, 3);
	fixture->sim.input.policy.layouts = 8;
	for (int version = 0; version < 2; version++) {
		work[version] = arena_array(&fixture->arena, 40, sizeof(double));
		for (size_t b = 0; b < 40; b++)
			work[version][b] = version ? 1030 : 1000;
		fixture->sim.input.work[version] = work[version];
	}
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(fabs(fixture->result.total.change) < 0.004);
	fixture->sim.input.work[0] = fixture->sim.input.work[1] = NULL;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	fixture->sim.input.work[0] = work[0];
	work[0][0] = 0;
	assert_refused(fixture, VERDICT_REASON_ZERO_TOTAL);
}

static void test_proportional_growth_is_called_spread(void **state)
{
	struct fixture *fixture = *state;

	draw_uniform(fixture, 0.05);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_TOTAL));
	assert_true(has_reason(fixture, VERDICT_REASON_SPREAD));
	assert_int_equal(fixture->result.cause_count, 0);
	assert_true(fixture->result.total.explained > 0.5);
	draw_uniform(fixture, 1); /* twice as slow is still spread */
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_SPREAD));
	assert_int_equal(fixture->result.cause_count, 0);
}

static void test_total_without_growing_functions_is_a_warning(void **state)
{
	struct fixture *fixture = *state;

	fixture->config.change = SIM_NONE;
	fixture_draw(fixture, 5);
	for (size_t b = 0; b < 40; b++)
		fixture->sim.cells.total[1][b] *= 1.05;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_TOTAL_UNEXPLAINED));
	assert_false(has_reason(fixture, VERDICT_REASON_TOTAL_UNCHANGED));
	assert_int_equal(fixture->result.total.state, VERDICT_UNCHANGED_CODE);
}

/* Fifty samples a run add up to 6 +- 3 %: hardly ever a word against a clock that says 6 %. */
static void test_few_samples_do_not_contradict_the_clock(void **state)
{
	struct fixture *fixture = *state;
	size_t unexplained = 0;

	fixture->config.change = SIM_UNIFORM;
	fixture->config.size = 0.06;
	fixture->config.rate_hz = 50;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		fixture_draw(fixture, seed);
		fixture->sim.input.policy.layouts = 8;
		decide(fixture);
		assert_true(fixture->result.total.confirmed);
		unexplained += has_reason(fixture, VERDICT_REASON_TOTAL_UNEXPLAINED);
	}
	assert_in_range(unexplained, 0, 7);
}

static void test_decides_without_a_call_tree(void **state)
{
	struct fixture *fixture = *state;

	fixture->sim.input.node_count = 0;
	fixture->sim.input.function_file = NULL;
	fixture->sim.input.function_flags = NULL;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.culprits[0].function, fixture->sim.planted);
	assert_int_equal(fixture->result.culprits[0].node, VERDICT_NONE);
}

/* Of a function with one node only, the total is that node's: the same pairs, the same interval. */
static void test_a_functions_total_has_its_nodes_interval(void **state)
{
	struct fixture *fixture = *state;
	struct verdict_input *input = &fixture->sim.input;
	size_t flagged = 0;

	input->known_count = input->node_count - 1;
	input->known_function = input->node_function + 1;
	for (int version = 0; version < 2; version++)
		input->known_total[version] = input->node_total[version] + input->pairs;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	for (size_t i = 0; i < input->known_count; i++) {
		const struct verdict_effect *node = &fixture->result.nodes[i + 1];
		const struct verdict_effect *self =
			&fixture->result.functions[input->known_function[i]];
		const struct verdict_known *known = &fixture->result.known[i];
		size_t nodes = 0;

		for (size_t v = 1; v < input->node_count; v++)
			nodes += input->node_function[v] == input->known_function[i];
		if (nodes > 1 || self->flagged != node->flagged)
			continue;
		flagged += node->flagged;
		assert_memory_equal(&known->change, &node->change, sizeof(double));
		assert_memory_equal(&known->low, &node->low, sizeof(double));
		assert_memory_equal(&known->high, &node->high, sizeof(double));
	}
	assert_true(flagged > 0);
}

static void test_every_reason_and_compensator_has_its_own_text(void **state)
{
	(void)state;
	for (int bit = 0; bit <= 23; bit++) {
		const char *text = verdict_reason_text((enum verdict_reason)(1u << bit));

		assert_true(text[0] != '\0');
		for (int other = 0; other < bit; other++)
			assert_string_not_equal(
				text, verdict_reason_text((enum verdict_reason)(1u << other)));
	}
	for (int c = 1; c < VERDICT_COMPENSATOR_COUNT; c++)
		assert_true(verdict_compensator_text((enum verdict_compensator)c)[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(test_planted_regression_names_its_culprit),
		RULE(test_same_input_gives_the_same_bits),
		RULE(test_stage1_alone_only_asks_for_stage2),
		RULE(test_stage1_passes_what_it_does_not_flag),
		RULE(test_what_stage2_does_not_confirm_passes),
		RULE(test_what_stage1_does_not_flag_passes),
		RULE(test_margin_is_points_plus_a_part_of_the_base),
		RULE(test_levels_are_shared_between_all_tests),
		RULE(test_outlier_pairs_are_dropped),
		RULE(test_few_pairs_are_not_thrown_away),
		RULE(test_counted_work_is_divided_out),
		RULE(test_proportional_growth_is_called_spread),
		RULE(test_total_without_growing_functions_is_a_warning),
		RULE(test_few_samples_do_not_contradict_the_clock),
		RULE(test_decides_without_a_call_tree),
		RULE(test_a_functions_total_has_its_nodes_interval),
		RULE(test_every_reason_and_compensator_has_its_own_text),
	};

	return cmocka_run_group_tests_name("verdict rules", tests, NULL, NULL);
}
