/* SPDX-License-Identifier: Apache-2.0 */
/* The gate's rules one by one: stages, broken data, outliers, work, exoneration, veto, blame. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/verdict/sim.h"

struct fixture {
	struct arena arena;
	struct sim_config config;
	struct sim sim;
	struct verdict_result result;
};

static void fixture_draw(struct fixture *fixture, uint64_t seed)
{
	arena_release(&fixture->arena);
	arena_init(&fixture->arena);
	sim_gate(&fixture->config, seed, &fixture->arena, &fixture->sim);
	fixture->sim.input.policy = verdict_policy_default(true);
}

/* +3 % in one function of rank 10 on a quiet machine: fails unless a rule says otherwise. */
static int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.config = sim_default(&sim_quiet);
	fixture.config.functions = 80;
	fixture.config.change = SIM_SELF;
	fixture.config.size = 0.03;
	fixture.config.rank_low = fixture.config.rank_high = 9;
	fixture_draw(&fixture, 1);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	arena_release(&fixture->arena);
	return 0;
}

static enum verdict_status decide(struct fixture *fixture)
{
	verdict_decide(&fixture->sim.input, &fixture->arena, &fixture->result);
	return fixture->result.status;
}

static bool has_reason(const struct fixture *fixture, enum verdict_reason reason)
{
	return (fixture->result.reasons & reason) != 0;
}

static void assert_refused(struct fixture *fixture, enum verdict_reason reason)
{
	assert_int_equal(decide(fixture), VERDICT_CANNOT_DECIDE);
	assert_true(has_reason(fixture, reason));
	assert_int_equal(fixture->result.culprit_count, 0);
	assert_null(fixture->result.functions);
	assert_null(fixture->result.nodes);
	assert_null(fixture->result.node_self_change);
}

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

/* A copy of base's blocks over head's: what a stage would see if nothing had changed there. */
static void undo_change(struct fixture *fixture, size_t first, size_t end)
{
	struct sim_cells *cells = &fixture->sim.cells;

	for (size_t i = 0; i < fixture->sim.input.function_count * cells->blocks; i++) {
		if (i % cells->blocks < first || i % cells->blocks >= end)
			continue;
		cells->self[1][i] = cells->self[0][i];
		cells->node_self[1][i + cells->blocks] = cells->self[0][i];
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

/* Exact costs: functions of the same size in every block; the first one differs in head. */
static void draw_exact(struct fixture *fixture, double base, double increase)
{
	struct sim_cells *cells = &fixture->sim.cells;
	size_t functions = fixture->sim.input.function_count;
	double rest = (1 - base) / (double)(functions - 1);

	for (size_t i = 0; i < functions * cells->blocks; i++) {
		bool first = i < cells->blocks;

		for (int arm = 0; arm < 2; arm++) {
			double x = (first ? base : rest) + (first && arm ? increase : 0);

			cells->self[arm][i] = (struct verdict_cell){x, 0, 100};
			cells->node_self[arm][i + cells->blocks] = cells->self[arm][i];
			cells->total[arm][i % cells->blocks] = 1 + arm * increase;
		}
	}
	sim_add_up(&fixture->sim);
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
		assert_int_equal(fixture->result.bad_block, 7);
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
	assert_int_equal(fixture->result.bad_block, 39);
}

static void test_too_few_blocks_cannot_be_decided(void **state)
{
	struct fixture *fixture = *state;

	fixture->config.stage1 = 7;
	fixture_draw(fixture, 1);
	assert_refused(fixture, VERDICT_REASON_FEW_BLOCKS_STAGE1);
	fixture->config.stage1 = 16;
	fixture->config.stage2 = 7;
	fixture_draw(fixture, 1);
	assert_refused(fixture, VERDICT_REASON_FEW_BLOCKS_STAGE2);
	fixture->sim.input.blocks = fixture->sim.input.stage1_blocks = 0;
	assert_refused(fixture, VERDICT_REASON_NO_BLOCKS);
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

static void drop_samples(struct fixture *fixture, int arm, double keep)
{
	struct sim_cells *cells = &fixture->sim.cells;

	for (size_t i = 0; i < fixture->sim.input.function_count * cells->blocks; i++) {
		struct verdict_cell *cell = &cells->self[arm][i];

		cell->x *= keep;
		cell->squares *= keep;
		cell->samples *= keep;
		cells->node_self[arm][i + cells->blocks] = *cell;
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

static void test_outlier_blocks_are_dropped(void **state)
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

/* Of 8 + 8 blocks with plain noise hardly any is an outlier; one that took thrice as long is. */
static void test_few_blocks_are_not_thrown_away(void **state)
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
	for (int arm = 0; arm < 2; arm++) {
		work[arm] = arena_array(&fixture->arena, 40, sizeof(double));
		for (size_t b = 0; b < 40; b++)
			work[arm][b] = arm ? 1030 : 1000;
		fixture->sim.input.work[arm] = work[arm];
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

	fixture->config.change = SIM_UNIFORM;
	fixture->config.size = 0.05;
	fixture_draw(fixture, 4);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_TOTAL));
	assert_true(has_reason(fixture, VERDICT_REASON_SPREAD));
	assert_int_equal(fixture->result.culprit_count, 0);
	assert_true(fixture->result.total.explained > 0.5);
	fixture->config.size = 1; /* twice as slow is still spread */
	fixture_draw(fixture, 4);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_SPREAD));
	assert_int_equal(fixture->result.culprit_count, 0);
}

static void test_one_layout_excuses_a_small_growth_everywhere(void **state)
{
	struct fixture *fixture = *state;

	fixture->config.change = SIM_UNIFORM;
	fixture->config.size = 0.02;
	fixture_draw(fixture, 4);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_LAYOUT));
	assert_int_equal(fixture->result.total.state, VERDICT_EXONERATED);
	fixture->sim.input.policy.layouts = 8;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.total.state, VERDICT_CONFIRMED);
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
	assert_int_equal(fixture->result.total.state, VERDICT_EXONERATED);
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

