/* SPDX-License-Identifier: Apache-2.0 */
/* Throw-away repositories, made with the git program away from the user's configuration. */
#ifndef FG_TESTS_REPO_SCENE_H
#define FG_TESTS_REPO_SCENE_H

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"
#include "gate/vcs/repo.h"
#include "gate/vcs/repo_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* libgit2 1.5 forgets a regular expression's match data when it
 * looks at a repository's extensions. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpcre2\n";
}

struct scene {
	char *dir;        /* of everything */
	bool use_program; /* instead of libgit2 */
	struct repo *repo;
	struct error err;
};

/* Runs in scene->dir; the output without the last newline, to be freed. */
static inline char *shell(const struct scene *scene, const char *script)
{
	const char *argv[] = {"sh", "-ec", script, NULL};
	struct strbuf out = STRBUF_INIT;
	struct process_options options = {.argv = argv, .directory = scene->dir, .capture = &out};
	struct process_result result;
	struct error err;

	if (process_run(&options, &result, &err))
		fail_msg("%s", err.message);
	if (result.exit_status)
		fail_msg("%s: %s", script, out.data);
	if (out.length && out.data[out.length - 1] == '\n')
		strbuf_truncate(&out, out.length - 1);
	return strbuf_detach(&out, NULL);
}

static inline void sh(const struct scene *scene, const char *script)
{
	free(shell(scene, script));
}

static inline void assert_shell_prints(
	const struct scene *scene, const char *script, const char *expected)
{
	char *text = shell(scene, script);

	assert_string_equal(text, expected);
	free(text);
}

/* Opens <scene>/<name>. */
static inline void open_repo(struct scene *scene, const char *name)
{
	char *path = file_join(scene->dir, name);

	if (repo_open(path, &scene->repo, &scene->err))
		fail_msg("%s", scene->err.message);
	if (scene->use_program)
		repo_use_program(scene->repo);
	free(path);
}

/* A repository "work" with a base commit on main and two more on feature, and opens it. */
static inline void make_repo(struct scene *scene)
{
	sh(scene, "git init -q work && cd work && printf 'one\\ntwo\\nthree\\n' >a.txt &&"
		  "mkdir src && seq 1 40 >src/moved.c && echo x >gone && ln -s a.txt link &&"
		  "git add . && git commit -qm 'The base\n\nbody' && git tag v1 &&"
		  "git checkout -qb feature && printf 'one\\n2\\nthree\\nfour\\n' >a.txt &&"
		  "git mv src/moved.c src/new.c && git rm -q gone && printf 'a\\0b' >bin &&"
		  "printf 'n\\n' >'new\nname' && git add . && git commit -qm 'Change it' &&"
		  "git commit -q --allow-empty -m 'Third'");
	open_repo(scene, "work");
}

static inline struct scene *scene_new(bool use_program)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	char *dir;

	assert_non_null(scene);
	assert_int_equal(file_make_temp_dir(NULL, "fg vcs ", &dir, NULL), ERR_OK);
	scene->dir = realpath(dir, NULL);
	free(dir);
	scene->use_program = use_program;
	setenv("HOME", scene->dir, 1);
	return scene;
}

static inline int set_up_library(void **state)
{
	*state = scene_new(false);
	return 0;
}

static inline int set_up_program(void **state)
{
	*state = scene_new(true);
	return 0;
}

static inline int tear_down(void **state)
{
	struct scene *scene = *state;

	repo_free(scene->repo);
	file_remove_tree(scene->dir, NULL);
	free(scene->dir);
	free(scene);
	return 0;
}

/* Each fact holds by either way. */
#define BOTH_WAYS(test)                                                                            \
	{#test "_by_library", test, set_up_library, tear_down, NULL},                              \
	{                                                                                          \
#test "_by_program", test, set_up_program, tear_down, NULL                         \
	}

static inline void isolate(void)
{
	process_init();
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("GITHUB_BASE_REF");
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("GIT_CONFIG_COUNT", "1", 1);
	setenv("GIT_CONFIG_KEY_0", "init.defaultBranch", 1);
	setenv("GIT_CONFIG_VALUE_0", "main", 1);
	setenv("GIT_AUTHOR_NAME", "A", 1);
	setenv("GIT_AUTHOR_EMAIL", "a@example.com", 1);
	setenv("GIT_COMMITTER_NAME", "C", 1);
	setenv("GIT_COMMITTER_EMAIL", "c@example.com", 1);
}

#endif
