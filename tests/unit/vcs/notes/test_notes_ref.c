/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/vcs/notes/notes_ref.h"

#include "gate/base/error.h"
#include "tests/unit/vcs/notes_scene.h"

/* ---- which remote --------------------------------------------------------------------------- */

static void assert_remote(struct scene *scene, const char *wanted, const char *shown)
{
	struct notes_ref *notes;

	if (notes_ref_open(scene->repo, wanted, &notes, &scene->err))
		fail_msg("%s", scene->err.message);
	assert_string_equal(notes_ref_remote(notes), shown);
	notes_ref_close(notes);
}

static void test_origin_then_the_only_remote_then_the_repository_itself(void **state)
{
	struct scene *scene = *state;

	make_remote(scene);
	sh(scene, "git -C work remote add second ../other.git");
	assert_remote(scene, NULL, "origin");
	assert_remote(scene, "second", "second");
	sh(scene, "git -C work remote remove origin");
	assert_remote(scene, NULL, "second");
	sh(scene, "git -C work remote add third ../third.git");
	assert_remote(scene, NULL, "this repository");
	sh(scene, "git -C work remote remove second && git -C work remote remove third");
	assert_remote(scene, NULL, "this repository");
	assert_remote(scene, ".", "this repository");
}

static void test_url_is_shown_without_user_info(void **state)
{
	struct scene *scene = *state;

	make_remote(scene);
	assert_remote(scene, "https://me:secret@host.invalid/x", "https://host.invalid/x");
	assert_remote(scene, "https://t@oken@host.invalid/x@y", "https://host.invalid/x@y");
	assert_remote(scene, "../remote.git", "../remote.git");
	assert_remote(scene, "http://[::1]:8080/x", "http://[::1]:8080/x");
}

static void test_what_is_no_remote_is_refused(void **state)
{
	static const char *const wrong[] = {"nope", "", "-x", "--upload-pack=touch ran;/x",
		"-oProxyCommand=touch ran:/x", "a\nb/c", "..\t/x", "fd::7/x", "ext::touch ran /x"};
	struct scene *scene = *state;
	struct notes_ref *notes = NULL;

	make_remote(scene);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(
			notes_ref_open(scene->repo, wrong[i], &notes, &scene->err), ERR_NOT_FOUND);
		assert_null(notes);
	}
	assert_non_null(strstr(scene->err.message, "there is: origin"));
}

static void test_remotes_that_would_run_commands_do_not(void **state)
{
	static const char *const hostile[] = {
		"runs", "ssh://-oProxyCommand=touch%20ran/x", "../gone.git"};
	struct scene *scene = *state;

	make_remote(scene);
	sh(scene, "git -C work config protocol.ext.allow always &&"
		  "git -C work remote add runs \"ext::sh -c touch% ran /x\"");
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct notes_ref *notes = open_notes_at(scene, hostile[i]);

		assert_int_equal(notes_ref_fetch(notes, &scene->err), ERR_TOOL);
		notes_ref_close(notes);
	}
	assert_shell_prints(scene, "ls ran work/ran 2>/dev/null || echo inert", "inert");
}

static void test_a_password_is_in_no_message(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_remote(scene);
	notes = open_notes_at(scene, "http://me:s3cret@127.0.0.1:1/x.git");
	assert_int_equal(notes_ref_fetch(notes, &scene->err), ERR_TOOL);
	assert_null(strstr(scene->err.message, "s3cret"));
	assert_non_null(strstr(scene->err.message, "notes of http://127.0.0.1:1/x.git"));
	notes_ref_close(notes);
}

static void test_remote_is_reached_as_the_users_configuration_says(void **state)
{
	struct scene *scene = *state;

	make_remote(scene);
	sh(scene, "git -C work config remote.origin.url x:remote.git &&"
		  "printf '[url \"%s/\"]\\n\\tinsteadOf = x:\\n' \"$PWD\" >extra &&"
		  "git config --file .gitconfig includeIf.gitdir:\"$PWD/work/\".path"
		  " \"$PWD/extra\"");
	put_line(scene, "origin", 'a', "one\n");
	assert_note(scene, 'a', "one");
}

