/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks and entries. Threads have their own blocks, so the same stack may be there many times:
 * equal stacks become one, and so do the entries of equal (stack, epoch, region).
 */
#include "gate/profile/capture_decode.h"

#include <string.h>

#include "gate/sampler/unwind.h"

/* The data block whose arena holds the offset, or NULL. Blocks are in ascending order. */
static const struct capture_block *arena_at(const struct capture_decoder *decoder, uint64_t offset)
{
	size_t low = 0, high = decoder->block_count;
	const struct capture_block *block;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (decoder->blocks[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	block = &decoder->blocks[low - 1];
	if (block->head.kind != FG_BLOCK_DATA ||
		offset < block->offset + fg_block_arena_offset(block->head.bytes) ||
		offset >= block->offset + block->head.bytes)
		return NULL;
	return block;
}

static int read_stack_head(struct capture_decoder *decoder, uint64_t offset, struct fg_stack *stack)
{
	const struct capture_block *block = arena_at(decoder, offset);
	uint64_t left;

	if (!block)
		return capture_corrupt(decoder, "an entry's stack lies outside the stacks");
	left = block->offset + block->head.bytes - offset;
	if (left < sizeof(*stack))
		return capture_corrupt(decoder, "a stack is cut short");
	memcpy(stack, decoder->data + offset, sizeof(*stack));
	left -= sizeof(*stack);
	if (!stack->depth || stack->depth > left / sizeof(uint64_t))
		return capture_corrupt(decoder, "a stack is longer than its block");
	if (stack->end >= FG_END_COUNT)
		return capture_corrupt(decoder, "a stack has an unknown end");
	if (stack->depth > decoder->limits->max_depth)
		return error_set(decoder->err, ERR_LIMIT, "%s: a stack of more than %zu frames",
			decoder->name, decoder->limits->max_depth);
	/* Stacks do not overlap, so all their frames fit in the file. */
	decoder->frame_total += stack->depth;
	if (decoder->frame_total > decoder->header.used_bytes / sizeof(uint64_t))
		return capture_corrupt(decoder, "stacks overlap");
	return ERR_OK;
}

/*
 * A process that is still running may have added modules since its table was read: such a frame has
 * no module. In one that has ended it is damage.
 */
static int decode_frame(
	struct capture_decoder *decoder, uint64_t packed, struct capture_frame *frame)
{
	uint64_t module = packed >> FG_FRAME_MODULE_SHIFT;

	frame->address = packed & FG_FRAME_ADDRESS_MASK;
	frame->exact = (packed & FG_FRAME_EXACT) != 0;
	frame->module = CAPTURE_NO_MODULE;
	if (!module)
		return ERR_OK;
	if (module <= decoder->module_count)
		frame->module = decoder->module_map[module - 1];
	else if (decoder->header.exited)
		return capture_corrupt(decoder, "a frame names a module that is not there");
	else
		frame->address = 0;
	return ERR_OK;
}

static int decode_frames(struct capture_decoder *decoder, uint64_t offset, uint32_t depth,
	struct capture_frame *frames)
{
	const unsigned char *at = decoder->data + offset + sizeof(struct fg_stack);

	for (uint32_t i = 0; i < depth; i++) {
		uint64_t packed;

		memcpy(&packed, at + i * sizeof(packed), sizeof(packed));
		if (decode_frame(decoder, packed, &frames[i]) != ERR_OK)
			return ERR_CORRUPT;
	}
	return ERR_OK;
}

static void *grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size)
{
	void *larger;

	if (count < *capacity)
		return items;
	*capacity = *capacity ? *capacity * 2 : 64;
	larger = arena_array(arena, *capacity, size);
	if (count)
		memcpy(larger, items, count * size);
	return larger;
}

/* frames[-1] is a frame's room before them that holds the end: key and stack in one allocation. */
static uint32_t intern_stack(
	struct capture_decoder *decoder, struct capture_frame *frames, const struct fg_stack *head)
{
	struct capture_process *process = &decoder->process;
	struct capture_stack *stack;
	bool added;
	uint32_t index;

	frames[-1].address = head->end;
	index = map_intern(&decoder->stacks_by_content, frames - 1,
		((size_t)head->depth + 1) * sizeof(*frames), (uint32_t)process->stack_count,
		&added);
	if (!added)
		return index;
	process->stacks = grow(decoder->arena, process->stacks, process->stack_count,
		&decoder->stack_capacity, sizeof(*stack));
	stack = &process->stacks[process->stack_count++];
	stack->frames = frames;
	stack->depth = head->depth;
	stack->end = (uint8_t)head->end;
	stack->complete = head->end == FG_END_ROOT || head->end == FG_END_START;
	return index;
}

static int read_stack(struct capture_decoder *decoder, uint32_t offset8, uint32_t *index)
{
	uint64_t offset = (uint64_t)offset8 * 8;
	struct capture_frame *frames;
	struct fg_stack head;
	int error;

	*index = map_get(&decoder->stacks_by_offset, &offset8, sizeof(offset8));
	if (*index != MAP_NONE)
		return ERR_OK;
	if (decoder->stacks_by_offset.count >= decoder->limits->max_stacks)
		return error_set(decoder->err, ERR_LIMIT, "%s: more than %zu stacks", decoder->name,
			decoder->limits->max_stacks);
	error = read_stack_head(decoder, offset, &head);
	if (error != ERR_OK)
		return error;
	frames = arena_array(decoder->arena, (size_t)head.depth + 1, sizeof(*frames));
	frames++;
	error = decode_frames(decoder, offset, head.depth, frames);
	if (error != ERR_OK)
		return error;
	*index = intern_stack(decoder, frames, &head);
	map_put(&decoder->stacks_by_offset, &offset8, sizeof(offset8), *index);
	return ERR_OK;
}

static struct capture_sample *sample_for(
	struct capture_decoder *decoder, uint32_t stack, const struct fg_entry *entry)
{
	struct capture_process *process = &decoder->process;
	uint32_t key[4] = {stack, entry->epoch, entry->context, entry->kind}, index;
	bool added;

	index = map_intern(
		&decoder->entry_index, key, sizeof(key), (uint32_t)process->entry_count, &added);
	if (added) {
		process->entries = grow(decoder->arena, process->entries, process->entry_count,
			&decoder->entry_capacity, sizeof(*process->entries));
		process->entries[process->entry_count++] = (struct capture_sample){.stack = stack,
			.kind = (enum capture_kind)entry->kind,
			.epoch = entry->epoch,
			.context = entry->context};
	}
	return &process->entries[index];
}

static int add_entry(struct capture_decoder *decoder, const struct fg_entry *entry)
{
	struct capture_process *process = &decoder->process;
	struct capture_sample *sample;
	uint32_t stack;
	int error = read_stack(decoder, entry->stack, &stack);

	if (error != ERR_OK)
		return error;
	if (!entry->count)
		return capture_corrupt(decoder, "an entry without samples");
	if (entry->kind != FG_KIND_CPU)
		return capture_corrupt(decoder, "an entry of unknown kind");
	if (entry->context)
		return capture_corrupt(decoder, "an entry's context is not there");
	sample = sample_for(decoder, stack, entry);
	if (__builtin_add_overflow(process->samples, entry->count, &process->samples) ||
		__builtin_add_overflow(sample->sum, entry->sum, &sample->sum) ||
		process->samples > INT64_MAX || sample->sum > INT64_MAX)
		return capture_corrupt(decoder, "sample counts or weights overflow");
	sample->count += entry->count;
	sample->sum_squares += (double)entry->squares_high * 0x1p64 + (double)entry->squares_low;
	if (process->stacks[stack].complete)
		decoder->complete += entry->count;
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

int capture_decode_entries(struct capture_decoder *decoder)
{
	int error = ERR_OK;

	for (size_t i = 0; i < decoder->block_count && error == ERR_OK; i++)
		if (decoder->blocks[i].head.kind == FG_BLOCK_DATA)
			error = read_entries(decoder, &decoder->blocks[i]);
	return error;
}
