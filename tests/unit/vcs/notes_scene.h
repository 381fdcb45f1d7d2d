/* SPDX-License-Identifier: Apache-2.0 */
/* A repository "work" with a bare remote "remote.git", and edits of notes there. */
#ifndef FG_TESTS_NOTES_SCENE_H
#define FG_TESTS_NOTES_SCENE_H

#include "gate/vcs/notes/notes_ref.h"

#include "gate/base/error.h"
#include "tests/unit/vcs/repo_scene.h"

/* Forty of one hex digit: notes may be of commits that nobody has. */
static inline const char *commit_name(char digit, char id[41])
{
	memset(id, digit, 40);
	id[40] = '\0';
	return id;
}

static inline void make_remote(struct scene *scene)
{
	make_repo(scene);
	sh(scene, "git init -q --bare remote.git && git -C remote.git config"
		  " uploadpack.allowFilter true &&"
		  "git -C work remote add origin \"$PWD/remote.git\"");
}

static inline struct notes_ref *open_notes_at(struct scene *scene, const char *remote)
{
	struct notes_ref *notes;

	if (notes_ref_open(scene->repo, remote, &notes, &scene->err))
		fail_msg("%s", scene->err.message);
	return notes;
}

static inline struct notes_ref *open_notes(struct scene *scene)
{
	return open_notes_at(scene, "origin");
}

/* What an edit does: appends the line if it is not there. */
struct edit {
	const char *line;
	bool clear;            /* instead */
	int rc;                /* instead, if not 0 */
	const char *meanwhile; /* somebody else's work during the first call */
	const struct scene *scene;
	unsigned calls;
};

static inline int edit_note(void *data, const char *commit, const char *note, size_t length,
	struct strbuf *out, struct error *err)
{
	struct edit *edit = data;

	(void)commit;
	if (!edit->calls++ && edit->meanwhile)
		sh(edit->scene, edit->meanwhile);
	if (edit->rc)
		return error_set(err, edit->rc, "as asked");
	if (edit->clear)
		return ERR_OK;
	strbuf_add(out, note, length);
	if (!strstr(note, edit->line))
		strbuf_addstr(out, edit->line);
	return ERR_OK;
}

/* Returns the number of attempts. */
static inline unsigned edit(
	struct scene *scene, struct notes_ref *notes, char digit, struct edit *request)
{
	char id[41];
	const char *commit = commit_name(digit, id);
	unsigned attempts;

	request->scene = scene;
	if (notes_ref_edit(
		    notes, &commit, 1, "test", edit_note, request, &attempts, NULL, &scene->err))
		fail_msg("%s", scene->err.message);
	return attempts;
}

static inline unsigned rewrite(struct scene *scene, struct notes_ref *notes, struct edit *request)
{
	unsigned attempts;

	request->scene = scene;
	if (notes_ref_rewrite(notes, "test", edit_note, request, &attempts, &scene->err))
		fail_msg("%s", scene->err.message);
	return attempts;
}

static inline void put_line(struct scene *scene, const char *remote, char digit, const char *line)
{
	struct notes_ref *notes = open_notes_at(scene, remote);

	edit(scene, notes, digit, &(struct edit){.line = line});
	notes_ref_close(notes);
}

/* Somebody else, by plain git: appends a line to the note of the commit of this digit. */
#define PUSH(line, digit)                                                                          \
	"rm -rf theirs && git init -q theirs && cd theirs &&"                                      \
	" git fetch -q ../remote.git '+refs/notes/*:refs/notes/*' &&"                              \
	" (! git rev-parse -q --verify refs/notes/flamegate || git checkout -q"                    \
	" refs/notes/flamegate) && mkdir -p " digit digit " && echo " line " >>" digit digit       \
	"/$(printf '" digit "%.0s' $(seq 38)) && git add . && git commit -qm x &&"                 \
	" git push -q ../remote.git HEAD:refs/notes/flamegate"

/* In the remote, read by git itself. */
static inline void assert_note(struct scene *scene, char digit, const char *expected)
{
	char script[256], id[41];

	commit_name(digit, id);
	snprintf(script, sizeof(script),
		"git -C remote.git cat-file blob refs/notes/flamegate:$(git -C remote.git ls-tree "
		"-r --name-only refs/notes/flamegate | grep '^%.2s/%.38s')",
		id, id);
	assert_shell_prints(scene, script, expected);
}

static inline void assert_text(struct notes_ref *notes, char digit, const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	struct error err;
	char id[41];

	if (notes_ref_read(notes, commit_name(digit, id), 1 << 20, &text, &err))
		fail_msg("%s", err.message);
	assert_string_equal(text.data, expected);
	strbuf_release(&text);
}

static inline void assert_commits(struct notes_ref *notes, size_t expected)
{
	struct arena arena = ARENA_INIT;
	const char *const *commits;
	struct error err;
	size_t count;

	if (notes_ref_commits(notes, &arena, &commits, &count, &err))
		fail_msg("%s", err.message);
	assert_int_equal(count, expected);
	for (size_t i = 1; i < count; i++)
		assert_true(strcmp(commits[i - 1], commits[i]) < 0);
	arena_release(&arena);
}

static inline int set_up_notes(void **state)
{
	struct scene *scene = scene_new(false);
	char *cache = file_join(scene->dir, "cache");

	setenv("FLAMEGATE_CACHE", cache, 1);
	free(cache);
	*state = scene;
	return 0;
}

#define NOTES_TEST(test)                                                                           \
	{                                                                                          \
#test, test, set_up_notes, tear_down, NULL                                         \
	}

#endif
