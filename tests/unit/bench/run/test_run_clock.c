/* SPDX-License-Identifier: Apache-2.0 */
/* Did a run read its clocks as often as the recorded one? Files of measured code: hostile ones, too. */
#include "gate/bench/run/run_clock.h"

#include "gate/base/error.h"
#include "gate/clock/clock_file.h"
#include "tests/unit/bench/scene.h"

#define RECORDS "records"
#define RUN "run"

struct clocks {
	struct scene *scene;
	struct run_clock clock;
	struct run_clock_place place;
};

static struct clocks begin(struct scene *scene)
{
	static char records[4200], folder[4200];
	struct clocks clocks = {.scene = scene,
		.clock = {.mode = RUN_CLOCK_REPLAY, .records = records, .speed = 1},
		.place = {.folder = folder}};

	snprintf(records, sizeof(records), "%s", at(scene, RECORDS));
	snprintf(folder, sizeof(folder), "%s", at(scene, RUN));
	sh(scene, "mkdir -p " RECORDS " " RUN);
	return clocks;
}

static void put(struct scene *scene, const char *name, const void *bytes, size_t length)
{
	struct error err;

	assert_int_equal(file_write(at(scene, name), bytes, length, &err), ERR_OK);
}

static void put_page(struct scene *scene, uint32_t trouble)
{
	static struct fg_clock_page page;

	page = (struct fg_clock_page){.magic = FG_CLOCK_PAGE_MAGIC, .trouble = trouble};
	put(scene, RUN "/page", &page, sizeof(page));
}

/* One process with one thread that called one clock so often; 0: never. */
static void put_process(struct scene *scene, const char *name, uint32_t pid, uint64_t calls)
{
	static struct fg_clock_file file;

	file = (struct fg_clock_file){.magic = FG_CLOCK_FILE_MAGIC, .pid = pid, .program = "bench"};
	file.slots[7] = (struct fg_clock_slot){
		.thread = calls ? 1 : 0, .kind = FG_CLOCK_KIND_MONOTONIC + 1, .calls = calls};
	put(scene, name, &file, sizeof(file));
}

static int collect(struct clocks *clocks, const struct capture_set *captures)
{
	struct run_clock_use use;
	struct error ignored;

	run_clock_seal(&clocks->clock, &ignored);
	return run_clock_collect(
		&clocks->clock, &clocks->place, captures, &use, &clocks->scene->err);
}

static void test_equal_counts_are_exact(void **state)
{
	struct scene *scene = *state;
	struct clocks clocks = begin(scene);
	struct run_clock_use use;

	put_page(scene, 0);
	put_process(scene, RECORDS "/0123456789abcdef", 1, 40);
	put_process(scene, RUN "/0123456789abcdef", 2, 40);
	assert_ok(scene, run_clock_seal(&clocks.clock, &scene->err));
	assert_ok(scene, run_clock_collect(&clocks.clock, &clocks.place, NULL, &use, &scene->err));
	assert_int_equal(use.calls, 40);
	assert_int_equal(use.processes, 1);
	assert_int_equal(use.sequences, 1);
}

static void test_other_counts_are_refused(void **state)
{
	struct scene *scene = *state;
	struct clocks clocks = begin(scene);

	put_page(scene, 0);
	put_process(scene, RECORDS "/0123456789abcdef", 1, 40);
	assert_fails(scene, collect(&clocks, NULL), ERR_BENCHMARK, "0 times where base's recorded");
	put_process(scene, RUN "/0123456789abcdef", 2, 39);
	assert_fails(scene, collect(&clocks, NULL), ERR_BENCHMARK,
		"bench called clock_gettime(CLOCK_MONOTONIC) 39 times where base's recorded run did "
		"40 times");
	put_process(scene, RUN "/0123456789abcdef", 2, 41);
	assert_fails(scene, collect(&clocks, NULL), ERR_BENCHMARK, "41 times");
	put_process(scene, RUN "/0123456789abcdef", 2, 40);
	put_process(scene, RUN "/00000000000000aa", 3, 1);
	assert_fails(scene, collect(&clocks, NULL), ERR_BENCHMARK, "did 0 times");
}

/* A parent that waits for its children by looking at the clock. */
static void test_who_only_waits_may_call_more_often_but_not_less(void **state)
{
	struct scene *scene = *state;
	struct clocks clocks = begin(scene);
	struct capture_process processes[2] = {
		{.pid = 2, .cpu_ns = 1000}, {.pid = 3, .cpu_ns = 99000}};
	struct capture_set captures = {.processes = processes, .process_count = 2};

	put_page(scene, 0);
	put_process(scene, RECORDS "/0123456789abcdef", 1, 40);
	put_process(scene, RUN "/0123456789abcdef", 2, 400);
	assert_ok(scene, collect(&clocks, &captures));
	put_process(scene, RUN "/00000000000000aa", 2, 1);
	assert_ok(scene, collect(&clocks, &captures));
	put_process(scene, RUN "/0123456789abcdef", 2, 39);
	assert_fails(scene, collect(&clocks, &captures), ERR_BENCHMARK, "39 times");
	put_process(scene, RUN "/0123456789abcdef", 2, 400);
	processes[0].cpu_ns = 3000;
	assert_fails(scene, collect(&clocks, &captures), ERR_BENCHMARK, "400 times");
}

