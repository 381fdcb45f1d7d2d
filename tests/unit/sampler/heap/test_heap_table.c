/* SPDX-License-Identifier: Apache-2.0 */
/* The table of live blocks and the list of mappings against naive models, over random traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "gate/sampler/heap/heap_ranges.h"
#include "gate/sampler/heap/heap_table.h"

enum { ADDRESSES = 20000, STEPS = 400000 };

static uint64_t random_state;

static uint32_t chance(uint32_t bound)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(random_state >> 33) % bound;
}

static struct fg_live_block block_at(uint32_t index, uint64_t version)
{
	return (struct fg_live_block){.address = 0x7f0000001010 + (uint64_t)index * 16,
		.bytes = version,
		.walk_hash = version * 3,
		.stack = index,
		.context = (uint32_t)version};
}

static void assert_same_block(const struct fg_live_block *a, const struct fg_live_block *b)
{
	assert_int_equal(a->address, b->address);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->walk_hash, b->walk_hash);
	assert_int_equal(a->stack, b->stack);
	assert_int_equal(a->context, b->context);
}

static uint64_t used(const struct fg_heap_table *table)
{
	uint64_t sum = 0;

	for (int i = 0; i < FG_HEAP_SHARDS; i++)
		sum += table->shards[i].used;
	return sum;
}

/* model[i]: the version that lives at address i, 0: none. */
static uint64_t step(struct fg_heap_table *table, uint64_t *model, uint64_t version)
{
	uint32_t index = chance(chance(2) ? ADDRESSES : ADDRESSES / 10);
	struct fg_live_block block = block_at(index, version), found, expected;
	bool shared = chance(2) == 1;

	expected = block_at(index, model[index]);
	if (chance(2)) {
		enum fg_put result = fg_heap_put(table, &block, shared, &found);

		assert_int_equal(result, model[index] ? FG_PUT_REPLACED : FG_PUT_NEW);
		if (model[index])
			assert_same_block(&found, &expected);
		model[index] = version;
	} else {
		assert_int_equal(
			fg_heap_take(table, block.address, shared, &found), model[index] != 0);
		if (model[index])
			assert_same_block(&found, &expected);
		model[index] = 0;
	}
	return model[index];
}

static void test_the_table_holds_what_was_put(void **state)
{
	static struct fg_heap_table table = {.most_bytes = 1 << 30};
	static uint64_t model[ADDRESSES];
	struct fg_live_block found;
	uint64_t live = 0;

	(void)state;
	random_state = 1;
	for (uint64_t version = 1; version <= STEPS; version++)
		step(&table, model, version);
	for (uint32_t i = 0; i < ADDRESSES; i++)
		live += model[i] != 0;
	assert_int_equal(used(&table), live);
	for (uint32_t i = 0; i < ADDRESSES; i++)
		assert_int_equal(
			fg_heap_take(&table, block_at(i, 0).address, false, &found), model[i] != 0);
	assert_int_equal(used(&table), 0);
	fg_heap_table_release(&table);
}

/* All blocks that fit stay findable; what does not is refused and changes nothing. */
static void test_a_full_table_refuses(void **state)
{
	static struct fg_heap_table table = {.most_bytes = FG_HEAP_SHARDS * 512 * 32};
	static bool is_in[ADDRESSES];
	struct fg_live_block found;
	uint64_t refused = 0;

	(void)state;
	for (uint32_t i = 0; i < ADDRESSES; i++) {
		struct fg_live_block block = block_at(i, i + 1);

		is_in[i] = fg_heap_put(&table, &block, false, &found) == FG_PUT_NEW;
		refused += !is_in[i];
	}
	assert_true(used(&table) <= FG_HEAP_SHARDS * 512 / 16 * 15);
	assert_true(used(&table) >= FG_HEAP_SHARDS * 512 / 4 * 3);
	assert_int_equal(used(&table) + refused, ADDRESSES);
	for (uint32_t i = 0; i < ADDRESSES; i++)
		assert_int_equal(
			fg_heap_take(&table, block_at(i, 0).address, false, &found), is_in[i]);
	fg_heap_table_release(&table);
}

static void test_no_memory_at_all_is_refused(void **state)
{
	static struct fg_heap_table table;
	struct fg_live_block block = block_at(1, 1), found;

	(void)state;
	assert_int_equal(fg_heap_put(&table, &block, false, &found), FG_PUT_FULL);
	assert_false(fg_heap_take(&table, block.address, false, &found));
}

