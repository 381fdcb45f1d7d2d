/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a check looks at besides the CPU time of functions, and what it does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gate/bench/config/metric.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "tests/unit/check/synthetic.h"

#define MIB 1048576.0
#define STEPS 14

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
	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
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

static struct recording_round *rounds_of(struct fixture *f, int version)
{
	return f->measurements->benchmarks[0].recordings[version].rounds;
}

static void set_gate(struct fixture *f, enum metric metric, enum metric_gate gate)
{
	for (int version = 0; version < VERSION_COUNT; version++)
		f->measurements->benchmarks[0].recordings[version].policy.gate[metric] = gate;
}

/* Each version's runs use so much memory, give or take half a per mill. */
static void use_memory(struct fixture *f, double base, double head)
{
	uint64_t random = 3;

	for (int version = 0; version < VERSION_COUNT; version++)
		for (size_t i = 0; i < SYNTHETIC_ROUNDS; i++)
			rounds_of(f, version)[i].max_rss_bytes =
				(version ? head : base) * (1 + 0.0005 * synthetic_normal(&random));
}

static const struct result_benchmark *decide(struct fixture *f)
{
	result_free(f->result);
	f->result = decide_measurements(f->measurements);
	return &f->result->benchmarks[0];
}

static const struct result_metric *find(const struct result_benchmark *out, const char *name)
{
	for (size_t i = 0; i < out->metric_count; i++)
		if (strcmp(out->metrics[i].name, name) == 0)
			return &out->metrics[i];
	return NULL;
}

static void test_equal_versions_pass_and_every_metric_is_listed(void **state)
{
	struct fixture *f = *state;
	const struct result_benchmark *out;

	use_memory(f, 100 * MIB, 100 * MIB);
	out = decide(f);
	assert_int_equal(out->status, RESULT_PASS);
	assert_int_equal(find(out, "cpu")->state, METRIC_SAME);
	assert_int_equal(find(out, "cpu")->gate, GATE_FAIL);
	assert_int_equal(find(out, "max_rss")->state, METRIC_SAME);
	assert_int_equal(find(out, "max_rss")->gate, GATE_WARN);
	assert_int_equal(find(out, "max_rss")->runs, SYNTHETIC_ROUNDS);
	assert_int_equal(find(out, "wall")->gate, GATE_SHOW);
	assert_null(find(out, "alloc_objects"));
	assert_null(find(out, "leak"));
}

static void test_a_larger_resident_set_warns(void **state)
{
	struct fixture *f = *state;
	const struct result_metric *rss;

	use_memory(f, 100 * MIB, 110 * MIB);
	assert_int_equal(decide(f)->status, RESULT_WARN);
	rss = find(&f->result->benchmarks[0], "max_rss");
	assert_int_equal(rss->state, METRIC_GREW);
	assert_true(rss->decides);
	assert_true(fabs(rss->change - 0.1) < 0.001);
	assert_true(rss->low < 0.1 && rss->high > 0.0995);
	assert_int_equal(f->result->exit_status, 0);
}

static void test_a_smaller_resident_set_passes(void **state)
{
	struct fixture *f = *state;

	use_memory(f, 100 * MIB, 80 * MIB);
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(find(&f->result->benchmarks[0], "max_rss")->state, METRIC_SHRANK);
}

static void test_growth_within_the_margin_is_none(void **state)
{
	struct fixture *f = *state;

	use_memory(f, 100 * MIB, 100.9 * MIB);
	assert_int_equal(decide(f)->status, RESULT_PASS);
}

static void test_growth_that_does_not_count_says_why(void **state)
{
	struct fixture *f = *state;
	const struct result_metric *rss;

	use_memory(f, 100 * MIB, 100.9 * MIB);
	rss = find(decide(f), "max_rss");
	assert_int_equal(rss->state, METRIC_SAME);
	assert_true(rss->low > 0);
	assert_string_equal(rss->detail, "no more than 1 % above base");
	/* a mean beyond the margin, of runs that leave it in doubt */
	for (size_t i = 0; i < SYNTHETIC_ROUNDS; i++)
		rounds_of(f, VERSION_HEAD)[i].max_rss_bytes *= i % 3 ? 1 : 1.02;
	rss = find(decide(f), "max_rss");
	assert_int_equal(rss->state, METRIC_SAME);
	assert_true(rss->low > 0 && rss->change > 0.01);
	assert_non_null(strstr(rss->detail, "that it is above 1 % is not proven: p = 0."));
}

