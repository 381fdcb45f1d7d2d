/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/repo.h"

#include "tests/unit/vcs/repo_scene.h"

/* One line for each file and hunk, to be compared at a glance. */
static void assert_diff(
	struct scene *scene, const char *base, const char *head, const char *expected)
{
	struct arena arena = ARENA_INIT;
	struct strbuf text = STRBUF_INIT;
	struct repo_diff diff;

	if (repo_diff(scene->repo, base, head, &arena, &diff, &scene->err))
		fail_msg("%s", scene->err.message);
	for (size_t i = 0; i < diff.file_count; i++) {
		const struct repo_file_change *file = &diff.files[i];

		strbuf_addf(&text, "%s -> %s%s\n", file->old_path, file->new_path,
			file->binary ? " binary" : "");
		for (size_t j = 0; j < file->hunk_count; j++)
			strbuf_addf(&text, "\t-%u,%u +%u,%u\n", file->hunks[j].old_start,
				file->hunks[j].old_lines, file->hunks[j].new_start,
				file->hunks[j].new_lines);
	}
	assert_string_equal(text.data, expected);
	strbuf_release(&text);
	arena_release(&arena);
}

static void test_files_and_hunks_of_a_change(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	assert_diff(scene, "main", "feature",
		"a.txt -> a.txt\n\t-2,1 +2,1\n\t-3,0 +4,1\n"
		" -> bin binary\n"
		"gone -> \n\t-1,1 +0,0\n"
		" -> new\nname\n\t-0,0 +1,1\n"
		"src/moved.c -> src/new.c\n");
}

static void test_equal_trees_have_no_change(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	assert_diff(scene, "HEAD~1", "HEAD", "");
	assert_diff(scene, "HEAD", "HEAD", "");
}

static void test_renamed_and_edited_file_keeps_its_hunks(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && git mv src/new.c third.c && sed -i '20d;30s/.*/x/' third.c &&"
		  "git commit -qam again");
	assert_diff(
		scene, "HEAD~1", "HEAD", "src/new.c -> third.c\n\t-20,1 +19,0\n\t-30,1 +29,1\n");
}

static void test_file_that_becomes_a_link_is_deleted_and_added(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && ln -sf src/new.c a.txt && git commit -qam link");
	assert_diff(scene, "HEAD~1", "HEAD", "a.txt -> \n\t-1,4 +0,0\n -> a.txt\n\t-0,0 +1,1\n");
}

static void test_file_content_and_names_cannot_forge_headers(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene,
		"cd work && printf 'diff --git a/x b/x\\n@@ -1 +1 @@\\nBinary files x\\n' >forge &&"
		"printf 'z\\n' >'f\n@@ -1,7 +1,7 @@' && git add . && git commit -qm forge");
	assert_diff(scene, "HEAD~1", "HEAD",
		" -> f\n@@ -1,7 +1,7 @@\n\t-0,0 +1,1\n -> forge\n\t-0,0 +1,3\n");
}

static void test_mode_change_has_no_hunk(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && chmod +x a.txt && git commit -qam mode");
	assert_diff(scene, "HEAD~1", "HEAD", "a.txt -> a.txt\n");
}

static void test_diff_programs_and_settings_of_the_user_are_ignored(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "cd work && git config diff.external 'touch ../ran; false' &&"
		  "git config diff.x.textconv 'touch ../ran; false' && git config diff.noprefix "
		  "true &&"
		  "git config diff.context 5 && git config color.ui always &&"
		  "echo '*.txt diff=x' >.git/info/attributes");
	setenv("GIT_DIFF_OPTS", "--unified=4", 1);
	setenv("GIT_EXTERNAL_DIFF", "false", 1);
	assert_diff(scene, "main", "HEAD",
		"a.txt -> a.txt\n\t-2,1 +2,1\n\t-3,0 +4,1\n"
		" -> bin binary\n"
		"gone -> \n\t-1,1 +0,0\n"
		" -> new\nname\n\t-0,0 +1,1\n"
		"src/moved.c -> src/new.c\n");
	unsetenv("GIT_DIFF_OPTS");
	unsetenv("GIT_EXTERNAL_DIFF");
	assert_shell_prints(scene, "ls ran 2>/dev/null || echo inert", "inert");
}

static void test_sha256_repository_is_compared(void **state)
{
	struct scene *scene = *state;

	setenv("GIT_DEFAULT_HASH", "sha256", 1);
	make_repo(scene);
	unsetenv("GIT_DEFAULT_HASH");
	sh(scene, "cd work && echo five >>a.txt && git commit -qam five");
	assert_diff(scene, "HEAD~1", "HEAD", "a.txt -> a.txt\n\t-4,0 +5,1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_files_and_hunks_of_a_change),
		BOTH_WAYS(test_equal_trees_have_no_change),
		BOTH_WAYS(test_renamed_and_edited_file_keeps_its_hunks),
		BOTH_WAYS(test_file_that_becomes_a_link_is_deleted_and_added),
		BOTH_WAYS(test_file_content_and_names_cannot_forge_headers),
		BOTH_WAYS(test_mode_change_has_no_hunk),
		BOTH_WAYS(test_diff_programs_and_settings_of_the_user_are_ignored),
		BOTH_WAYS(test_sha256_repository_is_compared),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
