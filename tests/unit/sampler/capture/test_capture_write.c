/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's side against the reader's, in one process and without any signal. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/profile/capture/capture_read.h"
#include "gate/sampler/sampler.h"

static struct fg_thread *new_writer(void)
{
	struct fg_thread *thread = mmap(
		NULL, sizeof(*thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(thread != MAP_FAILED);
	return thread;
}

static int set_up(void **state)
{
	struct error err;
	char *dir;

	if (file_make_temp_dir(NULL, "fgcap-", &dir, &err) != ERR_OK)
		return -1;
	snprintf(fg_config.directory, sizeof(fg_config.directory), "%s", dir);
	snprintf(fg_config.executable, sizeof(fg_config.executable), "/bin/tested");
	fg_config.rate_hz = 997;
	fg_config.capture_max_bytes = UINT64_C(64) << 20;
	fg_capture_forked();
	fg_modules_forked();
	fg_modules_init();
	*state = dir;
	return 0;
}

static int tear_down(void **state)
{
	struct error err;
	int error = file_remove_tree(*state, &err);

	free(*state);
	return error;
}

static bool add(struct fg_thread *thread, const uint64_t *pcs, size_t depth, uint32_t epoch,
	uint64_t weight)
{
	static const uint64_t exact[FG_MAX_DEPTH / 64];
	struct fg_walk walk = {pcs, exact, depth, FG_END_ROOT, 0};
	const struct fg_key key = {FG_KIND_CPU, epoch, 0};

	walk.hash = fg_walk_hash(&walk);
	return fg_capture_add(thread, &walk, &key, weight);
}

static void read_back(struct capture_set *set, const char *dir)
{
	struct error err;

	assert_int_equal(capture_set_read(set, dir, NULL, &err), ERR_OK);
	assert_int_equal(set->damaged, 0);
	assert_int_equal(set->process_count, 1);
}

static void test_written_samples_are_read_back(void **state)
{
	static const uint64_t pcs[] = {0x1000, 0x2000, 0x3000};
	struct fg_thread *thread = new_writer();
	const struct capture_process *process;
	struct capture_set set;

	assert_non_null(fg_capture_open());
	assert_true(add(thread, pcs, 3, 0, 1000));
	assert_true(add(thread, pcs, 3, 0, 3000));
	assert_true(add(thread, pcs, 3, 7, 10));
	assert_true(add(thread, pcs + 1, 2, 0, 5));
	read_back(&set, *state);
	process = set.processes;
	assert_string_equal(process->executable, "/bin/tested");
	assert_int_equal(process->pid, getpid());
	assert_int_equal(process->samples, 4);
	assert_int_equal(set.complete, 4);
	assert_int_equal(process->stack_count, 2);
	assert_int_equal(process->entry_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct capture_sample *sample = &process->entries[i];
		const struct capture_stack *stack = &process->stacks[sample->stack];

		if (sample->epoch == 7) {
			assert_int_equal(sample->sum, 10);
		} else if (sample->count == 2) {
			assert_int_equal(sample->sum, 4000);
			assert_true(sample->sum_squares == 1e6 + 9e6);
			assert_int_equal(stack->depth, 3);
			assert_int_equal(stack->frames[0].address, 0x1000);
			assert_true(stack->frames[0].exact);
			assert_false(stack->frames[1].exact);
			assert_int_equal(stack->frames[2].module, CAPTURE_NO_MODULE);
		}
	}
	capture_set_release(&set);
}

static void test_squares_go_past_64_bits(void **state)
{
	static const uint64_t pcs[] = {0x1000};
	struct fg_thread *thread = new_writer();
	const uint64_t hour = UINT64_C(3600000000000);
	struct capture_set set;

	assert_non_null(fg_capture_open());
	for (int i = 0; i < 100; i++)
		assert_true(add(thread, pcs, 1, 0, hour));
	read_back(&set, *state);
	assert_true(set.processes->entries[0].sum_squares > 0.999 * 100 * 3.6e12 * 3.6e12);
	assert_true(set.processes->entries[0].sum_squares < 1.001 * 100 * 3.6e12 * 3.6e12);
	capture_set_release(&set);
}

/* Many blocks; each stack once, however often it comes back. */
static void test_stacks_outgrow_blocks_without_duplicates(void **state)
{
	enum { STACKS = 20000 };
	struct fg_thread *thread = new_writer();
	struct capture_set set;
	uint64_t used;

	assert_non_null(fg_capture_open());
	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < STACKS; i++) {
			uint64_t pcs[3] = {0x1000 + i, 0x5000 + i / 3, 0x900000};

			assert_true(add(thread, pcs, 3, 0, i + 1));
		}
		if (round == 0)
			used = fg_capture()->used_bytes;
	}
	assert_true(thread->writer.count > 3);
	assert_int_equal(fg_capture()->used_bytes, used);
	read_back(&set, *state);
	assert_int_equal(set.processes->stack_count, STACKS);
	assert_int_equal(set.processes->entry_count, STACKS);
	assert_int_equal(set.samples, 3 * STACKS);
	capture_set_release(&set);
}

