/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/line/line.h"
#include "baseline/store.h"

#include "gate/base/error.h"
#include "tests/unit/baseline/recordings.h"
#include "tests/unit/vcs/notes_scene.h"

#define DAY_NS (INT64_C(86400) * 1000000000)
#define START_NS INT64_C(1735689600000000000)

static struct store *open_store(struct scene *scene, const char *url)
{
	struct store_options options = {.repo = scene->repo};
	struct store *store;

	if (store_open(url, &options, &store, &scene->err))
		fail_msg("%s", scene->err.message);
	return store;
}

static struct store *make_store(struct scene *scene)
{
	make_remote(scene);
	return open_store(scene, "notes");
}

static void put(struct scene *scene, struct store *store, const struct recordings_options *options)
{
	struct recording recording = recordings_make(options);
	const struct recording *list = &recording;

	if (store_put(store, &list, 1, NULL, &scene->err))
		fail_msg("%s", scene->err.message);
	recording_release(&recording);
}

/* A day's recording of that day's commit: "1111...", "2222...". */
static void put_day(struct scene *scene, struct store *store, char day)
{
	char id[41];

	put(scene, store,
		&(struct recordings_options){.seed = 1,
			.commit = commit_name(day, id),
			.time_ns = START_NS + (day - '0') * DAY_NS});
}

static int get(struct scene *scene, struct store *store, char digit, const char *environment,
	struct recording *out, enum baseline_detail *detail)
{
	char id[41];
	struct baseline_key key = {commit_name(digit, id), "parse", "cpu", environment};

	return store_get(store, &key, out, detail, &scene->err);
}

static void assert_detail(
	struct scene *scene, struct store *store, char digit, enum baseline_detail expected)
{
	struct recording recording;
	enum baseline_detail detail;

	if (get(scene, store, digit, NULL, &recording, &detail))
		fail_msg("%s", scene->err.message);
	assert_int_equal(detail, expected);
	recording_release(&recording);
}

static size_t count_entries(struct scene *scene, struct store *store, const char *commit)
{
	struct baseline_list list;
	size_t count;

	if (store_list(store, commit, true, &list, &scene->err))
		fail_msg("%s", scene->err.message);
	count = list.count;
	baseline_list_release(&list);
	return count;
}

/* A recording's line. */
static void make_line(struct strbuf *out, const struct recordings_options *options)
{
	struct recording recording = recordings_make(options);

	strbuf_reset(out);
	assert_int_equal(line_encode(&recording, BASELINE_TREE, out, NULL), ERR_OK);
	recording_release(&recording);
}

/* Appends text to a commit's note behind the store's back. */
static void add_text(struct scene *scene, char digit, const char *text)
{
	put_line(scene, "origin", digit, text);
}

/* ---- put and get ---------------------------------------------------------------------------- */

static void test_what_was_put_comes_back_as_a_tree(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene), *other;
	struct recording recording;
	enum baseline_detail detail;

	put_day(scene, store, '1');
	other = open_store(scene, "notes:origin");
	assert_string_equal(store_name(other), "git notes of origin");
	assert_int_equal(get(scene, other, '1', NULL, &recording, &detail), ERR_OK);
	assert_int_equal(detail, BASELINE_TREE);
	assert_int_equal(recording.round_count, 4);
	assert_int_equal(recording.time_ns, START_NS + DAY_NS);
	assert_int_equal(recording_check(&recording, &scene->err), ERR_OK);
	recording_release(&recording);
	assert_int_equal(get(scene, other, '2', NULL, &recording, &detail), ERR_NOT_FOUND);
	assert_non_null(strstr(scene->err.message, "git notes of origin"));
	assert_int_equal(store_warnings(other)->count, 0);
	store_close(other);
	store_close(store);
}

static void test_several_of_one_commit_are_one_push(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct recording recordings[3];
	const struct recording *list[3];
	const char *names[] = {"a", "b", "a"};
	char ids[2][41];
	unsigned attempts = 0;

	for (size_t i = 0; i < 3; i++) {
		recordings[i] = recordings_make(&(struct recordings_options){.seed = 7,
			.benchmark = names[i],
			.commit = commit_name((char)('1' + i / 2), ids[i / 2])});
		list[i] = &recordings[i];
	}
	assert_int_equal(store_put(store, list, 3, &attempts, &scene->err), ERR_OK);
	assert_int_equal(attempts, 1);
	assert_int_equal(count_entries(scene, store, ids[0]), 2);
	assert_int_equal(count_entries(scene, store, ids[1]), 1);
	assert_int_equal(count_entries(scene, store, NULL), 3);
	for (size_t i = 0; i < 3; i++)
		recording_release(&recordings[i]);
	store_close(store);
	assert_shell_prints(scene, "git -C remote.git rev-list --count refs/notes/flamegate", "1");
}

