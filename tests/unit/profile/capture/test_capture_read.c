/* SPDX-License-Identifier: Apache-2.0 */
/* Captures made by hand, sound and damaged: the measured program can write into its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "tests/unit/profile/capture_image.h"

static void test_sound_capture_is_read(void **state)
{
	struct image *image = new_image();
	const struct capture_process *process;
	struct capture_set set;
	struct error err;

	(void)state;
	capture_set_init(&set);
	assert_int_equal(read_image(&set, image, sizeof(*image), &err), ERR_OK);
	assert_int_equal(set.process_count, 1);
	assert_int_equal(set.samples, 7);
	assert_int_equal(set.complete, 5);
	assert_int_equal(set.lost, 3);
	process = set.processes;
	assert_int_equal(process->pid, 12);
	assert_int_equal(process->cpu_ns, 1000);
	assert_int_equal(process->mechanism, CAPTURE_PERF);
	assert_true(process->exited);
	assert_string_equal(process->modules[0].path, "/bin/x");
	assert_string_equal(process->modules[0].build_id, "abcd");
	assert_int_equal(process->stack_count, 2);
	assert_true(process->stacks[0].complete);
	assert_false(process->stacks[1].complete);
	assert_int_equal(process->stacks[0].frames[0].address, 0x1000);
	assert_true(process->stacks[0].frames[0].exact);
	assert_int_equal(process->stacks[0].frames[1].module, 0);
	assert_int_equal(process->entries[0].sum, 5000);
	assert_true(process->entries[0].sum_squares == 5e6);
	capture_set_release(&set);
	free(image);
}

static void test_equal_stacks_and_entries_are_merged(void **state)
{
	struct image *image = new_image();
	struct capture_set set;
	struct error err;

	(void)state;
	put_stack(image, 48, FG_END_ROOT, 0x1000);
	put_entry(image, 7, 48, 0, 10);
	put_entry(image, 8, 48, 4, 1);
	capture_set_init(&set);
	assert_int_equal(read_image(&set, image, sizeof(*image), &err), ERR_OK);
	assert_int_equal(set.processes->stack_count, 2);
	assert_int_equal(set.processes->entry_count, 3);
	assert_int_equal(set.processes->entries[0].count, 15);
	capture_set_release(&set);
	free(image);
}

static void test_unaligned_bytes_are_read(void **state)
{
	struct image *image = new_image();
	unsigned char *copy = malloc(sizeof(*image) + 1);
	struct capture_set set;
	struct error err;

	(void)state;
	memcpy(copy + 1, image, sizeof(*image));
	capture_set_init(&set);
	assert_int_equal(read_image(&set, copy + 1, sizeof(*image), &err), ERR_OK);
	assert_int_equal(set.samples, 7);
	capture_set_release(&set);
	free(copy);
	free(image);
}

/* ---- damage: each of these changes one thing in a sound image -------------------------------- */

