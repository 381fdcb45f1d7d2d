/* SPDX-License-Identifier: Apache-2.0 */
/* The heap over time: from a capture's moments, thinned, and the median of several runs. */
#include "gate/bench/recording/memory_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/bench/run/run.h"

#define MANY 1000
#define START UINT64_C(5000000) /* the CPU clock when the sampler started */
#define MS UINT64_C(1000000)

struct scene {
	struct capture_process processes[3];
	struct capture_moment moments[MANY];
	struct capture_epoch epochs[2];
	struct run run;
	struct arena arena;
};

/* Moment i is at i + 1 ms, when i + 1 KiB are in use; the process ends after `count` + 1 ms. */
static void begin(struct scene *scene, size_t count)
{
	struct capture_process *process = &scene->processes[0];

	*scene = (struct scene){.arena = ARENA_INIT};
	scene->run.captures.processes = scene->processes;
	scene->run.captures.process_count = 1;
	for (size_t i = 0; i < count; i++)
		scene->moments[i] = (struct capture_moment){.moved = i + 1,
			.live_bytes = (i + 1) * 1024,
			.most_bytes = (i + 1) * 1024,
			.cpu_ns = START + (i + 1) * MS};
	process->kinds = UINT32_C(1) << CAPTURE_HEAP;
	process->cpu_start_ns = START;
	process->cpu_ns = (count + 1) * MS;
	process->moments = scene->moments;
	process->moment_count = count;
	process->peak_bytes = count * 1024;
	process->live_bytes = 100;
}

static struct memory_line line_of(struct scene *scene)
{
	return memory_line_of(&scene->run, &scene->arena);
}

static bool is_at(const struct memory_moment *moment, double seconds, double inuse, double most)
{
	return moment->seconds == seconds && moment->inuse_bytes == inuse &&
	       moment->most_bytes == most;
}

static void test_moments_are_seconds_and_bytes_and_the_end_is_one_of_them(void **state)
{
	struct scene scene;
	struct memory_line line;

	(void)state;
	begin(&scene, 3);
	scene.moments[1].most_bytes = 9000;
	scene.processes[0].peak_bytes = 9000;
	line = line_of(&scene);
	assert_int_equal(line.count, 4);
	assert_int_equal(line.runs, 1);
	assert_int_equal(line.processes, 1);
	assert_true(is_at(&line.moments[0], 0.001, 1024, 1024));
	assert_true(is_at(&line.moments[1], 0.002, 2048, 9000));
	assert_true(is_at(&line.moments[2], 0.003, 3072, 3072));
	assert_true(is_at(&line.moments[3], 0.004, 100, 100));
	assert_true(memory_line_peak(&line) == 9000);
	arena_release(&scene.arena);
}

/* What was largest after the last moment is known as a whole. */
static void test_a_peak_that_no_moment_has_seen_comes_before_the_end(void **state)
{
	struct scene scene;
	struct memory_line line;

	(void)state;
	begin(&scene, 3);
	scene.processes[0].peak_bytes = 5000;
	line = line_of(&scene);
	assert_true(is_at(&line.moments[3], 0.004, 100, 5000));
	arena_release(&scene.arena);
}

static void test_iterations_are_laid_between_epochs(void **state)
{
	struct scene scene;
	struct memory_line line;

	(void)state;
	begin(&scene, 9);
	scene.epochs[0] = (struct capture_epoch){1, 1, START + 2 * MS};
	scene.epochs[1] = (struct capture_epoch){2, 11, START + 7 * MS};
	scene.processes[0].epochs = scene.epochs;
	scene.processes[0].epoch_count = 2;
	scene.processes[0].iterations = 20;
	line = line_of(&scene);
	assert_int_equal(line.count, 10);
	assert_true(line.moments[0].iterations == 0);
	assert_true(line.moments[1].iterations == 1);
	assert_true(line.moments[4].iterations == 7);
	assert_true(line.moments[6].iterations == 11);
	assert_true(line.moments[8].iterations == 17);
	assert_true(line.moments[9].iterations == 20);
	arena_release(&scene.arena);
}

static void test_a_long_line_is_thinned_and_keeps_its_largest(void **state)
{
	struct memory_line line;
	struct scene scene;

	(void)state;
	for (size_t spike = 0; spike < MANY; spike += 37) {
		size_t spikes = 0;

		begin(&scene, MANY);
		scene.moments[spike].most_bytes = 1 << 30;
		scene.processes[0].peak_bytes = 1 << 30;
		line = line_of(&scene);
		assert_int_equal(line.count, MEMORY_LINE_MOST);
		assert_true(memory_line_peak(&line) == 1 << 30);
		for (size_t i = 0; i < line.count; i++) {
			const struct memory_moment *at = &line.moments[i];

			assert_true(!i || at->seconds > at[-1].seconds);
			assert_true(at->most_bytes >= at->inuse_bytes);
			if (at->most_bytes < 1 << 30)
				continue;
			spikes++;
			assert_true(at->seconds >= (double)(spike + 1) / 1000);
			assert_true(!i || at[-1].seconds < (double)(spike + 1) / 1000);
		}
		assert_int_equal(spikes, 1);
		assert_true(is_at(&line.moments[line.count - 1], 1.001, 100, 1024000) ||
			    spike >= MANY - 5);
		arena_release(&scene.arena);
	}
}

