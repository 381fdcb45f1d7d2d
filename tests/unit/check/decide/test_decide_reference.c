/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "baseline/store.h"
#include "gate/check/analysis/hidden.h"
#include "gate/check/check.h"
#include "gate/check/decide/decide_reference.h"
#include "gate/check/result.h"
#include "gate/verdict/screen/screen.h"
#include "tests/unit/check/synthetic.h"

#define STEPS 14
#define COUNTED_ROUNDS 3

/* A program of many functions: base is the stored baseline or the base version, head is head. */
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

static struct measured_benchmark *benchmark_of(struct fixture *f)
{
	return &f->measurements->benchmarks[0];
}

/* Head alone, base as the stored baseline. */
static struct measured_benchmark *alone(
	struct fixture *f, enum result_outcome outcome, enum config_stored policy)
{
	struct measured_benchmark *benchmark;
	struct measured_reference *reference;

	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
	benchmark = benchmark_of(f);
	reference = measurements_add_reference(f->measurements, benchmark, RECORDING_TYPE_CPU);
	reference->baseline = benchmark->recordings[VERSION_BASE];
	reference->has_baseline = true;
	reference->commit = "1234567890123456789012345678901234567890";
	reference->store = "a test";
	reference->distance = 3;
	memset(&benchmark->recordings[VERSION_BASE], 0, sizeof(struct recording));
	benchmark->recorded = false;
	benchmark->head_only = true;
	benchmark->outcome = outcome;
	benchmark->detail = outcome == OUTCOME_BASE_FAILED ? "the base does not build" : "";
	benchmark->recordings[VERSION_HEAD].policy.stored = policy;
	return benchmark;
}

static const struct result_benchmark *decide(struct fixture *f)
{
	f->result = decide_measurements(f->measurements);
	assert_int_equal(f->result->benchmark_count, 1);
	return &f->result->benchmarks[0];
}

static void test_stored_fail_fails_where_the_base_cannot_be_rebuilt(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *out;

	f->functions[9].share[VERSION_HEAD] *= 1.5;
	alone(f, OUTCOME_BASE_FAILED, CONFIG_STORED_FAIL);
	out = decide(f);
	assert_int_equal(out->status, RESULT_FAIL);
	assert_int_equal(f->result->exit_status, 1);
	assert_int_equal(out->reference_count, 1);
	assert_int_equal(out->references[0].kind, REFERENCE_SCREEN);
	assert_int_equal(out->references[0].state, REFERENCE_FLAGGED);
	assert_true(out->references[0].decides);
	assert_int_equal(out->references[0].distance, 3);
	assert_string_equal(out->references[0].findings[0].name, "step9");
	assert_true(out->references[0].findings[0].change > 0.02);
	assert_true(out->node_count > STEPS);
}

/* The baseline has the first six functions as one, as a summary has those that are not hot. */
static void keep_no_more_than_the_hottest(struct fixture *f)
{
	double others = 0;

	for (int i = 0; i < 6; i++) {
		others += f->functions[i].share[VERSION_BASE];
		f->functions[i].share[VERSION_BASE] = 0;
	}
	f->functions[13] = (struct synthetic_function){"main;" BASELINE_OTHER, {others, 0}};
}

static void test_what_a_summary_does_not_keep_has_neither_come_nor_gone(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *out;

	keep_no_more_than_the_hottest(f);
	alone(f, OUTCOME_BASE_FAILED, CONFIG_STORED_FAIL);
	out = decide(f);
	assert_int_equal(out->references[0].state, REFERENCE_CLEAR);
	assert_int_equal(out->references[0].finding_count, 0);
	assert_true(out->references[0].threshold < 0.1);
}

static void test_what_a_summary_does_not_keep_explains_no_increase(void **state)
{
	struct fixture *f = *state;

	keep_no_more_than_the_hottest(f);
	f->functions[9].share[VERSION_HEAD] *= 1.5;
	alone(f, OUTCOME_BASE_FAILED, CONFIG_STORED_FAIL);
	assert_int_equal(decide(f)->status, RESULT_FAIL);
	assert_string_equal(f->result->benchmarks[0].references[0].findings[0].name, "step9");
	assert_false(f->result->benchmarks[0].references[0].findings[0].shifted);
}