static struct fg_heap_table common = {.most_bytes = 1 << 30};

/* Each thread has addresses of its own, in the same shards. */
static void *churn(void *argument)
{
	uint32_t first = (uint32_t)(uintptr_t)argument;
	struct fg_live_block found;
	uintptr_t wrong = 0;

	for (int round = 0; round < 20; round++) {
		for (uint32_t i = first; i < ADDRESSES; i += 4) {
			struct fg_live_block block = block_at(i, i + 1);

			wrong += fg_heap_put(&common, &block, true, &found) != FG_PUT_NEW;
		}
		for (uint32_t i = first; i < ADDRESSES; i += 4)
			wrong += !fg_heap_take(&common, block_at(i, 0).address, true, &found) ||
				 found.bytes != i + 1;
	}
	return (void *)wrong;
}

static void test_threads_do_not_lose_blocks(void **state)
{
	pthread_t threads[4];
	void *wrong;

	(void)state;
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn, (void *)i), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
	assert_int_equal(used(&common), 0);
}

/* ---- mappings: a model with an owner per page ------------------------------------------------ */

enum { PAGES = 300 };

struct pages {
	uint32_t owner[PAGES]; /* 0: none */
	uint32_t mapped[20001], gone[20001];
};

static void unmap(struct fg_ranges *ranges, struct pages *model, uint64_t low, uint64_t high)
{
	struct fg_range piece;
	uint32_t touched[PAGES] = {0};

	for (uint64_t page = low; page < high; page++) {
		touched[page] = model->owner[page];
		model->owner[page] = 0;
	}
	while (fg_ranges_take(ranges, low, high, &piece)) {
		bool last = true;

		assert_true(piece.start >= low && piece.end <= high && piece.start < piece.end);
		for (uint64_t page = piece.start; page < piece.end; page++) {
			assert_int_equal(touched[page], piece.stack);
			touched[page] = 0;
		}
		model->gone[piece.stack] += !piece.is_rest;
		for (int page = 0; page < PAGES; page++)
			last = last && model->owner[page] != piece.stack &&
			       touched[page] != piece.stack;
		if (last)
			assert_int_equal(model->gone[piece.stack], 1);
	}
	for (int page = 0; page < PAGES; page++)
		assert_int_equal(touched[page], 0);
}

static void test_mappings_are_cut_as_pages_are(void **state)
{
	struct fg_ranges ranges = {0};
	static struct pages model;

	(void)state;
	random_state = 5;
	for (uint32_t id = 1; id <= 20000; id++) {
		uint64_t low = chance(PAGES), high = low + 1 + chance(40);

		if (high > PAGES)
			high = PAGES;
		unmap(&ranges, &model, low, high);
		assert_false(fg_ranges_overlap(&ranges, low, high));
		if (chance(3)) {
			struct fg_range range = {.start = low, .end = high, .stack = id};

			assert_true(fg_ranges_add(&ranges, &range));
			assert_true(fg_ranges_overlap(&ranges, high - 1, high));
			for (uint64_t page = low; page < high; page++)
				model.owner[page] = id;
			model.mapped[id] = 1;
		}
	}
	unmap(&ranges, &model, 0, PAGES);
	assert_int_equal(ranges.count, 0);
	for (uint32_t id = 1; id <= 20000; id++)
		assert_int_equal(model.gone[id], model.mapped[id]);
}

static void test_mappings_have_a_limit(void **state)
{
	struct fg_ranges ranges = {0};
	struct fg_range range, piece;
	uint64_t i;

	(void)state;
	for (i = 0;; i++) {
		range = (struct fg_range){.start = i * 10, .end = i * 10 + 5};
		if (!fg_ranges_add(&ranges, &range))
			break;
	}
	assert_int_equal(i, FG_RANGES_MOST);
	/* No room for a second rest: it goes with the piece. */
	assert_true(fg_ranges_take(&ranges, 2, 3, &piece));
	assert_int_equal(piece.start, 2);
	assert_int_equal(piece.end, 5);
	assert_true(fg_ranges_overlap(&ranges, 0, 2));
	assert_false(fg_ranges_overlap(&ranges, 2, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_table_holds_what_was_put),
		cmocka_unit_test(test_a_full_table_refuses),
		cmocka_unit_test(test_no_memory_at_all_is_refused),
		cmocka_unit_test(test_threads_do_not_lose_blocks),
		cmocka_unit_test(test_mappings_are_cut_as_pages_are),
		cmocka_unit_test(test_mappings_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
