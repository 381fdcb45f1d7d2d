/* SPDX-License-Identifier: Apache-2.0 */
/* Off-CPU time: what /proc says, looks at threads that sleep, and their walks. */
#include <alloca.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/profile/capture/capture_read.h"
#include "gate/sampler/offcpu/off_cpu.h"
#include "gate/sampler/offcpu/off_cpu_walk.h"
#include "gate/sampler/raw.h"

#define PERIOD_NS UINT64_C(10000000)

/* ---- what /proc says ------------------------------------------------------------------------- */

static void test_a_call_is_asleep_at_its_place(void **state)
{
	struct fg_place place;

	(void)state;
	assert_int_equal(fg_activity_parse("202 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffc01 0x55aB\n", &place),
		FG_ACTIVITY_UNKNOWN); /* the kernel writes small letters */
	assert_int_equal(fg_activity_parse("202 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffc01 0x55ab\n", &place),
		FG_ACTIVITY_ASLEEP);
	assert_int_equal(place.call, 202);
	assert_int_equal(place.sp, 0x7ffc01);
	assert_int_equal(place.pc, 0x55ab);
	assert_int_equal(fg_activity_parse("-1 0x7ffd 0x41\n", &place), FG_ACTIVITY_ASLEEP);
	assert_int_equal(place.call, -1);
	assert_int_equal(place.sp, 0x7ffd);
	assert_int_equal(place.pc, 0x41);
}

static void test_running_and_dead_threads_have_no_place(void **state)
{
	struct fg_place place = {7, 7, 7};

	(void)state;
	assert_int_equal(fg_activity_parse("running\n", &place), FG_ACTIVITY_RUNNING);
	assert_int_equal(fg_activity_parse("-1 0x0 0x0\n", &place), FG_ACTIVITY_DEAD);
	assert_int_equal(place.call, 7);
	assert_int_equal(place.sp, 7);
}

static void test_other_text_is_unknown(void **state)
{
	static const char *const texts[] = {"", "\n", "-", "-1", "-1 0x1", "-1 0x1 \n",
		"-1 0x1 0x\n", "-1 0x1 0x2", "-1 0x1 0x2 0x3\n", "0 0x1 0x2\n", "x 0x1 0x2\n",
		"-1 1 2\n", "4294967296 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8\n",
		"-1 0x11111111111111111 0x2\n", "1 0x1 0x2 0x3 0x4 0x5 0x6 0x7\n", "runnin\n"};
	struct fg_place place;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(fg_activity_parse(texts[i], &place), FG_ACTIVITY_UNKNOWN);
}

static void test_usage_is_time_on_a_cpu_and_waiting_for_one(void **state)
{
	uint64_t used = 7;

	(void)state;
	assert_true(fg_usage_parse("1000 234 5\n", &used));
	assert_int_equal(used, 1234);
	assert_false(fg_usage_parse("0 0 0\n", &used));
	assert_false(fg_usage_parse("", &used));
	assert_false(fg_usage_parse("1000", &used));
	assert_false(fg_usage_parse("1000 234", &used));
	assert_false(fg_usage_parse("99999999999999999999 1 1\n", &used));
	assert_int_equal(used, 1234);
}

static void test_exit_code_is_the_last_of_stat(void **state)
{
	(void)state;
	assert_int_equal(fg_exit_code_parse("12 (a ) 5) Z 1 2 0 768\n"), 3);
	assert_int_equal(fg_exit_code_parse("12 (a) Z 65280\n"), 255);
	assert_int_equal(fg_exit_code_parse("12 (a) Z 9\n"), 0);
	assert_int_equal(fg_exit_code_parse("12 (a) Z x\n"), 0);
	assert_int_equal(fg_exit_code_parse(""), 0);
}

static pid_t own_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static void test_cpu_clock_is_that_of_the_thread(void **state)
{
	struct timespec before, after;
	uint64_t cpu = 0;

	(void)state;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	assert_true(fg_thread_cpu_ns(own_tid(), &cpu));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	assert_in_range(cpu, (uint64_t)before.tv_sec * 1000000000 + (uint64_t)before.tv_nsec,
		(uint64_t)after.tv_sec * 1000000000 + (uint64_t)after.tv_nsec);
	assert_false(fg_thread_cpu_ns(1 << 23, &cpu));
}

/* ---- threads to look at ---------------------------------------------------------------------- */

