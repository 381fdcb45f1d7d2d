/* SPDX-License-Identifier: Apache-2.0 */
/* Of all calls that were counted, those that tell about a regression's culprits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/bench/recording/recording_json.h"
#include "gate/check/calls/calls_pick.h"
#include "gate/check/calls/unchanged_calls.h"
#include "tests/unit/check/synthetic.h"

/* hash gets slower itself; add and table call it; it calls mix. */
static const struct synthetic_function functions[] = {
	{"main;add;hash", {0.10, 0.16}},
	{"main;table;hash", {0.10, 0.16}},
	{"main;add;hash;mix", {0.03, 0.03}},
	{"main;table", {0.20, 0.20}},
	{"main;add", {0.20, 0.20}},
	{"main;other", {0.30, 0.30}},
	{"main;later", {0, 0.02}},
	{"main;add;__memcmp_evex_movbe", {0.02, 0.02}},
	{"main;add;__memset_avx2_unaligned", {0.02, 0.02}},
	{"main;add;__memset_avx2_unaligned_erms", {0.02, 0.02}},
};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

struct fixture {
	struct measurements *measurements;
	struct analysis analysis;
	struct profile *profiles[VERSION_COUNT];
	struct counted_calls counted[VERSION_COUNT];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct recording *recordings;
	struct error err;

	f->measurements = synthetic_measurements(functions, FUNCTIONS, 7);
	recordings = f->measurements->benchmarks[0].recordings;
	if (analysis_prepare(&f->analysis, &recordings[VERSION_BASE], &recordings[VERSION_HEAD],
		    NULL, 1, &err))
		fail_msg("%s", err.message);
	verdict_decide(&f->analysis.input, &f->analysis.scratch, &f->analysis.verdict);
	assert_int_equal(f->analysis.verdict.status, VERDICT_REGRESSION);
	for (int version = 0; version < VERSION_COUNT; version++) {
		f->profiles[version] = support_profile();
		f->counted[version] = (struct counted_calls){
			.profile = f->profiles[version], .runs = 2, .iterations = {1, 1}};
	}
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	analysis_release(&f->analysis);
	measurements_free(f->measurements);
	for (int version = 0; version < VERSION_COUNT; version++)
		profile_free(f->profiles[version]);
	free(f);
	return 0;
}

static uint32_t location_of(struct profile *profile, const char *name, uint64_t address)
{
	struct profile_function function = {
		.name = name, .system_name = "", .file = "src/a.c", .start_line = 1};
	struct profile_line line = {profile_add_function(profile, &function), 5};
	struct profile_location location = {
		.mapping = PROFILE_NO_MAPPING, .address = address, .lines = &line, .line_count = 1};

	return profile_add_location(profile, &location);
}

#define INSTRUCTIONS 20 /* of each call, with all below it */

static void add_run(
	struct profile *profile, const char *caller, const char *callee, int64_t run, int64_t calls)
{
	uint32_t stack[] = {location_of(profile, callee, 16), location_of(profile, caller, 32)};
	int64_t values[] = {calls, INSTRUCTIONS * calls, 0};
	struct profile_label label = {.key = PROFILE_LABEL_ROUND, .number = run, .unit = ""};
	struct profile_sample sample = {.locations = stack,
		.depth = 2,
		.values = values,
		.labels = &label,
		.label_count = 1};

	profile_add_sample(profile, &sample);
}

/* In both runs. */
static void add_calls(
	struct fixture *f, int version, const char *caller, const char *callee, int64_t calls)
{
	add_run(f->profiles[version], caller, callee, 0, calls);
	add_run(f->profiles[version], caller, callee, 1, calls);
}

static const struct call_counts *pick(struct fixture *f, int version)
{
	struct recording *recordings = f->measurements->benchmarks[0].recordings;

	calls_pick(&f->analysis, f->counted, recordings);
	return &recordings[version].calls;
}

/* -1: unknown. */
static double calls_of(const struct call_counts *counts, const char *caller, const char *callee)
{
	const struct call_count *item =
		call_counts_find(counts, caller, *caller ? "src/a.c" : "", callee, "src/a.c");

	return item ? item->calls : -1;
}

static void add_usual_calls(struct fixture *f, int version)
{
	add_calls(f, version, "main", "add", 10);
	add_calls(f, version, "main", "table", 20);
	add_calls(f, version, "add", "hash", 1000);
	add_calls(f, version, "table", "hash", 500);
	add_calls(f, version, "hash", "mix", 700);
	add_calls(f, version, "main", "other", 5);
}