static void bad_magic(struct image *image)
{
	image->header.magic ^= 1;
}
/* The magic has the version's digit, too. */
static void other_version_entirely(struct image *image)
{
	image->header.magic ^= UINT64_C(1) << 48;
	image->header.version = 2;
}
static void other_version(struct image *image)
{
	image->header.version = 1;
}
static void used_past_the_end(struct image *image)
{
	image->header.used_bytes += 4096;
}
static void used_before_the_header(struct image *image)
{
	image->header.used_bytes = 16;
}
static void used_ends_in_a_block(struct image *image)
{
	image->header.used_bytes -= 4096;
}
static void used_ends_in_a_block_head(struct image *image)
{
	image->header.used_bytes = DATA_AT + 8;
}
static void unknown_mechanism(struct image *image)
{
	image->header.mechanism = 77;
}
static void endless_executable(struct image *image)
{
	memset(image->header.executable, 'x', sizeof(image->header.executable));
}
static void unknown_processor(struct image *image)
{
	image->header.arch = 0;
}
static void clock_runs_backwards(struct image *image)
{
	image->header.cpu_ns = 1;
}
static void negative_lost(struct image *image)
{
	image->header.lost = UINT64_MAX;
}
static void block_of_zero_bytes(struct image *image)
{
	((struct fg_block *)image->modules)->bytes = 0;
}
static void block_of_huge_size(struct image *image)
{
	((struct fg_block *)image->data)->bytes = UINT64_C(1) << 63;
}
static void block_of_odd_size(struct image *image)
{
	((struct fg_block *)image->data)->bytes = FG_DATA_BLOCK_MIN - 64;
}
static void block_of_unknown_kind(struct image *image)
{
	((struct fg_block *)image->data)->kind = 9;
}
static void block_uses_too_much(struct image *image)
{
	((struct fg_block *)image->modules)->used = FG_RECORD_BLOCK_BYTES;
}
static void module_of_zero_bytes(struct image *image)
{
	module_of(image)->bytes = 0;
}
static void module_past_its_block(struct image *image)
{
	module_of(image)->bytes = 48;
}
static void module_path_past_its_record(struct image *image)
{
	module_of(image)->path_bytes = 4096;
}
static void module_build_id_too_long(struct image *image)
{
	module_of(image)->build_id_bytes = 65;
}
static void module_ends_before_it_starts(struct image *image)
{
	module_of(image)->limit = 1;
}
static void module_path_with_nul(struct image *image)
{
	((char *)(module_of(image) + 1))[4] = '\0';
}
static void entry_without_samples(struct image *image)
{
	entry_of(image, 0)->count = 0;
}
static void entry_count_overflows(struct image *image)
{
	entry_of(image, 0)->count = UINT64_MAX;
}
static void entry_weight_overflows(struct image *image)
{
	entry_of(image, 0)->sum = UINT64_MAX;
}
static void stack_in_the_header(struct image *image)
{
	entry_of(image, 0)->stack = 4;
}
static void stack_in_the_entries(struct image *image)
{
	entry_of(image, 0)->stack = (DATA_AT + 64) / 8;
}
static void stack_past_the_file(struct image *image)
{
	entry_of(image, 0)->stack = UINT32_MAX;
}
static void stack_at_the_last_bytes(struct image *image)
{
	entry_of(image, 0)->stack = (uint32_t)((DATA_AT + FG_DATA_BLOCK_MIN) / 8 - 1);
}
static void stack_of_no_frame(struct image *image)
{
	((struct fg_stack *)arena_of(image, 0))->depth = 0;
}
static void stack_of_endless_frames(struct image *image)
{
	((struct fg_stack *)arena_of(image, 0))->depth = UINT32_MAX;
}
static void stack_with_unknown_end(struct image *image)
{
	((struct fg_stack *)arena_of(image, 0))->end = FG_END_COUNT;
}
static void frame_of_missing_module(struct image *image)
{
	uint64_t frame = UINT64_C(9) << FG_FRAME_MODULE_SHIFT;

	memcpy(arena_of(image, 8), &frame, sizeof(frame));
}
/* Each 8 bytes of the arena are a stack of 300 frames: together more than the file can hold. */
static void overlapping_stacks(struct image *image)
{
	for (size_t i = 0; i < 100; i++) {
		struct fg_stack *stack = arena_of(image, 48 + 8 * i);

		stack->depth = 300;
		stack->end = FG_END_ROOT;
		put_entry(image, 10 + i, 48 + 8 * i, 0, 1);
	}
}

