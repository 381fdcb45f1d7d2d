/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two versions whose probes found nothing against turns. */
struct scene {
	struct config_benchmark config;
	struct build builds[VERSION_COUNT];
	struct plan plan;
	struct recording recordings[VERSION_COUNT];
	struct side sides[VERSION_COUNT];
	struct pair_runner runner;
};

static int begin(void **state)
{
	struct scene *scene = xcalloc(1, sizeof(*scene));

	scene->config.slice_ns = CONFIG_SLICES_AUTO;
	for (int version = 0; version < VERSION_COUNT; version++) {
		arena_init(&scene->recordings[version].arena);
		scene->plan.builds.of[version] = &scene->builds[version];
		scene->sides[version] = (struct side){.plan = &scene->plan,
			.config = &scene->config,
			.version = version,
			.runs.recording = &scene->recordings[version],
			.probe_cpu_seconds = 1,
			.probe_rss_bytes = 1000000,
			.probe_resident_bytes = 1000000};
	}
	scene->runner.sides = scene->sides;
	*state = scene;
	return 0;
}

static int end(void **state)
{
	struct scene *scene = *state;

	for (int version = 0; version < VERSION_COUNT; version++)
		arena_release(&scene->recordings[version].arena);
	free(scene);
	return 0;
}

static void assert_slices(const struct scene *scene, uint64_t slice_ns, const char *reason)
{
	assert_true(scene->runner.slice_ns == slice_ns);
	for (int version = 0; version < VERSION_COUNT; version++) {
		assert_true(scene->recordings[version].slice_ns == slice_ns);
		assert_non_null(strstr(scene->recordings[version].unsliced, reason));
		assert_int_equal(!*reason, !*scene->recordings[version].unsliced);
	}
}

static void test_versions_take_turns_of_20_ms(void **state)
{
	struct scene *scene = *state;

	pair_runner_choose(&scene->runner);
	assert_slices(scene, 20000000, "");
}

static void test_a_pair_is_run_again_once_and_few_are(void **state)
{
	struct scene *scene = *state;

	pair_runner_choose(&scene->runner);
	assert_true(pair_runner_may_repeat(&scene->runner, 0));
	assert_false(pair_runner_may_repeat(&scene->runner, 1));
	for (int i = 1; i < 4; i++)
		assert_true(pair_runner_may_repeat(&scene->runner, 0));
	assert_false(pair_runner_may_repeat(&scene->runner, 0));
	pair_runner_choose(&scene->runner);
	assert_true(pair_runner_may_repeat(&scene->runner, 0));
}

static void test_a_turn_is_as_long_as_it_is_said_to_be(void **state)
{
	struct scene *scene = *state;

	scene->config.slice_ns = 50000000;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 50000000, "");
	scene->config.slice_ns = 0;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 0, "");
}

static void test_who_runs_only_a_few_turns_runs_whole(void **state)
{
	struct scene *scene = *state;

	scene->sides[VERSION_HEAD].probe_cpu_seconds = 0.099;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 0, "one run takes only 99 ms");
}

static void set_memory(struct scene *scene, uint64_t base, uint64_t head)
{
	scene->sides[VERSION_BASE].probe_resident_bytes = base;
	scene->sides[VERSION_HEAD].probe_resident_bytes = head;
}

/* Amounts that the last level of any machine's caches holds, if not of the smallest. */
static void test_turns_are_longer_where_one_works_on_more(void **state)
{
	struct scene *scene = *state;

	set_memory(scene, 1000000, 1900000);
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 20000000, "");
	set_memory(scene, 500000, 2000000);
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 30000000, "");
	set_memory(scene, 0, 2000000); /* base was killed, and told nothing */
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 20000000, "");
	scene->config.slice_ns = 20000000;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 20000000, "");
}

static void test_where_one_works_on_much_more_runs_are_whole(void **state)
{
	struct scene *scene = *state;

	set_memory(scene, 2000000, 500000);
	scene->sides[VERSION_BASE].probe_cpu_seconds = 0.12;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 0, "base works on 1.5 MB more");
	scene->sides[VERSION_BASE].probe_cpu_seconds = 0.099;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 0, "one run takes only 99 ms");
	scene->config.slice_ns = 30000000;
	scene->sides[VERSION_BASE].probe_cpu_seconds = 0.12;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 0, "one run takes only 120 ms");
}

static void test_where_both_do_not_fit_into_memory_runs_are_whole(void **state)
{
	struct scene *scene = *state;

	scene->sides[VERSION_BASE].probe_rss_bytes = scene->sides[VERSION_HEAD].probe_rss_bytes =
		UINT64_C(1) << 61;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 0, "both at the same time would need 4611686018.4 GB of memory");
}

static void test_one_folder_for_both_has_room_for_one_file_of_iterations(void **state)
{
	struct scene *scene = *state;
	char path[] = "/iterations";

	scene->plan.builds.of[VERSION_HEAD] = scene->plan.builds.of[VERSION_BASE];
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 20000000, "");
	scene->sides[VERSION_BASE].runs.iterations_path = path;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 0, "one file of iterations");
}

static void test_programs_of_several_threads_run_whole_unless_turns_are_asked_for(void **state)
{
	struct scene *scene = *state;
	struct arena *arena = &scene->recordings[VERSION_BASE].arena;

	scene->sides[VERSION_HEAD].runs.max_threads = 2;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 0, "it runs 2 threads");
	assert_string_equal(pair_runner_threads_note(&scene->runner, arena), "");
	scene->config.slice_ns = 20000000;
	pair_runner_choose(&scene->runner);
	assert_slices(scene, 20000000, "");
	assert_non_null(strstr(pair_runner_threads_note(&scene->runner, arena), "2 threads"));
	scene->sides[VERSION_HEAD].runs.max_threads = 1;
	assert_string_equal(pair_runner_threads_note(&scene->runner, arena), "");
}

#define runner_scene(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		runner_scene(test_versions_take_turns_of_20_ms),
		runner_scene(test_a_pair_is_run_again_once_and_few_are),
		runner_scene(test_a_turn_is_as_long_as_it_is_said_to_be),
		runner_scene(test_who_runs_only_a_few_turns_runs_whole),
		runner_scene(test_turns_are_longer_where_one_works_on_more),
		runner_scene(test_where_one_works_on_much_more_runs_are_whole),
		runner_scene(test_where_both_do_not_fit_into_memory_runs_are_whole),
		runner_scene(test_one_folder_for_both_has_room_for_one_file_of_iterations),
		runner_scene(test_programs_of_several_threads_run_whole_unless_turns_are_asked_for),
	};

	return cmocka_run_group_tests_name("check/pairing", tests, NULL, NULL);
}
