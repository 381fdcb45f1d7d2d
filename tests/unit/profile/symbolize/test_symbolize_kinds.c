/* SPDX-License-Identifier: Apache-2.0 */
/* Captured samples of every kind become the columns and labels of its profile. */
#include "tests/unit/profile/symbolize_fixture.h"

#include "gate/base/error.h"
#include "gate/sampler/unwind/unwind.h"

static const struct profile_kind *kind_of(const char *name)
{
	const struct profile_kind *kind = profile_kind_find(name);
	assert_non_null(kind);
	return kind;
}

static struct profile *build(const struct fixture_capture *capture, const char *kind)
{
	struct error err = {0};
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	struct profile *profile = profile_new();
	int code =
		symbolizer_add_captures(symbolizer, &capture->set, kind_of(kind), 0, profile, &err);
	assert_string_equal(err.message, "");
	assert_int_equal(code, ERR_OK);
	symbolizer_free(symbolizer);
	return profile;
}

/* Samples at one address, one for each kind given. */
static void init(struct fixture_capture *capture, const enum capture_kind *kinds, size_t count)
{
	fixture_capture_init(capture, "", "");
	for (size_t i = 0; i < count; i++) {
		fixture_capture_add(capture, 0, 0xabc, true);
		capture->entries[i].kind = kinds[i];
		capture->entries[i].count = i + 1;
		capture->entries[i].sum = 100 * (i + 1);
	}
}

static const char *label_of(const struct profile_sample *sample, const char *key)
{
	for (uint32_t i = 0; i < sample->label_count; i++)
		if (strcmp(sample->labels[i].key, key) == 0)
			return sample->labels[i].string;
	return NULL;
}

static int64_t total_of(const struct profile *profile, const char *type)
{
	int column = profile_find_type(profile, type);
	int64_t sum = 0;
	assert_true(column >= 0);
	for (size_t i = 0; i < profile->sample_count; i++)
		sum += profile->samples[i].values[column];
	return sum;
}

static void test_wall_tells_running_from_waiting(void **state)
{
	(void)state;
	const enum capture_kind kinds[] = {CAPTURE_CPU, CAPTURE_OFF_CPU, CAPTURE_HEAP};
	struct fixture_capture capture;
	init(&capture, kinds, 3);
	struct profile *profile = build(&capture, "wall");
	assert_int_equal(profile->type_count, 2);
	assert_string_equal(profile->types[1].type, "wall");
	assert_int_equal(profile->default_type, 1);
	assert_int_equal(profile->sample_count, 2);
	assert_string_equal(label_of(&profile->samples[0], "state"), "on-cpu");
	assert_string_equal(label_of(&profile->samples[1], "state"), "off-cpu");
	assert_int_equal(profile->samples[1].values[0], 2);
	assert_int_equal(profile->samples[1].values[1], 200);
	assert_int_equal(profile->period, 1000000000 / 997);
	profile_free(profile);
}

