/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/result.h"
#include "report/json/prune.h"
#include "report/json/report_json.h"
#include "report/view/view.h"
#include "report/words/words.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_build.h"

#define NODES 50000
#define DEPTH 40

struct pruned {
	struct result *result;
	struct arena arena;
	struct result_benchmark out;
};

static void prune(struct pruned *pruned, size_t max_nodes, size_t max_functions)
{
	struct error err = {0};

	pruned->result = fixture_large(NODES, DEPTH);
	arena_init(&pruned->arena);
	assert_int_equal(prune_benchmark(&pruned->result->benchmarks[0], max_nodes, max_functions,
				 &pruned->arena, &pruned->out, &err),
		ERR_OK);
}

static void release(struct pruned *pruned)
{
	arena_release(&pruned->arena);
	fixture_free(pruned->result);
}

/* Every node's total is its self cost plus its children's totals. */
static void assert_totals_add_up(const struct result_benchmark *benchmark)
{
	double *sums = xcalloc(benchmark->node_count, sizeof(*sums));

	for (size_t i = benchmark->node_count; i-- > 0;) {
		const struct result_node *node = &benchmark->nodes[i];

		sums[i] += node->self[1];
		assert_true(fabs(sums[i] - node->total[1]) < 1e-9);
		if (i)
			sums[node->parent] += node->total[1];
	}
	free(sums);
}

static void test_pruned_tree_keeps_to_the_limit_and_adds_up(void **state)
{
	static const size_t limits[] = {50, 1000, 20000, 49999};

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct pruned pruned;

		prune(&pruned, limits[i], 20000);
		assert_true(pruned.out.node_count <= limits[i]);
		assert_true(pruned.out.node_count > limits[i] / 2);
		assert_totals_add_up(&pruned.out);
		assert_true(pruned.out.nodes[0].total[1] ==
			    pruned.result->benchmarks[0].nodes[0].total[1]);
		assert_int_equal(pruned.out.excluded_count, 2);
		release(&pruned);
	}
}

static void test_parents_have_one_other_child_at_most(void **state)
{
	struct pruned pruned;
	bool *seen;

	(void)state;
	prune(&pruned, 500, 20000);
	seen = xcalloc(pruned.out.node_count, sizeof(*seen));
	for (size_t i = 1; i < pruned.out.node_count; i++) {
		const struct result_node *node = &pruned.out.nodes[i];

		assert_true(node->parent < i);
		if (node->function != RESULT_NONE)
			continue;
		assert_false(seen[node->parent]);
		seen[node->parent] = true;
	}
	free(seen);
	release(&pruned);
}

static void test_culprit_and_its_callers_survive_any_limit(void **state)
{
	struct pruned pruned;
	uint32_t node;
	size_t length = 0;

	(void)state;
	prune(&pruned, 1, 20000);
	node = pruned.out.culprits[0].node;
	assert_string_equal(
		function_name(&pruned.out, pruned.out.nodes[node].function), "parse_field");
	for (; node; node = pruned.out.nodes[node].parent)
		length++;
	assert_int_equal(length, pruned.out.culprits[0].path_length);
	release(&pruned);
}

static void test_significant_nodes_survive_any_limit(void **state)
{
	struct result *result = fixture_large(NODES, DEPTH);
	struct result_node *nodes = (struct result_node *)result->benchmarks[0].nodes;
	struct arena arena = ARENA_INIT;
	struct result_benchmark out;
	struct error err = {0};
	size_t found = 0;

	(void)state;
	for (size_t i = 100; i < 110; i++)
		nodes[i * 400].self_state = STATE_IMPROVED;
	assert_int_equal(
		prune_benchmark(&result->benchmarks[0], 1, 20000, &arena, &out, &err), ERR_OK);
	for (size_t i = 0; i < out.node_count; i++)
		found += out.nodes[i].self_state == STATE_IMPROVED;
	assert_int_equal(found, 10);
	assert_totals_add_up(&out);
	arena_release(&arena);
	fixture_free(result);
}

