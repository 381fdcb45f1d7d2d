/* SPDX-License-Identifier: Apache-2.0 */
/* What a benchmark costs besides: trees of other types beside its own, which decide nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gate/check/check.h"
#include "gate/check/decide/further.h"
#include "gate/check/result.h"
#include "tests/unit/check/synthetic.h"

#define STEPS 14
#define RUNS 3

struct fixture {
	struct synthetic_function functions[STEPS];
	char names[STEPS][32];
	struct measurements *measurements;
	struct result *result;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	for (int i = 0; i < STEPS; i++) {
		double share = 0.01 * (i + 1);

		snprintf(f->names[i], sizeof(f->names[i]), "main;step%d", i);
		f->functions[i] = (struct synthetic_function){f->names[i], {share, share}};
	}
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	measurements_free(f->measurements);
	result_free(f->result);
	free(f);
	return 0;
}

static const struct result_benchmark *decide(struct fixture *f)
{
	result_free(f->result);
	f->result = decide_measurements(f->measurements);
	return &f->result->benchmarks[0];
}

/* ---- profiles of several types --------------------------------------------------------------- */

static void add_types(struct profile *profile, const struct profile_value_type *types, size_t count)
{
	for (size_t i = 0; i < count; i++)
		profile_add_type(profile, types[i].type, types[i].unit);
}

/* main;parse and main;print, each in every run. */
static void add_samples(
	struct profile *profile, const int64_t *parse, const int64_t *print, size_t runs)
{
	static const char *const names[] = {"main", "parse", "print"};
	uint32_t locations[3];

	for (int i = 0; i < 3; i++) {
		struct profile_function function = {
			.name = names[i], .system_name = "", .file = "a.c", .start_line = 1 + i};
		struct profile_line line = {profile_add_function(profile, &function), 5};
		struct profile_location location = {
			.mapping = PROFILE_NO_MAPPING, .lines = &line, .line_count = 1};

		locations[i] = profile_add_location(profile, &location);
	}
	for (size_t run = 0; run < runs; run++)
		for (int i = 1; i < 3; i++) {
			uint32_t stack[] = {locations[i], locations[0]};
			struct profile_label label = {
				.key = PROFILE_LABEL_ROUND, .number = (int64_t)run, .unit = ""};
			struct profile_sample sample = {.locations = stack,
				.depth = 2,
				.values = i == 1 ? parse : print,
				.labels = &label,
				.label_count = 1};

			profile_add_sample(profile, &sample);
		}
}

static void begin(struct recording *recording, const char *role, const char *type)
{
	const struct config_policy policy = config_policy_default();

	recording_begin(recording, "bench", "./bench", role, &policy);
	recording->profile_type = type;
	recording->mechanism = "";
	recording->fingerprint.compiler = "gcc 12";
	recording->fingerprint.build_hash = "00";
	recording->rounds = arena_array(&recording->arena, RUNS, sizeof(*recording->rounds));
	recording->round_count = RUNS;
	for (size_t i = 0; i < RUNS; i++)
		recording->rounds[i] = (struct recording_round){.cpu_seconds = 1, .iterations = 1};
}

/* One type, counted beside the pairs. */
static struct measured_reference *count(struct fixture *f, const char *type, const char *unit,
	int64_t base, int64_t head, bool has_base)
{
	struct measured_reference *reference =
		measurements_add_reference(f->measurements, &f->measurements->benchmarks[0], type);
	const struct profile_value_type one = {type, unit};
	const int64_t print = 50;

	begin(&reference->head, "head", reference->profile_type);
	add_types(reference->head.profile, &one, 1);
	add_samples(reference->head.profile, &head, &print, RUNS);
	reference->counted = true;
	reference->has_baseline = has_base;
	if (has_base) {
		begin(&reference->baseline, "base", reference->profile_type);
		add_types(reference->baseline.profile, &one, 1);
		add_samples(reference->baseline.profile, &base, &print, RUNS);
	}
	return reference;
}

static const struct result_function *find(const struct result_profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, name) == 0)
			return &profile->functions[i];
	return NULL;
}