static void test_instructions_are_told_with_and_without_what_is_called(void **state)
{
	struct fixture *f = *state;
	const struct call_counts *counts;
	const struct call_count *hash, *edge;

	add_usual_calls(f, VERSION_BASE);
	add_usual_calls(f, VERSION_HEAD);
	counts = pick(f, VERSION_BASE);
	hash = call_counts_find(counts, "", "", "hash", "src/a.c");
	edge = call_counts_find(counts, "add", "src/a.c", "hash", "src/a.c");
	assert_true(hash->instructions == 1500 * INSTRUCTIONS);
	assert_true(hash->own_instructions == (1500 - 700) * INSTRUCTIONS);
	assert_true(edge->instructions == 1000 * INSTRUCTIONS && edge->own_instructions == 0);
	/* It calls more than was counted of it: recursion, which tells nothing. */
	assert_true(call_counts_find(counts, "", "", "add", "src/a.c")->own_instructions == 0);
}

static void test_culprits_their_callers_and_callees_are_told(void **state)
{
	struct fixture *f = *state;
	const struct call_counts *base, *head;

	add_usual_calls(f, VERSION_BASE);
	add_usual_calls(f, VERSION_HEAD);
	add_calls(f, VERSION_HEAD, "table", "hash", 250);
	base = pick(f, VERSION_BASE);
	head = &f->measurements->benchmarks[0].recordings[VERSION_HEAD].calls;
	assert_string_equal(base->engine, CALL_COUNTS_CALLGRIND);
	assert_true(base->exact && head->exact);
	assert_int_equal(base->runs, 2);
	assert_true(calls_of(base, "", "hash") == 1500);
	assert_true(calls_of(head, "", "hash") == 1750);
	assert_true(calls_of(base, "add", "hash") == 1000);
	assert_true(calls_of(head, "add", "hash") == 1000);
	assert_true(calls_of(base, "table", "hash") == 500);
	assert_true(calls_of(head, "table", "hash") == 750);
	assert_true(calls_of(base, "hash", "mix") == 700);
	assert_true(calls_of(base, "", "mix") == 700);
	assert_true(calls_of(base, "", "table") == 20);
	assert_true(calls_of(base, "", "other") == -1);
	assert_true(calls_of(base, "main", "add") == -1);
}

static uint32_t row_of(const struct fixture *f, const char *name)
{
	uint32_t row = 0;

	while (strcmp(f->analysis.comparison.matches.functions[row].name, name) != 0)
		row++;
	return row;
}

static void test_what_is_excused_is_told_beside_them(void **state)
{
	struct fixture *f = *state;
	const uint32_t other = row_of(f, "other");
	const struct call_counts *base;

	add_usual_calls(f, VERSION_BASE);
	add_usual_calls(f, VERSION_HEAD);
	f->analysis.doubted = &other;
	f->analysis.doubted_count = 1;
	base = pick(f, VERSION_BASE);
	assert_true(calls_of(base, "", "other") == 5);
	assert_true(calls_of(base, "main", "other") == 5);
	assert_true(calls_of(base, "", "hash") == 1500);
}

/* Of another there is no telling where it moved from. */
static void test_what_cost_is_said_to_have_moved_from_is_told(void **state)
{
	struct fixture *f = *state;
	struct verdict_shift shifts[] = {
		{.function = row_of(f, "table"), .from = VERDICT_NONE},
		{.function = row_of(f, "table"), .from = row_of(f, "other")},
		{.function = row_of(f, "add"), .from = row_of(f, "other")},
	};
	const struct call_counts *base;

	add_usual_calls(f, VERSION_BASE);
	add_usual_calls(f, VERSION_HEAD);
	f->analysis.verdict.shifts = shifts;
	f->analysis.verdict.shift_count = 1;
	giver_calls_want(&f->analysis);
	assert_true(calls_of(pick(f, VERSION_BASE), "", "other") == -1);
	f->analysis.verdict.shift_count = 3;
	giver_calls_want(&f->analysis);
	assert_int_equal(f->analysis.giver_count, 1);
	/* Once it is known that it gave nothing away, there is no such shift; its counts stay. */
	f->analysis.verdict.shift_count = 0;
	base = pick(f, VERSION_BASE);
	assert_true(calls_of(base, "", "other") == 5);
	assert_true(calls_of(base, "", "hash") == 1500);
}

