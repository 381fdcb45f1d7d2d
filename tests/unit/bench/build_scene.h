/* SPDX-License-Identifier: Apache-2.0 */
/* A repository with two commits, and a cache of its own. */
#ifndef FG_TESTS_BENCH_BUILD_SCENE_H
#define FG_TESTS_BENCH_BUILD_SCENE_H

#include <dirent.h>
#include <sys/stat.h>

#include "gate/bench/build/build.h"
#include "tests/unit/bench/scene.h"

struct builds_scene {
	struct scene scene; /* first, so that the scene's helpers take it */
	struct repo *repo;
	struct build_cache cache;
	char base[OBJECT_ID_SIZE], head[OBJECT_ID_SIZE];
	struct strbuf progress;
};

#define BUILD_COMMAND "cc -g -o prog main.c && pwd >where"

static inline int builds_begin(void **state)
{
	struct builds_scene *builds = calloc(1, sizeof(*builds));
	struct scene *scene = &builds->scene;
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
	assert_ok(scene, repo_open(at(scene, "work"), &builds->repo, &scene->err));
	assert_ok(scene, repo_resolve_commit(builds->repo, "base", builds->base, &scene->err));
	assert_ok(scene, repo_resolve_commit(builds->repo, "head", builds->head, &scene->err));
	assert_ok(scene, build_cache_open(&builds->cache, builds->repo, &scene->err));
	strbuf_init(&builds->progress);
	*state = builds;
	return 0;
}

static inline int builds_end(void **state)
{
	struct builds_scene *builds = *state;

	build_cache_release(&builds->cache);
	repo_free(builds->repo);
	strbuf_release(&builds->progress);
	scene_end(state);
	return 0;
}

static inline void note_progress(void *data, const char *text)
{
	struct builds_scene *builds = data;

	strbuf_addstr(&builds->progress, text);
	strbuf_addch(&builds->progress, '\n');
}

static inline int prepare_with(
	struct builds_scene *builds, const char *command, const char *commit, struct build *build)
{
	const char *commands[] = {command, NULL};
	struct config config = {.build = commands, .build_timeout_ns = 60000000000};

	return build_prepare(&builds->cache, builds->repo, &config, commit,
		commit == builds->head ? "head" : "base", note_progress, builds, build,
		&builds->scene.err);
}

static inline struct build prepare(struct builds_scene *builds, const char *commit)
{
	struct build build;

	assert_ok(&builds->scene, prepare_with(builds, BUILD_COMMAND, commit, &build));
	return build;
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

/* Nothing of it is left: no folder, no link, no registration, no build. Runs no program, since
 * that cannot be done after an interruption. */
static inline void assert_no_traces(struct builds_scene *builds)
{
	struct stat info;

	assert_int_equal(lstat(builds->cache.build_path, &info), -1);
	assert_int_equal(count_entries(builds->cache.root, "builds"), 0);
	assert_int_equal(count_entries(builds->cache.root, "manifests"), 0);
	assert_int_equal(count_entries(builds->scene.dir, "work/.git/worktrees"), 0);
}

#define builds_test(name) cmocka_unit_test_setup_teardown(name, builds_begin, builds_end)

#endif