static void test_the_newer_of_one_key_counts(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct recording recording;
	enum baseline_detail detail;
	char id[41];

	for (int64_t day = 2; day >= 1; day--)
		put(scene, store,
			&(struct recordings_options){.seed = (uint64_t)day,
				.commit = commit_name('1', id),
				.time_ns = START_NS + day * DAY_NS});
	assert_int_equal(count_entries(scene, store, id), 1);
	assert_int_equal(get(scene, store, '1', NULL, &recording, &detail), ERR_OK);
	assert_int_equal(recording.time_ns, START_NS + 2 * DAY_NS);
	recording_release(&recording);
	store_close(store);
}

static void test_environments_are_kept_apart(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct recording recording;
	enum baseline_detail detail;
	struct arena arena = ARENA_INIT;
	const char *environment, *kernels[] = {"Linux 6.9", "Linux 5.4"};
	char id[41];

	for (int i = 0; i < 2; i++)
		put(scene, store,
			&(struct recordings_options){.seed = 1,
				.kernel = kernels[i],
				.commit = commit_name('1', id),
				.time_ns = START_NS - i * DAY_NS});
	assert_int_equal(get(scene, store, '1', NULL, &recording, &detail), ERR_OK);
	assert_string_equal(recording.fingerprint.kernel, "Linux 6.9");
	recording_release(&recording);
	recording = recordings_make(&(struct recordings_options){.seed = 1, .kernel = "Linux 5.4"});
	environment = recording_environment(&recording, &arena);
	recording_release(&recording);
	assert_int_equal(get(scene, store, '1', environment, &recording, &detail), ERR_OK);
	assert_string_equal(recording.fingerprint.kernel, "Linux 5.4");
	recording_release(&recording);
	assert_int_equal(
		get(scene, store, '1', "0000000000000000", &recording, &detail), ERR_NOT_FOUND);
	arena_release(&arena);
	store_close(store);
}

static void test_commits_that_have_a_note_are_found(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	const char *commits[4];
	char ids[4][41];
	bool found[4] = {true, true, true, true};

	for (size_t i = 0; i < 4; i++)
		commits[i] = commit_name("4132"[i], ids[i]);
	assert_int_equal(store_find(store, commits, 4, found, &scene->err), ERR_OK);
	for (size_t i = 0; i < 4; i++)
		assert_false(found[i]);
	put_day(scene, store, '1');
	put_day(scene, store, '2');
	assert_int_equal(store_find(store, commits, 4, found, &scene->err), ERR_OK);
	assert_false(found[0]);
	assert_true(found[1]);
	assert_false(found[2]);
	assert_true(found[3]);
	store_close(store);
}

static void assert_warned(const struct store *store, const char *text)
{
	const struct store_lines *lines = store_warnings(store);

	for (size_t i = 0; i < lines->count; i++)
		if (strstr(lines->items[i], text))
			return;
	fail_msg("no warning holds '%s'", text);
}

/* ---- what others wrote ---------------------------------------------------------------------- */

static void test_bad_lines_are_skipped_with_a_warning(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct store_verify_result verified;

	put_day(scene, store, '1');
	add_text(scene, '1', "{\"flamegate\":1,\"benchmark\":\x01}\n");
	add_text(scene, '1', "{\"flamegate\":1,\"benchmark\":\"x\"} AAAA\n");
	store_close(store);
	store = open_store(scene, "notes");
	assert_detail(scene, store, '1', BASELINE_TREE);
	assert_int_equal(store_warnings(store)->count, 2);
	assert_int_equal(count_entries(scene, store, NULL), 1);
	assert_int_equal(store_warnings(store)->count, 2);
	assert_int_equal(store_verify(store, &verified, &scene->err), ERR_OK);
	assert_int_equal(verified.entries, 3);
	assert_int_equal(verified.bad, 2);
	assert_int_equal(verified.unread, 0);
	store_close(store);
}