static void test_what_a_summary_does_not_keep_can_grow(void **state)
{
	struct fixture *f = *state;

	keep_no_more_than_the_hottest(f);
	f->functions[5].share[VERSION_HEAD] *= 4;
	alone(f, OUTCOME_BASE_FAILED, CONFIG_STORED_FAIL);
	assert_int_equal(decide(f)->status, RESULT_FAIL);
	assert_int_equal(f->result->benchmarks[0].references[0].finding_count, 1);
	assert_string_equal(
		f->result->benchmarks[0].references[0].findings[0].name, BASELINE_OTHER);
}

static void test_stored_warn_and_screen_never_fail(void **state)
{
	struct fixture *f = *state;

	f->functions[9].share[VERSION_HEAD] *= 1.5;
	alone(f, OUTCOME_BASE_FAILED, CONFIG_STORED_WARN);
	assert_int_equal(decide(f)->status, RESULT_WARN);
	assert_true(f->result->benchmarks[0].references[0].decides);
	result_free(f->result);
	benchmark_of(f)->recordings[VERSION_HEAD].policy.stored = CONFIG_STORED_SCREEN;
	assert_int_equal(decide(f)->status, RESULT_WARN);
	assert_false(f->result->benchmarks[0].references[0].decides);
}

static void test_a_clear_screen_does_not_mend_a_base_that_fails(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark = alone(f, OUTCOME_BASE_FAILED, CONFIG_STORED_FAIL);

	assert_int_equal(decide(f)->status, RESULT_WARN);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CLEAR);
	result_free(f->result);
	benchmark->fails = true; /* on_base_failure: fail */
	assert_int_equal(decide(f)->status, RESULT_ERROR);
	assert_int_equal(f->result->exit_status, 3);
}

/* Beside pairs: a baseline of the functions as base has them now. */
static void store_base(struct fixture *f, uint64_t seed)
{
	struct measurements *older = synthetic_measurements(f->functions, STEPS, seed);
	struct measured_reference *reference =
		measurements_add_reference(f->measurements, benchmark_of(f), RECORDING_TYPE_CPU);

	reference->baseline = older->benchmarks[0].recordings[VERSION_BASE];
	reference->has_baseline = true;
	recording_release(&older->benchmarks[0].recordings[VERSION_HEAD]);
	older->benchmarks[0].recorded = false;
	measurements_free(older);
}

static void test_beside_pairs_the_stored_baseline_warns_at_most(void **state)
{
	static const enum result_status wanted[] = {
		[CONFIG_STORED_SCREEN] = RESULT_PASS,
		[CONFIG_STORED_WARN] = RESULT_WARN,
		[CONFIG_STORED_FAIL] = RESULT_WARN,
	};
	struct fixture *f = *state;

	/* The pairs are equal; the baseline is of a time when step9 was cheaper. */
	f->measurements = synthetic_measurements(f->functions, STEPS, 11);
	f->functions[9].share[VERSION_BASE] /= 1.5;
	store_base(f, 12);
	for (int policy = CONFIG_STORED_SCREEN; policy <= CONFIG_STORED_FAIL; policy++) {
		result_free(f->result);
		benchmark_of(f)->recordings[VERSION_HEAD].policy.stored =
			(enum config_stored)policy;
		assert_int_equal(decide(f)->status, wanted[policy]);
		assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_FLAGGED);
	}
}

/* A slowdown all over, by less than machines differ: the headline says +8 %. */
static void test_beside_pairs_that_fail_a_clear_screen_cannot_tell(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *out;

	for (int i = 0; i < STEPS; i++)
		f->functions[i].share[VERSION_HEAD] *= 1.08;
	f->measurements = synthetic_measurements(f->functions, STEPS, 11);
	store_base(f, 12);
	out = decide(f);
	assert_int_equal(out->status, RESULT_FAIL);
	assert_int_equal(out->references[0].state, REFERENCE_CANNOT);
	assert_non_null(strstr(out->references[0].detail, "the pairs of runs show"));
}

/* Beside pairs that pass it says what it saw. */
static void test_beside_pairs_that_pass_a_clear_screen_is_clear(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *out;

	f->measurements = synthetic_measurements(f->functions, STEPS, 11);
	store_base(f, 12);
	out = decide(f);
	assert_int_equal(out->status, RESULT_PASS);
	assert_int_equal(out->references[0].state, REFERENCE_CLEAR);
}

