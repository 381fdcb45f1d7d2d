/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "baseline/line/line.h"
#include "gate/base/error.h"
#include "tests/unit/baseline/recordings.h"
#include "tests/unit/bench/scene.h"

static struct recording summary_of(const struct recording *recording)
{
	struct strbuf line = STRBUF_INIT;
	struct recording out = {.arena = ARENA_INIT};
	enum baseline_detail detail = BASELINE_EXACT;
	struct error err;

	if (line_encode(recording, BASELINE_SUMMARY, &line, &err) ||
		line_decode(line.data, line.length - 1, recording->commit, &out, &detail, &err))
		fail_msg("%s", err.message);
	assert_int_equal(detail, BASELINE_SUMMARY);
	assert_in_range(line.length, 100, 8000);
	strbuf_release(&line);
	return out;
}

struct moments {
	double mean, sd;
};

static struct moments moments_of(const double *values, size_t count)
{
	struct moments moments = {0, 0};

	for (size_t i = 0; i < count; i++)
		moments.mean += values[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		moments.sd += (values[i] - moments.mean) * (values[i] - moments.mean);
	moments.sd = count > 1 ? sqrt(moments.sd / (double)(count - 1)) : 0;
	return moments;
}

static const struct profile_function *leaf_of(
	const struct profile *profile, const struct profile_sample *sample)
{
	return &profile->functions[profile->locations[sample->locations[0]].lines[0].function];
}

/* Of a function's own cost, in the value's unit, per mean number of iterations. */
static struct moments self_of(
	const struct recording *recording, const struct profile_function *function)
{
	const struct profile *profile = recording->profile;
	int type = profile_find_type(profile, recording->profile_type);
	double rows[64] = {0}, iterations = 0;

	for (size_t i = 0; i < recording->round_count; i++)
		iterations += recording->rounds[i].iterations / (double)recording->round_count;
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_function *leaf = leaf_of(profile, sample);
		int64_t round = profile_sample_number(sample, PROFILE_LABEL_ROUND, 0);

		if (strcmp(leaf->name, function->name) == 0 &&
			strcmp(leaf->file, function->file) == 0 &&
			leaf->start_line == function->start_line)
			rows[round] += (double)sample->values[type] * iterations /
				       recording->rounds[round].iterations;
	}
	return moments_of(rows, recording->round_count);
}

static void assert_near(double a, double b, double relative)
{
	if (!(fabs(a - b) <= relative * (fabs(a) + fabs(b)) + 2))
		fail_msg("%.9g is not %.9g", a, b);
}

static void assert_same_functions(
	const struct recording *one, const struct recording *two, double tolerance)
{
	size_t compared = 0;

	for (size_t i = 0; i < two->profile->function_count; i++) {
		const struct profile_function *function = &two->profile->functions[i];
		struct moments a = self_of(one, function), b = self_of(two, function);

		if (strcmp(function->name, "(other)") == 0)
			continue;
		assert_near(a.mean, b.mean, tolerance);
		/* Rounding to quanta moves a deviation by less than a quantum. */
		if (fabs(a.sd - b.sd) > tolerance * a.sd + (tolerance > 1e-4 ? 6e5 : 2))
			fail_msg("%s: %.9g is not %.9g", function->name, a.sd, b.sd);
		compared++;
	}
	assert_in_range(compared, 5, LINE_SUMMARY_FUNCTIONS);
}

static struct recording counted(uint64_t seed, size_t nodes, size_t rounds)
{
	return recordings_make(&(struct recordings_options){
		.seed = seed, .nodes = nodes, .rounds = rounds, .type = "instructions"});
}

static void test_functions_keep_mean_and_deviation(void **state)
{
	(void)state;
	for (size_t rounds = 1; rounds <= 17; rounds += 4) {
		struct recording one = counted(rounds, 200, rounds), two = summary_of(&one);

		assert_int_equal(two.round_count, rounds);
		assert_same_functions(&one, &two, 1e-5);
		recording_release(&one);
		recording_release(&two);
	}
}

static void test_cpu_time_keeps_mean_and_deviation(void **state)
{
	struct recording one = recordings_make(&(struct recordings_options){
				 .seed = 3, .nodes = 300, .rounds = 16}),
			 two = summary_of(&one);

	(void)state;
	assert_same_functions(&one, &two, 5e-3);
	recording_release(&one);
	recording_release(&two);
}

/* All of it in one round: no two-level split but this has such a deviation. */
static void test_what_is_in_one_round_alone_stays_there(void **state)
{
	struct recording one = counted(5, 30, 8), two;
	size_t rounds = one.round_count;

	(void)state;
	for (size_t i = 0; i < one.profile->sample_count; i++) {
		struct profile_label *label =
			(struct profile_label *)(uintptr_t)one.profile->samples[i].labels;

		label->number = (int64_t)(one.profile->samples[i].locations[0] % rounds);
	}
	two = summary_of(&one);
	assert_same_functions(&one, &two, 1e-5);
	for (size_t i = 0; i < two.profile->sample_count; i++)
		assert_true(two.profile->samples[i].values[0] > 0);
	recording_release(&one);
	recording_release(&two);
}

static int64_t sum_all(const struct recording *recording, size_t type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < recording->profile->sample_count; i++)
		sum += recording->profile->samples[i].values[type];
	return sum;
}

