/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries: what several threads have counted for the same (kind, stack, epoch, context) becomes one
 * sample. All sums over one kind fit an int64_t, so that whoever adds samples up needs no check.
 */
#include "gate/profile/capture/capture_decode.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"

static struct capture_sample *sample_for(struct capture_decoder *decoder, uint32_t stack,
	uint32_t context, const struct fg_entry *entry)
{
	struct capture_process *process = &decoder->process;
	uint32_t key[4] = {stack, entry->epoch, context, entry->kind}, index;
	bool added;

	index = map_intern(
		&decoder->entry_index, key, sizeof(key), (uint32_t)process->entry_count, &added);
	if (added) {
		process->entries = capture_grow(decoder->arena, process->entries,
			process->entry_count, &decoder->entry_capacity, sizeof(*process->entries));
		process->entries[process->entry_count++] = (struct capture_sample){.stack = stack,
			.kind = (enum capture_kind)entry->kind,
			.epoch = entry->epoch,
			.context = context};
	}
	return &process->entries[index];
}

static bool can_be_freed(uint32_t kind)
{
	return kind == FG_KIND_HEAP || kind == FG_KIND_MAPPED;
}

static int check_entry(struct capture_decoder *decoder, const struct fg_entry *entry)
{
	if (entry->kind >= FG_KIND_COUNT)
		return capture_corrupt(decoder, "an entry of unknown kind");
	if (!entry->count && !(can_be_freed(entry->kind) && (entry->gone_count || entry->gone_sum)))
		return capture_corrupt(decoder, "an entry without samples");
	if (entry->context > decoder->process.context_count && decoder->header.exited &&
		!decoder->header.counters[FG_COUNTER_CONTEXTS_LOST])
		return capture_corrupt(decoder, "an entry's context is not there");
	return ERR_OK;
}

/* capture.h, "The peak". Both terms of the differences are bounded already. */
static struct capture_peak peak_of(
	const struct capture_decoder *decoder, const struct fg_entry *entry)
{
	if (entry->kind != FG_KIND_HEAP)
		return (struct capture_peak){0, 0};
	if (entry->peak_version >= decoder->header.peak_version)
		return (struct capture_peak){entry->peak_count, entry->peak_sum};
	return (struct capture_peak){(int64_t)entry->count - (int64_t)entry->gone_count,
		(int64_t)entry->sum - (int64_t)entry->gone_sum};
}