static void test_screen_fast_passes_only_what_is_clear(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark = alone(f, OUTCOME_SCREENED, CONFIG_STORED_SCREEN);

	assert_true(screen_is_clear(f->measurements, benchmark));
	assert_int_equal(decide(f)->status, RESULT_PASS);
	result_free(f->result);
	/* Nor is what is kept out of the measurement. */
	benchmark->recordings[VERSION_HEAD].rounds[0].paused_seconds = 100;
	assert_false(screen_is_clear(f->measurements, benchmark));
	assert_int_equal(decide(f)->status, RESULT_WARN);
	result_free(f->result);
	benchmark->recordings[VERSION_HEAD].rounds[0].paused_seconds = 0;
	/* What cannot be looked at is not cleared. */
	benchmark->references[0].baseline.round_count = 0;
	assert_false(screen_is_clear(f->measurements, benchmark));
	assert_int_equal(decide(f)->status, RESULT_WARN);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CANNOT);
}

/* Measurements may come from anywhere, and say of themselves what they like. */
static void test_screened_without_what_was_screened_is_no_pass(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark = alone(f, OUTCOME_SCREENED, CONFIG_STORED_SCREEN);

	measurements_drop_references(benchmark);
	assert_int_equal(decide(f)->status, RESULT_WARN);
	result_free(f->result);
	measurements_drop_recordings(benchmark);
	assert_int_equal(decide(f)->status, RESULT_ERROR);
	assert_int_equal(f->result->exit_status, 3);
}

static void test_screened_is_no_pass_where_all_is_slower(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < STEPS; i++)
		f->functions[i].share[VERSION_HEAD] *= 1.25;
	alone(f, OUTCOME_SCREENED, CONFIG_STORED_SCREEN);
	assert_int_equal(decide(f)->status, RESULT_WARN);
}

static bool is_clear(struct fixture *f)
{
	const struct measured_benchmark *benchmark =
		alone(f, OUTCOME_SCREENED, CONFIG_STORED_SCREEN);

	return screen_is_clear(f->measurements, benchmark);
}

static void test_a_screen_that_flags_clears_nothing(void **state)
{
	struct fixture *f = *state;

	f->functions[11].share[VERSION_HEAD] *= 1.5;
	assert_false(is_clear(f));
	assert_int_equal(decide(f)->status, RESULT_WARN);
}

static void test_a_slower_machine_is_no_regression(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *out;

	for (int i = 0; i < STEPS; i++)
		f->functions[i].share[VERSION_HEAD] *= 1.25;
	alone(f, OUTCOME_BASE_FAILED, CONFIG_STORED_FAIL);
	out = decide(f);
	/* Nor is it cleared: nobody knows how fast that machine was. */
	assert_int_equal(out->references[0].state, REFERENCE_CANNOT);
	assert_non_null(strstr(out->references[0].detail, "1.2"));
	assert_non_null(strstr(out->references[0].detail, "is not known"));
	assert_int_equal(out->status, RESULT_WARN);
	assert_true(fabs(out->references[0].size_factor - 1.25) < 0.03);
	assert_true(fabs(out->references[0].change - 0.25) < 0.03);
}

static void test_a_uniform_slowdown_on_an_equal_machine_is_said(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark;

	for (int i = 0; i < STEPS; i++)
		f->functions[i].share[VERSION_HEAD] *= 1.25;
	benchmark = alone(f, OUTCOME_BASE_FAILED, CONFIG_STORED_FAIL);
	for (int i = 0; i < CALIBRATION_COUNT; i++) {
		benchmark->references[0].baseline.calibration.ns[i] = 2;
		benchmark->recordings[VERSION_HEAD].calibration.ns[i] = 2.02;
	}
	assert_non_null(strstr(decide(f)->references[0].detail, "times as long as when"));
	assert_non_null(strstr(f->result->benchmarks[0].references[0].detail, "1.01 times slower"));
}

/* Leaves the first runs alone. */
static void keep_runs(struct recording *recording, size_t count)
{
	struct profile *profile = recording->profile;
	size_t kept = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		if (profile_sample_number(&profile->samples[i], PROFILE_LABEL_ROUND, -1) <
			(int64_t)count)
			profile->samples[kept++] = profile->samples[i];
	profile->sample_count = kept;
	recording->round_count = count;
}