/* The verdict's own reasons are tested where it is made; here is that the row has one. */
static void test_cpu_time_that_grew_by_more_than_a_layout_explains_says_why_it_does_not_count(
	void **state)
{
	struct fixture *f = *state;
	const struct result_metric *cpu;

	for (size_t i = 0; i < SYNTHETIC_ROUNDS; i++)
		rounds_of(f, VERSION_HEAD)[i].cpu_seconds =
			rounds_of(f, VERSION_BASE)[i].cpu_seconds *
			(1.005 + 0.00001 * (double)(i % 3));
	cpu = find(decide(f), "cpu");
	assert_int_equal(cpu->state, METRIC_SAME);
	assert_true(cpu->low > 0);
	assert_string_equal(cpu->detail, ""); /* what one layout may explain */
	for (int version = 0; version < VERSION_COUNT; version++)
		f->measurements->benchmarks[0].recordings[version].layouts = 8;
	cpu = find(decide(f), "cpu");
	assert_int_equal(cpu->state, METRIC_SAME);
	assert_string_equal(cpu->detail, "no more than 1 % above base");
}

static void test_policy_gate_makes_it_fail_or_only_shown(void **state)
{
	struct fixture *f = *state;

	use_memory(f, 100 * MIB, 110 * MIB);
	set_gate(f, METRIC_MAX_RSS, METRIC_FAILS);
	assert_int_equal(decide(f)->status, RESULT_FAIL);
	assert_int_equal(f->result->exit_status, 1);
	set_gate(f, METRIC_MAX_RSS, METRIC_SHOWN);
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(find(&f->result->benchmarks[0], "max_rss")->state, METRIC_GREW);
	assert_false(find(&f->result->benchmarks[0], "max_rss")->decides);
}

static void test_elapsed_time_is_shown_and_gates_only_if_told(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < SYNTHETIC_ROUNDS; i++)
		rounds_of(f, VERSION_HEAD)[i].wall_seconds = 1.2 + 0.001 * (double)i;
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(find(&f->result->benchmarks[0], "wall")->state, METRIC_GREW);
	/* the CPU time's profile does not tell who waited */
	assert_string_equal(find(&f->result->benchmarks[0], "wall")->detail, "");
	set_gate(f, METRIC_WALL, METRIC_FAILS);
	assert_int_equal(decide(f)->status, RESULT_FAIL);
}

static void test_elapsed_time_of_runs_that_took_turns_is_no_metric(void **state)
{
	struct fixture *f = *state;

	use_memory(f, 100 * MIB, 100 * MIB);
	for (int sliced = 1; sliced < 4; sliced++) {
		for (int version = 0; version < VERSION_COUNT; version++)
			f->measurements->benchmarks[0].recordings[version].slice_ns =
				sliced >> version & 1 ? 20000000 : 0;
		decide(f);
		assert_null(find(&f->result->benchmarks[0], "wall"));
		assert_non_null(find(&f->result->benchmarks[0], "max_rss"));
	}
}

/* Runs of its own for the elapsed time, in which step9 waits half as long again. */
static struct measured_reference *measure_elapsed_time(struct fixture *f)
{
	struct measured_reference *reference = measurements_add_reference(
		f->measurements, &f->measurements->benchmarks[0], "wall");
	struct recording *recordings;
	struct measurements *own;

	f->functions[9].share[VERSION_HEAD] *= 1.5;
	own = synthetic_measurements(f->functions, STEPS, 8);
	f->functions[9].share[VERSION_HEAD] /= 1.5;
	recordings = own->benchmarks[0].recordings;
	for (int version = 0; version < VERSION_COUNT; version++) {
		recordings[version].profile_type = recordings[version].profile->types[1].type =
			"wall";
		for (size_t i = 0; i < SYNTHETIC_ROUNDS; i++)
			recordings[version].rounds[i].wall_seconds = version ? 3 : 2;
	}
	reference->baseline = recordings[VERSION_BASE];
	reference->head = recordings[VERSION_HEAD];
	reference->has_baseline = reference->counted = true;
	own->benchmarks[0].recorded = false;
	measurements_free(own);
	return reference;
}

static void test_elapsed_time_is_of_the_runs_that_were_made_for_it(void **state)
{
	struct fixture *f = *state;
	struct measured_reference *reference = measure_elapsed_time(f);
	const struct result_metric *wall;

	for (int version = 0; version < VERSION_COUNT; version++)
		f->measurements->benchmarks[0].recordings[version].slice_ns = 20000000;
	wall = find(decide(f), "wall");
	assert_non_null(wall);
	assert_true(fabs(wall->base - 2) < 1e-9 && fabs(wall->head - 3) < 1e-9);
	assert_string_equal(wall->detail, "above all in step9");
	/* what comes from a store was not measured beside head */
	for (int version = 0; version < VERSION_COUNT; version++)
		f->measurements->benchmarks[0].recordings[version].slice_ns = 0;
	reference->store = "git notes";
	assert_true(find(decide(f), "wall")->base == 1);
}