static void test_lines_copied_from_another_commit_do_not_count(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct recording recording;
	enum baseline_detail detail;

	put_day(scene, store, '1');
	sh(scene, "git -C remote.git cat-file blob refs/notes/flamegate:11/1111111111111111111111"
		  "1111111111111111 >line");
	put_day(scene, store, '2');
	sh(scene, "rm -rf theirs && git clone -q --no-checkout remote.git theirs && cd theirs &&"
		  " git fetch -q origin refs/notes/flamegate && git checkout -q FETCH_HEAD &&"
		  " cp ../line 22/* && git add . && git commit -qm x &&"
		  " git push -q origin HEAD:refs/notes/flamegate");
	store_close(store);
	store = open_store(scene, "notes");
	assert_int_equal(get(scene, store, '2', NULL, &recording, &detail), ERR_NOT_FOUND);
	assert_int_equal(store_warnings(store)->count, 1);
	assert_detail(scene, store, '1', BASELINE_TREE);
	store_close(store);
}

/* What a check passes over in silence, who verifies wants to know. */
static void test_verify_counts_and_names_what_it_does_not_read(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct store_verify_result verified;

	put_day(scene, store, '1');
	add_text(scene, '1',
		"a word of another tool\n{\"flamegate\":77,\"benchmark\":\"x\"} AAAA\n");
	put_day(scene, store, '2');
	sh(scene, "rm -rf theirs && git clone -q --no-checkout remote.git theirs && cd theirs &&"
		  " git fetch -q origin refs/notes/flamegate && git checkout -q FETCH_HEAD &&"
		  " truncate -s 68M 22/* && echo x >README && git add . && git commit -qm x &&"
		  " git push -q origin HEAD:refs/notes/flamegate");
	store_close(store);
	store = open_store(scene, "notes");
	assert_int_equal(store_verify(store, &verified, &scene->err), ERR_OK);
	assert_int_equal(verified.entries, 1);
	assert_int_equal(verified.bad, 0);
	assert_int_equal(verified.unread, 4);
	assert_int_equal(store_warnings(store)->count, 4);
	assert_warned(store, "111111111111 was not read: it is not flamegate's");
	assert_warned(store, "77");
	assert_warned(store, "note of 222222222222 was not read: it is too large");
	assert_warned(store, "no notes of a commit: README");
	store_close(store);
}

/* A writer of notes must neither fill a log nor, by a note of many lines, hold up a check. */
static void test_many_bad_lines_are_few_warnings(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
	struct store_verify_result verified;
	char id[41], *commit;

	for (size_t i = 0; i < 70; i++) {
		make_line(&line,
			&(struct recordings_options){.seed = 1, .commit = commit_name('2', id)});
		commit = strstr(line.data, id);
		commit[0] = (char)('0' + i / 10);
		commit[1] = (char)('0' + i % 10);
		strbuf_add(&text, line.data, line.length);
	}
	put_day(scene, store, '1');
	add_text(scene, '1', text.data);
	store_close(store);
	store = open_store(scene, "notes");
	assert_detail(scene, store, '1', BASELINE_TREE);
	assert_int_equal(store_warnings(store)->count, 51);
	assert_non_null(strstr(store_warnings(store)->items[50], "more records were skipped"));
	assert_int_equal(store_verify(store, &verified, &scene->err), ERR_OK);
	assert_int_equal(verified.bad, 70);
	strbuf_release(&text);
	strbuf_release(&line);
	store_close(store);
}

/* The newest sound one, also behind broken ones of other environments. */
static void test_records_that_cannot_be_read_are_passed_over_newest_first(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct strbuf line = STRBUF_INIT, text = STRBUF_INIT;
	struct recording recording;
	enum baseline_detail detail;
	char id[41], kernel[32], *rounds;

	for (int i = 0; i < 12; i++) {
		snprintf(kernel, sizeof(kernel), "Linux 1.%d", i);
		make_line(&line, &(struct recordings_options){.seed = 1,
					 .kernel = kernel,
					 .commit = commit_name('1', id),
					 .time_ns = START_NS + i * DAY_NS});
		/* All but the fifth and the seventh say something else than their payload. */
		rounds = strstr(line.data, "\"rounds\":4");
		assert_non_null(rounds);
		rounds[9] = i == 4 || i == 6 ? '4' : '3';
		strbuf_add(&text, line.data, line.length);
	}
	add_text(scene, '1', text.data);
	assert_int_equal(get(scene, store, '1', NULL, &recording, &detail), ERR_OK);
	assert_string_equal(recording.fingerprint.kernel, "Linux 1.6");
	assert_int_equal(store_warnings(store)->count, 5);
	recording_release(&recording);
	strbuf_release(&line);
	strbuf_release(&text);
	store_close(store);
}

