/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/line/line.h"

#include <math.h>

#include "baseline/line/line_tree.h"

#include "gate/base/error.h"
#include "tests/unit/baseline/costs.h"
#include "tests/unit/baseline/recordings.h"
#include "tests/unit/bench/scene.h"

static struct strbuf encode(const struct recording *recording, enum baseline_detail detail)
{
	struct strbuf line = STRBUF_INIT;
	struct error err;

	if (line_encode(recording, detail, &line, &err))
		fail_msg("%s", err.message);
	return line;
}

static struct recording decode(const struct strbuf *line, const char *commit)
{
	struct recording recording;
	enum baseline_detail detail;
	struct error err;

	if (line_decode(line->data, line->length - 1, commit, &recording, &detail, &err))
		fail_msg("%s", err.message);
	assert_int_equal(detail, BASELINE_TREE);
	return recording;
}

static size_t size_of(size_t nodes, const char *type)
{
	struct recording recording = recordings_make(&(struct recordings_options){
		.seed = 5, .nodes = nodes, .rounds = 16, .type = type});
	struct strbuf line = encode(&recording, BASELINE_TREE);
	size_t length = line.length;

	recording_release(&recording);
	strbuf_release(&line);
	return length;
}

static void test_a_tree_of_5000_nodes_fits_32_kib(void **state)
{
	size_t bytes = size_of(5000, NULL);

	(void)state;
	print_message("# 16 rounds of 1 CPU s: 1,000 nodes %zu bytes, 5,000 nodes %zu, 20,000 "
		      "nodes %zu; 5,000 nodes of a counted type %zu\n",
		size_of(1000, NULL), bytes, size_of(20000, NULL), size_of(5000, "instructions"));
	assert_in_range(bytes, 1, 32 * 1024);
}

static void test_a_line_is_one_printable_line(void **state)
{
	struct recording recording = recordings_make(&(struct recordings_options){.seed = 1});
	struct strbuf line = STRBUF_INIT;

	(void)state;
	recording.command = "./bench\n\x1b[31m\x7f \xff\xc3\xa9";
	line = encode(&recording, BASELINE_TREE);
	assert_int_equal(line.data[line.length - 1], '\n');
	for (size_t i = 0; i + 1 < line.length; i++)
		assert_true((unsigned char)line.data[i] >= ' ');
	strbuf_release(&line);
	recording_release(&recording);
}

static void test_equal_recordings_give_equal_lines(void **state)
{
	struct recordings_options options = {.seed = 9, .nodes = 300};
	struct recording one = recordings_make(&options), two = recordings_make(&options);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		enum baseline_detail detail = i ? BASELINE_SUMMARY : BASELINE_TREE;
		struct strbuf a = encode(&one, detail), b = encode(&two, detail);

		assert_string_equal(a.data, b.data);
		strbuf_release(&a);
		strbuf_release(&b);
	}
	recording_release(&one);
	recording_release(&two);
}

static void assert_same_members(const struct recording *a, const struct recording *b)
{
	assert_string_equal(a->tool_version, b->tool_version);
	assert_string_equal(a->benchmark, b->benchmark);
	assert_string_equal(a->command, b->command);
	assert_string_equal(a->role, b->role);
	assert_string_equal(a->commit, b->commit);
	assert_string_equal(a->tree, b->tree);
	assert_string_equal(a->branch, b->branch);
	assert_string_equal(a->profile_type, b->profile_type);
	assert_string_equal(a->mechanism, b->mechanism);
	assert_true(a->time_ns == b->time_ns && a->seed == b->seed);
	assert_int_equal(a->rate_hz, b->rate_hz);
	assert_int_equal(a->counted_work, b->counted_work);
	assert_string_equal(a->fingerprint.cpu_model, b->fingerprint.cpu_model);
	assert_string_equal(a->fingerprint.compiler, b->fingerprint.compiler);
	assert_string_equal(a->fingerprint.build_hash, b->fingerprint.build_hash);
	assert_true(a->fingerprint.memory_bytes == b->fingerprint.memory_bytes);
	assert_memory_equal(&a->calibration, &b->calibration, sizeof(a->calibration));
}

