/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of other profile types: written, read again, cut down, and from hostile hands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/result.h"
#include "report/json/prune.h"
#include "report/json/report_json.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

static struct report_view *read_view(const struct strbuf *json)
{
	struct report_view *view = NULL;
	struct error err = {0};

	if (report_view_read(json->data, json->length, &view, &err))
		fail_msg("%s", err.message);
	return view;
}

static void write_json(const struct result *result, struct strbuf *json)
{
	struct error err = {0};

	strbuf_reset(json);
	if (report_json_write(result, json, &err))
		fail_msg("%s", err.message);
}

static const struct result_benchmark *only(const struct report_view *view)
{
	return &view->result.benchmarks[0];
}

static void test_they_are_read_as_they_were_written(void **state)
{
	struct result *result = fixture_kinds();
	struct strbuf json = STRBUF_INIT, again = STRBUF_INIT;
	const struct result_profile *heap;
	struct report_view *view;

	(void)state;
	write_json(result, &json);
	view = read_view(&json);
	assert_int_equal(only(view)->profile_count, 3);
	heap = &only(view)->profiles[0];
	assert_string_equal(heap->profile_type, "alloc_bytes");
	assert_string_equal(heap->unit, "bytes");
	assert_int_equal(heap->node_count, result->benchmarks[0].profiles[0].node_count);
	assert_true(heap->total[1] - heap->total[0] == 18e6);
	assert_string_equal(heap->functions[4].name, "hash_string");
	write_json(&view->result, &again);
	assert_string_equal(json.data, again.data);
	strbuf_release(&json);
	strbuf_release(&again);
	report_view_free(view);
	fixture_free(result);
}

/* What is not in the file follows from what is; nothing of it is significant. */
static void test_changes_follow_from_the_costs(void **state)
{
	struct result *result = fixture_kinds();
	struct strbuf json = STRBUF_INIT;
	const struct result_profile *heap;
	struct report_view *view;
	double whole;

	(void)state;
	write_json(result, &json);
	view = read_view(&json);
	heap = &only(view)->profiles[0];
	whole = heap->total[0];
	assert_true(fabs(heap->functions[4].self.change - 18e6 / whole) < 1e-6);
	assert_true(isnan(heap->functions[4].self.low) && isnan(heap->functions[4].self.se));
	for (size_t i = 0; i < heap->function_count; i++)
		assert_int_equal(heap->functions[i].self.state, STATE_INELIGIBLE);
	assert_true(fabs(heap->nodes[0].total_change - 18e6 / whole) < 1e-6);
	for (size_t i = 0; i < heap->node_count; i++)
		assert_true(heap->nodes[i].state == STATE_INELIGIBLE &&
			    heap->nodes[i].self_state == STATE_INELIGIBLE);
	strbuf_release(&json);
	report_view_free(view);
	fixture_free(result);
}

/* The change of hash_string where one side costs nothing, and it is said so or not. */
static double change_of_one_side(enum result_sides sides, int nothing)
{
	struct result *result = fixture_kinds();
	struct result_profile *heap = (struct result_profile *)result->benchmarks[0].profiles;
	struct strbuf json = STRBUF_INIT;
	struct report_view *view;
	double change;

	heap->sides = sides;
	heap->total[nothing] = 0;
	for (size_t i = 0; i < heap->function_count; i++) {
		struct result_change *self = &((struct result_function *)heap->functions)[i].self;

		*(nothing ? &self->head : &self->base) = 0;
	}
	write_json(result, &json);
	view = read_view(&json);
	heap = (struct result_profile *)only(view)->profiles;
	assert_int_equal(heap->sides, sides);
	change = heap->functions[4].self.change /
		 (heap->functions[4].self.base + heap->functions[4].self.head) *
		 heap->total[!nothing];
	strbuf_release(&json);
	report_view_free(view);
	fixture_free(result);
	return change;
}

/* Where base costs nothing, changes are fractions of the mean of both. */
static void test_a_side_that_costs_nothing_is_compared(void **state)
{
	(void)state;
	assert_true(fabs(change_of_one_side(SIDES_BOTH, 0) - 2) < 1e-6);
	assert_true(fabs(change_of_one_side(SIDES_BOTH, 1) + 1) < 1e-6);
	assert_true(fabs(change_of_one_side(SIDES_UNSAID, 1) + 1) < 1e-6);
	assert_true(change_of_one_side(SIDES_UNSAID, 0) == 0);
	assert_true(change_of_one_side(SIDES_HEAD, 0) == 0);
}

