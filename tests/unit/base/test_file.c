/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"

static char *dir; /* fresh for each test */

static int make_dir(void **state)
{
	struct error err;

	(void)state;
	return file_make_temp_dir(NULL, "test_file_", &dir, &err);
}

static int remove_dir(void **state)
{
	struct error err;
	int rc = file_remove_tree(dir, &err);

	(void)state;
	free(dir);
	return rc;
}

static char *in_dir(const char *name)
{
	return file_join(dir, name);
}

static void write_text(const char *path, const char *text)
{
	struct error err = {0};

	if (file_write(path, text, strlen(text), &err))
		fail_msg("%s", err.message);
}

static void test_what_is_written_is_read(void **state)
{
	static const char data[] = "a\0b\n";
	struct strbuf out = STRBUF_INIT;
	struct stat info;
	struct error err;
	char *path = in_dir("a");

	(void)state;
	assert_int_equal(file_write(path, data, sizeof(data), &err), 0);
	strbuf_addstr(&out, "before ");
	assert_int_equal(file_read(path, 100, &out, &err), 0);
	assert_int_equal(out.length, 7 + sizeof(data));
	assert_memory_equal(out.data, "before a\0b\n", 11);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0644);
	strbuf_release(&out);
	free(path);
}

static void test_empty_files_are_read_and_written(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct error err;
	char *path = in_dir("a");

	(void)state;
	assert_int_equal(file_write(path, NULL, 0, &err), 0);
	assert_int_equal(file_read(path, 0, &out, &err), 0);
	assert_int_equal(out.length, 0);
	assert_string_equal(out.data, "");
	strbuf_release(&out);
	free(path);
}

static void test_reading_stops_at_the_limit_and_leaves_the_buffer(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct error err;
	char *path = in_dir("a");

	(void)state;
	write_text(path, "12345");
	assert_int_equal(file_read(path, 4, &out, &err), ERR_LIMIT);
	assert_int_equal(out.length, 0);
	assert_string_equal(out.data, "");
	strbuf_addstr(&out, "x");
	assert_int_equal(file_read(path, 4, &out, &err), ERR_LIMIT);
	assert_string_equal(out.data, "x");
	assert_int_equal(file_read(path, 5, &out, &err), 0);
	assert_string_equal(out.data, "x12345");
	strbuf_release(&out);
	free(path);
}

static void test_large_files_are_read_whole(void **state)
{
	size_t length = 300001;
	struct strbuf out = STRBUF_INIT;
	struct error err;
	char *path = in_dir("a"), *data = malloc(length);

	(void)state;
	for (size_t i = 0; i < length; i++)
		data[i] = (char)(i * 31 >> 3);
	assert_int_equal(file_write(path, data, length, &err), 0);
	assert_int_equal(file_read(path, length, &out, &err), 0);
	assert_int_equal(out.length, length);
	assert_memory_equal(out.data, data, length);
	strbuf_release(&out);
	free(data);
	free(path);
}

static void test_missing_files_are_not_found(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct error err;
	char *path = in_dir("a"), *below;
	char hex[65];

	(void)state;
	assert_int_equal(file_read(path, 10, &out, &err), ERR_NOT_FOUND);
	assert_int_equal(file_sha256_hex(path, hex, &err), ERR_NOT_FOUND);
	assert_false(file_exists(path));
	write_text(path, "x");
	assert_true(file_exists(path));
	below = file_join(path, "b");
	assert_int_equal(file_read(below, 10, &out, &err), ERR_NOT_FOUND);
	strbuf_release(&out);
	free(below);
	free(path);
}

static void test_pipes_and_folders_are_refused_without_waiting(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct error err;
	char *path = in_dir("a");

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(file_read(path, 10, &out, &err), ERR_IO);
	assert_non_null(strstr(err.message, "not a regular file"));
	assert_int_equal(file_read(dir, 10, &out, &err), ERR_IO);
	assert_int_equal(file_read("/dev/zero", 10, &out, &err), ERR_IO);
	assert_int_equal(file_read("/proc/self/stat", 10000, &out, &err), 0);
	assert_true(out.length > 0);
	strbuf_release(&out);
	free(path);
}

