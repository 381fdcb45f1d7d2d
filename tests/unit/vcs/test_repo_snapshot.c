/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/repo.h"

#include "gate/base/error.h"
#include "tests/unit/vcs/repo_scene.h"

struct counts {
	size_t modified, untracked, submodules;
};

/* What must be after a snapshot as it was before. */
#define STATE                                                                                      \
	"cd \"$SCENE_REPO\" && dir=$(git rev-parse --absolute-git-dir) &&"                         \
	"common=$(git rev-parse --path-format=absolute --git-common-dir) &&"                       \
	"GIT_OPTIONAL_LOCKS=0 git status --porcelain=v2 --branch --ignored --untracked-files=all;" \
	"git for-each-ref; cat \"$dir/HEAD\"; git stash list;"                                     \
	"find \"$common\" -path '*/objects/*' -prune -o -type f -print | sort | xargs -d '\\n' "   \
	"sha256sum"

/* With TMPDIR in the scene, so that what is left there is seen. */
static int call(struct scene *scene, char id[OBJECT_ID_SIZE], struct counts *out)
{
	char *tmp = file_join(scene->dir, "tmp");
	int rc;

	sh(scene, "mkdir -p tmp");
	setenv("TMPDIR", tmp, 1);
	rc = repo_snapshot(
		scene->repo, id, &out->modified, &out->untracked, &out->submodules, &scene->err);
	unsetenv("TMPDIR");
	assert_shell_prints(scene, "find tmp -mindepth 1", "");
	free(tmp);
	return rc;
}

static void take(struct scene *scene, const char *name, char id[OBJECT_ID_SIZE], struct counts *out)
{
	char *before, *after;

	setenv("SCENE_REPO", name, 1);
	before = shell(scene, STATE);
	if (call(scene, id, out))
		fail_msg("%s", scene->err.message);
	after = shell(scene, STATE);
	assert_string_equal(before, after);
	setenv("SCENE_ID", id, 1);
	free(before);
	free(after);
}

static void assert_counts(
	struct counts counts, size_t modified, size_t untracked, size_t submodules)
{
	assert_int_equal(counts.modified, modified);
	assert_int_equal(counts.untracked, untracked);
	assert_int_equal(counts.submodules, submodules);
}

static void snapshot(struct scene *scene, const char *name, size_t modified, size_t untracked)
{
	char id[OBJECT_ID_SIZE];
	struct counts counts;

	take(scene, name, id, &counts);
	assert_counts(counts, modified, untracked, 0);
}

/* The snapshot's tree is the one that "git add -A" in a copy of the repository makes. */
static void assert_as_git_add(struct scene *scene)
{
	sh(scene, "rm -rf copy && cp -a work copy && cd copy && git add -A 2>/dev/null &&"
		  "test $(git write-tree) = $(git -C ../work rev-parse $SCENE_ID^{tree})");
}

static void assert_unchanged(struct scene *scene)
{
	snapshot(scene, "work", 0, 0);
	sh(scene, "test $SCENE_ID = $(git -C work rev-parse HEAD)");
}

static void test_clean_tree_is_head_itself(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	assert_unchanged(scene);
	sh(scene, "cd work && touch -d '2001-01-01' a.txt && echo '*.o' >.git/info/exclude &&"
		  "echo x >x.o && mkdir empty && mkfifo pipe");
	assert_unchanged(scene);
}

static void test_all_kinds_of_changes_are_taken_as_git_add_takes_them(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && echo x >>a.txt && rm link && ln -s src link && chmod +x bin &&"
		  "mkdir d && echo 1 >'d/new 1' && echo 2 >'new\n2' && ln -s nowhere dangling &&"
		  "echo '*.o' >.gitignore && echo x >x.o && git mv src/new.c src/moved.c &&"
		  "rm 'new\nname'");
	snapshot(scene, "work", 6, 4);
	assert_as_git_add(scene);
	assert_shell_prints(
		scene, "git -C work ls-tree $SCENE_ID bin link | cut -c1-6", "100755\n120000");
}

static void test_files_and_folders_change_places(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && rm a.txt && mkdir a.txt && echo x >a.txt/inner &&"
		  "rm -r src && echo file >src");
	snapshot(scene, "work", 2, 2);
	assert_as_git_add(scene);
}