static void test_lock_tells_what_was_waited_for(void **state)
{
	(void)state;
	const enum capture_kind kinds[] = {
		CAPTURE_MUTEX, CAPTURE_RWLOCK, CAPTURE_CONDITION, CAPTURE_FUTEX, CAPTURE_CPU};
	const char *const names[] = {"mutex", "rwlock", "condition", "futex"};
	struct fixture_capture capture;
	init(&capture, kinds, 5);
	struct profile *profile = build(&capture, "lock");
	assert_int_equal(profile->sample_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(label_of(&profile->samples[i], "wait"), names[i]);
	assert_int_equal(total_of(profile, "contentions"), 10);
	assert_int_equal(total_of(profile, "delay"), 1000);
	assert_string_equal(profile->period_type.type, "contentions");
	assert_int_equal(profile->period, 1);
	profile_free(profile);
}

static void test_cpu_has_no_label_for_its_kind(void **state)
{
	(void)state;
	const enum capture_kind kinds[] = {CAPTURE_CPU, CAPTURE_OFF_CPU, CAPTURE_MUTEX};
	struct fixture_capture capture;
	init(&capture, kinds, 3);
	struct profile *profile = build(&capture, "cpu");
	assert_int_equal(profile->sample_count, 1);
	assert_int_equal(profile->samples[0].label_count, 1);
	assert_int_equal(profile->samples[0].values[1], 100);
	profile_free(profile);
}

/* Two epochs: 5 allocated, 3 freed in the first; 2 more freed in the second. */
static void test_heap_in_use_is_summed_over_epochs(void **state)
{
	(void)state;
	const enum capture_kind kinds[] = {CAPTURE_HEAP, CAPTURE_HEAP, CAPTURE_MAPPED};
	struct fixture_capture capture;
	init(&capture, kinds, 3);
	capture.entries[0] = (struct capture_sample){.stack = 0,
		.kind = CAPTURE_HEAP,
		.epoch = 1,
		.count = 9,
		.sum = 900,
		.gone_count = 3,
		.gone_sum = 300,
		.peak_count = 6,
		.peak_sum = 600};
	capture.entries[1] = (struct capture_sample){.stack = 0,
		.kind = CAPTURE_HEAP,
		.epoch = 2,
		.gone_count = 2,
		.gone_sum = 200,
		.peak_count = -1,
		.peak_sum = -100};
	capture.process.heap_period_bytes = 4096;
	struct profile *profile = build(&capture, "heap");
	assert_int_equal(profile->sample_count, 2); /* epoch 1; none, with the mapping */
	const int64_t *first = profile->samples[0].values, *second = profile->samples[1].values;
	assert_int_equal(profile_sample_number(&profile->samples[0], "epoch", -1), 1);
	assert_int_equal(first[0], 9);
	assert_int_equal(first[1], 900);
	assert_int_equal(first[2], 0);
	assert_int_equal(first[5], 0);
	assert_int_equal(profile_sample_number(&profile->samples[1], "epoch", -1), -1);
	assert_int_equal(second[0], 0);
	assert_int_equal(second[2], 4);
	assert_int_equal(second[3], 400);
	assert_int_equal(second[4], 5);
	assert_int_equal(second[5], 500);
	assert_int_equal(second[6], 3);
	assert_int_equal(second[7], 300);
	assert_string_equal(profile->period_type.type, "space");
	assert_int_equal(profile->period, 4096);
	profile_free(profile);
}

static void test_what_adds_up_to_nothing_is_no_sample(void **state)
{
	(void)state;
	const enum capture_kind kinds[] = {CAPTURE_HEAP};
	struct fixture_capture capture;
	init(&capture, kinds, 1);
	capture.entries[0].epoch = 7;
	capture.entries[0].gone_count = 1;
	capture.entries[0].gone_sum = 100;
	struct profile *profile = build(&capture, "heap");
	assert_int_equal(profile->sample_count, 1);
	assert_int_equal(profile_sample_number(&profile->samples[0], "epoch", -1), 7);
	assert_int_equal(profile->period, 1); /* every allocation was counted */
	profile_free(profile);
	/* The same, but for the end in a later epoch. */
	const enum capture_kind two[] = {CAPTURE_HEAP, CAPTURE_HEAP};
	init(&capture, two, 2);
	capture.entries[0].epoch = 7;
	capture.entries[1] = (struct capture_sample){
		.stack = 0, .kind = CAPTURE_HEAP, .epoch = 8, .gone_count = 1, .gone_sum = 100};
	profile = build(&capture, "heap");
	assert_int_equal(profile->sample_count, 1);
	profile_free(profile);
}

static void test_sums_stop_at_the_largest_number(void **state)
{
	(void)state;
	const enum capture_kind kinds[] = {CAPTURE_OFF_CPU, CAPTURE_OFF_CPU};
	struct fixture_capture capture;
	init(&capture, kinds, 2);
	capture.entries[0].sum = INT64_MAX;
	capture.entries[1].sum = UINT64_MAX;
	struct profile *profile = build(&capture, "wall");
	assert_true(profile->samples[0].values[1] == INT64_MAX);
	profile_free(profile);
}

static void test_excluded_processes_are_left_out(void **state)
{
	(void)state;
	struct fixture_capture capture;
	struct capture_module modules[2] = {
		{"/nonexistent/shell", "", 0, 0x1000, 0}, {"/nonexistent/bench", "", 0, 0x1000, 0}};
	fixture_capture_init(&capture, "", "");
	fixture_capture_add(&capture, 0, 0xabc, true);
	struct capture_process processes[2] = {capture.process, capture.process};
	processes[0].modules = &modules[0];
	processes[0].executable = modules[0].path;
	processes[0].excluded = true;
	processes[1].modules = &modules[1];
	processes[1].executable = modules[1].path;
	capture.set.processes = processes;
	capture.set.process_count = 2;
	struct profile *profile = build(&capture, "cpu");
	assert_int_equal(profile->sample_count, 1);
	assert_int_equal(profile->samples[0].values[0], 1);
	assert_int_equal(profile->mapping_count, 1);
	assert_string_equal(profile->mappings[0].file, "/nonexistent/bench");
	assert_true(fixture_warned(profile, "bench"));
	assert_false(fixture_warned(profile, "shell"));
	profile_free(profile);
}

static void test_cut_stack_has_the_mark_as_its_root(void **state)
{
	(void)state;
	struct fixture_capture capture;
	fixture_capture_init(&capture, "", "");
	fixture_capture_add(&capture, 0, 0xabc, true);
	fixture_capture_add(&capture, 0, 0xabc, true);
	capture.stacks[1].end = FG_END_DEPTH;
	struct profile *profile = build(&capture, "cpu");
	assert_int_equal(profile->sample_count, 2);
	assert_int_equal(profile->samples[0].depth, 1);
	assert_int_equal(profile->samples[1].depth, 2);
	const struct profile_location *root = &profile->locations[profile->samples[1].locations[1]];
	assert_string_equal(profile->functions[root->lines[0].function].name, "[cut: too deep]");
	assert_int_equal(root->mapping, PROFILE_NO_MAPPING);
	profile_free(profile);
}

/* ---- regions and labels ---------------------------------------------------------------------- */

static void mark(struct fixture_capture *capture, struct capture_context *contexts, size_t count,
	const uint32_t *of_samples, size_t samples)
{
	fixture_capture_init(capture, "", "");
	for (size_t i = 0; i < samples; i++) {
		fixture_capture_add(capture, 0, 0xabc, true);
		capture->entries[i].context = of_samples[i];
	}
	capture->process.contexts = contexts;
	capture->process.context_count = count;
}

static void test_regions_are_a_path_and_the_innermost_label_counts(void **state)
{
	(void)state;
	struct capture_context contexts[] = {{0, "region", "load"}, {1, "zone", "a"},
		{2, "codec", "zstd"}, {3, "region", "parse"}, {4, "zone", "b"}, {5, "codec", ""}};
	const uint32_t samples[] = {6, 3, 0};
	struct fixture_capture capture;
	mark(&capture, contexts, 6, samples, 3);
	struct profile *profile = build(&capture, "cpu");
	assert_int_equal(profile->sample_count, 3);
	const struct profile_sample *inner = &profile->samples[0], *outer = &profile->samples[1];
	assert_string_equal(label_of(inner, "region"), "load/parse");
	assert_string_equal(label_of(inner, "zone"), "b");
	assert_null(label_of(inner, "codec"));
	assert_int_equal(inner->label_count, 3);
	assert_string_equal(label_of(outer, "region"), "load");
	assert_string_equal(label_of(outer, "codec"), "zstd");
	assert_string_equal(label_of(outer, "zone"), "a");
	assert_string_equal(outer->labels[1].key, "region");
	assert_string_equal(outer->labels[2].key, "codec"); /* in the order of their keys */
	assert_int_equal(profile->samples[2].label_count, 1);
	profile_free(profile);
}

static void test_equal_labels_are_one_sample(void **state)
{
	(void)state;
	struct capture_context contexts[] = {{0, "a", "1"}, {1, "b", "2"}, {0, "b", "2"},
		{3, "a", "1"}, {0, "a", "12"}, {0, "b", ""}};
	const uint32_t samples[] = {2, 4, 5, 6, 0};
	struct fixture_capture capture;
	mark(&capture, contexts, 6, samples, 5);
	struct profile *profile = build(&capture, "cpu");
	assert_int_equal(profile->sample_count, 3);
	assert_int_equal(profile->samples[0].values[0], 2);
	assert_int_equal(profile->samples[1].values[0], 1);
	assert_int_equal(profile->samples[2].values[0], 2); /* without labels */
	profile_free(profile);
}

static void test_labels_cannot_pass_for_ours(void **state)
{
	(void)state;
	struct capture_context contexts[] = {{0, "round", "9"}, {1, "epoch", "9"},
		{2, "state", "off-cpu"}, {3, "wait", "mutex"}, {4, "<b>\x1b", "\xff</script>"}};
	const uint32_t samples[] = {5};
	struct fixture_capture capture;
	mark(&capture, contexts, 5, samples, 1);
	struct profile *profile = build(&capture, "wall");
	const struct profile_sample *sample = &profile->samples[0];
	assert_int_equal(sample->label_count, 7);
	assert_int_equal(profile_sample_number(sample, PROFILE_LABEL_ROUND, -1), 0);
	assert_string_equal(label_of(sample, "state"), "on-cpu");
	assert_string_equal(label_of(sample, "label.round"), "9");
	assert_string_equal(label_of(sample, "label.epoch"), "9");
	assert_string_equal(label_of(sample, "label.state"), "off-cpu");
	assert_string_equal(label_of(sample, "label.wait"), "mutex");
	assert_string_equal(label_of(sample, "<b>\x1b"), "\xff</script>");
	profile_free(profile);
}

static void test_a_context_that_is_not_there_is_none(void **state)
{
	(void)state;
	struct capture_context contexts[] = {{0, "region", ""}};
	const uint32_t samples[] = {1, 2, UINT32_MAX};
	struct fixture_capture capture;
	mark(&capture, contexts, 1, samples, 3);
	struct profile *profile = build(&capture, "cpu");
	assert_int_equal(profile->sample_count, 2);
	assert_string_equal(label_of(&profile->samples[0], "region"), "");
	assert_int_equal(profile->samples[1].label_count, 1);
	assert_int_equal(profile->samples[1].values[0], 2);
	profile_free(profile);
}

static void test_profile_of_another_kind_is_refused(void **state)
{
	(void)state;
	const enum capture_kind kinds[] = {CAPTURE_HEAP};
	struct fixture_capture capture;
	struct error err = {0};
	init(&capture, kinds, 1);
	struct profile *profile = build(&capture, "heap");
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	assert_int_equal(symbolizer_add_captures(
				 symbolizer, &capture.set, kind_of("lock"), 0, profile, &err),
		ERR_USAGE);
	assert_int_equal(symbolizer_add_captures(
				 symbolizer, &capture.set, kind_of("heap"), 1, profile, &err),
		ERR_OK);
	assert_int_equal(
		profile_sample_number(&profile->samples[profile->sample_count - 1], "round", -1),
		1);
	symbolizer_free(symbolizer);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wall_tells_running_from_waiting),
		cmocka_unit_test(test_lock_tells_what_was_waited_for),
		cmocka_unit_test(test_cpu_has_no_label_for_its_kind),
		cmocka_unit_test(test_heap_in_use_is_summed_over_epochs),
		cmocka_unit_test(test_what_adds_up_to_nothing_is_no_sample),
		cmocka_unit_test(test_sums_stop_at_the_largest_number),
		cmocka_unit_test(test_excluded_processes_are_left_out),
		cmocka_unit_test(test_cut_stack_has_the_mark_as_its_root),
		cmocka_unit_test(test_regions_are_a_path_and_the_innermost_label_counts),
		cmocka_unit_test(test_equal_labels_are_one_sample),
		cmocka_unit_test(test_labels_cannot_pass_for_ours),
		cmocka_unit_test(test_a_context_that_is_not_there_is_none),
		cmocka_unit_test(test_profile_of_another_kind_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
