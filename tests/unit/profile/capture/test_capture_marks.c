/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds, the heap, and the program's own marks in captures, sound and damaged. */
#include <stdio.h>

#include "gate/base/error.h"
#include "tests/unit/profile/capture_image.h"

static struct fg_entry *put_heap(struct image *image, size_t slot, uint64_t count, uint64_t sum)
{
	struct fg_entry *entry = entry_of(image, slot);

	put_entry(image, slot, 0, 0, count);
	entry->kind = FG_KIND_HEAP;
	entry->sum = sum;
	return entry;
}

/* The sample of this kind in the first process; fails where there is none. */
static const struct capture_sample *sample_of(const struct capture_set *set, enum capture_kind kind)
{
	for (size_t i = 0; i < set->processes->entry_count; i++)
		if (set->processes->entries[i].kind == kind)
			return &set->processes->entries[i];
	fail_msg("no sample of kind %d", (int)kind);
	return NULL;
}

static void read_sound(struct capture_set *set, struct image *image)
{
	struct error err;

	capture_set_init(set);
	if (read_image(set, image, sizeof(*image), &err) != ERR_OK)
		fail_msg("%s", err.message);
}

static void test_kinds_are_kept_apart(void **state)
{
	struct image *image = new_image();
	const struct capture_process *process;
	struct capture_set set;

	(void)state;
	for (uint32_t kind = 1; kind < FG_KIND_COUNT; kind++) {
		put_entry(image, 10 + kind, 0, 0, kind);
		entry_of(image, 10 + kind)->kind = kind;
	}
	image->header.kinds = 0xffff;
	read_sound(&set, image);
	process = set.processes;
	assert_int_equal(process->entry_count, 2 + FG_KIND_COUNT - 1);
	assert_int_equal(process->samples, 7);
	assert_int_equal(set.samples, 7);
	assert_int_equal(set.complete, 5);
	assert_int_equal(process->totals[CAPTURE_CPU].count, 7);
	assert_int_equal(process->totals[CAPTURE_CPU].sum, 7000);
	assert_int_equal(process->totals[CAPTURE_CPU].complete, 5);
	assert_int_equal(process->totals[CAPTURE_FUTEX].count, CAPTURE_FUTEX);
	assert_int_equal(process->totals[CAPTURE_FUTEX].complete, CAPTURE_FUTEX);
	assert_int_equal(process->kinds, (1 << FG_KIND_COUNT) - 1);
	capture_set_release(&set);
	free(image);
}

static void test_header_says_what_was_lost_and_what_it_cost(void **state)
{
	struct image *image = new_image();
	const struct capture_process *process;
	struct capture_set set;

	(void)state;
	image->header.cpu_ns = 5000000100;
	image->header.own_ns = 40000;
	image->header.own_samples = 10;
	image->header.delivered = 1000;
	image->header.counters[FG_COUNTER_BUSY] = 11;
	image->header.counters[FG_COUNTER_LOOKS_FAILED] = 12;
	image->header.marks = 1;
	image->header.iterations = 77;
	image->header.heap_period_bytes = 4096;
	image->header.peak_bytes = 5;
	image->header.peak_count = 4;
	image->header.live_bytes = 3;
	image->header.live_count = 2;
	read_sound(&set, image);
	process = set.processes;
	assert_true(process->own_seconds > 0.00399999 && process->own_seconds < 0.00400001);
	assert_int_equal(process->counters[FG_COUNTER_BUSY], 11);
	assert_int_equal(process->counters[FG_COUNTER_LOOKS_FAILED], 12);
	assert_true(process->has_marks);
	assert_int_equal(process->iterations, 77);
	assert_int_equal(process->machine, EM_X86_64);
	assert_int_equal(process->heap_period_bytes, 4096);
	assert_int_equal(process->peak_bytes, 5);
	assert_int_equal(process->peak_count, 4);
	assert_int_equal(process->live_bytes, 3);
	assert_int_equal(process->live_count, 2);
	capture_set_release(&set);
	image->header.own_ns = UINT64_MAX; /* never more than all of its time */
	read_sound(&set, image);
	assert_true(set.processes->own_seconds == 5);
	capture_set_release(&set);
	free(image);
}

