/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/build/build.h"

#include <fcntl.h>
#include <sys/file.h>

#include "gate/base/error.h"
#include "tests/unit/bench/build_scene.h"

static void assert_file_is(const struct build *build, const char *name, const char *text)
{
	struct strbuf content = STRBUF_INIT;
	char *path = file_join(build->path, name);

	assert_int_equal(file_read(path, 1 << 20, &content, NULL), ERR_OK);
	assert_string_equal(content.data, text);
	strbuf_release(&content);
	free(path);
}

static void test_both_builds_are_built_at_one_path_and_moved(void **state)
{
	struct builds_scene *builds = *state;
	struct build base = prepare(builds, builds->base), head = prepare(builds, builds->head);
	char where[5000];

	snprintf(where, sizeof(where), "%s\n", builds->cache.build_path);
	assert_file_is(&base, "where", where);
	assert_file_is(&head, "where", where);
	assert_string_not_equal(base.path, head.path);
	assert_int_equal(strlen(base.path), strlen(head.path));
	assert_string_equal(base.build_path, builds->cache.build_path);
	assert_false(base.cached);
	assert_false(file_exists(builds->cache.build_path));
	sh(&builds->scene, "test $(git -C work worktree list | wc -l) = 1;"
			   "! ls -d cache/*/builds/*/.git 2>/dev/null;"
			   "cmp $(ls -d cache/*/builds/*/prog)");
	assert_contains(builds->progress.data, "building base ");
	assert_contains(builds->progress.data, "building head ");
	build_release(&base);
	build_release(&head);
}

static void test_what_was_built_is_found_again(void **state)
{
	struct builds_scene *builds = *state;
	struct build first = prepare(builds, builds->base), second;

	build_release(&first);
	build_cache_release(&builds->cache);
	assert_ok(
		&builds->scene, build_cache_open(&builds->cache, builds->repo, &builds->scene.err));
	second = prepare(builds, builds->base);
	assert_true(second.cached);
	assert_contains(builds->progress.data, "is built already");
	build_release(&second);
}

static void test_other_commands_or_environment_make_another_build(void **state)
{
	struct builds_scene *builds = *state;
	struct build one = prepare(builds, builds->base), two, three;

	assert_ok(
		&builds->scene, prepare_with(builds, "cc -O2 -o prog main.c", builds->base, &two));
	assert_string_not_equal(one.key, two.key);
	setenv("CFLAGS", "-O3", 1);
	three = prepare(builds, builds->base);
	unsetenv("CFLAGS");
	assert_string_not_equal(one.key, three.key);
	build_release(&one);
	build_release(&two);
	build_release(&three);
}

static void test_what_runs_leave_behind_is_removed(void **state)
{
	struct builds_scene *builds = *state;
	struct build build = prepare(builds, builds->base);

	sh(&builds->scene,
		"cd cache/*/builds/* && echo x >left && mkdir -p new/deep && echo y >new/deep/z");
	build_release(&build);
	build = prepare(builds, builds->base);
	assert_true(build.cached);
	sh(&builds->scene,
		"cd cache/*/builds/* && ! test -e left && ! test -e new && test -f prog");
	build_release(&build);
}

static void test_a_damaged_build_is_built_again(void **state)
{
	static const char *const damages[] = {"echo x >>data/in", "rm prog", "chmod 600 data/in",
		"cp -p data/in t; echo 2 >data/in; touch -r t data/in; rm t",
		"rm ../../manifests/*", "echo junk >$(ls ../../manifests/*)", "rm -r ../*",
		"rm data/in; ln -s ../main.c data/in"};
	struct builds_scene *builds = *state;
	char script[256];
	struct build build = prepare(builds, builds->base);
	size_t i;

	for (i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		build_release(&build);
		snprintf(script, sizeof(script), "cd cache/*/builds/* && %s", damages[i]);
		sh(&builds->scene, script);
		build = prepare(builds, builds->base);
		assert_false(build.cached);
		assert_file_is(&build, "data/in", "1\n");
		assert_ok(&builds->scene, build_verify(&build, &builds->scene.err));
	}
	build_release(&build);
}