/* Each of a hundred takes less than a fiftieth; together they are all of it. */
static void test_many_that_do_more_do_not_only_wait(void **state)
{
	struct scene *scene = *state;
	struct clocks clocks = begin(scene);
	struct capture_process processes[100];
	struct capture_set captures = {.processes = processes, .process_count = 100};
	char name[64];

	put_page(scene, 0);
	for (int i = 0; i < 100; i++) {
		processes[i] = (struct capture_process){.pid = 2 + i, .cpu_ns = 1000};
		snprintf(name, sizeof(name), RECORDS "/%016x", i);
		put_process(scene, name, 1, 40);
		snprintf(name, sizeof(name), RUN "/%016x", i);
		put_process(scene, name, (uint32_t)(2 + i), 80);
	}
	assert_fails(scene, collect(&clocks, &captures), ERR_BENCHMARK, "80 times");
	processes[0].cpu_ns = 10000000;
	put_process(scene, RUN "/0000000000000000", 2, 40);
	assert_ok(scene, collect(&clocks, &captures));
}

/* Head's code knows where base's record lies. */
static void test_a_record_that_was_changed_is_refused(void **state)
{
	struct scene *scene = *state;
	struct clocks clocks = begin(scene);
	struct run_clock_use use;

	put_page(scene, 0);
	put_process(scene, RECORDS "/0123456789abcdef", 1, 40);
	assert_ok(scene, run_clock_seal(&clocks.clock, &scene->err));
	put_process(scene, RECORDS "/0123456789abcdef", 1, 20);
	put_process(scene, RUN "/0123456789abcdef", 2, 20);
	assert_fails(scene,
		run_clock_collect(&clocks.clock, &clocks.place, NULL, &use, &scene->err),
		ERR_BENCHMARK, "the record of base's clock was changed");
	assert_ok(scene, run_clock_seal(&clocks.clock, &scene->err));
	sh(scene, "mv " RECORDS "/0123456789abcdef " RECORDS "/0123456789abcdee");
	assert_fails(scene,
		run_clock_collect(&clocks.clock, &clocks.place, NULL, &use, &scene->err),
		ERR_BENCHMARK, "was changed");
}

static void test_trouble_is_told(void **state)
{
	static const struct {
		uint32_t bit;
		const char *text;
	} cases[] = {{FG_CLOCK_TROUBLE_FULL, "too often, or in too many threads"},
		{FG_CLOCK_TROUBLE_FILE, "could not make the file of its clock"},
		{FG_CLOCK_TROUBLE_DEADLINE, "io_uring"},
		{FG_CLOCK_TROUBLE_STEPS, "four times the CPU time"},
		{FG_CLOCK_TROUBLE_TWINS, "cannot be told apart"}};
	struct scene *scene = *state;
	struct clocks clocks = begin(scene);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_page(scene, cases[i].bit);
		assert_fails(scene, collect(&clocks, NULL), ERR_BENCHMARK, cases[i].text);
	}
}

static void test_what_measured_code_left_is_not_trusted(void **state)
{
	struct scene *scene = *state;
	struct clocks clocks = begin(scene);

	assert_int_equal(collect(&clocks, NULL), ERR_NOT_FOUND);
	put(scene, RUN "/page", "short", 5);
	assert_fails(scene, collect(&clocks, NULL), ERR_MEASURE, "damaged during the run");
	put_page(scene, 0);
	put_process(scene, RECORDS "/0123456789abcdef", 1, 40);
	put(scene, RUN "/0123456789abcdef", "short", 5);
	assert_fails(scene, collect(&clocks, NULL), ERR_MEASURE, "a damaged record");
	sh(scene, "rm " RUN "/0123456789abcdef && ln -s /dev/zero " RUN "/0123456789abcdef");
	assert_int_equal(collect(&clocks, NULL), ERR_CORRUPT);
	sh(scene, "rm " RUN "/0123456789abcdef && touch " RUN "/0123456789abcdeg " RUN "/other");
	put_process(scene, RUN "/0123456789abcdef", 1, 40);
	assert_ok(scene, collect(&clocks, NULL));
}

/* A program that names itself so. */
static void test_a_programs_name_gives_no_command(void **state)
{
	static struct fg_clock_file file;
	struct scene *scene = *state;
	struct clocks clocks = begin(scene);

	put_page(scene, 0);
	file = (struct fg_clock_file){.magic = FG_CLOCK_FILE_MAGIC};
	memset(file.program, 'x', sizeof(file.program));
	memcpy(file.program, "\033[31m::error::", 13);
	file.slots[0] = (struct fg_clock_slot){.thread = 1, .kind = 1000, .calls = 3};
	put(scene, RUN "/0123456789abcdef", &file, sizeof(file));
	assert_fails(scene, collect(&clocks, NULL), ERR_BENCHMARK, "called a clock 3 times");
	assert_null(strchr(scene->err.message, '\033'));
}

static void test_the_shorter_limit_counts(void **state)
{
	const struct run_clock limited = {.mode = RUN_CLOCK_REPLAY, .timeout_ns = 100};

	(void)state;
	assert_int_equal(run_clock_timeout(NULL, 7), 7);
	assert_int_equal(run_clock_timeout(&limited, 7), 7);
	assert_int_equal(run_clock_timeout(&limited, 700), 100);
	assert_int_equal(run_clock_timeout(&limited, 0), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_equal_counts_are_exact),
		scene_test(test_other_counts_are_refused),
		scene_test(test_who_only_waits_may_call_more_often_but_not_less),
		scene_test(test_many_that_do_more_do_not_only_wait),
		scene_test(test_a_record_that_was_changed_is_refused),
		scene_test(test_trouble_is_told),
		scene_test(test_what_measured_code_left_is_not_trusted),
		scene_test(test_a_programs_name_gives_no_command),
		scene_test(test_the_shorter_limit_counts),
	};

	return cmocka_run_group_tests_name("run_clock", tests, NULL, NULL);
}