static void test_two_threads_blocks_are_merged(void **state)
{
	static const uint64_t pcs[] = {0x1000, 0x2000};
	struct fg_thread *one = new_writer(), *two = new_writer();
	struct capture_set set;

	assert_non_null(fg_capture_open());
	assert_true(add(one, pcs, 2, 0, 100));
	assert_true(add(two, pcs, 2, 0, 200));
	read_back(&set, *state);
	assert_int_equal(set.processes->stack_count, 1);
	assert_int_equal(set.processes->entry_count, 1);
	assert_int_equal(set.processes->entries[0].count, 2);
	assert_int_equal(set.processes->entries[0].sum, 300);
	capture_set_release(&set);
}

static void test_full_capture_refuses_and_stays_readable(void **state)
{
	struct fg_thread *thread = new_writer();
	struct capture_set set;
	uint64_t kept = 0, refused = 0;

	fg_config.capture_max_bytes = UINT64_C(1) << 20;
	assert_non_null(fg_capture_open());
	for (uint64_t i = 0; i < 50000; i++) {
		uint64_t pcs[2] = {0x1000 + i, 0x2000};

		if (add(thread, pcs, 2, 0, 1))
			kept++;
		else
			refused++;
	}
	assert_true(kept > 1000 && refused > 1000);
	read_back(&set, *state);
	assert_int_equal(set.samples, kept);
	capture_set_release(&set);
}

static void test_deepest_stack_fits(void **state)
{
	uint64_t pcs[FG_MAX_DEPTH];
	struct fg_thread *thread = new_writer();
	struct capture_set set;

	for (size_t i = 0; i < FG_MAX_DEPTH; i++)
		pcs[i] = 0x1000 + i;
	assert_non_null(fg_capture_open());
	for (uint32_t i = 0; i < 40; i++) {
		pcs[0] = 0x100000 + i;
		assert_true(add(thread, pcs, FG_MAX_DEPTH, 0, 1));
	}
	read_back(&set, *state);
	assert_int_equal(set.processes->stack_count, 40);
	assert_int_equal(set.processes->stacks[39].depth, FG_MAX_DEPTH);
	capture_set_release(&set);
}

static void test_frames_name_module_and_link_time_address(void **state)
{
	uint64_t pcs[2] = {(uint64_t)(uintptr_t)&test_deepest_stack_fits,
		(uint64_t)(uintptr_t)&fg_capture_open + 1};
	struct fg_thread *thread = new_writer();
	const struct capture_process *process;
	const struct capture_frame *frames;
	struct capture_set set;

	assert_non_null(fg_capture_open());
	assert_true(add(thread, pcs, 2, 0, 1));
	read_back(&set, *state);
	process = set.processes;
	assert_int_equal(process->module_count, 1);
	assert_string_equal(process->modules[0].path, "/bin/tested");
	frames = process->stacks[0].frames;
	assert_int_equal(frames[0].module, 0);
	assert_int_equal(frames[0].address + process->modules[0].bias, pcs[0]);
	assert_int_equal(frames[1].address + process->modules[0].bias, pcs[1]);
	assert_true(process->modules[0].start <= pcs[0] && pcs[0] < process->modules[0].limit);
	capture_set_release(&set);
}

