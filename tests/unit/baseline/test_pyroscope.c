/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings on a Pyroscope server, and each of its rules that a client must know. Our own server
 * by default; the same tests against a real one by FLAMEGATE_TEST_PYROSCOPE_URL.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/baseline/pyroscope_scene.h"

static void assert_same_blocks(const struct recording *a, const struct recording *b)
{
	assert_int_equal(a->block_count, b->block_count);
	for (size_t i = 0; i < a->block_count; i++)
		assert_memory_equal(&a->blocks[i], &b->blocks[i], sizeof(a->blocks[i]));
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

/* Pushes it into a store of its own and pulls it again. store_close() what it returns. */
static struct store *push_and_pull(const struct recording *recording, struct recording *pulled)
{
	struct store *store = scene_open("");
	struct error err;

	scene_must_put(store, recording);
	if (scene_get(store, recording, pulled, &err))
		fail_msg("get: %s", err.message);
	return store;
}

static void test_a_recording_comes_back_but_for_what_the_server_is_known_to_lose(void **state)
{
	struct recording pushed = recordings_make(&(struct recordings_options){.seed = 1});
	struct recording pulled;
	struct store *store;

	(void)state;
	profile_add_comment(pushed.profile, "a comment");
	store = push_and_pull(&pushed, &pulled);
	assert_same_head(&pushed, &pulled);
	assert_same_blocks(&pushed, &pulled);
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
		&(struct recordings_options){.seed = 2, .type = "instructions", .blocks = 2});
	struct recording pulled;
	struct store *store = push_and_pull(&pushed, &pulled);

	(void)state;
	assert_same_head(&pushed, &pulled);
	assert_same_blocks(&pushed, &pulled);
	scene_assert_same(pushed.profile, pulled.profile);
	assert_int_equal(recording_value_type(&pulled), 0);
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

/* ---- recordings of one stack, to be made odd --------------------------------------------------
 */

static struct recording odd_recording(uint64_t seed)
{
	return recordings_make(&(struct recordings_options){
		.seed = seed, .nodes = 3, .functions = 3, .blocks = 1});
}

/* One more sample of 1 ms in block 0, of `depth` frames named by what and their number. */
static void add_stack(struct recording *recording, const char *what, uint32_t depth,
	const struct profile_label *extra, uint32_t extra_count)
{
	struct profile *profile = recording->profile;
	struct profile_label labels[40] = {{PROFILE_LABEL_BLOCK, NULL, 0, ""}};
	uint32_t *stack = calloc(depth, sizeof(*stack));
	const int64_t values[3] = {1, 1000000, 1000000};
	char name[700];

	for (uint32_t i = 0; i < depth; i++) {
		struct profile_function function = {name, "", "f.c", 1};
		struct profile_line line = {0, 2};
		struct profile_location location = {PROFILE_NO_MAPPING, 0, &line, 1, false};

		snprintf(name, sizeof(name), "%s%u", what, i);
		line.function = profile_add_function(profile, &function);
		stack[i] = profile_add_location(profile, &location);
	}
	for (uint32_t i = 0; i < extra_count; i++)
		labels[i + 1] = extra[i];
	profile_add_sample(
		profile, &(struct profile_sample){stack, depth, values, labels, extra_count + 1});
	recording->blocks[0].sampled_seconds += 0.001;
	recording->blocks[0].cpu_seconds += 0.001;
	recording->blocks[0].samples++;
	free(stack);
}

static size_t count_frames(const struct profile *profile, const char *prefix)
{
	size_t count = 0;

	for (size_t i = 0; i < profile->function_count; i++)
		if (strncmp(profile->functions[i].name, prefix, strlen(prefix)) == 0)
			count++;
	return count;
}

static bool has_function(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, name) == 0)
			return true;
	return false;
}