static void assert_same_rounds(const struct recording *a, const struct recording *b)
{
	assert_int_equal(a->round_count, b->round_count);
	for (size_t i = 0; i < a->round_count; i++) {
		struct recording_round one = a->rounds[i], two = b->rounds[i];

		assert_true(fabs(one.sampled_seconds - two.sampled_seconds) < 0.6 / 997);
		one.sampled_seconds = two.sampled_seconds = 0;
		assert_memory_equal(&one, &two, sizeof(one));
	}
}

static void test_a_tree_carries_all_but_policy(void **state)
{
	struct recording one = recordings_make(&(struct recordings_options){.seed = 2}), two;
	struct config_policy policy = config_policy_default();
	const char *warnings[] = {"first", "second"};
	struct strbuf line;

	(void)state;
	one.counted_work = true;
	one.policy.margin_total = 0.5;
	one.policy.stage1_pairs = 9;
	one.warnings = warnings;
	one.warning_count = 2;
	for (size_t i = 0; i < one.round_count; i++) {
		one.rounds[i].iterations = 1000.25 + (double)i;
		one.rounds[i].lost = i;
		one.rounds[i].complete = one.rounds[i].samples - i;
		one.rounds[i].processes = 3 + (uint32_t)i;
	}
	line = encode(&one, BASELINE_TREE);
	two = decode(&line, one.commit);
	assert_same_members(&one, &two);
	assert_same_rounds(&one, &two);
	assert_memory_equal(&two.policy, &policy, sizeof(policy));
	assert_int_equal(two.warning_count, 2);
	assert_string_equal(two.warnings[1], "second");
	assert_true(two.profile->time_ns == one.time_ns);
	strbuf_release(&line);
	recording_release(&one);
	recording_release(&two);
}

#define MOMENTS 200

/* A heap that grows to `most` and is given back, in numbers that have all their digits. */
static void add_memory(struct recording *recording, double most)
{
	struct memory_line *line = arena_alloc(&recording->arena, sizeof(*line));

	line->moments = arena_array(&recording->arena, MOMENTS, sizeof(*line->moments));
	line->count = MOMENTS;
	line->runs = 3;
	line->processes = 2;
	for (int i = 0; i < MOMENTS; i++) {
		double height = i < 150 ? i / 150.0 : (MOMENTS - i) / 50.0;

		line->moments[i] = (struct memory_moment){.seconds = (i + 1) * 0.123456789012345,
			.iterations = 1e12 + i,
			.inuse_bytes = floor(most * height * 0.9),
			.most_bytes = floor(most * height) + (i == 151 ? floor(most / 8) : 0)};
	}
	recording->memory = line;
	recording->memory_count = 1;
}

static void test_a_tree_carries_the_heap_over_time(void **state)
{
	struct recording one = recordings_make(
				 &(struct recordings_options){.seed = 2, .type = "peak_bytes"}),
			 two;
	struct strbuf without = encode(&one, BASELINE_TREE), with;
	const struct memory_line *line;

	(void)state;
	add_memory(&one, 1e14);
	with = encode(&one, BASELINE_TREE);
	assert_in_range(with.length - without.length, 1000, LINE_MEMORY_MOMENTS * 64 + 200);
	two = decode(&with, one.commit);
	assert_int_equal(two.memory_count, 1);
	line = two.memory;
	assert_int_equal(line->count, LINE_MEMORY_MOMENTS);
	assert_int_equal(line->runs, 3);
	assert_int_equal(line->processes, 2);
	assert_true(memory_line_peak(line) == memory_line_peak(one.memory));
	assert_true(line->moments[LINE_MEMORY_MOMENTS - 1].inuse_bytes ==
		    one.memory->moments[MOMENTS - 1].inuse_bytes);
	assert_true(line->moments[LINE_MEMORY_MOMENTS - 1].iterations == 1e12 + MOMENTS - 1);
	assert_true(fabs(line->moments[LINE_MEMORY_MOMENTS - 1].seconds - 24.6913578) < 1e-3);
	strbuf_release(&with);
	strbuf_release(&without);
	recording_release(&one);
	recording_release(&two);
}