/* A thread that sleeps in read() until it is let go. */
struct sleeper {
	pthread_t thread;
	int ends[2];
	pid_t tid;
	uint64_t frame; /* of the function that reads */
};

static __attribute__((noinline)) void read_one(struct sleeper *sleeper)
{
	char byte;

	__atomic_store_n(&sleeper->frame, (uint64_t)(uintptr_t)__builtin_return_address(0),
		__ATOMIC_SEQ_CST);
	if (read(sleeper->ends[0], &byte, 1) != 1)
		abort();
	__asm__ volatile("" ::: "memory");
}

static void *fall_asleep(void *opaque)
{
	struct sleeper *sleeper = opaque;

	__atomic_store_n(&sleeper->tid, own_tid(), __ATOMIC_SEQ_CST);
	read_one(sleeper);
	__asm__ volatile("" ::: "memory");
	return NULL;
}

/*
 * A frame that hangs on the frame pointer, which the kernel does not tell, and that is full of what
 * calls leave behind: its own return address, with nothing behind it that could be a caller's.
 */
static __attribute__((noinline)) void *read_from_litter(void *opaque)
{
	struct sleeper *sleeper = opaque;
	size_t words = 64 + (size_t)sleeper->ends[0] % 2;
	volatile uint64_t *litter = alloca(words * sizeof(*litter));
	char byte;

	__atomic_store_n(&sleeper->tid, own_tid(), __ATOMIC_SEQ_CST);
	sleeper->frame = (uint64_t)(uintptr_t)__builtin_return_address(0);
	for (size_t i = 0; i < words; i++)
		litter[i] = i % 16 ? UINT64_C(0x100000000) : sleeper->frame;
	if (FG_RAW3(SYS_read, sleeper->ends[0], &byte, 1) != 1)
		abort();
	return NULL;
}

static void *fall_asleep_in_litter(void *opaque)
{
	read_from_litter(opaque);
	__asm__ volatile("" ::: "memory");
	return NULL;
}

