/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/elf/identical.h"

#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

/* What a shell script opens below <scene>/<folder> while it runs there. */
static void watch_run(
	struct scene *scene, const char *folder, const char *script, struct opened_files *files)
{
	const char *argv[] = {"sh", "-ec", script, NULL};
	struct process_options options = {.argv = argv, .directory = at(scene, folder)};
	struct process_result result;
	struct file_watch *watch = NULL;

	assert_ok(scene, file_watch_start(at(scene, folder), &watch, &scene->err));
	assert_ok(scene, process_run(&options, &result, &scene->err));
	file_watch_stop(watch, files);
	assert_int_equal(result.exit_status, 0);
}

static const struct opened_file *find(const struct opened_files *files, const char *path)
{
	size_t i;

	for (i = 0; i < files->count; i++)
		if (!strcmp(files->items[i].path, path))
			return &files->items[i];
	return NULL;
}

static void test_watch_sees_opened_and_executed_files(void **state)
{
	struct scene *scene = *state;
	struct opened_files files;
	size_t i;

	sh(scene, "mkdir -p tree/bin tree/data/deep tree/.git; cp /bin/true tree/bin/prog;"
		  "echo x | tee tree/data/deep/in >tree/data/other; echo y >tree/.git/config");
	watch_run(scene, "tree", "bin/prog; cat data/deep/in; cat .git/config; ls data", &files);
	assert_true(files.complete);
	assert_non_null(find(&files, "bin/prog"));
	assert_non_null(find(&files, "data/deep/in"));
	assert_false(find(&files, "data/deep/in")->written);
	assert_false(find(&files, "data/deep/in")->created);
	assert_null(find(&files, "data/other"));
	assert_null(find(&files, ".git/config"));
	assert_non_null(find(&files, "data/"));
	assert_null(find(&files, "data/deep/"));
	for (i = 1; i < files.count; i++)
		assert_true(strcmp(files.items[i - 1].path, files.items[i].path) < 0);
	opened_files_release(&files);
}

static void test_watch_tells_inputs_from_outputs(void **state)
{
	struct scene *scene = *state;
	struct opened_files files;

	sh(scene, "mkdir tree; echo x >tree/in; echo y >tree/state; echo z >tree/replaced");
	watch_run(scene, "tree",
		"cat in >out; echo 1 >>state; echo n >tmp; mv tmp renamed; cat renamed;"
		"echo r >new; mv new replaced; mkdir d; echo q >d/file; cat d/file",
		&files);
	assert_true(files.complete);
	assert_false(find(&files, "in")->created);
	assert_true(find(&files, "out")->created);
	assert_true(find(&files, "state")->written);
	assert_false(find(&files, "state")->created);
	assert_true(find(&files, "tmp")->created);
	assert_true(find(&files, "renamed")->created);
	assert_true(find(&files, "d/")->created);
	opened_files_release(&files);
}

static void test_watch_follows_a_link_to_the_folder(void **state)
{
	struct scene *scene = *state;
	struct opened_files files;

	sh(scene, "mkdir tree; echo x >tree/in; ln -s tree build");
	watch_run(scene, "tree", "cat ../build/in", &files);
	assert_non_null(find(&files, "in"));
	opened_files_release(&files);
}

static void test_moved_folders_prove_nothing(void **state)
{
	struct scene *scene = *state;
	struct opened_files files;

	sh(scene, "mkdir -p tree/a; echo x >tree/a/in");
	watch_run(scene, "tree", "mv a b; cat b/in", &files);
	assert_false(files.complete);
	opened_files_release(&files);
}

static void test_too_many_folders_prove_nothing(void **state)
{
	struct scene *scene = *state;
	struct opened_files files;

	sh(scene, "mkdir tree; cd tree; seq 1 8300 | xargs mkdir");
	watch_run(scene, "tree", "true", &files);
	assert_false(files.complete);
	opened_files_release(&files);
}

static void test_a_flood_of_openings_is_followed(void **state)
{
	struct scene *scene = *state;
	struct opened_files files;

	sh(scene, "mkdir tree; cd tree; seq 1 12000 | xargs touch");
	watch_run(scene, "tree", "seq 1 12000 | xargs cat", &files);
	assert_true(files.complete);
	assert_true(files.count >= 12000);
	opened_files_release(&files);
}

