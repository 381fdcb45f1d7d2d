/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/repo.h"

#include "gate/base/error.h"
#include "tests/unit/vcs/repo_scene.h"

static void assert_id(const struct scene *scene, const char *revision, const char *id)
{
	char script[256];

	snprintf(script, sizeof(script), "git -C work rev-parse '%s'", revision);
	assert_shell_prints(scene, script, id);
}

static void test_root_is_found_from_a_subfolder(void **state)
{
	struct scene *scene = *state;
	char *root = file_join(scene->dir, "work");

	make_repo(scene);
	repo_free(scene->repo);
	open_repo(scene, "work/src");
	assert_string_equal(repo_root(scene->repo), root);
	assert_false(repo_is_shallow(scene->repo));
	free(root);
}

static void test_no_repository_and_a_bare_one_are_usage_errors(void **state)
{
	struct scene *scene = *state;
	char *bare = file_join(scene->dir, "bare");

	assert_int_equal(repo_open(scene->dir, &scene->repo, &scene->err), ERR_USAGE);
	assert_non_null(strstr(scene->err.message, "not a git repository"));
	sh(scene, "git init -q --bare bare");
	assert_int_equal(repo_open(bare, &scene->repo, &scene->err), ERR_USAGE);
	assert_non_null(strstr(scene->err.message, "work tree"));
	assert_null(scene->repo);
	free(bare);
}

static void test_revisions_resolve_to_commits_and_trees(void **state)
{
	struct scene *scene = *state;
	char id[OBJECT_ID_SIZE];

	make_repo(scene);
	assert_int_equal(repo_resolve_commit(scene->repo, "HEAD", id, NULL), ERR_OK);
	assert_id(scene, "HEAD", id);
	assert_int_equal(repo_resolve_commit(scene->repo, "v1", id, NULL), ERR_OK);
	assert_id(scene, "main", id);
	assert_int_equal(repo_tree_id(scene->repo, "HEAD~1", id, NULL), ERR_OK);
	assert_id(scene, "HEAD~1^{tree}", id);
}

static void test_bad_revisions_are_not_found_and_never_options(void **state)
{
	static const char *const bad[] = {"nothing", "--all", "-h", "--output=owned", "", "^main",
		"main..HEAD", "HEAD\nmain", "HEAD:a.txt", "\033[31m", "main^{tree}", "::error::x",
		"--end-of-options", "0000000000000000000000000000000000000000"};
	struct scene *scene = *state;
	char id[OBJECT_ID_SIZE] = "untouched";

	make_repo(scene);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		int rc = repo_resolve_commit(scene->repo, bad[i], id, &scene->err);

		if (rc != ERR_NOT_FOUND)
			fail_msg("%s: %d %s", bad[i], rc, scene->err.message);
		assert_string_equal(id, "untouched");
		assert_null(strchr(scene->err.message, '\033'));
	}
	assert_shell_prints(scene, "find . -name 'owned*'", "");
}

static void test_branch_names_that_begin_with_a_dash_resolve(void **state)
{
	struct scene *scene = *state;
	char id[OBJECT_ID_SIZE];

	make_repo(scene);
	sh(scene, "cd work && git update-ref refs/heads/-evil main");
	assert_int_equal(repo_resolve_commit(scene->repo, "-evil", id, NULL), ERR_OK);
	assert_id(scene, "main", id);
}

static void test_merge_base_and_distance(void **state)
{
	struct scene *scene = *state;
	char id[OBJECT_ID_SIZE];
	size_t count = 99;

	make_repo(scene);
	sh(scene, "cd work && git checkout -q main && git commit -q --allow-empty -m ahead");
	assert_int_equal(repo_merge_base(scene->repo, "main", "feature", id, NULL), ERR_OK);
	assert_id(scene, "v1", id);
	assert_int_equal(repo_distance(scene->repo, "main", "feature", &count, NULL), ERR_OK);
	assert_int_equal(count, 2);
	assert_int_equal(repo_distance(scene->repo, "feature", "main", &count, NULL), ERR_OK);
	assert_int_equal(count, 1);
	assert_int_equal(repo_distance(scene->repo, "main", "main", &count, NULL), ERR_OK);
	assert_int_equal(count, 0);
}