static void test_every_counter_has_a_sentence(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FG_COUNTER_COUNT; i++) {
		assert_non_null(capture_counter(i));
		assert_non_null(capture_counter(i)->text);
	}
	assert_null(capture_counter(FG_COUNTER_COUNT));
	assert_false(capture_counter(FG_COUNTER_HEAP_LOST)->harmless);
	assert_true(capture_counter(FG_COUNTER_RETRIED)->harmless);
}

/* capture.h, "The peak": what an entry kept counts if its number is the header's,
 * else what lives. */
static void test_shares_of_the_peak_follow_the_version(void **state)
{
	struct image *image = new_image();
	struct capture_set set;
	struct fg_entry *kept = put_heap(image, 20, 9, 900), *older = put_heap(image, 21, 7, 700);

	(void)state;
	image->header.peak_version = 4;
	kept->epoch = 1;
	kept->gone_count = 9;
	kept->gone_sum = 900;
	kept->peak_version = 4;
	kept->peak_count = 3;
	kept->peak_sum = 300;
	older->epoch = 1;
	older->stack = arena_offset8(24);
	older->gone_count = 2;
	older->gone_sum = 200;
	older->peak_version = 3;
	older->peak_count = 1000;
	older->peak_sum = 1000;
	read_sound(&set, image);
	for (size_t i = 0; i < set.processes->entry_count; i++) {
		const struct capture_sample *sample = &set.processes->entries[i];

		if (sample->kind != CAPTURE_HEAP)
			continue;
		assert_int_equal(sample->peak_count, sample->count == 9 ? 3 : 5);
		assert_int_equal(sample->peak_sum, sample->count == 9 ? 300 : 500);
		assert_int_equal(sample->gone_count, sample->count == 9 ? 9 : 2);
		assert_int_equal(sample->gone_sum, sample->count == 9 ? 900 : 200);
	}
	capture_set_release(&set);
	free(image);
}

static void test_what_is_freed_in_another_epoch_has_a_sample_of_its_own(void **state)
{
	struct image *image = new_image();
	struct capture_set set;
	struct fg_entry *freed = put_heap(image, 20, 0, 0);

	(void)state;
	freed->gone_count = 4;
	freed->gone_sum = 64;
	freed->epoch = 3;
	read_sound(&set, image);
	assert_int_equal(sample_of(&set, CAPTURE_HEAP)->count, 0);
	assert_int_equal(sample_of(&set, CAPTURE_HEAP)->gone_count, 4);
	assert_int_equal(sample_of(&set, CAPTURE_HEAP)->peak_count, 0);
	capture_set_release(&set);
	freed->kind = FG_KIND_MAPPED; /* the rest of a mapping that was counted already */
	freed->gone_count = 0;
	read_sound(&set, image);
	assert_int_equal(sample_of(&set, CAPTURE_MAPPED)->gone_sum, 64);
	capture_set_release(&set);
	free(image);
}

/* 1.4 blocks in each of four epochs are 5.6: 6 in all, not 4, and none is in use when all are
 * freed. */
static void test_sampled_heap_is_rounded_over_the_whole_stack(void **state)
{
	struct image *image = new_image();
	uint64_t count = 0, bytes = 0, gone = 0;
	int64_t peak = 0;
	struct capture_set set;

	(void)state;
	image->header.heap_period_bytes = 4096;
	image->header.peak_version = 1;
	for (uint32_t i = 0; i < 4; i++) {
		struct fg_entry *entry =
			put_heap(image, 20 + i, 1434, UINT64_C(100) * FG_HEAP_SCALE + 512);

		entry->epoch = i;
		entry->gone_count = i == 3 ? UINT64_C(4) * 1434 : 0;
		entry->peak_version = 1;
		entry->peak_count = -1434;
	}
	read_sound(&set, image);
	for (size_t i = 0; i < set.processes->entry_count; i++)
		if (set.processes->entries[i].kind == CAPTURE_HEAP) {
			count += set.processes->entries[i].count;
			bytes += set.processes->entries[i].sum;
			gone += set.processes->entries[i].gone_count;
			peak += set.processes->entries[i].peak_count;
		}
	assert_int_equal(count, 6);
	assert_int_equal(gone, 6);
	assert_int_equal(bytes, 402);
	assert_int_equal(peak, -6);
	assert_int_equal(set.processes->totals[CAPTURE_HEAP].count, 6);
	assert_int_equal(set.processes->samples, 7); /* CPU samples are whole as they are */
	capture_set_release(&set);
	free(image);
}