/* The server cuts leaves off; we cut the outermost frames first, and say so. */
static void test_a_deep_stack_loses_its_outermost_frames_not_its_leaf(void **state)
{
	struct recording pushed = odd_recording(3), pulled;
	struct store *store;

	(void)state;
	add_stack(&pushed, "deep", 1200, NULL, 0);
	store = push_and_pull(&pushed, &pulled);
	assert_int_equal(count_frames(pulled.profile, "deep"), 1000);
	assert_true(has_function(pulled.profile, "deep0"));
	assert_false(has_function(pulled.profile, "deep1000"));
	assert_int_equal(store_warnings(store)->count, 1);
	assert_non_null(strstr(store_warnings(store)->items[0], "1000 frames"));
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

/* They would become labels of series: 30 are the most, and each value is a series of its own. */
static void test_labels_of_samples_are_not_pushed(void **state)
{
	struct profile_label extra[32];
	struct recording pushed = odd_recording(4), pulled;
	struct store *store;
	char names[32][16];

	(void)state;
	for (size_t i = 0; i < 32; i++) {
		snprintf(names[i], sizeof(names[i]), "thread_%zu", i);
		extra[i] = (struct profile_label){names[i], "x", 0, ""};
	}
	add_stack(&pushed, "labelled", 2, extra, 32);
	store = push_and_pull(&pushed, &pulled);
	scene_assert_same(pushed.profile, pulled.profile);
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

static size_t count_values(struct store *store, const char *name)
{
	struct strbuf selector = STRBUF_INIT;
	struct json *answer;
	struct error err;
	size_t count;

	pyroscope_store_selector(scene_data(store), &selector);
	strbuf_addch(&selector, '}');
	if (pyroscope_label_values(
		    &scene_data(store)->server, name, selector.data, scene_range(), &answer, &err))
		fail_msg("%s", err.message);
	count = json_length(json_get(answer, "names"));
	json_free(answer);
	strbuf_release(&selector);
	return count;
}

static void test_a_label_of_samples_does_not_become_one_of_series(void **state)
{
	const struct profile_label extra = {"thread", "17", 0, ""};
	struct recording pushed = odd_recording(5), pulled;
	struct store *store;

	(void)state;
	add_stack(&pushed, "labelled", 2, &extra, 1);
	store = push_and_pull(&pushed, &pulled);
	assert_int_equal(count_values(store, "recording"), 1);
	assert_int_equal(count_values(store, "thread"), 0);
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

static void test_names_that_are_not_utf8_are_mended(void **state)
{
	struct recording pushed = odd_recording(6), pulled;
	struct store *store;

	(void)state;
	add_stack(&pushed, "caf\xe9_\xff", 2, NULL, 0);
	store = push_and_pull(&pushed, &pulled);
	assert_true(has_function(pulled.profile, "caf\xEF\xBF\xBD_\xEF\xBF\xBD"
						 "0"));
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

/* An hour is the most that the server takes. */
static void test_an_old_recording_can_be_pushed_and_keeps_its_time(void **state)
{
	struct recording pushed = recordings_make(&(struct recordings_options){
		.seed = 7, .nodes = 5, .blocks = 2, .time_ns = INT64_C(1500000000123456789)});
	struct recording pulled;
	struct store *store;

	(void)state;
	pushed.profile->time_ns = pushed.time_ns;
	store = push_and_pull(&pushed, &pulled);
	assert_int_equal(pulled.time_ns, INT64_C(1500000000123456789));
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

static void test_names_with_quotes_and_backslashes_are_found_again(void **state)
{
	struct recording pushed = recordings_make(&(struct recordings_options){
		.seed = 8, .nodes = 5, .blocks = 1, .benchmark = "a\"b\\c\nd{e}"});
	struct recording pulled;
	struct store *store = push_and_pull(&pushed, &pulled);

	(void)state;
	assert_string_equal(pulled.benchmark, "a\"b\\c\nd{e}");
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

static void test_a_value_type_that_the_server_refuses_is_refused_before_it_is_sent(void **state)
{
	struct recording pushed = odd_recording(9);
	struct store *store = scene_open("");
	struct error err;

	(void)state;
	pushed.profile->types[0].type = profile_intern(pushed.profile, "sam-ples");
	assert_int_equal(scene_put(store, &pushed, NULL, &err), ERR_USAGE);
	assert_non_null(strstr(err.message, "sam-ples"));
	assert_int_equal(count_values(store, "recording"), 0);
	store_close(store);
	recording_release(&pushed);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Many stacks of a few frames, with names of `length` bytes. */
static struct recording large_recording(uint64_t seed, unsigned stacks, int length)
{
	struct recording recording = odd_recording(seed);
	char what[600];

	for (unsigned i = 0; i < stacks; i++) {
		snprintf(what, sizeof(what), "%0*u_", length, i);
		add_stack(&recording, what, 1, NULL, 0);
	}
	return recording;
}

static void push_large(unsigned stacks, int length, size_t least_parts)
{
	struct recording pushed = large_recording(10 + stacks, stacks, length), pulled;
	int64_t refused = scene.pid ? scene_count("refused") : 0;
	struct store *store = push_and_pull(&pushed, &pulled);

	scene_assert_same(pushed.profile, pulled.profile);
	assert_in_range(count_values(store, "part"), least_parts, 20);
	if (scene.pid)
		assert_int_equal(scene_count("refused"), refused);
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

static void test_more_samples_than_the_server_takes_go_in_parts(void **state)
{
	(void)state;
	push_large(17000, 5, 2);
}

/* 4 MB of names: refused by the rate limit for ever, however long one waits. */
static void test_more_bytes_than_the_server_takes_at_once_go_in_parts(void **state)
{
	(void)state;
	push_large(8000, 500, 3);
}

/* ---- several --------------------------------------------------------------------------------- */

static void test_a_recording_pushed_twice_is_stored_once(void **state)
{
	struct recording pushed = odd_recording(20), pulled;
	struct store *store = push_and_pull(&pushed, &pulled);
	struct recording again;
	struct error err;

	(void)state;
	scene_must_put(store, &pushed);
	assert_int_equal(count_values(store, "recording"), 1);
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
		.blocks = 2,
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
	assert_int_equal(list.entries[0].blocks, 2);
	assert_true(
		fabs(list.entries[0].cpu_seconds -
			(second.blocks[0].cpu_seconds + second.blocks[1].cpu_seconds) / 2) < 1e-12);
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
				 &(struct recordings_options){.seed = 40, .nodes = 5, .blocks = 1}),
			 b = recordings_make(&(struct recordings_options){
				 .seed = 41, .nodes = 5, .blocks = 1, .benchmark = "other"});
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
	struct recording recording = odd_recording(50);
	struct store *store = scene_open("");
	struct label sent[4];
	struct baseline_list list;
	struct split split;
	unsigned attempts = 0;
	struct error err;

	(void)state;
	memcpy(sent, labels, sizeof(labels));
	sent[1].value = scene_data(store)->service;
	assert_int_equal(split_block(&recording, 0, instant_now(),
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_a_recording_comes_back_but_for_what_the_server_is_known_to_lose),
		cmocka_unit_test(test_a_counted_type_comes_back),
		cmocka_unit_test(test_a_deep_stack_loses_its_outermost_frames_not_its_leaf),
		cmocka_unit_test(test_labels_of_samples_are_not_pushed),
		cmocka_unit_test(test_a_label_of_samples_does_not_become_one_of_series),
		cmocka_unit_test(test_names_that_are_not_utf8_are_mended),
		cmocka_unit_test(test_an_old_recording_can_be_pushed_and_keeps_its_time),
		cmocka_unit_test(test_names_with_quotes_and_backslashes_are_found_again),
		cmocka_unit_test(
			test_a_value_type_that_the_server_refuses_is_refused_before_it_is_sent),
		cmocka_unit_test(test_more_samples_than_the_server_takes_go_in_parts),
		cmocka_unit_test(test_more_bytes_than_the_server_takes_at_once_go_in_parts),
		cmocka_unit_test(test_a_recording_pushed_twice_is_stored_once),
		cmocka_unit_test(test_of_several_with_one_key_the_newest_counts),
		cmocka_unit_test(test_commits_are_found_and_what_is_there_verified),
		cmocka_unit_test(test_profiles_of_others_under_our_service_are_a_warning),
	};

	return cmocka_run_group_tests(tests, scene_start, scene_stop);
}