static void test_unrelated_histories_have_no_merge_base(void **state)
{
	struct scene *scene = *state;
	char id[OBJECT_ID_SIZE];

	make_repo(scene);
	sh(scene, "cd work && git checkout -q --orphan other && git commit -qm other");
	assert_int_equal(
		repo_merge_base(scene->repo, "main", "other", id, &scene->err), ERR_NOT_FOUND);
	assert_non_null(strstr(scene->err.message, "no common ancestor"));
	assert_null(strstr(scene->err.message, "fetch-depth"));
}

static void test_shallow_clone_says_what_to_set(void **state)
{
	struct scene *scene = *state;
	char id[OBJECT_ID_SIZE];
	size_t count = 99;

	make_repo(scene);
	repo_free(scene->repo);
	sh(scene, "git clone -q --depth 1 --no-single-branch \"file://$PWD/work\" shallow");
	open_repo(scene, "shallow");
	assert_true(repo_is_shallow(scene->repo));
	assert_int_equal(repo_merge_base(scene->repo, "origin/main", "HEAD", id, &scene->err),
		ERR_NOT_FOUND);
	assert_non_null(strstr(scene->err.message, "fetch-depth: 0"));
	assert_int_equal(
		repo_resolve_commit(scene->repo, "HEAD~1", id, &scene->err), ERR_NOT_FOUND);
	assert_non_null(strstr(scene->err.message, "fetch-depth: 0"));
	assert_int_equal(repo_distance(scene->repo, "HEAD", "HEAD", &count, NULL), ERR_OK);
	assert_int_equal(count, 0);
}

static void test_subject_is_the_first_line(void **state)
{
	struct scene *scene = *state;
	struct arena arena = ARENA_INIT;
	const char *subject;

	make_repo(scene);
	assert_int_equal(repo_subject(scene->repo, "v1", &arena, &subject, NULL), ERR_OK);
	assert_string_equal(subject, "The base");
	sh(scene, "cd work && git commit -q --allow-empty --allow-empty-message -m ''");
	assert_int_equal(repo_subject(scene->repo, "HEAD", &arena, &subject, NULL), ERR_OK);
	assert_string_equal(subject, "");
	arena_release(&arena);
}

static void assert_blob(struct scene *scene, const char *path, int rc, const char *content)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_addstr(&out, "before:");
	assert_int_equal(repo_read_blob(scene->repo, "HEAD", path, 100, &out, &scene->err), rc);
	assert_memory_equal(out.data, "before:", 7);
	assert_string_equal(out.data + 7, content);
	strbuf_release(&out);
}

static void test_blob_is_read_from_the_commit(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && echo changed >a.txt");
	assert_blob(scene, "a.txt", ERR_OK, "one\n2\nthree\nfour\n");
	assert_blob(scene, "new\nname", ERR_OK, "n\n");
}

static void assert_not_here(
	struct scene *scene, const char *commit, const char *path, int rc, const char *words)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(
		repo_read_blob_here(scene->repo, commit, path, 4096, &out, &scene->err), rc);
	if (!strstr(scene->err.message, words))
		fail_msg("\"%s\" does not say \"%s\"", scene->err.message, words);
	assert_int_equal(out.length, 0);
	strbuf_release(&out);
}

/* The file of an object of work's. */
#define OBJECT(revision)                                                                           \
	"id=$(git -C work rev-parse " revision ") &&"                                              \
	"file=work/.git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-) && test -f $file "  \
	"&&"

static void test_why_a_text_is_not_here_is_told_apart(void **state)
{
	struct scene *scene = *state;
	char *commit;

	make_repo(scene);
	commit = shell(scene, "git -C work rev-parse HEAD");
	assert_not_here(scene, commit, "none", ERR_NOT_FOUND, "no regular file none in commit");
	sh(scene, OBJECT("HEAD:a.txt") "rm -f $file");
	assert_not_here(
		scene, commit, "a.txt", ERR_CORRUPT, "missing, though this is no partial clone");
	sh(scene, OBJECT("HEAD:bin") "rm -f $file && echo garbage >$file");
	assert_not_here(scene, commit, "bin", ERR_CORRUPT, "its text, is damaged");
	sh(scene, OBJECT("HEAD:src") "rm -f $file");
	assert_not_here(
		scene, commit, "src/new.c", ERR_CORRUPT, "the commit's folders cannot be read");
	sh(scene, "mv work/.git elsewhere");
	assert_not_here(
		scene, commit, "'new\nname'", ERR_TOOL, "no usable git repository any more");
	free(commit);
}

