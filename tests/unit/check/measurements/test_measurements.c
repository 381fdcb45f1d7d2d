/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "tests/unit/check/synthetic.h"

static char *folder;

static int set_up(void **state)
{
	struct error err;

	(void)state;
	return file_make_temp_dir(NULL, "test-measurements-", &folder, &err);
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	file_remove_tree(folder, &err);
	free(folder);
	return 0;
}

static struct measurements *measurements_on_disk(void)
{
	static const struct synthetic_function functions[] = {
		{"main", {0.5, 0.5}}, {"main;</script>|@team", {0.5, 0.6}}};
	const struct repo_hunk hunk = {1, 2, 3, 4};
	struct repo_file_change change = {
		.old_path = "a \"b\"\n.c", .new_path = "src/a.c", .hunks = &hunk, .hunk_count = 1};
	struct measurements *measurements = synthetic_measurements(functions, 2, 7);
	struct error err;

	measurements->diff = (struct repo_diff){&change, 1};
	measurements->head.dirty = true;
	measurements_add_line(measurements, &measurements->warnings, "::error::x");
	measurements_add_line(measurements, &measurements->notes, "drift");
	measurements_add_line(measurements, &measurements->benchmarks[0].warnings, "one");
	measurements->benchmarks[0].work = (struct result_work){.kind = RESULT_WORK_REPLAYED,
		.calls = 8500000,
		.processes = 2,
		.speed = 40,
		.step_seconds = 0.25,
		.run_seconds = 0.5,
		.real_seconds = 12,
		.start_seconds = 0.125};
	assert_int_equal(
		measurements_write_recordings(&measurements->benchmarks[0], folder, &err), ERR_OK);
	assert_int_equal(measurements_write(measurements, folder, &err), ERR_OK);
	measurements->diff = (struct repo_diff){NULL, 0};
	return measurements;
}

static void test_measurements_come_back_as_they_were_written(void **state)
{
	struct measurements *before = measurements_on_disk(), *after = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(measurements_read(folder, &after, &err), ERR_OK);
	assert_string_equal(after->date, before->date);
	assert_string_equal(after->policy_origin, before->policy_origin);
	assert_true(after->head.dirty);
	assert_int_equal(after->warnings.count, 1);
	assert_string_equal(after->warnings.items[0], "::error::x");
	assert_int_equal(after->notes.count, 1);
	assert_string_equal(after->notes.items[0], "drift");
	assert_int_equal(after->diff.file_count, 1);
	assert_string_equal(after->diff.files[0].old_path, "a \"b\"\n.c");
	assert_int_equal(after->diff.files[0].hunks[0].new_lines, 4);
	assert_int_equal(after->benchmark_count, 1);
	assert_memory_equal(&after->benchmarks[0].work, &before->benchmarks[0].work,
		sizeof(struct result_work));
	assert_true(after->benchmarks[0].recorded);
	assert_int_equal(
		after->benchmarks[0].recordings[VERSION_HEAD].round_count, SYNTHETIC_ROUNDS);
	measurements_free(before);
	measurements_free(after);
}

static void test_a_replay_decides_as_the_check_did(void **state)
{
	struct measurements *measurements = measurements_on_disk();
	struct result *live = decide_measurements(measurements), *replay = NULL;
	const struct check_options options = {.replay = folder};
	struct error err = {0};

	(void)state;
	assert_int_equal(check_run(&options, &replay, &err), ERR_OK);
	assert_int_equal(replay->exit_status, live->exit_status);
	assert_int_equal(replay->exit_status, 1);
	assert_true(replay->benchmarks[0].total.change == live->benchmarks[0].total.change);
	assert_int_equal(replay->benchmarks[0].function_count, live->benchmarks[0].function_count);
	assert_true(
		replay->benchmarks[0].culprits[0].change == live->benchmarks[0].culprits[0].change);
	result_free(live);
	result_free(replay);
	measurements_free(measurements);
}

static void test_two_recordings_compare_as_the_check_did(void **state)
{
	struct measurements *measurements = measurements_on_disk();
	struct result *result = NULL;
	char *slug = file_join(folder, "bench"), *base = file_join(slug, "base"),
	     *head = file_join(slug, "head");
	struct error err = {0};

	(void)state;
	assert_int_equal(
		compare_run(&(struct compare_options){0}, base, head, &result, &err), ERR_OK);
	assert_int_equal(result->exit_status, 1);
	assert_string_equal(result->benchmarks[0].name, "bench");
	result_free(result);
	free(base);
	free(head);
	free(slug);
	measurements_free(measurements);
}