static void test_a_report_without_them_reads_as_before(void **state)
{
	struct result *result = fixture_pass();
	struct strbuf json = STRBUF_INIT;
	struct report_view *view;

	(void)state;
	write_json(result, &json);
	assert_null(strstr(json.data, "\"profiles\""));
	view = read_view(&json);
	assert_int_equal(only(view)->profile_count, 0);
	strbuf_release(&json);
	report_view_free(view);
	fixture_free(result);
}

/* ---- how large they may be ------------------------------------------------------------------- */

#define LARGE 30000u

/* `count` benchmarks, each with `profiles` trees of `nodes` nodes beside its own. */
static struct result *make_large(size_t count, size_t profiles, size_t nodes)
{
	struct result *result = fixture_large(nodes, 30);
	struct result_benchmark *all = arena_array(&result->arena, count, sizeof(*all));

	for (size_t i = 0; i < count; i++) {
		struct result_profile *list = arena_array(&result->arena, profiles, sizeof(*list));

		all[i] = result->benchmarks[0];
		for (size_t k = 0; k < profiles; k++)
			list[k] = (struct result_profile){.profile_type = "alloc_bytes",
				.unit = "bytes",
				.total = {1, 1},
				.functions = all[i].functions,
				.function_count = all[i].function_count,
				.nodes = fixture_undecided(result, nodes),
				.node_count = nodes};
		all[i].profiles = list;
		all[i].profile_count = profiles;
	}
	result->benchmarks = all;
	result->benchmark_count = count;
	return result;
}

static size_t all_nodes(const struct report_view *view, size_t *of_profiles)
{
	size_t own = 0;

	*of_profiles = 0;
	for (size_t i = 0; i < view->result.benchmark_count; i++) {
		const struct result_benchmark *benchmark = &view->result.benchmarks[i];

		own += benchmark->node_count;
		for (size_t k = 0; k < benchmark->profile_count; k++)
			*of_profiles += benchmark->profiles[k].node_count;
	}
	return own + *of_profiles;
}

/* The benchmarks' own trees have what they would have alone. */
static void assert_cut(size_t count, size_t profiles, size_t own, size_t most_of_one)
{
	struct result *result = make_large(count, profiles, LARGE);
	struct strbuf json = STRBUF_INIT, again = STRBUF_INIT;
	struct report_view *view;
	size_t others, all;

	write_json(result, &json);
	view = read_view(&json);
	all = all_nodes(view, &others);
	assert_in_range(all - others, own * 9 / 10, own);
	assert_true(all <= 80000);
	assert_in_range(others / (count * profiles), most_of_one * 9 / 10, most_of_one);
	write_json(&view->result, &again);
	assert_string_equal(json.data, again.data);
	strbuf_release(&json);
	strbuf_release(&again);
	report_view_free(view);
	fixture_free(result);
}

static void test_the_benchmarks_own_trees_come_first(void **state)
{
	(void)state;
	assert_cut(1, 3, 20000, 10000);
	assert_cut(1, 7, 20000, 60000 / 7);
	assert_cut(2, 7, 40000, 40000 / 14);
}

static void test_where_there_is_no_room_they_are_left_out(void **state)
{
	struct result *result = make_large(10, 2, LARGE);
	struct strbuf json = STRBUF_INIT;
	struct report_view *view;

	(void)state;
	write_json(result, &json);
	view = read_view(&json);
	assert_int_equal(only(view)->profile_count, 0);
	assert_true(only(view)->node_count > 7000);
	assert_non_null(strstr(
		json.data, "2 trees of other profile types: the report has no room for them"));
	strbuf_release(&json);
	report_view_free(view);
	fixture_free(result);
}

static size_t kept(size_t max_nodes)
{
	struct result *result = make_large(1, 2, 1000);
	struct result_benchmark out = result->benchmarks[0];
	struct error err = {0};
	size_t count;

	assert_int_equal(prune_profiles(&out, max_nodes, &result->arena, &err), ERR_OK);
	count = out.profile_count;
	for (size_t i = 0; i < count; i++)
		assert_true(out.profiles[i].node_count <= max_nodes);
	fixture_free(result);
	return count;
}

