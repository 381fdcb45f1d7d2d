/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "gate/profile/call_tree.h"

/* A location whose lines are the words, innermost first. */
static uint32_t add_location(struct profile *profile, const char *words)
{
	struct profile_line lines[8];
	struct profile_location location = {PROFILE_NO_MAPPING, 0, lines, 0, false};

	while (*words) {
		size_t length = strcspn(words, "+");
		char name[32] = {0};
		struct profile_function function = {name, "", "f.c", 0};

		memcpy(name, words, length);
		lines[location.line_count].line = 0;
		lines[location.line_count++].function = profile_add_function(profile, &function);
		words += length + (words[length] == '+');
	}
	return profile_add_location(profile, &location);
}

/* stack is "leaf;caller;root", where "a+b" is one location with a inlined into b. */
static void add_sample(struct profile *profile, const char *stack, int64_t value)
{
	uint32_t locations[64];
	int64_t values[] = {value, 1};
	struct profile_sample sample = {locations, 0, values, NULL, 0};

	while (*stack) {
		size_t length = strcspn(stack, ";");
		char words[64] = {0};

		memcpy(words, stack, length);
		locations[sample.depth++] = add_location(profile, words);
		stack += length + (stack[length] == ';');
	}
	profile_add_sample(profile, &sample);
}

static struct profile *profile_of(size_t count, const char *const *stacks, const int64_t *values)
{
	struct profile *profile = profile_new();

	profile_add_type(profile, "cpu", "nanoseconds");
	profile_add_type(profile, "samples", "count");
	for (size_t i = 0; i < count; i++)
		add_sample(profile, stacks[i], values[i]);
	return profile;
}

/* "name self/total" of each node, indented by depth. */
static void print_tree(
	const struct call_tree *tree, const struct profile *profile, struct strbuf *out)
{
	for (size_t i = 0; i < tree->node_count; i++) {
		const struct call_tree_node *node = &tree->nodes[i];

		assert_true(i == 0 ? node->parent == 0 : node->parent < i);
		assert_int_equal(node->depth, i ? tree->nodes[node->parent].depth + 1 : 0);
		for (uint32_t d = 0; d < node->depth; d++)
			strbuf_addch(out, ' ');
		strbuf_addf(out, "%s %ld/%ld\n",
			node->function == CALL_TREE_ROOT_FUNCTION
				? "(root)"
				: profile->functions[node->function].name,
			(long)node->self, (long)node->total);
	}
}

static void assert_tree(const struct profile *profile, size_t type, const char *expected)
{
	struct call_tree tree;
	struct strbuf out = STRBUF_INIT;
	struct error err = {0};

	if (call_tree_build(&tree, profile, type, NULL, &err))
		fail_msg("%s", err.message);
	print_tree(&tree, profile, &out);
	assert_string_equal(out.data, expected);
	strbuf_release(&out);
	call_tree_release(&tree);
}
#define PROFILE_OF(values, ...)                                                                    \
	profile_of(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                         \
		(const char *[]){__VA_ARGS__}, values)

static void test_stacks_are_folded_with_self_and_total(void **state)
{
	int64_t values[] = {1, 2, 4, 8};
	struct profile *profile = PROFILE_OF(values, "b;a;main", "a;main", "c;main", "b;a;main");

	(void)state;
	assert_tree(profile, 0, "(root) 0/15\n main 0/15\n  a 2/11\n   b 9/9\n  c 4/4\n");
	assert_tree(profile, 1, "(root) 0/4\n main 0/4\n  a 1/3\n   b 2/2\n  c 1/1\n");
	profile_free(profile);
}

static void test_inlined_lines_become_frames_outermost_first(void **state)
{
	int64_t values[] = {1, 2};
	struct profile *profile = PROFILE_OF(values, "inner+middle+outer;main", "outer;main");

	(void)state;
	assert_tree(
		profile, 0, "(root) 0/3\n main 0/3\n  outer 2/3\n   middle 0/1\n    inner 1/1\n");
	profile_free(profile);
}