static void test_what_was_not_measured_has_no_metrics(void **state)
{
	struct fixture *f = *state;

	use_memory(f, 100 * MIB, 110 * MIB);
	f->measurements->benchmarks[0].outcome = OUTCOME_PROFILE;
	assert_int_equal(decide(f)->metric_count, 0);
	assert_int_equal(f->result->benchmarks[0].status, RESULT_PASS);
}

static void test_a_level_is_not_divided_by_the_work(void **state)
{
	struct fixture *f = *state;

	use_memory(f, 100 * MIB, 100 * MIB);
	for (int version = 0; version < VERSION_COUNT; version++)
		f->measurements->benchmarks[0].recordings[version].counted_work = true;
	for (size_t i = 0; i < SYNTHETIC_ROUNDS; i++) {
		rounds_of(f, VERSION_HEAD)[i].iterations = 2;
		rounds_of(f, VERSION_HEAD)[i].wall_seconds = 2;
	}
	decide(f);
	assert_int_equal(find(&f->result->benchmarks[0], "max_rss")->state, METRIC_SAME);
	assert_int_equal(find(&f->result->benchmarks[0], "wall")->state, METRIC_SAME);
	assert_true(find(&f->result->benchmarks[0], "wall")->head == 1);
}

/* `repeat`: what a round's runs take together is said of one. */
static void test_elapsed_time_is_that_of_one_run(void **state)
{
	struct fixture *f = *state;

	for (int version = 0; version < VERSION_COUNT; version++)
		for (size_t i = 0; i < SYNTHETIC_ROUNDS; i++) {
			rounds_of(f, version)[i].iterations = 4;
			rounds_of(f, version)[i].wall_seconds = 6;
		}
	decide(f);
	assert_true(find(&f->result->benchmarks[0], "wall")->base == 1.5);
	assert_true(find(&f->result->benchmarks[0], "wall")->head == 1.5);
}

static void test_a_resident_set_that_some_runs_do_not_tell_is_not_decided(void **state)
{
	struct fixture *f = *state;
	const struct result_metric *rss;

	use_memory(f, 100 * MIB, 110 * MIB);
	rounds_of(f, VERSION_BASE)[3].max_rss_bytes = 0;
	assert_int_equal(decide(f)->status, RESULT_PASS);
	rss = find(&f->result->benchmarks[0], "max_rss");
	assert_int_equal(rss->state, METRIC_UNDECIDED);
	assert_string_equal(rss->detail, "not every run tells it");
}

static void test_the_cpu_time_itself_may_be_made_to_warn_only(void **state)
{
	struct fixture *f = *state;

	measurements_free(f->measurements);
	f->functions[9].share[VERSION_HEAD] *= 1.5;
	f->measurements = synthetic_measurements(f->functions, STEPS, 7);
	for (int version = 0; version < VERSION_COUNT; version++)
		f->measurements->benchmarks[0].recordings[version].policy.stage1_pairs = 16;
	assert_int_equal(decide(f)->status, RESULT_FAIL);
	assert_true(find(&f->result->benchmarks[0], "cpu")->decides);
	set_gate(f, METRIC_CPU, METRIC_WARNS);
	assert_int_equal(decide(f)->status, RESULT_WARN);
	set_gate(f, METRIC_CPU, METRIC_SHOWN);
	assert_int_equal(decide(f)->status, RESULT_PASS);
	assert_int_equal(find(&f->result->benchmarks[0], "cpu")->state, METRIC_GREW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_equal_versions_pass_and_every_metric_is_listed),
		TEST(test_a_larger_resident_set_warns),
		TEST(test_a_smaller_resident_set_passes),
		TEST(test_growth_within_the_margin_is_none),
		TEST(test_growth_that_does_not_count_says_why),
		TEST(test_cpu_time_that_grew_by_more_than_a_layout_explains_says_why_it_does_not_count),
		TEST(test_policy_gate_makes_it_fail_or_only_shown),
		TEST(test_elapsed_time_is_shown_and_gates_only_if_told),
		TEST(test_elapsed_time_of_runs_that_took_turns_is_no_metric),
		TEST(test_elapsed_time_is_of_the_runs_that_were_made_for_it),
		TEST(test_what_was_not_measured_has_no_metrics),
		TEST(test_a_level_is_not_divided_by_the_work),
		TEST(test_elapsed_time_is_that_of_one_run),
		TEST(test_a_resident_set_that_some_runs_do_not_tell_is_not_decided),
		TEST(test_the_cpu_time_itself_may_be_made_to_warn_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