static void test_lines_of_others_survive_put_and_prune(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct store_prune_result result;

	add_text(scene, '1', "another tool's line\n");
	put_day(scene, store, '1');
	put_day(scene, store, '2');
	assert_int_equal(store_prune(store, 1, false, &result, &scene->err), ERR_OK);
	assert_int_equal(store_warnings(store)->count, 0);
	assert_int_equal(count_entries(scene, store, NULL), 2);
	store_close(store);
	assert_shell_prints(scene, "git -C remote.git grep -h another refs/notes/flamegate",
		"another tool's line");
}

static void test_oversized_note_is_skipped_with_a_warning(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);

	put_day(scene, store, '2');
	sh(scene, "rm -rf theirs && git clone -q --no-checkout remote.git theirs && cd theirs &&"
		  " git fetch -q origin refs/notes/flamegate && git checkout -q FETCH_HEAD &&"
		  " mkdir 11 && head -c 68000000 /dev/zero >11/$(printf '1%.0s' $(seq 38)) &&"
		  " git add . && git commit -qm x && git push -q origin HEAD:refs/notes/flamegate");
	store_close(store);
	store = open_store(scene, "notes");
	assert_int_equal(
		count_entries(scene, store, "1111111111111111111111111111111111111111"), 0);
	assert_int_equal(store_warnings(store)->count, 1);
	assert_detail(scene, store, '2', BASELINE_TREE);
	store_close(store);
}

/* ---- prune ---------------------------------------------------------------------------------- */

static void test_prune_keeps_the_newest_and_summarises_the_rest(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct store_prune_result result;

	/* Not in the order of their ids. */
	put_day(scene, store, '3');
	put_day(scene, store, '1');
	put_day(scene, store, '2');
	assert_int_equal(store_prune(store, 2, false, &result, &scene->err), ERR_OK);
	assert_int_equal(result.kept_full, 2);
	assert_int_equal(result.summarised, 1);
	assert_int_equal(result.dropped, 0);
	assert_true(result.bytes_after < result.bytes_before);
	assert_detail(scene, store, '1', BASELINE_SUMMARY);
	assert_detail(scene, store, '2', BASELINE_TREE);
	assert_detail(scene, store, '3', BASELINE_TREE);
	assert_int_equal(store_prune(store, 0, false, &result, &scene->err), ERR_OK);
	assert_int_equal(result.summarised, 2);
	assert_int_equal(result.kept_full, 0);
	assert_detail(scene, store, '3', BASELINE_SUMMARY);
	/* A full line among old summaries is found by the next prune. */
	put(scene, store,
		&(struct recordings_options){.seed = 9,
			.benchmark = "late",
			.commit = "1111111111111111111111111111111111111111",
			.time_ns = START_NS});
	assert_int_equal(store_prune(store, 1, false, &result, &scene->err), ERR_OK);
	assert_int_equal(result.summarised, 1);
	assert_int_equal(result.kept_full, 0);
	store_close(store);
	assert_shell_prints(scene, "git -C remote.git rev-list --count refs/notes/flamegate", "1");
}

/* A writer with a wrong clock, or a bad one, must not push all others' full records out. */
static void test_prune_does_not_take_the_future_for_new(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct strbuf line = STRBUF_INIT;
	struct store_prune_result result;
	char id[41];

	make_line(&line, &(struct recordings_options){
				 .seed = 1, .commit = commit_name('9', id), .time_ns = INT64_MAX});
	add_text(scene, '9', line.data);
	put_day(scene, store, '1');
	assert_int_equal(store_prune(store, 1, false, &result, &scene->err), ERR_OK);
	assert_int_equal(result.summarised, 1);
	assert_detail(scene, store, '1', BASELINE_TREE);
	assert_detail(scene, store, '9', BASELINE_SUMMARY);
	strbuf_release(&line);
	store_close(store);
}

