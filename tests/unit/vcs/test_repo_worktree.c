/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/repo.h"

#include "gate/base/error.h"
#include "tests/unit/vcs/repo_scene.h"

#include <signal.h>
#include <sys/wait.h>

static void add(struct scene *scene, const char *commit, const char *name)
{
	char *path = file_join(scene->dir, name);

	if (repo_worktree_add(scene->repo, commit, path, &scene->err))
		fail_msg("%s", scene->err.message);
	free(path);
}

static void assert_registered(const struct scene *scene, const char *count)
{
	assert_shell_prints(scene, "ls work/.git/worktrees 2>/dev/null | wc -l | tr -d ' '", count);
}

static void test_worktree_holds_the_commits_files(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	add(scene, "main", "tree a");
	assert_shell_prints(scene, "cat 'tree a/a.txt'", "one\ntwo\nthree");
	assert_shell_prints(scene, "git -C 'tree a' status --porcelain", "");
	assert_shell_prints(
		scene, "git -C 'tree a' symbolic-ref -q HEAD || echo detached", "detached");
	assert_shell_prints(scene, "git -C work symbolic-ref --short HEAD", "feature");
	assert_registered(scene, "1");
}

static void test_worktree_at_a_path_with_newlines(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "a\nb c");

	make_repo(scene);
	add(scene, "HEAD", "a\nb c");
	assert_shell_prints(scene, "cat 'a\nb c/new\nname'", "n");
	assert_int_equal(repo_worktree_remove(scene->repo, path, NULL), ERR_OK);
	assert_registered(scene, "0");
	free(path);
}

static void test_existing_path_and_unknown_commit_leave_nothing(void **state)
{
	struct scene *scene = *state;
	char *there = file_join(scene->dir, "there"), *fresh = file_join(scene->dir, "fresh");

	make_repo(scene);
	sh(scene, "mkdir there");
	assert_int_equal(repo_worktree_add(scene->repo, "HEAD", there, &scene->err), ERR_IO);
	assert_int_equal(repo_worktree_add(scene->repo, "nope", fresh, &scene->err), ERR_NOT_FOUND);
	assert_false(file_exists(fresh));
	assert_registered(scene, "0");
	free(there);
	free(fresh);
}

static void test_hooks_do_not_run(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "printf '#!/bin/sh\\ntouch \"%s/ran\"\\n' \"$PWD\" >hook && chmod +x hook &&"
		  "for h in post-checkout post-index-change reference-transaction; do"
		  " cp hook work/.git/hooks/$h; done");
	add(scene, "main", "tree");
	assert_shell_prints(scene, "ls ran 2>/dev/null || echo inert", "inert");
	sh(scene, "mkdir hooks && cp hook hooks/post-checkout && git -C work config core.hooksPath"
		  " \"$PWD/hooks\"");
	add(scene, "main", "tree2");
	assert_shell_prints(scene, "ls ran 2>/dev/null || echo inert", "inert");
}

static void test_removing_forgets_and_deletes(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "tree"), *plain = file_join(scene->dir, "plain");

	make_repo(scene);
	add(scene, "main", "tree");
	add(scene, "main", "other");
	sh(scene, "touch tree/untracked && mkdir plain && touch plain/x");
	assert_int_equal(repo_worktree_remove(scene->repo, path, NULL), ERR_OK);
	assert_false(file_exists(path));
	assert_registered(scene, "1");
	assert_int_equal(repo_worktree_remove(scene->repo, path, NULL), ERR_OK);
	assert_int_equal(repo_worktree_remove(scene->repo, plain, NULL), ERR_OK);
	assert_false(file_exists(plain));
	assert_shell_prints(scene, "git -C other status --porcelain", "");
	free(path);
	free(plain);
}

static void test_build_cannot_redirect_the_removal(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "tree");

	make_repo(scene);
	add(scene, "main", "tree");
	sh(scene, "rm tree/.git && echo \"gitdir: $PWD/work/.git\" >tree/.git && ln -s ../work "
		  "tree/w");
	assert_int_equal(repo_worktree_detach_folder(scene->repo, path, NULL), ERR_OK);
	assert_int_equal(repo_worktree_remove(scene->repo, path, NULL), ERR_OK);
	assert_registered(scene, "0");
	assert_shell_prints(scene, "git -C work status --porcelain", "");
	free(path);
}

static void test_detached_folder_keeps_its_files(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "tree");

	make_repo(scene);
	add(scene, "main", "tree");
	assert_int_equal(repo_worktree_detach_folder(scene->repo, path, NULL), ERR_OK);
	assert_shell_prints(scene, "ls -A tree | tr '\\n' ' '", "a.txt gone link src ");
	assert_registered(scene, "0");
	/* The same path again: the folder has moved on. */
	sh(scene, "mv tree moved");
	add(scene, "HEAD", "tree");
	free(path);
}