static const struct {
	const char *name;
	void (*damage)(struct image *);
} damages[] = {
#define DAMAGE(name)                                                                               \
	{                                                                                          \
#name, name                                                                        \
	}
	DAMAGE(bad_magic),
	DAMAGE(other_version),
	DAMAGE(other_version_entirely),
	DAMAGE(used_past_the_end),
	DAMAGE(used_before_the_header),
	DAMAGE(used_ends_in_a_block),
	DAMAGE(used_ends_in_a_block_head),
	DAMAGE(unknown_mechanism),
	DAMAGE(endless_executable),
	DAMAGE(unknown_processor),
	DAMAGE(clock_runs_backwards),
	DAMAGE(negative_lost),
	DAMAGE(block_of_zero_bytes),
	DAMAGE(block_of_huge_size),
	DAMAGE(block_of_odd_size),
	DAMAGE(block_of_unknown_kind),
	DAMAGE(block_uses_too_much),
	DAMAGE(module_of_zero_bytes),
	DAMAGE(module_past_its_block),
	DAMAGE(module_path_past_its_record),
	DAMAGE(module_build_id_too_long),
	DAMAGE(module_ends_before_it_starts),
	DAMAGE(module_path_with_nul),
	DAMAGE(entry_without_samples),
	DAMAGE(entry_count_overflows),
	DAMAGE(entry_weight_overflows),
	DAMAGE(stack_in_the_header),
	DAMAGE(stack_in_the_entries),
	DAMAGE(stack_past_the_file),
	DAMAGE(stack_at_the_last_bytes),
	DAMAGE(stack_of_no_frame),
	DAMAGE(stack_of_endless_frames),
	DAMAGE(stack_with_unknown_end),
	DAMAGE(frame_of_missing_module),
	DAMAGE(overlapping_stacks),
};

static void test_each_damage_is_refused_and_leaves_the_set(void **state)
{
	struct image *sound = new_image();
	struct capture_set set;
	struct error err;

	(void)state;
	capture_set_init(&set);
	assert_int_equal(read_image(&set, sound, sizeof(*sound), &err), ERR_OK);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct image *image = new_image();
		int error;

		damages[i].damage(image);
		error = read_image(&set, image, sizeof(*image), &err);
		if (error != ERR_CORRUPT)
			fail_msg("%s gave %d", damages[i].name, error);
		assert_non_null(strstr(err.message, "a.fgcap"));
		assert_int_equal(set.process_count, 1);
		assert_int_equal(set.samples, 7);
		assert_int_equal(set.complete, 5);
		free(image);
	}
	capture_set_release(&set);
	free(sound);
}

static void test_every_truncation_is_refused(void **state)
{
	struct image *image = new_image();

	(void)state;
	for (size_t length = 0; length < sizeof(*image); length += 61) {
		/* An exact allocation, so that a sanitizer sees any byte too far. */
		unsigned char *copy = malloc(length ? length : 1);
		struct capture_set set;
		struct error err;

		memcpy(copy, image, length);
		capture_set_init(&set);
		assert_int_equal(read_image(&set, copy, length, &err), ERR_CORRUPT);
		capture_set_release(&set);
		free(copy);
	}
	free(image);
}

static void test_running_process_may_be_ahead_of_its_modules(void **state)
{
	struct image *image = new_image();
	struct capture_set set;
	struct error err;

	(void)state;
	image->header.exited = 0;
	frame_of_missing_module(image);
	capture_set_init(&set);
	assert_int_equal(read_image(&set, image, sizeof(*image), &err), ERR_OK);
	assert_int_equal(set.processes->stacks[0].frames[0].module, CAPTURE_NO_MODULE);
	capture_set_release(&set);
	free(image);
}

static void expect_limit(struct capture_limits limits)
{
	struct image *image = new_image();
	struct capture_set set;
	struct error err;

	capture_set_init(&set);
	assert_int_equal(capture_read_bytes(&set, image, sizeof(*image), "a.fgcap", &limits, &err),
		ERR_LIMIT);
	assert_int_equal(set.process_count, 0);
	capture_set_release(&set);
	free(image);
}

static void test_each_limit_is_kept(void **state)
{
	struct capture_limits limits = capture_default_limits;

	(void)state;
	limits.max_stacks = 1;
	expect_limit(limits);
	limits = capture_default_limits;
	limits.max_depth = 1;
	expect_limit(limits);
	limits = capture_default_limits;
	limits.max_modules = 0;
	expect_limit(limits);
	limits = capture_default_limits;
	limits.max_file_bytes = 1000;
	expect_limit(limits);
}

