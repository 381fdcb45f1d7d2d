/* SPDX-License-Identifier: Apache-2.0 */
/* Whose signal is it, whose descriptor, whose number: without any thread or timer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/sampler/thread/slots.h"

/* Numbers that no kernel gives. */
#define TID 0x50000001

static int all_free(void **state)
{
	(void)state;
	for (int fd = fg_threads_next_fd(0); fd >= 0; fd = fg_threads_next_fd(0))
		fg_slot_set_fd(fg_slot_of_fd(fd), -1);
	fg_slots_forked(NULL, 0);
	return 0;
}

static struct fg_thread *take(pid_t tid)
{
	struct fg_thread *slot;

	assert_true(fg_slots_lock());
	slot = fg_slot_take(tid);
	fg_slots_unlock();
	assert_non_null(slot);
	return slot;
}

static void give_back(struct fg_thread *slot)
{
	assert_true(fg_slots_lock());
	fg_slot_release(slot);
	fg_slots_unlock();
}

static void test_a_number_has_one_slot(void **state)
{
	struct fg_thread *one = take(TID), *two = take(TID + 1);

	(void)state;
	assert_ptr_not_equal(one, two);
	assert_ptr_equal(take(TID), one);
	assert_ptr_equal(fg_slot_of_tid(TID + 1), two);
	assert_null(fg_slot_of_tid(TID + 2));
	assert_int_equal(fg_slots_used(), 2);
}

/* The kernel says what it may read for us. */
static bool is_readable(const unsigned char *at)
{
	int ends[2];
	bool readable;

	assert_int_equal(pipe(ends), 0);
	readable = write(ends[1], at, 1) == 1;
	close(ends[0]);
	close(ends[1]);
	return readable;
}

static void test_nobody_runs_off_the_alternate_stack_unseen(void **state)
{
	struct fg_thread *slot = take(TID);

	(void)state;
	assert_true(is_readable(slot->alt_stack));
	assert_true(is_readable(slot->alt_stack + FG_ALT_STACK_BYTES - 1));
	assert_false(is_readable(slot->alt_stack - 1));
	assert_false(is_readable(slot->alt_stack - FG_GUARD_BYTES));
	assert_true((unsigned char *)slot->rules + fg_rule_cache_bytes() <=
		    slot->alt_stack - FG_GUARD_BYTES);
	assert_int_equal((uintptr_t)(slot->alt_stack + FG_ALT_STACK_BYTES) % 16, 0);
}

/* 4096 apart: they share a chain. */
static void test_numbers_that_share_a_chain_are_told_apart(void **state)
{
	struct fg_thread *slots[5];

	(void)state;
	for (int i = 0; i < 5; i++)
		slots[i] = take(TID + i * 4096);
	give_back(slots[2]);
	give_back(slots[4]);
	for (int i = 0; i < 5; i++)
		assert_ptr_equal(
			fg_slot_of_tid(TID + i * 4096), i == 2 || i == 4 ? NULL : slots[i]);
}

static void test_a_slot_is_used_again_with_another_token(void **state)
{
	struct fg_thread *first = take(TID), *second;
	uint64_t token = first->token;

	(void)state;
	give_back(first);
	assert_int_equal(fg_slots_used(), 0);
	second = take(TID + 7);
	assert_ptr_equal(second, first);
	assert_true(second->token != token);
	assert_null(fg_slot_of_token(token));
	assert_true(fg_slots_made_token(token)); /* a late signal of the first */
	assert_ptr_equal(fg_slot_of_token(second->token), second);
}

static void test_a_made_up_token_finds_nothing(void **state)
{
	struct fg_thread *slot = take(TID);

	(void)state;
	assert_ptr_equal(fg_slot_of_token(slot->token), slot);
	assert_null(fg_slot_of_token(0));
	assert_null(fg_slot_of_token(slot->index));
	assert_null(fg_slot_of_token(slot->token ^ UINT64_C(1) << 40));
	assert_null(fg_slot_of_token((uint64_t)(uintptr_t)slot));
	assert_true(fg_slots_made_token(slot->token));
	assert_false(fg_slots_made_token(0));
	for (int bit = 0; bit < 16; bit++)
		assert_false(fg_slots_made_token(slot->token ^ UINT64_C(0x10000) << bit));
	assert_null(fg_slot_of_token(UINT64_MAX));
	give_back(slot);
	assert_null(fg_slot_of_token(slot->index));
	assert_null(fg_slot_of_token(0));
}

