/* SPDX-License-Identifier: Apache-2.0 */
/* What a check makes of its measurements. */
#include "gate/base/error.h"
#include "gate/check/result.h"
#include "tests/unit/check/decide_scene.h"

static const char *culprit(const struct result_benchmark *benchmark)
{
	assert_true(benchmark->culprit_count > 0);
	return benchmark->functions[benchmark->culprits[0].function].name;
}

/* Rounds are of so many runs, and of their CPU time the samples show so much less. */
static void cover(struct fixture *f, int version, double runs, double part)
{
	struct recording *recording = &f->measurements->benchmarks[0].recordings[version];

	for (size_t i = 0; i < recording->round_count; i++) {
		recording->rounds[i].iterations = runs;
		recording->rounds[i].cpu_seconds /= part;
	}
}

/* A run of 10 ms of which base shows 72 % and head 100 %: nothing was lost, it is too short. */
static void test_short_runs_that_are_covered_unevenly_are_said_to_be_short(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;

	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	cover(f, VERSION_BASE, 139, 0.72);
	cover(f, VERSION_HEAD, 100, 1);
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_ERROR);
	assert_int_equal(f->result->exit_status, 3);
	assert_non_null(strstr(benchmark->detail, "a run takes only 10 ms of CPU time, too short"));
	assert_non_null(strstr(benchmark->detail, "do more work per run"));
	assert_null(strstr(benchmark->detail, "lost"));
}

static void test_long_runs_that_are_covered_unevenly_have_lost_samples(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;

	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	cover(f, VERSION_BASE, 2, 0.72);
	cover(f, VERSION_HEAD, 2, 1);
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_ERROR);
	assert_non_null(strstr(benchmark->detail, "samples were lost in one version"));
}

static void test_short_runs_that_are_covered_badly_are_warned_of_as_short(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;

	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	cover(f, VERSION_BASE, 125, 0.8);
	cover(f, VERSION_HEAD, 125, 0.8);
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_PASS);
	assert_true(benchmark->warning_count >= 2);
	assert_non_null(strstr(benchmark->warnings[benchmark->warning_count - 1],
		"head: a run takes only 10 ms of CPU time, and samples account for only 80 %"));
}

static void test_unchanged_versions_pass_with_a_bound(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark = decide(f);

	assert_int_equal(benchmark->status, RESULT_PASS);
	assert_int_equal(f->result->exit_status, 0);
	assert_int_equal(benchmark->culprit_count, 0);
	/* The noise, and what the code's place in memory may hide. */
	assert_true(benchmark->bound > benchmark->total.high + 0.01 && benchmark->bound < 0.1);
}

static void test_a_slower_function_fails_and_is_named_with_its_line(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;

	f->functions[3].share[VERSION_HEAD] = 0.15;
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_FAIL);
	assert_int_equal(f->result->exit_status, 1);
	assert_string_equal(culprit(benchmark), "field");
	assert_string_equal(benchmark->culprits[0].file, "src/a.c");
	assert_int_equal(benchmark->culprits[0].line, 10);
	assert_int_equal(benchmark->culprits[0].path_length, 3);
	assert_true(benchmark->culprits[0].low > 0.03 && benchmark->culprits[0].high < 0.07);
}

static void test_the_line_is_the_changed_one_where_the_diff_knows_it(void **state)
{
	struct fixture *f = *state;
	const struct repo_hunk hunk = {12, 1, 12, 1};
	struct repo_file_change change = {
		.old_path = "src/a.c", .new_path = "src/a.c", .hunks = &hunk, .hunk_count = 1};
	const struct result_benchmark *benchmark;

	f->functions[3].share[VERSION_HEAD] = 0.15;
	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	f->measurements->diff = (struct repo_diff){&change, 1};
	benchmark = decide(f);
	assert_string_equal(culprit(benchmark), "field");
	assert_int_equal(benchmark->culprits[0].line, 12);
	assert_true(benchmark->functions[benchmark->culprits[0].function].touched);
}

