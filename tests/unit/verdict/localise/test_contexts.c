/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One function in many contexts, and recursion: trees drawn by hand, costs sampled.
 *
 * node      0 root
 *           1   main
 *           2     alpha            5     beta             8     log
 *           3       parse          6       parse
 *           4         copy         7         copy
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/verdict/localise/edges.h"
#include "tests/unit/verdict/sim.h"

enum { MAIN, ALPHA, BETA, PARSE, COPY, LOG, FUNCTIONS };
enum { NODES = 9, PAIRS = 40, RATE = 1000 };

static const uint32_t parents[NODES] = {0, 0, 1, 2, 3, 1, 5, 6, 1};
static const uint32_t functions[NODES] = {
	VERDICT_NONE, MAIN, ALPHA, PARSE, COPY, BETA, PARSE, COPY, LOG};
static const double costs[NODES] = {0, .05, .05, .10, .08, .05, .12, .10, .45};

struct drawing {
	struct verdict_cell self[2][FUNCTIONS * PAIRS];
	struct verdict_cell node_self[2][NODES * PAIRS], node_total[2][NODES * PAIRS];
	double total[2][PAIRS];
	const double *base;   /* NULL: costs */
	const uint8_t *flags; /* NULL: none */
	struct verdict_input input;
	struct verdict_result result;
	struct arena arena;
};

static void add(struct verdict_cell *to, const struct verdict_cell *from)
{
	to->x += from->x;
	to->squares += from->squares;
	to->samples += from->samples;
}

static void draw_node(struct drawing *drawing, struct sim_rng *rng, int version, size_t pair,
	size_t v, double seconds)
{
	double count = sim_poisson(rng, seconds * RATE);
	struct verdict_cell cell = {count / RATE, count / RATE / RATE, count};

	drawing->node_self[version][v * PAIRS + pair] = cell;
	drawing->total[version][pair] += seconds;
	if (functions[v] != VERDICT_NONE)
		add(&drawing->self[version][functions[v] * PAIRS + pair], &cell);
	for (size_t up = v;; up = parents[up]) {
		add(&drawing->node_total[version][up * PAIRS + pair], &cell);
		if (up == 0)
			break;
	}
}

static void decide(struct drawing *drawing, const double head[NODES], uint64_t seed)
{
	struct sim_rng rng;
	struct verdict_input *input = &drawing->input;
	const double *base = drawing->base ? drawing->base : costs;

	memset(drawing->self, 0, sizeof(drawing->self));
	memset(drawing->node_total, 0, sizeof(drawing->node_total));
	memset(drawing->total, 0, sizeof(drawing->total));
	sim_rng_seed(&rng, seed);
	for (size_t b = 0; b < PAIRS; b++)
		for (size_t v = 0; v < NODES; v++) {
			draw_node(drawing, &rng, 0, b, v, base[v]);
			draw_node(drawing, &rng, 1, b, v, head[v]);
		}
	*input = (struct verdict_input){
		.policy = verdict_policy_default(true),
		.pairs = PAIRS,
		.stage1_pairs = 16,
		.function_count = FUNCTIONS,
		.node_count = NODES,
		.node_parent = parents,
		.node_function = functions,
		.function_flags = drawing->flags,
	};
	for (int version = 0; version < 2; version++) {
		input->total[version] = drawing->total[version];
		input->self[version] = drawing->self[version];
		input->node_self[version] = drawing->node_self[version];
		input->node_total[version] = drawing->node_total[version];
	}
	verdict_decide(input, &drawing->arena, &drawing->result);
}

static int setup(void **state)
{
	static struct drawing drawing;

	memset(&drawing, 0, sizeof(drawing));
	*state = &drawing;
	return 0;
}

static int teardown(void **state)
{
	struct drawing *drawing = *state;

	arena_release(&drawing->arena);
	return 0;
}

static void test_function_slower_in_every_context_is_one_culprit(void **state)
{
	struct drawing *drawing = *state;
	const struct verdict_culprit *culprit;
	double head[NODES];

	memcpy(head, costs, sizeof(head));
	head[4] *= 1.3;
	head[7] *= 1.3;
	decide(drawing, head, 1);
	assert_int_equal(drawing->result.status, VERDICT_REGRESSION);
	assert_int_equal(drawing->result.culprit_count, 1);
	culprit = &drawing->result.culprits[0];
	assert_int_equal(culprit->kind, VERDICT_BLAME_SELF);
	assert_int_equal(culprit->function, COPY);
	assert_int_equal(culprit->node, 7);
	assert_true(culprit->low < 0.053 && culprit->high > 0.053);
}