/* A screen that would hardly see anything grow does not say that nothing grew. */
static void test_a_screen_without_power_cannot_tell(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark;

	for (int i = 0; i < STEPS; i++)
		for (int version = 0; version < VERSION_COUNT; version++)
			f->functions[i].share[version] *= 0.3;
	benchmark = alone(f, OUTCOME_SCREENED, CONFIG_STORED_SCREEN);
	keep_runs(&benchmark->recordings[VERSION_HEAD], 2);
	keep_runs(&benchmark->references[0].baseline, 2);
	decide(f);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CANNOT);
	assert_non_null(strstr(f->result->benchmarks[0].references[0].detail, "too few runs"));
	assert_false(screen_is_clear(f->measurements, benchmark));
	assert_int_equal(f->result->benchmarks[0].status, RESULT_WARN);
}

static void test_what_is_slower_all_over_is_not_cleared(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < STEPS; i++)
		f->functions[i].share[VERSION_HEAD] *= 1.25;
	assert_false(is_clear(f));
	/* Unless the machine is slower by as much. */
	for (int i = 0; i < CALIBRATION_COUNT; i++) {
		benchmark_of(f)->references[0].baseline.calibration.ns[i] = 2;
		benchmark_of(f)->recordings[VERSION_HEAD].calibration.ns[i] = 2.5;
	}
	assert_true(screen_is_clear(f->measurements, benchmark_of(f)));
}

static void test_without_head_there_is_nothing_to_say(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *benchmark = alone(f, OUTCOME_IDENTICAL, CONFIG_STORED_FAIL);

	measurements_drop_recordings(benchmark);
	assert_int_equal(decide(f)->reference_count, 0);
	assert_int_equal(f->result->benchmarks[0].status, RESULT_PASS);
}

static void test_a_baseline_that_could_not_be_had_is_told(void **state)
{
	struct fixture *f = *state;
	struct measured_reference *reference;

	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
	reference =
		measurements_add_reference(f->measurements, benchmark_of(f), RECORDING_TYPE_CPU);
	reference->detail = "the server is gone";
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(f->result->benchmarks[0].reference_count, 1);
	assert_string_equal(f->result->benchmarks[0].references[0].detail, "the server is gone");
}

/* ---- counted metrics ----------------------------------------------------------------------- */

static void counted(struct recording *recording, const char *role, int64_t parse)
{
	const struct config_policy policy = config_policy_default();
	struct profile_function names[] = {{.name = "parse", .file = "src/a.c", .start_line = 3},
		{.name = "print", .file = "src/b.c", .start_line = 4}};
	int64_t costs[] = {parse, 1000000};

	recording_begin(recording, "bench", "./bench", role, &policy);
	recording->profile_type = "instructions";
	recording->fingerprint.compiler = "gcc 12";
	recording->fingerprint.build_hash = "00";
	profile_add_type(recording->profile, "instructions", "count");
	recording->rounds =
		arena_array(&recording->arena, COUNTED_ROUNDS, sizeof(*recording->rounds));
	recording->round_count = COUNTED_ROUNDS;
	for (size_t b = 0; b < COUNTED_ROUNDS; b++) {
		recording->rounds[b] = (struct recording_round){.cpu_seconds = 1, .iterations = 1};
		for (size_t i = 0; i < 2; i++) {
			struct profile_line line = {
				profile_add_function(recording->profile, &names[i]), 5};
			struct profile_location location = {
				.mapping = PROFILE_NO_MAPPING, .lines = &line, .line_count = 1};
			uint32_t index = profile_add_location(recording->profile, &location);
			struct profile_label label = {
				.key = PROFILE_LABEL_ROUND, .number = (int64_t)b, .unit = ""};
			struct profile_sample sample = {.locations = &index,
				.depth = 1,
				.values = &costs[i],
				.labels = &label,
				.label_count = 1};

			profile_add_sample(recording->profile, &sample);
		}
	}
}

static struct measured_reference *instructions(struct fixture *f, int64_t base, int64_t head)
{
	struct measured_reference *reference;

	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
	reference = measurements_add_reference(f->measurements, benchmark_of(f), "instructions");
	counted(&reference->baseline, "record", base);
	counted(&reference->head, "head", head);
	reference->has_baseline = reference->counted = true;
	return reference;
}

static void test_more_instructions_fail_exactly(void **state)
{
	struct fixture *f = *state;
	const struct result_reference *reference;

	instructions(f, 1000000, 1020000);
	assert_int_equal(decide(f)->status, RESULT_FAIL);
	reference = &f->result->benchmarks[0].references[0];
	assert_int_equal(reference->kind, REFERENCE_EXACT);
	assert_int_equal(reference->state, REFERENCE_FLAGGED);
	assert_true(reference->decides);
	assert_true(fabs(reference->change - 0.01) < 1e-12);
	assert_true(fabs(reference->base - 2000000) < 1e-6);
	assert_string_equal(reference->findings[0].name, "parse");
	assert_int_equal(reference->findings[0].line, 3);
}

