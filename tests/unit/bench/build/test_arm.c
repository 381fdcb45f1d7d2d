/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/build/arm.h"

#include <fcntl.h>
#include <sys/file.h>

#include "tests/unit/bench/arm_scene.h"

static void assert_file_is(const struct arm *arm, const char *name, const char *text)
{
	struct strbuf content = STRBUF_INIT;
	char *path = file_join(arm->path, name);

	assert_int_equal(file_read(path, 1 << 20, &content, NULL), ERR_OK);
	assert_string_equal(content.data, text);
	strbuf_release(&content);
	free(path);
}

static void test_both_arms_are_built_at_one_path_and_moved(void **state)
{
	struct arms_scene *arms = *state;
	struct arm base = prepare(arms, arms->base), head = prepare(arms, arms->head);
	char where[5000];

	snprintf(where, sizeof(where), "%s\n", arms->cache.build_path);
	assert_file_is(&base, "where", where);
	assert_file_is(&head, "where", where);
	assert_string_not_equal(base.path, head.path);
	assert_int_equal(strlen(base.path), strlen(head.path));
	assert_string_equal(base.build_path, arms->cache.build_path);
	assert_false(base.cached);
	assert_false(file_exists(arms->cache.build_path));
	sh(&arms->scene, "test $(git -C work worktree list | wc -l) = 1;"
			 "! ls -d cache/*/arms/*/.git 2>/dev/null;"
			 "cmp $(ls -d cache/*/arms/*/prog)");
	assert_contains(arms->progress.data, "building base ");
	assert_contains(arms->progress.data, "building head ");
	arm_release(&base);
	arm_release(&head);
}

static void test_a_built_arm_is_found_again(void **state)
{
	struct arms_scene *arms = *state;
	struct arm first = prepare(arms, arms->base), second;

	arm_release(&first);
	arm_cache_release(&arms->cache);
	assert_ok(&arms->scene, arm_cache_open(&arms->cache, arms->repo, &arms->scene.err));
	second = prepare(arms, arms->base);
	assert_true(second.cached);
	assert_contains(arms->progress.data, "is built already");
	arm_release(&second);
}

static void test_other_commands_or_environment_make_another_arm(void **state)
{
	struct arms_scene *arms = *state;
	struct arm one = prepare(arms, arms->base), two, three;

	assert_ok(&arms->scene, prepare_with(arms, "cc -O2 -o prog main.c", arms->base, &two));
	assert_string_not_equal(one.key, two.key);
	setenv("CFLAGS", "-O3", 1);
	three = prepare(arms, arms->base);
	unsetenv("CFLAGS");
	assert_string_not_equal(one.key, three.key);
	arm_release(&one);
	arm_release(&two);
	arm_release(&three);
}

static void test_what_runs_leave_behind_is_removed(void **state)
{
	struct arms_scene *arms = *state;
	struct arm arm = prepare(arms, arms->base);

	sh(&arms->scene,
		"cd cache/*/arms/* && echo x >left && mkdir -p new/deep && echo y >new/deep/z");
	arm_release(&arm);
	arm = prepare(arms, arms->base);
	assert_true(arm.cached);
	sh(&arms->scene, "cd cache/*/arms/* && ! test -e left && ! test -e new && test -f prog");
	arm_release(&arm);
}

static void test_a_damaged_arm_is_built_again(void **state)
{
	static const char *const damages[] = {"echo x >>data/in", "rm prog", "chmod 600 data/in",
		"cp -p data/in t; echo 2 >data/in; touch -r t data/in; rm t",
		"rm ../../manifests/*", "echo junk >$(ls ../../manifests/*)", "rm -r ../*",
		"rm data/in; ln -s ../main.c data/in"};
	struct arms_scene *arms = *state;
	char script[256];
	struct arm arm = prepare(arms, arms->base);
	size_t i;

	for (i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		arm_release(&arm);
		snprintf(script, sizeof(script), "cd cache/*/arms/* && %s", damages[i]);
		sh(&arms->scene, script);
		arm = prepare(arms, arms->base);
		assert_false(arm.cached);
		assert_file_is(&arm, "data/in", "1\n");
		assert_ok(&arms->scene, arm_verify(&arm, &arms->scene.err));
	}
	arm_release(&arm);
}