/* As after a CI cache was restored: new time stamps, same content. */
static void test_a_build_with_new_time_stamps_is_still_good(void **state)
{
	struct builds_scene *builds = *state;
	struct build build = prepare(builds, builds->base);

	sh(&builds->scene, "cd cache/*/builds/* && touch -d 2001-01-01 data/in prog main.c");
	build_release(&build);
	build = prepare(builds, builds->base);
	assert_true(build.cached);
	build_release(&build);
}

static void test_failed_builds_leave_nothing_but_the_log(void **state)
{
	struct builds_scene *builds = *state;
	struct build build = {.lock_fd = -1};

	assert_fails(&builds->scene,
		prepare_with(builds, "echo ::error::from the build; exit 7", builds->base, &build),
		ERR_BENCHMARK, "exited with status 7");
	assert_contains(builds->scene.err.message, "base: `echo");
	assert_contains(builds->scene.err.message, "error::from the build");
	assert_lacks(builds->scene.err.message, "\n::");
	assert_null(build.path);
	assert_no_traces(builds);
	sh(&builds->scene, "grep -qx '::error::from the build' cache/*/logs/*.log;"
			   "test $(ls cache/*/logs | wc -l) = 1");
}

static void test_a_build_past_its_time_limit_fails(void **state)
{
	struct builds_scene *builds = *state;
	const char *commands[] = {"sleep 60", NULL};
	struct config config = {.build = commands, .build_timeout_ns = 200000000};
	struct build build;

	assert_fails(&builds->scene,
		build_prepare(&builds->cache, builds->repo, &config, builds->base, "base", NULL,
			NULL, &build, &builds->scene.err),
		ERR_BENCHMARK, "build_timeout");
	assert_no_traces(builds);
}

/* Its parent is not us: a stopped flamegate could end nothing. */
static void test_a_build_that_stops_its_parent_fails(void **state)
{
	struct builds_scene *builds = *state;
	struct build build;

	assert_fails(&builds->scene,
		prepare_with(builds, "kill -STOP $PPID; sleep 1000", builds->base, &build),
		ERR_BENCHMARK, "the process that watches sh was stopped");
	assert_no_traces(builds);
}

static void test_a_build_that_replaces_its_folder_fails(void **state)
{
	struct builds_scene *builds = *state;
	struct build build;

	assert_fails(&builds->scene,
		prepare_with(builds, "d=$PWD; cd ..; rm -rf \"$d\"; ln -s / \"$d\"", builds->base,
			&build),
		ERR_BENCHMARK, "removed or replaced");
	assert_no_traces(builds);
}

static void test_builds_see_no_secret_and_no_preload(void **state)
{
	struct builds_scene *builds = *state;
	struct build build;

	assert_ok(&builds->scene, prepare_with(builds, "env", builds->base, &build));
	sh(&builds->scene, "! grep -e planted -e LD_PRELOAD -e GITHUB cache/*/logs/*.log;"
			   "grep -q '^HOME=' cache/*/logs/*.log");
	build_release(&build);
}

static void test_leftovers_of_a_killed_check_are_swept(void **state)
{
	struct builds_scene *builds = *state;
	struct build build;

	sh(&builds->scene, "cd cache/*; git -C ../../work worktree add -q --detach $PWD/build head;"
			   "git -C ../../work worktree lock $PWD/build; touch build/junk");
	build = prepare(builds, builds->base);
	sh(&builds->scene, "test $(git -C work worktree list | wc -l) = 1;"
			   "! test -e cache/*/builds/*/junk");
	build_release(&build);
	sh(&builds->scene, "cd cache/*; rm -r builds/*; ln -s /nowhere build");
	build = prepare(builds, builds->base);
	build_release(&build);
	sh(&builds->scene, "cd cache/*; rm -r builds/*; mkdir build; touch build/x");
	build = prepare(builds, builds->base);
	build_release(&build);
}