static void test_increase_that_the_total_contradicts_is_vetoed(void **state)
{
	struct fixture *fixture = *state;

	for (size_t b = 0; b < 40; b++)
		fixture->sim.cells.total[1][b] /= 1.03;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(fixture->result.functions[fixture->sim.planted].state, VERDICT_VETOED);
	assert_true(has_reason(fixture, VERDICT_REASON_VETOED));
}

static void test_renamed_function_is_a_shift_from_the_old_name(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_shift *shift;

	fixture->config.change = SIM_RENAME;
	fixture->config.size = 1;
	fixture_draw(fixture, 6);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_SHIFTED));
	assert_int_equal(fixture->result.functions[fixture->sim.other].state, VERDICT_SHIFTED);
	shift = &fixture->result.shifts[0];
	assert_int_equal(shift->function, fixture->sim.other);
	assert_int_equal(shift->from, fixture->sim.planted);
	assert_true(fabs(shift->net) < 0.3 * shift->moved);
	assert_int_equal(fixture->result.improvement_count, 0);
}

static void test_regression_beside_a_refactor_is_still_blamed(void **state)
{
	struct fixture *fixture = *state;
	struct sim_cells *cells = &fixture->sim.cells;
	uint32_t slow;

	fixture->config.change = SIM_RENAME;
	fixture->config.size = 1;
	fixture_draw(fixture, 6);
	slow = (fixture->sim.planted + 40) % 80;
	for (size_t b = 0; b < 40; b++) {
		struct verdict_cell *cell = &cells->self[1][slow * 40 + b];

		cell->x += 0.08;
		cell->samples += 80;
		cell->squares += 8e-5;
		cells->node_self[1][(slow + 1) * 40 + b] = *cell;
		cells->total[1][b] += 0.08;
	}
	sim_add_up(&fixture->sim);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_SHIFTED));
	assert_int_equal(fixture->result.culprit_count, 1);
	assert_int_equal(fixture->result.culprits[0].function, slow);
	assert_int_equal(fixture->result.functions[fixture->sim.other].state, VERDICT_SHIFTED);
}

