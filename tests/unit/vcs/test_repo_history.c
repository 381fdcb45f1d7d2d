/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/repo.h"

#include "gate/base/error.h"
#include "tests/unit/vcs/repo_scene.h"

/* The ids are what git itself lists for the arguments, one a line. */
static void assert_history(
	struct scene *scene, const char *commit, size_t max, const char *list, bool expect_cut)
{
	struct arena arena = ARENA_INIT;
	struct strbuf lines = STRBUF_INIT;
	const char *const *ids;
	size_t count;
	bool cut = !expect_cut;

	if (repo_first_parents(scene->repo, commit, max, &arena, &ids, &count, &cut, &scene->err))
		fail_msg("%s", scene->err.message);
	for (size_t i = 0; i < count; i++)
		strbuf_addf(&lines, "%s%s", i ? "\n" : "", ids[i]);
	assert_shell_prints(scene, list, lines.data);
	assert_int_equal(cut, expect_cut);
	strbuf_release(&lines);
	arena_release(&arena);
}

/* main: 1 2 3 merge(side) 5; "side" holds two commits that main has as second parents. */
static void make_merges(struct scene *scene)
{
	sh(scene, "git init -q work && cd work &&"
		  "for i in 1 2 3; do git commit -q --allow-empty -m $i; done &&"
		  "git checkout -qb side HEAD~1 && git commit -q --allow-empty -m s1 &&"
		  "git commit -q --allow-empty -m s2 && git checkout -q main &&"
		  "git merge -q --no-ff -m merge side && git commit -q --allow-empty -m 5");
	open_repo(scene, "work");
}

static void test_first_parents_come_nearest_first_and_pass_merges_by(void **state)
{
	struct scene *scene = *state;

	make_merges(scene);
	assert_history(scene, "HEAD", 100,
		"cd work && git rev-parse HEAD HEAD~1 HEAD~2 HEAD~3 HEAD~4", false);
	assert_history(
		scene, "side", 100, "cd work && git rev-parse side side~1 side~2 side~3", false);
}

static void test_no_more_than_wanted_are_listed(void **state)
{
	struct scene *scene = *state;

	make_merges(scene);
	assert_history(scene, "HEAD", 2, "cd work && git rev-parse HEAD HEAD~1", false);
	assert_history(scene, "HEAD", 5, "cd work && git rev-list --first-parent HEAD", false);
	assert_history(scene, "HEAD", 0, "true", false);
	assert_history(
		scene, "HEAD", SIZE_MAX, "cd work && git rev-list --first-parent HEAD", false);
}

static void test_unknown_commits_are_not_found(void **state)
{
	struct scene *scene = *state;
	struct arena arena = ARENA_INIT;
	const char *const *ids = NULL;
	size_t count = 77;

	make_merges(scene);
	assert_int_equal(repo_first_parents(
				 scene->repo, "--all", 9, &arena, &ids, &count, NULL, &scene->err),
		ERR_NOT_FOUND);
	assert_null(ids);
	assert_int_equal(count, 77);
	arena_release(&arena);
}

static void test_shallow_history_says_that_it_is_cut(void **state)
{
	struct scene *scene = *state;

	make_merges(scene);
	repo_free(scene->repo);
	sh(scene, "git clone -q --depth 2 \"file://$PWD/work\" shallow");
	open_repo(scene, "shallow");
	assert_history(scene, "HEAD", 100, "cd work && git rev-parse HEAD HEAD~1", true);
	/* Also where what lies behind is still there. */
	sh(scene, "git -C shallow fetch -q --unshallow && git -C shallow fetch -q --depth 2");
	assert_history(scene, "HEAD", 100, "cd work && git rev-parse HEAD HEAD~1", true);
	/* Not the clone ends these lists. */
	assert_history(scene, "HEAD", 2, "cd work && git rev-parse HEAD HEAD~1", false);
	assert_history(scene, "HEAD", 1, "cd work && git rev-parse HEAD", false);
}