static void test_more_calls_in_every_context_are_one_edge(void **state)
{
	struct drawing *drawing = *state;
	static const size_t below_alpha[] = {3, 4};
	const struct verdict_culprit *culprit;
	double head[NODES];

	memcpy(head, costs, sizeof(head));
	for (size_t i = 0; i < 2; i++)
		head[below_alpha[i]] *= 1.4;
	decide(drawing, head, 2);
	assert_int_equal(drawing->result.status, VERDICT_REGRESSION);
	culprit = &drawing->result.culprits[0];
	assert_int_equal(culprit->kind, VERDICT_BLAME_CALLED);
	assert_int_equal(culprit->function, PARSE);
	assert_int_equal(culprit->node, 3);
	assert_int_equal(culprit->caller_node, 2);
	assert_int_equal(drawing->result.cause_count, 1);
	/* with what grew below it */
	assert_int_equal(drawing->result.culprit_count, 2);
	assert_int_equal(drawing->result.culprits[1].function, COPY);
	assert_int_equal(drawing->result.culprits[1].kind, VERDICT_BLAME_CARRIED);
	assert_int_equal(drawing->result.culprits[1].cause, 0);
}

static void test_two_regressions_are_two_culprits_in_order_of_size(void **state)
{
	struct drawing *drawing = *state;
	double head[NODES];

	memcpy(head, costs, sizeof(head));
	head[2] += 0.04;
	head[8] += 0.08;
	decide(drawing, head, 3);
	assert_int_equal(drawing->result.status, VERDICT_REGRESSION);
	assert_int_equal(drawing->result.culprit_count, 2);
	assert_int_equal(drawing->result.culprits[0].function, LOG);
	assert_int_equal(drawing->result.culprits[1].function, ALPHA);
	assert_true(drawing->result.culprits[0].explained + drawing->result.culprits[1].explained <
		    1 + 1e-9);
}

static void test_unchanged_contexts_pass(void **state)
{
	struct drawing *drawing = *state;

	decide(drawing, costs, 4);
	assert_int_equal(drawing->result.status, VERDICT_PASS);
}

/* Four of five calls of parse come from beta instead of alpha. */
static void move_calls(double head[NODES])
{
	memcpy(head, costs, sizeof(costs));
	for (size_t i = 0; i < 2; i++) {
		head[6 + i] += 0.8 * costs[3 + i];
		head[3 + i] -= 0.8 * costs[3 + i];
	}
}

static void test_call_that_moves_to_another_caller_is_a_shift(void **state)
{
	struct drawing *drawing = *state;
	double head[NODES];

	move_calls(head);
	decide(drawing, head, 5);
	assert_int_equal(drawing->result.status, VERDICT_PASS);
	assert_true(drawing->result.nodes[6].confirmed);
	assert_int_equal(drawing->result.nodes[6].state, VERDICT_SHIFTED);
	assert_true(drawing->result.shift_count > 0);
	for (size_t i = 0; i < drawing->result.shift_count; i++)
		if (drawing->result.shifts[i].node == 6) {
			assert_int_equal(drawing->result.shifts[i].compensator,
				VERDICT_COMPENSATOR_CONTEXTS);
			/* with all below the other call: 0.8 * (0.10 + 0.08), not 0.8 * 0.10 */
			assert_true(drawing->result.shifts[i].compensation < -0.11);
		}
}

/* beta itself grew as well, and fits the picture of a beta that is called more often. */
static void test_new_call_is_blamed_before_who_makes_it(void **state)
{
	static const double base[NODES] = {0, .05, 0, 0, 0, .02, 0, 0, .45};
	static const double head[NODES] = {0, .05, 0, 0, 0, .05, .12, .10, .45};
	static const uint8_t flags[FUNCTIONS] = {
		[PARSE] = VERDICT_FUNCTION_NEW, [COPY] = VERDICT_FUNCTION_NEW};
	struct drawing *drawing = *state;
	const struct verdict_culprit *culprit;

	drawing->base = base;
	drawing->flags = flags;
	decide(drawing, head, 6);
	assert_int_equal(drawing->result.status, VERDICT_REGRESSION);
	culprit = &drawing->result.culprits[0];
	assert_int_equal(culprit->kind, VERDICT_BLAME_CALLED);
	assert_int_equal(culprit->function, PARSE);
	assert_int_equal(culprit->node, 6);
	assert_int_equal(culprit->caller_node, 5);
	assert_true(culprit->base <= 0);
}

