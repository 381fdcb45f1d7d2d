/* SPDX-License-Identifier: Apache-2.0 */
/* Trees that others wrote, servers that cannot do what we ask for, and a damaged cache. */
#include "gate/vcs/notes/notes_ref.h"

#include "gate/base/error.h"
#include "tests/unit/vcs/notes_scene.h"

#define A38 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B38 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C38 "cccccccccccccccccccccccccccccccccccccc"
#define D38 "dddddddddddddddddddddddddddddddddddddd"

/* Commits what `script` puts into the index as the remote's notes. */
static void make_tree(const struct scene *scene, const char *script)
{
	struct strbuf all = STRBUF_INIT;

	strbuf_addf(&all,
		"cd remote.git && rm -f index && one=$(echo one | git hash-object -w --stdin) &&"
		"two=$(printf two | git hash-object -w --stdin) && add() { git update-index --add "
		"--cacheinfo \"$1,$2,$3\"; } && %s && git update-ref refs/notes/flamegate "
		"$(git commit-tree -m x $(git write-tree))",
		script);
	sh(scene, all.data);
	strbuf_release(&all);
}

/* ---- trees ---------------------------------------------------------------------------------- */

static void test_all_fan_outs_of_a_note_are_read_and_become_one(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_remote(scene);
	make_tree(scene, "add 100644 $one aa/" A38 " && add 100644 $two aa/aa/aaaaaaaaaaaaaaaaaaaa"
			 "aaaaaaaaaaaaaaaa && add 100644 $one aa" A38 " && add 100755 $one bb" B38);
	notes = open_notes(scene);
	assert_commits(notes, 2);
	assert_text(notes, 'a', "two\none\none\n");
	assert_text(notes, 'b', "one\n");
	edit(scene, notes, 'a', &(struct edit){.line = "three\n"});
	edit(scene, notes, 'b', &(struct edit){.line = "one\n"});
	assert_text(notes, 'a', "two\none\none\nthree\n");
	notes_ref_close(notes);
	assert_shell_prints(scene, "git -C remote.git ls-tree -r --name-only refs/notes/flamegate",
		"aa/" A38 "\nbb/" B38);
}

static void test_what_is_no_note_is_left_out_and_left_alone(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_remote(scene);
	make_tree(scene,
		"add 100644 $one README && add 120000 $one aa/" A38 " && add 160000 "
		"bb" B38 " bb/" B38 " && add 100644 $one cc/Ccccccccccccccccccccccccccccccccccccc "
		"&& add 100644 $one dd/" D38 "d && add 100644 $one 'ee/new\nline' &&"
		"add 100644 $one ff/x/../../etc 2>/dev/null || add 100644 $one 'ff/$(touch ran)'");
	notes = open_notes(scene);
	assert_commits(notes, 0);
	edit(scene, notes, 'c', &(struct edit){.line = "x\n"});
	assert_commits(notes, 1);
	rewrite(scene, notes, &(struct edit){.line = "y\n"});
	notes_ref_close(notes);
	assert_note(scene, 'c', "x\ny");
	assert_shell_prints(
		scene, "git -C remote.git ls-tree -r refs/notes/flamegate | wc -l", "8");
	assert_shell_prints(scene, "ls ran work/ran 2>/dev/null || echo inert", "inert");
}

static void test_file_in_the_way_of_a_fan_out_gives_way(void **state)
{
	struct scene *scene = *state;

	make_remote(scene);
	make_tree(scene, "add 100644 $one aa");
	put_line(scene, "origin", 'a', "x\n");
	assert_note(scene, 'a', "x");
}

static void test_large_note_is_refused_by_its_size(void **state)
{
	struct scene *scene = *state;
	struct strbuf text = STRBUF_INIT;
	struct notes_ref *notes;
	char id[41];

	make_remote(scene);
	make_tree(scene, "big=$(head -c 70000000 /dev/zero | git hash-object -w --stdin) &&"
			 "add 100644 $big aa/" A38 " && add 100644 $one bb/" B38);
	notes = open_notes(scene);
	assert_int_equal(
		notes_ref_read(notes, commit_name('a', id), 1000, &text, &scene->err), ERR_LIMIT);
	assert_int_equal(text.length, 0);
	assert_non_null(strstr(scene->err.message, "larger than 1000 bytes"));
	assert_int_equal(
		notes_ref_read(notes, commit_name('b', id), 3, &text, &scene->err), ERR_LIMIT);
	assert_int_equal(
		notes_ref_read(notes, commit_name('b', id), 4, &text, &scene->err), ERR_OK);
	strbuf_release(&text);
	/* It stays where it is; the others are rewritten. */
	rewrite(scene, notes, &(struct edit){.line = "more\n"});
	assert_text(notes, 'b', "one\nmore\n");
	assert_commits(notes, 2);
	notes_ref_close(notes);
}