static void test_the_build_path_leads_to_the_build_that_runs(void **state)
{
	struct builds_scene *builds = *state;
	struct build base = prepare(builds, builds->base), head;
	char *path = NULL;

	assert_ok(&builds->scene, build_activate(&builds->cache, &base, &builds->scene.err));
	path = realpath(builds->cache.build_path, NULL);
	assert_string_equal(path, base.path);
	free(path);
	head = prepare(builds, builds->head);
	assert_ok(&builds->scene, build_activate(&builds->cache, &head, &builds->scene.err));
	assert_ok(&builds->scene, build_activate(&builds->cache, &head, &builds->scene.err));
	path = realpath(builds->cache.build_path, NULL);
	assert_string_equal(path, head.path);
	free(path);
	build_cache_release(&builds->cache);
	sh(&builds->scene, "! test -L cache/*/build; test $(ls cache/*/builds | wc -l) = 2");
	assert_ok(
		&builds->scene, build_cache_open(&builds->cache, builds->repo, &builds->scene.err));
	build_release(&base);
	build_release(&head);
}

static void test_one_build_can_be_base_and_head(void **state)
{
	struct builds_scene *builds = *state;
	struct build base = prepare(builds, builds->base), head = prepare(builds, builds->base);

	assert_string_equal(base.path, head.path);
	assert_true(head.cached);
	build_release(&base);
	build_release(&head);
}

static void test_prune_keeps_the_recent_and_the_held(void **state)
{
	struct builds_scene *builds = *state;
	struct build held = prepare(builds, builds->base), recent, other;

	assert_ok(&builds->scene, prepare_with(builds, "true", builds->base, &other));
	assert_int_equal(file_write(held.known_path, "x", 1, NULL), ERR_OK);
	sh(&builds->scene, "touch -d 2001-01-01 cache/*/manifests/*");
	recent = prepare(builds, builds->head);
	build_release(&recent);
	build_release(&other);
	assert_ok(&builds->scene, build_cache_prune(&builds->cache, 1, &builds->scene.err));
	sh(&builds->scene, "test $(ls cache/*/builds | wc -l) = 2");
	assert_true(file_exists(held.path));
	build_release(&held);
	assert_ok(&builds->scene, build_cache_prune(&builds->cache, 1, &builds->scene.err));
	sh(&builds->scene,
		"test $(ls cache/*/builds | wc -l) = 1; test $(ls cache/*/manifests | wc -l) = 1");
	recent = prepare(builds, builds->head);
	assert_true(recent.cached);
	build_release(&recent);
}

struct other_check {
	struct builds_scene *builds;
	int lock;
	unsigned waits;
};

static void end_other_check(void *data, const char *text)
{
	struct other_check *other = data;

	if (strstr(text, "waiting for another flamegate")) {
		other->waits++;
		close(other->lock);
	}
}

static void test_a_second_check_waits_for_the_first(void **state)
{
	struct builds_scene *builds = *state;
	const char *commands[] = {"true", NULL};
	struct config config = {.build = commands};
	char *path = file_join(builds->cache.root, "locks/cache");
	struct other_check other = {builds, open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), 0};
	struct build build;

	free(path);
	assert_int_equal(flock(other.lock, LOCK_EX), 0);
	assert_ok(&builds->scene, build_cache_prune(&builds->cache, 1, &builds->scene.err));
	assert_ok(&builds->scene,
		build_prepare(&builds->cache, builds->repo, &config, builds->base, "base",
			end_other_check, &other, &build, &builds->scene.err));
	assert_int_equal(other.waits, 1);
	build_release(&build);
}

