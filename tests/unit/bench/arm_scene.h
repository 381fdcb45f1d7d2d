/* SPDX-License-Identifier: Apache-2.0 */
/* A repository with two commits, and a cache of its own. */
#ifndef FG_TESTS_BENCH_ARM_SCENE_H
#define FG_TESTS_BENCH_ARM_SCENE_H

#include <dirent.h>
#include <sys/stat.h>

#include "gate/bench/build/arm.h"
#include "tests/unit/bench/scene.h"

struct arms_scene {
	struct scene scene; /* first, so that the scene's helpers take it */
	struct repo *repo;
	struct arm_cache cache;
	char base[OBJECT_ID_SIZE], head[OBJECT_ID_SIZE];
	struct strbuf progress;
};

#define BUILD_COMMAND "cc -g -o prog main.c && pwd >where"

static inline int arms_begin(void **state)
{
	struct arms_scene *arms = calloc(1, sizeof(*arms));
	struct scene *scene = &arms->scene;
	void *plain;

	scene_begin(&plain);
	*scene = *(struct scene *)plain;
	free(plain);
	setenv("HOME", scene->dir, 1);
	setenv("FLAMEGATE_CACHE", at(scene, "cache"), 1);
	setenv("GITHUB_TOKEN", "planted-token", 1);
	sh(scene, "git init -q work && cd work && git config user.name n && git config user.email "
		  "e &&"
		  "printf '#include <stdio.h>\\nint main(void) { puts(__FILE__); return 0; }\\n' "
		  ">main.c && mkdir data && echo 1 >data/in && git add . && git commit -qm base &&"
		  "git tag base && echo '/* more */' >>main.c && git commit -qam head && git tag "
		  "head");
	assert_ok(scene, repo_open(at(scene, "work"), &arms->repo, &scene->err));
	assert_ok(scene, repo_resolve_commit(arms->repo, "base", arms->base, &scene->err));
	assert_ok(scene, repo_resolve_commit(arms->repo, "head", arms->head, &scene->err));
	assert_ok(scene, arm_cache_open(&arms->cache, arms->repo, &scene->err));
	strbuf_init(&arms->progress);
	*state = arms;
	return 0;
}

static inline int arms_end(void **state)
{
	struct arms_scene *arms = *state;

	arm_cache_release(&arms->cache);
	repo_free(arms->repo);
	strbuf_release(&arms->progress);
	scene_end(state);
	return 0;
}

static inline void note_progress(void *data, const char *text)
{
	struct arms_scene *arms = data;

	strbuf_addstr(&arms->progress, text);
	strbuf_addch(&arms->progress, '\n');
}

static inline int prepare_with(
	struct arms_scene *arms, const char *build, const char *commit, struct arm *arm)
{
	const char *commands[] = {build, NULL};
	struct config config = {.build = commands, .build_timeout_ns = 60000000000};

	return arm_prepare(&arms->cache, arms->repo, &config, commit,
		commit == arms->head ? "head" : "base", note_progress, arms, arm, &arms->scene.err);
}

static inline struct arm prepare(struct arms_scene *arms, const char *commit)
{
	struct arm arm;

	assert_ok(&arms->scene, prepare_with(arms, BUILD_COMMAND, commit, &arm));
	return arm;
}

static inline size_t count_entries(const char *folder, const char *name)
{
	char *path = file_join(folder, name);
	DIR *dir = opendir(path);
	size_t count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	free(path);
	return count > 2 ? count - 2 : 0;
}

/* Nothing of a build is left: no folder, no link, no registration, no arm. Runs no program, since
 * that cannot be done after an interruption. */
static inline void assert_no_traces(struct arms_scene *arms)
{
	struct stat info;

	assert_int_equal(lstat(arms->cache.build_path, &info), -1);
	assert_int_equal(count_entries(arms->cache.root, "arms"), 0);
	assert_int_equal(count_entries(arms->cache.root, "manifests"), 0);
	assert_int_equal(count_entries(arms->scene.dir, "work/.git/worktrees"), 0);
}

#define arms_test(name) cmocka_unit_test_setup_teardown(name, arms_begin, arms_end)

#endif
