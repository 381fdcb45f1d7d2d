/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/error.h"
#include "tests/unit/baseline/lines.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static void add(struct strbuf *note, const char *benchmark, int64_t time_ns, uint64_t seed)
{
	lines_make(note,
		&(struct recordings_options){.seed = seed,
			.nodes = 10,
			.benchmark = benchmark,
			.commit = COMMIT,
			.time_ns = time_ns},
		BASELINE_TREE);
}

/* The union, which must succeed; warnings may be NULL. */
static struct strbuf merge(
	const struct strbuf *a, const struct strbuf *b, struct store_lines *warnings)
{
	struct strbuf out = STRBUF_INIT;
	struct error err;

	if (note_merge(a->data, a->length, b->data, b->length, COMMIT, &out, warnings, &err))
		fail_msg("%s", err.message);
	return out;
}

static size_t count_lines(const struct strbuf *note)
{
	size_t count = 0;

	for (size_t i = 0; i < note->length; i++)
		count += note->data[i] == '\n';
	return count;
}

static void release(struct strbuf *first, struct strbuf *second, struct strbuf *third)
{
	strbuf_release(first);
	strbuf_release(second);
	strbuf_release(third);
}

static void test_a_union_has_the_lines_of_both_sorted(void **state)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT, ab, ba;

	(void)state;
	add(&a, "parse", 1, 1);
	add(&a, "render", 1, 2);
	add(&b, "zip", 1, 3);
	add(&b, "ast", 1, 4);
	ab = merge(&a, &b, NULL);
	ba = merge(&b, &a, NULL);
	assert_int_equal(count_lines(&ab), 4);
	assert_int_equal(ab.length, a.length + b.length);
	assert_string_equal(ab.data, ba.data);
	for (char *line = ab.data, *next; (next = strchr(line, '\n') + 1)[0]; line = next)
		assert_true(strcmp(line, next) < 0);
	release(&a, &b, &ab);
	strbuf_release(&ba);
}

static void test_of_two_lines_with_one_key_the_newer_counts(void **state)
{
	struct strbuf old = STRBUF_INIT, new = STRBUF_INIT, both;

	(void)state;
	/* As text the older time is the larger. */
	add(&old, "parse", INT64_C(999999999), 1);
	add(&new, "parse", INT64_C(1000000000), 2);
	both = merge(&old, &new, NULL);
	assert_string_equal(both.data, new.data);
	strbuf_release(&both);
	both = merge(&new, &old, NULL);
	assert_string_equal(both.data, new.data);
	release(&old, &new, &both);
}

/* Else nothing could ever replace it. Alone it stays: perhaps it is our clock that is wrong. */
static void test_a_line_from_the_future_gives_way_to_any_other(void **state)
{
	struct strbuf future = STRBUF_INIT, now = STRBUF_INIT, both;

	(void)state;
	add(&future, "parse", INT64_MAX, 1);
	add(&now, "parse", 5, 2);
	both = merge(&future, &now, NULL);
	assert_string_equal(both.data, now.data);
	strbuf_release(&both);
	both = merge(&now, &future, NULL);
	assert_string_equal(both.data, now.data);
	strbuf_release(&both);
	strbuf_reset(&now);
	both = merge(&future, &now, NULL);
	assert_string_equal(both.data, future.data);
	release(&future, &now, &both);
}

static void test_of_equal_times_the_same_line_is_chosen_in_any_order(void **state)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT, ab, ba;

	(void)state;
	add(&a, "parse", 5, 1);
	add(&b, "parse", 5, 2);
	ab = merge(&a, &b, NULL);
	ba = merge(&b, &a, NULL);
	assert_int_equal(count_lines(&ab), 1);
	assert_string_equal(ab.data, ba.data);
	assert_string_equal(ab.data, strcmp(a.data, b.data) > 0 ? a.data : b.data);
	release(&a, &b, &ab);
	strbuf_release(&ba);
}

static void test_a_tree_counts_before_its_own_summary(void **state)
{
	struct recordings_options options = {.seed = 1, .nodes = 10, .commit = COMMIT};
	struct strbuf tree = STRBUF_INIT, summary = STRBUF_INIT, both;

	(void)state;
	lines_make(&tree, &options, BASELINE_TREE);
	lines_make(&summary, &options, BASELINE_SUMMARY);
	both = merge(&summary, &tree, NULL);
	assert_string_equal(both.data, tree.data);
	release(&tree, &summary, &both);
}