static void test_descriptors_are_found_in_order_and_forgotten(void **state)
{
	struct fg_thread *one = take(TID), *two = take(TID + 1);

	(void)state;
	assert_true(fg_slot_set_fd(one, 300));
	assert_true(fg_slot_set_fd(two, 256));
	assert_ptr_equal(fg_slot_of_fd(300), one);
	assert_true(fg_threads_own_fd(256));
	assert_false(fg_threads_own_fd(299));
	assert_int_equal(fg_threads_next_fd(0), 256);
	assert_int_equal(fg_threads_next_fd(257), 300);
	assert_int_equal(fg_threads_next_fd(301), -1);
	assert_int_equal(fg_threads_next_fd(UINT32_MAX), -1);
	assert_true(fg_slot_set_fd(one, 400));
	assert_false(fg_threads_own_fd(300));
	assert_ptr_equal(fg_slot_of_fd(400), one);
	assert_true(fg_slot_set_fd(one, -1));
	assert_int_equal(one->perf_fd, -1);
	assert_int_equal(fg_threads_next_fd(257), -1);
}

static void test_descriptors_past_the_table_are_refused(void **state)
{
	struct fg_thread *slot = take(TID);

	(void)state;
	assert_false(fg_slot_set_fd(slot, 65536));
	assert_false(fg_slot_set_fd(slot, INT32_MAX));
	assert_int_equal(slot->perf_fd, -1);
	assert_true(fg_slot_set_fd(slot, 65535));
	assert_null(fg_slot_of_fd(65536));
	assert_null(fg_slot_of_fd(-1));
	assert_ptr_equal(fg_slot_of_fd(65535), slot);
}

static void test_adopted_slots_are_counted(void **state)
{
	struct fg_thread *one = take(TID), *two = take(TID + 1);

	(void)state;
	fg_slot_mark_adopted(one, true);
	fg_slot_mark_adopted(one, true);
	fg_slot_mark_adopted(two, true);
	assert_int_equal(fg_slots_adopted(), 2);
	fg_slot_mark_adopted(two, false);
	give_back(one);
	assert_int_equal(fg_slots_adopted(), 0);
	assert_false(take(TID + 9)->is_adopted);
}

static void test_a_forked_child_keeps_one_slot_under_its_own_number(void **state)
{
	struct fg_thread *one = take(TID), *two = take(TID + 1);
	uint64_t token = two->token;

	(void)state;
	fg_slot_mark_adopted(one, true);
	fg_slots_forked(two, TID + 5);
	assert_int_equal(fg_slots_used(), 1);
	assert_int_equal(fg_slots_adopted(), 0);
	assert_null(fg_slot_of_tid(TID));
	assert_null(fg_slot_of_tid(TID + 1));
	assert_ptr_equal(fg_slot_of_tid(TID + 5), two);
	assert_int_equal(two->tid, TID + 5);
	assert_true(two->in_use);
	assert_false(one->in_use);
	assert_null(fg_slot_of_token(token));
	assert_ptr_equal(fg_slot_of_token(two->token), two);
	assert_ptr_equal(take(TID + 6), one);
}

/* All children of one parent start from the same memory. */
static void test_children_draw_other_numbers_than_their_siblings(void **state)
{
	struct fg_thread *slot = take(TID);
	uint64_t first, second;

	(void)state;
	fg_slots_init(42);
	fg_slots_forked(slot, TID + 1);
	first = fg_thread_random(slot, UINT64_MAX);
	fg_slots_init(42);
	fg_slots_forked(slot, TID + 2);
	second = fg_thread_random(slot, UINT64_MAX);
	assert_true(first != second);
}

static void test_random_numbers_fill_their_range(void **state)
{
	struct fg_thread *slot = take(TID);
	unsigned seen = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t number = fg_thread_random(slot, 5);

		assert_true(number >= 1 && number <= 5);
		seen |= 1U << number;
	}
	assert_int_equal(seen, 0x3e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_nobody_runs_off_the_alternate_stack_unseen, all_free),
		cmocka_unit_test_setup(test_a_number_has_one_slot, all_free),
		cmocka_unit_test_setup(test_numbers_that_share_a_chain_are_told_apart, all_free),
		cmocka_unit_test_setup(test_a_slot_is_used_again_with_another_token, all_free),
		cmocka_unit_test_setup(test_a_made_up_token_finds_nothing, all_free),
		cmocka_unit_test_setup(test_descriptors_are_found_in_order_and_forgotten, all_free),
		cmocka_unit_test_setup(test_descriptors_past_the_table_are_refused, all_free),
		cmocka_unit_test_setup(test_adopted_slots_are_counted, all_free),
		cmocka_unit_test_setup(
			test_a_forked_child_keeps_one_slot_under_its_own_number, all_free),
		cmocka_unit_test_setup(
			test_children_draw_other_numbers_than_their_siblings, all_free),
		cmocka_unit_test_setup(test_random_numbers_fill_their_range, all_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