static bool add_bounded(uint64_t *total, uint64_t value)
{
	return !__builtin_add_overflow(*total, value, total) && *total <= INT64_MAX;
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* Whether the totals of the entry's kind can take it. */
static bool add_to_bounds(struct capture_bounds *bounds, const struct fg_entry *entry)
{
	return add_bounded(&bounds->count, entry->count) && add_bounded(&bounds->sum, entry->sum) &&
	       (!can_be_freed(entry->kind) ||
		       (add_bounded(&bounds->gone_count, entry->gone_count) &&
			       add_bounded(&bounds->gone_sum, entry->gone_sum)));
}

static bool add_peak_to_bounds(struct capture_bounds *bounds, const struct capture_peak *peak)
{
	return add_bounded(&bounds->peak_count, magnitude(peak->count)) &&
	       add_bounded(&bounds->peak_sum, magnitude(peak->sum));
}

static void add_to_sample(struct capture_sample *sample, const struct fg_entry *entry,
	const struct capture_peak *peak)
{
	sample->count += entry->count;
	sample->sum += entry->sum;
	sample->sum_squares += (double)entry->squares_high * 0x1p64 + (double)entry->squares_low;
	if (can_be_freed(entry->kind)) {
		sample->gone_count += entry->gone_count;
		sample->gone_sum += entry->gone_sum;
	}
	sample->peak_count += peak->count;
	sample->peak_sum += peak->sum;
}

static int add_entry(struct capture_decoder *decoder, const struct fg_entry *entry)
{
	struct capture_peak peak;
	uint32_t stack, context;
	int error = check_entry(decoder, entry);

	if (error == ERR_OK)
		error = capture_decode_stack(decoder, entry->stack, &stack);
	if (error != ERR_OK)
		return error;
	if (!add_to_bounds(&decoder->bounds[entry->kind], entry))
		return capture_corrupt(decoder, "sample counts or weights overflow");
	peak = peak_of(decoder, entry);
	if (!add_peak_to_bounds(&decoder->bounds[entry->kind], &peak))
		return capture_corrupt(decoder, "shares of the largest heap overflow");
	/*
	 * As with modules: a running process may have added contexts since they were read. A forked
	 * child may have had no room for its parent's.
	 */
	context = entry->context <= decoder->process.context_count ? entry->context : 0;
	add_to_sample(sample_for(decoder, stack, context, entry), entry, &peak);
	return ERR_OK;
}

static int read_entries(struct capture_decoder *decoder, const struct capture_block *block)
{
	const unsigned char *at = decoder->data + block->offset + sizeof(block->head);
	uint64_t slots = fg_block_entry_slots(block->head.bytes);

	for (uint64_t i = 0; i < slots; i++) {
		struct fg_entry entry;
		int error;

		memcpy(&entry, at + i * sizeof(entry), sizeof(entry));
		if (!entry.key)
			continue;
		error = add_entry(decoder, &entry);
		if (error != ERR_OK)
			return error;
	}
	return ERR_OK;
}

/* ---- a sampled heap: from 1 / FG_HEAP_SCALE blocks and bytes to whole ones ------------------- */

static int64_t whole(int64_t units)
{
	int64_t rest = units % FG_HEAP_SCALE, half = FG_HEAP_SCALE / 2;

	return units / FG_HEAP_SCALE + (rest >= half) - (rest <= -half);
}

/* Rounds the stack's running sum, so that no error adds up over its samples. */
static int64_t next_whole(int64_t *sum, int64_t units)
{
	int64_t before = whole(*sum);

	*sum += units;
	return whole(*sum) - before;
}

struct running {
	int64_t count, sum, gone_count, gone_sum, peak_count, peak_sum;
};

static void scale_sample(struct capture_sample *sample, struct running *running)
{
	sample->count = (uint64_t)next_whole(&running->count, (int64_t)sample->count);
	sample->sum = (uint64_t)next_whole(&running->sum, (int64_t)sample->sum);
	sample->gone_count =
		(uint64_t)next_whole(&running->gone_count, (int64_t)sample->gone_count);
	sample->gone_sum = (uint64_t)next_whole(&running->gone_sum, (int64_t)sample->gone_sum);
	sample->peak_count = next_whole(&running->peak_count, sample->peak_count);
	sample->peak_sum = next_whole(&running->peak_sum, sample->peak_sum);
}

static void scale_heap(struct capture_process *process)
{
	struct running *running = xcalloc(process->stack_count, sizeof(*running));

	for (size_t i = 0; i < process->entry_count; i++)
		if (process->entries[i].kind == CAPTURE_HEAP)
			scale_sample(&process->entries[i], &running[process->entries[i].stack]);
	free(running);
}

static void total_up(struct capture_process *process)
{
	for (size_t i = 0; i < process->entry_count; i++) {
		const struct capture_sample *sample = &process->entries[i];
		struct capture_total *total = &process->totals[sample->kind];

		total->count += sample->count;
		total->sum += sample->sum;
		if (process->stacks[sample->stack].complete)
			total->complete += sample->count;
	}
	process->samples = process->totals[CAPTURE_CPU].count;
}

int capture_decode_entries(struct capture_decoder *decoder)
{
	int error = ERR_OK;

	for (size_t i = 0; i < decoder->block_count && error == ERR_OK; i++)
		if (decoder->blocks[i].head.kind == FG_BLOCK_DATA)
			error = read_entries(decoder, &decoder->blocks[i]);
	if (error != ERR_OK)
		return error;
	if (decoder->header.heap_period_bytes)
		scale_heap(&decoder->process);
	total_up(&decoder->process);
	return ERR_OK;
}