/* Beta grew with it, and fits as well; of both the new call has five parts of six, or a third. */
static void test_new_call_is_blamed_where_it_has_most_of_what_its_caller_has(void **state)
{
	static const uint8_t flags[FUNCTIONS] = {
		[PARSE] = VERDICT_FUNCTION_NEW, [COPY] = VERDICT_FUNCTION_NEW};
	static const double base[NODES] = {0, .05, 0, 0, 0, .004, 0, 0, .45};
	static const double most[NODES] = {0, .05, 0, 0, 0, .05, .12, .10, .45};
	static const double less[NODES] = {0, .05, 0, 0, 0, .20, .06, .04, .45};
	struct drawing *drawing = *state;

	drawing->base = base;
	drawing->flags = flags;
	decide(drawing, most, 8);
	assert_int_equal(drawing->result.culprits[0].kind, VERDICT_BLAME_CALLED);
	assert_int_equal(drawing->result.culprits[0].function, PARSE);
	decide(drawing, less, 8);
	assert_int_equal(drawing->result.culprits[0].kind, VERDICT_BLAME_CALLED);
	assert_int_equal(drawing->result.culprits[0].function, BETA);
}

/* All is called more often than before, and most of that are new calls: the largest is named. */
static void test_of_several_new_calls_the_largest_is_blamed(void **state)
{
	static const uint8_t flags[FUNCTIONS] = {
		[PARSE] = VERDICT_FUNCTION_NEW, [COPY] = VERDICT_FUNCTION_NEW};
	static const double base[NODES] = {0, .004, .002, 0, 0, .002, 0, 0, 0};
	static const double head[NODES] = {0, .04, .02, .03, .02, .02, .40, .35, 0};
	struct drawing *drawing = *state;

	drawing->base = base;
	drawing->flags = flags;
	decide(drawing, head, 9);
	assert_int_equal(drawing->result.culprits[0].function, PARSE);
	assert_int_equal(drawing->result.culprits[0].node, 6);
}

/* Where it is made does not matter: both are the one line that makes it. */
static void test_new_call_is_blamed_with_all_its_contexts(void **state)
{
	static const uint8_t flags[FUNCTIONS] = {[COPY] = VERDICT_FUNCTION_NEW};
	static const double base[NODES] = {0, .002, .001, .001, 0, .001, .001, 0, 0};
	static const double head[NODES] = {0, .02, .015, .01, .15, .015, .01, .15, 0};
	struct drawing *drawing = *state;

	drawing->base = base;
	drawing->flags = flags;
	decide(drawing, head, 10);
	assert_int_equal(drawing->result.culprits[0].function, COPY);
	assert_true(drawing->result.culprits[0].change > 1.7 * .15 / .19);
}

/* What moved is told as moved; the blame is for what grew. */
static void test_a_call_that_moved_is_no_culprit_beside_one(void **state)
{
	struct drawing *drawing = *state;
	double head[NODES];

	move_calls(head);
	head[8] += 0.08;
	decide(drawing, head, 6);
	assert_int_equal(drawing->result.status, VERDICT_REGRESSION);
	assert_int_equal(drawing->result.nodes[6].state, VERDICT_SHIFTED);
	assert_int_equal(drawing->result.culprit_count, 1);
	assert_int_equal(drawing->result.culprits[0].function, LOG);
}

/* Neither of both beyond what its place may do, nor the total: but what one call holds of both. */
static void test_a_call_of_the_same_code_grows_beyond_what_its_functions_places_do(void **state)
{
	uint8_t flags[FUNCTIONS];
	struct drawing *drawing = *state;
	double head[NODES];

	memset(flags, VERDICT_FUNCTION_UNCHANGED, sizeof(flags));
	drawing->flags = flags;
	memcpy(head, costs, sizeof(head));
	for (size_t v = 3; v < 8; v++)
		head[v] *= functions[v] == PARSE || functions[v] == COPY ? 1.6 : 1;
	decide(drawing, head, 7);
	assert_int_equal(drawing->result.status, VERDICT_REGRESSION);
	assert_true(drawing->result.reasons & VERDICT_REASON_UNCHANGED_GREW);
	assert_int_equal(drawing->result.functions[PARSE].state, VERDICT_CONFIRMED);
	assert_int_equal(drawing->result.functions[COPY].state, VERDICT_CONFIRMED);
	/* one of both alone is excused */
	head[4] = costs[4];
	head[7] = costs[7];
	decide(drawing, head, 7);
	assert_int_equal(drawing->result.status, VERDICT_PASS);
	assert_int_equal(drawing->result.functions[PARSE].state, VERDICT_UNCHANGED_CODE);
}