static void test_what_was_counted_has_its_tree(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *out;
	const struct result_profile *bytes;

	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
	count(f, "alloc_bytes", "bytes", 100, 150, true);
	count(f, "delay", "nanoseconds", 3000000000, 4000000000, true);
	out = decide(f);
	assert_string_equal(out->profile_type, "cpu");
	assert_int_equal(out->profile_count, 2);
	bytes = &out->profiles[0];
	assert_string_equal(bytes->profile_type, "alloc_bytes");
	assert_string_equal(bytes->unit, "bytes");
	assert_int_equal(bytes->node_count, 4);
	assert_int_equal(bytes->sides, SIDES_BOTH);
	assert_true(bytes->total[0] == 150 && bytes->total[1] == 200);
	assert_true(
		find(bytes, "parse")->self.base == 100 && find(bytes, "parse")->self.head == 150);
	assert_true(find(bytes, "main")->total[1] == 200);
	assert_true(fabs(find(bytes, "parse")->self.change - 50 / 150.0) < 1e-12);
	assert_int_equal(find(bytes, "parse")->self.state, STATE_INELIGIBLE);
	assert_string_equal(out->profiles[1].unit, "seconds");
	assert_true(fabs(find(&out->profiles[1], "parse")->self.head - 4) < 1e-9);
}

static void test_the_tree_says_what_the_diff_touches(void **state)
{
	struct fixture *f = *state;
	struct repo_hunk hunk = {.new_start = 3, .new_lines = 1};
	struct repo_file_change change = {.new_path = "a.c", .hunks = &hunk, .hunk_count = 1};

	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
	count(f, "alloc_bytes", "bytes", 100, 150, true);
	f->measurements->diff = (struct repo_diff){.files = &change, .file_count = 1};
	assert_true(find(&decide(f)->profiles[0], "parse")->touched);
	memset(&f->measurements->diff, 0, sizeof(f->measurements->diff));
}

static void test_head_alone_is_one_profile_alone(void **state)
{
	struct fixture *f = *state;
	const struct result_profile *one;

	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
	count(f, "alloc_bytes", "bytes", 0, 150, false);
	one = &decide(f)->profiles[0];
	assert_int_equal(one->sides, SIDES_HEAD);
	assert_true(one->total[0] == 0 && one->total[1] == 200);
	assert_true(find(one, "parse")->self.change == 0);
}

static void test_a_tree_decides_nothing(void **state)
{
	struct fixture *f = *state;
	enum result_status before;

	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
	before = decide(f)->status;
	count(f, "delay", "nanoseconds", 1000, 900000000, true);
	assert_int_equal(decide(f)->status, before);
	assert_int_equal(f->result->benchmarks[0].profile_count, 1);
}

/* ---- one profile alone ----------------------------------------------------------------------- */

static const struct profile_value_type heap_types[] = {{"samples", "count"},
	{"alloc_objects", "count"}, {"alloc_bytes", "bytes"}, {"mmap_bytes", "bytes"},
	{"alloc_objects", "again"}};

static void run_heap(struct recording *recording, size_t types, size_t scale)
{
	const int64_t parse[] = {9, (int64_t)(2 * scale), (int64_t)(200 * scale), 0, 1},
		      print[] = {9, 1, 50, 0, 1};

	begin(recording, "run", "alloc_bytes");
	add_types(recording->profile, heap_types, types);
	recording->profile->default_type = 2;
	add_samples(recording->profile, parse, print, 1);
	recording->round_count = 1;
}

static struct measured_benchmark *alone(struct fixture *f)
{
	struct measured_benchmark *benchmark;

	f->measurements = measurements_new("run");
	benchmark = measurements_add_benchmark(f->measurements, "bench", "run", "./bench");
	benchmark->outcome = OUTCOME_PROFILE;
	return benchmark;
}

static void test_a_run_shows_the_types_of_which_there_is_something(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark = alone(f);
	const struct result_benchmark *out;

	benchmark->head_only = true;
	run_heap(&benchmark->recordings[VERSION_HEAD], 5, 1);
	out = decide(f);
	assert_string_equal(out->profile_type, "alloc_bytes");
	assert_int_equal(out->profile_count, 1);
	assert_string_equal(out->profiles[0].profile_type, "alloc_objects");
	assert_string_equal(out->profiles[0].unit, "count");
	assert_int_equal(out->profiles[0].sides, SIDES_HEAD);
	assert_true(out->profiles[0].total[0] == 0 && out->profiles[0].total[1] == 3);
}