static void test_a_hundred_thousand_entries_are_read(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_remote(scene);
	sh(scene, "cd remote.git && { echo 'commit refs/notes/flamegate'; echo 'committer T "
		  "<t@example.com> 0 +0000'; printf 'data 1\\nx\\n';"
		  "printf 'M 100644 inline aa/" A38 "\\ndata 4\\none\\n';"
		  "echo one | git hash-object -w --stdin >id; awk -v id=$(cat id) 'BEGIN {"
		  "for (i = 0; i < 100000; i++) { s = sprintf(\"%040x\", i * 40503);"
		  "print \"M 100644 \" id \" \" substr(s, 39) \"/\" substr(s, 1, 38) } }'; } |"
		  " git fast-import --quiet");
	notes = open_notes(scene);
	assert_commits(notes, 100001);
	assert_text(notes, 'a', "one\n");
	notes_ref_close(notes);
}

static void test_commit_with_a_long_message_can_be_built_on(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;
	uint64_t age = 9;

	make_remote(scene);
	sh(scene, "cd remote.git && git update-ref refs/notes/flamegate $(seq 20000 | git"
		  " commit-tree $(git mktree </dev/null))");
	put_line(scene, "origin", 'a', "x\n");
	assert_note(scene, 'a', "x");
	notes = open_notes(scene);
	assert_int_equal(notes_ref_age(notes, &age, &scene->err), ERR_OK);
	assert_int_equal(age, 1);
	notes_ref_close(notes);
}

static void test_ref_that_is_no_commit_is_an_error(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_remote(scene);
	sh(scene, "git -C remote.git update-ref refs/notes/flamegate"
		  " $(echo x | git -C remote.git hash-object -w --stdin)");
	notes = open_notes(scene);
	assert_int_equal(notes_ref_fetch(notes, &scene->err), ERR_TOOL);
	notes_ref_close(notes);
}

/* ---- what is fetched ------------------------------------------------------------------------ */

/* Of the blobs of a tree of four notes: how many are in the private repository? */
static void assert_blobs(const struct scene *scene, const char *count)
{
	assert_shell_prints(scene,
		"cd cache/notes/*.git && git cat-file --batch-all-objects --batch-check "
		"2>/dev/null |"
		" grep -c blob || :",
		count);
}

static void make_four(struct scene *scene)
{
	make_remote(scene);
	make_tree(scene, "add 100644 $one aa/" A38 " && add 100644 $two bb/" B38 " &&"
			 "add 100644 $(echo 3 | git hash-object -w --stdin) cc/" C38 " &&"
			 "add 100644 $(echo 4 | git hash-object -w --stdin) dd/" D38);
}

static void test_only_what_is_read_is_fetched(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_four(scene);
	notes = open_notes(scene);
	assert_commits(notes, 4);
	assert_blobs(scene, "0");
	assert_text(notes, 'a', "one\n");
	assert_blobs(scene, "1");
	edit(scene, notes, 'b', &(struct edit){.line = "more\n"});
	assert_blobs(scene, "3"); /* the old one and the new one */
	notes_ref_close(notes);
	assert_shell_prints(
		scene, "git -C cache/notes/*.git rev-list --count refs/flamegate/remote", "1");
}