/* Each function's machine code; of head's function `changed` it differs. */
static void note_code(struct fixture *f, const char *changed)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct recording *recording = &f->measurements->benchmarks[0].recordings[version];
		const struct profile *profile = recording->profile;

		recording->code = arena_array(
			&recording->arena, profile->function_count, sizeof(*recording->code));
		for (uint32_t i = 0; i < profile->function_count; i++) {
			bool differs = version == VERSION_HEAD &&
				       strcmp(profile->functions[i].name, changed) == 0;

			recording->code[i] = (struct recording_code){.function = i,
				.bytes = 64,
				.hash = differs ? "2222222222222222" : "1111111111111111"};
		}
		recording->code_count = profile->function_count;
	}
}

static const struct result_culprit *decide_with_change(struct fixture *f, const char *path,
	const struct repo_hunk *hunks, size_t count, const char *changed)
{
	struct repo_file_change change = {
		.old_path = path, .new_path = path, .hunks = hunks, .hunk_count = count};
	const struct result_benchmark *benchmark;

	measurements_free(f->measurements);
	result_free(f->result);
	f->functions[3].share[VERSION_HEAD] = 0.2;
	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	f->measurements->diff = (struct repo_diff){&change, 1};
	note_code(f, changed);
	benchmark = decide(f);
	assert_string_equal(culprit(benchmark), "field");
	assert_false(benchmark->functions[benchmark->culprits[0].function].touched);
	return &benchmark->culprits[0];
}

static const struct result_culprit *decide_with_tables(
	struct fixture *f, const struct repo_hunk *hunks, size_t count, const char *changed)
{
	return decide_with_change(f, "src/a.c", hunks, count, changed);
}

/* Other flags, other code. */
static void test_the_line_is_the_build_files_where_no_source_has_changed(void **state)
{
	static const struct repo_hunk hunk = {3, 1, 3, 1};
	const struct result_culprit *culprit;

	culprit = decide_with_change(*state, "lib/Makefile", &hunk, 1, "field");
	assert_string_equal(culprit->file, "lib/Makefile");
	assert_int_equal(culprit->line, 3);
	assert_int_equal(culprit->link, LINK_BUILD);
	culprit = decide_with_change(*state, "lib/Makefile", &hunk, 1, "read");
	assert_string_equal(culprit->file, "src/a.c");
	assert_int_equal(culprit->link, LINK_NONE);
}

/* All functions are at line 10. */
static void test_the_line_is_that_of_a_changed_table_above_where_the_code_differs(void **state)
{
	static const struct repo_hunk hunks[] = {{2, 1, 2, 1}, {5, 2, 5, 3}, {90, 1, 91, 1}};
	struct fixture *f = *state;

	assert_int_equal(decide_with_tables(f, hunks, 3, "field")->line, 7);
	assert_int_equal(decide_with_tables(f, hunks, 1, "field")->line, 2);
	assert_int_equal(decide_with_tables(f, hunks + 2, 1, "field")->line, 10);
	assert_int_equal(decide_with_tables(f, hunks, 3, "read")->line, 10);
}

static void test_a_split_function_is_a_cost_shift_and_passes(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;

	f->functions[4].share[VERSION_HEAD] = 0;
	f->functions[6] = (struct synthetic_function){"main;add", {0, 0.09}};
	f->functions[7] = (struct synthetic_function){"main;add;carry", {0, 0.06}};
	f->count = FUNCTIONS + 2;
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_PASS);
	assert_int_equal(f->result->exit_status, 0);
	assert_true(benchmark->shift_count > 0);
	assert_int_equal(benchmark->warning_count, 1);
	assert_string_equal(benchmark->warnings[0], "an increase is offset by decreases elsewhere");
}

static bool says_offset(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->claim_count; i++)
		if (benchmark->claims[i].kind == CLAIM_OFFSET)
			return true;
	return false;
}