static void test_shallow_history_that_reaches_the_root_is_not_cut(void **state)
{
	struct scene *scene = *state;

	make_merges(scene);
	repo_free(scene->repo);
	sh(scene, "git -C work branch other HEAD~3 &&"
		  "git clone -q --depth 1 --no-single-branch \"file://$PWD/work\" shallow &&"
		  "git -C shallow fetch -q --depth=9 origin other");
	open_repo(scene, "shallow");
	assert_true(repo_is_shallow(scene->repo));
	assert_history(
		scene, "origin/other", 100, "cd work && git rev-list --first-parent other", false);
}

static void test_sha256_history_is_listed(void **state)
{
	struct scene *scene = *state;

	setenv("GIT_DEFAULT_HASH", "sha256", 1);
	make_merges(scene);
	unsetenv("GIT_DEFAULT_HASH");
	assert_history(scene, "HEAD", 100, "cd work && git rev-list --first-parent HEAD", false);
}

static void assert_branch(struct scene *scene, const char *expected)
{
	struct arena arena = ARENA_INIT;
	const char *name;

	assert_int_equal(repo_branch(scene->repo, &arena, &name, &scene->err), ERR_OK);
	assert_string_equal(name, expected);
	arena_release(&arena);
}

static void test_branch_is_heads_own(void **state)
{
	struct scene *scene = *state;

	make_merges(scene);
	assert_branch(scene, "main");
	sh(scene, "cd work && git checkout -q -b deep/er");
	assert_branch(scene, "deep/er");
	sh(scene, "cd work && git checkout -q --detach");
	assert_branch(scene, "");
	sh(scene, "cd work && git checkout -q --orphan unborn");
	assert_branch(scene, "unborn");
}

static void assert_default_branch(struct scene *scene, const char *expected)
{
	struct arena arena = ARENA_INIT;
	const char *name;

	assert_int_equal(repo_default_branch(scene->repo, &arena, &name, &scene->err), ERR_OK);
	assert_string_equal(name, expected);
	arena_release(&arena);
}

static void test_default_branch_is_the_remotes(void **state)
{
	struct scene *scene = *state;

	make_merges(scene);
	sh(scene, "cd work && git checkout -q side");
	assert_default_branch(scene, "main");
	sh(scene, "cd work && git branch -m main master");
	assert_default_branch(scene, "master");
	sh(scene, "cd work && git update-ref refs/remotes/origin/main master");
	assert_default_branch(scene, "main");
	sh(scene, "cd work && git update-ref refs/remotes/origin/de/v master &&"
		  "git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/de/v");
	assert_default_branch(scene, "de/v");
}

static void test_default_branch_without_usual_names_is_heads(void **state)
{
	struct scene *scene = *state;

	make_merges(scene);
	sh(scene, "cd work && git branch -m main trunk");
	assert_default_branch(scene, "trunk");
	sh(scene, "cd work && git checkout -q --detach");
	assert_default_branch(scene, "");
}

static void test_worktree_has_a_branch_of_its_own(void **state)
{
	struct scene *scene = *state;

	make_merges(scene);
	repo_free(scene->repo);
	sh(scene, "git -C work worktree add -q ../linked side");
	open_repo(scene, "linked");
	assert_branch(scene, "side");
	assert_history(scene, "HEAD", 2, "cd work && git rev-parse side side~1", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_first_parents_come_nearest_first_and_pass_merges_by),
		BOTH_WAYS(test_no_more_than_wanted_are_listed),
		BOTH_WAYS(test_unknown_commits_are_not_found),
		BOTH_WAYS(test_shallow_history_says_that_it_is_cut),
		BOTH_WAYS(test_shallow_history_that_reaches_the_root_is_not_cut),
		BOTH_WAYS(test_sha256_history_is_listed),
		BOTH_WAYS(test_branch_is_heads_own),
		BOTH_WAYS(test_default_branch_is_the_remotes),
		BOTH_WAYS(test_default_branch_without_usual_names_is_heads),
		BOTH_WAYS(test_worktree_has_a_branch_of_its_own),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