static void test_types_and_environments_are_keys_of_their_own(void **state)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT, both;

	(void)state;
	lines_make(&a, &(struct recordings_options){.seed = 1, .commit = COMMIT}, BASELINE_TREE);
	lines_make(&a,
		&(struct recordings_options){.seed = 1, .commit = COMMIT, .type = "instructions"},
		BASELINE_TREE);
	lines_make(&b,
		&(struct recordings_options){.seed = 1, .commit = COMMIT, .kernel = "Linux 6.2.0"},
		BASELINE_TREE);
	both = merge(&a, &b, NULL);
	assert_int_equal(count_lines(&both), 3);
	release(&a, &b, &both);
}

static void test_equal_notes_are_one(void **state)
{
	struct strbuf a = STRBUF_INIT, empty = STRBUF_INIT, once, twice;

	(void)state;
	add(&a, "parse", 1, 1);
	strbuf_addstr(&a, "somebody else's line\n");
	once = merge(&a, &empty, NULL);
	twice = merge(&once, &a, NULL);
	assert_int_equal(count_lines(&once), 2);
	assert_string_equal(once.data, twice.data);
	release(&a, &once, &twice);
}

static void test_lines_of_others_are_kept_as_they_are(void **state)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT, both;
	struct store_lines warnings = {.arena = ARENA_INIT};

	(void)state;
	strbuf_addstr(&a, "{\"flamegate\":2,\"anything\":[]} zzz\n\tReviewed-by: x \xff\n");
	strbuf_addstr(&b, "{\"tool\":1}\n");
	both = merge(&a, &b, &warnings);
	assert_string_equal(both.data, "\tReviewed-by: x \xff\n"
				       "{\"flamegate\":2,\"anything\":[]} zzz\n"
				       "{\"tool\":1}\n");
	assert_int_equal(warnings.count, 0);
	release(&a, &b, &both);
	store_lines_release(&warnings);
}

static void test_bad_lines_are_left_out_with_a_warning(void **state)
{
	struct strbuf good = STRBUF_INIT, bad = STRBUF_INIT, out, other = STRBUF_INIT;
	struct store_lines warnings = {.arena = ARENA_INIT};

	(void)state;
	add(&good, "parse", 1, 1);
	lines_edit(&bad, good.data, "\"rounds\":4", "\"rounds\":9999999");
	lines_edit(&bad, good.data, "\"sha256\":\"", "\"sha256\":\"00");
	lines_make(&other, &(struct recordings_options){.seed = 2, .nodes = 10}, BASELINE_TREE);
	strbuf_add(&bad, other.data, other.length);
	strbuf_addstr(&bad, "an \x1b[31mescape\n");
	strbuf_add(&bad, "a\0b\n", 4);
	out = merge(&good, &bad, &warnings);
	assert_string_equal(out.data, good.data);
	assert_int_equal(warnings.count, 5);
	for (size_t i = 0; i < warnings.count; i++)
		assert_contains(warnings.items[i], "a record of 0123456789ab was skipped: ");
	assert_contains(warnings.items[0], "rounds");
	assert_contains(warnings.items[1], "payload");
	assert_contains(warnings.items[2], "another commit");
	assert_contains(warnings.items[3], "control characters");
	release(&good, &bad, &out);
	strbuf_release(&other);
	store_lines_release(&warnings);
}

static void test_a_line_that_is_too_long_is_left_out(void **state)
{
	struct strbuf long_one = STRBUF_INIT, other = STRBUF_INIT, out;
	struct store_lines warnings = {.arena = ARENA_INIT};

	(void)state;
	while (long_one.length < LINE_MAX_BYTES)
		strbuf_addstr(&long_one, "0123456789abcdef");
	strbuf_addstr(&other, "short\n");
	out = merge(&long_one, &other, &warnings);
	assert_string_equal(out.data, "short\n");
	assert_int_equal(warnings.count, 1);
	assert_contains(warnings.items[0], "longer than");
	release(&long_one, &other, &out);
	store_lines_release(&warnings);
}

static void test_line_breaks_of_any_kind_and_none_at_all_are_fine(void **state)
{
	struct strbuf a = STRBUF_INIT, odd = STRBUF_INIT, empty = STRBUF_INIT, out;

	(void)state;
	add(&a, "parse", 1, 1);
	strbuf_addstr(&odd, "\n\r\n");
	strbuf_add(&odd, a.data, a.length - 1);
	strbuf_addstr(&odd, "\r\n\n");
	strbuf_add(&odd, a.data, a.length - 1);
	out = merge(&odd, &empty, NULL);
	assert_string_equal(out.data, a.data);
	release(&a, &odd, &out);
}