/* Then they are no reason for anything, and may be chance. */
static void test_amounts_alone_move_no_cost_where_the_total_fails(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;

	f->functions[1].share[VERSION_HEAD] = 0.22;
	f->functions[4].share[VERSION_HEAD] = 0.18;
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_PASS);
	assert_true(says_offset(benchmark));
	measurements_free(f->measurements);
	result_free(f->result);
	f->measurements = NULL;
	f->functions[5].share[VERSION_HEAD] = 0.40;
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_FAIL);
	assert_true(benchmark->shift_count > 0);
	assert_false(says_offset(benchmark));
}

static void test_an_improvement_passes(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;

	f->functions[1].share[VERSION_HEAD] = 0.15;
	benchmark = decide(f);
	assert_int_equal(f->result->exit_status, 0);
	assert_true(benchmark->improvement_count > 0);
	assert_string_equal(benchmark->functions[benchmark->improvements[0]].name, "read");
}

/* Head's by base's: of calls, of instructions with what is called, and of its own. */
struct known_ratios {
	double calls, instructions, own;
};

static struct known_ratios ratios_of(struct fixture *f, bool exact, const char *name)
{
	const struct recording *recordings = f->measurements->benchmarks[0].recordings;
	struct analysis analysis;
	struct known_ratios ratios = {-1, -1, -1};
	struct error err;

	for (int version = 0; version < VERSION_COUNT; version++)
		f->measurements->benchmarks[0].recordings[version].calls.exact = exact;
	assert_int_equal(analysis_prepare(&analysis, &recordings[VERSION_BASE],
				 &recordings[VERSION_HEAD], NULL, 1, &err),
		ERR_OK);
	for (size_t i = 0; analysis.input.call_ratio && i < analysis.input.function_count; i++)
		if (strcmp(analysis.comparison.matches.functions[i].name, name) == 0)
			ratios = (struct known_ratios){analysis.input.call_ratio[i],
				analysis.input.instruction_ratio[i],
				analysis.input.own_instruction_ratio[i]};
	analysis_release(&analysis);
	return ratios;
}

static void test_the_verdict_knows_calls_that_are_counted_exactly(void **state)
{
	static struct call_count counts[VERSION_COUNT][2] = {
		{{"", "", "field", "src/a.c", 20, 100, 40}, {"", "", "read", "src/a.c", 7}},
		{{"", "", "field", "src/a.c", 50, 300, 50}, {"", "", "read", "src/a.c", 7}},
	};
	struct fixture *f = *state;
	struct known_ratios ratios;

	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	for (int version = 0; version < VERSION_COUNT; version++)
		f->measurements->benchmarks[0].recordings[version].calls =
			(struct call_counts){.engine = CALL_COUNTS_CALLGRIND,
				.runs = 2,
				.why_not = "",
				.items = counts[version],
				.count = 2};
	ratios = ratios_of(f, true, "field");
	assert_true(ratios.calls == 2.5 && ratios.instructions == 3 && ratios.own == 1.25);
	ratios = ratios_of(f, true, "read"); /* whose instructions nobody counted */
	assert_true(ratios.calls == 1 && isnan(ratios.instructions) && isnan(ratios.own));
	assert_true(isnan(ratios_of(f, true, "sum").calls));
	assert_true(ratios_of(f, false, "field").calls == -1);
}

static void look(struct fixture *f, uint32_t number)
{
	for (int version = 0; version < VERSION_COUNT; version++)
		f->measurements->benchmarks[0].recordings[version].attempt = number;
}

static struct verdict_policy policy_at_look(struct fixture *f, uint32_t number)
{
	const struct recording *recordings = f->measurements->benchmarks[0].recordings;
	struct analysis analysis;
	struct verdict_policy policy;
	struct error err;

	look(f, number);
	assert_int_equal(analysis_prepare(&analysis, &recordings[VERSION_BASE],
				 &recordings[VERSION_HEAD], NULL, 1, &err),
		ERR_OK);
	policy = analysis.input.policy;
	analysis_release(&analysis);
	return policy;
}