static void test_callers_that_no_profile_has_are_told(void **state)
{
	struct fixture *f = *state;
	const struct call_counts *head;

	add_calls(f, VERSION_BASE, "add", "hash", 1000);
	add_calls(f, VERSION_HEAD, "add", "hash", 1000);
	add_calls(f, VERSION_HEAD, "quick", "hash", 3);
	add_calls(f, VERSION_HEAD, "main", "quick", 1);
	head = pick(f, VERSION_HEAD);
	assert_true(calls_of(head, "quick", "hash") == 3);
	assert_true(calls_of(head, "", "quick") == 1);
}

static void test_what_one_version_does_not_call_is_zero_where_both_run(void **state)
{
	struct fixture *f = *state;
	const struct call_counts *base;

	add_calls(f, VERSION_BASE, "add", "hash", 1000);
	add_calls(f, VERSION_BASE, "main", "table", 2);
	add_calls(f, VERSION_HEAD, "add", "hash", 1000);
	add_calls(f, VERSION_HEAD, "table", "hash", 8);
	add_calls(f, VERSION_HEAD, "hash", "mix", 9);
	base = pick(f, VERSION_BASE);
	assert_true(calls_of(base, "table", "hash") == 0);
	/* Where mix does not run as a function it may be inlined. */
	assert_true(calls_of(base, "hash", "mix") == -1);
	assert_true(calls_of(base, "", "mix") == -1);
}

static void test_a_function_that_only_the_other_version_spent_time_in_is_the_same(void **state)
{
	struct fixture *f = *state;
	const struct call_counts *base;

	add_calls(f, VERSION_BASE, "later", "hash", 4);
	add_calls(f, VERSION_BASE, "main", "later", 1);
	add_calls(f, VERSION_HEAD, "later", "hash", 40);
	add_calls(f, VERSION_HEAD, "main", "later", 2);
	base = pick(f, VERSION_BASE);
	assert_true(calls_of(base, "later", "hash") == 4);
	assert_true(calls_of(base, "", "later") == 1);
}

/* valgrind's processor has another implementation of it. */
static void test_a_function_of_libc_is_counted_by_what_stands_for_it(void **state)
{
	struct fixture *f = *state;
	const uint32_t wanted[] = {
		row_of(f, "__memcmp_evex_movbe"), row_of(f, "__memset_avx2_unaligned")};
	const struct call_counts *base;

	add_usual_calls(f, VERSION_BASE);
	add_usual_calls(f, VERSION_HEAD);
	add_calls(f, VERSION_BASE, "add", "__memcmp_avx2_movbe", 60);
	add_calls(f, VERSION_BASE, "add", "__memset_sse2_unaligned", 70);
	f->analysis.doubted = wanted;
	f->analysis.doubted_count = 2;
	base = pick(f, VERSION_BASE);
	assert_true(calls_of(base, "", "__memcmp_evex_movbe") == 60);
	assert_true(calls_of(base, "add", "__memcmp_evex_movbe") == 60);
	/* Which of the two that are sampled this one stands for is not known. */
	assert_true(calls_of(base, "", "__memset_avx2_unaligned") == -1);
}

static void test_runs_that_differ_are_not_exact(void **state)
{
	struct fixture *f = *state;
	const struct call_counts *base;

	add_usual_calls(f, VERSION_BASE);
	add_usual_calls(f, VERSION_HEAD);
	add_run(f->profiles[VERSION_BASE], "add", "hash", 1, 1);
	base = pick(f, VERSION_BASE);
	assert_false(base->exact);
	assert_true(f->measurements->benchmarks[0].recordings[VERSION_HEAD].calls.exact);
	assert_true(calls_of(base, "add", "hash") == 1000.5);
}

static void test_differences_elsewhere_do_not_matter(void **state)
{
	struct fixture *f = *state;

	add_usual_calls(f, VERSION_BASE);
	add_usual_calls(f, VERSION_HEAD);
	add_run(f->profiles[VERSION_BASE], "main", "other", 1, 1);
	assert_true(pick(f, VERSION_BASE)->exact);
}