static void test_two_profiles_are_shown_and_never_decided(void **state)
{
	struct measurements *measurements = measurements_on_disk();
	struct result *result = NULL;
	char *base = file_join(folder, "bench/base/cpu.pb.gz"),
	     *head = file_join(folder, "bench/head/cpu.pb.gz");
	struct error err = {0};

	(void)state;
	assert_int_equal(
		compare_run(&(struct compare_options){0}, base, head, &result, &err), ERR_OK);
	assert_int_equal(result->exit_status, 0);
	assert_int_equal(result->benchmarks[0].outcome, OUTCOME_PROFILE);
	assert_true(result->benchmarks[0].total.head > result->benchmarks[0].total.base);
	result_free(result);
	free(base);
	free(head);
	measurements_free(measurements);
}

static void replace_in_check_json(const char *old, const char *new)
{
	struct strbuf text = STRBUF_INIT, changed = STRBUF_INIT;
	char *path = file_join(folder, MEASUREMENTS_FILE_NAME), *found;
	struct error err;

	assert_int_equal(file_read(path, 1 << 20, &text, &err), ERR_OK);
	found = strstr(text.data, old);
	assert_non_null(found);
	strbuf_add(&changed, text.data, (size_t)(found - text.data));
	strbuf_addstr(&changed, new);
	strbuf_addstr(&changed, found + strlen(old));
	assert_int_equal(file_write(path, changed.data, changed.length, &err), ERR_OK);
	strbuf_release(&text);
	strbuf_release(&changed);
	free(path);
}

static void assert_refused(const char *old, const char *new, const char *message)
{
	struct measurements *measurements = measurements_on_disk(), *read = NULL;
	struct error err = {0};

	replace_in_check_json(old, new);
	assert_int_not_equal(measurements_read(folder, &read, &err), ERR_OK);
	assert_non_null(strstr(err.message, message));
	measurements_free(measurements);
}

static void test_hostile_measurements_are_refused(void **state)
{
	(void)state;
	assert_refused("\"slug\":\"bench\"", "\"slug\":\"../../etc\"", "slug");
	assert_refused("\"slug\":\"bench\"", "\"slug\":\"..\"", "slug");
	assert_refused("\"outcome\":\"measured\"", "\"outcome\":\"fine\"", "outcome");
	assert_refused("\"kind\":\"replayed\"", "\"kind\":\"frozen\"", "work");
	assert_refused("\"calls\":8500000", "\"calls\":-1", "out of range");
	assert_refused("\"processes\":2", "\"processes\":4294967296", "out of range");
	assert_refused("\"speed\":40", "\"speed\":100001", "out of range");
	assert_refused("\"run_seconds\":0.5", "\"run_seconds\":null", "run_seconds");
	assert_refused("\"format\": 1", "\"format\": 2", "format");
	assert_refused("\"benchmarks\": [", "\"benchmarks\": 3, \"x\": [", "benchmarks");
}

static void test_a_missing_recording_is_that_benchmarks_error(void **state)
{
	struct measurements *measurements = measurements_on_disk();
	const struct check_options options = {.replay = folder};
	struct result *result = NULL;
	char *head = file_join(folder, "bench/head");
	struct error err = {0};

	(void)state;
	assert_int_equal(file_remove_tree(head, &err), ERR_OK);
	assert_int_equal(check_run(&options, &result, &err), ERR_OK);
	assert_int_equal(result->exit_status, 3);
	assert_int_equal(result->benchmarks[0].outcome, OUTCOME_ERROR);
	result_free(result);
	free(head);
	measurements_free(measurements);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		TEST(test_measurements_come_back_as_they_were_written),
		TEST(test_a_replay_decides_as_the_check_did),
		TEST(test_two_recordings_compare_as_the_check_did),
		TEST(test_two_profiles_are_shown_and_never_decided),
		TEST(test_hostile_measurements_are_refused),
		TEST(test_a_missing_recording_is_that_benchmarks_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