/* As after a CI cache was restored: new time stamps, same content. */
static void test_an_arm_with_new_time_stamps_is_still_good(void **state)
{
	struct arms_scene *arms = *state;
	struct arm arm = prepare(arms, arms->base);

	sh(&arms->scene, "cd cache/*/arms/* && touch -d 2001-01-01 data/in prog main.c");
	arm_release(&arm);
	arm = prepare(arms, arms->base);
	assert_true(arm.cached);
	arm_release(&arm);
}

static void test_failed_builds_leave_nothing_but_the_log(void **state)
{
	struct arms_scene *arms = *state;
	struct arm arm = {.lock_fd = -1};

	assert_fails(&arms->scene,
		prepare_with(arms, "echo ::error::from the build; exit 7", arms->base, &arm),
		ERR_BENCHMARK, "exited with status 7");
	assert_contains(arms->scene.err.message, "base: `echo");
	assert_contains(arms->scene.err.message, "error::from the build");
	assert_lacks(arms->scene.err.message, "\n::");
	assert_null(arm.path);
	assert_no_traces(arms);
	sh(&arms->scene, "grep -qx '::error::from the build' cache/*/logs/*.log;"
			 "test $(ls cache/*/logs | wc -l) = 1");
}

static void test_a_build_past_its_time_limit_fails(void **state)
{
	struct arms_scene *arms = *state;
	const char *commands[] = {"sleep 60", NULL};
	struct config config = {.build = commands, .build_timeout_ns = 200000000};
	struct arm arm;

	assert_fails(&arms->scene,
		arm_prepare(&arms->cache, arms->repo, &config, arms->base, "base", NULL, NULL, &arm,
			&arms->scene.err),
		ERR_BENCHMARK, "build_timeout");
	assert_no_traces(arms);
}

/* Its parent is not us: a stopped flamegate could end nothing. */
static void test_a_build_that_stops_its_parent_fails(void **state)
{
	struct arms_scene *arms = *state;
	struct arm arm;

	assert_fails(&arms->scene,
		prepare_with(arms, "kill -STOP $PPID; sleep 1000", arms->base, &arm), ERR_BENCHMARK,
		"the process that watches sh was stopped");
	assert_no_traces(arms);
}

static void test_a_build_that_replaces_its_folder_fails(void **state)
{
	struct arms_scene *arms = *state;
	struct arm arm;

	assert_fails(&arms->scene,
		prepare_with(
			arms, "d=$PWD; cd ..; rm -rf \"$d\"; ln -s / \"$d\"", arms->base, &arm),
		ERR_BENCHMARK, "removed or replaced");
	assert_no_traces(arms);
}

static void test_builds_see_no_secret_and_no_preload(void **state)
{
	struct arms_scene *arms = *state;
	struct arm arm;

	assert_ok(&arms->scene, prepare_with(arms, "env", arms->base, &arm));
	sh(&arms->scene, "! grep -e planted -e LD_PRELOAD -e GITHUB cache/*/logs/*.log;"
			 "grep -q '^HOME=' cache/*/logs/*.log");
	arm_release(&arm);
}

static void test_leftovers_of_a_killed_check_are_swept(void **state)
{
	struct arms_scene *arms = *state;
	struct arm arm;

	sh(&arms->scene, "cd cache/*; git -C ../../work worktree add -q --detach $PWD/build head;"
			 "git -C ../../work worktree lock $PWD/build; touch build/junk");
	arm = prepare(arms, arms->base);
	sh(&arms->scene, "test $(git -C work worktree list | wc -l) = 1;"
			 "! test -e cache/*/arms/*/junk");
	arm_release(&arm);
	sh(&arms->scene, "cd cache/*; rm -r arms/*; ln -s /nowhere build");
	arm = prepare(arms, arms->base);
	arm_release(&arm);
	sh(&arms->scene, "cd cache/*; rm -r arms/*; mkdir build; touch build/x");
	arm = prepare(arms, arms->base);
	arm_release(&arm);
}