static void test_relative_url_is_relative_to_the_repository(void **state)
{
	struct scene *scene = *state;

	make_remote(scene);
	sh(scene, "git -C work config remote.origin.url ../remote.git");
	put_line(scene, "origin", 'a', "one\n");
	put_line(scene, "../remote.git", 'a', "two\n");
	assert_note(scene, 'a', "one\ntwo");
}

static void test_pushes_go_to_the_push_url(void **state)
{
	struct scene *scene = *state;

	make_remote(scene);
	sh(scene, "git init -q --bare second.git && git -C work config remote.origin.pushurl"
		  " \"$PWD/second.git\"");
	put_line(scene, "origin", 'a', "one\n");
	assert_shell_prints(scene, "git -C remote.git for-each-ref refs/notes | wc -l", "0");
	assert_shell_prints(scene, "git -C second.git for-each-ref refs/notes | wc -l", "1");
}

/* ---- reading and writing -------------------------------------------------------------------- */

static void test_remote_without_the_ref_has_no_notes(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;
	struct strbuf text = STRBUF_INIT;
	char id[41];
	uint64_t age = 7;

	make_remote(scene);
	notes = open_notes(scene);
	assert_commits(notes, 0);
	assert_int_equal(notes_ref_read(notes, commit_name('a', id), 100, &text, &scene->err),
		ERR_NOT_FOUND);
	assert_int_equal(notes_ref_age(notes, &age, &scene->err), ERR_OK);
	assert_int_equal(age, 0);
	notes_ref_close(notes);
}

static void test_git_notes_shows_what_was_written(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_remote(scene);
	put_line(scene, "origin", 'a', "one\n");
	put_line(scene, "origin", 'b', "two\n");
	assert_note(scene, 'a', "one");
	assert_note(scene, 'b', "two");
	notes = open_notes(scene);
	assert_commits(notes, 2);
	assert_text(notes, 'a', "one\n");
	notes_ref_close(notes);
	assert_shell_prints(scene,
		"git -C remote.git log -1 --format='%an <%ae> %s' refs/notes/flamegate",
		"flamegate <flamegate@localhost> test");
	assert_shell_prints(scene, "git -C remote.git fsck --strict 2>&1",
		"notice: HEAD points "
		"to an unborn branch "
		"(main)");
}

static void test_the_users_repository_stays_as_it_is(void **state)
{
	struct scene *scene = *state;
	char *before;

	make_remote(scene);
	before = shell(scene, "cd work && find . -type f -exec sha1sum {} + | sort");
	put_line(scene, "origin", 'a', "one\n");
	assert_shell_prints(scene, "cd work && find . -type f -exec sha1sum {} + | sort", before);
	free(before);
}

static void test_note_that_is_as_it_shall_be_is_not_pushed(void **state)
{
	struct scene *scene = *state;
	char *before;

	make_remote(scene);
	put_line(scene, "origin", 'a', "one\n");
	before = shell(scene, "git -C remote.git rev-parse refs/notes/flamegate");
	put_line(scene, "origin", 'a', "one\n");
	assert_shell_prints(scene, "git -C remote.git rev-parse refs/notes/flamegate", before);
	free(before);
}

static void test_empty_note_is_removed(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_remote(scene);
	put_line(scene, "origin", 'a', "one\n");
	put_line(scene, "origin", 'b', "one\n");
	notes = open_notes(scene);
	edit(scene, notes, 'a', &(struct edit){.clear = true});
	assert_commits(notes, 1);
	notes_ref_close(notes);
	assert_shell_prints(
		scene, "git -C remote.git ls-tree -r refs/notes/flamegate | wc -l", "1");
}