/* Adds so many seconds (or takes them away) to what a function costs in head. */
static void add_to_head(struct fixture *fixture, uint32_t function, double seconds)
{
	struct sim_cells *cells = &fixture->sim.cells;

	for (size_t b = 0; b < 40; b++) {
		struct verdict_cell *cell = &cells->self[1][function * 40 + b];

		cell->x += seconds;
		cell->samples += seconds * 1000;
		cell->squares += seconds / 1000;
		cells->node_self[1][(function + 1) * 40 + b] = *cell;
		cells->total[1][b] += seconds;
	}
	sim_add_up(&fixture->sim);
}

static size_t count_states(const struct fixture *fixture, enum verdict_state state)
{
	size_t count = 0;

	for (size_t f = 0; f < fixture->sim.input.function_count; f++)
		count += fixture->result.functions[f].state == state;
	return count;
}

static uint32_t hottest(const struct fixture *fixture)
{
	const double *base = fixture->sim.true_base;
	uint32_t found = 0;

	for (uint32_t f = 1; f < fixture->config.functions; f++)
		if (base[f] > base[found])
			found = f;
	return found;
}

/* The i-th of those that are not the hottest. */
static uint32_t other_function(const struct fixture *fixture, uint32_t i)
{
	return (hottest(fixture) + 20 + i) % (uint32_t)fixture->config.functions;
}

/* The hottest function loses 5 % of the total; others gain `each`, the last one a little more. */
static void draw_replaced(struct fixture *fixture, uint32_t others, double each)
{
	fixture->config.change = SIM_NONE;
	fixture_draw(fixture, 3);
	add_to_head(fixture, hottest(fixture), -0.05);
	for (uint32_t i = 0; i < others; i++)
		add_to_head(fixture, other_function(fixture, i), each + 0.001 * i);
}

static void test_one_decrease_does_not_make_up_for_several_increases(void **state)
{
	struct fixture *fixture = *state;
	size_t counted;

	draw_replaced(fixture, 4, 0.06);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_FUNCTION));
	assert_int_equal(
		fixture->result.functions[other_function(fixture, 3)].state, VERDICT_CONFIRMED);
	counted = count_states(fixture, VERDICT_CONFIRMED);
	assert_int_equal(counted + count_states(fixture, VERDICT_SHIFTED), 4);
	assert_true(counted > 1 && fixture->result.culprit_count > 0);
}

static void test_one_decrease_makes_up_for_the_parts_that_it_was_split_into(void **state)
{
	struct fixture *fixture = *state;

	draw_replaced(fixture, 4, 0.0125);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(count_states(fixture, VERDICT_CONFIRMED), 0);
	assert_int_equal(count_states(fixture, VERDICT_SHIFTED), 4);
}

static void test_what_moved_is_still_a_shift_beside_a_regression(void **state)
{
	struct fixture *fixture = *state;

	draw_replaced(fixture, 2, 0.025);
	add_to_head(fixture, other_function(fixture, 40), 0.15);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(
		fixture->result.functions[other_function(fixture, 40)].state, VERDICT_CONFIRMED);
	assert_int_equal(count_states(fixture, VERDICT_SHIFTED), 2);
	assert_int_equal(fixture->result.culprit_count, 1);
}

/* Of the function of rank 1, which has 12 % of the total; everybody's code is the same. */
static void draw_same_code(struct fixture *fixture, double size)
{
	fixture->config.rank_low = fixture->config.rank_high = 1;
	fixture->config.size = size;
	fixture_draw(fixture, 1);
	memset(fixture->sim.flags, VERDICT_FUNCTION_SAME_CODE, fixture->sim.input.function_count);
}

static void test_same_code_is_exonerated_unless_a_changed_caller_explains_it(void **state)
{
	struct fixture *fixture = *state;
	struct sim *sim = &fixture->sim;

	draw_same_code(fixture, 0.03);
	memset(sim->flags, VERDICT_FUNCTION_SAME_CODE, sim->input.function_count);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_int_equal(fixture->result.functions[sim->planted].state, VERDICT_EXONERATED);
	assert_true(has_reason(fixture, VERDICT_REASON_EXONERATED));
	/* its caller changed, and it may well be called more often */
	sim->flags[sim->input.node_function[sim->input.node_parent[sim->planted + 1]]] =
		VERDICT_FUNCTION_TOUCHED;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.culprits[0].function, sim->planted);
	assert_int_equal(fixture->result.culprits[0].kind, VERDICT_BLAME_CALLED);
	assert_true(fixture->result.culprits[0].caller_first);
}