/* Allocations by stacks, outermost first, "name@file"; each in base and in head. */
static void allocations(struct recording *recording, const char *role, const char *const *stacks,
	const int64_t *objects, size_t count)
{
	counted(recording, role, 0);
	recording->profile_type = "alloc_objects";
	profile_free(recording->profile);
	recording->profile = profile_new();
	profile_add_type(recording->profile, "alloc_objects", "count");
	for (size_t b = 0; b < COUNTED_ROUNDS; b++)
		for (size_t i = 0; i < count; i++)
			support_sample(
				recording->profile, stacks[i], "src/a.c", &objects[i], (int64_t)b);
}

static const struct result_reference *decide_allocations(struct fixture *f,
	const char *const *stacks, const int64_t *base, const int64_t *head, size_t count)
{
	struct measured_reference *reference;

	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
	reference = measurements_add_reference(f->measurements, benchmark_of(f), "alloc_objects");
	allocations(&reference->baseline, "record", stacks, base, count);
	allocations(&reference->head, "head", stacks, head, count);
	reference->has_baseline = reference->counted = true;
	decide(f);
	return &f->result->benchmarks[0].references[0];
}

static void test_who_called_operator_new_is_blamed_in_old_recordings_too(void **state)
{
	static const char *const stacks[] = {"main;helper;operator new(unsigned long)@",
		"main;other;operator new(unsigned long)@"};
	const int64_t base[] = {100, 700}, head[] = {150, 700};
	const struct result_reference *reference =
		decide_allocations(*state, stacks, base, head, 2);

	assert_int_equal(reference->state, REFERENCE_FLAGGED);
	assert_int_equal(reference->finding_count, 1);
	assert_string_equal(reference->findings[0].name, "helper");
	assert_string_equal(reference->findings[0].file, "src/a.c");
	assert_string_equal(reference->findings[0].caller, "");
	assert_true(fabs(reference->head - 850) < 1e-9); /* what is counted stays */
}

static void test_a_library_is_blamed_for_the_caller_it_grew_most_for(void **state)
{
	static const char *const stacks[] = {"main;small;vector@/usr/include/vector;grow@/usr/x",
		"main;helper;vector@/usr/include/vector;grow@/usr/x", "main;shrunk;grow@/usr/x"};
	const int64_t base[] = {100, 100, 900}, head[] = {120, 160, 890};
	const struct result_reference *reference =
		decide_allocations(*state, stacks, base, head, 3);

	assert_int_equal(reference->finding_count, 1);
	assert_string_equal(reference->findings[0].name, "grow");
	assert_string_equal(reference->findings[0].caller, "helper");
	assert_string_equal(reference->findings[0].caller_file, "src/a.c");
	assert_int_equal(
		reference->findings[0].caller_line, 10); /* its definition: no diff is known */
}

static void touch_line(struct fixture *f, uint32_t line)
{
	struct repo_file_change *change = arena_alloc(&f->measurements->arena, sizeof(*change));
	struct repo_hunk *hunk = arena_alloc(&f->measurements->arena, sizeof(*hunk));

	*hunk = (struct repo_hunk){.new_start = line, .new_lines = 1};
	*change = (struct repo_file_change){
		.old_path = "src/a.c", .new_path = "src/a.c", .hunks = hunk, .hunk_count = 1};
	f->measurements->diff.files = change;
	f->measurements->diff.file_count = 1;
}

static void test_a_callers_line_is_the_one_that_changed(void **state)
{
	static const char *const stacks[] = {
		"main;helper#31;grow@/usr/x", "main;helper#33;grow@/usr/x"};
	const int64_t base[] = {100, 100}, head[] = {100, 160};
	struct fixture *f = *state;

	decide_allocations(f, stacks, base, head, 2);
	result_free(f->result);
	touch_line(f, 31);
	assert_int_equal(decide(f)->references[0].findings[0].caller_line, 31);
}

static void test_without_a_caller_in_the_repository_none_is_named(void **state)
{
	static const char *const stacks[] = {"start@/usr/lib/x;init@"};
	const int64_t base[] = {100}, head[] = {160};
	const struct result_reference *reference =
		decide_allocations(*state, stacks, base, head, 1);

	assert_string_equal(reference->findings[0].name, "init");
	assert_string_equal(reference->findings[0].caller, "");
}

