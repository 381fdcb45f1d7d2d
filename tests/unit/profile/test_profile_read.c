/* SPDX-License-Identifier: Apache-2.0 */
/* Formats are told by content, and messages name the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gate/base/file.h"
#include "gate/profile/pprof.h"
#include "gate/profile/profile_read.h"

struct scene {
	char *dir, *path;
};

static int begin(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	assert_int_equal(file_make_temp_dir(NULL, "fg-read-", &scene->dir, NULL), ERR_OK);
	scene->path = file_join(scene->dir, "profile");
	*state = scene;
	return 0;
}

static int end(void **state)
{
	struct scene *scene = *state;

	file_remove_tree(scene->dir, NULL);
	free(scene->dir);
	free(scene->path);
	free(scene);
	return 0;
}

static void put(const struct scene *scene, const char *text)
{
	assert_int_equal(file_write(scene->path, text, strlen(text), NULL), ERR_OK);
}

static void test_pprof_is_read(void **state)
{
	struct scene *scene = *state;
	struct profile *made = profile_new(), *read = NULL;
	struct error err;

	profile_add_type(made, "cpu", "nanoseconds");
	profile_add_comment(made, "made here");
	assert_int_equal(pprof_write_file(made, scene->path, &err), ERR_OK);
	assert_int_equal(profile_read_file(scene->path, &read, &err), ERR_OK);
	assert_string_equal(read->comments[0], "made here");
	profile_free(made);
	profile_free(read);
}

static void test_callgrind_is_read(void **state)
{
	struct scene *scene = *state;
	struct profile *read = NULL;
	struct error err;

	put(scene, "# callgrind format\nevents: Ir\nfn=f\n1 7\ntotals: 7\n");
	assert_int_equal(profile_read_file(scene->path, &read, &err), ERR_OK);
	assert_string_equal(read->types[0].type, "instructions");
	assert_int_equal(read->samples[0].values[0], 7);
	profile_free(read);
}

static void test_cachegrind_is_read(void **state)
{
	struct scene *scene = *state;
	struct profile *read = NULL;
	struct error err;

	put(scene, "cmd: ./x\nevents: Ir\nfl=a.c\nfn=f\n1 7\nsummary: 7\n");
	assert_int_equal(profile_read_file(scene->path, &read, &err), ERR_OK);
	assert_string_equal(read->functions[0].name, "f");
	profile_free(read);
}

static void refuse(struct scene *scene, const char *text, int code)
{
	struct profile *read = NULL;
	struct error err;

	put(scene, text);
	assert_int_equal(profile_read_file(scene->path, &read, &err), code);
	assert_non_null(strstr(err.message, scene->path));
	assert_null(read);
}

static void test_what_is_broken_or_unknown_is_refused_by_name(void **state)
{
	refuse(*state, "# callgrind format\nevents: Ir\nfn=f\n1 7\n", ERR_CORRUPT);
	refuse(*state, "events: Time\n", ERR_CORRUPT);
	refuse(*state, "just a text\n", ERR_CORRUPT);
}

static void test_a_missing_file_is_not_found(void **state)
{
	struct profile *read = NULL;
	struct error err;

	assert_int_equal(
		profile_read_file(((struct scene *)*state)->path, &read, &err), ERR_NOT_FOUND);
	assert_null(read);
}

#define read_test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		read_test(test_pprof_is_read),
		read_test(test_callgrind_is_read),
		read_test(test_cachegrind_is_read),
		read_test(test_what_is_broken_or_unknown_is_refused_by_name),
		read_test(test_a_missing_file_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