static void test_a_summary_leaves_the_heap_over_time_out(void **state)
{
	struct recording one = recordings_make(
				 &(struct recordings_options){.seed = 2, .type = "peak_bytes"}),
			 two;
	enum baseline_detail detail;
	struct strbuf line;
	struct error err;

	(void)state;
	add_memory(&one, 1e6);
	line = encode(&one, BASELINE_SUMMARY);
	assert_null(strstr(line.data, "\"memory\""));
	assert_int_equal(
		line_decode(line.data, line.length - 1, one.commit, &two, &detail, &err), ERR_OK);
	assert_int_equal(detail, BASELINE_SUMMARY);
	assert_int_equal(two.memory_count, 0);
	strbuf_release(&line);
	recording_release(&one);
	recording_release(&two);
}

static void test_a_broken_heap_over_time_is_refused(void **state)
{
	struct recording one = recordings_make(
				 &(struct recordings_options){.seed = 2, .type = "peak_bytes"}),
			 two;
	struct strbuf line;
	enum baseline_detail detail;
	struct error err;
	char *runs;

	(void)state;
	add_memory(&one, 1e6);
	line = encode(&one, BASELINE_TREE);
	runs = strstr(line.data, "\"runs\":3");
	assert_non_null(runs);
	runs[strlen("\"runs\":")] = '0';
	assert_int_equal(line_decode(line.data, line.length - 1, one.commit, &two, &detail, &err),
		ERR_CORRUPT);
	assert_non_null(strstr(err.message, "memory.runs"));
	strbuf_release(&line);
	recording_release(&one);
}

static void test_every_subtree_is_right_to_one_quantum(void **state)
{
	struct recording one = recordings_make(
				 &(struct recordings_options){.seed = 3, .nodes = 400}),
			 two;
	struct strbuf line = encode(&one, BASELINE_TREE);
	struct costs before, after;

	(void)state;
	two = decode(&line, one.commit);
	before = costs_of(&one, PROFILE_TYPE_CPU);
	after = costs_of(&two, PROFILE_TYPE_CPU);
	assert_in_range(before.count, 400, 4 * 401);
	assert_true(costs_largest_difference(&before, &after) < 1.05e9 / 997);
	costs_release(&before);
	costs_release(&after);
	strbuf_release(&line);
	recording_release(&one);
	recording_release(&two);
}

static int64_t sum_round(const struct recording *recording, const char *type, int64_t round)
{
	int index = profile_find_type(recording->profile, type);
	int64_t sum = 0;

	assert_true(index >= 0);
	for (size_t i = 0; i < recording->profile->sample_count; i++)
		if (profile_sample_number(
			    &recording->profile->samples[i], PROFILE_LABEL_ROUND, -1) == round)
			sum += recording->profile->samples[i].values[index];
	return sum;
}

static void test_samples_and_squares_of_a_round_are_kept(void **state)
{
	struct recording one = recordings_make(
				 &(struct recordings_options){.seed = 4, .nodes = 50}),
			 two;
	struct strbuf line = encode(&one, BASELINE_TREE);

	(void)state;
	two = decode(&line, one.commit);
	for (int64_t round = 0; round < 4; round++) {
		int64_t samples = sum_round(&one, PROFILE_TYPE_SAMPLES, round);
		int64_t squares = sum_round(&one, PROFILE_TYPE_CPU_SQUARES, round);

		assert_true(llabs(sum_round(&two, PROFILE_TYPE_SAMPLES, round) - samples) <= 2);
		assert_true(
			llabs(sum_round(&two, PROFILE_TYPE_CPU_SQUARES, round) - squares) <= 60);
	}
	strbuf_release(&line);
	recording_release(&one);
	recording_release(&two);
}

