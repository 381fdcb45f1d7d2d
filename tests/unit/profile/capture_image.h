/* SPDX-License-Identifier: Apache-2.0 */
/* A sound capture made by hand, for tests that change one thing in it. */
#ifndef FG_TESTS_CAPTURE_IMAGE_H
#define FG_TESTS_CAPTURE_IMAGE_H

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate/profile/capture/capture_read.h"
#include "gate/sampler/capture/capture.h"
#include "gate/sampler/unwind/unwind.h"

#define MODULES_AT sizeof(struct fg_capture_header)
#define DATA_AT (MODULES_AT + FG_RECORD_BLOCK_BYTES)
#define IMAGE_BYTES (DATA_AT + FG_DATA_BLOCK_MIN + 3 * FG_RECORD_BLOCK_BYTES)

/* One process: a block of modules, one of data, and one of each kind of marks. */
struct image {
	struct fg_capture_header header;
	unsigned char modules[FG_RECORD_BLOCK_BYTES];
	unsigned char data[FG_DATA_BLOCK_MIN];
	unsigned char contexts[FG_RECORD_BLOCK_BYTES];
	unsigned char epochs[FG_RECORD_BLOCK_BYTES];
	unsigned char timeline[FG_RECORD_BLOCK_BYTES];
};

static inline struct fg_entry *entry_of(struct image *image, size_t index)
{
	return (struct fg_entry *)(image->data + sizeof(struct fg_block)) + index;
}

static inline void *arena_of(struct image *image, size_t offset)
{
	return image->data + fg_block_arena_offset(FG_DATA_BLOCK_MIN) + offset;
}

static inline uint32_t arena_offset8(size_t offset)
{
	return (uint32_t)((DATA_AT + fg_block_arena_offset(FG_DATA_BLOCK_MIN) + offset) / 8);
}

static inline struct fg_module *module_of(struct image *image)
{
	return (struct fg_module *)(image->modules + sizeof(struct fg_block));
}

static inline void put_stack(
	struct image *image, size_t offset, enum fg_walk_end end, uint64_t first)
{
	struct fg_stack *stack = arena_of(image, offset);
	uint64_t frames[2] = {first | FG_FRAME_EXACT | UINT64_C(1) << FG_FRAME_MODULE_SHIFT,
		0x2000 | UINT64_C(1) << FG_FRAME_MODULE_SHIFT};

	stack->depth = 2;
	stack->end = end;
	memcpy(stack + 1, frames, sizeof(frames));
}

static inline void put_entry(
	struct image *image, size_t slot, size_t stack, uint32_t epoch, uint64_t n)
{
	struct fg_entry *entry = entry_of(image, slot);

	entry->key = slot + 1;
	entry->stack = arena_offset8(stack);
	entry->epoch = epoch;
	entry->count = n;
	entry->sum = n * 1000;
	entry->squares_low = n * 1000000;
}

static inline struct fg_block *block_of(unsigned char *bytes)
{
	return (struct fg_block *)bytes;
}

/* Appends a record to a block. */
static inline void *put_record(unsigned char *block, const void *record, size_t bytes)
{
	struct fg_block *head = block_of(block);
	void *at = block + sizeof(*head) + head->used;

	memcpy(at, record, bytes);
	head->used += bytes;
	return at;
}

static inline struct fg_context *put_context(
	struct image *image, uint32_t parent, const char *key, const char *value)
{
	unsigned char bytes[sizeof(struct fg_context) + 1024] = {0};
	size_t key_bytes = strlen(key), value_bytes = strlen(value);
	struct fg_context *record = (struct fg_context *)bytes;

	record->bytes = (uint32_t)((sizeof(*record) + key_bytes + value_bytes + 7) & ~(size_t)7);
	record->parent = parent;
	record->key_bytes = (uint16_t)key_bytes;
	record->value_bytes = (uint16_t)value_bytes;
	memcpy(record + 1, key, key_bytes);
	memcpy((char *)(record + 1) + key_bytes, value, value_bytes);
	return put_record(image->contexts, bytes, record->bytes);
}

static inline struct fg_epoch *put_epoch(
	struct image *image, uint32_t epoch, uint64_t iterations, uint64_t cpu_ns)
{
	const struct fg_epoch record = {epoch, 0, iterations, cpu_ns};

	return put_record(image->epochs, &record, sizeof(record));
}

static inline struct fg_moment *put_moment(struct image *image, uint64_t moved, uint64_t live_bytes)
{
	const struct fg_moment record = {
		moved, live_bytes, live_bytes / 8, live_bytes + 1, 100 + moved};

	return put_record(image->timeline, &record, sizeof(record));
}

static inline struct image *new_image(void)
{
	struct image *image = calloc(1, sizeof(*image));
	struct fg_block *modules = (struct fg_block *)image->modules;
	struct fg_block *data = (struct fg_block *)image->data;
	struct fg_module *module = module_of(image);

	_Static_assert(sizeof(struct image) == IMAGE_BYTES, "laid out like the file");
	image->header = (struct fg_capture_header){
		.magic = FG_CAPTURE_MAGIC,
		.version = FG_CAPTURE_VERSION,
		.header_bytes = sizeof(image->header),
		.pid = 12,
		.ppid = 11,
		.mechanism = FG_MECHANISM_PERF,
		.rate_hz = 997,
		.cpu_start_ns = 100,
		.cpu_ns = 1100,
		.used_bytes = IMAGE_BYTES,
		.lost = 3,
		.exited = 1,
		.threads = 1,
		.arch = EM_X86_64,
		.executable = "/bin/x",
	};
	*modules =
		(struct fg_block){FG_BLOCK_MAGIC, FG_BLOCK_MODULES, FG_RECORD_BLOCK_BYTES, 40, {0}};
	*data = (struct fg_block){FG_BLOCK_MAGIC, FG_BLOCK_DATA, FG_DATA_BLOCK_MIN, 0, {0}};
	*block_of(image->contexts) =
		(struct fg_block){FG_BLOCK_MAGIC, FG_BLOCK_CONTEXTS, FG_RECORD_BLOCK_BYTES, 0, {0}};
	*block_of(image->epochs) =
		(struct fg_block){FG_BLOCK_MAGIC, FG_BLOCK_EPOCHS, FG_RECORD_BLOCK_BYTES, 0, {0}};
	*block_of(image->timeline) =
		(struct fg_block){FG_BLOCK_MAGIC, FG_BLOCK_TIMELINE, FG_RECORD_BLOCK_BYTES, 0, {0}};
	*module = (struct fg_module){40, 2, 6, 0x10000, 0x20000, 0x10000};
	memcpy(module + 1, "\xab\xcd/bin/x", 8);
	put_stack(image, 0, FG_END_ROOT, 0x1000);
	put_stack(image, 24, FG_END_NO_RULE, 0x1000);
	put_entry(image, 0, 0, 0, 5);
	put_entry(image, 3, 24, 0, 2);
	return image;
}

static inline int read_image(
	struct capture_set *set, const void *data, size_t length, struct error *err)
{
	return capture_read_bytes(set, data, length, "a.fgcap", NULL, err);
}

#endif
