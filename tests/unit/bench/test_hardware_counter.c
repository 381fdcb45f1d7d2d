/* SPDX-License-Identifier: Apache-2.0 */
/* By an event that every machine counts: CPU time in software, in nanoseconds. */
#include "gate/bench/hardware_counter.h"

#include <linux/perf_event.h>
#include <time.h>

#include "tests/unit/bench/scene.h"

static const struct hardware_event task_clock = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};

#define BURN                                                                                       \
	"#include <stdlib.h>\n#include <sys/wait.h>\n#include <time.h>\n#include <unistd.h>\n"     \
	"static double cpu(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, "    \
	"&t);\n	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }\n"                           \
	"int main(int argc, char **argv) { double until = atof(argv[1]); volatile int n = 0;\n"    \
	"	while (cpu() < until) n++;\n"                                                            \
	"	if (argc > 2 && !fork()) { while (cpu() < until) n++; _exit(0); }\n"                     \
	"	while (wait(NULL) > 0) ; return 0; }\n"

static int begin(void **state)
{
	struct hardware_counter counter;

	scene_begin(state);
	if (hardware_counter_open(&task_clock, &counter, NULL))
		return 0; /* each test skips */
	hardware_counter_close(&counter);
	put_file(*state, "main.c", BURN);
	sh(*state, "cc -O1 -o burn main.c");
	return 0;
}

static void open_or_skip(struct scene *scene, struct hardware_counter *counter)
{
	if (hardware_counter_open(&task_clock, counter, &scene->err))
		skip();
}

static double process_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void test_a_tree_is_counted_and_we_are_not(void **state)
{
	struct scene *scene = *state;
	struct hardware_counter counter;
	volatile int n = 0;
	uint64_t count;
	double until = process_seconds() + 0.5;

	open_or_skip(scene, &counter);
	while (process_seconds() < until)
		n++;
	sh(scene, "./burn 0.1; ./burn 0.1 and-fork");
	assert_ok(scene, hardware_counter_read(&counter, &count, &scene->err));
	assert_true(count >= 300000000);
	assert_true(count < 600000000);
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
