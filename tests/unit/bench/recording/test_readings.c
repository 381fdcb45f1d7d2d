/* SPDX-License-Identifier: Apache-2.0 */
/* What a run tells in one number: the largest resident set, threads, waits, leaks. */
#include "gate/bench/recording/readings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/bench/recording/recording.h"

#define EPOCHS 16
#define STEP 10 /* iterations of each epoch */

struct scene {
	struct capture_process processes[2];
	struct capture_epoch epochs[EPOCHS];
	struct capture_sample entries[EPOCHS + 1];
	struct run run;
};

/* Epoch i begins after i * STEP iterations; entry i is what happened in it; entry EPOCHS before. */
static void begin(struct scene *scene)
{
	struct capture_process *process = &scene->processes[0];

	*scene = (struct scene){0};
	scene->run.captures.processes = scene->processes;
	scene->run.captures.process_count = 1;
	for (uint32_t i = 0; i < EPOCHS; i++) {
		scene->epochs[i] =
			(struct capture_epoch){.epoch = i + 1, .iterations = i * STEP + 1};
		scene->entries[i] = (struct capture_sample){.kind = CAPTURE_HEAP, .epoch = i + 1};
	}
	scene->entries[EPOCHS] = (struct capture_sample){.kind = CAPTURE_HEAP, .sum = 5000};
	process->kinds = UINT32_C(1) << CAPTURE_HEAP;
	process->epochs = scene->epochs;
	process->epoch_count = EPOCHS;
	process->entries = scene->entries;
	process->entry_count = EPOCHS + 1;
}

static struct recording_round take(const struct scene *scene)
{
	struct recording_round round = {0};

	readings_take(&scene->run, &round);
	return round;
}

static void test_a_leak_is_its_bytes_per_iteration(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	for (size_t i = 0; i < EPOCHS; i++) {
		scene.entries[i].sum = 1000;
		scene.entries[i].gone_sum = 680;
	}
	assert_true(fabs(take(&scene).leak_bytes - 32) < 1e-9);
	assert_int_equal(take(&scene).leak_epochs, EPOCHS - EPOCHS / 4);
}

static void test_what_is_freed_again_is_no_leak(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	for (size_t i = 0; i < EPOCHS; i++)
		scene.entries[i].sum = scene.entries[i].gone_sum = 1 << 20;
	assert_true(take(&scene).leak_bytes == 0);
	assert_true(take(&scene).leak_epochs > 0);
}

static void test_caches_that_fill_in_the_beginning_are_no_leak(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	for (size_t i = 0; i < EPOCHS / 4; i++)
		scene.entries[i].sum = 1 << 20;
	assert_true(fabs(take(&scene).leak_bytes) < 1e-6);
}

static void test_what_the_last_epoch_takes_comes_after_the_last_look(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.entries[EPOCHS - 1].sum = 1 << 20;
	assert_true(fabs(take(&scene).leak_bytes) < 1e-6);
}

static void test_a_heap_that_shrinks_has_a_negative_slope(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.entries[EPOCHS].sum = 1 << 20;
	for (size_t i = 0; i < EPOCHS; i++)
		scene.entries[i].gone_sum = 100;
	assert_true(fabs(take(&scene).leak_bytes + 10) < 1e-9);
}

static void test_few_epochs_make_no_slope(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.processes[0].epoch_count = 7; /* one is warm-up */
	assert_int_equal(take(&scene).leak_epochs, 6);
	scene.processes[0].epoch_count = 6;
	assert_int_equal(take(&scene).leak_epochs, 5 >= LEAK_EPOCHS_MIN ? 5 : 0);
	scene.processes[0].epoch_count = 0;
	assert_int_equal(take(&scene).leak_epochs, 0);
}

static void test_runs_without_the_heap_tell_no_leak(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.processes[0].kinds = UINT32_C(1) << CAPTURE_CPU;
	assert_int_equal(take(&scene).leak_epochs, 0);
}

static void test_the_largest_process_has_the_largest_resident_set(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.run.captures.process_count = 2;
	scene.processes[0].max_rss_bytes = 1000;
	scene.processes[1].max_rss_bytes = 3000;
	scene.processes[0].threads = 2;
	scene.processes[1].threads = 3;
	assert_true(take(&scene).max_rss_bytes == 3000);
	assert_int_equal(take(&scene).threads, 5);
	scene.processes[1].excluded = true;
	assert_true(take(&scene).max_rss_bytes == 1000);
	assert_int_equal(take(&scene).threads, 2);
}

static void test_another_run_of_a_round_adds_time_and_no_threads(void **state)
{
	struct recording_round round = {0};
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.processes[0].threads = 3;
	scene.processes[0].max_rss_bytes = 1000;
	scene.processes[0].totals[CAPTURE_OFF_CPU].sum = 1500000000;
	scene.processes[0].totals[CAPTURE_MUTEX].count = 4;
	for (size_t i = 0; i < EPOCHS; i++)
		scene.entries[i].sum = 320;
	readings_take(&scene.run, &round);
	readings_add(&scene.run, &round);
	scene.processes[0].threads = 2;
	scene.processes[0].max_rss_bytes = 900;
	readings_add(&scene.run, &round);
	assert_int_equal(round.threads, 3);
	assert_true(round.max_rss_bytes == 1000);
	assert_true(round.off_cpu_seconds == 4.5);
	assert_true(round.contentions == 12);
	assert_true(fabs(round.leak_bytes - 32) < 1e-9);
}

static void test_waits_are_seconds_and_their_number(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.processes[0].totals[CAPTURE_OFF_CPU].sum = 1500000000;
	scene.processes[0].totals[CAPTURE_MUTEX] = (struct capture_total){.count = 4, .sum = 1000};
	scene.processes[0].totals[CAPTURE_FUTEX] = (struct capture_total){.count = 3, .sum = 2000};
	assert_true(take(&scene).off_cpu_seconds == 1.5);
	assert_true(fabs(take(&scene).lock_seconds - 3e-6) < 1e-15);
	assert_true(take(&scene).contentions == 7);
}

static void test_what_no_run_can_use_is_cut_off(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	scene.processes[0].totals[CAPTURE_MUTEX].count = UINT64_MAX;
	scene.processes[0].max_rss_bytes = INT64_MAX;
	for (size_t i = 0; i < EPOCHS; i++)
		scene.entries[i].sum = UINT64_MAX;
	assert_true(take(&scene).contentions == 1e15);
	assert_true(take(&scene).max_rss_bytes == 1e15);
	assert_true(take(&scene).leak_bytes == 1e15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_leak_is_its_bytes_per_iteration),
		cmocka_unit_test(test_what_is_freed_again_is_no_leak),
		cmocka_unit_test(test_caches_that_fill_in_the_beginning_are_no_leak),
		cmocka_unit_test(test_what_the_last_epoch_takes_comes_after_the_last_look),
		cmocka_unit_test(test_a_heap_that_shrinks_has_a_negative_slope),
		cmocka_unit_test(test_few_epochs_make_no_slope),
		cmocka_unit_test(test_runs_without_the_heap_tell_no_leak),
		cmocka_unit_test(test_the_largest_process_has_the_largest_resident_set),
		cmocka_unit_test(test_another_run_of_a_round_adds_time_and_no_threads),
		cmocka_unit_test(test_waits_are_seconds_and_their_number),
		cmocka_unit_test(test_what_no_run_can_use_is_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