static void test_only_the_heap_has_gone_and_peak(void **state)
{
	struct image *image = new_image();
	struct capture_set set;
	struct fg_entry *entry = entry_of(image, 0);

	(void)state;
	entry->gone_count = entry->gone_sum = 3;
	entry->peak_version = 9;
	entry->peak_count = entry->peak_sum = 3;
	read_sound(&set, image);
	assert_int_equal(sample_of(&set, CAPTURE_CPU)->gone_count, 0);
	assert_int_equal(sample_of(&set, CAPTURE_CPU)->peak_sum, 0);
	capture_set_release(&set);
	free(image);
}

static void test_contexts_epochs_and_moments_are_read(void **state)
{
	struct image *image = new_image();
	const struct capture_process *process;
	struct capture_set set;

	(void)state;
	put_context(image, 0, "region", "load");
	put_context(image, 1, "codec", "");
	entry_of(image, 0)->context = 2;
	put_entry(image, 9, 0, 0, 4); /* the same stack in another context */
	entry_of(image, 9)->context = 1;
	put_epoch(image, 1, 1, 10);
	put_epoch(image, 2, 2, 10);
	put_moment(image, 10, 800);
	put_moment(image, 20, 1600);
	read_sound(&set, image);
	process = set.processes;
	assert_int_equal(process->context_count, 2);
	assert_string_equal(process->contexts[0].value, "load");
	assert_int_equal(process->contexts[1].parent, 1);
	assert_string_equal(process->contexts[1].key, "codec");
	assert_string_equal(process->contexts[1].value, "");
	assert_int_equal(process->entry_count, 3);
	assert_int_equal(process->entries[0].context, 2);
	assert_int_equal(process->entries[0].count, 5);
	assert_int_equal(process->entries[2].context, 1);
	assert_int_equal(process->entries[2].count, 4);
	assert_int_equal(process->epoch_count, 2);
	assert_int_equal(process->epochs[1].epoch, 2);
	assert_int_equal(process->epochs[1].iterations, 2);
	assert_int_equal(process->epochs[1].cpu_ns, 10);
	assert_int_equal(process->moment_count, 2);
	assert_int_equal(process->moments[1].moved, 20);
	assert_int_equal(process->moments[1].live_bytes, 1600);
	assert_int_equal(process->moments[1].live_count, 200);
	assert_int_equal(process->moments[1].most_bytes, 1601);
	assert_int_equal(process->moments[1].cpu_ns, 120);
	assert_int_equal(process->cpu_start_ns, 100);
	capture_set_release(&set);
	free(image);
}

static void test_moments_that_go_back_are_skipped(void **state)
{
	struct image *image = new_image();
	struct capture_set set;

	(void)state;
	put_moment(image, 10, 1);
	put_moment(image, 20, 2);
	put_moment(image, 20, 3);
	put_moment(image, 15, 4);
	put_moment(image, 30, 5);
	read_sound(&set, image);
	assert_int_equal(set.processes->moment_count, 3);
	assert_int_equal(set.processes->moments[2].live_bytes, 5);
	capture_set_release(&set);
	free(image);
}

static void test_running_process_may_be_ahead_of_its_contexts(void **state)
{
	struct image *image = new_image();
	struct capture_set set;

	(void)state;
	image->header.exited = 0;
	entry_of(image, 0)->context = 5;
	read_sound(&set, image);
	assert_int_equal(set.processes->entries[0].context, 0);
	capture_set_release(&set);
	/* The same in one that said it had no room for them. */
	image->header.exited = 1;
	image->header.counters[FG_COUNTER_CONTEXTS_LOST] = 1;
	read_sound(&set, image);
	assert_int_equal(set.processes->entries[0].context, 0);
	capture_set_release(&set);
	free(image);
}

