/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/scratch.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/base/file.h"

static char folder[] = "/tmp/fg-scratch-test-XXXXXX";

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? setenv("TMPDIR", folder, 1) : -1;
}

static int end(void **state)
{
	(void)state;
	return file_remove_tree(folder, NULL);
}

static const char *in_folder(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *folder_path, const char *name)
{
	char *path = file_join(folder_path, name);

	assert_int_equal(file_write(path, "x", 1, NULL), ERR_OK);
	free(path);
}

static void make_and_remove(void)
{
	struct scratch scratch = {0};

	assert_int_equal(scratch_make(&scratch, NULL), ERR_OK);
	scratch_remove(&scratch);
	assert_null(scratch.path);
}

/* Another process that has one, with a file in it; its path. */
static pid_t fork_owner(char path[PATH_MAX])
{
	ssize_t length;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		struct scratch scratch = {0};

		if (scratch_make(&scratch, NULL))
			_exit(1);
		put(scratch.path, "capture");
		if (write(ends[1], scratch.path, strlen(scratch.path)) < 0)
			_exit(1);
		pause();
	}
	close(ends[1]);
	length = read(ends[0], path, PATH_MAX - 1);
	assert_true(length > 0);
	path[length] = '\0';
	close(ends[0]);
	return pid;
}

static void test_what_a_killed_run_left_is_swept_by_the_next(void **state)
{
	char path[PATH_MAX];
	pid_t owner = fork_owner(path);

	(void)state;
	make_and_remove();
	assert_true(file_exists(path)); /* its owner lives */
	kill(owner, SIGKILL);
	assert_int_equal(waitpid(owner, NULL, 0), owner);
	assert_true(file_exists(path));
	make_and_remove();
	assert_false(file_exists(path));
}

static void test_two_at_the_same_time_leave_each_other_alone(void **state)
{
	struct scratch one = {0}, two = {0};

	(void)state;
	assert_int_equal(scratch_make(&one, NULL), ERR_OK);
	assert_int_equal(scratch_make(&two, NULL), ERR_OK);
	assert_true(file_exists(one.path));
	assert_string_not_equal(one.path, two.path);
	scratch_remove(&one);
	assert_true(file_exists(two.path));
	scratch_remove(&two);
}

static void test_it_is_private_and_leaves_nothing(void **state)
{
	struct scratch scratch = {0};
	struct stat info;
	char *path;

	(void)state;
	assert_int_equal(scratch_make(&scratch, NULL), ERR_OK);
	assert_int_equal(stat(scratch.path, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0700);
	put(scratch.path, "file");
	path = strdup(scratch.path);
	scratch_remove(&scratch);
	assert_false(file_exists(path));
	free(path);
	scratch_remove(&scratch);
}

static void test_what_only_looks_like_one_stays(void **state)
{
	static const char *const others[] = {"flamegate-scratch-", "flamegate-scratch-abcde",
		"flamegate-scratch-abcdefg", "flamegate-scratch-abc.ef", "flamegate-backup",
		"my-flamegate-scratch-abcdef", "kept"};
	const size_t count = sizeof(others) / sizeof(*others);

	(void)state;
	for (size_t i = 0; i < count; i++)
		assert_int_equal(mkdir(in_folder(others[i]), 0700), 0);
	put(in_folder("kept"), "file");
	make_and_remove();
	for (size_t i = 0; i < count; i++)
		assert_true(file_exists(in_folder(others[i])));
}

static void test_a_link_of_that_name_is_not_followed(void **state)
{
	char *kept = file_join(folder, "target"), *file = file_join(kept, "file");
	char *outside = file_join(folder, "flamegate-scratch-linked");
	char *inside = file_join(folder, "flamegate-scratch-inside"),
	     *link = file_join(inside, "link");

	(void)state;
	assert_int_equal(mkdir(kept, 0700), 0);
	assert_int_equal(file_write(file, "x", 1, NULL), ERR_OK);
	assert_int_equal(symlink(kept, outside), 0);
	assert_int_equal(mkdir(inside, 0700), 0);
	assert_int_equal(symlink(kept, link), 0);
	make_and_remove();
	assert_true(file_is_link(outside));
	assert_false(file_exists(inside));
	assert_true(file_exists(file));
	free(kept);
	free(file);
	free(outside);
	free(inside);
	free(link);
}

static void test_another_users_folder_stays(void **state)
{
	const char *path = in_folder("flamegate-scratch-others");

	(void)state;
	assert_int_equal(mkdir(path, 0700), 0);
	if (chown(path, 65534, 65534) < 0)
		skip();
	make_and_remove();
	assert_true(file_exists(in_folder("flamegate-scratch-others")));
}

static void test_no_room_for_one_is_said(void **state)
{
	struct scratch scratch = {0};
	struct error err = {0};

	(void)state;
	setenv("TMPDIR", in_folder("absent"), 1);
	assert_int_equal(scratch_make(&scratch, &err), ERR_IO);
	assert_non_null(strstr(err.message, "absent"));
	assert_null(scratch.path);
	setenv("TMPDIR", folder, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_killed_run_left_is_swept_by_the_next),
		cmocka_unit_test(test_two_at_the_same_time_leave_each_other_alone),
		cmocka_unit_test(test_it_is_private_and_leaves_nothing),
		cmocka_unit_test(test_what_only_looks_like_one_stays),
		cmocka_unit_test(test_a_link_of_that_name_is_not_followed),
		cmocka_unit_test(test_another_users_folder_stays),
		cmocka_unit_test(test_no_room_for_one_is_said),
	};

	return cmocka_run_group_tests_name("base/scratch", tests, begin, end);
}
