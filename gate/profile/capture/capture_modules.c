/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that a process had mapped: each once, however many threads met it. */
#include "gate/profile/capture/capture_decode.h"

#include <string.h>

#include "gate/base/error.h"

static const char *hex(struct arena *arena, const unsigned char *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	char *text = arena_alloc(arena, 2 * length + 1);

	for (size_t i = 0; i < length; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	return text;
}

static int check_record(
	struct capture_decoder *decoder, const struct fg_module *record, uint64_t left)
{
	uint64_t needed = sizeof(*record) + record->build_id_bytes + (uint64_t)record->path_bytes;

	if (record->bytes > left || record->bytes % 8 != 0 || needed > record->bytes)
		return capture_corrupt(decoder, "a module record is longer than its block");
	if (record->build_id_bytes > FG_MAX_BUILD_ID || record->path_bytes > FG_CAPTURE_PATH_BYTES)
		return capture_corrupt(decoder, "a module's path or build id is too long");
	if (record->start > record->limit)
		return capture_corrupt(decoder, "a module ends before it starts");
	return ERR_OK;
}

/* The same object may come twice: two threads met it at once, or it was closed and opened again. */
static void keep_module(struct capture_decoder *decoder, struct map *seen,
	const struct fg_module *record, const unsigned char *id)
{
	struct capture_process *process = &decoder->process;
	unsigned char key[sizeof(*record) + FG_MAX_BUILD_ID + FG_CAPTURE_PATH_BYTES];
	size_t tail = (size_t)record->build_id_bytes + record->path_bytes;
	struct capture_module *module;
	uint32_t index;
	bool added;

	memcpy(key, record, sizeof(*record));
	memcpy(key + sizeof(*record), id, tail);
	index = map_intern(
		seen, key, sizeof(*record) + tail, (uint32_t)process->module_count, &added);
	decoder->module_map[decoder->module_count++] = index;
	if (!added)
		return;
	module = &process->modules[process->module_count++];
	module->path = arena_strndup(
		decoder->arena, (const char *)id + record->build_id_bytes, record->path_bytes);
	module->build_id = hex(decoder->arena, id, record->build_id_bytes);
	module->start = record->start;
	module->limit = record->limit;
	module->bias = record->bias;
}

static int read_record(struct capture_decoder *decoder, struct map *seen, uint64_t offset,
	uint64_t left, uint32_t *bytes)
{
	const unsigned char *at = decoder->data + offset;
	struct fg_module record;

	if (left < sizeof(record))
		return capture_corrupt(decoder, "a module record is cut short");
	memcpy(&record, at, sizeof(record));
	if (check_record(decoder, &record, left) != ERR_OK)
		return ERR_CORRUPT;
	at += sizeof(record);
	if (memchr(at + record.build_id_bytes, '\0', record.path_bytes))
		return capture_corrupt(decoder, "a module's path holds a NUL byte");
	if (decoder->module_count >= decoder->limits->max_modules ||
		decoder->module_count >= FG_MAX_MODULES)
		return error_set(decoder->err, ERR_LIMIT, "%s: more than %zu modules",
			decoder->name, decoder->module_count);
	keep_module(decoder, seen, &record, at);
	*bytes = record.bytes;
	return ERR_OK;
}

static int read_block(
	struct capture_decoder *decoder, struct map *seen, const struct capture_block *block)
{
	uint64_t at = 0;

	while (at < block->head.used) {
		uint32_t bytes = 0;
		int error = read_record(decoder, seen, block->offset + sizeof(block->head) + at,
			block->head.used - at, &bytes);

		if (error != ERR_OK)
			return error;
		at += bytes;
	}
	return ERR_OK;
}

/* The records that the blocks can hold at most: an upper bound for the tables. */
static size_t count_possible(const struct capture_decoder *decoder)
{
	size_t count = 0;

	for (size_t i = 0; i < decoder->block_count; i++)
		if (decoder->blocks[i].head.kind == FG_BLOCK_MODULES)
			count += decoder->blocks[i].head.used / sizeof(struct fg_module);
	return count < FG_MAX_MODULES ? count : FG_MAX_MODULES;
}

int capture_decode_modules(struct capture_decoder *decoder)
{
	size_t possible = count_possible(decoder);
	int error = ERR_OK;
	struct map seen;

	decoder->module_map = arena_array(decoder->arena, possible, sizeof(*decoder->module_map));
	decoder->process.modules =
		arena_array(decoder->arena, possible, sizeof(*decoder->process.modules));
	map_init(&seen);
	for (size_t i = 0; i < decoder->block_count && error == ERR_OK; i++)
		if (decoder->blocks[i].head.kind == FG_BLOCK_MODULES)
			error = read_block(decoder, &seen, &decoder->blocks[i]);
	map_release(&seen);
	return error;
}