/* ---- directories ----------------------------------------------------------------------------- */

static char *make_dir(void)
{
	struct error err;
	char *dir;

	assert_int_equal(file_make_temp_dir(NULL, "fgread-", &dir, &err), ERR_OK);
	return dir;
}

static void write_file(const char *dir, const char *name, const void *data, size_t length)
{
	char *path = file_join(dir, name);
	struct error err;

	assert_int_equal(file_write(path, data, length, &err), ERR_OK);
	free(path);
}

static void drop_dir(char *dir)
{
	struct error err;

	assert_int_equal(file_remove_tree(dir, &err), ERR_OK);
	free(dir);
}

static void test_damaged_files_are_counted_and_skipped(void **state)
{
	struct image *image = new_image();
	char *dir = make_dir(), *link = file_join(dir, "5-0.fgcap");
	struct capture_set set;
	struct error err;

	(void)state;
	image->header.pid = 2;
	write_file(dir, "2-0.fgcap", image, sizeof(*image));
	image->header.pid = 1;
	write_file(dir, "1-0.fgcap", image, sizeof(*image));
	write_file(dir, "notes.txt", "hello", 5);
	write_file(dir, "3-0.fgcap", "hello", 5);
	write_file(dir, "4-0.fgcap", image, sizeof(*image) - 100);
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(capture_set_read(&set, dir, NULL, &err), ERR_OK);
	assert_int_equal(set.process_count, 2);
	assert_int_equal(set.processes[0].pid, 1);
	assert_int_equal(set.processes[1].pid, 2);
	assert_int_equal(set.damaged, 3);
	assert_non_null(strstr(set.damage, "3-0.fgcap"));
	assert_int_equal(set.samples, 14);
	capture_set_release(&set);
	free(link);
	free(image);
	drop_dir(dir);
}

static void test_capture_without_a_header_yet_is_none(void **state)
{
	struct image *image = new_image();
	char *dir = make_dir();
	struct capture_set set;
	struct error err;

	(void)state;
	image->header.magic = 0;
	write_file(dir, "1-0.fgcap", image, sizeof(*image));
	write_file(dir, "2-0.fgcap", "", 0);
	assert_int_equal(capture_set_read(&set, dir, NULL, &err), ERR_OK);
	assert_int_equal(set.process_count, 0);
	assert_int_equal(set.damaged, 0);
	capture_set_release(&set);
	free(image);
	drop_dir(dir);
}

static void test_missing_directory_and_too_many_files_are_errors(void **state)
{
	struct capture_limits limits = capture_default_limits;
	char *dir = make_dir(), absent[256];
	struct capture_set set;
	struct error err;

	(void)state;
	snprintf(absent, sizeof(absent), "%s/absent", dir);
	assert_int_equal(capture_set_read(&set, absent, NULL, &err), ERR_NOT_FOUND);
	capture_set_release(&set);
	write_file(dir, "1-0.fgcap", "", 0);
	write_file(dir, "2-0.fgcap", "", 0);
	limits.max_files = 1;
	assert_int_equal(capture_set_read(&set, dir, &limits, &err), ERR_LIMIT);
	capture_set_release(&set);
	drop_dir(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound_capture_is_read),
		cmocka_unit_test(test_equal_stacks_and_entries_are_merged),
		cmocka_unit_test(test_unaligned_bytes_are_read),
		cmocka_unit_test(test_each_damage_is_refused_and_leaves_the_set),
		cmocka_unit_test(test_every_truncation_is_refused),
		cmocka_unit_test(test_running_process_may_be_ahead_of_its_modules),
		cmocka_unit_test(test_each_limit_is_kept),
		cmocka_unit_test(test_damaged_files_are_counted_and_skipped),
		cmocka_unit_test(test_capture_without_a_header_yet_is_none),
		cmocka_unit_test(test_missing_directory_and_too_many_files_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