static void test_functions_are_renumbered_everywhere(void **state)
{
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_node *nodes = (struct result_node *)benchmark->nodes;
	struct arena arena = ARENA_INIT;
	struct result_benchmark out;
	struct error err = {0};

	(void)state;
	build_claim(result, benchmark, CLAIM_MOVED, OLD, PRINT, ADDED);
	/* inflate_fast stands in no path any more. */
	for (size_t i = 1; i < benchmark->node_count; i++) {
		if (strcmp(benchmark->functions[nodes[i].function].name, "inflate_fast") == 0)
			nodes[i].function = RESULT_NONE;
	}
	assert_int_equal(prune_benchmark(benchmark, 20000, 3, &arena, &out, &err), ERR_OK);
	assert_int_equal(out.function_count, benchmark->function_count - 1);
	for (size_t i = 1; i < out.node_count; i++)
		assert_string_equal(function_name(&out, out.nodes[i].function),
			function_name(benchmark, nodes[i].function));
	assert_string_equal(function_name(&out, out.culprits[0].function), "parse_field");
	assert_string_equal(function_name(&out, out.culprits[0].path[0]), "main");
	assert_string_equal(function_name(&out, out.claims[0].subject), "parse_field");
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(function_name(&out, out.claims[1].others[i]),
			function_name(benchmark, benchmark->claims[1].others[i]));
	assert_string_equal(
		function_name(&out, out.claims[1].subject), function_name(benchmark, OLD));
	arena_release(&arena);
	fixture_free(result);
}

static void test_a_written_report_is_not_pruned_again(void **state)
{
	struct result *result = fixture_large(NODES, DEPTH);
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(report_json_write(result, &first, &err), ERR_OK);
	assert_int_equal(report_view_read(first.data, first.length, &view, &err), ERR_OK);
	assert_true(view->result.benchmarks[0].node_count <= PRUNE_MAX_NODES);
	assert_int_equal(report_json_write(&view->result, &second, &err), ERR_OK);
	assert_string_equal(first.data, second.data);
	report_view_free(view);
	fixture_free(result);
	strbuf_release(&first);
	strbuf_release(&second);
}

static void test_the_smallest_findings_of_a_stored_baseline_are_left_out(void **state)
{
	struct result *result = fixture_reference_fail();
	struct result_reference *reference =
		(struct result_reference *)result->benchmarks[0].references;
	size_t count = PRUNE_MAX_FINDINGS + 5;
	struct result_reference_finding *findings =
		arena_array(&result->arena, count, sizeof(*findings));
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < count; i++)
		findings[i] = (struct result_reference_finding){
			.name = "f", .file = "", .change = 1.0 / (double)(i + 1)};
	reference->findings = findings;
	reference->finding_count = count;
	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	assert_int_equal(
		view->result.benchmarks[0].references[0].finding_count, PRUNE_MAX_FINDINGS);
	assert_int_equal(view->result.benchmarks[0].excluded_count, 1);
	assert_int_equal(reference->finding_count, count);
	report_view_free(view);
	fixture_free(result);
}

/* What was freed is not small. */
static void test_nodes_below_zero_are_kept_by_their_size(void **state)
{
	struct result *result = fixture_large(NODES, DEPTH);
	struct result_node *nodes = (struct result_node *)result->benchmarks[0].nodes;
	struct arena arena = ARENA_INIT;
	struct result_benchmark out;
	struct error err = {0};
	size_t found = 0;

	(void)state;
	for (size_t version = 0; version < 2; version++)
		nodes[30000].self[version] = nodes[30000].total[version] = -100;
	assert_int_equal(
		prune_benchmark(&result->benchmarks[0], 100, 20000, &arena, &out, &err), ERR_OK);
	for (size_t i = 0; i < out.node_count; i++)
		found += out.nodes[i].function != RESULT_NONE && out.nodes[i].total[1] == -100;
	assert_int_equal(found, 1);
	arena_release(&arena);
	fixture_free(result);
}

static void test_a_misplaced_node_is_refused(void **state)
{
	struct result *result = fixture_fail();
	struct strbuf out = STRBUF_INIT;
	struct error err = {0};

	(void)state;
	((struct result_node *)result->benchmarks[0].nodes)[3].parent = 7;
	assert_int_equal(report_json_write(result, &out, &err), ERR_CORRUPT);
	assert_int_equal(out.length, 0);
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pruned_tree_keeps_to_the_limit_and_adds_up),
		cmocka_unit_test(test_parents_have_one_other_child_at_most),
		cmocka_unit_test(test_culprit_and_its_callers_survive_any_limit),
		cmocka_unit_test(test_significant_nodes_survive_any_limit),
		cmocka_unit_test(test_functions_are_renumbered_everywhere),
		cmocka_unit_test(test_a_written_report_is_not_pruned_again),
		cmocka_unit_test(test_the_smallest_findings_of_a_stored_baseline_are_left_out),
		cmocka_unit_test(test_nodes_below_zero_are_kept_by_their_size),
		cmocka_unit_test(test_a_misplaced_node_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
