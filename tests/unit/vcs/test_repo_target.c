/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/repo.h"

#include "gate/base/error.h"
#include "tests/unit/vcs/repo_scene.h"

static void assert_target(struct scene *scene, const char *wanted, const char *expected)
{
	struct arena arena = ARENA_INIT;
	char id[OBJECT_ID_SIZE], *out;
	const char *name;

	if (repo_target(scene->repo, wanted, &arena, &name, id, &scene->err))
		fail_msg("%s", scene->err.message);
	assert_string_equal(name, expected);
	setenv("SCENE_NAME", name, 1);
	out = shell(scene, "git -C work rev-parse --end-of-options \"$SCENE_NAME\" | tail -n 1");
	assert_string_equal(id, out);
	free(out);
	arena_release(&arena);
}

static void assert_no_target(struct scene *scene, const char *wanted, const char *message)
{
	struct arena arena = ARENA_INIT;
	char id[OBJECT_ID_SIZE];
	const char *name;

	assert_int_equal(
		repo_target(scene->repo, wanted, &arena, &name, id, &scene->err), ERR_NOT_FOUND);
	if (!strstr(scene->err.message, message))
		fail_msg("%s", scene->err.message);
	arena_release(&arena);
}

static void add_remote_branch(struct scene *scene, const char *name)
{
	char script[200];

	snprintf(script, sizeof(script),
		"cd work && git config remote.origin.url . &&"
		"git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*' &&"
		"git update-ref refs/remotes/origin/%s main",
		name);
	sh(scene, script);
}

static void test_wanted_revision_wins(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	assert_target(scene, "feature~1", "feature~1");
	assert_no_target(scene, "nowhere", "nowhere");
	add_remote_branch(scene, "release");
	assert_target(scene, "release", "origin/release");
}

static void test_local_main_is_the_last_resort(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	assert_target(scene, NULL, "main");
	sh(scene, "cd work && git branch -m main master");
	assert_target(scene, NULL, "master");
	sh(scene, "cd work && git branch -m master trunk");
	assert_no_target(scene, NULL, "--base");
}

static void test_remote_head_goes_before_main(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	add_remote_branch(scene, "main");
	assert_target(scene, NULL, "origin/main");
	add_remote_branch(scene, "develop");
	sh(scene,
		"cd work && git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/develop");
	assert_target(scene, NULL, "origin/HEAD");
}

static void test_upstream_counts_only_if_it_is_another_branch(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	add_remote_branch(scene, "feature");
	add_remote_branch(scene, "develop");
	sh(scene, "cd work && git branch -q --set-upstream-to=origin/feature");
	assert_target(scene, NULL, "main");
	sh(scene, "cd work && git branch -q --set-upstream-to=origin/develop");
	assert_target(scene, NULL, "origin/develop");
	sh(scene, "cd work && git branch -q other && git branch -q --set-upstream-to=other");
	assert_target(scene, NULL, "other");
	sh(scene, "cd work && git checkout -q --detach");
	assert_target(scene, NULL, "main");
}

static void test_github_base_ref_is_taken_or_refused(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	setenv("GITHUB_BASE_REF", "release", 1);
	assert_no_target(scene, NULL, "fetch-depth: 0");
	sh(scene, "cd work && git branch -q release");
	assert_target(scene, NULL, "release");
	add_remote_branch(scene, "release");
	assert_target(scene, NULL, "origin/release");
	setenv("GITHUB_BASE_REF", "", 1);
	assert_target(scene, NULL, "main");
	unsetenv("GITHUB_BASE_REF");
}

static void assert_branch(struct scene *scene, const char *revision, bool expected)
{
	bool branch = !expected;

	if (repo_is_branch(scene->repo, revision, &branch, &scene->err))
		fail_msg("%s: %s", revision, scene->err.message);
	if (branch != expected)
		fail_msg("%s is%s called a branch", revision, branch ? "" : " not");
}

static void test_branches_are_told_from_tags_and_commits(void **state)
{
	struct scene *scene = *state;
	char *id;
	bool branch;

	make_repo(scene);
	add_remote_branch(scene, "release");
	id = shell(scene, "git -C work rev-parse main");
	assert_branch(scene, "main", true);
	assert_branch(scene, "refs/heads/main", true);
	assert_branch(scene, "origin/release", true);
	assert_branch(scene, "v1", false);
	assert_branch(scene, "feature~1", false);
	assert_branch(scene, id, false);
	assert_int_equal(repo_is_branch(scene->repo, "nowhere", &branch, &scene->err), ERR_TOOL);
	free(id);
}

/* Joined by blanks. */
static void assert_names(struct scene *scene, size_t max, const char *expected)
{
	struct arena arena = ARENA_INIT;
	const char *const *names;
	const char *joined = "";
	size_t count;

	assert_int_equal(
		repo_reference_names(scene->repo, max, &arena, &names, &count, &scene->err),
		ERR_OK);
	for (size_t i = 0; i < count; i++)
		joined = arena_printf(&arena, "%s%s ", joined, names[i]);
	assert_string_equal(joined, expected);
	arena_release(&arena);
}

static void test_branches_and_tags_are_named(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	add_remote_branch(scene, "release");
	sh(scene, "git -C work update-ref refs/notes/x main");
	assert_names(scene, 100, "feature main origin/release v1 ");
	assert_names(scene, 2, "feature main ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_wanted_revision_wins),
		BOTH_WAYS(test_local_main_is_the_last_resort),
		BOTH_WAYS(test_remote_head_goes_before_main),
		BOTH_WAYS(test_upstream_counts_only_if_it_is_another_branch),
		BOTH_WAYS(test_github_base_ref_is_taken_or_refused),
		BOTH_WAYS(test_branches_are_told_from_tags_and_commits),
		BOTH_WAYS(test_branches_and_tags_are_named),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
