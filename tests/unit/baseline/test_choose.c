/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/choose.h"

#include "gate/base/error.h"
#include "tests/unit/baseline/memory_store.h"
#include "tests/unit/bench/scene.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccc"
#define D "dddddddddddddddddddddddddddddddddddddddd"

static const char *const ancestors[] = {A, B, C};

#define ENTRY_FAILING(commit, benchmark, type, environment, time, detail, code)                    \
	{                                                                                          \
		{{commit, benchmark, type, environment}, time, detail, 0, 0, 0}, code              \
	}
#define ENTRY(...) ENTRY_FAILING(__VA_ARGS__, ERR_OK)

static int choose(struct memory_store *memory, struct baseline_choice *choice, struct error *err)
{
	struct store *store = memory_open(memory);
	int rc = baseline_choose(store, ancestors, 3, "parse", "cpu", "here", choice, err);

	store_close(store);
	return rc;
}

static void assert_chosen(struct memory_store memory, const char *commit, size_t distance,
	bool same, enum baseline_detail detail)
{
	struct baseline_choice choice;
	struct error err;

	if (choose(&memory, &choice, &err))
		fail_msg("%s", err.message);
	assert_string_equal(choice.commit, commit);
	assert_string_equal(choice.recording.commit, commit);
	assert_int_equal(choice.distance, distance);
	assert_int_equal(choice.same_environment, same);
	assert_int_equal(choice.detail, detail);
	assert_int_equal(memory.finds, 1);
	recording_release(&choice.recording);
}

#define MEMORY(list)                                                                               \
	((struct memory_store){.entries = list, .count = sizeof(list) / sizeof(*(list))})

static void test_the_base_itself_is_taken_first(void **state)
{
	static const struct memory_entry entries[] = {
		ENTRY(B, "parse", "cpu", "here", 9, BASELINE_TREE),
		ENTRY(A, "parse", "cpu", "here", 1, BASELINE_EXACT)};

	(void)state;
	assert_chosen(MEMORY(entries), A, 0, true, BASELINE_EXACT);
}

static void test_else_the_nearest_ancestor(void **state)
{
	static const struct memory_entry entries[] = {
		ENTRY(A, "render", "cpu", "here", 1, BASELINE_TREE),
		ENTRY(A, "parse", "instructions", "here", 1, BASELINE_TREE),
		ENTRY(C, "parse", "cpu", "here", 9, BASELINE_TREE),
		ENTRY(B, "parse", "cpu", "here", 1, BASELINE_SUMMARY)};

	(void)state;
	assert_chosen(MEMORY(entries), B, 1, true, BASELINE_SUMMARY);
}

static void test_the_same_environment_goes_before_nearness(void **state)
{
	static const struct memory_entry entries[] = {
		ENTRY(A, "parse", "cpu", "there", 1, BASELINE_TREE),
		ENTRY(C, "parse", "cpu", "here", 1, BASELINE_TREE)};

	(void)state;
	assert_chosen(MEMORY(entries), C, 2, true, BASELINE_TREE);
}

static void test_another_environment_is_taken_at_last_and_said(void **state)
{
	static const struct memory_entry entries[] = {
		ENTRY(C, "parse", "cpu", "there", 9, BASELINE_TREE),
		ENTRY(B, "parse", "cpu", "elsewhere", 1, BASELINE_TREE)};

	(void)state;
	assert_chosen(MEMORY(entries), B, 1, false, BASELINE_TREE);
}

static void test_what_cannot_be_read_is_passed_over(void **state)
{
	static const struct memory_entry entries[] = {
		ENTRY_FAILING(A, "parse", "cpu", "here", 1, BASELINE_TREE, ERR_NOT_FOUND),
		ENTRY(B, "parse", "cpu", "here", 1, BASELINE_TREE)};
	static const struct memory_entry foreign[] = {
		ENTRY_FAILING(A, "parse", "cpu", "there", 1, BASELINE_TREE, ERR_NOT_FOUND),
		ENTRY(C, "parse", "cpu", "elsewhere", 1, BASELINE_TREE)};

	(void)state;
	assert_chosen(MEMORY(entries), B, 1, true, BASELINE_TREE);
	assert_chosen(MEMORY(foreign), C, 2, false, BASELINE_TREE);
}