static void test_layouts_count_where_both_versions_took_turns_at_them(void **state)
{
	struct fixture *f = *state;
	struct recording *recordings;

	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	recordings = f->measurements->benchmarks[0].recordings;
	assert_int_equal(policy_at_look(f, 1).layouts, 1);
	recordings[VERSION_HEAD].layouts = 8;
	assert_int_equal(policy_at_look(f, 1).layouts, 1);
	recordings[VERSION_BASE].layouts = 8;
	assert_int_equal(policy_at_look(f, 1).layouts, 8);
}

static void test_all_looks_together_stay_below_twice_the_first_ones_error_rate(void **state)
{
	struct fixture *f = *state;
	const struct verdict_policy plain = verdict_policy_default(true);
	double nodes = 0, total = 0, confirm = 0;

	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	for (uint32_t number = 1; number <= 50; number++) {
		struct verdict_policy policy = policy_at_look(f, number);

		if (number == 1)
			assert_true(policy.alpha_stage2 == plain.alpha_stage2);
		nodes += policy.alpha_stage1_nodes;
		total += policy.alpha_stage1_total;
		confirm += policy.alpha_stage2;
	}
	assert_true(nodes <= 2.001 * plain.alpha_stage1_nodes);
	assert_true(total <= 2.001 * plain.alpha_stage1_total);
	assert_true(confirm <= 2.001 * plain.alpha_stage2);
	/* Recordings of earlier flamegates do not say. */
	assert_true(policy_at_look(f, 0).alpha_stage2 == plain.alpha_stage2);
	assert_true(policy_at_look(f, UINT32_MAX).alpha_stage2 > 0);
}

static void test_a_further_attempt_needs_more_to_find_something(void **state)
{
	struct fixture *f = *state;
	double first = decide(f)->mde_function;

	result_free(f->result);
	look(f, 4);
	assert_true(decide(f)->mde_function > first * 1.02);
}

/* Every round of a version leaves this much out. */
static void leave_out(struct fixture *f, int version, double paused, double left_out)
{
	struct recording *recording;

	if (!f->measurements)
		f->measurements = synthetic_measurements(f->functions, f->count, 42);
	recording = &f->measurements->benchmarks[0].recordings[version];
	for (size_t i = 0; i < recording->round_count; i++) {
		recording->rounds[i].paused_seconds = paused;
		recording->rounds[i].left_out_seconds = left_out;
	}
}

static void test_cost_that_moves_to_where_nothing_is_measured_is_no_silent_pass(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;

	leave_out(f, VERSION_HEAD, 0.04, 0.04);
	measurements_add_line(f->measurements, &f->measurements->benchmarks[0].warnings, "another");
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_WARN);
	assert_non_null(strstr(benchmark->warnings[0], "8 % of the base's is paused"));
	assert_string_equal(benchmark->warnings[1], "another");
	assert_int_equal(f->result->exit_status, 0);
	/* The headline has the first, and that is why it warns. */
	benchmark = decide_to_detect(f, 0.001, CONFIG_WARN);
	assert_non_null(strstr(benchmark->warnings[0], "8 % of the base's is paused"));
	assert_non_null(
		strstr(benchmark->warnings[benchmark->warning_count - 1], "can only detect"));
}

/* Comments of a profile that the reader of its files has made, and others. */
static void test_files_that_could_not_be_read_are_told(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *benchmark;
	struct profile *profile;

	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	profile = f->measurements->benchmarks[0].recordings[VERSION_HEAD].profile;
	profile_add_comment(profile, "a benchmark's own");
	for (char file[] = "warning: no names for a"; file[22] <= 'f'; file[22]++)
		profile_add_comment(profile, file);
	benchmark = decide(f);
	assert_int_equal(benchmark->status, RESULT_PASS);
	assert_int_equal(benchmark->warning_count, 5);
	assert_string_equal(benchmark->warnings[0], "head: no names for a");
	assert_string_equal(benchmark->warnings[3], "head: no names for d");
	assert_string_equal(benchmark->warnings[4], "head: 2 more files could not be read");
}