static void test_a_missing_folder_cannot_be_watched(void **state)
{
	struct scene *scene = *state;
	struct file_watch *watch;

	assert_int_equal(file_watch_start(at(scene, "none"), &watch, &scene->err), ERR_IO);
}

/* Runs the script in a and b and compares. */
static bool identical(struct scene *scene, const char *script, const char *reason_part)
{
	struct opened_files a, b;
	char reason[256];
	bool same = false;

	watch_run(scene, "a", script, &a);
	watch_run(scene, "b", script, &b);
	assert_ok(scene, builds_identical(at(scene, "a"), &a, at(scene, "b"), &b, &same, reason,
				 sizeof(reason), &scene->err));
	if (same)
		assert_string_equal(reason, "");
	else
		assert_contains(reason, reason_part);
	opened_files_release(&a);
	opened_files_release(&b);
	return same;
}

static void test_versions_with_equal_inputs_are_identical(void **state)
{
	struct scene *scene = *state;

	sh(scene, "mkdir -p a/d b/d; echo x | tee a/in a/d/in b/in >b/d/in; echo 1 >a/doc;"
		  "echo 2 >b/doc; echo new >b/d2");
	assert_true(identical(scene, "cat in d/in", ""));
	assert_true(identical(scene, "ls d; cat in >out; date >>out", ""));
	assert_true(identical(scene, "true", ""));
}

static void test_a_changed_input_is_named(void **state)
{
	struct scene *scene = *state;

	sh(scene, "mkdir a b; echo x | tee a/in a/two >b/two; echo y >b/in");
	assert_true(identical(scene, "cat two", ""));
	assert_false(identical(scene, "cat in two", "in differs"));
}

static void test_an_input_of_one_version_only_is_named(void **state)
{
	struct scene *scene = *state;

	sh(scene, "mkdir a b; echo x | tee a/in >b/in; echo y >b/zz; echo y >a/aa");
	assert_false(identical(scene, "cat in; if test -f zz; then cat zz; fi", "zz is opened"));
	assert_false(identical(scene, "if test -f aa; then cat aa; fi", "aa is opened at base"));
}

static void test_folders_that_list_other_names_differ(void **state)
{
	struct scene *scene = *state;

	sh(scene, "mkdir -p a/d b/d; touch a/d/one b/d/two");
	assert_false(identical(scene, "ls d", "d/ has other files"));
}

static void test_permissions_count(void **state)
{
	struct scene *scene = *state;

	sh(scene, "mkdir a b; echo x | tee a/in >b/in; chmod 755 b/in; chmod 644 a/in");
	assert_false(identical(scene, "cat in", "permissions"));
}

static void test_inputs_that_the_run_changes_prove_nothing(void **state)
{
	struct scene *scene = *state;

	sh(scene, "mkdir a b; echo x | tee a/state >b/state");
	assert_false(identical(scene, "cat state; echo x >state", "changed by the benchmark"));
	sh(scene, "echo x | tee a/gone >b/gone");
	assert_false(identical(scene, "cat gone; rm gone", "gone"));
}

static void test_lost_events_prove_nothing(void **state)
{
	struct scene *scene = *state;
	struct opened_files a = {.complete = true}, b = {.complete = false};
	char reason[64];
	bool same = true;

	sh(scene, "mkdir a b");
	assert_ok(scene, builds_identical(at(scene, "a"), &a, at(scene, "b"), &b, &same, reason,
				 sizeof(reason), &scene->err));
	assert_false(same);
	assert_contains(reason, "not all files");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_watch_sees_opened_and_executed_files),
		scene_test(test_watch_tells_inputs_from_outputs),
		scene_test(test_watch_follows_a_link_to_the_folder),
		scene_test(test_moved_folders_prove_nothing),
		scene_test(test_too_many_folders_prove_nothing),
		scene_test(test_a_flood_of_openings_is_followed),
		scene_test(test_a_missing_folder_cannot_be_watched),
		scene_test(test_versions_with_equal_inputs_are_identical),
		scene_test(test_a_changed_input_is_named),
		scene_test(test_an_input_of_one_version_only_is_named),
		scene_test(test_folders_that_list_other_names_differ),
		scene_test(test_permissions_count),
		scene_test(test_inputs_that_the_run_changes_prove_nothing),
		scene_test(test_lost_events_prove_nothing),
	};

	return cmocka_run_group_tests_name("identical", tests, NULL, NULL);
}