/* Copy grew, below parse, which alpha calls: the less of that is parse, the likelier more calls. */
static enum verdict_state state_below_a_changed_caller(
	struct drawing *drawing, double parse, uint64_t seed)
{
	static const uint8_t flags[FUNCTIONS] = {VERDICT_FUNCTION_UNCHANGED,
		VERDICT_FUNCTION_CHANGED_CODE, VERDICT_FUNCTION_UNCHANGED,
		VERDICT_FUNCTION_UNCHANGED, VERDICT_FUNCTION_UNCHANGED, VERDICT_FUNCTION_UNCHANGED};
	double base[NODES], head[NODES];

	memcpy(base, costs, sizeof(base));
	base[3] = parse;
	memcpy(head, base, sizeof(head));
	head[4] *= 1.4;
	drawing->base = base;
	drawing->flags = flags;
	decide(drawing, head, seed);
	return drawing->result.functions[COPY].state;
}

static void test_same_code_is_excused_unless_more_calls_fit_nearly_as_well(void **state)
{
	size_t excused[2] = {0, 0};

	for (uint64_t seed = 1; seed <= 20; seed++) {
		excused[0] +=
			state_below_a_changed_caller(*state, 0.02, seed) == VERDICT_UNCHANGED_CODE;
		excused[1] +=
			state_below_a_changed_caller(*state, 0.001, seed) == VERDICT_UNCHANGED_CODE;
	}
	assert_in_range(excused[0], 18, 20);
	assert_in_range(excused[1], 0, 6);
}

/* Copy more than doubles; of parse above it there is little, which grows too, or much that does
 * not: more calls fit best, or copy by its own. */
static const struct verdict_culprit *blame_below_alpha(
	struct drawing *drawing, const uint8_t *flags, bool calls, uint64_t seed)
{
	static const double less[NODES] = {0, .05, .05, .008, .08, .05, 0, 0, .45};
	static const double more[NODES] = {0, .05, .05, .15, .08, .05, 0, 0, .45};
	double head[NODES];

	drawing->base = calls ? less : more;
	memcpy(head, drawing->base, sizeof(head));
	head[3] *= calls ? 1.8 : 1;
	head[4] *= 2.6;
	drawing->flags = flags;
	decide(drawing, head, seed);
	assert_int_equal(drawing->result.status, VERDICT_REGRESSION);
	assert_true(drawing->result.culprit_count > 0);
	return drawing->result.culprits;
}

static void test_what_a_changed_caller_calls_more_often_does_not_work_on_something_else(
	void **state)
{
	static const uint8_t flags[FUNCTIONS] = {VERDICT_FUNCTION_UNCHANGED,
		VERDICT_FUNCTION_CHANGED_CODE | VERDICT_FUNCTION_TOUCHED,
		VERDICT_FUNCTION_UNCHANGED, VERDICT_FUNCTION_UNCHANGED, VERDICT_FUNCTION_UNCHANGED,
		VERDICT_FUNCTION_UNCHANGED};
	struct drawing *drawing = *state;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		bool calls = seed % 2;
		const struct verdict_culprit *culprits =
			blame_below_alpha(drawing, flags, calls, seed);

		for (size_t i = 0; i < drawing->result.culprit_count; i++)
			assert_true((culprits[i].kind != VERDICT_BLAME_SELF) == calls);
		assert_true(
			((drawing->result.reasons & VERDICT_REASON_UNCHANGED_GREW) != 0) == !calls);
	}
}

/* Nobody's code has changed: more calls are what it works on, too. */
static void test_what_the_same_code_calls_more_often_works_on_something_else(void **state)
{
	struct drawing *drawing = *state;
	uint8_t flags[FUNCTIONS];

	memset(flags, VERDICT_FUNCTION_UNCHANGED, sizeof(flags));
	for (uint64_t seed = 1; seed <= 20; seed++) {
		blame_below_alpha(drawing, flags, true, seed);
		assert_true(drawing->result.reasons & VERDICT_REASON_UNCHANGED_GREW);
	}
}

/* Alpha and log have changed. */
static const uint8_t changed_alpha[FUNCTIONS] = {[MAIN] = VERDICT_FUNCTION_UNCHANGED,
	[ALPHA] = VERDICT_FUNCTION_CHANGED_CODE,
	[BETA] = VERDICT_FUNCTION_UNCHANGED,
	[PARSE] = VERDICT_FUNCTION_UNCHANGED,
	[COPY] = VERDICT_FUNCTION_UNCHANGED,
	[LOG] = VERDICT_FUNCTION_CHANGED_CODE};

