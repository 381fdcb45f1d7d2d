/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks: threads have their own blocks,
 * so the same one may be there many times and becomes one. */
#include "gate/profile/capture/capture_decode.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/sampler/unwind/unwind.h"

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
	uint64_t module = fg_frame_module(packed);

	frame->address = fg_frame_address(packed);
	frame->exact = fg_frame_is_exact(packed);
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
	process->stacks = capture_grow(decoder->arena, process->stacks, process->stack_count,
		&decoder->stack_capacity, sizeof(*stack));
	stack = &process->stacks[process->stack_count++];
	stack->frames = frames;
	stack->depth = head->depth;
	stack->end = (uint8_t)head->end;
	stack->complete = head->end == FG_END_ROOT || head->end == FG_END_START;
	return index;
}

int capture_decode_stack(struct capture_decoder *decoder, uint32_t offset8, uint32_t *index)
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