static void test_notes_of_the_repository_itself(void **state)
{
	struct scene *scene = *state;

	make_repo(scene);
	sh(scene, "printf '#!/bin/sh\\ntouch ran; exit 1\\n' >work/.git/hooks/pre-receive &&"
		  "chmod +x work/.git/hooks/pre-receive");
	put_line(scene, ".", 'a', "one\n");
	put_line(scene, ".", 'a', "two\n");
	assert_shell_prints(scene, "git -C work notes --ref=flamegate list | wc -l", "1");
	assert_shell_prints(scene,
		"git -C work cat-file blob"
		" refs/notes/flamegate:aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"one\ntwo");
	assert_shell_prints(scene, "git -C work status --porcelain", "");
}

static void test_notes_of_a_sha256_repository(void **state)
{
	struct scene *scene = *state;

	sh(scene, "git init -q --object-format=sha256 work && git -C work commit -q"
		  " --allow-empty -m x && git init -q --bare --object-format=sha256 remote.git"
		  " && git -C work remote add origin \"$PWD/remote.git\"");
	open_repo(scene, "work");
	put_line(scene, "origin", 'a', "one\n");
	put_line(scene, "origin", 'a', "two\n");
	assert_note(scene, 'a', "one\ntwo");
}

/* ---- others at the same time ---------------------------------------------------------------- */

static void test_rejected_push_is_built_anew_on_the_new_tip(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;
	uint64_t age;

	make_remote(scene);
	put_line(scene, "origin", 'a', "zero\n");
	notes = open_notes(scene);
	assert_int_equal(
		edit(scene, notes, 'a',
			&(struct edit){.line = "mine\n", .meanwhile = PUSH("theirs", "a")}),
		2);
	assert_int_equal(notes_ref_age(notes, &age, &scene->err), ERR_OK);
	assert_int_equal(age, 1); /* theirs has no number to go on from */
	assert_text(notes, 'a', "zero\ntheirs\nmine\n");
	notes_ref_close(notes);
	assert_note(scene, 'a', "zero\ntheirs\nmine");
}

static void test_first_note_of_all_may_be_raced_for(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_remote(scene);
	notes = open_notes(scene);
	assert_int_equal(
		edit(scene, notes, 'a',
			&(struct edit){.line = "mine\n", .meanwhile = PUSH("theirs", "b")}),
		2);
	assert_commits(notes, 2);
	notes_ref_close(notes);
}

static void test_what_a_rewrite_dropped_does_not_come_back(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_remote(scene);
	put_line(scene, "origin", 'a', "old\n");
	put_line(scene, "origin", 'b', "old\n");
	notes = open_notes(scene);
	assert_int_equal(edit(scene, notes, 'b',
				 &(struct edit){.line = "new\n",
					 .meanwhile = "git -C remote.git update-ref "
						      "refs/notes/flamegate $(git -C "
						      "remote.git commit-tree -m x "
						      "$(git -C remote.git mktree </dev/null))"}),
		2);
	assert_commits(notes, 1);
	assert_text(notes, 'b', "new\n");
	notes_ref_close(notes);
	assert_shell_prints(scene, "git -C remote.git rev-list --count refs/notes/flamegate", "2");
}

static void test_deleted_ref_is_created_again(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_remote(scene);
	put_line(scene, "origin", 'a', "old\n");
	notes = open_notes(scene);
	edit(scene, notes, 'b',
		&(struct edit){.line = "new\n",
			.meanwhile = "git -C remote.git update-ref -d refs/notes/flamegate"});
	assert_commits(notes, 1);
	notes_ref_close(notes);
}

static void test_refusal_of_the_server_is_an_error_with_its_words(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;
	struct edit request = {.line = "x\n"};
	char id[41];
	const char *commit = commit_name('a', id);
	unsigned attempts = 0;

	make_remote(scene);
	sh(scene, "printf '#!/bin/sh\\necho notes are forbidden >&2; exit 1\\n'"
		  " >remote.git/hooks/pre-receive && chmod +x remote.git/hooks/pre-receive");
	notes = open_notes(scene);
	assert_int_equal(notes_ref_edit(notes, &commit, 1, "test", edit_note, &request, &attempts,
				 NULL, &scene->err),
		ERR_TOOL);
	assert_int_equal(request.calls, 3);
	assert_int_equal(attempts, 0);
	assert_non_null(strstr(scene->err.message, "notes are forbidden"));
	assert_non_null(strstr(scene->err.message, "a rule of the server forbids it"));
	notes_ref_close(notes);
}

static void test_error_of_the_edit_is_returned_and_nothing_pushed(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;
	struct edit request = {.rc = ERR_LIMIT};
	char id[41];
	const char *commit = commit_name('a', id);

	make_remote(scene);
	notes = open_notes(scene);
	assert_int_equal(notes_ref_edit(notes, &commit, 1, "test", edit_note, &request, NULL, NULL,
				 &scene->err),
		ERR_LIMIT);
	notes_ref_close(notes);
	assert_shell_prints(scene, "git -C remote.git for-each-ref", "");
}

/* ---- rewriting ------------------------------------------------------------------------------ */

static void test_rewrite_leaves_one_commit_and_young_age(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;
	struct edit request = {.line = "more\n"};
	uint64_t age = 9;

	make_remote(scene);
	put_line(scene, "origin", 'a', "one\n");
	put_line(scene, "origin", 'b', "two\n");
	notes = open_notes(scene);
	assert_int_equal(notes_ref_age(notes, &age, &scene->err), ERR_OK);
	assert_int_equal(age, 2);
	rewrite(scene, notes, &request);
	assert_int_equal(request.calls, 2);
	assert_int_equal(notes_ref_age(notes, &age, &scene->err), ERR_OK);
	assert_int_equal(age, 0);
	notes_ref_close(notes);
	assert_note(scene, 'a', "one\nmore");
	assert_note(scene, 'b', "two\nmore");
	assert_shell_prints(scene, "git -C remote.git rev-list --count refs/notes/flamegate", "1");
	put_line(scene, "origin", 'a', "after\n");
	assert_shell_prints(scene, "git -C remote.git rev-list --count refs/notes/flamegate", "2");
}

static void test_rewrite_loses_nobodys_push(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;
	struct edit request = {.line = "more\n", .meanwhile = PUSH("theirs", "b")};

	make_remote(scene);
	put_line(scene, "origin", 'a', "one\n");
	notes = open_notes(scene);
	assert_int_equal(rewrite(scene, notes, &request), 2);
	assert_text(notes, 'b', "theirs\nmore\n");
	assert_text(notes, 'a', "one\nmore\n");
	notes_ref_close(notes);
}

static void test_rewrite_of_nothing_makes_nothing(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;
	struct edit request = {.line = "more\n"};

	make_remote(scene);
	notes = open_notes(scene);
	rewrite(scene, notes, &request);
	assert_int_equal(request.calls, 0);
	notes_ref_close(notes);
	assert_shell_prints(scene, "git -C remote.git for-each-ref", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NOTES_TEST(test_origin_then_the_only_remote_then_the_repository_itself),
		NOTES_TEST(test_url_is_shown_without_user_info),
		NOTES_TEST(test_what_is_no_remote_is_refused),
		NOTES_TEST(test_remotes_that_would_run_commands_do_not),
		NOTES_TEST(test_a_password_is_in_no_message),
		NOTES_TEST(test_remote_is_reached_as_the_users_configuration_says),
		NOTES_TEST(test_relative_url_is_relative_to_the_repository),
		NOTES_TEST(test_pushes_go_to_the_push_url),
		NOTES_TEST(test_remote_without_the_ref_has_no_notes),
		NOTES_TEST(test_git_notes_shows_what_was_written),
		NOTES_TEST(test_the_users_repository_stays_as_it_is),
		NOTES_TEST(test_note_that_is_as_it_shall_be_is_not_pushed),
		NOTES_TEST(test_empty_note_is_removed),
		NOTES_TEST(test_notes_of_the_repository_itself),
		NOTES_TEST(test_notes_of_a_sha256_repository),
		NOTES_TEST(test_rejected_push_is_built_anew_on_the_new_tip),
		NOTES_TEST(test_first_note_of_all_may_be_raced_for),
		NOTES_TEST(test_what_a_rewrite_dropped_does_not_come_back),
		NOTES_TEST(test_deleted_ref_is_created_again),
		NOTES_TEST(test_refusal_of_the_server_is_an_error_with_its_words),
		NOTES_TEST(test_error_of_the_edit_is_returned_and_nothing_pushed),
		NOTES_TEST(test_rewrite_leaves_one_commit_and_young_age),
		NOTES_TEST(test_rewrite_loses_nobodys_push),
		NOTES_TEST(test_rewrite_of_nothing_makes_nothing),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