static void test_the_build_path_leads_to_the_arm_that_runs(void **state)
{
	struct arms_scene *arms = *state;
	struct arm base = prepare(arms, arms->base), head;
	char *path = NULL;

	assert_ok(&arms->scene, arm_activate(&arms->cache, &base, &arms->scene.err));
	path = realpath(arms->cache.build_path, NULL);
	assert_string_equal(path, base.path);
	free(path);
	head = prepare(arms, arms->head);
	assert_ok(&arms->scene, arm_activate(&arms->cache, &head, &arms->scene.err));
	assert_ok(&arms->scene, arm_activate(&arms->cache, &head, &arms->scene.err));
	path = realpath(arms->cache.build_path, NULL);
	assert_string_equal(path, head.path);
	free(path);
	arm_cache_release(&arms->cache);
	sh(&arms->scene, "! test -L cache/*/build; test $(ls cache/*/arms | wc -l) = 2");
	assert_ok(&arms->scene, arm_cache_open(&arms->cache, arms->repo, &arms->scene.err));
	arm_release(&base);
	arm_release(&head);
}

static void test_one_arm_can_be_base_and_head(void **state)
{
	struct arms_scene *arms = *state;
	struct arm base = prepare(arms, arms->base), head = prepare(arms, arms->base);

	assert_string_equal(base.path, head.path);
	assert_true(head.cached);
	arm_release(&base);
	arm_release(&head);
}

static void test_prune_keeps_the_recent_and_the_held(void **state)
{
	struct arms_scene *arms = *state;
	struct arm held = prepare(arms, arms->base), recent, other;

	assert_ok(&arms->scene, prepare_with(arms, "true", arms->base, &other));
	assert_int_equal(file_write(held.known_path, "x", 1, NULL), ERR_OK);
	sh(&arms->scene, "touch -d 2001-01-01 cache/*/manifests/*");
	recent = prepare(arms, arms->head);
	arm_release(&recent);
	arm_release(&other);
	assert_ok(&arms->scene, arm_cache_prune(&arms->cache, 1, &arms->scene.err));
	sh(&arms->scene, "test $(ls cache/*/arms | wc -l) = 2");
	assert_true(file_exists(held.path));
	arm_release(&held);
	assert_ok(&arms->scene, arm_cache_prune(&arms->cache, 1, &arms->scene.err));
	sh(&arms->scene,
		"test $(ls cache/*/arms | wc -l) = 1; test $(ls cache/*/manifests | wc -l) = 1");
	recent = prepare(arms, arms->head);
	assert_true(recent.cached);
	arm_release(&recent);
}

struct other_check {
	struct arms_scene *arms;
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
	struct arms_scene *arms = *state;
	const char *commands[] = {"true", NULL};
	struct config config = {.build = commands};
	char *path = file_join(arms->cache.root, "locks/session");
	struct other_check other = {arms, open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), 0};
	struct arm arm;

	free(path);
	assert_int_equal(flock(other.lock, LOCK_EX), 0);
	assert_ok(&arms->scene, arm_cache_prune(&arms->cache, 1, &arms->scene.err));
	assert_ok(&arms->scene, arm_prepare(&arms->cache, arms->repo, &config, arms->base, "base",
					end_other_check, &other, &arm, &arms->scene.err));
	assert_int_equal(other.waits, 1);
	arm_release(&arm);
}

