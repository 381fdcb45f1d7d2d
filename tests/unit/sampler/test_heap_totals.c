/* SPDX-License-Identifier: Apache-2.0 */
/* The largest heap and its shares against a naive model over random traces; the timeline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate/sampler/heap_totals.h"

enum { STACKS = 12, STEPS = 3000, MOST_BLOCKS = 200 };

static uint64_t random_state;

static uint32_t chance(uint32_t bound)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(random_state >> 33) % bound;
}

/* What the model knows: all blocks, and a copy of the shares each time the heap is largest. */
struct model {
	struct {
		uint32_t stack;
		uint64_t bytes;
	} blocks[MOST_BLOCKS];
	size_t count;
	uint64_t live, peak, peak_count;
	int64_t shares[STACKS], counts[STACKS];
};

static void note_peak(struct model *model)
{
	if (model->live <= model->peak)
		return;
	model->peak = model->live;
	model->peak_count = model->count;
	memset(model->shares, 0, sizeof(model->shares));
	memset(model->counts, 0, sizeof(model->counts));
	for (size_t i = 0; i < model->count; i++) {
		model->shares[model->blocks[i].stack] += (int64_t)model->blocks[i].bytes;
		model->counts[model->blocks[i].stack]++;
	}
}

struct traced {
	struct fg_capture_header *header;
	struct fg_heap_totals totals;
	/* Two entries a stack, as if a block were freed in another epoch. */
	struct fg_entry entries[STACKS][2];
};

static void allocate(struct traced *traced, struct model *model)
{
	uint32_t stack = chance(STACKS);
	uint64_t bytes = chance(3) ? chance(100) : chance(5000);
	struct fg_heap_change change = {(int64_t)bytes, 1, 1};
	struct fg_entry *entry = &traced->entries[stack][0];

	fg_heap_keep_peak(entry, traced->header->peak_version);
	entry->count++;
	entry->sum += bytes;
	fg_heap_totals_add(&traced->totals, traced->header, &change);
	model->blocks[model->count].stack = stack;
	model->blocks[model->count++].bytes = bytes;
	model->live += bytes;
	note_peak(model);
}

static void release(struct traced *traced, struct model *model)
{
	size_t which = chance((uint32_t)model->count);
	uint64_t bytes = model->blocks[which].bytes;
	struct fg_heap_change change = {-(int64_t)bytes, -1, 0};
	struct fg_entry *entry = &traced->entries[model->blocks[which].stack][chance(2)];

	fg_heap_keep_peak(entry, traced->header->peak_version);
	entry->gone_count++;
	entry->gone_sum += bytes;
	fg_heap_totals_add(&traced->totals, traced->header, &change);
	model->live -= bytes;
	model->blocks[which] = model->blocks[--model->count];
}

/* As a reader does it (capture.h). */
static void add_share(
	const struct fg_entry *entry, uint64_t version, int64_t *bytes, int64_t *count)
{
	bool kept = entry->peak_version >= version;

	*bytes += kept ? entry->peak_sum : (int64_t)(entry->sum - entry->gone_sum);
	*count += kept ? entry->peak_count : (int64_t)(entry->count - entry->gone_count);
}

static void compare(const struct traced *traced, const struct model *model)
{
	const struct fg_capture_header *header = traced->header;

	assert_int_equal(header->live_bytes, model->live);
	assert_int_equal(header->live_count, model->count);
	assert_int_equal(header->peak_bytes, model->peak);
	assert_int_equal(header->peak_count, model->peak_count);
	for (uint32_t stack = 0; stack < STACKS; stack++) {
		int64_t bytes = 0, count = 0;

		for (int i = 0; i < 2; i++)
			add_share(&traced->entries[stack][i], header->peak_version, &bytes, &count);
		assert_int_equal(bytes, model->shares[stack]);
		assert_int_equal(count, model->counts[stack]);
	}
}