static void test_contexts_may_lie_as_deep_as_the_format_says(void **state)
{
	struct image *image = new_image();
	struct capture_set set;
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < FG_MAX_CONTEXT_DEPTH; i++)
		put_context(image, i, "region", "r");
	read_sound(&set, image);
	assert_int_equal(set.processes->context_count, FG_MAX_CONTEXT_DEPTH);
	capture_set_release(&set);
	put_context(image, FG_MAX_CONTEXT_DEPTH, "region", "r");
	capture_set_init(&set);
	assert_int_equal(read_image(&set, image, sizeof(*image), &err), ERR_CORRUPT);
	capture_set_release(&set);
	free(image);
}

/* ---- damage: each of these changes one thing in a sound image -------------------------------- */

static void entry_of_unknown_kind(struct image *image)
{
	entry_of(image, 0)->kind = FG_KIND_COUNT;
}
static void entry_of_missing_context(struct image *image)
{
	entry_of(image, 0)->context = 1;
}
static void cpu_entry_that_only_ends(struct image *image)
{
	entry_of(image, 0)->count = 0;
	entry_of(image, 0)->gone_count = 1;
}
static void gone_count_overflows(struct image *image)
{
	put_heap(image, 20, 1, 1)->gone_count = UINT64_C(1) << 63;
}
static void gone_sum_overflows(struct image *image)
{
	put_heap(image, 20, 1, 1)->gone_sum = INT64_MAX;
	put_heap(image, 21, 1, 1)->gone_sum = INT64_MAX;
}
static void count_overflows_over_two_stacks(struct image *image)
{
	put_heap(image, 20, INT64_MAX, 1);
	put_heap(image, 21, INT64_MAX, 1)->stack = arena_offset8(24);
}
static void peak_overflows(struct image *image)
{
	put_heap(image, 20, 1, 1)->peak_count = INT64_MIN;
}
static void peak_sum_overflows_in_parts(struct image *image)
{
	put_heap(image, 20, 1, 1)->peak_sum = INT64_MAX;
	put_heap(image, 21, 1, 1)->peak_sum = -INT64_MAX;
}
static void too_many_iterations(struct image *image)
{
	image->header.iterations = UINT64_MAX;
}
static void impossible_peak(struct image *image)
{
	image->header.peak_bytes = UINT64_MAX;
}
static void impossible_heap(struct image *image)
{
	image->header.live_count = UINT64_MAX;
}
static void record_block_of_another_size(struct image *image)
{
	block_of(image->contexts)->bytes = 2 * FG_RECORD_BLOCK_BYTES;
}
static void record_block_uses_too_much(struct image *image)
{
	block_of(image->timeline)->used = FG_RECORD_BLOCK_BYTES;
}
static void block_of_kind_zero(struct image *image)
{
	block_of(image->contexts)->kind = 0;
}
static void context_of_zero_bytes(struct image *image)
{
	put_context(image, 0, "k", "v")->bytes = 0;
}
static void context_of_odd_size(struct image *image)
{
	struct fg_context *context = put_context(image, 0, "k", "v");

	block_of(image->contexts)->used = context->bytes = 20;
}
static void context_past_its_block(struct image *image)
{
	put_context(image, 0, "k", "v")->bytes = 64;
}
static void context_head_is_cut(struct image *image)
{
	put_context(image, 0, "k", "v");
	block_of(image->contexts)->used = 8;
}
static void context_value_past_its_record(struct image *image)
{
	put_context(image, 0, "k", "v")->value_bytes = 100;
}
static void context_without_key(struct image *image)
{
	put_context(image, 0, "", "v");
}
static void context_key_too_long(struct image *image)
{
	char key[FG_MAX_CONTEXT_KEY + 2];

	memset(key, 'k', sizeof(key) - 1);
	key[sizeof(key) - 1] = '\0';
	put_context(image, 0, key, "v");
}
static void context_value_too_long(struct image *image)
{
	char value[FG_MAX_CONTEXT_VALUE + 2];

	memset(value, 'v', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	put_context(image, 0, "k", value);
}
static void context_with_nul(struct image *image)
{
	memset(put_context(image, 0, "key", "value") + 1, '\0', 2);
}
static void context_with_nul_at_its_end(struct image *image)
{
	((char *)(put_context(image, 0, "key", "value") + 1))[7] = '\0';
}
static void context_is_its_own_parent(struct image *image)
{
	put_context(image, 1, "k", "v");
}
static void context_of_a_later_parent(struct image *image)
{
	put_context(image, 0, "k", "v");
	put_context(image, 3, "k", "v");
	put_context(image, 0, "k", "w");
}
static void epoch_zero(struct image *image)
{
	put_epoch(image, 0, 1, 1);
}
static void epoch_twice(struct image *image)
{
	put_epoch(image, 2, 1, 1);
	put_epoch(image, 2, 2, 2);
}
static void epoch_of_fewer_iterations(struct image *image)
{
	put_epoch(image, 1, 2, 1);
	put_epoch(image, 2, 1, 2);
}
static void epoch_clock_runs_backwards(struct image *image)
{
	put_epoch(image, 1, 1, 2);
	put_epoch(image, 2, 2, 1);
}
static void epoch_of_endless_iterations(struct image *image)
{
	put_epoch(image, 1, UINT64_MAX, 1);
}
static void epoch_is_cut(struct image *image)
{
	put_epoch(image, 1, 1, 1);
	block_of(image->epochs)->used -= 8;
}
static void moment_is_cut(struct image *image)
{
	put_moment(image, 1, 1);
	block_of(image->timeline)->used -= 8;
}
static void moment_of_an_endless_heap(struct image *image)
{
	put_moment(image, 1, 1)->most_bytes = UINT64_MAX;
}

static const struct {
	const char *name;
	void (*damage)(struct image *);
} damages[] = {
#define DAMAGE(name)                                                                               \
	{                                                                                          \
#name, name                                                                        \
	}
	DAMAGE(entry_of_unknown_kind),
	DAMAGE(entry_of_missing_context),
	DAMAGE(cpu_entry_that_only_ends),
	DAMAGE(gone_count_overflows),
	DAMAGE(gone_sum_overflows),
	DAMAGE(count_overflows_over_two_stacks),
	DAMAGE(peak_overflows),
	DAMAGE(peak_sum_overflows_in_parts),
	DAMAGE(too_many_iterations),
	DAMAGE(impossible_peak),
	DAMAGE(impossible_heap),
	DAMAGE(record_block_of_another_size),
	DAMAGE(record_block_uses_too_much),
	DAMAGE(block_of_kind_zero),
	DAMAGE(context_of_zero_bytes),
	DAMAGE(context_of_odd_size),
	DAMAGE(context_past_its_block),
	DAMAGE(context_head_is_cut),
	DAMAGE(context_value_past_its_record),
	DAMAGE(context_without_key),
	DAMAGE(context_key_too_long),
	DAMAGE(context_value_too_long),
	DAMAGE(context_with_nul),
	DAMAGE(context_with_nul_at_its_end),
	DAMAGE(context_is_its_own_parent),
	DAMAGE(context_of_a_later_parent),
	DAMAGE(epoch_zero),
	DAMAGE(epoch_twice),
	DAMAGE(epoch_of_fewer_iterations),
	DAMAGE(epoch_clock_runs_backwards),
	DAMAGE(epoch_of_endless_iterations),
	DAMAGE(epoch_is_cut),
	DAMAGE(moment_is_cut),
	DAMAGE(moment_of_an_endless_heap),
};

static void test_each_damage_is_refused_and_leaves_the_set(void **state)
{
	struct image *sound = new_image();
	struct capture_set set;
	struct error err;

	(void)state;
	read_sound(&set, sound);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct image *image = new_image();
		int error;

		damages[i].damage(image);
		error = read_image(&set, image, sizeof(*image), &err);
		if (error != ERR_CORRUPT)
			fail_msg("%s gave %d", damages[i].name, error);
		assert_int_equal(set.process_count, 1);
		assert_int_equal(set.samples, 7);
		free(image);
	}
	capture_set_release(&set);
	free(sound);
}