static void test_totals_of_the_rounds_are_kept(void **state)
{
	struct recording one = recordings_make(&(struct recordings_options){
				 .seed = 11, .nodes = 500, .rounds = 10}),
			 two = summary_of(&one);
	double cpu[2][10], wall[2][10];

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		cpu[0][i] = one.rounds[i].cpu_seconds;
		cpu[1][i] = two.rounds[i].cpu_seconds;
		wall[0][i] = one.rounds[i].wall_seconds;
		wall[1][i] = two.rounds[i].wall_seconds;
	}
	assert_true(fabs(moments_of(cpu[0], 10).mean - moments_of(cpu[1], 10).mean) < 1e-5);
	assert_true(fabs(moments_of(cpu[0], 10).sd - moments_of(cpu[1], 10).sd) < 1e-7);
	assert_true(moments_of(cpu[1], 10).sd > 1e-5);
	assert_true(fabs(moments_of(wall[0], 10).sd - moments_of(wall[1], 10).sd) < 1e-7);
	for (size_t type = 0; type < 3; type++)
		assert_near((double)sum_all(&one, type), (double)sum_all(&two, type), 2e-3);
	recording_release(&one);
	recording_release(&two);
}

/* Twice the work at twice the cost is no deviation. */
static void test_costs_are_per_mean_iterations(void **state)
{
	struct recording one = counted(4, 40, 1), two;
	size_t samples = one.profile->sample_count;

	(void)state;
	one.round_count = 2;
	one.rounds = arena_array(&one.arena, 2, sizeof(*one.rounds));
	one.rounds[0] = (struct recording_round){.cpu_seconds = 1, .iterations = 100};
	one.rounds[1] = (struct recording_round){.cpu_seconds = 2, .iterations = 200};
	for (size_t i = 0; i < samples; i++) {
		struct profile_label label = {PROFILE_LABEL_ROUND, NULL, 1, ""};
		struct profile_sample copy = one.profile->samples[i];
		int64_t value = 2 * copy.values[0];

		copy.values = &value;
		copy.labels = &label;
		profile_add_sample(one.profile, &copy);
	}
	one.counted_work = true;
	two = summary_of(&one);
	assert_true(fabs(two.rounds[1].iterations - 150) < 1e-9);
	for (size_t i = 0; i < two.profile->function_count; i++)
		assert_true(self_of(&two, &two.profile->functions[i]).sd < 1);
	assert_same_functions(&one, &two, 1e-5);
	recording_release(&one);
	recording_release(&two);
}

static void test_a_summary_is_flat_and_the_rest_is_other(void **state)
{
	struct recording one = counted(8, 2000, 4), two = summary_of(&one);
	bool has_other = false;

	(void)state;
	assert_int_equal(two.profile->function_count, LINE_SUMMARY_FUNCTIONS + 1);
	for (size_t i = 0; i < two.profile->sample_count; i++) {
		assert_int_equal(two.profile->samples[i].depth, 1);
		has_other |= strcmp(leaf_of(two.profile, &two.profile->samples[i])->name,
				     "(other)") == 0;
	}
	assert_true(has_other);
	assert_near((double)sum_all(&one, 0), (double)sum_all(&two, 0), 1e-5);
	recording_release(&one);
	recording_release(&two);
}

/* The highs of different functions are in different rounds. */
static void test_functions_do_not_move_together(void **state)
{
	struct recording one = recordings_make(&(struct recordings_options){
				 .seed = 21, .nodes = 3000, .rounds = 16}),
			 two = summary_of(&one);
	double rows[16] = {0}, alone = 0;

	(void)state;
	for (size_t i = 0; i < two.profile->sample_count; i++)
		rows[profile_sample_number(&two.profile->samples[i], PROFILE_LABEL_ROUND, 0)] +=
			(double)two.profile->samples[i].values[1];
	for (size_t i = 0; i < two.profile->function_count; i++)
		alone += self_of(&two, &two.profile->functions[i]).sd;
	assert_true(moments_of(rows, 16).sd < alone / 2);
	recording_release(&one);
	recording_release(&two);
}

static void test_system_names_match_functions_of_a_tree(void **state)
{
	struct recording one = counted(2, 5, 2), two;
	struct profile_function function = {"ns::f(int)", "_ZN2ns1fEi", "f.cc", 3};
	struct profile_line line = {profile_add_function(one.profile, &function), 4};
	struct profile_location location = {PROFILE_NO_MAPPING, 1, &line, 1, false};
	uint32_t index = profile_add_location(one.profile, &location);
	struct profile_label label = {PROFILE_LABEL_ROUND, NULL, 1, ""};
	int64_t value = 100000000;
	struct profile_sample sample = {&index, 1, &value, &label, 1};

	(void)state;
	profile_add_sample(one.profile, &sample);
	two = summary_of(&one);
	assert_string_equal(two.profile->functions[0].name, "ns::f(int)");
	assert_string_equal(two.profile->functions[0].system_name, "_ZN2ns1fEi");
	recording_release(&one);
	recording_release(&two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_keep_mean_and_deviation),
		cmocka_unit_test(test_cpu_time_keeps_mean_and_deviation),
		cmocka_unit_test(test_what_is_in_one_round_alone_stays_there),
		cmocka_unit_test(test_totals_of_the_rounds_are_kept),
		cmocka_unit_test(test_costs_are_per_mean_iterations),
		cmocka_unit_test(test_a_summary_is_flat_and_the_rest_is_other),
		cmocka_unit_test(test_functions_do_not_move_together),
		cmocka_unit_test(test_system_names_match_functions_of_a_tree),
	};

	return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