/* As a heavy-tailed sampler gives: most samples are short, a few are 40 times as long. */
static void test_uneven_weights_are_not_rounded_away(void **state)
{
	struct recording one = recordings_make(
				 &(struct recordings_options){.seed = 6, .nodes = 30}),
			 two;
	struct costs before, after;
	struct strbuf line;
	double quantum = 0, samples = 0;

	(void)state;
	for (size_t i = 0; i < one.profile->sample_count; i++) {
		int64_t *values = (int64_t *)(uintptr_t)one.profile->samples[i].values;

		values[1] = values[1] * (i % 10 ? 1 : 40);
	}
	for (size_t i = 0; i < one.round_count; i++) {
		one.rounds[i].sampled_seconds =
			(double)sum_round(&one, PROFILE_TYPE_CPU, (int64_t)i) / 1e9;
		one.rounds[i].cpu_seconds = one.rounds[i].sampled_seconds;
		quantum += one.rounds[i].sampled_seconds * 1e9;
		samples += (double)one.rounds[i].samples;
	}
	quantum /= samples;
	line = encode(&one, BASELINE_TREE);
	two = decode(&line, one.commit);
	before = costs_of(&one, PROFILE_TYPE_CPU);
	after = costs_of(&two, PROFILE_TYPE_CPU);
	assert_true(costs_largest_difference(&before, &after) < 1.001 * quantum);
	assert_true(quantum > 2e6); /* the mean weight, not the usual one */
	costs_release(&before);
	costs_release(&after);
	strbuf_release(&line);
	recording_release(&one);
	recording_release(&two);
}

static void assert_exact(const struct recording *one)
{
	struct strbuf line = encode(one, BASELINE_TREE);
	struct recording two = decode(&line, one->commit);
	struct costs before = costs_of(one, one->profile_type),
		     after = costs_of(&two, one->profile_type);

	assert_true(before.count > 10 && before.count == after.count);
	assert_true(costs_largest_difference(&before, &after) == 0);
	assert_int_equal(two.profile->type_count, 1);
	assert_string_equal(two.profile->types[0].unit, one->profile->types[0].unit);
	costs_release(&before);
	costs_release(&after);
	strbuf_release(&line);
	recording_release(&two);
}

static void test_counted_types_are_exact_beyond_2_to_53(void **state)
{
	struct recording one = recordings_make(&(struct recordings_options){.seed = 7,
		.type = "alloc_bytes",
		.round_seconds = 0.05,
		.counted_scale = INT64_C(9007199254740993)});

	(void)state;
	assert_exact(&one);
	recording_release(&one);
}

