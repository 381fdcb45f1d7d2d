/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Pyroscope server, or a proxy before it, that refuses, breaks off, loses or doubles. Only our
 * own server can be told to; against a real one these tests are skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "baseline/source.h"
#include "gate/base/error.h"
#include "tests/unit/baseline/pyroscope_scene.h"

#define QUICK_NS 1000000 /* so that patience costs the test no time */

static struct store *open_or_skip(void)
{
	struct store *store;

	if (!scene.pid)
		skip();
	store = scene_open("");
	((struct pyroscope_store *)store->data)->server.patience_ns = QUICK_NS;
	return store;
}

static struct recording small_recording(uint64_t seed, const char *type)
{
	return recordings_make(
		&(struct recordings_options){.seed = seed, .nodes = 6, .rounds = 3, .type = type});
}

static void assert_not_there(struct store *store, const struct recording *recording)
{
	struct recording pulled;
	struct baseline_list list;
	struct error err;

	assert_int_equal(scene_get(store, recording, &pulled, &err), ERR_NOT_FOUND);
	assert_int_equal(store_list(store, recording->commit, false, &list, &err), ERR_OK);
	assert_int_equal(list.count, 0);
	baseline_list_release(&list);
}

static void assert_there(struct store *store, const struct recording *recording)
{
	struct recording pulled;
	struct error err;

	if (scene_get(store, recording, &pulled, &err))
		fail_msg("%s", err.message);
	scene_assert_same(recording->profile, pulled.profile);
	recording_release(&pulled);
}

static void test_a_push_that_is_refused_for_now_is_tried_again(void **state)
{
	struct store *store = open_or_skip();
	struct recording recording = small_recording(1, NULL);
	int64_t before = scene_count("pushes");
	unsigned attempts = 0;
	struct error err;

	(void)state;
	scene_fault("refuse", 4);
	assert_int_equal(scene_put(store, &recording, &attempts, &err), ERR_OK);
	assert_int_equal(attempts, 5);
	assert_int_equal(scene_count("pushes"), before + 3);
	assert_there(store, &recording);
	store_close(store);
	recording_release(&recording);
}

static void test_a_server_that_always_refuses_is_given_up(void **state)
{
	struct store *store = open_or_skip();
	struct recording recording = small_recording(2, NULL);
	int64_t before = scene_count("requests");
	unsigned attempts = 77;
	struct error err;

	(void)state;
	scene_fault("refuse", 1000);
	assert_int_equal(scene_put(store, &recording, &attempts, &err), ERR_TOOL);
	scene_fault("refuse", 0);
	assert_int_equal(attempts, 77);
	assert_int_equal(scene_count("requests"), before + 6);
	assert_non_null(strstr(err.message, "after 6 attempts"));
	assert_non_null(strstr(err.message, scene.url));
	assert_not_there(store, &recording);
	store_close(store);
	recording_release(&recording);
}

/* A 503 does not say whether the profile was stored. It was: a second push would double it. */
static void test_a_push_that_may_have_been_stored_is_never_repeated(void **state)
{
	struct store *store = open_or_skip();
	struct recording recording = small_recording(3, NULL);
	int64_t before = scene_count("requests");
	struct error err;

	(void)state;
	scene_fault("unsure", 1);
	assert_int_equal(scene_put(store, &recording, NULL, &err), ERR_TOOL);
	assert_int_equal(scene_count("requests"), before + 1);
	assert_not_there(store, &recording);
	store_close(store);
	recording_release(&recording);
}

/* Nor does what is left of a push mix with the next one. */
static void test_after_a_push_that_broke_off_the_next_one_counts(void **state)
{
	struct store *store = open_or_skip();
	struct recording recording = small_recording(4, NULL);
	struct error err;

	(void)state;
	scene_fault("unsure", 1);
	assert_int_equal(scene_put(store, &recording, NULL, &err), ERR_TOOL);
	assert_not_there(store, &recording);
	assert_int_equal(store_warnings(store)->count, 1);
	assert_non_null(strstr(store_warnings(store)->items[0], "not whole"));
	assert_int_equal(scene_put(store, &recording, NULL, &err), ERR_OK);
	assert_there(store, &recording);
	store_close(store);
	recording_release(&recording);
}

