/* SPDX-License-Identifier: Apache-2.0 */
/* What a Pyroscope server refuses, cuts or makes series of, and a client must know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "tests/unit/baseline/pyroscope_scene.h"

/* One more sample of 1 ms in round 0, of `depth` frames named by what and their number. */
static void add_stack(struct recording *recording, const char *what, uint32_t depth,
	const struct profile_label *extra, uint32_t extra_count)
{
	struct profile *profile = recording->profile;
	struct profile_label labels[40] = {{PROFILE_LABEL_ROUND, NULL, 0, ""}};
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
	recording->rounds[0].sampled_seconds += 0.001;
	recording->rounds[0].cpu_seconds += 0.001;
	recording->rounds[0].samples++;
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
	struct recording pushed = scene_recording(3), pulled;
	struct store *store;

	(void)state;
	add_stack(&pushed, "deep", 1200, NULL, 0);
	store = scene_push_and_pull(&pushed, &pulled);
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
	struct recording pushed = scene_recording(4), pulled;
	struct store *store;
	char names[32][16];

	(void)state;
	for (size_t i = 0; i < 32; i++) {
		snprintf(names[i], sizeof(names[i]), "thread_%zu", i);
		extra[i] = (struct profile_label){names[i], "x", 0, ""};
	}
	add_stack(&pushed, "labelled", 2, extra, 32);
	store = scene_push_and_pull(&pushed, &pulled);
	scene_assert_same(pushed.profile, pulled.profile);
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

static void test_a_label_of_samples_does_not_become_one_of_series(void **state)
{
	const struct profile_label extra = {"thread", "17", 0, ""};
	struct recording pushed = scene_recording(5), pulled;
	struct store *store;

	(void)state;
	add_stack(&pushed, "labelled", 2, &extra, 1);
	store = scene_push_and_pull(&pushed, &pulled);
	assert_int_equal(scene_values(store, "recording"), 1);
	assert_int_equal(scene_values(store, "thread"), 0);
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

static void test_names_that_are_not_utf8_are_mended(void **state)
{
	struct recording pushed = scene_recording(6), pulled;
	struct store *store;

	(void)state;
	add_stack(&pushed, "caf\xe9_\xff", 2, NULL, 0);
	store = scene_push_and_pull(&pushed, &pulled);
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
		.seed = 7, .nodes = 5, .rounds = 2, .time_ns = INT64_C(1500000000123456789)});
	struct recording pulled;
	struct store *store;

	(void)state;
	pushed.profile->time_ns = pushed.time_ns;
	store = scene_push_and_pull(&pushed, &pulled);
	assert_int_equal(pulled.time_ns, INT64_C(1500000000123456789));
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

/* A label's value has at most 2,048 bytes; what describes the recording has more. */
static void test_a_long_description_is_spread_over_labels(void **state)
{
	struct recording pushed = scene_recording(11), pulled;
	struct store *store;
	char command[4001];
	uint64_t random = 5;

	(void)state;
	for (size_t i = 0; i < sizeof(command) - 1; i++)
		command[i] = (char)('0' + recordings_random(&random) % 60);
	command[sizeof(command) - 1] = '\0';
	pushed.command = command;
	store = scene_push_and_pull(&pushed, &pulled);
	assert_int_equal(scene_values(store, "meta_2"), 1);
	assert_string_equal(pulled.command, command);
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

static void test_names_with_quotes_and_backslashes_are_found_again(void **state)
{
	struct recording pushed = recordings_make(&(struct recordings_options){
		.seed = 8, .nodes = 5, .rounds = 1, .benchmark = "a\"b\\c\nd{e}"});
	struct recording pulled;
	struct store *store = scene_push_and_pull(&pushed, &pulled);

	(void)state;
	assert_string_equal(pulled.benchmark, "a\"b\\c\nd{e}");
	store_close(store);
	recording_release(&pushed);
	recording_release(&pulled);
}

static void test_a_value_type_that_the_server_refuses_is_refused_before_it_is_sent(void **state)
{
	struct recording pushed = scene_recording(9);
	struct store *store = scene_open("");
	struct error err;

	(void)state;
	pushed.profile->types[0].type = profile_intern(pushed.profile, "sam-ples");
	assert_int_equal(scene_put(store, &pushed, NULL, &err), ERR_USAGE);
	assert_non_null(strstr(err.message, "sam-ples"));
	assert_int_equal(scene_values(store, "recording"), 0);
	store_close(store);
	recording_release(&pushed);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Many stacks of a few frames, with names of `length` bytes. */
static struct recording large_recording(uint64_t seed, unsigned stacks, int length)
{
	struct recording recording = scene_recording(seed);
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
	struct store *store = scene_push_and_pull(&pushed, &pulled);

	scene_assert_same(pushed.profile, pulled.profile);
	assert_in_range(scene_values(store, "part"), least_parts, 20);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_deep_stack_loses_its_outermost_frames_not_its_leaf),
		cmocka_unit_test(test_labels_of_samples_are_not_pushed),
		cmocka_unit_test(test_a_label_of_samples_does_not_become_one_of_series),
		cmocka_unit_test(test_names_that_are_not_utf8_are_mended),
		cmocka_unit_test(test_an_old_recording_can_be_pushed_and_keeps_its_time),
		cmocka_unit_test(test_a_long_description_is_spread_over_labels),
		cmocka_unit_test(test_names_with_quotes_and_backslashes_are_found_again),
		cmocka_unit_test(
			test_a_value_type_that_the_server_refuses_is_refused_before_it_is_sent),
		cmocka_unit_test(test_more_samples_than_the_server_takes_go_in_parts),
		cmocka_unit_test(test_more_bytes_than_the_server_takes_at_once_go_in_parts),
	};

	return cmocka_run_group_tests(tests, scene_start, scene_stop);
}