/* An image with more blocks of one kind behind it. */
static struct image *with_blocks(enum fg_block_kind kind, size_t count, size_t *bytes)
{
	struct image *image = new_image();

	*bytes = sizeof(*image) + count * FG_RECORD_BLOCK_BYTES;
	image = realloc(image, *bytes);
	memset(image + 1, 0, *bytes - sizeof(*image));
	for (size_t i = 0; i < count; i++)
		*block_of((unsigned char *)(image + 1) + i * FG_RECORD_BLOCK_BYTES) =
			(struct fg_block){FG_BLOCK_MAGIC, kind, FG_RECORD_BLOCK_BYTES, 0, {0}};
	image->header.used_bytes = *bytes;
	return image;
}

static void expect(const struct image *image, size_t bytes, int expected)
{
	struct capture_set set;
	struct error err;

	capture_set_init(&set);
	assert_int_equal(read_image(&set, image, bytes, &err), expected);
	capture_set_release(&set);
}

static void test_contexts_and_epochs_are_bounded(void **state)
{
	struct image *image;
	size_t bytes;

	(void)state;
	image = with_blocks(FG_BLOCK_CONTEXTS, 8, &bytes);
	for (uint32_t i = 0; i <= FG_MAX_CONTEXTS; i++) {
		const struct fg_context record = {24, 0, 1, 1, 0};
		unsigned char padded[24] = {0};
		unsigned char *block =
			(unsigned char *)(image + 1) + i / 600 * FG_RECORD_BLOCK_BYTES;

		memcpy(padded, &record, sizeof(record));
		memcpy(padded + sizeof(record), "kv", 2);
		put_record(block, padded, sizeof(padded));
		if (i == FG_MAX_CONTEXTS - 1)
			expect(image, bytes, ERR_OK);
	}
	expect(image, bytes, ERR_CORRUPT);
	free(image);
	image = with_blocks(FG_BLOCK_EPOCHS, 8, &bytes);
	for (uint32_t i = 0; i <= FG_MAX_EPOCHS; i++) {
		const struct fg_epoch record = {i + 1, 0, i, i};

		put_record((unsigned char *)(image + 1) + i / 600 * FG_RECORD_BLOCK_BYTES, &record,
			sizeof(record));
		if (i == FG_MAX_EPOCHS - 1)
			expect(image, bytes, ERR_OK);
	}
	expect(image, bytes, ERR_CORRUPT);
	free(image);
}

