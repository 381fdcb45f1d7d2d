/* SPDX-License-Identifier: Apache-2.0 */
/* Broken input, or too little of it, is never decided. */
#include "tests/unit/verdict/rules_scene.h"

static void test_broken_numbers_cannot_be_decided(void **state)
{
	static const double broken[] = {NAN, INFINITY, -1};
	struct fixture *fixture = *state;
	struct sim_cells *cells = &fixture->sim.cells;

	for (size_t i = 0; i < 3; i++) {
		double total = cells->total[1][7];
		struct verdict_cell cell = cells->self[0][100];

		cells->total[1][7] = broken[i];
		assert_refused(fixture, VERDICT_REASON_BAD_NUMBER);
		assert_int_equal(fixture->result.bad_pair, 7);
		cells->total[1][7] = total;
		cells->self[0][100].x = broken[i];
		assert_refused(fixture, VERDICT_REASON_BAD_NUMBER);
		cells->self[0][100] = cell;
		cells->node_total[1][33].squares = broken[i];
		assert_refused(fixture, VERDICT_REASON_BAD_NUMBER);
		sim_add_up(&fixture->sim);
	}
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
}

static void test_zero_total_cannot_be_decided(void **state)
{
	struct fixture *fixture = *state;

	fixture->sim.cells.total[0][39] = 0;
	assert_refused(fixture, VERDICT_REASON_ZERO_TOTAL);
	assert_int_equal(fixture->result.bad_pair, 39);
}

static void test_too_few_pairs_cannot_be_decided(void **state)
{
	struct fixture *fixture = *state;

	fixture->config.stage1 = 7;
	fixture_draw(fixture, 1);
	assert_refused(fixture, VERDICT_REASON_FEW_PAIRS_STAGE1);
	fixture->config.stage1 = 16;
	fixture->config.stage2 = 7;
	fixture_draw(fixture, 1);
	assert_refused(fixture, VERDICT_REASON_FEW_PAIRS_STAGE2);
	fixture->sim.input.pairs = fixture->sim.input.stage1_pairs = 0;
	assert_refused(fixture, VERDICT_REASON_NO_PAIRS);
}

static void test_broken_tree_and_policy_cannot_be_decided(void **state)
{
	struct fixture *fixture = *state;
	struct verdict_input *input = &fixture->sim.input;
	uint32_t *parent = arena_array(&fixture->arena, input->node_count, sizeof(*parent));

	memcpy(parent, input->node_parent, input->node_count * sizeof(*parent));
	input->node_parent = parent;
	parent[5] = 6;
	assert_refused(fixture, VERDICT_REASON_BAD_TREE);
	parent[5] = UINT32_MAX;
	assert_refused(fixture, VERDICT_REASON_BAD_TREE);
	parent[5] = 0;
	input->policy.alpha_stage2 = NAN;
	assert_refused(fixture, VERDICT_REASON_BAD_POLICY);
}

static void drop_samples(struct fixture *fixture, int version, double keep)
{
	struct sim_cells *cells = &fixture->sim.cells;

	for (size_t i = 0; i < fixture->sim.input.function_count * cells->pairs; i++) {
		struct verdict_cell *cell = &cells->self[version][i];

		cell->x *= keep;
		cell->squares *= keep;
		cell->samples *= keep;
		cells->node_self[version][i + cells->pairs] = *cell;
	}
	sim_add_up(&fixture->sim);
}

static void test_lost_samples_cannot_be_decided(void **state)
{
	struct fixture *fixture = *state;

	drop_samples(fixture, 0, 0.75);
	assert_refused(fixture, VERDICT_REASON_COVERAGE_GAP);
	drop_samples(fixture, 0, 0.6);
	assert_refused(fixture, VERDICT_REASON_COVERAGE);
	drop_samples(fixture, 0, 0);
	assert_refused(fixture, VERDICT_REASON_NO_SAMPLES);
}

/* 55 % in both versions: three tenths more are where a process starts and ends. */
static void test_what_no_sample_can_cover_is_not_lost(void **state)
{
	struct fixture *fixture = *state;
	struct verdict_input *input = &fixture->sim.input;

	for (int version = 0; version < 2; version++)
		drop_samples(fixture, version, 0.55);
	assert_refused(fixture, VERDICT_REASON_COVERAGE);
	for (int version = 0; version < 2; version++)
		for (size_t b = 0; b < input->pairs; b++)
			input->unseen[version] += 0.1 * input->total[version][b];
	assert_refused(fixture, VERDICT_REASON_COVERAGE);
	for (int version = 0; version < 2; version++)
		input->unseen[version] *= 3;
	assert_int_not_equal(decide(fixture), VERDICT_CANNOT_DECIDE);
	input->unseen[0] = 0;
	assert_refused(fixture, VERDICT_REASON_COVERAGE);
}

static void test_broken_call_counts_cannot_be_decided(void **state)
{
	struct fixture *fixture = *state;
	struct verdict_input *input = &fixture->sim.input;
	double *ratios = arena_array(&fixture->arena, input->function_count, sizeof(*ratios));

	input->call_ratio = ratios;
	ratios[3] = NAN;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	ratios[3] = -1;
	assert_refused(fixture, VERDICT_REASON_BAD_NUMBER);
	ratios[3] = INFINITY;
	assert_refused(fixture, VERDICT_REASON_BAD_NUMBER);
	input->call_ratio = NULL;
	input->instruction_ratio = ratios;
	assert_refused(fixture, VERDICT_REASON_BAD_NUMBER);
	input->instruction_ratio = NULL;
	input->own_instruction_ratio = ratios;
	assert_refused(fixture, VERDICT_REASON_BAD_NUMBER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(test_broken_numbers_cannot_be_decided),
		RULE(test_zero_total_cannot_be_decided),
		RULE(test_too_few_pairs_cannot_be_decided),
		RULE(test_broken_tree_and_policy_cannot_be_decided),
		RULE(test_broken_call_counts_cannot_be_decided),
		RULE(test_lost_samples_cannot_be_decided),
		RULE(test_what_no_sample_can_cover_is_not_lost),
	};

	return cmocka_run_group_tests_name("verdict rules: input", tests, NULL, NULL);
}
