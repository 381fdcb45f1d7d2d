/* SPDX-License-Identifier: Apache-2.0 */
/* What one layout is allowed: sums over functions, each of which has one place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/verdict/localise/unchanged.h"

enum { FUNCTIONS = 3, NODES = 5 };

/* root - 0 - 1 - 2, 0 - 1: function 1 in two contexts. */
static uint32_t ends[NODES] = {5, 5, 4, 4, 5};
static const uint32_t functions[NODES] = {VERDICT_NONE, 0, 1, 2, 1};

struct fixture {
	struct verdict_input input;
	struct gate gate;
	struct tree tree;
	struct unchanged unchanged;
	struct moments node[NODES], function[FUNCTIONS];
	bool alike[FUNCTIONS], excused[FUNCTIONS];
	double part[2][FUNCTIONS];
};

static int set_up(void **state)
{
	static struct fixture f;

	f = (struct fixture){.input = {.function_count = FUNCTIONS, .node_count = NODES}};
	f.input.policy = verdict_policy_default(true);
	f.gate.input = &f.input;
	f.gate.pooled.function = f.function;
	f.tree = (struct tree){.real = true,
		.count = NODES,
		.end = ends,
		.function = functions,
		.moments = f.node};
	f.unchanged = (struct unchanged){.gate = &f.gate,
		.tree = &f.tree,
		.unchanged = f.alike,
		.excused = f.excused,
		.part = {f.part[0], f.part[1]}};
	for (size_t v = 1; v < NODES; v++) {
		f.node[v].base = f.node[v].head = 0.1;
		f.function[functions[v]].base += 0.1;
		f.function[functions[v]].head += 0.1;
	}
	*state = &f;
	return 0;
}

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) < 1e-12);
}

static void test_one_layout_moves_a_functions_contexts_together(void **state)
{
	struct fixture *f = *state;
	double one = 2.5 * 0.03 * sqrt(2); /* of a cost of 1 in both versions */

	assert_near(unchanged_layout_relative(&f->input.policy), one);
	assert_near(unchanged_layout_below(&f->unchanged, 4), one * 0.1);
	assert_near(unchanged_layout_below(&f->unchanged, 2),
		one * 0.1 * sqrt(2)); /* of two functions */
	assert_near(unchanged_layout_below(&f->unchanged, 1), one * 0.1 * sqrt(1 + 4 + 1));
	assert_near(unchanged_layout_of_all(&f->gate, NULL), one * 0.1 * sqrt(1 + 4 + 1));
	assert_near(
		unchanged_layout_below(&f->unchanged, 1), one * 0.1 * sqrt(1 + 4 + 1)); /* again */
}

static void test_nothing_is_allowed_for_what_is_excused(void **state)
{
	struct fixture *f = *state;
	double one = unchanged_layout_relative(&f->input.policy);

	f->excused[1] = true;
	assert_near(unchanged_layout_below(&f->unchanged, 1), one * 0.1 * sqrt(2));
	assert_near(unchanged_layout_of_all(&f->gate, f->excused), one * 0.1 * sqrt(2));
}

static void test_a_third_is_allowed_for_what_has_one_place(void **state)
{
	static const uint8_t flags[FUNCTIONS] = {[1] = VERDICT_FUNCTION_SAME_PLACE};
	struct fixture *f = *state;
	double one = unchanged_layout_relative(&f->input.policy);

	f->input.function_flags = flags;
	assert_near(unchanged_layout_below(&f->unchanged, 4), one * 0.1 / 3);
	assert_near(unchanged_layout_below(&f->unchanged, 1), one * 0.1 * sqrt(1 + 4.0 / 9 + 1));
	assert_near(unchanged_layout_of_all(&f->gate, NULL), one * 0.1 * sqrt(1 + 4.0 / 9 + 1));
}

static void test_nothing_is_allowed_for_many_layouts_or_one_build(void **state)
{
	struct fixture *f = *state;

	f->input.policy.layouts = 8;
	assert_near(unchanged_layout_below(&f->unchanged, 1), 0);
	f->input.policy.layouts = 1;
	f->input.policy.same_build = true;
	assert_near(unchanged_layout_below(&f->unchanged, 1), 0);
	assert_near(unchanged_layout_of_all(&f->gate, NULL), 0);
}

#define CASE(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_one_layout_moves_a_functions_contexts_together),
		CASE(test_nothing_is_allowed_for_what_is_excused),
		CASE(test_a_third_is_allowed_for_what_has_one_place),
		CASE(test_nothing_is_allowed_for_many_layouts_or_one_build),
	};

	return cmocka_run_group_tests_name("unchanged code", tests, NULL, NULL);
}