static void test_two_profiles_show_the_types_that_both_have(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark = alone(f);
	const struct result_benchmark *out;

	benchmark->recorded = true;
	run_heap(&benchmark->recordings[VERSION_BASE], 3, 1);
	run_heap(&benchmark->recordings[VERSION_HEAD], 5, 2);
	out = decide(f);
	assert_int_equal(out->profile_count, 1);
	assert_int_equal(out->profiles[0].sides, SIDES_BOTH);
	assert_true(out->profiles[0].total[0] == 3 && out->profiles[0].total[1] == 5);
	assert_true(fabs(find(&out->profiles[0], "parse")->self.change - 2 / 3.0) < 1e-12);
}

static void test_another_unit_is_another_type(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark = alone(f);

	benchmark->recorded = true;
	run_heap(&benchmark->recordings[VERSION_BASE], 3, 1);
	run_heap(&benchmark->recordings[VERSION_HEAD], 3, 1);
	benchmark->recordings[VERSION_BASE].profile->types[1].unit = "pages";
	assert_int_equal(decide(f)->profile_count, 0);
}

/* `count` of them, t0 first, and then one that is no cost. */
static const struct result_benchmark *decide_types(struct fixture *f, int count)
{
	struct measured_benchmark *benchmark = alone(f);
	struct recording *head = &benchmark->recordings[VERSION_HEAD];
	int64_t values[202];
	char name[16];

	benchmark->head_only = true;
	begin(head, "run", "t0");
	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		profile_add_type(head->profile, name, "count");
		values[i] = 1;
	}
	profile_add_type(head->profile, PROFILE_TYPE_SAMPLES, "count");
	values[count] = values[count + 1] = 1;
	add_samples(head->profile, values, values, 1);
	assert_int_equal(decide(f)->profile_count, FURTHER_MOST);
	return f->result->benchmarks;
}

static void test_a_hostile_number_of_types_is_cut(void **state)
{
	const struct result_benchmark *out = decide_types(*state, 200);

	assert_int_equal(out->excluded_count, 1);
	assert_string_equal(out->excluded[0], "value types of the profile: 17 of them are shown");
}

static void test_nothing_is_cut_where_only_sample_counts_are_left(void **state)
{
	assert_int_equal(decide_types(*state, FURTHER_MOST + 1)->excluded_count, 0);
}

/* ---- labels ---------------------------------------------------------------------------------- */

static const struct result_label *label(const struct result_benchmark *out, const char *key)
{
	for (size_t i = 0; i < out->label_count; i++)
		if (strcmp(out->labels[i].key, key) == 0)
			return &out->labels[i];
	return NULL;
}

static double head_of(const struct result_label *of, const char *value)
{
	double sum = 0;

	for (size_t i = 0; i < of->cost_count; i++)
		if (strcmp(of->values[of->costs[i].value], value) == 0)
			sum += of->costs[i].self[1];
	return sum;
}

/* main;parse once more, in region "work". */
static void add_labelled(struct profile *profile)
{
	const int64_t costs[] = {9, 2, 100, 0, 1};
	struct profile_label labels[] = {{.key = PROFILE_LABEL_ROUND, .unit = ""},
		{.key = "epoch", .number = 3, .unit = ""},
		{.key = "region", .string = "work", .unit = ""}};
	struct profile_sample sample = profile->samples[0];

	sample.values = costs;
	sample.labels = labels;
	sample.label_count = 3;
	profile_add_sample(profile, &sample);
}

