/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "gate/bench/build/build.h"

#include "tests/unit/bench/scene.h"

/* By this process, from a disk. */
static unsigned long long bytes_from_disk(void)
{
	FILE *io = fopen("/proc/self/io", "r");
	unsigned long long bytes = 0;
	char line[128];

	while (io && fgets(line, sizeof(line), io))
		sscanf(line, "read_bytes: %llu", &bytes);
	if (io)
		fclose(io);
	return bytes;
}

static unsigned long long size_of(const char *path)
{
	struct stat info;

	assert_int_equal(stat(path, &info), 0);
	return (unsigned long long)info.st_size;
}

/* False: the file system is memory itself, or nobody counts. */
static bool gives_up_pages(const char *path)
{
	unsigned long long before = bytes_from_disk();
	int fd = open(path, O_RDONLY);
	char byte;

	assert_true(fd >= 0);
	fdatasync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	assert_int_equal(read(fd, &byte, 1), 1);
	close(fd);
	return bytes_from_disk() > before;
}

static unsigned long long bytes_of_renewal(struct scene *scene, struct opened_file *file)
{
	const struct build build = {.path = scene->dir};
	const struct opened_files files = {.items = file, .count = 1};
	unsigned long long before = bytes_from_disk();

	build_renew_pages(&build, &files);
	return bytes_from_disk() - before;
}

/* Twice: what lies where it lay is slow or fast for good. */
static void test_a_program_is_loaded_anew_each_time(void **state)
{
	struct scene *scene = *state;
	struct opened_file program = {.path = (char *)"program"};

	sh(scene, "cp /bin/sh program; cp program other");
	if (!gives_up_pages(at(scene, "other")))
		skip();
	for (int i = 0; i < 2; i++)
		assert_true(bytes_of_renewal(scene, &program) >= size_of(at(scene, "program")));
}

#define PAGES 8
#define ROUNDS 8

/* Which pages of memory hold the file's beginning; false: not for us to know. */
static bool find_pages(const char *path, uint64_t pages[PAGES])
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open(path, O_RDONLY), map = open("/proc/self/pagemap", O_RDONLY);
	char *file = mmap(NULL, PAGES * size, PROT_READ, MAP_SHARED, fd, 0);
	bool known = map >= 0;
	char sum = 0;

	assert_ptr_not_equal(file, MAP_FAILED);
	for (size_t i = 0; i < PAGES; i++)
		sum = (char)(sum + ((volatile char *)file)[i * size]);
	(void)sum;
	known = known && pread(map, pages, PAGES * sizeof(*pages),
				 (off_t)((uintptr_t)file / size * sizeof(*pages))) ==
				 (ssize_t)(PAGES * sizeof(*pages));
	for (size_t i = 0; known && i < PAGES; i++) {
		pages[i] &= ((uint64_t)1 << 55) - 1;
		known = pages[i] != 0;
	}
	munmap(file, PAGES * size);
	close(fd);
	if (map >= 0)
		close(map);
	return known;
}

/* Not in those that it was given up in, nor in the two sets by turns. */
static void test_a_program_lies_elsewhere_each_time(void **state)
{
	struct scene *scene = *state;
	struct opened_file program = {.path = (char *)"program"};
	uint64_t pages[ROUNDS][PAGES];
	int same = 0;

	sh(scene, "cp /bin/sh program; cp program other");
	if (!gives_up_pages(at(scene, "other")) || !find_pages(at(scene, "program"), pages[0]))
		skip();
	for (int round = 1; round < ROUNDS; round++) {
		bytes_of_renewal(scene, &program);
		assert_true(find_pages(at(scene, "program"), pages[round]));
		for (int earlier = 0; earlier < round; earlier++)
			same += memcmp(pages[round], pages[earlier], sizeof(pages[0])) == 0;
	}
	assert_true(same < ROUNDS / 2);
}

/* Inputs are large, and read into memory of the program's own. */
static void test_what_is_no_program_stays(void **state)
{
	struct scene *scene = *state;
	struct opened_file input = {.path = (char *)"input"}, missing = {.path = (char *)"gone"};
	struct opened_file folder = {.path = (char *)"folder/"};

	sh(scene, "mkdir folder; { echo '#'; cat /bin/sh; } >input");
	sh(scene, "sync input; cat input >/dev/null");
	assert_int_equal(bytes_of_renewal(scene, &input), 0);
	assert_int_equal(bytes_of_renewal(scene, &folder), 0);
	assert_int_equal(bytes_of_renewal(scene, &missing), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, scene_begin, scene_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_program_is_loaded_anew_each_time),
		CASE(test_a_program_lies_elsewhere_each_time),
		CASE(test_what_is_no_program_stays),
	};

	return cmocka_run_group_tests_name("build_pages", tests, NULL, NULL);
}