static int open_tasks(void)
{
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void begin_sleeper_in(
	struct sleeper *sleeper, void *(*run)(void *), int tasks, struct fg_place *place)
{
	sleeper->tid = 0;
	assert_int_equal(pipe(sleeper->ends), 0);
	assert_int_equal(pthread_create(&sleeper->thread, NULL, run, sleeper), 0);
	while (!__atomic_load_n(&sleeper->tid, __ATOMIC_SEQ_CST) ||
		fg_activity_read(tasks, sleeper->tid, place) != FG_ACTIVITY_ASLEEP ||
		place->call != SYS_read)
		sched_yield();
}

static void begin_sleeper(struct sleeper *sleeper, int tasks, struct fg_place *place)
{
	begin_sleeper_in(sleeper, fall_asleep, tasks, place);
}

static void end_sleeper(struct sleeper *sleeper)
{
	assert_int_equal(write(sleeper->ends[1], "", 1), 1);
	assert_int_equal(pthread_join(sleeper->thread, NULL), 0);
	close(sleeper->ends[0]);
	close(sleeper->ends[1]);
}

static void test_each_thread_is_listed_once(void **state)
{
	enum { MANY = 200 };
	static struct sleeper sleepers[MANY];
	struct fg_task_list list = {.fd = open_tasks()};
	struct fg_place place;
	unsigned found = 0, others = 0;
	pid_t tid;

	(void)state;
	for (int i = 0; i < MANY; i++)
		begin_sleeper(&sleepers[i], list.fd, &place);
	while ((tid = fg_task_next(&list)) != 0) {
		unsigned before = found;

		for (int i = 0; i < MANY; i++)
			found += sleepers[i].tid == tid;
		others += found == before;
	}
	assert_int_equal(found, MANY);
	assert_int_equal(others, 1);
	for (int i = 0; i < MANY; i++)
		end_sleeper(&sleepers[i]);
	close(list.fd);
}

static struct fg_rule_cache *new_cache(void)
{
	return calloc(1, fg_rule_cache_bytes());
}

static void test_a_sleepers_stack_is_walked_to_its_start(void **state)
{
	struct fg_rule_cache *cache = new_cache();
	uint64_t pcs[64], exact[1];
	enum fg_walk_end end;
	struct sleeper sleeper;
	struct fg_place place;
	bool found = false;
	int tasks = open_tasks();
	size_t depth;

	(void)state;
	begin_sleeper(&sleeper, tasks, &place);
	depth = fg_unwind_sleeper(cache, place.pc, place.sp, pcs, exact, 64, &end);
	assert_true(end == FG_END_ROOT || end == FG_END_START);
	assert_int_equal(pcs[0], place.pc);
	for (size_t i = 1; i < depth; i++)
		found = found || pcs[i] == sleeper.frame;
	assert_true(found);
	assert_int_equal(exact[0], 0);
	assert_int_equal(fg_unwind_sleeper(cache, place.pc, place.sp, pcs, exact, 2, &end), 2);
	assert_int_equal(end, FG_END_DEPTH);
	end_sleeper(&sleeper);
	close(tasks);
	free(cache);
}

static void check_litter(void *(*run)(void *), size_t callers)
{
	struct fg_rule_cache *cache = new_cache();
	uint64_t pcs[64], exact[1];
	enum fg_walk_end end;
	struct sleeper sleeper;
	struct fg_place place;
	int tasks = open_tasks();
	size_t depth;

	begin_sleeper_in(&sleeper, run, tasks, &place);
	depth = fg_unwind_sleeper(cache, place.pc, place.sp, pcs, exact, 64, &end);
	end_sleeper(&sleeper);
	assert_true(end == FG_END_ROOT || end == FG_END_START);
	assert_int_equal(depth, 1 + callers);
	assert_int_equal(pcs[1], sleeper.frame);
	close(tasks);
	free(cache);
}

/* Two callers of the C library's own are below each thread's function. */
static void test_a_caller_is_not_found_at_what_calls_left_behind(void **state)
{
	(void)state;
	check_litter(fall_asleep_in_litter, 3);
	check_litter(read_from_litter, 2);
}

/* Whatever the kernel says, or a thread does meanwhile: an end, and no fault. */
static void test_a_walk_from_anywhere_ends(void **state)
{
	struct fg_rule_cache *cache = new_cache();
	uint64_t pcs[64], exact[1], here = 0;
	static const uint64_t places[] = {0, 1, 8, 0x1000, 0x7fffffffffff, UINT64_MAX,
		UINT64_MAX - 7, UINT64_C(0x8000000000000000)};
	enum fg_walk_end end;

	(void)state;
	for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++)
		for (size_t s = 0; s < sizeof(places) / sizeof(places[0]); s++) {
			end = FG_END_COUNT;
			assert_in_range(fg_unwind_sleeper(
						cache, places[p], places[s], pcs, exact, 64, &end),
				1, 64);
			assert_int_not_equal(end, FG_END_COUNT);
		}
	for (uint64_t offset = 0; offset < 2000; offset++)
		fg_unwind_sleeper(cache, (uint64_t)(uintptr_t)read_one + offset / 8,
			(uint64_t)(uintptr_t)&here + offset, pcs, exact, 64, &end);
	free(cache);
}

/* ---- looks ----------------------------------------------------------------------------------- */

struct scene {
	char *dir;
	struct fg_thread *own;
	struct fg_looker *looker;
	int tasks;
};