static void test_each_image_has_its_own_file(void **state)
{
	struct capture_set set;
	struct error err;

	for (int i = 0; i < 3; i++) {
		fg_capture_forked();
		assert_non_null(fg_capture_open());
	}
	assert_int_equal(capture_set_read(&set, *state, NULL, &err), ERR_OK);
	assert_int_equal(set.process_count, 3);
	capture_set_release(&set);
}

static void test_random_first_expiry_covers_the_period(void **state)
{
	struct fg_thread *thread = new_writer();
	unsigned tenths[10] = {0};

	(void)state;
	thread->random = 42;
	for (int i = 0; i < 10000; i++) {
		uint64_t x = fg_thread_random(thread, 1000);

		assert_true(x >= 1 && x <= 1000);
		tenths[(x - 1) / 100]++;
	}
	for (int i = 0; i < 10; i++)
		assert_true(tenths[i] > 800 && tenths[i] < 1200);
}

static void test_lock_excludes_and_is_given_back(void **state)
{
	uint32_t word = 0;

	(void)state;
	assert_true(fg_lock(&word));
	assert_int_not_equal(word, 0);
	fg_unlock(&word);
	assert_int_equal(word, 0);
	assert_true(fg_lock(&word));
	fg_unlock(&word);
}

/* The file system has no such call, or a signal of the program's ends it each time. */
static bool refuse_allocation(int error)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {4, program};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

enum { REFUSED_ROUNDS = 20000 };

static bool write_refused(int error)
{
	struct fg_thread *thread = new_writer();

	if (!refuse_allocation(error) || !fg_capture_open())
		return false;
	for (uint64_t i = 0; i < REFUSED_ROUNDS; i++)
		if (!add(thread, (const uint64_t[]){0x1000, 0x2000 + i}, 2, 0, 1))
			return false;
	return true;
}

static void test_a_file_grows_where_allocation_is_refused(void **state)
{
	static const int errors[] = {EINTR, EOPNOTSUPP};
	struct error err;

	for (size_t i = 0; i < 2; i++) {
		struct capture_set set;
		int status;
		pid_t child = fork();

		if (child == 0)
			_exit(write_refused(errors[i]) ? 0 : 1);
		assert_true(waitpid(child, &status, 0) == child && status == 0);
		read_back(&set, *state);
		assert_int_equal(set.processes->entry_count, REFUSED_ROUNDS);
		capture_set_release(&set);
		assert_int_equal(file_remove_tree(*state, &err), ERR_OK);
		assert_int_equal(mkdir(*state, 0700), 0);
	}
}

#define CAPTURE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CAPTURE_TEST(test_written_samples_are_read_back),
		CAPTURE_TEST(test_squares_go_past_64_bits),
		CAPTURE_TEST(test_stacks_outgrow_blocks_without_duplicates),
		CAPTURE_TEST(test_two_threads_blocks_are_merged),
		CAPTURE_TEST(test_full_capture_refuses_and_stays_readable),
		CAPTURE_TEST(test_deepest_stack_fits),
		CAPTURE_TEST(test_frames_name_module_and_link_time_address),
		CAPTURE_TEST(test_each_image_has_its_own_file),
		CAPTURE_TEST(test_a_file_grows_where_allocation_is_refused),
		cmocka_unit_test(test_random_first_expiry_covers_the_period),
		cmocka_unit_test(test_lock_excludes_and_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