static void test_a_partial_clone_lacks_a_text(void **state)
{
	struct scene *scene = *state;
	char *commit;

	make_repo(scene);
	repo_free(scene->repo);
	sh(scene, "git -C work config uploadpack.allowFilter true &&"
		  "git clone -q --no-checkout --filter=blob:none \"file://$PWD/work\" partial &&"
		  "git clone -q --no-checkout --filter=tree:0 \"file://$PWD/work\" treeless");
	commit = shell(scene, "git -C work rev-parse HEAD");
	open_repo(scene, "partial");
	assert_not_here(scene, commit, "a.txt", ERR_TOOL, "this clone is partial");
	assert_not_here(scene, commit, "none", ERR_NOT_FOUND, "no regular file none in commit");
	repo_free(scene->repo);
	open_repo(scene, "treeless");
	assert_not_here(scene, commit, "a.txt", ERR_TOOL, "this clone is partial");
	free(commit);
}

static void test_only_regular_files_are_blobs(void **state)
{
	static const char *const none[] = {"gone", "src", "link", "link/a", "src/", "a.txt/",
		"../work/a.txt", "/a.txt", ":(top)a.txt", "*.txt", "", "."};
	struct scene *scene = *state;

	make_repo(scene);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_blob(scene, none[i], ERR_NOT_FOUND, "");
}

static void test_blob_past_the_limit_is_refused(void **state)
{
	struct scene *scene = *state;
	struct strbuf out = STRBUF_INIT;

	make_repo(scene);
	sh(scene, "cd work && seq 1 30 >size && : >none && git add . && git commit -qm size");
	assert_blob(scene, "size", ERR_OK,
		"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23"
		"\n"
		"24\n25\n26\n27\n28\n29\n30\n");
	assert_int_equal(
		repo_read_blob(scene->repo, "HEAD", "size", 80, &out, &scene->err), ERR_LIMIT);
	assert_int_equal(
		repo_read_blob(scene->repo, "HEAD", "size", 0, &out, &scene->err), ERR_LIMIT);
	assert_int_equal(out.length, 0);
	assert_int_equal(repo_read_blob(scene->repo, "HEAD", "none", 0, &out, NULL), ERR_OK);
	assert_int_equal(repo_read_blob(scene->repo, "HEAD", "size", 81, &out, NULL), ERR_OK);
	strbuf_release(&out);
}

static void test_dirty_files_are_counted(void **state)
{
	struct scene *scene = *state;
	size_t modified = 9, untracked = 9;

	make_repo(scene);
	assert_int_equal(repo_count_dirty(scene->repo, &modified, &untracked, NULL), ERR_OK);
	assert_int_equal(modified, 0);
	assert_int_equal(untracked, 0);
	sh(scene, "cd work && echo x >>a.txt && rm link && touch 'new 1' 'new\n2' && mkdir d &&"
		  "touch d/3 && echo '*.o' >.gitignore && touch x.o && git mv bin bin2");
	assert_int_equal(repo_count_dirty(scene->repo, &modified, &untracked, NULL), ERR_OK);
	assert_int_equal(modified, 4);
	assert_int_equal(untracked, 4);
}

static void test_fsmonitor_command_does_not_run(void **state)
{
	struct scene *scene = *state;
	size_t modified, untracked;

	make_repo(scene);
	sh(scene, "cd work && printf '#!/bin/sh\\ntouch \"%s/ran\"\\n' \"$PWD/..\" >../monitor &&"
		  "chmod +x ../monitor && git config core.fsmonitor ../monitor");
	assert_int_equal(repo_count_dirty(scene->repo, &modified, &untracked, NULL), ERR_OK);
	assert_shell_prints(scene, "ls ran 2>/dev/null || echo inert", "inert");
}

static void test_foreign_git_variables_do_not_lead_astray(void **state)
{
	struct scene *scene = *state;
	char id[OBJECT_ID_SIZE];

	make_repo(scene);
	sh(scene, "git init -q other && cd other && git commit -q --allow-empty -m other");
	repo_free(scene->repo);
	setenv("GIT_DIR", "../other/.git", 1);
	setenv("GIT_WORK_TREE", "../other", 1);
	setenv("GIT_INDEX_FILE", "/nonexistent", 1);
	open_repo(scene, "work");
	assert_int_equal(repo_resolve_commit(scene->repo, "HEAD", id, NULL), ERR_OK);
	unsetenv("GIT_DIR");
	unsetenv("GIT_WORK_TREE");
	unsetenv("GIT_INDEX_FILE");
	assert_id(scene, "feature", id);
}