static void test_folder_that_became_a_link_is_a_link(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && mv src ../elsewhere && ln -s ../elsewhere src");
	snapshot(scene, "work", 1, 1);
	assert_as_git_add(scene);
	assert_shell_prints(scene, "git -C work cat-file -p $SCENE_ID:src", "../elsewhere");
}

static void test_the_working_tree_counts_not_what_is_staged(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && cp a.txt ../kept && echo staged >a.txt && git add a.txt &&"
		  "cp ../kept a.txt");
	assert_unchanged(scene);
	sh(scene, "cd work && git rm -q --cached bin");
	assert_unchanged(scene);
	sh(scene, "cd work && echo staged >more && git add more");
	snapshot(scene, "work", 1, 0);
	assert_shell_prints(scene, "git -C work show $SCENE_ID:more", "staged");
	sh(scene, "cd work && rm more");
	assert_unchanged(scene);
}

static void test_intent_to_add_is_added(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && echo x >planned && echo y >gone-again &&"
		  "git add -N planned gone-again && rm gone-again");
	snapshot(scene, "work", 1, 0);
	assert_as_git_add(scene);
}

static void test_equal_content_has_an_equal_id(void **state)
{
	struct scene *scene = *state;
	char one[OBJECT_ID_SIZE], two[OBJECT_ID_SIZE];
	struct counts counts;

	make_repo(scene);
	sh(scene, "cd work && echo x >>a.txt");
	take(scene, "work", one, &counts);
	sh(scene,
		"cd work && git config user.name Other && git config i18n.commitEncoding latin1 &&"
		"git config commit.gpgSign true && git add a.txt && touch -d 2001-01-01 a.txt");
	take(scene, "work", two, &counts);
	assert_string_equal(one, two);
	assert_shell_prints(scene,
		"cd work && test \"$(git show -s --format='%at %ct %P' $SCENE_ID)\" = "
		"\"$(git show -s --format='%at %ct' HEAD) $(git rev-parse HEAD)\" && echo same",
		"same");
	sh(scene, "cd work && echo y >>a.txt");
	take(scene, "work", two, &counts);
	assert_string_not_equal(one, two);
}

static void test_a_change_within_the_clocks_grain_is_seen(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	/* Of equal size, with the times that the index knows: "racily clean". */
	sh(scene,
		"cd work && echo 1 >r && touch -d 2020-01-01 r && git add r && git commit -qm r &&"
		"echo 2 >r && touch -d 2020-01-01 r && touch -d 2020-01-01 .git/index");
	snapshot(scene, "work", 1, 0);
	assert_shell_prints(scene, "git -C work show $SCENE_ID:r", "2");
}

static void test_line_ends_and_filters_are_those_of_git_add(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && printf '*.crlf text eol=crlf\n*.up filter=up\n*.big filter=lfs\n' "
		  ">.gitattributes && git config filter.up.clean 'tr a-z A-Z' &&"
		  "printf 'one\\r\\n' >t.crlf && echo loud >t.up &&"
		  "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:1\\n' >t.big &&"
		  "git add . && git commit -qm attributes && touch -d 2001-01-01 t.*");
	assert_unchanged(scene);
	sh(scene, "cd work && printf 'one\\r\\ntwo\\r\\n' >t.crlf && echo louder >t.up &&"
		  "printf 'new\\r\\n' >u.crlf");
	snapshot(scene, "work", 2, 1);
	assert_as_git_add(scene);
	assert_shell_prints(scene, "git -C work show $SCENE_ID:t.crlf", "one\ntwo");
	assert_shell_prints(scene, "git -C work show $SCENE_ID:t.up", "LOUDER");
	assert_shell_prints(scene, "git -C work show $SCENE_ID:u.crlf", "new");
	sh(scene, "test $(git -C work rev-parse HEAD:t.big) = $(git -C work rev-parse "
		  "$SCENE_ID:t.big)");
}

static void test_modes_follow_the_repositorys_setting(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && git config core.fileMode false && chmod +x a.txt");
	assert_unchanged(scene);
}