static void test_changed_files_are_noticed(void **state)
{
	struct arms_scene *arms = *state;
	struct arm arm = prepare(arms, arms->base);
	struct opened_file items[] = {{(char *)"data/", false, false},
		{(char *)"data/in", false, false}, {(char *)"out", true, false},
		{(char *)"where", false, true}};
	struct opened_files files = {items, 4, 4, true};
	char before[65], after[65];

	assert_ok(&arms->scene, arm_verify(&arm, &arms->scene.err));
	assert_ok(&arms->scene, arm_hash_files(&arm, &files, before, &arms->scene.err));
	sh(&arms->scene, "cd cache/*/arms/* && echo x >out && echo y >>where && echo n >new");
	assert_ok(&arms->scene, arm_hash_files(&arm, &files, after, &arms->scene.err));
	assert_string_equal(before, after);
	sh(&arms->scene, "cd cache/*/arms/* && echo 2 >data/in");
	assert_ok(&arms->scene, arm_hash_files(&arm, &files, after, &arms->scene.err));
	assert_string_not_equal(before, after);
	assert_fails(
		&arms->scene, arm_verify(&arm, &arms->scene.err), ERR_MEASURE, "data/in of commit");
	sh(&arms->scene, "cd cache/*/arms/* && rm data/in");
	assert_ok(&arms->scene, arm_hash_files(&arm, &files, after, &arms->scene.err));
	assert_string_not_equal(before, after);
	arm_release(&arm);
}

static void test_odd_file_names_survive_the_manifest(void **state)
{
	struct arms_scene *arms = *state;
	struct arm arm;
	const char *build = "mkdir ' a' 'x\ny'; touch ' a/ b' 'x\ny/%0A%25' '%' '\tt'; mkfifo pipe;"
			    "ln -s nowhere link";

	assert_ok(&arms->scene, prepare_with(arms, build, arms->base, &arm));
	arm_release(&arm);
	assert_ok(&arms->scene, prepare_with(arms, build, arms->base, &arm));
	assert_true(arm.cached);
	arm_release(&arm);
}

static void test_the_cache_is_private_and_absolute(void **state)
{
	struct arms_scene *arms = *state;
	struct arm_cache cache;

	sh(&arms->scene, "test $(stat -c %a cache/*) = 700");
	setenv("FLAMEGATE_CACHE", "relative", 1);
	assert_fails(&arms->scene, arm_cache_open(&cache, arms->repo, &arms->scene.err), ERR_USAGE,
		"absolute");
	unsetenv("FLAMEGATE_CACHE");
	unsetenv("XDG_CACHE_HOME");
	assert_ok(&arms->scene, arm_cache_open(&cache, arms->repo, &arms->scene.err));
	assert_contains(cache.root, "/.cache/flamegate/");
	arm_cache_release(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arms_test(test_both_arms_are_built_at_one_path_and_moved),
		arms_test(test_a_built_arm_is_found_again),
		arms_test(test_other_commands_or_environment_make_another_arm),
		arms_test(test_what_runs_leave_behind_is_removed),
		arms_test(test_a_damaged_arm_is_built_again),
		arms_test(test_an_arm_with_new_time_stamps_is_still_good),
		arms_test(test_failed_builds_leave_nothing_but_the_log),
		arms_test(test_a_build_past_its_time_limit_fails),
		arms_test(test_a_build_that_stops_its_parent_fails),
		arms_test(test_a_build_that_replaces_its_folder_fails),
		arms_test(test_builds_see_no_secret_and_no_preload),
		arms_test(test_leftovers_of_a_killed_check_are_swept),
		arms_test(test_the_build_path_leads_to_the_arm_that_runs),
		arms_test(test_one_arm_can_be_base_and_head),
		arms_test(test_prune_keeps_the_recent_and_the_held),
		arms_test(test_a_second_check_waits_for_the_first),
		arms_test(test_changed_files_are_noticed),
		arms_test(test_odd_file_names_survive_the_manifest),
		arms_test(test_the_cache_is_private_and_absolute),
	};

	process_init();
	return cmocka_run_group_tests_name("arm", tests, NULL, NULL);
}