static void test_partial_clone_fetches_what_is_missing(void **state)
{
	struct scene *scene = *state;
	struct strbuf out = STRBUF_INIT;

	make_repo(scene);
	repo_free(scene->repo);
	sh(scene, "git -C work config uploadpack.allowFilter true &&"
		  "git -C work config uploadpack.allowAnySHA1InWant true &&"
		  "git clone -q --filter=blob:none \"file://$PWD/work\" partial");
	open_repo(scene, "partial");
	assert_int_equal(repo_read_blob(scene->repo, "v1", "gone", 100, &out, &scene->err), ERR_OK);
	assert_string_equal(out.data, "x\n");
	strbuf_release(&out);
}

static void test_sha256_repository_is_read(void **state)
{
	struct scene *scene = *state;
	struct strbuf out = STRBUF_INIT;
	struct arena arena = ARENA_INIT;
	char id[OBJECT_ID_SIZE];
	const char *subject;

	setenv("GIT_DEFAULT_HASH", "sha256", 1);
	make_repo(scene);
	unsetenv("GIT_DEFAULT_HASH");
	assert_int_equal(repo_merge_base(scene->repo, "main", "HEAD", id, NULL), ERR_OK);
	assert_int_equal(strlen(id), 64);
	assert_id(scene, "main", id);
	assert_int_equal(repo_subject(scene->repo, id, &arena, &subject, NULL), ERR_OK);
	assert_string_equal(subject, "The base");
	assert_int_equal(repo_read_blob(scene->repo, id, "gone", 100, &out, NULL), ERR_OK);
	assert_string_equal(out.data, "x\n");
	strbuf_release(&out);
	arena_release(&arena);
}

static void test_foreign_owner_gets_gits_advice(void **state)
{
	struct scene *scene = *state;
	char *path = file_join(scene->dir, "work");

	if (geteuid() != 0) {
		free(path);
		skip();
	}
	make_repo(scene);
	sh(scene, "chown -R 12345 work");
	repo_free(scene->repo);
	scene->repo = NULL;
	assert_int_equal(repo_open(path, &scene->repo, &scene->err), ERR_USAGE);
	assert_non_null(strstr(scene->err.message, "safe.directory"));
	free(path);
}

static void test_paths_with_spaces_and_newlines_open(void **state)
{
	struct scene *scene = *state;
	char id[OBJECT_ID_SIZE], *root = file_join(scene->dir, "a b\nc");

	make_repo(scene);
	repo_free(scene->repo);
	sh(scene, "mv work 'a b\nc'");
	open_repo(scene, "a b\nc/src");
	assert_string_equal(repo_root(scene->repo), root);
	assert_int_equal(repo_resolve_commit(scene->repo, "HEAD", id, NULL), ERR_OK);
	free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_root_is_found_from_a_subfolder),
		BOTH_WAYS(test_no_repository_and_a_bare_one_are_usage_errors),
		BOTH_WAYS(test_revisions_resolve_to_commits_and_trees),
		BOTH_WAYS(test_bad_revisions_are_not_found_and_never_options),
		BOTH_WAYS(test_branch_names_that_begin_with_a_dash_resolve),
		BOTH_WAYS(test_merge_base_and_distance),
		BOTH_WAYS(test_unrelated_histories_have_no_merge_base),
		BOTH_WAYS(test_shallow_clone_says_what_to_set),
		BOTH_WAYS(test_subject_is_the_first_line),
		BOTH_WAYS(test_blob_is_read_from_the_commit),
		BOTH_WAYS(test_why_a_text_is_not_here_is_told_apart),
		BOTH_WAYS(test_a_partial_clone_lacks_a_text),
		BOTH_WAYS(test_only_regular_files_are_blobs),
		BOTH_WAYS(test_blob_past_the_limit_is_refused),
		BOTH_WAYS(test_dirty_files_are_counted),
		BOTH_WAYS(test_fsmonitor_command_does_not_run),
		BOTH_WAYS(test_foreign_git_variables_do_not_lead_astray),
		BOTH_WAYS(test_partial_clone_fetches_what_is_missing),
		BOTH_WAYS(test_sha256_repository_is_read),
		BOTH_WAYS(test_foreign_owner_gets_gits_advice),
		BOTH_WAYS(test_paths_with_spaces_and_newlines_open),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