/* Each costs what decoding one costs: whoever can write to the store must not hold up a check. */
static void test_only_so_many_entries_that_cannot_be_read_are_tried(void **state)
{
	struct memory_entry entries[40];
	struct memory_store memory = MEMORY(entries);
	struct baseline_choice choice;
	char environments[40][8];
	struct error err;

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		snprintf(environments[i], sizeof(environments[i]), "e%zu", i);
		entries[i] = (struct memory_entry)ENTRY_FAILING(
			A, "parse", "cpu", environments[i], 1, BASELINE_TREE, ERR_NOT_FOUND);
	}
	assert_int_equal(choose(&memory, &choice, &err), ERR_NOT_FOUND);
	assert_int_equal(memory.gets, 8);
	assert_contains(err.message, "1 have others");
}

static void test_descendants_and_strangers_are_never_taken(void **state)
{
	static const struct memory_entry entries[] = {
		ENTRY(D, "parse", "cpu", "here", 1, BASELINE_TREE)};
	struct memory_store memory = MEMORY(entries);
	struct baseline_choice choice;
	struct error err;

	(void)state;
	assert_int_equal(choose(&memory, &choice, &err), ERR_NOT_FOUND);
	assert_contains(err.message, "memory has no baseline of the base or its 2 nearest");
	assert_int_equal(memory.lists, 0);
}

static void test_a_failure_says_what_there_is(void **state)
{
	static const struct memory_entry entries[] = {
		ENTRY(A, "render", "cpu", "there", 1, BASELINE_TREE),
		ENTRY(C, "parse", "instructions", "elsewhere", 1, BASELINE_TREE)};
	struct memory_store memory = MEMORY(entries);
	struct baseline_choice choice;
	struct error err;

	(void)state;
	assert_int_equal(choose(&memory, &choice, &err), ERR_NOT_FOUND);
	assert_contains(err.message, "no cpu baseline of parse");
	assert_contains(err.message, "2 nearest ancestors 2 have others");
	assert_contains(err.message, "there, elsewhere");
	assert_contains(err.message, "this one is here");
	assert_int_equal(memory.gets, 0);
}

static void test_a_store_that_fails_is_not_one_that_has_nothing(void **state)
{
	static const struct memory_entry entries[] = {
		ENTRY_FAILING(A, "parse", "cpu", "here", 1, BASELINE_TREE, ERR_IO)};
	struct memory_store memory = MEMORY(entries);
	struct baseline_choice choice;
	struct error err;

	(void)state;
	assert_int_equal(choose(&memory, &choice, &err), ERR_IO);
	memory.list_fails = ERR_TOOL;
	assert_int_equal(choose(&memory, &choice, &err), ERR_TOOL);
	memory.find_fails = ERR_LIMIT;
	assert_int_equal(choose(&memory, &choice, &err), ERR_LIMIT);
}

static void test_only_so_many_ancestors_are_looked_at(void **state)
{
	static const struct memory_entry entries[] = {
		ENTRY(D, "parse", "cpu", "here", 1, BASELINE_TREE)};
	const char *many[BASELINE_REACH + 1];
	struct memory_store memory = MEMORY(entries);
	struct store *store = memory_open(&memory);
	struct baseline_choice choice;
	struct error err;

	(void)state;
	for (size_t i = 0; i < BASELINE_REACH; i++)
		many[i] = A;
	many[BASELINE_REACH] = D;
	assert_int_equal(baseline_choose(store, many, BASELINE_REACH + 1, "parse", "cpu", "here",
				 &choice, &err),
		ERR_NOT_FOUND);
	many[BASELINE_REACH - 1] = D;
	assert_int_equal(baseline_choose(store, many, BASELINE_REACH + 1, "parse", "cpu", "here",
				 &choice, &err),
		ERR_OK);
	assert_int_equal(choice.distance, BASELINE_REACH - 1);
	assert_int_equal(memory.lists, 1);
	recording_release(&choice.recording);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_base_itself_is_taken_first),
		cmocka_unit_test(test_else_the_nearest_ancestor),
		cmocka_unit_test(test_the_same_environment_goes_before_nearness),
		cmocka_unit_test(test_another_environment_is_taken_at_last_and_said),
		cmocka_unit_test(test_what_cannot_be_read_is_passed_over),
		cmocka_unit_test(test_only_so_many_entries_that_cannot_be_read_are_tried),
		cmocka_unit_test(test_descendants_and_strangers_are_never_taken),
		cmocka_unit_test(test_a_failure_says_what_there_is),
		cmocka_unit_test(test_a_store_that_fails_is_not_one_that_has_nothing),
		cmocka_unit_test(test_only_so_many_ancestors_are_looked_at),
	};

	return cmocka_run_group_tests_name("choose", tests, NULL, NULL);
}
