/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "gate/base/error.h"
#include "gate/compare/comparison.h"
#include "tests/unit/compare/support.h"

#define PAIRS 2

struct fixture {
	struct profile *base, *head;
	struct comparison comparison;
	struct error err;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->base = support_profile();
	f->head = support_profile();
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	comparison_release(&f->comparison);
	profile_free(f->base);
	profile_free(f->head);
	free(f);
	return 0;
}

static void build(struct fixture *f, size_t pairs)
{
	assert_int_equal(
		comparison_build(&f->comparison, f->base, f->head, pairs, NULL, &f->err), ERR_OK);
}

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) < 1e-12))
		fail_msg("%.15g is not %.15g", value, wanted);
}

static uint32_t function(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->comparison.matches.count; i++)
		if (strcmp(f->comparison.matches.functions[i].name, name) == 0)
			return (uint32_t)i;
	fail_msg("no function is called %s", name);
	return 0;
}

/* The node at a path of function names. */
static const struct comparison_node *node(const struct fixture *f, const char *path)
{
	const struct comparison *c = &f->comparison;
	char copy[256], *name, *rest = copy;
	uint32_t at = 0;

	memcpy(copy, path, strlen(path) + 1);
	while ((name = strsep(&rest, ";"))) {
		uint32_t wanted = function(f, name), child = 0;

		for (uint32_t i = 1; i < c->node_count; i++)
			if (c->nodes[i].parent == at && c->nodes[i].function == wanted)
				child = i;
		assert_true(child);
		at = child;
	}
	return &c->nodes[at];
}

static void test_the_union_tree_holds_the_stacks_of_both_sides(void **state)
{
	struct fixture *f = *state;

	support_add(f->base, "main;parse", "a.c", 30, 0);
	support_add(f->head, "main;parse", "a.c", 20, 0);
	support_add(f->head, "main;render", "a.c", 40, 1);
	build(f, PAIRS);
	assert_int_equal(f->comparison.node_count, 4);
	assert_near(node(f, "main")->total[COMPARE_BASE], 0.030);
	assert_near(node(f, "main")->total[COMPARE_HEAD], 0.060);
	assert_near(node(f, "main;parse")->self[COMPARE_BASE], 0.030);
	assert_near(node(f, "main;render")->self[COMPARE_BASE], 0);
	assert_near(node(f, "main;render")->self[COMPARE_HEAD], 0.040);
	assert_near(f->comparison.nodes[0].total[COMPARE_HEAD], 0.060);
}

static void test_nodes_are_in_preorder_with_siblings_sorted(void **state)
{
	struct fixture *f = *state;

	support_add(f->head, "main;z;y", "a.c", 1, 0);
	support_add(f->head, "main;b", "a.c", 1, 0);
	support_add(f->base, "main;a;c", "a.c", 1, 0);
	build(f, PAIRS);
	for (uint32_t i = 1; i < f->comparison.node_count; i++)
		assert_true(f->comparison.nodes[i].parent < i);
	assert_true(node(f, "main;a") < node(f, "main;a;c"));
	assert_true(node(f, "main;a;c") < node(f, "main;b"));
	assert_true(node(f, "main;b") < node(f, "main;z"));
}

static void test_cells_keep_pairs_apart(void **state)
{
	struct fixture *f = *state;
	const struct verdict_cell *row;

	support_add(f->base, "main;parse", "a.c", 30, 0);
	support_add(f->base, "main;parse", "a.c", 50, 1);
	support_add(f->head, "main;parse", "a.c", 20, 1);
	build(f, PAIRS);
	row = &f->comparison.function_self[COMPARE_BASE][function(f, "parse") * PAIRS];
	assert_near(row[0].x, 0.030);
	assert_near(row[1].x, 0.050);
	assert_near(row[1].samples, 50);
	assert_near(row[1].squares, 50e-6);
	row = &f->comparison.tested_total[COMPARE_HEAD][node(f, "main")->tested * PAIRS];
	assert_near(row[0].x, 0);
	assert_near(row[1].x, 0.020);
}

static void test_recursion_counts_once_in_a_functions_total(void **state)
{
	struct fixture *f = *state;

	support_add(f->base, "main;walk;walk;walk", "a.c", 10, 0);
	support_add(f->head, "main;walk", "a.c", 10, 0);
	build(f, PAIRS);
	assert_near(f->comparison.function_total[COMPARE_BASE][function(f, "walk")], 0.010);
	assert_near(f->comparison.function_total[COMPARE_HEAD][function(f, "walk")], 0.010);
}

