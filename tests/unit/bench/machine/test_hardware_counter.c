/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By an event that every machine counts, and that no load of it changes: page faults. CPU time
 * would do as little as any clock: it is another one than the kernel's counter reads.
 */
#include "gate/bench/machine/hardware_counter.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

static const struct hardware_event page_faults = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};

#define PAGES 10000        /* that one touch takes */
#define PAGES_BESIDES 5000 /* at most, for the start and end of all programs */

/* touch [and-fork]: so many pages, one by one; and so many in a child. */
#define TOUCH                                                                                      \
	"#define _GNU_SOURCE\n#include <sys/mman.h>\n#include <sys/wait.h>\n#include <unistd.h>\n" \
	"static void touch(void) { long size = sysconf(_SC_PAGESIZE), n = 10000;\n"                \
	"	volatile char *p = mmap(0, n * size, PROT_READ | PROT_WRITE,\n"                          \
	"		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"                                                 \
	"	madvise((void *)p, n * size, MADV_NOHUGEPAGE);\n"                                        \
	"	while (n--) p[n * size] = 1;\n"                                                          \
	"	munmap((void *)p, 10000 * size); }\n"                                                    \
	"int main(int argc, char **argv) { (void)argv; touch();\n"                                 \
	"	if (argc > 1 && !fork()) { touch(); _exit(0); }\n"                                       \
	"	while (wait(0) > 0) ; return 0; }\n"

static int begin(void **state)
{
	struct hardware_counter counter;

	scene_begin(state);
	if (hardware_counter_open(&page_faults, &counter, NULL))
		return 0; /* each test skips */
	hardware_counter_close(&counter);
	put_file(*state, "main.c", TOUCH);
	sh(*state, "cc -O1 -o touch main.c");
	return 0;
}

static void open_or_skip(struct scene *scene, struct hardware_counter *counter)
{
	if (hardware_counter_open(&page_faults, counter, &scene->err))
		skip();
}

/* Four times what one of the children's does. */
static void touch_ourselves(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE), pages = 4 * PAGES;
	volatile char *memory = mmap(
		NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	madvise((void *)(uintptr_t)memory, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * size] = 1;
	munmap((void *)(uintptr_t)memory, pages * size);
}

static void test_a_tree_is_counted_and_we_are_not(void **state)
{
	struct scene *scene = *state;
	struct hardware_counter counter;
	uint64_t count;

	open_or_skip(scene, &counter);
	touch_ourselves();
	sh(scene, "./touch; ./touch and-fork");
	assert_ok(scene, hardware_counter_read(&counter, &count, &scene->err));
	assert_in_range(count, 3 * PAGES, 3 * PAGES + PAGES_BESIDES);
	hardware_counter_close(&counter);
}

static void test_nothing_is_counted_before_a_child_starts(void **state)
{
	struct scene *scene = *state;
	struct hardware_counter counter;
	uint64_t count = 1;

	open_or_skip(scene, &counter);
	assert_ok(scene, hardware_counter_read(&counter, &count, &scene->err));
	assert_int_equal(count, 0);
	hardware_counter_close(&counter);
	assert_int_equal(counter.fd, -1);
	hardware_counter_close(&counter);
}

static void test_a_missing_counter_is_explained(void **state)
{
	static const struct hardware_event none = {PERF_TYPE_SOFTWARE, 12345};
	struct scene *scene = *state;
	struct hardware_counter counter;

	assert_fails(
		scene, hardware_counter_open(&none, &counter, &scene->err), ERR_MEASURE, "counter");
	assert_int_equal(counter.fd, -1);
}

static void test_an_unreadable_counter_is_an_error(void **state)
{
	struct scene *scene = *state;
	struct hardware_counter counter = {.fd = -1};
	uint64_t count;

	assert_fails(scene, hardware_counter_read(&counter, &count, &scene->err), ERR_MEASURE,
		"cannot read a processor counter");
}

/* What the kernel would give: the count, and for how long it was wanted and was kept. */
static void put_reading(struct hardware_counter *counter, uint64_t wanted_ns, uint64_t kept_ns)
{
	uint64_t reading[] = {5, wanted_ns, kept_ns};
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], reading, sizeof(reading)), sizeof(reading));
	close(ends[1]);
	counter->fd = ends[0];
}

static void test_an_estimate_is_no_count(void **state)
{
	struct scene *scene = *state;
	struct hardware_counter counter;
	uint64_t count = 0;

	put_reading(&counter, 100, 100);
	assert_ok(scene, hardware_counter_read(&counter, &count, &scene->err));
	assert_int_equal(count, 5);
	hardware_counter_close(&counter);
	put_reading(&counter, 100, 99);
	assert_fails(scene, hardware_counter_read(&counter, &count, &scene->err), ERR_MEASURE,
		"shared with others");
	hardware_counter_close(&counter);
}

#define counter_test(name) cmocka_unit_test_setup_teardown(name, begin, scene_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		counter_test(test_a_tree_is_counted_and_we_are_not),
		counter_test(test_nothing_is_counted_before_a_child_starts),
		scene_test(test_a_missing_counter_is_explained),
		scene_test(test_an_estimate_is_no_count),
		scene_test(test_an_unreadable_counter_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