static void test_a_note_that_would_be_too_large_is_refused(void **state)
{
	struct strbuf lines = STRBUF_INIT, out = STRBUF_INIT;
	struct error err;

	(void)state;
	for (int i = 0; i < 17; i++) {
		size_t start = lines.length;

		strbuf_addf(&lines, "%d ", i);
		while (lines.length - start < LINE_MAX_BYTES - 32)
			strbuf_addstr(&lines, "0123456789abcdef");
		strbuf_addch(&lines, '\n');
	}
	strbuf_addstr(&out, "before");
	assert_int_equal(
		note_merge(lines.data, lines.length, "", 0, COMMIT, &out, NULL, &err), ERR_LIMIT);
	assert_contains(err.message, "0123456789ab");
	assert_string_equal(out.data, "before");
	strbuf_release(&lines);
	strbuf_release(&out);
}

static void test_summarising_leaves_one_summary_for_each_tree(void **state)
{
	struct strbuf note = STRBUF_INIT, out = STRBUF_INIT, again = STRBUF_INIT;
	struct store_lines warnings = {.arena = ARENA_INIT};
	size_t summarised = 99;

	(void)state;
	add(&note, "parse", 1, 1);
	add(&note, "render", 1, 2);
	strbuf_addstr(&note, "somebody else's\n");
	assert_int_equal(
		note_summarise(note.data, note.length, COMMIT, &out, &summarised, &warnings, NULL),
		ERR_OK);
	assert_int_equal(summarised, 2);
	assert_int_equal(count_lines(&out), 3);
	assert_contains(out.data, "somebody else's\n");
	assert_lacks(out.data, "\"detail\":\"tree\"");
	assert_int_equal(warnings.count, 0);
	assert_int_equal(
		note_summarise(out.data, out.length, COMMIT, &again, &summarised, &warnings, NULL),
		ERR_OK);
	assert_int_equal(summarised, 0);
	assert_string_equal(again.data, out.data);
	release(&note, &out, &again);
	store_lines_release(&warnings);
}

/* Its hash is right, so that only decoding shows what it is. */
static void test_summarising_drops_what_cannot_be_decoded(void **state)
{
	struct strbuf line = STRBUF_INIT, note = STRBUF_INIT, out = STRBUF_INIT;
	struct store_lines warnings = {.arena = ARENA_INIT};
	size_t summarised = 99;

	(void)state;
	add(&line, "parse", 1, 1);
	lines_with_payload(&note, line.data, "junk", 4);
	assert_int_equal(
		note_summarise(note.data, note.length, COMMIT, &out, &summarised, &warnings, NULL),
		ERR_OK);
	assert_int_equal(summarised, 0);
	assert_int_equal(out.length, 0);
	assert_int_equal(warnings.count, 1);
	assert_contains(warnings.items[0], "payload is damaged");
	release(&line, &note, &out);
	store_lines_release(&warnings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_union_has_the_lines_of_both_sorted),
		cmocka_unit_test(test_of_two_lines_with_one_key_the_newer_counts),
		cmocka_unit_test(test_a_line_from_the_future_gives_way_to_any_other),
		cmocka_unit_test(test_of_equal_times_the_same_line_is_chosen_in_any_order),
		cmocka_unit_test(test_a_tree_counts_before_its_own_summary),
		cmocka_unit_test(test_types_and_environments_are_keys_of_their_own),
		cmocka_unit_test(test_equal_notes_are_one),
		cmocka_unit_test(test_lines_of_others_are_kept_as_they_are),
		cmocka_unit_test(test_bad_lines_are_left_out_with_a_warning),
		cmocka_unit_test(test_a_line_that_is_too_long_is_left_out),
		cmocka_unit_test(test_line_breaks_of_any_kind_and_none_at_all_are_fine),
		cmocka_unit_test(test_a_note_that_would_be_too_large_is_refused),
		cmocka_unit_test(test_summarising_leaves_one_summary_for_each_tree),
		cmocka_unit_test(test_summarising_drops_what_cannot_be_decoded),
	};

	return cmocka_run_group_tests_name("note", tests, NULL, NULL);
}