static void test_sparse_checkout_deletes_nothing(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	repo_free(scene->repo);
	sh(scene, "git -C work config uploadpack.allowFilter true &&"
		  "git -C work config uploadpack.allowAnySHA1InWant true &&"
		  "git clone -q --filter=blob:none --sparse \"file://$PWD/work\" sparse &&"
		  "test ! -e sparse/src");
	open_repo(scene, "sparse");
	snapshot(scene, "sparse", 0, 0);
	sh(scene, "cd sparse && echo x >>a.txt && echo n >new");
	snapshot(scene, "sparse", 1, 1);
	assert_shell_prints(
		scene, "git -C sparse diff --name-status HEAD $SCENE_ID", "M\ta.txt\nA\tnew");
	/* Nothing was fetched for that. */
	sh(scene, "git -C sparse cat-file --batch-check --batch-all-objects >all &&"
		  "! grep -q \"$(git -C work rev-parse HEAD:src/new.c)\" all");
}

static void test_linked_worktree_has_its_own_index(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	repo_free(scene->repo);
	sh(scene, "git -C work worktree add -q ../linked main && echo x >>work/a.txt &&"
		  "echo y >>linked/gone");
	open_repo(scene, "linked");
	snapshot(scene, "linked", 1, 0);
	assert_shell_prints(scene,
		"git -C linked diff --name-only $(git -C linked rev-parse main) $SCENE_ID", "gone");
}

static void test_split_index_stays_split(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && git config core.splitIndex true && git config core.untrackedCache "
		  "true &&"
		  "git update-index --split-index && test -e .git/sharedindex.* && echo x >>a.txt");
	snapshot(scene, "work", 1, 0);
	assert_as_git_add(scene);
}

static void test_without_an_index_the_files_count(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "rm work/.git/index");
	assert_unchanged(scene);
}

static void test_submodules_count_as_recorded(void **state)
{
	struct scene *scene = *state;
	char id[OBJECT_ID_SIZE];
	struct counts counts;

	make_repo(scene);
	sh(scene, "cp -a work lib && cd work &&"
		  "git -c protocol.file.allow=always submodule --quiet add \"$PWD/../lib\" lib &&"
		  "git -c protocol.file.allow=always submodule --quiet add \"$PWD/../lib\" lib2 &&"
		  "git commit -qm lib && echo x >>lib/a.txt && echo new >lib2/new &&"
		  "git -C lib2 commit -q --allow-empty -m own");
	take(scene, "work", id, &counts);
	assert_counts(counts, 0, 0, 2);
	sh(scene, "test $SCENE_ID = $(git -C work rev-parse HEAD) && echo x >>work/a.txt");
	take(scene, "work", id, &counts);
	assert_counts(counts, 1, 0, 2);
	assert_shell_prints(scene, "git -C work diff --name-only HEAD $SCENE_ID", "a.txt");
	/* Staged is recorded. */
	sh(scene, "git -C work add lib2 && rm work/lib2/new");
	take(scene, "work", id, &counts);
	assert_counts(counts, 2, 0, 1);
	sh(scene, "test $(git -C work rev-parse $SCENE_ID:lib2) = $(git -C work/lib2 rev-parse "
		  "HEAD)");
}

static void test_removed_submodule_is_removed(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cp -a work lib && cd work &&"
		  "git -c protocol.file.allow=always submodule --quiet add \"$PWD/../lib\" lib &&"
		  "git commit -qm lib && rm -rf lib");
	snapshot(scene, "work", 1, 0);
	assert_shell_prints(scene, "git -C work ls-tree $SCENE_ID lib", "");
}

static void test_repositories_that_are_no_submodules_stay_out(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cp -a work inner && mv inner work/inner && git init -q work/empty");
	assert_unchanged(scene);
	sh(scene, "cd work && rm a.txt && mv inner a.txt && echo x >y");
	snapshot(scene, "work", 1, 1);
	assert_shell_prints(scene, "git -C work ls-tree $SCENE_ID a.txt", "");
}

static void assert_refused(struct scene *scene, int code, const char *const *texts)
{
	char id[OBJECT_ID_SIZE] = "untouched";
	struct counts counts = {91, 92, 93};

	assert_int_equal(call(scene, id, &counts), code);
	for (; *texts; texts++) {
		if (!strstr(scene->err.message, *texts))
			fail_msg("no \"%s\" in: %s", *texts, scene->err.message);
	}
	assert_string_equal(id, "untouched");
	assert_counts(counts, 91, 92, 93);
}