static void test_prefetch_brings_all_in_one_request(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;
	const char *commits[3];
	char ids[3][41];

	make_four(scene);
	for (size_t i = 0; i < 3; i++)
		commits[i] = commit_name("ab0"[i], ids[i]);
	notes = open_notes(scene);
	assert_int_equal(notes_ref_prefetch(notes, commits, 3, &scene->err), ERR_OK);
	assert_blobs(scene, "2");
	assert_shell_prints(scene, "ls cache/notes/*.git/objects/pack/*.pack | wc -l", "2");
	/* A commit, five trees and two blobs; what is here is not fetched again. */
	commits[2] = commit_name('c', ids[2]);
	assert_int_equal(notes_ref_prefetch(notes, commits, 3, &scene->err), ERR_OK);
	assert_shell_prints(
		scene, "git -C cache/notes/*.git count-objects -v | grep in-pack", "in-pack: 9");
	/* Nobody is asked for what is here. */
	sh(scene, "mv remote.git gone.git");
	assert_int_equal(notes_ref_prefetch(notes, commits, 3, &scene->err), ERR_OK);
	assert_text(notes, 'a', "one\n");
	notes_ref_close(notes);
}

static void test_server_without_filters_sends_all(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_four(scene);
	sh(scene, "git -C remote.git config uploadpack.allowFilter false");
	notes = open_notes(scene);
	assert_commits(notes, 4);
	assert_blobs(scene, "4");
	assert_text(notes, 'a', "one\n");
	notes_ref_close(notes);
}

static void test_server_that_sends_no_single_blob_sends_all(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_four(scene);
	/* Version 0 of the protocol: only what a ref points to may be asked for. */
	sh(scene, "git -C work config protocol.version 0");
	notes = open_notes(scene);
	assert_commits(notes, 4);
	assert_blobs(scene, "0");
	assert_text(notes, 'a', "one\n");
	assert_blobs(scene, "4");
	notes_ref_close(notes);
	put_line(scene, "origin", 'b', "more\n");
	assert_shell_prints(scene, "ls cache/notes/*.git/flamegate-unfiltered | wc -l", "1");
	assert_note(scene, 'b', "two\nmore");
}

struct seen {
	struct strbuf text;
	int rc;
};

static int see(void *data, const char *commit, const char *note, size_t length, struct error *err)
{
	struct seen *seen = data;

	strbuf_addf(&seen->text, "%c %zu %s", commit[0], length, note);
	return seen->rc ? error_set(err, seen->rc, "as asked") : ERR_OK;
}

static void test_visit_sees_every_note(void **state)
{
	struct scene *scene = *state;
	struct seen seen = {STRBUF_INIT, ERR_OK};
	struct notes_ref *notes;
	const char *commits[2];
	char ids[2][41];

	make_four(scene);
	notes = open_notes(scene);
	assert_int_equal(notes_ref_visit(notes, NULL, 0, see, &seen, &scene->err), ERR_OK);
	assert_string_equal(seen.text.data, "a 4 one\nb 4 two\nc 2 3\nd 2 4\n");
	strbuf_reset(&seen.text);
	commits[0] = commit_name('d', ids[0]);
	commits[1] = commit_name('0', ids[1]);
	assert_int_equal(notes_ref_visit(notes, commits, 2, see, &seen, &scene->err), ERR_OK);
	assert_string_equal(seen.text.data, "d 2 4\n0 0 ");
	seen.rc = ERR_LIMIT;
	assert_int_equal(notes_ref_visit(notes, NULL, 0, see, &seen, &scene->err), ERR_LIMIT);
	strbuf_release(&seen.text);
	notes_ref_close(notes);
	assert_shell_prints(
		scene, "git -C remote.git log -1 --format=%s refs/notes/flamegate", "x");
}

/* ---- damage --------------------------------------------------------------------------------- */

static void assert_mends(void **state, const char *damage)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_four(scene);
	put_line(scene, "origin", 'a', "more\n");
	sh(scene, damage);
	notes = open_notes(scene);
	assert_commits(notes, 4);
	assert_text(notes, 'b', "two\n");
	edit(scene, notes, 'a', &(struct edit){.line = "most\n"});
	assert_text(notes, 'a', "one\nmore\nmost\n");
	notes_ref_close(notes);
	assert_note(scene, 'a', "one\nmore\nmost");
}

static void test_cut_packs_are_mended(void **state)
{
	assert_mends(state, "chmod -R u+w cache && for f in cache/notes/*.git/objects/pack/*.pack;"
			    " do head -c 40 $f >x && cp x $f; done");
}

static void test_overwritten_packs_are_mended(void **state)
{
	assert_mends(state, "chmod -R u+w cache && for f in cache/notes/*.git/objects/pack/*; do"
			    " echo nonsense >$f; done");
}