/* 0.055 is nearly half of its base cost: a place in memory may explain two thirds. */
static void test_same_code_that_grew_far_more_than_its_place_explains_fails(void **state)
{
	struct fixture *fixture = *state;

	draw_same_code(fixture, 0.055);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_EXONERATED));
	draw_same_code(fixture, 0.1);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_SAME_CODE));
	assert_false(has_reason(fixture, VERDICT_REASON_EXONERATED));
	assert_int_equal(fixture->result.functions[fixture->sim.planted].state, VERDICT_CONFIRMED);
	assert_int_equal(fixture->result.culprits[0].function, fixture->sim.planted);
	/* four layouts each have averaged that to a quarter */
	draw_same_code(fixture, 0.055);
	fixture->sim.input.policy.layouts = 4;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	draw_same_code(fixture, 0.026);
	fixture->sim.input.policy.layouts = 8;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_EXONERATED));
}

/* A function of 0.4 % that doubles is 0.4 % of the total: alignment alone can do that. */
static void test_same_code_of_little_cost_is_excused_whatever_it_does(void **state)
{
	struct fixture *fixture = *state;

	fixture->sim.input.node_count = 0;
	fixture->sim.input.function_flags = fixture->sim.flags;
	memset(fixture->sim.flags, VERDICT_FUNCTION_SAME_CODE, fixture->sim.input.function_count);
	draw_exact(fixture, 0.004, 0.009);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_EXONERATED));
	draw_exact(fixture, 0.004, 0.011);
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_SAME_CODE));
}

static void set_cells(struct fixture *fixture, size_t f, double base, double head)
{
	struct sim_cells *cells = &fixture->sim.cells;

	for (size_t b = 0; b < cells->blocks; b++)
		for (int arm = 0; arm < 2; arm++) {
			double x = arm ? head : base;

			cells->self[arm][f * cells->blocks + b] =
				(struct verdict_cell){x, x / 1000, x * 1000};
		}
}

/* Chance takes from some what it gives to others: only what counts is counted, up and down. */
static void test_what_the_same_code_did_does_not_hide_what_changed_code_did(void **state)
{
	struct fixture *fixture = *state;
	uint32_t planted = fixture->sim.planted;

	memset(fixture->sim.flags, VERDICT_FUNCTION_SAME_CODE, fixture->sim.input.function_count);
	fixture->sim.flags[planted] = VERDICT_FUNCTION_CHANGED_CODE;
	fixture->sim.input.policy.layouts = 8;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.culprits[0].function, planted);
	assert_true(fixture->result.total.explained > 0.85);
}

/* A script has changed: its interpreter lies where it lay. */
static void test_one_build_in_both_arms_excuses_nobody(void **state)
{
	struct fixture *fixture = *state;

	draw_same_code(fixture, 0.03);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	fixture->sim.input.policy.same_build = true;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_true(has_reason(fixture, VERDICT_REASON_SAME_CODE));
	assert_int_equal(fixture->result.culprits[0].function, fixture->sim.planted);
	/* nor is anything allowed for the layout */
	fixture->config.change = SIM_UNIFORM;
	fixture->config.size = 0.02;
	fixture_draw(fixture, 4);
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_LAYOUT));
	fixture->sim.input.policy.same_build = true;
	assert_int_equal(decide(fixture), VERDICT_REGRESSION);
	assert_int_equal(fixture->result.total.state, VERDICT_CONFIRMED);
}

