/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/warmup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

/* A process of 100 iterations: 0.3 s until the first is done, 1 s for the rest, and a heap. */
struct scene {
	struct capture_stack stacks[2];
	struct capture_sample entries[4];
	struct capture_epoch epochs[2];
	struct capture_process process;
	struct run run;
};

static void set_up(struct scene *scene)
{
	*scene = (struct scene){
		.stacks = {{.complete = true}, {.complete = false}},
		.entries = {{CAPTURE_CPU, 0, 0, 0, 200, 200 * MS, 200e12, 0, 0, 0, 0},
			{CAPTURE_CPU, 1, 0, 0, 100, 100 * MS, 100e12, 0, 0, 0, 0},
			{CAPTURE_HEAP, 0, 0, 0, 7, 700, 0, 0, 0, 0, 0},
			{CAPTURE_CPU, 0, 1, 0, 1000, 1000 * MS, 1000e12, 0, 0, 0, 0}},
		.epochs = {{1, 1, 300 * MS}, {2, 2, 310 * MS}},
		.run = {.iterations = 100,
			.cpu_seconds = 1.31,
			.sampled_seconds = 1.3,
			.sum_squares_s2 = 1300e-6},
	};
	scene->process = (struct capture_process){.iterations = 100,
		.epochs = scene->epochs,
		.epoch_count = 2,
		.stacks = scene->stacks,
		.stack_count = 2,
		.entries = scene->entries,
		.entry_count = 4};
	scene->run.captures = (struct capture_set){.processes = &scene->process,
		.process_count = 1,
		.samples = 1300,
		.complete = 1200};
}

static void assert_near(double is, double expected)
{
	assert_true(fabs(is - expected) < 1e-12);
}

static void test_what_came_before_the_first_iteration_was_done_does_not_count(void **state)
{
	struct scene now;

	(void)state;
	set_up(&now);
	warmup_drop(&now.run, false);
	assert_near(now.run.iterations, 99);
	assert_near(now.run.cpu_seconds, 1.01);
	assert_near(now.run.sampled_seconds, 1);
	assert_near(now.run.sum_squares_s2, 1000e-6);
	assert_near(now.run.paused_seconds, 0.3);
	assert_int_equal(now.run.captures.samples, 1000);
	assert_int_equal(now.run.captures.complete, 1000);
	/* What is no CPU time stays. */
	assert_int_equal(now.process.entry_count, 2);
	assert_int_equal(now.process.entries[0].kind, CAPTURE_HEAP);
	assert_int_equal(now.process.entries[1].epoch, 1);
}

static void assert_keeps_all(struct scene *now)
{
	warmup_drop(&now->run, false);
	assert_near(now->run.iterations, 100);
	assert_near(now->run.cpu_seconds, 1.31);
	assert_int_equal(now->process.entry_count, 4);
}

static void test_few_iterations_have_no_warmup(void **state)
{
	struct scene now;

	(void)state;
	set_up(&now);
	now.epochs[0].iterations = 11;
	assert_keeps_all(&now);
	set_up(&now);
	now.epochs[0].iterations = 10;
	warmup_drop(&now.run, false);
	assert_near(now.run.iterations, 90);
	set_up(&now);
	now.process.epoch_count = 0;
	assert_keeps_all(&now);
}

static void test_who_says_what_counts_is_believed(void **state)
{
	struct scene now;

	(void)state;
	set_up(&now);
	now.process.paused_ns = 1;
	assert_keeps_all(&now);
	set_up(&now);
	now.process.excluded = true;
	assert_keeps_all(&now);
}

/* 300 of 1300 ms of samples lie before the end of the first iteration, and so does that part of
 * what was burnt in all code; what was burnt in one function may lie anywhere. */
static void test_what_was_burnt_in_the_warmup_does_not_count_either(void **state)
{
	struct scene now;

	(void)state;
	set_up(&now);
	now.process.slowdown_ns = 520 * MS;
	now.run.planted_seconds = 0.52;
	warmup_drop(&now.run, true);
	assert_near(now.run.planted_seconds, 0.4);
	set_up(&now);
	now.process.slowdown_ns = 520 * MS;
	now.run.planted_seconds = 0.52;
	warmup_drop(&now.run, false);
	assert_near(now.run.planted_seconds, 0.52);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_came_before_the_first_iteration_was_done_does_not_count),
		cmocka_unit_test(test_few_iterations_have_no_warmup),
		cmocka_unit_test(test_who_says_what_counts_is_believed),
		cmocka_unit_test(test_what_was_burnt_in_the_warmup_does_not_count_either),
	};

	return cmocka_run_group_tests_name("bench/warmup", tests, NULL, NULL);
}