static void test_recursion_is_kept(void **state)
{
	int64_t values[] = {1, 2, 4};
	struct profile *profile = PROFILE_OF(values, "f;f;f;main", "f;g;f;main", "f;main");

	(void)state;
	assert_tree(profile, 0,
		"(root) 0/7\n main 0/7\n  f 4/7\n   f 0/1\n    f 1/1\n   g 0/2\n    f 2/2\n");
	profile_free(profile);
}

/* note's test is inlined into its callers, its rest called by what was inlined; start is inlined
 * into itself. */
static void test_what_inlining_nests_in_itself_is_one_frame(void **state)
{
	int64_t values[] = {1, 2, 4, 8, 16};
	struct profile *profile = PROFILE_OF(values, "note;note+put;main", "note+put;main",
		"leaf;note;note+put;main", "start+start;main", "part+start+start+start;main");

	(void)state;
	assert_tree(profile, 0,
		"(root) 0/31\n main 0/31\n  put 0/7\n   note 3/7\n    leaf 4/4\n"
		"  start 8/24\n   part 16/16\n");
	profile_free(profile);
}

/* Once it was inlined; the others are calls. */
static void test_recursion_below_an_inlined_call_is_kept(void **state)
{
	int64_t values[] = {1};
	struct profile *profile = PROFILE_OF(values, "f;f;f+main");

	(void)state;
	assert_tree(profile, 0, "(root) 0/1\n main 0/1\n  f 0/1\n   f 1/1\n");
	profile_free(profile);
}

static void test_siblings_are_sorted_whatever_the_order_of_samples(void **state)
{
	int64_t values[] = {1, 2, 4};
	struct profile *one = PROFILE_OF(values, "z;m", "a;m", "k;m");
	int64_t reversed[] = {4, 2, 1};
	struct profile *two = PROFILE_OF(reversed, "k;m", "a;m", "z;m");
	const char *expected = "(root) 0/7\n m 0/7\n  a 2/2\n  k 4/4\n  z 1/1\n";

	(void)state;
	assert_tree(one, 0, expected);
	assert_tree(two, 0, expected);
	profile_free(one);
	profile_free(two);
}

static void test_siblings_of_one_name_are_sorted_by_file_and_index(void **state)
{
	static const struct profile_function functions[] = {
		{"f", "", "z.c", 0}, {"f", "", "a.c", 9}, {"f", "", "a.c", 1}, {"e", "", "z.c", 0}};
	static const uint32_t expected[] = {3, 1, 2, 0};
	struct profile *profile = profile_of(0, NULL, NULL);
	struct call_tree tree;
	struct error err;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct profile_line line = {profile_add_function(profile, &functions[i]), 0};
		struct profile_location place = {PROFILE_NO_MAPPING, 0, &line, 1, false};
		uint32_t location = profile_add_location(profile, &place);

		profile_add_sample(profile,
			&(struct profile_sample){&location, 1, (int64_t[]){1, 1}, NULL, 0});
	}
	assert_int_equal(call_tree_build(&tree, profile, 0, NULL, &err), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(tree.nodes[i + 1].function, expected[i]);
	call_tree_release(&tree);
	profile_free(profile);
}

static void test_samples_without_frames_belong_to_the_root(void **state)
{
	int64_t values[] = {3, 4};
	struct profile *profile = PROFILE_OF(values, "", "main");

	(void)state;
	assert_tree(profile, 0, "(root) 3/7\n main 4/4\n");
	profile_free(profile);
}

static void test_empty_profile_is_a_root(void **state)
{
	struct profile *profile = profile_of(0, NULL, NULL);

	(void)state;
	assert_tree(profile, 0, "(root) 0/0\n");
	profile_free(profile);
}

static void test_negative_values_are_summed(void **state)
{
	int64_t values[] = {-5, 3};
	struct profile *profile = PROFILE_OF(values, "a;m", "b;m");

	(void)state;
	assert_tree(profile, 0, "(root) 0/-2\n m 0/-2\n  a -5/-5\n  b 3/3\n");
	profile_free(profile);
}