/* The nodes below a path of function names. */
static size_t children(const struct fixture *f, const char *path)
{
	uint32_t at = (uint32_t)(node(f, path) - f->comparison.nodes);
	size_t count = 0;

	for (size_t i = 1; i < f->comparison.node_count; i++)
		count += f->comparison.nodes[i].parent == at;
	return count;
}

static void test_what_inlining_nests_in_itself_is_one_node(void **state)
{
	struct fixture *f = *state;

	support_add(f->base, "main;put|note;note", "a.c", 30, 0);
	support_add(f->base, "main;init|init|init", "a.c", 20, 0);
	support_add(f->head, "main;put|note", "a.c", 10, 0);
	support_add(f->head, "main;walk;walk", "a.c", 10, 0);
	build(f, PAIRS);
	assert_near(node(f, "main;put;note")->self[COMPARE_BASE], 0.030);
	assert_near(node(f, "main;put;note")->self[COMPARE_HEAD], 0.010);
	assert_int_equal(children(f, "main;put;note"), 0);
	assert_near(node(f, "main;init")->self[COMPARE_BASE], 0.020);
	assert_int_equal(children(f, "main;init"), 0);
	assert_near(node(f, "main;walk;walk")->self[COMPARE_HEAD], 0.010);
}

/* They are one function in the comparison, of which nobody knows that it calls itself. */
static void test_unnamed_functions_of_an_object_do_not_call_each_other(void **state)
{
	struct fixture *f = *state;

	support_add(f->base, "main;[lib.so+0x10]@;[lib.so+0x20]@;[lib.so+0x10]@", "a.c", 30, 0);
	support_add(f->head, "main;[lib.so+0x14]@;back;[lib.so+0x28]@", "a.c", 10, 0);
	build(f, PAIRS);
	assert_near(node(f, "main;[lib.so]")->self[COMPARE_BASE], 0.030);
	assert_int_equal(children(f, "main;[lib.so]"), 1);
	assert_near(node(f, "main;[lib.so];back;[lib.so]")->self[COMPARE_HEAD], 0.010);
}

static void test_rare_nodes_are_shown_but_not_tested(void **state)
{
	struct fixture *f = *state;

	support_add(f->base, "main;often", "a.c", COMPARISON_MIN_SAMPLES, 0);
	support_add(f->base, "main;rare;often", "a.c", COMPARISON_MIN_SAMPLES - 1, 0);
	support_add(f->head, "main", "a.c", 1, 0);
	build(f, PAIRS);
	assert_int_not_equal(node(f, "main;often")->tested, COMPARE_NONE);
	assert_int_equal(node(f, "main;rare")->tested, COMPARE_NONE);
	assert_int_equal(node(f, "main;rare;often")->tested, COMPARE_NONE);
	assert_int_equal(f->comparison.tested_count, 3);
}

static void test_a_pair_out_of_range_is_refused(void **state)
{
	struct fixture *f = *state;

	support_add(f->base, "main", "a.c", 1, PAIRS);
	support_add(f->head, "main", "a.c", 1, 0);
	assert_int_equal(comparison_build(&f->comparison, f->base, f->head, PAIRS, NULL, &f->err),
		ERR_CORRUPT);
	assert_non_null(strstr(f->err.message, "base profile"));
}

static void test_without_replication_labels_do_not_matter(void **state)
{
	struct fixture *f = *state;

	support_add(f->base, "main", "a.c", 1, 77);
	support_add(f->head, "main", "a.c", 3, -1);
	build(f, 0);
	assert_int_equal(f->comparison.pairs, 1);
	assert_near(f->comparison.function_self[COMPARE_HEAD][0].x, 0.003);
}

static void build_limited(struct fixture *f, size_t max_nodes)
{
	const struct comparison_limits limits = {.max_nodes = max_nodes};

	assert_int_equal(
		comparison_build(&f->comparison, f->base, f->head, 0, &limits, &f->err), ERR_OK);
}