static void test_a_link_at_the_target_is_refused_and_not_followed(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct error err;
	char *link = in_dir("link"), *target = in_dir("target");

	(void)state;
	write_text(target, "precious");
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(file_write(link, "x", 1, &err), ERR_IO);
	assert_non_null(strstr(err.message, "symbolic link"));
	assert_int_equal(file_read(target, 100, &out, &err), 0);
	assert_string_equal(out.data, "precious");
	strbuf_release(&out);
	free(link);
	free(target);
}

/* As root, a regular file in /dev/null's place would be everybody's. */
static void test_a_device_or_a_pipe_takes_what_is_written_and_stays(void **state)
{
	char *pipe = in_dir("pipe");
	struct error err;
	struct stat info;
	char bytes[8];
	int reader;

	(void)state;
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(
		file_write(pipe, "x", 1, &err), ERR_IO); /* rather than wait for a reader */
	reader = open(pipe, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(file_write(pipe, "text", 4, &err), 0);
	assert_int_equal(read(reader, bytes, sizeof(bytes)), 4);
	assert_memory_equal(bytes, "text", 4);
	assert_int_equal(lstat(pipe, &info), 0);
	assert_true(S_ISFIFO(info.st_mode));
	close(reader);
	free(pipe);
}

static void test_a_failed_write_leaves_nothing(void **state)
{
	struct error err;
	char *path = in_dir("a"), *inside;

	(void)state;
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(file_write(path, "x", 1, &err), ERR_IO);
	assert_int_equal(rmdir(path), 0);
	/* An empty folder can be removed: so there is no temporary file in it. */
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	inside = in_dir("none/a");
	assert_int_equal(file_write(inside, "x", 1, &err), ERR_IO);
	/* An empty folder can be removed: so there is no temporary file in it. */
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	free(inside);
	free(path);
}

static void test_writing_replaces_the_file_at_once(void **state)
{
	struct error err;
	char *path = in_dir("a");
	char text[4] = {0};
	int fd;

	(void)state;
	write_text(path, "old");
	fd = open(path, O_RDONLY);
	write_text(path, "new");
	assert_int_equal(read(fd, text, 3), 3);
	assert_string_equal(text, "old");
	close(fd);
	assert_int_equal(file_remove_tree(path, &err), 0);
	free(path);
}

static void test_names_of_full_length_can_be_written(void **state)
{
	char name[256], *path;

	(void)state;
	memset(name, 'n', 255);
	name[255] = '\0';
	path = in_dir(name);
	write_text(path, "x");
	assert_true(file_exists(path));
	free(path);
}

static void test_mkdirs_makes_every_level_and_accepts_what_is_there(void **state)
{
	struct error err;
	char *path = in_dir("a/b//c/"), *file = in_dir("file"), *below = in_dir("file/x");

	(void)state;
	assert_int_equal(file_mkdirs(path, &err), 0);
	assert_int_equal(file_mkdirs(path, &err), 0);
	assert_true(file_exists(path));
	write_text(file, "x");
	assert_int_equal(file_mkdirs(below, &err), ERR_IO);
	assert_int_equal(file_mkdirs(file, &err), ERR_IO);
	assert_int_equal(file_mkdirs("/", &err), 0);
	free(path);
	free(file);
	free(below);
}

static void test_join_puts_one_slash_between(void **state)
{
	static const char *const cases[][3] = {
		{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"/", "b", "/b"}, {"", "b", "b"}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char *path = file_join(cases[i][0], cases[i][1]);

		assert_string_equal(path, cases[i][2]);
		free(path);
	}
}

static void test_temporary_folders_are_private_and_their_own(void **state)
{
	struct error err;
	struct stat info;
	char *one, *two, *absent = in_dir("absent");

	(void)state;
	assert_int_equal(file_make_temp_dir(dir, "x-", &one, &err), 0);
	assert_int_equal(file_make_temp_dir(dir, "x-", &two, &err), 0);
	assert_string_not_equal(one, two);
	assert_int_equal(stat(one, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0700);
	free(one);
	one = NULL;
	assert_int_equal(file_make_temp_dir(absent, "x-", &one, &err), ERR_IO);
	assert_null(one);
	free(two);
	free(absent);
}

static void test_remove_tree_does_not_follow_links(void **state)
{
	struct error err;
	char *keep = in_dir("keep"), *file = in_dir("keep/file"), *tree = in_dir("tree");
	char *link = in_dir("tree/link"), *slashed = in_dir("outer/");

	(void)state;
	assert_int_equal(file_mkdirs(keep, &err), 0);
	assert_int_equal(file_mkdirs(tree, &err), 0);
	write_text(file, "precious");
	assert_int_equal(symlink(keep, link), 0);
	assert_int_equal(file_remove_tree(tree, &err), 0);
	assert_false(file_exists(tree));
	assert_true(file_exists(file));
	/* A link given itself, also with the slash that would follow it. */
	slashed[strlen(slashed) - 1] = '\0';
	assert_int_equal(symlink(keep, slashed), 0);
	slashed[strlen(slashed)] = '/';
	assert_int_equal(file_remove_tree(slashed, &err), 0);
	assert_true(file_exists(file));
	assert_false(file_exists(slashed));
	free(keep);
	free(file);
	free(tree);
	free(link);
	free(slashed);
}

static void test_remove_tree_opens_folders_without_permissions(void **state)
{
	struct error err;
	char *tree = in_dir("tree"), *closed = in_dir("tree/closed"),
	     *inner = in_dir("tree/closed/inner"), *file = in_dir("tree/closed/inner/file");

	(void)state;
	assert_int_equal(file_mkdirs(inner, &err), 0);
	write_text(file, "x");
	assert_int_equal(chmod(inner, 0), 0);
	assert_int_equal(chmod(closed, 0500), 0);
	assert_int_equal(chmod(tree, 0500), 0);
	assert_int_equal(file_remove_tree(tree, &err), 0);
	assert_false(file_exists(tree));
	free(tree);
	free(closed);
	free(inner);
	free(file);
}

/* Deeper than PATH_MAX and than the number of descriptors. */
static void test_remove_tree_has_no_limit_of_depth(void **state)
{
	struct error err = {0};
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	char *tree = in_dir("deep-folder");

	(void)state;
	for (int i = 0; i < 3000; i++) {
		int next;

		assert_int_equal(mkdirat(fd, "deep-folder", 0700), 0);
		next = openat(fd, "deep-folder", O_RDONLY | O_DIRECTORY);
		assert_true(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(file_remove_tree(tree, &err), 0);
	assert_false(file_exists(tree));
	free(tree);
}

static void test_remove_tree_takes_wide_folders_and_single_files(void **state)
{
	struct error err;
	char *tree = in_dir("tree"), *sub = in_dir("tree/sub"), *file = in_dir("file");

	(void)state;
	assert_int_equal(file_mkdirs(sub, &err), 0);
	for (int i = 0; i < 300; i++) {
		struct strbuf name = STRBUF_INIT;

		strbuf_addf(&name, "%s/%s%d", i % 2 ? tree : sub, i % 3 ? "d" : "f", i);
		if (i % 3)
			assert_int_equal(mkdir(name.data, 0700), 0);
		else
			assert_int_equal(close(creat(name.data, 0)), 0);
		strbuf_release(&name);
	}
	assert_int_equal(file_remove_tree(tree, &err), 0);
	assert_false(file_exists(tree));
	write_text(file, "x");
	assert_int_equal(file_remove_tree(file, &err), 0);
	assert_false(file_exists(file));
	assert_int_equal(file_remove_tree(file, &err), 0);
	assert_int_equal(file_remove_tree("", &err), ERR_USAGE);
	assert_int_equal(file_remove_tree("//", &err), ERR_USAGE);
	free(tree);
	free(sub);
	free(file);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_is_written_is_read),
		TEST(test_empty_files_are_read_and_written),
		TEST(test_reading_stops_at_the_limit_and_leaves_the_buffer),
		TEST(test_large_files_are_read_whole),
		TEST(test_missing_files_are_not_found),
		TEST(test_pipes_and_folders_are_refused_without_waiting),
		TEST(test_a_link_at_the_target_is_refused_and_not_followed),
		TEST(test_a_device_or_a_pipe_takes_what_is_written_and_stays),
		TEST(test_a_failed_write_leaves_nothing),
		TEST(test_writing_replaces_the_file_at_once),
		TEST(test_names_of_full_length_can_be_written),
		TEST(test_mkdirs_makes_every_level_and_accepts_what_is_there),
		TEST(test_join_puts_one_slash_between),
		TEST(test_temporary_folders_are_private_and_their_own),
		TEST(test_remove_tree_does_not_follow_links),
		TEST(test_remove_tree_opens_folders_without_permissions),
		TEST(test_remove_tree_has_no_limit_of_depth),
		TEST(test_remove_tree_takes_wide_folders_and_single_files),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