static void test_prune_drops_bad_lines(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct store_prune_result result;

	put_day(scene, store, '1');
	add_text(scene, '1', "{\"flamegate\":1,\"benchmark\":\"x\"} AAAA\n");
	assert_int_equal(store_prune(store, 5, false, &result, &scene->err), ERR_OK);
	assert_int_equal(result.kept_full, 1);
	assert_int_equal(result.dropped, 1);
	store_close(store);
	assert_shell_prints(scene, "git -C remote.git grep -h . refs/notes/flamegate | wc -l", "1");
}

static void test_prune_waits_until_it_is_needed(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct store_prune_result result = {.kept_full = 99};

	put_day(scene, store, '1');
	put_day(scene, store, '2');
	assert_int_equal(store_prune(store, 1, true, &result, &scene->err), ERR_OK);
	assert_int_equal(result.kept_full, 0);
	assert_int_equal(result.summarised, 0);
	/* As if there had been many pushes. */
	sh(scene, "cd remote.git && git update-ref refs/notes/flamegate $(printf 'x\\n\\n"
		  "flamegate-pushes: 50\\n' | git commit-tree refs/notes/flamegate^{tree})");
	assert_int_equal(store_prune(store, 51, true, &result, &scene->err), ERR_OK);
	assert_int_equal(result.kept_full, 0);
	assert_int_equal(store_prune(store, 1, true, &result, &scene->err), ERR_OK);
	assert_int_equal(result.kept_full, 1);
	assert_int_equal(result.summarised, 1);
	store_close(store);
}

static void test_prune_that_starts_over_counts_once(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct store_prune_result result;

	put_day(scene, store, '1');
	put_day(scene, store, '2');
	sh(scene, "printf '#!/bin/sh\\ntest -e refused || { touch refused; exit 1; }\\n'"
		  " >remote.git/hooks/update && chmod +x remote.git/hooks/update");
	assert_int_equal(store_prune(store, 1, false, &result, &scene->err), ERR_OK);
	assert_int_equal(result.kept_full, 1);
	assert_int_equal(result.summarised, 1);
	store_close(store);
}

static void test_prune_of_nothing_is_fine(void **state)
{
	struct scene *scene = *state;
	struct store *store = make_store(scene);
	struct store_prune_result result;

	assert_int_equal(store_prune(store, 1, false, &result, &scene->err), ERR_OK);
	assert_int_equal(result.kept_full + result.summarised + result.dropped, 0);
	store_close(store);
}

/* ---- opening -------------------------------------------------------------------------------- */

static void test_notes_need_a_repository_and_a_remote_that_exists(void **state)
{
	struct scene *scene = *state;
	struct store_options none = {0}, options;
	struct store *store;

	make_remote(scene);
	options = (struct store_options){.repo = scene->repo};
	assert_int_equal(store_open("notes", &none, &store, &scene->err), ERR_USAGE);
	assert_int_equal(store_open("notes:nope", &options, &store, &scene->err), ERR_USAGE);
	assert_int_equal(scene->err.code, ERR_USAGE);
	assert_non_null(strstr(scene->err.message, "there is: origin"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NOTES_TEST(test_what_was_put_comes_back_as_a_tree),
		NOTES_TEST(test_several_of_one_commit_are_one_push),
		NOTES_TEST(test_the_newer_of_one_key_counts),
		NOTES_TEST(test_environments_are_kept_apart),
		NOTES_TEST(test_commits_that_have_a_note_are_found),
		NOTES_TEST(test_bad_lines_are_skipped_with_a_warning),
		NOTES_TEST(test_lines_copied_from_another_commit_do_not_count),
		NOTES_TEST(test_verify_counts_and_names_what_it_does_not_read),
		NOTES_TEST(test_many_bad_lines_are_few_warnings),
		NOTES_TEST(test_records_that_cannot_be_read_are_passed_over_newest_first),
		NOTES_TEST(test_lines_of_others_survive_put_and_prune),
		NOTES_TEST(test_oversized_note_is_skipped_with_a_warning),
		NOTES_TEST(test_prune_keeps_the_newest_and_summarises_the_rest),
		NOTES_TEST(test_prune_does_not_take_the_future_for_new),
		NOTES_TEST(test_prune_drops_bad_lines),
		NOTES_TEST(test_prune_waits_until_it_is_needed),
		NOTES_TEST(test_prune_that_starts_over_counts_once),
		NOTES_TEST(test_prune_of_nothing_is_fine),
		NOTES_TEST(test_notes_need_a_repository_and_a_remote_that_exists),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