static void test_lost_objects_are_mended(void **state)
{
	assert_mends(state, "rm -rf cache/notes/*.git/objects/*");
}

static void test_damaged_configuration_is_mended(void **state)
{
	assert_mends(state, "echo '[nonsense' >$(ls -d cache/notes/*.git)/config");
}

static void test_empty_folder_is_mended(void **state)
{
	assert_mends(state, "d=$(ls -d cache/notes/*.git) && rm -rf $d && mkdir $d");
}

static void test_file_instead_of_the_folder_is_mended(void **state)
{
	assert_mends(state, "d=$(ls -d cache/notes/*.git) && rm -rf $d && echo x >$d");
}

static void test_locks_of_killed_gits_are_removed(void **state)
{
	assert_mends(state, "cd cache/notes/*.git && touch shallow.lock config.lock HEAD.lock"
			    " packed-refs.lock refs/flamegate/remote.lock refs/flamegate/new.lock");
}

static void test_tip_that_vanishes_between_two_questions_is_fetched_again(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_four(scene);
	notes = open_notes(scene);
	assert_commits(notes, 4);
	sh(scene, "rm -rf cache/notes/*.git");
	assert_text(notes, 'a', "one\n");
	notes_ref_close(notes);
}

static void test_network_failure_keeps_what_is_here(void **state)
{
	struct scene *scene = *state;
	struct strbuf text = STRBUF_INIT;
	struct notes_ref *notes;
	char id[41];

	make_four(scene);
	notes = open_notes(scene);
	assert_text(notes, 'a', "one\n");
	sh(scene, "mv remote.git gone.git");
	assert_int_equal(
		notes_ref_read(notes, commit_name('b', id), 100, &text, &scene->err), ERR_TOOL);
	assert_non_null(strstr(scene->err.message, "notes of origin"));
	assert_text(notes, 'a', "one\n");
	notes_ref_close(notes);
}

static void test_many_packs_are_tidied(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;

	make_four(scene);
	notes = open_notes(scene);
	assert_commits(notes, 4);
	sh(scene, "cd cache/notes/*.git/objects/pack && for i in $(seq 150); do"
		  " : >tmp_$i.keep; done");
	edit(scene, notes, 'a', &(struct edit){.line = "more\n"});
	edit(scene, notes, 'b', &(struct edit){.line = "more\n"});
	assert_shell_prints(
		scene, "git -C cache/notes/*.git count-objects", "0 objects, 0 kilobytes");
	assert_text(notes, 'a', "one\nmore\n");
	assert_text(notes, 'c', "3\n");
	notes_ref_close(notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NOTES_TEST(test_all_fan_outs_of_a_note_are_read_and_become_one),
		NOTES_TEST(test_what_is_no_note_is_left_out_and_left_alone),
		NOTES_TEST(test_file_in_the_way_of_a_fan_out_gives_way),
		NOTES_TEST(test_large_note_is_refused_by_its_size),
		NOTES_TEST(test_a_hundred_thousand_entries_are_read),
		NOTES_TEST(test_commit_with_a_long_message_can_be_built_on),
		NOTES_TEST(test_ref_that_is_no_commit_is_an_error),
		NOTES_TEST(test_only_what_is_read_is_fetched),
		NOTES_TEST(test_prefetch_brings_all_in_one_request),
		NOTES_TEST(test_server_without_filters_sends_all),
		NOTES_TEST(test_server_that_sends_no_single_blob_sends_all),
		NOTES_TEST(test_visit_sees_every_note),
		NOTES_TEST(test_cut_packs_are_mended),
		NOTES_TEST(test_overwritten_packs_are_mended),
		NOTES_TEST(test_lost_objects_are_mended),
		NOTES_TEST(test_damaged_configuration_is_mended),
		NOTES_TEST(test_empty_folder_is_mended),
		NOTES_TEST(test_file_instead_of_the_folder_is_mended),
		NOTES_TEST(test_locks_of_killed_gits_are_removed),
		NOTES_TEST(test_tip_that_vanishes_between_two_questions_is_fetched_again),
		NOTES_TEST(test_network_failure_keeps_what_is_here),
		NOTES_TEST(test_many_packs_are_tidied),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