/* Each is within its bound; places of their own do not add up to this. */
static void test_same_code_that_grew_everywhere_fails_by_the_total(void **state)
{
	struct fixture *fixture = *state;

	fixture->config.change = SIM_UNIFORM;
	for (int tree = 1; tree >= 0; tree--) {
		fixture->config.size = 0.1;
		fixture_draw(fixture, 4);
		memset(fixture->sim.flags, VERDICT_FUNCTION_SAME_CODE,
			fixture->sim.input.function_count);
		fixture->sim.input.node_count *= (size_t)tree;
		assert_int_equal(decide(fixture), VERDICT_PASS);
		assert_true(has_reason(fixture, VERDICT_REASON_TOTAL_UNEXPLAINED));
		fixture->config.size = 0.25;
		fixture_draw(fixture, 4);
		memset(fixture->sim.flags, VERDICT_FUNCTION_SAME_CODE,
			fixture->sim.input.function_count);
		fixture->sim.input.node_count *= (size_t)tree;
		assert_int_equal(decide(fixture), VERDICT_REGRESSION);
		assert_true(has_reason(fixture, VERDICT_REASON_TOTAL));
		assert_true(has_reason(fixture, VERDICT_REASON_SAME_CODE));
	}
}

/* That the code is the same is known of one; for the others one layout is allowed as before. */
static void test_layout_is_allowed_for_where_code_is_not_known(void **state)
{
	struct fixture *fixture = *state;

	fixture->config.change = SIM_UNIFORM;
	fixture->config.size = 0.02;
	fixture_draw(fixture, 4);
	fixture->sim.flags[fixture->sim.planted] |= VERDICT_FUNCTION_SAME_CODE;
	assert_int_equal(decide(fixture), VERDICT_PASS);
	assert_true(has_reason(fixture, VERDICT_REASON_LAYOUT));
}

/* One grows by what ten others lose, none of them clearly; the total stays. */
static void draw_pieces(struct fixture *fixture)
{
	fixture->sim.input.node_count = 0;
	fixture->sim.input.function_file = NULL;
	for (size_t f = 0; f < 80; f++)
		set_cells(fixture, f, 0.0125, 0.0125);
	set_cells(fixture, 0, 0.0125, 0.0265);
	for (size_t f = 1; f <= 10; f++)
		set_cells(fixture, f, 0.0125, 0.0111);
	for (int arm = 0; arm < 2; arm++)
		for (size_t b = 0; b < 40; b++)
			fixture->sim.cells.total[arm][b] = 1;
}