static void test_sweep_takes_what_lies_below_only(void **state)
{
	struct scene *scene = *state;
	char *prefix = file_join(scene->dir, "cache"), *absent = file_join(scene->dir, "no/such");
	size_t count = 99;

	make_repo(scene);
	sh(scene, "mkdir -p cache/sub cache2");
	add(scene, "main", "cache/one");
	add(scene, "main", "cache/sub/two");
	add(scene, "main", "cache/three");
	add(scene, "main", "cache2/kept");
	sh(scene, "rm -r cache/three && git -C work worktree lock ../cache/one");
	assert_int_equal(repo_worktree_sweep(scene->repo, absent, &count, NULL), ERR_OK);
	assert_int_equal(count, 0);
	assert_int_equal(repo_worktree_sweep(scene->repo, prefix, &count, NULL), ERR_OK);
	assert_int_equal(count, 3);
	assert_registered(scene, "1");
	assert_shell_prints(scene, "find cache -type f; ls cache2/kept/a.txt", "cache2/kept/a.txt");
	free(prefix);
	free(absent);
}

static void test_lfs_pointer_is_a_tool_error_with_advice(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "tree");

	make_repo(scene);
	sh(scene, "cd work && echo '*.big filter=lfs diff=lfs merge=lfs -text' >.gitattributes &&"
		  "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:0\\nsize 9\\n'"
		  " >'data 1.big' && git add . && git commit -qm lfs");
	assert_int_equal(repo_worktree_add(scene->repo, "HEAD", path, &scene->err), ERR_TOOL);
	assert_non_null(strstr(scene->err.message, "data 1.big"));
	assert_non_null(strstr(scene->err.message, "git-lfs"));
	assert_false(file_exists(path));
	assert_registered(scene, "0");
	sh(scene, "cd work && echo content >'data 1.big' && git commit -qam filled");
	add(scene, "HEAD", "tree");
	free(path);
}

static void test_submodule_over_a_refused_protocol_is_a_tool_error(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "tree");

	make_repo(scene);
	sh(scene,
		"cd work && git -c protocol.file.allow=always submodule --quiet add ../work sub &&"
		"git commit -qm submodule && git config -f .gitmodules submodule.sub.url"
		" 'ext::touch ran' && git commit -qam ext");
	sh(scene, "cd work && git config --unset submodule.sub.url && rm -rf .git/modules");
	assert_int_equal(repo_worktree_add(scene->repo, "HEAD", path, &scene->err), ERR_TOOL);
	assert_non_null(strstr(scene->err.message, "submodules"));
	assert_non_null(strstr(scene->err.message, "not allowed"));
	assert_shell_prints(scene, "find . -name ran", "");
	assert_false(file_exists(path));
	free(path);
}

static void test_submodule_has_its_recorded_commit(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene,
		"cd work && git config --global protocol.file.allow always &&"
		"git clone -q . ../library && git submodule --quiet add \"$PWD/../library\" sub &&"
		"git commit -qm submodule && git -C ../library commit -q --allow-empty -m later");
	add(scene, "HEAD", "tree");
	assert_shell_prints(scene, "cat tree/sub/a.txt", "one\n2\nthree\nfour");
	assert_shell_prints(scene, "git -C tree status --porcelain", "");
}

static void test_sha256_repository_has_worktrees(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "tree");

	setenv("GIT_DEFAULT_HASH", "sha256", 1);
	make_repo(scene);
	unsetenv("GIT_DEFAULT_HASH");
	add(scene, "main", "tree");
	assert_shell_prints(scene, "cat tree/gone", "x");
	assert_int_equal(repo_worktree_remove(scene->repo, path, NULL), ERR_OK);
	assert_registered(scene, "0");
	free(path);
}

static int remove_while_interrupted(struct scene *scene, const char *path)
{
	size_t count = 0;

	raise(SIGTERM);
	if (repo_worktree_add(scene->repo, "HEAD", path, NULL) == ERR_OK)
		return 1;
	if (repo_worktree_sweep(scene->repo, scene->dir, &count, NULL) || count != 1)
		return 2;
	return 0;
}

static void test_sweep_works_after_an_interruption(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "second");
	int status;
	pid_t pid;

	make_repo(scene);
	add(scene, "main", "tree");
	pid = fork();
	if (pid == 0)
		_exit(remove_while_interrupted(scene, path));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_registered(scene, "0");
	assert_shell_prints(scene, "ls", "work");
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_worktree_holds_the_commits_files),
		BOTH_WAYS(test_worktree_at_a_path_with_newlines),
		BOTH_WAYS(test_existing_path_and_unknown_commit_leave_nothing),
		BOTH_WAYS(test_hooks_do_not_run),
		BOTH_WAYS(test_removing_forgets_and_deletes),
		BOTH_WAYS(test_build_cannot_redirect_the_removal),
		BOTH_WAYS(test_detached_folder_keeps_its_files),
		BOTH_WAYS(test_sweep_takes_what_lies_below_only),
		BOTH_WAYS(test_lfs_pointer_is_a_tool_error_with_advice),
		BOTH_WAYS(test_submodule_over_a_refused_protocol_is_a_tool_error),
		BOTH_WAYS(test_submodule_has_its_recorded_commit),
		BOTH_WAYS(test_sha256_repository_has_worktrees),
		BOTH_WAYS(test_sweep_works_after_an_interruption),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
