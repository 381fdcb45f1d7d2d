/* SPDX-License-Identifier: Apache-2.0 */
/* What earlier commits did to a count, read from a store, and what that makes of a threshold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/check/measure/measure_history.h"
#include "tests/unit/baseline/recordings.h"

#define COMMITS 12

struct scene {
	char folder[64];
	struct store *store;
	struct arena arena;
	const char *commits[COMMITS]; /* nearest first */
	struct recordings_options options[COMMITS];
	const char *compilers[COMMITS];
	struct measured_reference reference;
};

/* Each counts two per cent more or less than the next nearer one. */
static int set_up(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	char url[80];
	struct error err;

	snprintf(scene->folder, sizeof(scene->folder), "/tmp/flamegate-history.XXXXXX");
	assert_non_null(mkdtemp(scene->folder));
	snprintf(url, sizeof(url), "dir:%s", scene->folder);
	assert_int_equal(
		store_open(url, &(struct store_options){.repo = NULL}, &scene->store, &err),
		ERR_OK);
	for (unsigned i = 0; i < COMMITS; i++) {
		scene->commits[i] = recordings_commit(&scene->arena, 1000 + i);
		scene->compilers[i] = "gcc 12.2.0";
		scene->options[i] = (struct recordings_options){.seed = 5,
			.commit = scene->commits[i],
			.type = "alloc_objects",
			.counted_scale = i % 2 ? 1000000 : 1020000};
	}
	scene->reference.profile_type = "alloc_objects";
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	store_close(scene->store);
	file_remove_tree(scene->folder, NULL);
	arena_release(&scene->arena);
	free(scene);
	return 0;
}

static void put(struct scene *scene, unsigned commit)
{
	struct recording recording = recordings_make(&scene->options[commit]);
	const struct recording *one = &recording;
	struct error err = {0};

	recording.fingerprint.compiler = scene->compilers[commit];
	if (store_put(scene->store, &one, 1, NULL, &err))
		fail_msg("%s", err.message);
	recording_release(&recording);
}

static void put_all(struct scene *scene)
{
	for (unsigned i = 0; i < COMMITS; i++)
		put(scene, i);
}

static size_t read_from(struct scene *scene, double spent_seconds)
{
	struct history history = {.store = scene->store,
		.ancestors = scene->commits,
		.count = COMMITS,
		.spent_seconds = spent_seconds};

	scene->reference.history_count = 0;
	history_read(&history, "parse", &scene->arena, &scene->reference);
	history_release(&history);
	return scene->reference.history_count;
}

static void test_each_commit_is_held_against_the_one_before(void **state)
{
	struct scene *scene = *state;

	put_all(scene);
	assert_int_equal(read_from(scene, 0), COMMITS - 1);
	for (unsigned i = 0; i + 1 < COMMITS; i++)
		assert_true(
			fabs(scene->reference.history[i] - (i % 2 ? 1 - 1 / 1.02 : 0.02)) < 1e-5);
}

static void test_commits_without_a_baseline_are_passed_over(void **state)
{
	struct scene *scene = *state;

	for (unsigned i = 0; i < COMMITS; i += 2)
		put(scene, i);
	assert_int_equal(read_from(scene, 0), COMMITS / 2 - 1);
	for (unsigned i = 0; i < COMMITS / 2 - 1; i++)
		assert_true(scene->reference.history[i] < 1e-9);
}

static void test_what_another_compiler_built_is_no_change_of_the_code(void **state)
{
	struct scene *scene = *state;

	for (unsigned i = 6; i < COMMITS; i++)
		scene->compilers[i] = "gcc 13.1.0";
	put_all(scene);
	assert_int_equal(read_from(scene, 0), COMMITS - 2);
}

static void test_other_types_and_benchmarks_are_not_taken(void **state)
{
	struct scene *scene = *state;

	for (unsigned i = 0; i < COMMITS; i++) {
		if (i % 2)
			scene->options[i].benchmark = "print";
		else
			scene->options[i].type = "alloc_bytes";
	}
	put_all(scene);
	assert_int_equal(read_from(scene, 0), 0);
}

static void test_past_its_time_nothing_is_read(void **state)
{
	struct scene *scene = *state;

	put_all(scene);
	assert_int_equal(read_from(scene, HISTORY_SECONDS + 1), 0);
}

static void test_an_empty_store_has_no_history(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(read_from(scene, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_each_commit_is_held_against_the_one_before),
		TEST(test_commits_without_a_baseline_are_passed_over),
		TEST(test_what_another_compiler_built_is_no_change_of_the_code),
		TEST(test_other_types_and_benchmarks_are_not_taken),
		TEST(test_past_its_time_nothing_is_read),
		TEST(test_an_empty_store_has_no_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
