/* SPDX-License-Identifier: Apache-2.0 */
/* The largest heap and its shares against a naive model over random traces; the timeline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate/sampler/heap/heap_totals.h"

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

static uint64_t now_ns;

static uint64_t clock_of_the_test(void)
{
	return now_ns;
}

/* The heap grows by a byte an allocation, and once, at allocation `spike`, is much larger. */
static struct line *draw(uint64_t allocations, uint64_t spike, uint64_t bytes)
{
	struct fg_capture_header *header = calloc(1, sizeof(*header));
	struct line *line = calloc(1, sizeof(*line));
	struct fg_heap_totals totals = {.line = &line->block, .cpu_ns = clock_of_the_test};

	for (uint64_t i = 1; i <= allocations; i++) {
		struct fg_heap_change change = {i == spike ? (int64_t)bytes + 1 : 1, 1, 1};

		now_ns = 7 * i;
		fg_heap_totals_add(&totals, header, &change);
		change = (struct fg_heap_change){-(int64_t)bytes, 0, 0};
		if (i == spike)
			fg_heap_totals_add(&totals, header, &change);
	}
	free(header);
	return line;
}

/* What a moment and the one before it say of one allocation after the other. */
static bool check_moment(const struct fg_moment *moment, const struct fg_moment *before)
{
	uint64_t first = before ? before->live_count : 0;

	assert_true(moment->live_count >= first);
	assert_int_equal(moment->cpu_ns, 7 * moment->live_count);
	assert_true(!before || moment->moved > before->moved);
	assert_true(moment->most_bytes >= moment->live_bytes);
	/* While the spike is there, and no longer. */
	if (moment->live_bytes > 1000000)
		assert_int_equal(moment->live_bytes, moment->live_count + 1000000);
	else
		assert_int_equal(moment->live_bytes, moment->live_count);
	return moment->most_bytes > 1000000;
}

static void check_line(const struct line *line, uint64_t allocations, uint64_t spike)
{
	size_t count = line->block.used / sizeof(struct fg_moment), spikes = 0;
	const struct fg_moment *last = &line->moments[count - 1];
	/* A call moves some bytes besides its own; the spike comes,
	 * and goes by a call of its own. */
	uint64_t moved = last->moved, grain = 2 * (moved / (FG_HEAP_MOMENTS / 2) + 1);

	assert_in_range(count, 1, FG_HEAP_MOMENTS - 1);
	for (size_t i = 0; i < count; i++) {
		const struct fg_moment *moment = &line->moments[i], *before = i ? moment - 1 : NULL;
		uint64_t since = moment->moved - (before ? before->moved : 0);

		if (check_moment(moment, before)) {
			spikes++;
			assert_true(spike >= (before ? before->live_count : 0) &&
				    spike <= moment->live_count);
		} else {
			assert_true(since <= grain || since > 1000000);
		}
	}
	/* What the heap is at a moment belongs to both sides of it. */
	assert_in_range(spikes, 1, 2);
	assert_true(allocations - last->live_count <= 1 + grain / 65);
}

static void test_the_timeline_gets_coarser_and_keeps_spikes(void **state)
{
	static const uint64_t lengths[] = {1, 100, FG_HEAP_MOMENTS - 1, FG_HEAP_MOMENTS,
		FG_HEAP_MOMENTS + 1, 5000, 100000, 1000003};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (uint64_t spike = 1; spike <= lengths[i]; spike = spike * 3 + 1) {
			struct line *line = draw(lengths[i], spike, 1000000);

			check_line(line, lengths[i], spike);
			free(line);
		}
}

/* So small a one shares its grain with others: what was most of all is kept. */
static void test_a_short_rise_among_many_blocks_is_kept(void **state)
{
	const uint64_t allocations = 100000, rise = 3000;

	(void)state;
	for (uint64_t at = 1; at <= allocations; at += 997) {
		struct line *line = draw(allocations, at, rise);
		size_t count = line->block.used / sizeof(struct fg_moment), seen = 0;

		for (size_t i = 0; i < count; i++) {
			const struct fg_moment *moment = &line->moments[i];

			if (moment->most_bytes < moment->live_count + rise - 1000)
				continue;
			seen++;
			assert_true(moment->live_count >= at);
		}
		assert_in_range(seen, at < line->moments[count - 1].live_count, 2);
		free(line);
	}
}

/* A million small blocks first, then a few large ones: the latter are what the line is about. */
static void test_the_timeline_is_as_fine_where_few_large_blocks_come_and_go(void **state)
{
	struct fg_capture_header *header = calloc(1, sizeof(*header));
	struct line *line = calloc(1, sizeof(*line));
	struct fg_heap_totals totals = {.line = &line->block, .cpu_ns = clock_of_the_test};
	struct fg_heap_change small = {16, 1, 1}, gone = {-16, -1, 0}, large = {10000000, 1, 1};
	size_t count, late = 0;

	(void)state;
	for (uint64_t i = 0; i < 1000000; i++) {
		now_ns = i;
		fg_heap_totals_add(&totals, header, &small);
		fg_heap_totals_add(&totals, header, &gone);
	}
	for (uint64_t i = 0; i < 100; i++) {
		now_ns = 2000000 + i;
		fg_heap_totals_add(&totals, header, &large);
	}
	count = line->block.used / sizeof(struct fg_moment);
	for (size_t i = 0; i < count; i++)
		late += line->moments[i].cpu_ns >= 2000000;
	assert_int_equal(late, 100);
	assert_int_equal(line->moments[count - 1].live_bytes, 1000000000);
	free(line);
	free(header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_peak_and_its_shares_are_a_model_s),
		cmocka_unit_test(test_a_sampled_heap_s_totals_are_whole),
		cmocka_unit_test(test_the_timeline_gets_coarser_and_keeps_spikes),
		cmocka_unit_test(test_a_short_rise_among_many_blocks_is_kept),
		cmocka_unit_test(test_the_timeline_is_as_fine_where_few_large_blocks_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