static void test_what_both_versions_leave_out_is_fine(void **state)
{
	struct fixture *f = *state;

	leave_out(f, VERSION_BASE, 2, 0.5);
	leave_out(f, VERSION_HEAD, 2.1, 0.5);
	assert_int_equal(decide(f)->status, RESULT_PASS);
}

static void test_a_faster_version_hides_no_more_than_before(void **state)
{
	struct fixture *f = *state;

	f->functions[1].share[VERSION_HEAD] = 0.05;
	leave_out(f, VERSION_BASE, 1, 0);
	leave_out(f, VERSION_HEAD, 1, 0);
	assert_int_equal(decide(f)->status, RESULT_PASS);
}

static void test_what_is_left_out_is_held_against_the_work_done(void **state)
{
	struct fixture *f = *state;
	struct recording *recordings;

	leave_out(f, VERSION_BASE, 0.5, 0);
	leave_out(f, VERSION_HEAD, 0.5, 0);
	recordings = f->measurements->benchmarks[0].recordings;
	for (int version = 0; version < VERSION_COUNT; version++)
		for (size_t i = 0; i < recordings[version].round_count; i++)
			recordings[version].rounds[i].iterations =
				version == VERSION_BASE ? 100 : 80;
	assert_string_not_equal(hidden_growth(&recordings[VERSION_BASE], &recordings[VERSION_HEAD],
					&f->measurements->arena),
		"");
	assert_string_equal(hidden_growth(&recordings[VERSION_HEAD], &recordings[VERSION_BASE],
				    &f->measurements->arena),
		"");
}

static void test_half_of_one_versions_samples_missing_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct recording *recording;

	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	recording = &f->measurements->benchmarks[0].recordings[VERSION_HEAD];
	for (size_t i = 0; i < recording->profile->sample_count; i++) {
		int64_t *values = (int64_t *)(uintptr_t)recording->profile->samples[i].values;
		size_t pair = (size_t)profile_sample_number(
			&recording->profile->samples[i], PROFILE_LABEL_ROUND, 0);
		int64_t before = values[1];

		for (int k = 0; k < 3; k++)
			values[k] /= 2;
		recording->rounds[pair].sampled_seconds -= (double)(before - values[1]) * 1e-9;
	}
	assert_int_equal(decide(f)->status, RESULT_ERROR);
	assert_int_equal(f->result->exit_status, 3);
}

static void test_versions_with_other_round_counts_are_an_error(void **state)
{
	struct fixture *f = *state;

	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	f->measurements->benchmarks[0].recordings[VERSION_HEAD].round_count--;
	assert_int_equal(decide(f)->status, RESULT_ERROR);
	assert_int_equal(f->result->exit_status, 3);
}

static void test_a_regression_outweighs_what_could_not_be_measured(void **state)
{
	struct fixture *f = *state;
	struct measured_benchmark *other;

	f->functions[3].share[VERSION_HEAD] = 0.15;
	f->measurements = synthetic_measurements(f->functions, f->count, 42);
	other = measurements_add_benchmark(f->measurements, "other", "other", "./other");
	other->outcome = OUTCOME_ERROR;
	other->detail = "exited with status 7";
	f->result = decide_measurements(f->measurements);
	assert_int_equal(f->result->exit_status, 1);
}

static void test_outcomes_without_a_measurement_have_their_exit_status(void **state)
{
	static const struct {
		enum result_outcome outcome;
		bool fails;
		int exit_status;
	} cases[] = {{OUTCOME_IDENTICAL, false, 0}, {OUTCOME_NEW, false, 0},
		{OUTCOME_BASE_FAILED, false, 0}, {OUTCOME_BASE_FAILED, true, 3},
		{OUTCOME_ERROR, false, 3}, {OUTCOME_MEASURED, false, 3 /* nothing recorded */}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct measurements *measurements = measurements_new("check");
		struct measured_benchmark *benchmark =
			measurements_add_benchmark(measurements, "bench", "bench", "./bench");
		struct result *result;

		benchmark->outcome = cases[i].outcome;
		benchmark->fails = cases[i].fails;
		result = decide_measurements(measurements);
		assert_int_equal(result->exit_status, cases[i].exit_status);
		result_free(result);
		measurements_free(measurements);
	}
}