static void test_every_sample_knows_its_node(void **state)
{
	int64_t values[] = {1, 2, 4, 8};
	struct profile *profile = PROFILE_OF(values, "z;m", "a;m", "", "z;m");
	struct call_tree tree;
	struct error err;

	(void)state;
	assert_int_equal(call_tree_build(&tree, profile, 0, NULL, &err), 0);
	assert_int_equal(tree.node_count, 4);
	assert_int_equal(tree.sample_nodes[0], 3);
	assert_int_equal(tree.sample_nodes[1], 2);
	assert_int_equal(tree.sample_nodes[2], 0);
	assert_int_equal(tree.sample_nodes[3], 3);
	call_tree_release(&tree);
	profile_free(profile);
}

static void refused(const struct profile *profile, size_t type,
	const struct call_tree_limits *limits, int code, const char *message)
{
	struct call_tree tree;
	struct error err;

	assert_int_equal(call_tree_build(&tree, profile, type, limits, &err), code);
	assert_non_null(strstr(err.message, message));
	assert_null(tree.nodes);
	assert_int_equal(tree.node_count, 0);
	call_tree_release(&tree);
}

static void test_limits_hold(void **state)
{
	int64_t values[] = {1, 2};
	struct profile *profile = PROFILE_OF(values, "c;b;a", "d;b;a");
	struct call_tree_limits fits = {5, 3}, depth = {5, 2}, nodes = {4, 3};
	struct call_tree tree;
	struct error err;

	(void)state;
	assert_int_equal(call_tree_build(&tree, profile, 0, &fits, &err), 0);
	call_tree_release(&tree);
	refused(profile, 0, &depth, ERR_LIMIT, "more than 2 frames");
	refused(profile, 0, &nodes, ERR_LIMIT, "more than 4 nodes");
	refused(profile, 2, NULL, ERR_USAGE, "no value type number 2");
	profile_free(profile);
}

static void test_overflow_is_an_error(void **state)
{
	int64_t same[] = {INT64_MAX, 1}, apart[] = {INT64_MIN, -1};
	struct profile *leaf = PROFILE_OF(same, "a", "a");
	struct profile *total = PROFILE_OF(apart, "a;m", "b;m");

	(void)state;
	refused(leaf, 0, NULL, ERR_LIMIT, "overflows");
	refused(total, 0, NULL, ERR_LIMIT, "overflows");
	profile_free(leaf);
	profile_free(total);
}

/* Enough nodes for the table to grow several times, each checked against its name. */
static void test_wide_trees_keep_every_node(void **state)
{
	struct profile *profile = profile_of(0, NULL, NULL);
	struct call_tree tree;
	struct error err;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		char stack[64];

		snprintf(stack, sizeof(stack), "leaf%d;mid%d;main", i % 2500, i % 50);
		add_sample(profile, stack, 1);
	}
	assert_int_equal(call_tree_build(&tree, profile, 0, NULL, &err), 0);
	assert_int_equal(tree.node_count, 1 + 1 + 50 + 2500);
	assert_int_equal(tree.nodes[0].total, 5000);
	for (size_t i = 2; i < tree.node_count; i++) {
		const struct call_tree_node *node = &tree.nodes[i];

		assert_int_equal(node->total, node->depth == 2 ? 100 : 2);
		assert_int_equal(node->self, node->depth == 2 ? 0 : 2);
	}
	call_tree_release(&tree);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_are_folded_with_self_and_total),
		cmocka_unit_test(test_inlined_lines_become_frames_outermost_first),
		cmocka_unit_test(test_recursion_is_kept),
		cmocka_unit_test(test_what_inlining_nests_in_itself_is_one_frame),
		cmocka_unit_test(test_recursion_below_an_inlined_call_is_kept),
		cmocka_unit_test(test_siblings_are_sorted_whatever_the_order_of_samples),
		cmocka_unit_test(test_siblings_of_one_name_are_sorted_by_file_and_index),
		cmocka_unit_test(test_samples_without_frames_belong_to_the_root),
		cmocka_unit_test(test_empty_profile_is_a_root),
		cmocka_unit_test(test_negative_values_are_summed),
		cmocka_unit_test(test_every_sample_knows_its_node),
		cmocka_unit_test(test_limits_hold),
		cmocka_unit_test(test_overflow_is_an_error),
		cmocka_unit_test(test_wide_trees_keep_every_node),
	};

	return cmocka_run_group_tests_name("call_tree", tests, NULL, NULL);
}