static void test_changed_files_are_noticed(void **state)
{
	struct builds_scene *builds = *state;
	struct build build = prepare(builds, builds->base);
	struct opened_file items[] = {{(char *)"data/", false, false},
		{(char *)"data/in", false, false}, {(char *)"out", true, false},
		{(char *)"where", false, true}};
	struct opened_files files = {items, 4, 4, true};
	char before[65], after[65];

	assert_ok(&builds->scene, build_verify(&build, &builds->scene.err));
	assert_ok(&builds->scene, build_hash_files(&build, &files, before, &builds->scene.err));
	sh(&builds->scene, "cd cache/*/builds/* && echo x >out && echo y >>where && echo n >new");
	assert_ok(&builds->scene, build_hash_files(&build, &files, after, &builds->scene.err));
	assert_string_equal(before, after);
	sh(&builds->scene, "cd cache/*/builds/* && echo 2 >data/in");
	assert_ok(&builds->scene, build_hash_files(&build, &files, after, &builds->scene.err));
	assert_string_not_equal(before, after);
	assert_fails(&builds->scene, build_verify(&build, &builds->scene.err), ERR_MEASURE,
		"data/in of commit");
	sh(&builds->scene, "cd cache/*/builds/* && rm data/in");
	assert_ok(&builds->scene, build_hash_files(&build, &files, after, &builds->scene.err));
	assert_string_not_equal(before, after);
	build_release(&build);
}

static void test_odd_file_names_survive_the_manifest(void **state)
{
	struct builds_scene *builds = *state;
	struct build build;
	const char *command =
		"mkdir ' a' 'x\ny'; touch ' a/ b' 'x\ny/%0A%25' '%' '\tt'; mkfifo pipe;"
		"ln -s nowhere link";

	assert_ok(&builds->scene, prepare_with(builds, command, builds->base, &build));
	build_release(&build);
	assert_ok(&builds->scene, prepare_with(builds, command, builds->base, &build));
	assert_true(build.cached);
	build_release(&build);
}

static void test_the_cache_is_private_and_absolute(void **state)
{
	struct builds_scene *builds = *state;
	struct build_cache cache;

	sh(&builds->scene, "test $(stat -c %a cache/*) = 700");
	setenv("FLAMEGATE_CACHE", "relative", 1);
	assert_fails(&builds->scene, build_cache_open(&cache, builds->repo, &builds->scene.err),
		ERR_USAGE, "absolute");
	unsetenv("FLAMEGATE_CACHE");
	unsetenv("XDG_CACHE_HOME");
	assert_ok(&builds->scene, build_cache_open(&cache, builds->repo, &builds->scene.err));
	assert_contains(cache.root, "/.cache/flamegate/");
	build_cache_release(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		builds_test(test_both_builds_are_built_at_one_path_and_moved),
		builds_test(test_what_was_built_is_found_again),
		builds_test(test_other_commands_or_environment_make_another_build),
		builds_test(test_what_runs_leave_behind_is_removed),
		builds_test(test_a_damaged_build_is_built_again),
		builds_test(test_a_build_with_new_time_stamps_is_still_good),
		builds_test(test_failed_builds_leave_nothing_but_the_log),
		builds_test(test_a_build_past_its_time_limit_fails),
		builds_test(test_a_build_that_stops_its_parent_fails),
		builds_test(test_a_build_that_replaces_its_folder_fails),
		builds_test(test_builds_see_no_secret_and_no_preload),
		builds_test(test_leftovers_of_a_killed_check_are_swept),
		builds_test(test_the_build_path_leads_to_the_build_that_runs),
		builds_test(test_one_build_can_be_base_and_head),
		builds_test(test_prune_keeps_the_recent_and_the_held),
		builds_test(test_a_second_check_waits_for_the_first),
		builds_test(test_changed_files_are_noticed),
		builds_test(test_odd_file_names_survive_the_manifest),
		builds_test(test_the_cache_is_private_and_absolute),
	};

	process_init();
	return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