static void test_of_several_processes_the_largest_heap_is_shown(void **state)
{
	struct scene scene;
	struct memory_line line;

	(void)state;
	begin(&scene, 3);
	scene.run.captures.process_count = 3;
	scene.processes[1] = scene.processes[2] = scene.processes[0];
	scene.processes[1].peak_bytes = 70000;
	scene.processes[2].peak_bytes = 90000;
	scene.processes[2].excluded = true;
	line = line_of(&scene);
	assert_int_equal(line.processes, 2);
	assert_true(memory_line_peak(&line) == 70000);
	arena_release(&scene.arena);
}

static void test_where_no_heap_was_counted_there_is_no_line(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, 3);
	scene.processes[0].kinds = UINT32_C(1) << CAPTURE_CPU;
	assert_int_equal(line_of(&scene).count, 0);
	begin(&scene, 0);
	assert_int_equal(line_of(&scene).count, 0);
	arena_release(&scene.arena);
}

/* A capture is what the measured code left there. */
static void test_clocks_that_go_back_and_absurd_sizes_make_an_orderly_line(void **state)
{
	static const uint64_t wild[] = {0, 1, START - 1, START, START + MS, INT64_MAX, 17};
	struct scene scene;
	struct memory_line line;

	(void)state;
	begin(&scene, 7);
	for (size_t i = 0; i < 7; i++) {
		scene.moments[i].cpu_ns = wild[6 - i];
		scene.moments[i].live_bytes = wild[i];
		scene.moments[i].most_bytes = wild[(i + 3) % 7];
	}
	scene.epochs[0] = (struct capture_epoch){1, INT64_MAX, 0};
	scene.epochs[1] = (struct capture_epoch){2, INT64_MAX, INT64_MAX};
	scene.processes[0].epochs = scene.epochs;
	scene.processes[0].epoch_count = 2;
	scene.processes[0].live_bytes = UINT64_MAX;
	line = line_of(&scene);
	assert_int_equal(line.count, 8);
	for (size_t i = 0; i < line.count; i++) {
		const struct memory_moment *at = &line.moments[i];

		assert_true(at->seconds >= (i ? at[-1].seconds : 0) && at->seconds <= 1e15);
		assert_true(at->iterations >= (i ? at[-1].iterations : 0));
		assert_true(at->iterations <= 1e15 && at->most_bytes <= 1e15);
		assert_true(at->most_bytes >= at->inuse_bytes);
	}
	arena_release(&scene.arena);
}

static void test_the_run_with_the_median_peak_stands_for_all(void **state)
{
	struct memory_moment peaks[] = {{1, 0, 5, 50}, {1, 0, 5, 20}, {1, 0, 5, 40}, {1, 0, 5, 20}};
	struct memory_line lines[6] = {{0}};
	struct memory_line median;

	(void)state;
	assert_int_equal(memory_line_median(lines, 0).count, 0);
	assert_int_equal(memory_line_median(lines, 6).count, 0);
	for (size_t i = 0; i < 4; i++)
		lines[i + 1] = (struct memory_line){&peaks[i], 1, 2, 1};
	median = memory_line_median(lines, 6);
	assert_ptr_equal(median.moments, &peaks[3]);
	assert_int_equal(median.runs, 4);
	assert_int_equal(median.processes, 2);
	median = memory_line_median(lines, 4);
	assert_ptr_equal(median.moments, &peaks[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments_are_seconds_and_bytes_and_the_end_is_one_of_them),
		cmocka_unit_test(test_a_peak_that_no_moment_has_seen_comes_before_the_end),
		cmocka_unit_test(test_iterations_are_laid_between_epochs),
		cmocka_unit_test(test_a_long_line_is_thinned_and_keeps_its_largest),
		cmocka_unit_test(test_of_several_processes_the_largest_heap_is_shown),
		cmocka_unit_test(test_where_no_heap_was_counted_there_is_no_line),
		cmocka_unit_test(test_clocks_that_go_back_and_absurd_sizes_make_an_orderly_line),
		cmocka_unit_test(test_the_run_with_the_median_peak_stands_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