static void test_of_a_tree_past_the_limit_the_smallest_nodes_are_their_callers(void **state)
{
	struct fixture *f = *state;
	struct comparison *c = &f->comparison;

	support_add(f->base, "main;small", "a.c", 1, 0);
	support_add(f->base, "main;large;inner", "a.c", 50, 0);
	support_add(f->base, "main;other", "a.c", 2, 0);
	support_add(f->head, "main;large", "a.c", 40, 0);
	support_add(f->head, "main;small", "a.c", 3, 0);
	build_limited(f, 4);
	assert_int_equal(c->node_count, 4); /* the root, main, large, inner */
	assert_true(c->is_folded);
	assert_near(c->folded_share, 3.0 / 43);
	assert_int_equal(c->nodes[1].function, function(f, "main"));
	assert_int_equal(c->nodes[2].function, function(f, "large"));
	assert_int_equal(c->nodes[3].function, function(f, "inner"));
	assert_near(c->nodes[1].total[COMPARE_BASE], 0.053);
	assert_near(c->nodes[1].self[COMPARE_BASE], 0.003);
	assert_near(c->nodes[1].self[COMPARE_HEAD], 0.003);
	assert_int_equal(c->sample_node[COMPARE_BASE][0], 1);
	assert_int_equal(c->sample_node[COMPARE_BASE][1], 3);
	/* Functions lose nothing. */
	assert_near(c->function_self[COMPARE_HEAD][function(f, "small")].x, 0.003);
	assert_near(c->function_self[COMPARE_BASE][function(f, "main")].x, 0);
}

static void test_a_tree_within_the_limit_is_whole(void **state)
{
	struct fixture *f = *state;

	support_add(f->base, "main;a;b", "a.c", 1, 0);
	support_add(f->head, "main;c", "a.c", 1, 0);
	build_limited(f, 5);
	assert_int_equal(f->comparison.node_count, 5);
	assert_false(f->comparison.is_folded);
}

/* ---- many nodes, by chance ---- */

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

/* Few stacks cost much, most little; how much is no matter of when they are met. */
static void add_by_chance(struct profile *profile, uint64_t seed, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char stack[128];
		size_t length = 0;
		uint32_t depth = 1 + draw(&seed, 8);

		for (uint32_t k = 0; k < depth; k++)
			length += (size_t)snprintf(stack + length, sizeof(stack) - length, "%sf%u",
				k ? ";" : "", draw(&seed, draw(&seed, 3) ? 3 : 12));
		support_add(profile, stack, "a.c", draw(&seed, 20) ? 1 : 400, 0);
	}
}

static bool is_same_path(
	const struct comparison *a, uint32_t x, const struct comparison *b, uint32_t y)
{
	while (x && y && a->nodes[x].function == b->nodes[y].function) {
		x = a->nodes[x].parent;
		y = b->nodes[y].parent;
	}
	return !x && !y;
}

/* The whole tree's node, or COMPARE_NONE. */
static uint32_t find_in(const struct comparison *in, const struct comparison *of, uint32_t node)
{
	for (uint32_t i = 0; i < in->node_count; i++)
		if (is_same_path(in, i, of, node))
			return i;
	return COMPARE_NONE;
}

static void assert_cut_is_exact(const struct comparison *whole, const struct comparison *cut)
{
	double self[COMPARE_VERSIONS] = {0};

	for (uint32_t i = 0; i < cut->node_count; i++) {
		uint32_t same = find_in(whole, cut, i);

		assert_int_not_equal(same, COMPARE_NONE);
		for (int version = 0; version < COMPARE_VERSIONS; version++) {
			assert_near(
				cut->nodes[i].total[version], whole->nodes[same].total[version]);
			self[version] += cut->nodes[i].self[version];
		}
	}
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		assert_true(fabs(self[version] - cut->nodes[0].total[version]) < 1e-9);
}

static void assert_what_is_large_stays(const struct comparison *whole, const struct comparison *cut)
{
	for (uint32_t i = 0; i < whole->node_count; i++)
		for (int version = 0; version < COMPARE_VERSIONS; version++)
			if (whole->nodes[i].total[version] >
				(cut->folded_share + 1e-9) * whole->nodes[0].total[version])
				assert_int_not_equal(find_in(cut, whole, i), COMPARE_NONE);
}

static void test_what_stays_of_a_large_tree_is_exact_and_the_largest(void **state)
{
	struct fixture *f = *state;
	struct comparison whole, again;

	add_by_chance(f->base, 1, 4000);
	add_by_chance(f->head, 2, 3000);
	build_limited(f, 1000000);
	whole = f->comparison;
	assert_true(whole.node_count > 1500);
	build_limited(f, 200); /* cut down many times on the way */
	again = f->comparison;
	build_limited(f, 200);
	assert_int_equal(f->comparison.node_count, again.node_count);
	for (size_t i = 0; i < again.node_count; i++) {
		assert_int_equal(f->comparison.nodes[i].parent, again.nodes[i].parent);
		assert_int_equal(f->comparison.nodes[i].function, again.nodes[i].function);
	}
	assert_in_range(f->comparison.node_count, 100, 200);
	assert_true(f->comparison.folded_share > 0 && f->comparison.folded_share < 0.2);
	assert_cut_is_exact(&whole, &f->comparison);
	assert_what_is_large_stays(&whole, &f->comparison);
	comparison_release(&whole);
	comparison_release(&again);
}