static void test_conflict_is_named(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && git checkout -q main && echo other >'a.txt' && mkdir -p 'c d' &&"
		  "git commit -qam other && ! git merge feature >/dev/null 2>&1");
	assert_refused(scene, ERR_USAGE, (const char *const[]){"a.txt has a conflict", NULL});
}

static void test_no_commit_yet_is_said(void **state)
{
	struct scene *scene = *state;

	sh(scene, "git init -q work && echo x >work/x");
	open_repo(scene, "work");
	assert_refused(scene, ERR_USAGE, (const char *const[]){"no commit yet", NULL});
}

static void test_too_much_that_is_untracked_names_the_largest(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && truncate -s 300M one && truncate -s 312M two");
	assert_refused(scene, ERR_LIMIT,
		(const char *const[]){"612 MiB", "two with 312", ".gitignore", NULL});
	sh(scene, "cd work && echo two >.gitignore && truncate -s 1G src/new.c && rm src/new.c &&"
		  "truncate -s 1M one");
	snapshot(scene, "work", 1, 2);
}

static void test_sha256_repository_has_snapshots(void **state)
{
	struct scene *scene = *state;

	setenv("GIT_DEFAULT_HASH", "sha256", 1);
	make_repo(scene);
	unsetenv("GIT_DEFAULT_HASH");
	sh(scene, "cd work && echo x >>a.txt && echo y >y");
	snapshot(scene, "work", 1, 1);
	assert_as_git_add(scene);
}

static void test_foreign_repository_that_is_trusted_has_snapshots(void **state)
{
	struct scene *scene = *state;

	if (geteuid() != 0)
		skip();
	make_repo(scene);
	repo_free(scene->repo);
	sh(scene, "chown -R 12345 work && git config --global safe.directory '*' &&"
		  "echo x >>work/a.txt");
	open_repo(scene, "work");
	snapshot(scene, "work", 1, 0);
	assert_as_git_add(scene);
}

static void test_a_snapshot_can_be_checked_out_and_diffed(void **state)
{
	struct scene *scene = *state;
	struct arena arena = ARENA_INIT;
	struct repo_diff diff;
	char id[OBJECT_ID_SIZE], *path = file_join(scene->dir, "tree");
	struct counts counts;

	make_repo(scene);
	sh(scene, "cd work && echo x >>a.txt");
	take(scene, "work", id, &counts);
	assert_int_equal(repo_worktree_add(scene->repo, id, path, &scene->err), ERR_OK);
	assert_shell_prints(scene, "cmp tree/a.txt work/a.txt", "");
	assert_int_equal(repo_diff(scene->repo, "HEAD", id, &arena, &diff, &scene->err), ERR_OK);
	assert_int_equal(diff.file_count, 1);
	arena_release(&arena);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_clean_tree_is_head_itself),
		BOTH_WAYS(test_all_kinds_of_changes_are_taken_as_git_add_takes_them),
		BOTH_WAYS(test_files_and_folders_change_places),
		BOTH_WAYS(test_folder_that_became_a_link_is_a_link),
		BOTH_WAYS(test_the_working_tree_counts_not_what_is_staged),
		BOTH_WAYS(test_intent_to_add_is_added),
		BOTH_WAYS(test_equal_content_has_an_equal_id),
		BOTH_WAYS(test_a_change_within_the_clocks_grain_is_seen),
		BOTH_WAYS(test_line_ends_and_filters_are_those_of_git_add),
		BOTH_WAYS(test_modes_follow_the_repositorys_setting),
		BOTH_WAYS(test_sparse_checkout_deletes_nothing),
		BOTH_WAYS(test_linked_worktree_has_its_own_index),
		BOTH_WAYS(test_split_index_stays_split),
		BOTH_WAYS(test_without_an_index_the_files_count),
		BOTH_WAYS(test_submodules_count_as_recorded),
		BOTH_WAYS(test_removed_submodule_is_removed),
		BOTH_WAYS(test_repositories_that_are_no_submodules_stay_out),
		BOTH_WAYS(test_conflict_is_named),
		BOTH_WAYS(test_no_commit_yet_is_said),
		BOTH_WAYS(test_too_much_that_is_untracked_names_the_largest),
		BOTH_WAYS(test_sha256_repository_has_snapshots),
		BOTH_WAYS(test_foreign_repository_that_is_trusted_has_snapshots),
		BOTH_WAYS(test_a_snapshot_can_be_checked_out_and_diffed),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