/* Alpha calls copy less, beta as often as before: in one of its contexts the change reached it. */
static void test_what_the_change_reached_in_one_context_makes_up_for_an_increase(void **state)
{
	struct drawing *drawing = *state;
	double head[NODES];

	memcpy(head, costs, sizeof(head));
	head[4] -= 0.06;
	head[8] += 0.06;
	drawing->flags = changed_alpha;
	decide(drawing, head, 12);
	assert_int_equal(drawing->result.status, VERDICT_PASS);
	assert_int_equal(drawing->result.functions[LOG].state, VERDICT_SHIFTED);
}

/* Half of both increases is more than parse lost; beta's decrease is not the change's. */
static void test_what_the_change_cannot_have_reached_bears_no_part_of_several(void **state)
{
	static const double base[NODES] = {0, .05, .05, .10, .08, .05, .12, .10, .10};
	struct drawing *drawing = *state;
	double head[NODES];

	memcpy(head, base, sizeof(head));
	head[2] += 0.045;
	head[8] += 0.045;
	head[3] -= 0.03;
	head[5] -= 0.03;
	drawing->base = base;
	drawing->flags = changed_alpha;
	decide(drawing, head, 13);
	assert_int_equal(drawing->result.status, VERDICT_REGRESSION);
	assert_int_equal((drawing->result.functions[ALPHA].state == VERDICT_CONFIRMED) +
				 (drawing->result.functions[LOG].state == VERDICT_CONFIRMED),
		1);
}

/* As little as the gate confirms. */
static void test_a_small_regression_is_blamed(void **state)
{
	struct drawing *drawing = *state;
	double head[NODES];

	memcpy(head, costs, sizeof(head));
	head[2] += 0.012;
	decide(drawing, head, 11);
	assert_int_equal(drawing->result.status, VERDICT_REGRESSION);
	assert_int_equal(drawing->result.culprit_count, 1);
	assert_int_equal(drawing->result.culprits[0].function, ALPHA);
	assert_true(drawing->result.culprits[0].log_likelihood < 40);
}

/* root - f - g - f - g: the inner pair is the same edge again, and its cost must count once. */
static void test_recursion_counts_an_edge_once(void **state)
{
	static uint32_t up[] = {VERDICT_NONE, 0, 1, 2, 3, 1};
	static const uint32_t function[] = {VERDICT_NONE, 7, 8, 7, 8, 8};
	static const bool expected[] = {true, true, true, true, false, true};
	struct tree tree = {.real = true, .count = 6, .parent = up, .function = function};
	struct arena arena = ARENA_INIT;
	uint32_t edge[6];
	bool outermost[6];
	size_t edges = edges_number(&tree, &arena, edge);

	(void)state;
	edges_outermost(&tree, edge, edges, &arena, outermost);
	assert_int_equal(edges, 4); /* none-root, root-f, f-g, g-f */
	assert_int_equal(edge[2], edge[4]);
	assert_int_equal(edge[2], edge[5]);
	assert_int_not_equal(edge[1], edge[3]);
	for (size_t v = 0; v < 6; v++)
		assert_int_equal(outermost[v], expected[v]);
	arena_release(&arena);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_function_slower_in_every_context_is_one_culprit),
		CASE(test_more_calls_in_every_context_are_one_edge),
		CASE(test_two_regressions_are_two_culprits_in_order_of_size),
		CASE(test_unchanged_contexts_pass),
		CASE(test_call_that_moves_to_another_caller_is_a_shift),
		CASE(test_new_call_is_blamed_before_who_makes_it),
		CASE(test_new_call_is_blamed_where_it_has_most_of_what_its_caller_has),
		CASE(test_of_several_new_calls_the_largest_is_blamed),
		CASE(test_new_call_is_blamed_with_all_its_contexts),
		CASE(test_a_call_that_moved_is_no_culprit_beside_one),
		CASE(test_a_call_of_the_same_code_grows_beyond_what_its_functions_places_do),
		CASE(test_same_code_is_excused_unless_more_calls_fit_nearly_as_well),
		CASE(test_what_a_changed_caller_calls_more_often_does_not_work_on_something_else),
		CASE(test_what_the_same_code_calls_more_often_works_on_something_else),
		CASE(test_what_the_change_reached_in_one_context_makes_up_for_an_increase),
		CASE(test_what_the_change_cannot_have_reached_bears_no_part_of_several),
		CASE(test_a_small_regression_is_blamed),
		cmocka_unit_test(test_recursion_counts_an_edge_once),
	};

	return cmocka_run_group_tests_name("verdict contexts", tests, NULL, NULL);
}