static void test_lines_hold_the_self_cost_of_their_side(void **state)
{
	struct fixture *f = *state;
	static const double seconds[COMPARE_VERSIONS] = {0.009, 0.005};
	uint32_t main_function;

	support_add(f->base, "main", "a.c", 9, 0);
	support_add(f->head, "main", "a.c", 5, 0);
	build(f, PAIRS);
	main_function = function(f, "main");
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		const size_t *start = &f->comparison.line_start[version][main_function];

		assert_int_equal(start[1] - start[0], 1);
		assert_int_equal(f->comparison.lines[version][start[0]].line, 12);
		assert_near(f->comparison.lines[version][start[0]].seconds, seconds[version]);
	}
}

static void test_functions_totals_are_known_by_pair_where_there_are_samples(void **state)
{
	struct fixture *f = *state;
	const struct verdict_cell *row;

	support_add(f->base, "main;walk;walk", "a.c", 30, 0);
	support_add(f->base, "main;walk;leaf", "a.c", 10, 1);
	support_add(f->head, "walk;main", "a.c", 40, 1);
	build(f, PAIRS);
	assert_int_equal(f->comparison.known_count, 2);
	assert_int_equal(f->comparison.function_known[function(f, "leaf")], COMPARE_NONE);
	row = &f->comparison.known_total[COMPARE_BASE]
					[f->comparison.function_known[function(f, "walk")] * PAIRS];
	assert_near(row[0].x, 0.030);
	assert_near(row[0].samples, 30);
	assert_near(row[1].x, 0.010);
	row = &f->comparison.known_total[COMPARE_HEAD]
					[f->comparison.function_known[function(f, "main")] * PAIRS];
	assert_near(row[0].x, 0);
	assert_near(row[1].x, 0.040);
	for (size_t i = 0; i < f->comparison.known_count; i++)
		assert_int_equal(f->comparison.function_known[f->comparison.known_function[i]], i);
}

static void test_totals_that_find_no_room_are_not_known(void **state)
{
	struct fixture *f = *state;
	struct comparison_limits limits = {0};

	support_add(f->base, "main;parse", "a.c", 30, 0);
	support_add(f->head, "main;parse", "a.c", 30, 0);
	/* Of both versions' pairs: two functions, three nodes twice, and one total. */
	limits.max_cells = (size_t)2 * PAIRS * (2 + 2 * 3 + 1);
	assert_int_equal(
		comparison_build(&f->comparison, f->base, f->head, PAIRS, &limits, &f->err),
		ERR_OK);
	assert_int_equal(f->comparison.known_count, 1);
}

/* Also of functions that no sample ends in. */
static void test_every_function_has_its_module(void **state)
{
	struct fixture *f = *state;
	struct profile_mapping mapping = {.file = "/usr/bin/tool"};

	support_add(f->base, "main;parse", "a.c", 30, 0);
	support_add(f->head, "main;parse;read", "a.c", 30, 0);
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		struct profile *profile = version == COMPARE_BASE ? f->base : f->head;
		uint32_t place = profile_add_mapping(profile, &mapping);

		for (size_t i = 0; i < profile->location_count; i++)
			profile->locations[i].mapping = place;
	}
	build(f, PAIRS);
	assert_string_equal(f->comparison.function_module[function(f, "main")], "tool");
	assert_string_equal(f->comparison.function_module[function(f, "parse")], "tool");
	assert_string_equal(f->comparison.function_module[function(f, "read")], "tool");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		TEST(test_the_union_tree_holds_the_stacks_of_both_sides),
		TEST(test_nodes_are_in_preorder_with_siblings_sorted),
		TEST(test_cells_keep_pairs_apart),
		TEST(test_recursion_counts_once_in_a_functions_total),
		TEST(test_functions_totals_are_known_by_pair_where_there_are_samples),
		TEST(test_totals_that_find_no_room_are_not_known),
		TEST(test_what_inlining_nests_in_itself_is_one_node),
		TEST(test_unnamed_functions_of_an_object_do_not_call_each_other),
		TEST(test_rare_nodes_are_shown_but_not_tested),
		TEST(test_a_pair_out_of_range_is_refused),
		TEST(test_without_replication_labels_do_not_matter),
		TEST(test_of_a_tree_past_the_limit_the_smallest_nodes_are_their_callers),
		TEST(test_a_tree_within_the_limit_is_whole),
		TEST(test_what_stays_of_a_large_tree_is_exact_and_the_largest),
		TEST(test_lines_hold_the_self_cost_of_their_side),
		TEST(test_every_function_has_its_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
