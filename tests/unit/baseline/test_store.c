/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/store.h"

#include "gate/base/error.h"
#include "tests/unit/baseline/memory_store.h"
#include "tests/unit/bench/scene.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void test_lines_grow(void **state)
{
	struct store_lines lines = {.arena = ARENA_INIT};

	(void)state;
	for (int i = 0; i < 100; i++)
		store_lines_add(&lines, "line %d", i);
	assert_int_equal(lines.count, 100);
	assert_string_equal(lines.items[0], "line 0");
	assert_string_equal(lines.items[99], "line 99");
	store_lines_release(&lines);
	assert_int_equal(lines.count, 0);
	store_lines_add(NULL, "nobody listens");
}

static void test_commit_ids_are_full_and_lower_case(void **state)
{
	(void)state;
	assert_true(store_is_commit_id(A));
	assert_true(store_is_commit_id(A "0123456789abcdef01234567"));
	assert_false(store_is_commit_id(A "0"));
	assert_false(store_is_commit_id("../aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
	assert_false(store_is_commit_id("Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
	assert_false(store_is_commit_id(""));
}

static void test_long_lists_are_sorted_by_their_commits_newest_entry(void **state)
{
	struct memory_entry entries[100];
	struct memory_store memory = {.entries = entries, .count = 100};
	struct store *store = memory_open(&memory);
	struct baseline_list list;
	char names[100][8];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(names[i], sizeof(names[i]), "b%02d", 99 - i);
		entries[i] = (struct memory_entry){
			{{i % 2 ? A : B, names[i], i % 4 < 2 ? "cpu" : "alloc", "e"}, 1000 - i,
				BASELINE_TREE, 0, 0, 0},
			0};
	}
	entries[51].entry.time_ns = 5000;      /* of A, not its first */
	entries[52].entry.time_ns = INT64_MAX; /* of B, and not believed */
	assert_int_equal(store_list(store, NULL, true, &list, NULL), ERR_OK);
	assert_int_equal(list.count, 100);
	for (size_t i = 0; i < 100; i++)
		assert_string_equal(list.entries[i].key.commit, i < 50 ? A : B);
	for (size_t i = 1; i < 50; i++)
		assert_true(strcmp(list.entries[i - 1].key.benchmark,
				    list.entries[i].key.benchmark) < 0);
	baseline_list_release(&list);
	store_close(store);
	assert_int_equal(memory.closes, 1);
}

static void assert_put_refused(struct recording *recording, int code, const char *message)
{
	struct memory_store memory = {.count = 0};
	struct store *store = memory_open(&memory);
	struct recording good = recordings_make(&(struct recordings_options){.seed = 2});
	const struct recording *both[] = {&good, recording};
	unsigned attempts = 99;
	struct error err;

	assert_int_equal(store_put(store, both, 2, &attempts, &err), code);
	assert_contains(err.message, message);
	assert_int_equal(memory.puts, 0);
	assert_int_equal(attempts, 99);
	assert_int_equal(store_put(store, both, 1, &attempts, &err), ERR_OK);
	assert_int_equal(attempts, 7);
	assert_int_equal(store_put(store, both, 1, NULL, &err), ERR_OK);
	recording_release(&good);
	store_close(store);
}

static void test_what_would_not_be_believed_is_not_put(void **state)
{
	struct recording recording = recordings_make(&(struct recordings_options){.seed = 1});
	struct recording bad = recording;

	(void)state;
	bad.commit = "";
	assert_put_refused(&bad, ERR_USAGE, "benchmark parse: only recordings of a commit");
	bad = recording;
	bad.commit = "HEAD";
	assert_put_refused(&bad, ERR_USAGE, "commit");
	bad = recording;
	bad.benchmark = "";
	assert_put_refused(&bad, ERR_USAGE, "name");
	bad = recording;
	bad.profile_type = "../cpu";
	assert_put_refused(&bad, ERR_USAGE, "profile type");
	bad = recording;
	bad.time_ns = -1;
	assert_put_refused(&bad, ERR_USAGE, "1970");
	bad.time_ns = INT64_MAX;
	assert_put_refused(&bad, ERR_USAGE, "in the future");
	bad = recording;
	bad.round_count = 1;
	assert_put_refused(&bad, ERR_MEASURE, "benchmark parse: ");
	recording_release(&recording);
}

static void test_commits_that_are_none_are_refused(void **state)
{
	struct memory_store memory = {.count = 0};
	struct store *store = memory_open(&memory);
	struct baseline_key key = {"HEAD", "parse", "cpu", NULL};
	const char *commits[] = {A, "--all"};
	struct baseline_list list;
	struct recording recording;
	enum baseline_detail detail;
	bool found[2];
	struct error err;

	(void)state;
	assert_int_equal(store_get(store, &key, &recording, &detail, &err), ERR_USAGE);
	assert_int_equal(store_list(store, "HEAD", true, &list, &err), ERR_USAGE);
	assert_int_equal(store_find(store, commits, 2, found, &err), ERR_USAGE);
	assert_int_equal(memory.gets + memory.lists + memory.finds, 0);
	store_close(store);
}

static void test_a_store_without_prune_says_who_prunes(void **state)
{
	struct memory_store memory = {.count = 0};
	struct store *store = memory_open(&memory);
	struct store_prune_result result = {1, 2, 3, 4, 5};
	struct error err;

	(void)state;
	assert_int_equal(store_prune(store, 1, false, &result, &err), ERR_USAGE);
	assert_contains(err.message, "memory prunes by its own retention");
	assert_int_equal(result.kept_full, 1);
	assert_int_equal(store_prune(store, 1, true, &result, &err), ERR_OK);
	assert_int_equal(result.kept_full, 0);
	assert_string_equal(store_losses(store)[0], "everything");
	assert_string_equal(store_name(store), "memory");
	store_close(store);
}

static void test_verify_reads_each_entry(void **state)
{
	const struct memory_entry entries[] = {
		{{{A, "parse", "cpu", "e"}, 1, BASELINE_TREE, 0, 0, 0}, 0},
		{{{A, "render", "cpu", "e"}, 1, BASELINE_TREE, 0, 0, 0}, ERR_CORRUPT},
		{{{B, "parse", "cpu", "e"}, 1, BASELINE_TREE, 0, 0, 0}, ERR_NOT_FOUND}};
	struct memory_store memory = {.entries = entries, .count = 3};
	struct store *store = memory_open(&memory);
	struct store_verify_result result;

	(void)state;
	assert_int_equal(store_verify(store, &result, NULL), ERR_OK);
	assert_int_equal(result.entries, 3);
	assert_int_equal(result.bad, 2);
	assert_int_equal(store_warnings(store)->count, 2);
	assert_contains(store_warnings(store)->items[0], "aaaaaaaaaaaa render (cpu): ");
	store_close(store);
}

static void test_verify_counts_what_an_older_one_stands_in_for(void **state)
{
	const struct memory_entry entries[] = {
		{{{A, "parse", "cpu", "e"}, 1, BASELINE_TREE, 0, 0, 0}, MEMORY_OLDER},
		{{{B, "parse", "cpu", "e"}, 1, BASELINE_TREE, 0, 0, 0}, 0}};
	struct memory_store memory = {.entries = entries, .count = 2};
	struct store *store = memory_open(&memory);
	struct store_verify_result result;

	(void)state;
	assert_int_equal(store_verify(store, &result, NULL), ERR_OK);
	assert_int_equal(result.entries, 3);
	assert_int_equal(result.bad, 1);
	assert_int_equal(result.unread, 0);
	store_close(store);
}

static void test_verify_fails_where_nothing_can_be_told(void **state)
{
	const struct memory_entry entries[] = {
		{{{A, "parse", "cpu", "e"}, 1, BASELINE_TREE, 0, 0, 0}, ERR_IO}};
	struct memory_store memory = {.entries = entries, .count = 1};
	struct store *store = memory_open(&memory);
	struct store_verify_result result = {7, 7, 7};
	struct error err;

	(void)state;
	assert_int_equal(store_verify(store, &result, &err), ERR_IO);
	assert_int_equal(result.entries, 7);
	memory.list_fails = ERR_TOOL;
	assert_int_equal(store_verify(store, &result, &err), ERR_TOOL);
	store_close(store);
}

static void keep_line(void *data, const char *line)
{
	strbuf_addf(data, "[%s]", line);
}

static void test_progress_is_defused(void **state)
{
	struct memory_store memory = {.count = 0};
	struct store *store = memory_open(&memory);
	struct strbuf seen = STRBUF_INIT;

	(void)state;
	store_progress(store, "nobody listens");
	store->options.progress = keep_line;
	store->options.progress_data = &seen;
	store_progress(store, "::error::%s\x1b[31m", "x");
	assert_lacks(seen.data, "[::error");
	assert_lacks(seen.data, "\x1b");
	strbuf_release(&seen);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_grow),
		cmocka_unit_test(test_commit_ids_are_full_and_lower_case),
		cmocka_unit_test(test_long_lists_are_sorted_by_their_commits_newest_entry),
		cmocka_unit_test(test_what_would_not_be_believed_is_not_put),
		cmocka_unit_test(test_commits_that_are_none_are_refused),
		cmocka_unit_test(test_a_store_without_prune_says_who_prunes),
		cmocka_unit_test(test_verify_reads_each_entry),
		cmocka_unit_test(test_verify_counts_what_an_older_one_stands_in_for),
		cmocka_unit_test(test_verify_fails_where_nothing_can_be_told),
		cmocka_unit_test(test_progress_is_defused),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