/* Neither a pass, which would be green, nor something to mend; one that passed is a verdict. */
static void test_what_is_new_is_neutral_and_enters_no_verdict(void **state)
{
	static const struct {
		enum result_outcome outcomes[2];
		bool warning;
		enum result_status status;
	} cases[] = {{{OUTCOME_NEW, OUTCOME_NEW}, false, RESULT_NEUTRAL},
		{{OUTCOME_NEW, OUTCOME_NEW}, true, RESULT_NEUTRAL},
		{{OUTCOME_NEW, OUTCOME_IDENTICAL}, true, RESULT_WARN},
		{{OUTCOME_NEW, OUTCOME_IDENTICAL}, false, RESULT_PASS},
		{{OUTCOME_IDENTICAL, OUTCOME_NEW}, false, RESULT_PASS},
		{{OUTCOME_NEW, OUTCOME_BASE_FAILED}, false, RESULT_WARN},
		{{OUTCOME_ERROR, OUTCOME_NEW}, false, RESULT_ERROR}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct measurements *measurements = measurements_new("check");
		struct result *result;

		measurements_add_benchmark(measurements, "one", "one", "./one")->outcome =
			cases[i].outcomes[0];
		measurements_add_benchmark(measurements, "two", "two", "./two")->outcome =
			cases[i].outcomes[1];
		if (cases[i].warning)
			measurements_add_line(measurements, &measurements->warnings, "look");
		result = decide_measurements(measurements);
		assert_int_equal(result->status, cases[i].status);
		assert_int_equal(result->benchmarks[0].status == RESULT_NEUTRAL,
			cases[i].outcomes[0] == OUTCOME_NEW);
		result_free(result);
		measurements_free(measurements);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_short_runs_that_are_covered_unevenly_are_said_to_be_short),
		TEST(test_long_runs_that_are_covered_unevenly_have_lost_samples),
		TEST(test_short_runs_that_are_covered_badly_are_warned_of_as_short),
		TEST(test_unchanged_versions_pass_with_a_bound),
		TEST(test_a_slower_function_fails_and_is_named_with_its_line),
		TEST(test_the_line_is_the_changed_one_where_the_diff_knows_it),
		TEST(test_the_line_is_that_of_a_changed_table_above_where_the_code_differs),
		TEST(test_the_line_is_the_build_files_where_no_source_has_changed),
		TEST(test_a_split_function_is_a_cost_shift_and_passes),
		TEST(test_amounts_alone_move_no_cost_where_the_total_fails),
		TEST(test_an_improvement_passes),
		TEST(test_the_verdict_knows_calls_that_are_counted_exactly),
		TEST(test_layouts_count_where_both_versions_took_turns_at_them),
		TEST(test_all_looks_together_stay_below_twice_the_first_ones_error_rate),
		TEST(test_a_further_attempt_needs_more_to_find_something),
		TEST(test_cost_that_moves_to_where_nothing_is_measured_is_no_silent_pass),
		TEST(test_files_that_could_not_be_read_are_told),
		TEST(test_what_both_versions_leave_out_is_fine),
		TEST(test_a_faster_version_hides_no_more_than_before),
		TEST(test_what_is_left_out_is_held_against_the_work_done),
		TEST(test_half_of_one_versions_samples_missing_is_an_error),
		TEST(test_versions_with_other_round_counts_are_an_error),
		TEST(test_a_regression_outweighs_what_could_not_be_measured),
		TEST(test_outcomes_without_a_measurement_have_their_exit_status),
		TEST(test_what_is_new_is_neutral_and_enters_no_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