/* cpu_ns and paused_ns of a capture whose CPU clock went from 100 to 1100. */
static void assert_paused(
	uint64_t before, bool lasts, uint64_t since, uint64_t cpu, uint64_t paused)
{
	struct image *image = new_image();
	struct capture_set set;

	image->header.paused_ns = before;
	image->header.paused = lasts;
	image->header.paused_since_ns = since;
	read_sound(&set, image);
	assert_int_equal(set.processes->cpu_ns, cpu);
	assert_int_equal(set.processes->paused_ns, paused);
	capture_set_release(&set);
	free(image);
}

static void test_paused_time_is_taken_off(void **state)
{
	(void)state;
	assert_paused(0, false, 0, 1000, 0);
	assert_paused(300, false, 900, 700, 300);
	assert_paused(300, true, 900, 500, 500);
	assert_paused(0, true, 100, 0, 1000);
	assert_paused(0, true, 5000, 1000, 0);
}

static void test_more_paused_time_than_there_was_is_all_of_it(void **state)
{
	(void)state;
	assert_paused(1001, false, 0, 0, 1000);
	assert_paused(UINT64_MAX, true, 200, 0, 1000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paused_time_is_taken_off),
		cmocka_unit_test(test_more_paused_time_than_there_was_is_all_of_it),
		cmocka_unit_test(test_kinds_are_kept_apart),
		cmocka_unit_test(test_header_says_what_was_lost_and_what_it_cost),
		cmocka_unit_test(test_every_counter_has_a_sentence),
		cmocka_unit_test(test_shares_of_the_peak_follow_the_version),
		cmocka_unit_test(test_what_is_freed_in_another_epoch_has_a_sample_of_its_own),
		cmocka_unit_test(test_sampled_heap_is_rounded_over_the_whole_stack),
		cmocka_unit_test(test_only_the_heap_has_gone_and_peak),
		cmocka_unit_test(test_contexts_epochs_and_moments_are_read),
		cmocka_unit_test(test_moments_that_go_back_are_skipped),
		cmocka_unit_test(test_running_process_may_be_ahead_of_its_contexts),
		cmocka_unit_test(test_contexts_may_lie_as_deep_as_the_format_says),
		cmocka_unit_test(test_each_damage_is_refused_and_leaves_the_set),
		cmocka_unit_test(test_contexts_and_epochs_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