/* Readable at any moment: a kill can come at each. */
static void test_the_peak_and_its_shares_are_a_model_s(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		static struct traced traced;
		static struct model model;

		memset(&traced, 0, sizeof(traced));
		memset(&model, 0, sizeof(model));
		traced.header = calloc(1, sizeof(*traced.header));
		assert_non_null(traced.header);
		random_state = seed;
		for (int i = 0; i < STEPS; i++) {
			bool grow = model.count < 1 + (uint32_t)(i / 7 % MOST_BLOCKS);

			if (model.count < MOST_BLOCKS && (!model.count || grow || chance(3) == 0))
				allocate(&traced, &model);
			else
				release(&traced, &model);
			compare(&traced, &model);
		}
		free(traced.header);
	}
}

static void test_a_sampled_heap_s_totals_are_whole(void **state)
{
	struct fg_heap_totals totals = {.shift = FG_HEAP_SHIFT};
	struct fg_heap_change change = {
		.bytes = 5000 * FG_HEAP_SCALE + 700, .count = 3 * FG_HEAP_SCALE, .allocations = 1};
	struct fg_capture_header *header = calloc(1, sizeof(*header));

	(void)state;
	assert_non_null(header);
	fg_heap_totals_add(&totals, header, &change);
	assert_int_equal(header->live_bytes, 5000);
	assert_int_equal(header->peak_count, 3);
	/* Threads tell late: more may be gone for a moment than was there. */
	change = (struct fg_heap_change){-6000 * FG_HEAP_SCALE, -4 * FG_HEAP_SCALE, 0};
	fg_heap_totals_add(&totals, header, &change);
	assert_int_equal(header->live_bytes, 0);
	assert_int_equal(header->live_count, 0);
	assert_int_equal(header->peak_bytes, 5000);
	free(header);
}

struct line {
	struct fg_block block;
	struct fg_moment moments[FG_HEAP_MOMENTS];
};

/* The heap grows by a byte an allocation, and once, at allocation `spike`, is much larger. */
static struct line *draw(uint64_t allocations, uint64_t spike)
{
	struct fg_capture_header *header = calloc(1, sizeof(*header));
	struct line *line = calloc(1, sizeof(*line));
	struct fg_heap_totals totals = {.line = &line->block};

	for (uint64_t i = 1; i <= allocations; i++) {
		struct fg_heap_change change = {i == spike ? 1000001 : 1, 1, 1};

		fg_heap_totals_add(&totals, header, &change);
		change = (struct fg_heap_change){-1000000, 0, 0};
		if (i == spike)
			fg_heap_totals_add(&totals, header, &change);
	}
	free(header);
	return line;
}

static void check_line(const struct line *line, uint64_t allocations, uint64_t spike)
{
	size_t count = line->block.used / sizeof(struct fg_moment);
	uint64_t step = 1, spikes = 0;

	while (allocations / step >= FG_HEAP_MOMENTS)
		step *= 2;
	assert_int_equal(count, allocations / step);
	for (size_t i = 0; i < count; i++) {
		const struct fg_moment *moment = &line->moments[i];

		assert_int_equal(moment->allocations, (i + 1) * step);
		assert_int_equal(moment->live_count, (i + 1) * step);
		/* What the heap is at a moment belongs to both sides of it. */
		if (moment->most_bytes > 1000000) {
			spikes++;
			assert_true(spike >= i * step && spike <= (i + 1) * step);
		} else {
			assert_int_equal(moment->live_bytes, (i + 1) * step);
			assert_int_equal(moment->most_bytes, moment->live_bytes);
		}
	}
	assert_true(spikes > 0 || spike > count * step);
}

static void test_the_timeline_gets_coarser_and_keeps_spikes(void **state)
{
	static const uint64_t lengths[] = {1, 100, FG_HEAP_MOMENTS - 1, FG_HEAP_MOMENTS,
		FG_HEAP_MOMENTS + 1, 5000, 100000, 1000003};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (uint64_t spike = 1; spike <= lengths[i]; spike = spike * 3 + 1) {
			struct line *line = draw(lengths[i], spike);

			check_line(line, lengths[i], spike);
			free(line);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_peak_and_its_shares_are_a_model_s),
		cmocka_unit_test(test_a_sampled_heap_s_totals_are_whole),
		cmocka_unit_test(test_the_timeline_gets_coarser_and_keeps_spikes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