static void test_a_server_error_names_the_server_and_the_benchmark(void **state)
{
	struct store *store = open_or_skip();
	struct recording recording = small_recording(5, NULL);
	struct error err;

	(void)state;
	scene_fault("fail", 1);
	assert_int_equal(scene_put(store, &recording, NULL, &err), ERR_TOOL);
	assert_non_null(strstr(err.message, scene.url));
	assert_non_null(strstr(err.message, "benchmark parse"));
	store_close(store);
	recording_release(&recording);
}

/* One round of the CPU time, and of a type whose recording does not say its rounds' sums. */
static void push_into_fault(const char *fault, const char *type, const char *text)
{
	struct store *store = open_or_skip();
	struct recording recording = small_recording(6, type), pulled;
	struct error err;

	scene_fault(fault, 1);
	assert_int_equal(scene_put(store, &recording, NULL, &err), ERR_TOOL);
	assert_non_null(strstr(err.message, text));
	assert_int_equal(scene_get(store, &recording, &pulled, &err), ERR_CORRUPT);
	assert_non_null(strstr(err.message, scene.url));
	assert_int_equal(store_warnings(store)->count, 1);
	/* What is there but does not add up does not stand in for another push. */
	scene_must_put(store, &recording);
	assert_there(store, &recording);
	store_close(store);
	recording_release(&recording);
}

static void test_a_profile_that_was_doubled_is_found_out_and_never_read(void **state)
{
	(void)state;
	push_into_fault("double", NULL, "repeat requests");
	push_into_fault("double", "instructions", "repeat requests");
}

static void test_samples_that_were_lost_are_found_out_and_never_read(void **state)
{
	(void)state;
	push_into_fault("lose", NULL, "has stored");
	push_into_fault("lose", "instructions", "has stored");
}

/* Servers can be set up to drop labels; then nothing would be found again. */
static void test_labels_that_were_dropped_are_found_out(void **state)
{
	struct store *store = open_or_skip();
	struct recording recording = small_recording(10, NULL);
	struct error err;

	(void)state;
	scene_fault("relabel", 1);
	assert_int_equal(scene_put(store, &recording, NULL, &err), ERR_TOOL);
	assert_non_null(strstr(err.message, "of the 3 profiles"));
	store_close(store);
	recording_release(&recording);
}

/* A newer recording that does not add up does not hide an older one that does. */
static void test_the_newest_recording_that_adds_up_is_read(void **state)
{
	const char *commit = "0123456789012345678901234567890123456789";
	struct store *store = open_or_skip();
	struct recording good = recordings_make(&(struct recordings_options){
		.seed = 7, .nodes = 6, .rounds = 2, .commit = commit, .time_ns = 1000});
	struct recording bad = recordings_make(&(struct recordings_options){
		.seed = 8, .nodes = 6, .rounds = 2, .commit = commit, .time_ns = 2000});
	struct error err;

	(void)state;
	scene_must_put(store, &good);
	scene_fault("double", 1);
	assert_int_equal(scene_put(store, &bad, NULL, &err), ERR_TOOL);
	assert_there(store, &good);
	store_close(store);
	recording_release(&good);
	recording_release(&bad);
}

/* Of a query: hostile, or a proxy's own. */
static void test_an_answer_that_is_no_profile_of_one_type_is_refused(void **state)
{
	static const char *const faults[] = {"page", "noise", "types"};
	struct store *store = open_or_skip();
	struct recording recording = small_recording(11, NULL);
	struct profile *profile = NULL;
	struct recording pulled;
	struct error err;
	char url[512];

	(void)state;
	scene_must_put(store, &recording);
	snprintf(url, sizeof(url), "pyroscope%s?query={service_name=%%22%s%%22}", scene.url + 4,
		scene_data(store)->service);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		scene_fault(faults[i], 1);
		assert_int_equal(source_read(url, NULL, &profile, NULL, &err), ERR_CORRUPT);
		assert_non_null(strstr(err.message, scene.url));
		assert_null(profile);
		scene_fault(faults[i], 1);
		assert_int_equal(scene_get(store, &recording, &pulled, &err), ERR_CORRUPT);
		assert_non_null(strstr(err.message, scene.url));
	}
	assert_there(store, &recording);
	store_close(store);
	recording_release(&recording);
}