/* Deterministic counts: the same in every round, or nearly. */
static void test_equal_rounds_cost_next_to_nothing(void **state)
{
	struct recording many = recordings_make(&(struct recordings_options){
		.seed = 8, .nodes = 300, .rounds = 1, .type = "instructions"});
	struct strbuf one = encode(&many, BASELINE_TREE), sixteen;
	size_t samples = many.profile->sample_count;

	(void)state;
	many.round_count = 16;
	many.rounds = arena_array(&many.arena, 16, sizeof(*many.rounds));
	for (size_t round = 0; round < 16; round++) {
		struct profile_label label = {PROFILE_LABEL_ROUND, NULL, (int64_t)round, ""};

		many.rounds[round] = (struct recording_round){.cpu_seconds = 1, .iterations = 1};
		for (size_t i = 0; round && i < samples; i++) {
			struct profile_sample copy = many.profile->samples[i];

			copy.labels = &label;
			profile_add_sample(many.profile, &copy);
		}
	}
	sixteen = encode(&many, BASELINE_TREE);
	assert_in_range(sixteen.length, one.length / 2, one.length + 400);
	assert_exact(&many);
	strbuf_release(&one);
	strbuf_release(&sixteen);
	recording_release(&many);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void add_stack(struct profile *profile, const struct profile_function *function,
	const char *module, uint32_t depth)
{
	struct profile_mapping mapping = {.file = module, .build_id = "ab"};
	struct profile_line line = {profile_add_function(profile, function), 7};
	struct profile_location location = {
		profile_add_mapping(profile, &mapping), 64, &line, 1, false};
	uint32_t index = profile_add_location(profile, &location);
	struct profile_label label = {PROFILE_LABEL_ROUND, NULL, 0, ""};
	int64_t values[3] = {1, 1000000, 1000000};
	struct profile_sample sample = {&index, depth, values, &label, 1};

	profile_add_sample(profile, &sample);
}

static struct recording make_odd(const struct profile_function *functions, size_t count)
{
	struct recording recording =
		recordings_make(&(struct recordings_options){.seed = 1, .rounds = 1, .nodes = 2});

	profile_free(recording.profile);
	recording.profile = profile_new();
	recordings_types(recording.profile, RECORDING_TYPE_CPU);
	for (size_t i = 0; i < count; i++)
		add_stack(recording.profile, &functions[i], "/opt/x/libodd.so.1", 1);
	recording.rounds[0].samples = count;
	recording.rounds[0].cpu_seconds = recording.rounds[0].sampled_seconds =
		0.001 * (double)count;
	return recording;
}

static void test_functions_keep_names_lines_and_modules(void **state)
{
	static const struct profile_function functions[] = {
		{"parse", "", "src/a.c", 12},
		{"parse", "", "src/b.c", 12},
		{"ns::f(int)", "_ZN2ns1fEi", "src/b.cc", -5},
		{"a\nb</script>", "", "", INT64_MAX},
		{"\xff\xfe not utf-8", "", "src/\x80.c", INT64_MIN},
		{"", "", "", 0},
	};
	struct recording one = make_odd(functions, 6), two;
	struct strbuf line = encode(&one, BASELINE_TREE);
	size_t found = 0;

	(void)state;
	two = decode(&line, one.commit);
	assert_int_equal(two.profile->function_count, 6);
	for (size_t i = 0; i < 36; i++) {
		const struct profile_function *a = &functions[i / 6];
		const struct profile_function *b = &two.profile->functions[i % 6];

		found += strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0 &&
			 strcmp(a->system_name, b->system_name) == 0 &&
			 a->start_line == b->start_line;
	}
	assert_int_equal(found, 6);
	assert_int_equal(two.profile->mapping_count, 1);
	assert_string_equal(two.profile->mappings[0].file, "libodd.so.1");
	strbuf_release(&line);
	recording_release(&one);
	recording_release(&two);
}

static void test_samples_without_frames_are_kept(void **state)
{
	static const struct profile_function function = {"f", "", "a.c", 1};
	struct recording one = make_odd(&function, 1), two;
	struct strbuf line;

	(void)state;
	add_stack(one.profile, &function, "m", 0);
	one.rounds[0].samples = 2;
	one.rounds[0].cpu_seconds = one.rounds[0].sampled_seconds = 0.002;
	line = encode(&one, BASELINE_TREE);
	two = decode(&line, one.commit);
	assert_int_equal(two.profile->sample_count, 2);
	assert_int_equal(two.profile->samples[0].depth, 0);
	assert_int_equal(two.profile->samples[0].values[1], 1000000);
	assert_int_equal(two.profile->samples[1].depth, 1);
	strbuf_release(&line);
	recording_release(&one);
	recording_release(&two);
}

/* ---- what is too large ----------------------------------------------------------------------- */

/* main with one hot function and many small ones, whose names cannot be deflated. */
static struct recording make_huge(size_t functions)
{
	static const struct profile_function hot = {"hot", "", "hot.c", 1};
	struct recording recording = make_odd(&hot, 1);
	uint64_t random = 1;

	for (size_t i = 0; i < functions; i++) {
		char name[128];
		struct profile_function function = {name, "", "", 0};

		for (size_t at = 0; at < 80; at += 16)
			snprintf(name + at, 17, "%016llx",
				(unsigned long long)recordings_random(&random));
		add_stack(recording.profile, &function, "libodd.so.1", 1);
		add_stack(recording.profile, &hot, "libodd.so.1", 1);
	}
	recording.rounds[0].samples = recording.profile->sample_count;
	recording.rounds[0].cpu_seconds = recording.rounds[0].sampled_seconds =
		0.001 * (double)recording.profile->sample_count;
	return recording;
}

static void test_what_is_too_large_is_cut_and_said(void **state)
{
	struct recording one = make_huge(120000), two;
	struct strbuf line = encode(&one, BASELINE_TREE);

	(void)state;
	assert_true(line.length <= LINE_MAX_BYTES);
	two = decode(&line, one.commit);
	assert_int_equal(two.warning_count, 1);
	assert_contains(two.warnings[0], "120000 call-tree nodes");
	assert_int_equal(two.profile->function_count, 2);
	assert_string_equal(two.profile->functions[0].name, "(other)");
	assert_int_equal(two.profile->samples[0].depth, 1);
	assert_int_equal(two.profile->samples[0].values[0], 120000);
	assert_string_equal(two.profile->functions[1].name, "hot");
	assert_int_equal(two.profile->samples[1].values[0], 120001);
	strbuf_release(&line);
	recording_release(&one);
	recording_release(&two);
}

/* What stays costs what it did; "(other)" stands where whole subtrees were. */
static void test_a_cut_tree_keeps_the_sums(void **state)
{
	struct recording one = recordings_make(&(struct recordings_options){
				 .seed = 12, .nodes = 400, .type = "instructions"}),
			 two = {.profile_type = "instructions"};
	struct line_tree tree, cut;
	struct costs before, after;
	size_t left_out, others = 0;

	(void)state;
	assert_int_equal(line_tree_build(&tree, &one, NULL), ERR_OK);
	line_tree_cut(&tree, 20000, &cut, &left_out);
	assert_in_range(left_out, 100, 399);
	assert_int_equal(line_tree_restore(&cut, &two, NULL), ERR_OK);
	before = costs_of(&one, "instructions");
	after = costs_of(&two, "instructions");
	for (size_t i = 0; i < after.count; i++) {
		if (strstr(after.items[i].key, "(other)"))
			others++;
		else
			assert_true(after.items[i].cost == costs_get(&before, after.items[i].key));
	}
	assert_in_range(others, 5, after.count - 5);
	for (size_t i = 0; i < two.profile->sample_count; i++)
		assert_true(two.profile->samples[i].depth > 0);
	costs_release(&before);
	costs_release(&after);
	line_tree_release(&tree);
	line_tree_release(&cut);
	recording_release(&one);
	recording_release(&two);
}

static void test_of_several_modules_the_first_counts(void **state)
{
	static const struct profile_function function = {"f", "", "a.c", 1};
	struct recording one = make_odd(&function, 1), two;
	struct strbuf line;

	(void)state;
	add_stack(one.profile, &function, "/lib/second.so", 1);
	one.rounds[0].samples = 2;
	one.rounds[0].cpu_seconds = one.rounds[0].sampled_seconds = 0.002;
	line = encode(&one, BASELINE_TREE);
	two = decode(&line, one.commit);
	assert_int_equal(two.profile->mapping_count, 1);
	assert_string_equal(two.profile->mappings[0].file, "libodd.so.1");
	strbuf_release(&line);
	recording_release(&one);
	recording_release(&two);
}

static void test_what_does_not_add_up_is_not_written(void **state)
{
	struct recording one = recordings_make(&(struct recordings_options){.seed = 1});
	struct strbuf line = STRBUF_INIT;
	struct error err;

	(void)state;
	one.rounds[2].cpu_seconds = 0;
	strbuf_addstr(&line, "before");
	assert_int_equal(line_encode(&one, BASELINE_TREE, &line, &err), ERR_MEASURE);
	assert_contains(err.message, "round 2 used no CPU time");
	assert_contains(err.message, "parse");
	assert_string_equal(line.data, "before");
	strbuf_release(&line);
	recording_release(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_tree_of_5000_nodes_fits_32_kib),
		cmocka_unit_test(test_a_line_is_one_printable_line),
		cmocka_unit_test(test_equal_recordings_give_equal_lines),
		cmocka_unit_test(test_a_tree_carries_all_but_policy),
		cmocka_unit_test(test_a_tree_carries_the_heap_over_time),
		cmocka_unit_test(test_a_summary_leaves_the_heap_over_time_out),
		cmocka_unit_test(test_a_broken_heap_over_time_is_refused),
		cmocka_unit_test(test_every_subtree_is_right_to_one_quantum),
		cmocka_unit_test(test_samples_and_squares_of_a_round_are_kept),
		cmocka_unit_test(test_uneven_weights_are_not_rounded_away),
		cmocka_unit_test(test_counted_types_are_exact_beyond_2_to_53),
		cmocka_unit_test(test_equal_rounds_cost_next_to_nothing),
		cmocka_unit_test(test_functions_keep_names_lines_and_modules),
		cmocka_unit_test(test_samples_without_frames_are_kept),
		cmocka_unit_test(test_what_is_too_large_is_cut_and_said),
		cmocka_unit_test(test_a_cut_tree_keeps_the_sums),
		cmocka_unit_test(test_of_several_modules_the_first_counts),
		cmocka_unit_test(test_what_does_not_add_up_is_not_written),
	};

	return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