static void test_lost_processes_or_one_run_are_not_exact(void **state)
{
	struct fixture *f = *state;

	add_usual_calls(f, VERSION_BASE);
	add_usual_calls(f, VERSION_HEAD);
	f->counted[VERSION_BASE].lost = true;
	assert_false(pick(f, VERSION_BASE)->exact);
	f->counted[VERSION_BASE].lost = false;
	f->counted[VERSION_BASE].runs = 1;
	assert_false(pick(f, VERSION_BASE)->exact);
	assert_true(calls_of(pick(f, VERSION_BASE), "add", "hash") == 1000);
}

static void test_counted_work_is_told_by_iteration(void **state)
{
	struct fixture *f = *state;

	add_usual_calls(f, VERSION_BASE);
	add_usual_calls(f, VERSION_HEAD);
	f->counted[VERSION_BASE].iterations[0] = f->counted[VERSION_BASE].iterations[1] = 8;
	assert_true(calls_of(pick(f, VERSION_BASE), "add", "hash") == 125);
}

static void test_callers_are_few_and_sampled_ones_come_first(void **state)
{
	struct fixture *f = *state;
	const struct call_counts *base;
	size_t edges = 0;

	for (int i = 0; i < 100; i++) {
		char name[32];

		snprintf(name, sizeof(name), "caller%d", i);
		add_calls(f, VERSION_BASE, name, "hash", 1000 + i);
	}
	add_calls(f, VERSION_BASE, "add", "hash", 3);
	base = pick(f, VERSION_BASE);
	for (size_t i = 0; i < base->count; i++)
		edges += base->items[i].caller[0] && strcmp(base->items[i].callee, "hash") == 0;
	assert_int_equal(edges, CALLS_PICK_MOST);
	assert_true(calls_of(base, "add", "hash") == 3);
	assert_true(calls_of(base, "caller99", "hash") == 1099);
	assert_true(calls_of(base, "caller1", "hash") == -1);
	/* 1000 to 1099 make 104950. */
	assert_true(calls_of(base, "", "hash") == 104953);
}

/* A recording with them must stay one that can be read. */
static void test_endless_names_are_left_out(void **state)
{
	struct fixture *f = *state;
	char name[20000];
	const struct call_counts *base;

	for (int i = 0; i < 10; i++) {
		memset(name, 'a' + i, sizeof(name));
		name[sizeof(name) - 1] = '\0';
		add_calls(f, VERSION_BASE, name, "hash", 100);
		add_calls(f, VERSION_BASE, "main", name, 1);
	}
	add_calls(f, VERSION_BASE, "add", "hash", 5);
	base = pick(f, VERSION_BASE);
	/* Of 20 long ones as many as fit into 256 KiB. */
	assert_in_range(base->count, 13, 16);
	assert_true(calls_of(base, "", "hash") == 1005);
	assert_true(calls_of(base, "add", "hash") == 5);
}

static void test_what_is_picked_can_be_written_and_read(void **state)
{
	struct fixture *f = *state;
	struct recording *base = f->measurements->benchmarks[0].recordings,
			 read = {.arena = ARENA_INIT};
	struct strbuf text = STRBUF_INIT;
	struct error err;

	add_usual_calls(f, VERSION_BASE);
	add_usual_calls(f, VERSION_HEAD);
	pick(f, VERSION_BASE);
	base->tool_version = base->commit = base->tree = "";
	recording_encode(base, &text);
	if (recording_decode(text.data, text.length, &read, &err))
		fail_msg("%s", err.message);
	assert_int_equal(read.calls.count, base->calls.count);
	assert_true(read.calls.count > 5);
	arena_release(&read.arena);
	strbuf_release(&text);
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_instructions_are_told_with_and_without_what_is_called),
		test(test_culprits_their_callers_and_callees_are_told),
		test(test_what_is_excused_is_told_beside_them),
		test(test_what_cost_is_said_to_have_moved_from_is_told),
		test(test_callers_that_no_profile_has_are_told),
		test(test_what_one_version_does_not_call_is_zero_where_both_run),
		test(test_a_function_that_only_the_other_version_spent_time_in_is_the_same),
		test(test_a_function_of_libc_is_counted_by_what_stands_for_it),
		test(test_runs_that_differ_are_not_exact),
		test(test_differences_elsewhere_do_not_matter),
		test(test_lost_processes_or_one_run_are_not_exact),
		test(test_counted_work_is_told_by_iteration),
		test(test_callers_are_few_and_sampled_ones_come_first),
		test(test_endless_names_are_left_out),
		test(test_what_is_picked_can_be_written_and_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