static void test_changed_code_explains_what_moved_in_pieces(void **state)
{
	static const uint8_t explains[] = {VERDICT_FUNCTION_TOUCHED, VERDICT_FUNCTION_CHANGED_CODE};
	struct fixture *fixture = *state;

	draw_pieces(fixture);
	memset(fixture->sim.flags, 0, 80);
	decide(fixture);
	assert_int_equal(fixture->result.functions[0].state, VERDICT_VETOED);
	for (size_t i = 0; i < 2; i++) {
		memset(fixture->sim.flags, 0, 80);
		memset(fixture->sim.flags + 1, explains[i], 10);
		decide(fixture);
		assert_int_equal(fixture->result.functions[0].state, VERDICT_SHIFTED);
		assert_int_equal(
			fixture->result.shifts[0].compensator, VERDICT_COMPENSATOR_TOUCHED);
	}
	/* that some code is the same makes the rest no changed code */
	memset(fixture->sim.flags, 0, 80);
	memset(fixture->sim.flags + 40, VERDICT_FUNCTION_SAME_CODE, 20);
	decide(fixture);
	assert_int_equal(fixture->result.functions[0].state, VERDICT_VETOED);
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

static void test_unreachable_alpha_is_said(void **state)
{
	struct fixture *fixture = *state;

	fixture->config.stage2 = 8;
	fixture_draw(fixture, 1);
	fixture->sim.input.policy.benchmarks_in_gate = 50;
	decide(fixture);
	assert_true(fixture->result.total.alpha_stage[1] < fixture->result.total.floor_stage[1]);
	assert_true(!fixture->result.total.flagged ||
		    has_reason(fixture, VERDICT_REASON_UNREACHABLE_STAGE2));
	assert_true(isinf(fixture->result.total.mde));
}

static void test_detectable_effect_grows_with_the_share(void **state)
{
	struct fixture *fixture = *state;
	double last = 0;

	decide(fixture);
	for (double share = 0.001; share < 0.5; share *= 2) {
		double mde = verdict_mde(&fixture->result.power, share);

		assert_true(mde >= last && mde < 0.2);
		last = mde;
	}
}

/* What is allowed for one layout has to be exceeded by calls and the total, not by a function. */
static void test_detectable_effect_knows_what_is_allowed_for_one_layout(void **state)
{
	struct fixture *fixture = *state;
	double total, called, self;

	fixture->config.change = SIM_NONE;
	fixture_draw(fixture, 2);
	fixture->sim.input.policy.layouts = 8;
	decide(fixture);
	total = fixture->result.total.mde;
	called = verdict_mde_called(&fixture->result.power, 0.3);
	self = verdict_mde(&fixture->result.power, 0.01);
	fixture->sim.input.policy.layouts = 1;
	decide(fixture);
	assert_true(fixture->result.total.mde > total + 0.005);
	assert_true(fixture->result.total.mde > fixture->result.power.total.allowance);
	assert_true(verdict_mde_called(&fixture->result.power, 0.3) > called + 0.005);
	assert_true(fabs(verdict_mde(&fixture->result.power, 0.01) - self) < 1e-9);
}

/* The total's test sees what the hottest function's own cannot. */
static void test_detectable_effect_is_never_above_the_totals(void **state)
{
	struct fixture *fixture = *state;
	double total;

	fixture->config.change = SIM_NONE;
	fixture_draw(fixture, 2);
	decide(fixture);
	total = fixture->result.total.mde;
	assert_true(total > 0 && total < 0.05);
	for (double share = 0.001; share < 1; share *= 2) {
		assert_true(verdict_mde(&fixture->result.power, share) <= total * 1.0001);
		assert_true(verdict_mde_called(&fixture->result.power, share) <= total * 1.0001);
	}
	/* and a small function's own sees less than the total's */
	assert_true(verdict_mde(&fixture->result.power, 0.002) < 0.7 * total);
	assert_true(verdict_mde_called(&fixture->result.power, 0.002) < 0.7 * total);
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

#define RULE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
		RULE(test_broken_numbers_cannot_be_decided),
		RULE(test_zero_total_cannot_be_decided),
		RULE(test_too_few_blocks_cannot_be_decided),
		RULE(test_broken_tree_and_policy_cannot_be_decided),
		RULE(test_lost_samples_cannot_be_decided),
		RULE(test_outlier_blocks_are_dropped),
		RULE(test_few_blocks_are_not_thrown_away),
		RULE(test_counted_work_is_divided_out),
		RULE(test_proportional_growth_is_called_spread),
		RULE(test_one_layout_excuses_a_small_growth_everywhere),
		RULE(test_total_without_growing_functions_is_a_warning),
		RULE(test_few_samples_do_not_contradict_the_clock),
		RULE(test_increase_that_the_total_contradicts_is_vetoed),
		RULE(test_renamed_function_is_a_shift_from_the_old_name),
		RULE(test_one_decrease_does_not_make_up_for_several_increases),
		RULE(test_one_decrease_makes_up_for_the_parts_that_it_was_split_into),
		RULE(test_what_moved_is_still_a_shift_beside_a_regression),
		RULE(test_regression_beside_a_refactor_is_still_blamed),
		RULE(test_same_code_is_exonerated_unless_a_changed_caller_explains_it),
		RULE(test_same_code_that_grew_far_more_than_its_place_explains_fails),
		RULE(test_same_code_of_little_cost_is_excused_whatever_it_does),
		RULE(test_what_the_same_code_did_does_not_hide_what_changed_code_did),
		RULE(test_one_build_in_both_arms_excuses_nobody),
		RULE(test_same_code_that_grew_everywhere_fails_by_the_total),
		RULE(test_layout_is_allowed_for_where_code_is_not_known),
		RULE(test_changed_code_explains_what_moved_in_pieces),
		RULE(test_decides_without_a_call_tree),
		RULE(test_unreachable_alpha_is_said),
		RULE(test_detectable_effect_grows_with_the_share),
		RULE(test_detectable_effect_knows_what_is_allowed_for_one_layout),
		RULE(test_detectable_effect_is_never_above_the_totals),
		RULE(test_every_reason_and_compensator_has_its_own_text),
	};

	return cmocka_run_group_tests_name("verdict rules", tests, NULL, NULL);
}
