/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings on a Pyroscope server. Our own server by default; the same tests against a real one by
 * FLAMEGATE_TEST_PYROSCOPE_URL.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "tests/unit/baseline/pyroscope_scene.h"

static void assert_same_rounds(const struct recording *a, const struct recording *b)
{
	assert_int_equal(a->round_count, b->round_count);
	for (size_t i = 0; i < a->round_count; i++)
		assert_memory_equal(&a->rounds[i], &b->rounds[i], sizeof(a->rounds[i]));
}

static void assert_same_head(const struct recording *a, const struct recording *b)
{
	struct arena arena = ARENA_INIT;

	assert_string_equal(a->commit, b->commit);
	assert_string_equal(a->benchmark, b->benchmark);
	assert_string_equal(a->branch, b->branch);
	assert_string_equal(a->command, b->command);
	assert_string_equal(a->tool_version, b->tool_version);
	assert_string_equal(a->profile_type, b->profile_type);
	assert_string_equal(a->fingerprint.compiler, b->fingerprint.compiler);
	assert_string_equal(recording_environment(a, &arena), recording_environment(b, &arena));
	assert_memory_equal(&a->calibration, &b->calibration, sizeof(a->calibration));
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->seed, b->seed);
	arena_release(&arena);
}

static void test_a_recording_comes_back_but_for_what_the_server_is_known_to_lose(void **state)
{
	struct recording pushed = recordings_make(&(struct recordings_options){.seed = 1});
	struct recording pulled;
	struct store *store;

	(void)state;
	profile_add_comment(pushed.profile, "a comment");
	store = scene_push_and_pull(&pushed, &pulled);
	assert_same_head(&pushed, &pulled);
	assert_same_rounds(&pushed, &pulled);
	scene_assert_same(pushed.profile, pulled.profile);
	assert_int_equal(pulled.profile->type_count, 3);
	assert_int_equal(pulled.profile->default_type, 1);
	assert_int_equal(pulled.profile->comment_count, 0);
	for (size_t i = 0; i < pulled.profile->mapping_count; i++)
		assert_int_equal(pulled.profile->mappings[i].start, 0);
	for (size_t i = 0; i < pulled.profile->location_count; i++)
		assert_int_equal(pulled.profile->locations[i].address, 0);
	assert_int_equal(store_warnings(store)->count, 0);
	assert_non_null(store_losses(store)[0]);
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

static void test_a_counted_type_comes_back(void **state)
{
	struct recording pushed = recordings_make(
		&(struct recordings_options){.seed = 2, .type = "instructions", .rounds = 2});
	struct recording pulled;
	struct store *store = scene_push_and_pull(&pushed, &pulled);

	(void)state;
	assert_same_head(&pushed, &pulled);
	assert_same_rounds(&pushed, &pulled);
	scene_assert_same(pushed.profile, pulled.profile);
	assert_int_equal(recording_value_type(&pulled), 0);
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

/* ---- several --------------------------------------------------------------------------------- */

static void test_a_recording_pushed_twice_is_stored_once(void **state)
{
	struct recording pushed = scene_recording(20), pulled;
	struct store *store = scene_push_and_pull(&pushed, &pulled);
	struct recording again;
	struct error err;

	(void)state;
	scene_must_put(store, &pushed);
	assert_int_equal(scene_values(store, "recording"), 1);
	assert_int_equal(scene_get(store, &pushed, &again, &err), ERR_OK);
	scene_assert_same(pushed.profile, again.profile);
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
	recording_release(&again);
}

static struct recording timed_recording(uint64_t seed, int64_t time_ns)
{
	return recordings_make(&(struct recordings_options){.seed = seed,
		.nodes = 5,
		.rounds = 2,
		.commit = "0123456789012345678901234567890123456789",
		.time_ns = time_ns});
}

static void test_of_several_with_one_key_the_newest_counts(void **state)
{
	struct recording first = timed_recording(30, 1000), second = timed_recording(31, 2000),
			 older = timed_recording(32, 1500), pulled;
	struct baseline_list list;
	struct store *store = scene_open("");
	struct error err;

	(void)state;
	scene_must_put(store, &first);
	scene_must_put(store, &second);
	scene_must_put(store, &older);
	assert_int_equal(scene_get(store, &first, &pulled, &err), ERR_OK);
	scene_assert_same(second.profile, pulled.profile);
	assert_int_equal(store_list(store, NULL, true, &list, &err), ERR_OK);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.entries[0].time_ns, 2000);
	assert_int_equal(list.entries[0].rounds, 2);
	assert_true(
		fabs(list.entries[0].cpu_seconds -
			(second.rounds[0].cpu_seconds + second.rounds[1].cpu_seconds) / 2) < 1e-12);
	baseline_list_release(&list);
	store_close(store);
	recording_release(&first);
	recording_release(&second);
	recording_release(&older);
	recording_release(&pulled);
}

static void test_commits_are_found_and_what_is_there_verified(void **state)
{
	struct recording a = recordings_make(
				 &(struct recordings_options){.seed = 40, .nodes = 5, .rounds = 1}),
			 b = recordings_make(&(struct recordings_options){
				 .seed = 41, .nodes = 5, .rounds = 1, .benchmark = "other"});
	const char *commits[] = {a.commit, "ffffffffffffffffffffffffffffffffffffffff", b.commit};
	struct store_verify_result verified;
	struct store *store = scene_open("&days=1");
	struct recording missing = {.arena = ARENA_INIT};
	bool found[3] = {false, true, false};
	struct error err;

	(void)state;
	scene_must_put(store, &a);
	scene_must_put(store, &b);
	assert_int_equal(store_find(store, commits, 3, found, &err), ERR_OK);
	assert_true(found[0] && !found[1] && found[2]);
	assert_int_equal(store_verify(store, &verified, &err), ERR_OK);
	assert_int_equal(verified.entries, 2);
	assert_int_equal(verified.bad, 0);
	b.benchmark = "nobody";
	assert_int_equal(scene_get(store, &b, &missing, &err), ERR_NOT_FOUND);
	store_close(store);
	recording_release(&a);
	recording_release(&b);
}

static void test_profiles_of_others_under_our_service_are_a_warning(void **state)
{
	const struct label labels[] = {{"__name__", "process_cpu"}, {"service_name", ""},
		{"commit", "not one"}, {"recording", "x"}};
	struct recording recording = scene_recording(50);
	struct store *store = scene_open("");
	struct label sent[4];
	struct baseline_list list;
	struct split split;
	unsigned attempts = 0;
	struct error err;

	(void)state;
	memcpy(sent, labels, sizeof(labels));
	sent[1].value = scene_data(store)->service;
	assert_int_equal(split_round(&recording, 0, instant_now(),
				 &(struct split_limits){1000000, 1000, 100}, &split, &err),
		ERR_OK);
	assert_int_equal(pyroscope_push(&scene_data(store)->server, sent, 4, &split.pieces[0].pprof,
				 split.pieces[0].bytes, &attempts, &err),
		ERR_OK);
	assert_int_equal(store_list(store, NULL, false, &list, &err), ERR_OK);
	assert_int_equal(list.count, 0);
	assert_int_equal(store_warnings(store)->count, 1);
	split_release(&split);
	baseline_list_release(&list);
	store_close(store);
	recording_release(&recording);
}

static void test_store_urls_that_are_wrong_are_usage_errors(void **state)
{
	static const char *const urls[] = {"pyroscope://", "pyroscope://h?days=0",
		"pyroscope://h?days=367", "pyroscope://h?days=x", "pyroscope://h?days=7x",
		"pyroscope://h?days=", "pyroscope://user:secret@h"};
	struct store_options options = {0};
	struct store *store = NULL;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		if (store_open(urls[i], &options, &store, &err) != ERR_USAGE)
			fail_msg("%s was taken", urls[i]);
		assert_null(strstr(err.message, "secret"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_a_recording_comes_back_but_for_what_the_server_is_known_to_lose),
		cmocka_unit_test(test_a_counted_type_comes_back),
		cmocka_unit_test(test_a_recording_pushed_twice_is_stored_once),
		cmocka_unit_test(test_of_several_with_one_key_the_newest_counts),
		cmocka_unit_test(test_commits_are_found_and_what_is_there_verified),
		cmocka_unit_test(test_profiles_of_others_under_our_service_are_a_warning),
		cmocka_unit_test(test_store_urls_that_are_wrong_are_usage_errors),
	};

	return cmocka_run_group_tests(tests, scene_start, scene_stop);
}