static void *new_memory(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

static int set_up(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct error err;

	if (file_make_temp_dir(NULL, "fgcap-", &scene->dir, &err) != ERR_OK)
		return -1;
	snprintf(fg_config.directory, sizeof(fg_config.directory), "%s", scene->dir);
	fg_config.rate_hz = 997;
	fg_config.capture_max_bytes = UINT64_C(64) << 20;
	fg_capture_forked();
	fg_modules_forked();
	fg_modules_init();
	assert_non_null(fg_capture_open());
	scene->own = new_memory(sizeof(*scene->own));
	scene->own->rules = new_memory(fg_rule_cache_bytes());
	scene->tasks = open_tasks();
	scene->looker = fg_looker_open(new_memory(fg_looker_bytes()), scene->own, scene->tasks);
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;
	struct error err;
	int error = file_remove_tree(scene->dir, &err);

	munmap(scene->own->rules, fg_rule_cache_bytes());
	munmap(scene->own, sizeof(*scene->own));
	munmap(scene->looker, fg_looker_bytes());
	close(scene->tasks);
	free(scene->dir);
	free(scene);
	return error;
}

static struct capture_total recorded(const struct scene *scene)
{
	struct capture_total total;
	struct capture_set set;
	struct error err;

	assert_int_equal(capture_set_read(&set, scene->dir, NULL, &err), ERR_OK);
	assert_int_equal(set.damaged, 0);
	assert_int_equal(set.process_count, 1);
	total = set.processes[0].totals[FG_KIND_OFF_CPU];
	capture_set_release(&set);
	return total;
}

static uint64_t now_ns(void)
{
	return fg_clock_ns(CLOCK_MONOTONIC);
}

static void sleep_ms(long ms)
{
	const struct timespec time = {0, ms * 1000000};

	nanosleep(&time, NULL);
}

/* The first look weighs a period, the later ones the time between:
 * the sleeper sleeps throughout. */
static void test_looks_weigh_a_period_and_then_the_time_between(void **state)
{
	struct scene *scene = *state;
	struct sleeper sleeper;
	struct fg_place place;
	struct capture_total total;
	uint64_t before, first, last, after;

	begin_sleeper(&sleeper, scene->tasks, &place);
	before = now_ns();
	assert_true(fg_looker_round(scene->looker, PERIOD_NS));
	first = now_ns();
	sleep_ms(5);
	fg_looker_round(scene->looker, PERIOD_NS);
	sleep_ms(5);
	last = now_ns();
	fg_looker_round(scene->looker, PERIOD_NS);
	after = now_ns();
	total = recorded(scene);
	assert_int_equal(total.count, 3);
	assert_int_equal(total.complete, 3);
	assert_in_range(total.sum, PERIOD_NS + (last - first), PERIOD_NS + (after - before));
	end_sleeper(&sleeper);
}

/* A tree like /proc's, of this one thread and without schedstat. */
static int fake_tasks(const struct scene *scene, pid_t tid, const struct fg_place *place)
{
	char path[8192];
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "%s/tasks", scene->dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/tasks/%d", scene->dir, tid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/tasks/%d/syscall", scene->dir, tid);
	file = fopen(path, "w");
	assert_non_null(file);
	if (place)
		fprintf(file, "0 0x0 0x0 0x0 0x0 0x0 0x0 0x%lx 0x%lx\n", (unsigned long)place->sp,
			(unsigned long)place->pc);
	else
		fputs("running\n", file);
	fclose(file);
	snprintf(path, sizeof(path), "%s/tasks", scene->dir);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* Looks that find it running leave nothing over where nobody says how long it has slept. */
static void test_without_schedstat_a_look_weighs_its_own_time(void **state)
{
	struct scene *scene = *state;
	struct sleeper sleeper;
	struct fg_looker *looker;
	struct fg_place place;
	struct capture_total total;
	uint64_t before, after, first, last;
	int fakes;

	begin_sleeper(&sleeper, scene->tasks, &place);
	fakes = fake_tasks(scene, sleeper.tid, NULL);
	looker = fg_looker_open(new_memory(fg_looker_bytes()), scene->own, fakes);
	assert_true(fg_looker_round(looker, PERIOD_NS));
	sleep_ms(5);
	before = now_ns();
	fg_looker_round(looker, PERIOD_NS);
	first = now_ns();
	close(fake_tasks(scene, sleeper.tid, &place));
	sleep_ms(5);
	last = now_ns();
	fg_looker_round(looker, PERIOD_NS);
	after = now_ns();
	total = recorded(scene);
	assert_int_equal(total.count, 1);
	assert_in_range(total.sum, last - first, after - before);
	munmap(looker, fg_looker_bytes());
	close(fakes);
	end_sleeper(&sleeper);
}

/* What lies at a place where the thread is not any more is not recorded. */
static void test_a_thread_that_moves_on_is_counted_as_failed(void **state)
{
	struct scene *scene = *state;
	uint64_t *failed = &fg_capture()->counters[FG_COUNTER_LOOKS_FAILED];
	const struct fg_place nowhere = {0, 0x1000, 0x1000};
	struct fg_looker *looker;
	int fakes = fake_tasks(scene, own_tid(), &nowhere); /* it runs, whatever the file says */

	looker = fg_looker_open(new_memory(fg_looker_bytes()), scene->own, fakes);
	assert_true(fg_looker_round(looker, PERIOD_NS));
	assert_int_equal(*failed, 1);
	assert_int_equal(recorded(scene).count, 0);
	munmap(looker, fg_looker_bytes());
	close(fakes);
}

static void test_nobody_is_walked_while_an_object_is_closed(void **state)
{
	struct scene *scene = *state;
	uint64_t failed, held;
	struct sleeper sleeper;
	struct fg_place place;

	begin_sleeper(&sleeper, scene->tasks, &place);
	fg_off_cpu_hold();
	fg_off_cpu_hold();
	fg_off_cpu_release();
	fg_looker_round(scene->looker, PERIOD_NS);
	held = recorded(scene).count;
	failed = fg_capture()->counters[FG_COUNTER_LOOKS_FAILED];
	fg_off_cpu_release();
	fg_looker_round(scene->looker, PERIOD_NS);
	assert_int_equal(held, 0);
	assert_int_equal(failed, 2); /* this thread, which looks at itself, too */
	assert_int_equal(recorded(scene).count, 1);
	end_sleeper(&sleeper);
}

/* What slept before a pause weighs nothing behind it, but a first look's period. */
static void test_skipped_rounds_are_nobodys_sleep(void **state)
{
	struct scene *scene = *state;
	struct sleeper sleeper;
	struct fg_place place;

	begin_sleeper(&sleeper, scene->tasks, &place);
	fg_looker_round(scene->looker, PERIOD_NS);
	sleep_ms(30);
	assert_true(fg_looker_skip(scene->looker));
	fg_looker_round(scene->looker, PERIOD_NS);
	assert_int_equal(recorded(scene).count, 2);
	assert_int_equal(recorded(scene).sum, 2 * PERIOD_NS);
	end_sleeper(&sleeper);
}

static void test_threads_that_end_are_forgotten_and_others_kept(void **state)
{
	struct scene *scene = *state;
	struct sleeper sleepers[3];
	struct fg_place place;
	struct capture_total total;
	uint64_t begun = now_ns();

	for (int i = 0; i < 3; i++)
		begin_sleeper(&sleepers[i], scene->tasks, &place);
	fg_looker_round(scene->looker, PERIOD_NS);
	end_sleeper(&sleepers[0]);
	fg_looker_round(scene->looker, PERIOD_NS);
	end_sleeper(&sleepers[1]);
	begin_sleeper(&sleepers[0], scene->tasks, &place);
	fg_looker_round(scene->looker, PERIOD_NS);
	total = recorded(scene);
	assert_int_equal(total.count, 3 + 2 + 2);
	/* three that begin and one that begins later; the rest is time between looks */
	assert_in_range(total.sum, 4 * PERIOD_NS, 4 * PERIOD_NS + 3 * (now_ns() - begun));
	end_sleeper(&sleepers[0]);
	end_sleeper(&sleepers[2]);
}

static void test_dead_leaders_alone_are_nobody(void **state)
{
	struct scene *scene = *state;
	struct fg_looker *looker;
	char path[8192];
	FILE *file;
	int fakes = fake_tasks(scene, own_tid(), NULL);

	looker = fg_looker_open(new_memory(fg_looker_bytes()), scene->own, fakes);
	assert_true(fg_looker_round(looker, PERIOD_NS));
	assert_true(fg_looker_skip(looker));
	snprintf(path, sizeof(path), "%s/tasks/%d/syscall", scene->dir, own_tid());
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("-1 0x0 0x0\n", file);
	fclose(file);
	assert_false(fg_looker_round(looker, PERIOD_NS));
	assert_false(fg_looker_skip(looker));
	munmap(looker, fg_looker_bytes());
	close(fakes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_is_asleep_at_its_place),
		cmocka_unit_test(test_running_and_dead_threads_have_no_place),
		cmocka_unit_test(test_other_text_is_unknown),
		cmocka_unit_test(test_usage_is_time_on_a_cpu_and_waiting_for_one),
		cmocka_unit_test(test_exit_code_is_the_last_of_stat),
		cmocka_unit_test(test_cpu_clock_is_that_of_the_thread),
		cmocka_unit_test(test_each_thread_is_listed_once),
		cmocka_unit_test(test_a_sleepers_stack_is_walked_to_its_start),
		cmocka_unit_test(test_a_caller_is_not_found_at_what_calls_left_behind),
		cmocka_unit_test(test_a_walk_from_anywhere_ends),
		cmocka_unit_test_setup_teardown(
			test_looks_weigh_a_period_and_then_the_time_between, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_without_schedstat_a_look_weighs_its_own_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_thread_that_moves_on_is_counted_as_failed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_nobody_is_walked_while_an_object_is_closed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_skipped_rounds_are_nobodys_sleep, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_threads_that_end_are_forgotten_and_others_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_dead_leaders_alone_are_nobody, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