static void accept_one(struct fixture *f, const char *function, const char *metric)
{
	const struct measurements_acceptance one = {.benchmark = "bench",
		.function = function,
		.metric = metric,
		.reason = "worth it",
		.until = "",
		.origin = "somewhere",
		.problem = ""};

	measurements_add_acceptance(f->measurements, &one);
}

static void test_a_count_is_accepted_by_its_function_or_its_name(void **state)
{
	static const struct {
		const char *function, *metric;
		enum result_status status;
	} cases[] = {
		{"parse", "", RESULT_WARN},
		{"parse@src/a.c", "", RESULT_WARN},
		{"parse@src/b.c", "", RESULT_FAIL},
		{"print", "", RESULT_FAIL},
		{"", "instructions", RESULT_WARN},
		{"", "alloc_bytes", RESULT_FAIL},
		{"", "cpu", RESULT_FAIL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = *state;

		measurements_free(f->measurements);
		result_free(f->result);
		instructions(f, 1000000, 1020000);
		accept_one(f, cases[i].function, cases[i].metric);
		assert_int_equal(decide(f)->status, cases[i].status);
		assert_int_equal(f->result->note_count, cases[i].status == RESULT_FAIL);
	}
}

/* Q1 and Q3 of what they changed are 0.4 and 0.8 %: the threshold becomes 2 %. */
static const double restless[] = {0.002, 0.004, 0.004, 0.006, 0.006, 0.008, 0.008, 0.01};
#define RESTLESS (sizeof(restless) / sizeof(restless[0]))

static void test_a_restless_history_lets_pass_what_is_usual(void **state)
{
	struct fixture *f = *state;
	struct measured_reference *reference = instructions(f, 1000000, 1030000);
	const struct result_reference *out;

	reference->head.history = restless;
	reference->head.history_count = RESTLESS;
	assert_int_equal(decide(f)->status, RESULT_PASS);
	out = &f->result->benchmarks[0].references[0];
	assert_true(out->threshold > 0.015 && out->threshold < 0.03);
	assert_non_null(strstr(out->detail, "what 8 earlier commits changed"));
	assert_non_null(strstr(out->detail, "0.5 % without"));
}

static void test_a_short_history_lets_nothing_pass(void **state)
{
	struct fixture *f = *state;
	struct measured_reference *reference = instructions(f, 1000000, 1030000);

	reference->head.history = restless;
	reference->head.history_count = RESTLESS - 1;
	assert_int_equal(decide(f)->status, RESULT_FAIL);
	assert_string_equal(f->result->benchmarks[0].references[0].detail, "");
}

static void test_more_than_is_usual_fails(void **state)
{
	struct fixture *f = *state;
	struct measured_reference *reference = instructions(f, 1000000, 1070000);

	reference->head.history = restless;
	reference->head.history_count = RESTLESS;
	assert_int_equal(decide(f)->status, RESULT_FAIL);
}

static void test_counts_of_a_farther_commit_only_warn(void **state)
{
	struct fixture *f = *state;

	instructions(f, 1000000, 1020000)->distance = 1;
	assert_int_equal(decide(f)->status, RESULT_WARN);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_FLAGGED);
}

static void test_fewer_instructions_than_matter_pass(void **state)
{
	struct fixture *f = *state;

	instructions(f, 1000000, 1002000);
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CLEAR);
}

static void test_counts_of_another_compiler_decide_nothing(void **state)
{
	struct fixture *f = *state;

	instructions(f, 1000000, 1020000)->head.fingerprint.compiler = "gcc 13";
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CANNOT);
	assert_non_null(strstr(f->result->benchmarks[0].references[0].detail, "gcc 13"));
}

static void test_instructions_of_another_cpu_decide_nothing(void **state)
{
	struct fixture *f = *state;

	instructions(f, 1000000, 1020000)->head.fingerprint.cpu_flags_hash = "0123";
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CANNOT);
}

static void test_counts_that_vary_are_not_decided_exactly(void **state)
{
	struct fixture *f = *state;
	struct measured_reference *reference = instructions(f, 1000000, 1020000);
	int64_t *first = (int64_t *)(uintptr_t)reference->head.profile->samples[0].values;

	first[0] -= 15000;
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CANNOT);
}