static void test_a_tree_too_small_to_be_of_use_is_left_out(void **state)
{
	(void)state;
	assert_int_equal(kept(PRUNE_LEAST_PROFILE_NODES), 2);
	assert_int_equal(kept(PRUNE_LEAST_PROFILE_NODES - 1), 0);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* What the nodes' own costs of a label add up to. */
static double sum_of(const struct result_label *label, uint32_t value)
{
	double sum = 0;

	for (size_t i = 0; i < label->cost_count; i++)
		if (label->costs[i].value == value)
			sum += label->costs[i].self[1];
	return sum;
}

static double node_sum(const struct result_label *label, uint32_t node)
{
	double sum = 0;

	for (size_t i = 0; i < label->cost_count; i++)
		if (label->costs[i].node == node)
			sum += label->costs[i].self[1];
	return sum;
}

static void test_folded_nodes_keep_their_labels_costs(void **state)
{
	struct result *result = fixture_kinds();
	const struct result_benchmark *whole = &result->benchmarks[0];
	struct result_benchmark out;
	struct error err = {0};

	(void)state;
	assert_int_equal(prune_benchmark(whole, 6, 100, &result->arena, &out, &err), ERR_OK);
	assert_true(out.node_count <= 6);
	for (uint32_t value = 0; value < 2; value++)
		assert_true(fabs(sum_of(&out.labels[0], value) - sum_of(&whole->labels[0], value)) <
			    1e-12);
	for (uint32_t i = 0; i < out.node_count; i++)
		assert_true(fabs(node_sum(&out.labels[0], i) - out.nodes[i].self[1]) < 1e-12);
	assert_true(out.labels[0].cost_count < whole->labels[0].cost_count);
	fixture_free(result);
}

static void test_labels_without_room_are_left_out(void **state)
{
	struct result *result = fixture_kinds();
	struct result_benchmark out = result->benchmarks[0];
	size_t regions = out.labels[0].cost_count;

	(void)state;
	prune_labels(&out, 2 * regions, &result->arena);
	assert_int_equal(out.label_count, 1);
	assert_string_equal(out.labels[0].key, "region");
	assert_int_equal(out.profiles[0].label_count, 1);
	assert_int_equal(out.excluded_count, result->benchmarks[0].excluded_count + 1);
	fixture_free(result);
}

/* ---- hostile --------------------------------------------------------------------------------- */

#define FIRST_OF_PROFILES 5

static void test_damage_is_refused(void **state)
{
	static const struct {
		const char *from, *to;
	} damages[] = {
		{"\"labels\": [", "\"labels\": {}, \"x\": ["},
		{"\"key\":\"region\"", "\"key\":1"},
		{"\"values\":[\"parse\",\"\"]", "\"values\":[]"},
		{"\"values\":[\"parse\",\"\"]", "\"values\":[\"parse\"]"},
		{"\"node\":[4,", "\"node\":[13,"},
		{"\"profiles\": [", "\"profiles\": {}, \"x\": ["},
		{"\"base\":", "\"base\":null,\"x\":"},
		{"\"profile_type\":\"alloc_bytes\"", "\"profile_type\":7"},
		{"\"nodes\":", "\"x\":"},
		{"\"functions\":", "\"x\":"},
		{"\"name\":[", "\"name\":[999,"},
		{"\"parent\":[0,0,", "\"parent\":[0,2,"},
		{"\"function\":[-1,", "\"function\":[0,"},
		{"\"match\":[0,", "\"match\":[9,"},
		{"\"self_base\":[0,", "\"self_base\":[null,"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct result *result = fixture_kinds();
		struct strbuf json = STRBUF_INIT, broken = STRBUF_INIT;
		struct report_view *view = NULL;
		struct error err = {0};
		const char *at;

		write_json(result, &json);
		at = strstr(json.data, "\"labels\"");
		assert_non_null(at);
		if (i >= FIRST_OF_PROFILES)
			at = strstr(at, "\"profiles\"");
		at = strstr(at, damages[i].from);
		if (!at)
			fail_msg("no %s", damages[i].from);
		strbuf_add(&broken, json.data, (size_t)(at - json.data));
		strbuf_addstr(&broken, damages[i].to);
		strbuf_addstr(&broken, at + strlen(damages[i].from));
		if (report_view_read(broken.data, broken.length, &view, &err) != ERR_CORRUPT)
			fail_msg("%s was taken", damages[i].to);
		strbuf_release(&json);
		strbuf_release(&broken);
		fixture_free(result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_they_are_read_as_they_were_written),
		cmocka_unit_test(test_changes_follow_from_the_costs),
		cmocka_unit_test(test_a_side_that_costs_nothing_is_compared),
		cmocka_unit_test(test_a_report_without_them_reads_as_before),
		cmocka_unit_test(test_the_benchmarks_own_trees_come_first),
		cmocka_unit_test(test_where_there_is_no_room_they_are_left_out),
		cmocka_unit_test(test_a_tree_too_small_to_be_of_use_is_left_out),
		cmocka_unit_test(test_folded_nodes_keep_their_labels_costs),
		cmocka_unit_test(test_labels_without_room_are_left_out),
		cmocka_unit_test(test_damage_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
