/* SPDX-License-Identifier: Apache-2.0 */
/* What the program said about itself: regions and labels, and where its own epochs begin. */
#include "gate/profile/capture/capture_decode.h"

#include <string.h>

#include "gate/base/error.h"

static int check_context(
	struct capture_decoder *decoder, const struct fg_context *record, uint64_t left)
{
	uint64_t needed = sizeof(*record) + record->key_bytes + (uint64_t)record->value_bytes;

	if (record->bytes > left || record->bytes % 8 != 0 || needed > record->bytes)
		return capture_corrupt(decoder, "a context is longer than its block");
	if (!record->key_bytes || record->key_bytes > FG_MAX_CONTEXT_KEY ||
		record->value_bytes > FG_MAX_CONTEXT_VALUE)
		return capture_corrupt(decoder, "a context's name is missing or too long");
	if (record->parent > decoder->process.context_count)
		return capture_corrupt(decoder, "a context comes before its parent");
	if (record->parent && decoder->context_depths[record->parent - 1] >= FG_MAX_CONTEXT_DEPTH)
		return capture_corrupt(decoder, "contexts lie too deep inside each other");
	if (decoder->process.context_count >= FG_MAX_CONTEXTS)
		return capture_corrupt(decoder, "more contexts than there can be");
	return ERR_OK;
}

static int read_context(
	struct capture_decoder *decoder, uint64_t offset, uint64_t left, uint32_t *bytes)
{
	struct capture_process *process = &decoder->process;
	const unsigned char *at = decoder->data + offset;
	struct capture_context *context;
	struct fg_context record;

	if (left < sizeof(record))
		return capture_corrupt(decoder, "a context is cut short");
	memcpy(&record, at, sizeof(record));
	if (check_context(decoder, &record, left) != ERR_OK)
		return ERR_CORRUPT;
	at += sizeof(record);
	if (memchr(at, '\0', (size_t)record.key_bytes + record.value_bytes))
		return capture_corrupt(decoder, "a context's name holds a NUL byte");
	process->contexts = capture_grow(decoder->arena, process->contexts, process->context_count,
		&decoder->context_capacity, sizeof(*process->contexts));
	decoder->context_depths[process->context_count] =
		(uint8_t)(record.parent ? decoder->context_depths[record.parent - 1] + 1 : 1);
	context = &process->contexts[process->context_count++];
	context->parent = record.parent;
	context->key = arena_strndup(decoder->arena, (const char *)at, record.key_bytes);
	context->value = arena_strndup(
		decoder->arena, (const char *)at + record.key_bytes, record.value_bytes);
	*bytes = record.bytes;
	return ERR_OK;
}

static int read_contexts(struct capture_decoder *decoder, const struct capture_block *block)
{
	uint64_t at = 0;

	while (at < block->head.used) {
		uint32_t bytes = 0;
		int error = read_context(decoder, block->offset + sizeof(block->head) + at,
			block->head.used - at, &bytes);

		if (error != ERR_OK)
			return error;
		at += bytes;
	}
	return ERR_OK;
}

int capture_decode_contexts(struct capture_decoder *decoder)
{
	int error = ERR_OK;

	for (size_t i = 0; i < decoder->block_count && error == ERR_OK; i++)
		if (decoder->blocks[i].head.kind == FG_BLOCK_CONTEXTS)
			error = read_contexts(decoder, &decoder->blocks[i]);
	return error;
}