static void test_counts_that_vary_but_all_grow_are_a_warning(void **state)
{
	struct fixture *f = *state;
	struct measured_reference *reference = instructions(f, 1000000, 1020000);
	int64_t *first = (int64_t *)(uintptr_t)reference->head.profile->samples[0].values;

	first[0] += 5;
	assert_int_equal(decide(f)->status, RESULT_WARN);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CANNOT);
	assert_true(f->result->benchmarks[0].references[0].decides);
	assert_non_null(strstr(f->result->benchmarks[0].references[0].detail, "all runs of head"));
}

static void test_counts_that_lose_more_than_the_base_did_clear_nothing(void **state)
{
	struct fixture *f = *state;
	struct measured_reference *reference = instructions(f, 1000000, 900000);

	reference->head.rounds[1].lost = 3;
	assert_int_equal(decide(f)->status, RESULT_WARN);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CANNOT);
	result_free(f->result);
	reference->baseline.rounds[0].lost = 3;
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CLEAR);
}

static void test_counts_that_are_paused_more_than_before_clear_nothing(void **state)
{
	struct fixture *f = *state;
	struct measured_reference *reference = instructions(f, 1000000, 900000);

	reference->head.rounds[1].paused_seconds = 1;
	assert_false(counts_everything(&reference->head));
	assert_true(counts_everything(&reference->baseline));
	assert_int_equal(decide(f)->status, RESULT_WARN);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CANNOT);
	assert_non_null(strstr(f->result->benchmarks[0].references[0].detail, "leaves out more"));
	result_free(f->result);
	reference->store = "git notes"; /* which keep nothing of it */
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(f->result->benchmarks[0].references[0].state, REFERENCE_CLEAR);
	reference->head.rounds[1].paused_seconds = 0;
	reference->head.rounds[2].lost = 1;
	assert_false(counts_everything(&reference->head));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
		CASE(test_stored_fail_fails_where_the_base_cannot_be_rebuilt),
		CASE(test_what_a_summary_does_not_keep_has_neither_come_nor_gone),
		CASE(test_what_a_summary_does_not_keep_explains_no_increase),
		CASE(test_what_a_summary_does_not_keep_can_grow),
		CASE(test_stored_warn_and_screen_never_fail),
		CASE(test_a_clear_screen_does_not_mend_a_base_that_fails),
		CASE(test_beside_pairs_the_stored_baseline_warns_at_most),
		CASE(test_beside_pairs_that_fail_a_clear_screen_cannot_tell),
		CASE(test_beside_pairs_that_pass_a_clear_screen_is_clear),
		CASE(test_screen_fast_passes_only_what_is_clear),
		CASE(test_screened_without_what_was_screened_is_no_pass),
		CASE(test_screened_is_no_pass_where_all_is_slower),
		CASE(test_a_screen_that_flags_clears_nothing),
		CASE(test_a_screen_without_power_cannot_tell),
		CASE(test_what_is_slower_all_over_is_not_cleared),
		CASE(test_instructions_of_another_cpu_decide_nothing),
		CASE(test_a_slower_machine_is_no_regression),
		CASE(test_a_uniform_slowdown_on_an_equal_machine_is_said),
		CASE(test_without_head_there_is_nothing_to_say),
		CASE(test_a_baseline_that_could_not_be_had_is_told),
		CASE(test_more_instructions_fail_exactly),
		CASE(test_who_called_operator_new_is_blamed_in_old_recordings_too),
		CASE(test_a_library_is_blamed_for_the_caller_it_grew_most_for),
		CASE(test_a_callers_line_is_the_one_that_changed),
		CASE(test_without_a_caller_in_the_repository_none_is_named),
		CASE(test_fewer_instructions_than_matter_pass),
		CASE(test_a_restless_history_lets_pass_what_is_usual),
		CASE(test_a_short_history_lets_nothing_pass),
		CASE(test_more_than_is_usual_fails),
		CASE(test_a_count_is_accepted_by_its_function_or_its_name),
		CASE(test_counts_of_a_farther_commit_only_warn),
		CASE(test_counts_of_another_compiler_decide_nothing),
		CASE(test_counts_that_vary_are_not_decided_exactly),
		CASE(test_counts_that_vary_but_all_grow_are_a_warning),
		CASE(test_counts_that_lose_more_than_the_base_did_clear_nothing),
		CASE(test_counts_that_are_paused_more_than_before_clear_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