/* Base was measured, and allocated nothing: that is no profile alone. */
static void test_a_base_of_nothing_is_still_compared(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *out;
	const int64_t nothing = 0;
	struct profile *base;

	f->measurements = measurements_new("compare");
	measurements_add_benchmark(f->measurements, "bench", "bench", "./bench")->outcome =
		OUTCOME_PROFILE;
	count(f, "alloc_bytes", "bytes", 0, 100, true);
	base = f->measurements->benchmarks[0].references[0].baseline.profile;
	for (size_t i = 0; i < base->sample_count; i++)
		base->samples[i].values = &nothing;
	out = decide(f);
	assert_true(out->total.base == 0 && out->total.head > 0);
	assert_int_equal(out->sides, SIDES_BOTH);
	/* Of the mean of both: there is no other. */
	assert_true(fabs(out->nodes[0].total_change - 2) < 1e-9);
}

static void test_head_alone_says_so(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark = alone(f);

	benchmark->head_only = true;
	run_heap(&benchmark->recordings[VERSION_HEAD], 3, 1);
	assert_int_equal(decide(f)->sides, SIDES_HEAD);
}

static void test_costs_are_split_by_label(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark = alone(f);
	const struct result_benchmark *out;
	const struct result_label *region;

	benchmark->head_only = true;
	run_heap(&benchmark->recordings[VERSION_HEAD], 3, 1);
	add_labelled(benchmark->recordings[VERSION_HEAD].profile);
	out = decide(f);
	assert_int_equal(out->label_count, 1);
	region = label(out, "region");
	assert_int_equal(region->value_count, 2);
	assert_true(head_of(region, "work") == 100 && head_of(region, "") == 250);
	assert_int_equal(out->profiles[0].label_count, 1);
	assert_true(head_of(&out->profiles[0].labels[0], "work") == 2);
}

static void test_costs_are_split_by_round_too(void **state)
{
	struct fixture *f = *state;
	const struct result_label *rounds;
	const struct result_benchmark *out;
	double *sum;

	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
	out = decide(f);
	sum = calloc(out->node_count, sizeof(*sum));
	rounds = label(out, "round");
	assert_int_equal(rounds->value_count, SYNTHETIC_ROUNDS);
	assert_string_equal(rounds->values[0], "1");
	assert_string_equal(rounds->values[SYNTHETIC_ROUNDS - 1], "40");
	for (size_t i = 0; i < rounds->cost_count; i++)
		sum[rounds->costs[i].node] += rounds->costs[i].self[1];
	for (size_t i = 0; i < out->node_count; i++)
		assert_true(fabs(sum[i] - out->nodes[i].self[1]) < 1e-9);
	free(sum);
}

static void test_the_smallest_values_become_one(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark = alone(f);
	struct recording *head = &benchmark->recordings[VERSION_HEAD];
	const struct result_label *all;
	char name[16];

	benchmark->head_only = true;
	run_heap(head, 3, 1);
	for (int i = 1; i <= 200; i++) {
		const int64_t costs[] = {1, 1, i};
		struct profile_label one = {.key = "request", .string = name, .unit = ""};
		struct profile_sample sample = head->profile->samples[0];

		snprintf(name, sizeof(name), "r%d", i);
		sample.values = costs;
		sample.labels = &one;
		sample.label_count = 1;
		profile_add_sample(head->profile, &sample);
	}
	all = label(decide(f), "request");
	assert_int_equal(all->value_count, RESULT_MAX_LABEL_VALUES);
	assert_string_equal(all->values[0], "");
	assert_string_equal(all->values[1], "r200");
	assert_string_equal(all->values[RESULT_MAX_LABEL_VALUES - 1], "(other)");
	/* 62 stand for themselves: r200 down to r139. */
	assert_true(head_of(all, "(other)") == 138 * 139 / 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_what_was_counted_has_its_tree),
		TEST(test_the_tree_says_what_the_diff_touches),
		TEST(test_head_alone_is_one_profile_alone),
		TEST(test_a_tree_decides_nothing),
		TEST(test_a_run_shows_the_types_of_which_there_is_something),
		TEST(test_two_profiles_show_the_types_that_both_have),
		TEST(test_another_unit_is_another_type),
		TEST(test_a_hostile_number_of_types_is_cut),
		TEST(test_nothing_is_cut_where_only_sample_counts_are_left),
		TEST(test_a_base_of_nothing_is_still_compared),
		TEST(test_head_alone_says_so),
		TEST(test_costs_are_split_by_label),
		TEST(test_costs_are_split_by_round_too),
		TEST(test_the_smallest_values_become_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