static void test_more_value_types_than_a_recording_has_are_refused(void **state)
{
	struct store *store = open_or_skip();
	struct recording recording = small_recording(12, "instructions"), pulled;
	struct error err;

	(void)state;
	scene_must_put(store, &recording);
	scene_fault("crowd", 1);
	assert_int_equal(scene_get(store, &recording, &pulled, &err), ERR_CORRUPT);
	assert_non_null(strstr(err.message, "8 types"));
	store_close(store);
	recording_release(&recording);
}

static void test_a_selector_that_matches_nothing_names_the_services(void **state)
{
	struct store *store = open_or_skip();
	struct recording recording = small_recording(13, NULL);
	struct profile *profile = NULL;
	struct error err;
	char url[512];

	(void)state;
	scene_must_put(store, &recording);
	scene_fault("settle", 1);
	snprintf(
		url, sizeof(url), "pyroscope%s?query={service_name=%%22nobody%%22}", scene.url + 4);
	assert_int_equal(source_read(url, NULL, &profile, NULL, &err), ERR_NOT_FOUND);
	assert_non_null(strstr(err.message, scene_data(store)->service));
	scene_fault("settle", 0);
	store_close(store);
	recording_release(&recording);
}

static void test_credentials_go_with_a_push_and_nowhere_else(void **state)
{
	struct recording recording = small_recording(9, NULL);
	struct store *store;
	struct json *stats;
	const char *seen = NULL;
	struct error err;

	(void)state;
	setenv("FLAMEGATE_TOKEN", "planted-token", 1);
	setenv("FLAMEGATE_ORG_ID", "team-a", 1);
	store = open_or_skip();
	scene_fault("fail", 1);
	assert_int_equal(scene_put(store, &recording, NULL, &err), ERR_TOOL);
	assert_null(strstr(err.message, "planted"));
	assert_null(strstr(store_name(store), "planted"));
	stats = scene_stats();
	assert_int_equal(json_get_string(stats, "credentials", &seen, &err), ERR_OK);
	assert_string_equal(seen, "Bearer planted-token team-a");
	json_free(stats);
	store_close(store);
	unsetenv("FLAMEGATE_TOKEN");
	unsetenv("FLAMEGATE_ORG_ID");
	recording_release(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_push_that_is_refused_for_now_is_tried_again),
		cmocka_unit_test(test_a_server_that_always_refuses_is_given_up),
		cmocka_unit_test(test_a_push_that_may_have_been_stored_is_never_repeated),
		cmocka_unit_test(test_after_a_push_that_broke_off_the_next_one_counts),
		cmocka_unit_test(test_a_server_error_names_the_server_and_the_benchmark),
		cmocka_unit_test(test_a_profile_that_was_doubled_is_found_out_and_never_read),
		cmocka_unit_test(test_samples_that_were_lost_are_found_out_and_never_read),
		cmocka_unit_test(test_labels_that_were_dropped_are_found_out),
		cmocka_unit_test(test_the_newest_recording_that_adds_up_is_read),
		cmocka_unit_test(test_an_answer_that_is_no_profile_of_one_type_is_refused),
		cmocka_unit_test(test_more_value_types_than_a_recording_has_are_refused),
		cmocka_unit_test(test_a_selector_that_matches_nothing_names_the_services),
		cmocka_unit_test(test_credentials_go_with_a_push_and_nowhere_else),
	};

	return cmocka_run_group_tests(tests, scene_start, scene_stop);
}
