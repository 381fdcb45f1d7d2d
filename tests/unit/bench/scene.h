/* SPDX-License-Identifier: Apache-2.0 */
/* A throw-away folder for each test, and the shell to fill it. */
#ifndef FG_TESTS_BENCH_SCENE_H
#define FG_TESTS_BENCH_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"
#include "gate/base/strbuf.h"

struct scene {
	char *dir;
	struct error err;
};

static inline int scene_begin(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	char *dir;

	assert_non_null(scene);
	assert_int_equal(file_make_temp_dir(NULL, "fg-bench-", &dir, NULL), ERR_OK);
	scene->dir = realpath(dir, NULL);
	free(dir);
	assert_non_null(scene->dir);
	*state = scene;
	return 0;
}

static inline int scene_end(void **state)
{
	struct scene *scene = *state;

	file_remove_tree(scene->dir, NULL);
	free(scene->dir);
	free(scene);
	return 0;
}

/* <dir>/<name>; freed with the process: a test needs few. */
static inline const char *at(const struct scene *scene, const char *name)
{
	static char paths[16][4200];
	static unsigned next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof(paths[0]), "%s/%s", scene->dir, name);
	return path;
}

/* Runs in the scene's folder and must succeed. */
static inline void sh(const struct scene *scene, const char *script)
{
	const char *argv[] = {"sh", "-ec", script, NULL};
	struct strbuf out = STRBUF_INIT;
	struct process_options options = {
		.argv = argv, .directory = scene->dir, .capture = &out, .capture_limit = 1 << 20};
	struct process_result result;
	struct error err;

	if (process_run(&options, &result, &err))
		fail_msg("%s", err.message);
	if (result.exit_status)
		fail_msg("%s: %s: %s", script, process_result_text(&result), out.data);
	strbuf_release(&out);
}

static inline void put_file(const struct scene *scene, const char *name, const char *text)
{
	assert_int_equal(file_write(at(scene, name), text, strlen(text), NULL), ERR_OK);
}

static inline void assert_ok(const struct scene *scene, int rc)
{
	if (rc)
		fail_msg("unexpected error %d: %s", rc, scene->err.message);
}

static inline void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in \"%s\"", part, text);
}

/* The call fails with this code and a message that has this part. */
#define assert_fails(scene, call, wanted, part)                                                    \
	do {                                                                                       \
		int fails_rc = (call);                                                             \
		if (fails_rc != (wanted))                                                          \
			fail_msg("%s gave %d: %s", #call, fails_rc, (scene)->err.message);         \
		assert_contains((scene)->err.message, part);                                       \
	} while (0)

#define scene_test(name) cmocka_unit_test_setup_teardown(name, scene_begin, scene_end)

#endif
