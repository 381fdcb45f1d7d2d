/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds samples to the thread's blocks. Context: handler; one writer per block. Tables are open
 * addressed by a 64-bit hash of the raw walk that stands for the walk itself: two stacks share an
 * entry with probability 2^-64 a pair.
 */
#include "gate/sampler/sampler.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 32);
}

/* The layout is part of the key: the same addresses mean other code once an object has gone. */
uint64_t fg_walk_hash(const struct fg_walk *walk)
{
	uint64_t hash = mix(walk->depth, (uint64_t)walk->end << 32 | fg_modules_layout());

	for (size_t i = 0; i < walk->depth; i++)
		hash = mix(hash, walk->pcs[i]);
	for (size_t i = 0; i < (walk->depth + 63) / 64; i++)
		hash = mix(hash, walk->exact[i]);
	return hash | 1;
}

static uint64_t entry_key(uint64_t walk, const struct fg_key *key)
{
	return mix(mix(walk, (uint64_t)key->epoch << 32 | key->context), key->kind) | 1;
}

static struct fg_entry *entries_of(struct fg_block *block)
{
	return (struct fg_entry *)(block + 1);
}

static struct fg_stack_slot *index_of(struct fg_block *block)
{
	return (struct fg_stack_slot *)((char *)block + fg_block_index_offset(block->bytes));
}

/* The slot that holds key, or the free one where it belongs. Tables are never full. */
static struct fg_entry *probe_entry(struct fg_block *block, uint64_t key)
{
	uint64_t mask = fg_block_entry_slots(block->bytes) - 1, i = key >> 7;

	for (;; i++) {
		struct fg_entry *entry = &entries_of(block)[i & mask];

		if (entry->key == key || !entry->key)
			return entry;
	}
}

static struct fg_stack_slot *probe_stack(struct fg_block *block, uint64_t key)
{
	uint64_t mask = fg_block_index_slots(block->bytes) - 1, i = key >> 7;

	for (;; i++) {
		struct fg_stack_slot *slot = &index_of(block)[i & mask];

		if (slot->key == key || !slot->key)
			return slot;
	}
}

static struct fg_entry *find_entry(const struct fg_writer *writer, uint64_t key)
{
	for (uint32_t i = writer->count; i-- > 0;) {
		struct fg_entry *entry = probe_entry(writer->blocks[i], key);

		if (entry->key)
			return entry;
	}
	return NULL;
}

static uint32_t find_stack(const struct fg_writer *writer, uint64_t key)
{
	for (uint32_t i = writer->count; i-- > 0;) {
		const struct fg_stack_slot *slot = probe_stack(writer->blocks[i], key);

		if (slot->key)
			return slot->stack;
	}
	return 0;
}

/* Twice the newest, or as large as there is still room for. */
static bool add_block(struct fg_writer *writer)
{
	uint64_t bytes = FG_DATA_BLOCK_MIN;
	struct fg_block *block = NULL;

	if (writer->count == FG_WRITER_BLOCKS)
		return false;
	if (writer->count)
		bytes = 2 * writer->blocks[writer->count - 1]->bytes;
	if (bytes > FG_DATA_BLOCK_MAX)
		bytes = FG_DATA_BLOCK_MAX;
	while (!(block = fg_capture_block(FG_BLOCK_DATA, bytes)) && bytes > FG_DATA_BLOCK_MIN)
		bytes /= 2;
	if (!block)
		return false;
	writer->blocks[writer->count++] = block;
	writer->entries_used = writer->index_used = 0;
	writer->arena_used = 0;
	return true;
}

static bool has_room(const struct fg_writer *writer, uint64_t stack_bytes)
{
	uint64_t bytes;

	if (!writer->count)
		return false;
	bytes = writer->blocks[writer->count - 1]->bytes;
	return writer->entries_used < fg_block_entry_slots(bytes) / 4 * 3 &&
	       (!stack_bytes || (writer->index_used < fg_block_index_slots(bytes) / 4 * 3 &&
					writer->arena_used + stack_bytes <=
						bytes - fg_block_arena_offset(bytes)));
}

/* Frames of this library (wrappers, the thread's trampoline) are not the program's. */
static size_t encode_frames(const struct fg_walk *walk, uint64_t *frames)
{
	size_t depth = 0;

	for (size_t i = 0; i < walk->depth; i++) {
		bool exact = i == 0 || (walk->exact[i / 64] >> (i % 64) & 1);

		if (!fg_module_is_self(walk->pcs[i]))
			frames[depth++] = fg_module_frame(walk->pcs[i], exact);
	}
	if (!depth)
		frames[depth++] = fg_module_frame(walk->pcs[0], true);
	return depth;
}

static uint32_t put_stack(struct fg_writer *writer, uint64_t key, enum fg_walk_end end,
	const uint64_t *frames, size_t depth)
{
	struct fg_block *block = writer->blocks[writer->count - 1];
	struct fg_stack_slot *slot = probe_stack(block, key);
	char *at = (char *)block + fg_block_arena_offset(block->bytes) + writer->arena_used;
	struct fg_stack *stack = (struct fg_stack *)at;

	stack->depth = (uint32_t)depth;
	stack->end = end;
	memcpy(stack + 1, frames, depth * sizeof(*frames));
	writer->arena_used += sizeof(*stack) + depth * sizeof(*frames);
	writer->index_used++;
	slot->stack = fg_capture_offset8(stack);
	__atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
	return slot->stack;
}

void fg_entry_add(struct fg_entry *entry, uint64_t weight)
{
	unsigned __int128 squares =
		(unsigned __int128)entry->squares_high << 64 | entry->squares_low;

	squares += (unsigned __int128)weight * weight;
	entry->count++;
	entry->sum += weight;
	entry->squares_low = (uint64_t)squares;
	entry->squares_high = (uint64_t)(squares >> 64);
}

/* A free slot in the newest block, filled but not published. */
static struct fg_entry *place_entry(
	struct fg_writer *writer, uint64_t hash, uint32_t stack, const struct fg_key *key)
{
	struct fg_entry *entry = probe_entry(writer->blocks[writer->count - 1], hash);

	entry->stack = stack;
	entry->epoch = key->epoch;
	entry->context = key->context;
	entry->kind = key->kind;
	writer->entries_used++;
	return entry;
}

uint32_t fg_capture_stack(struct fg_thread *thread, const struct fg_walk *walk)
{
	struct fg_writer *writer = &thread->writer;
	uint32_t stack = find_stack(writer, walk->hash);
	size_t depth;

	if (stack)
		return stack;
	depth = encode_frames(walk, thread->frames);
	if (!has_room(writer, sizeof(struct fg_stack) + depth * sizeof(uint64_t)) &&
		!add_block(writer))
		return 0;
	return put_stack(writer, walk->hash, walk->end, thread->frames, depth);
}

static struct fg_entry *new_entry(
	struct fg_writer *writer, uint64_t hash, uint32_t stack, const struct fg_key *key)
{
	if (!stack || (!has_room(writer, 0) && !add_block(writer)))
		return NULL;
	return place_entry(writer, hash, stack, key);
}

struct fg_entry *fg_capture_entry(
	struct fg_thread *thread, const struct fg_walk *walk, const struct fg_key *key)
{
	uint64_t hash = entry_key(walk->hash, key);
	struct fg_entry *entry = find_entry(&thread->writer, hash);

	if (entry)
		return entry;
	return new_entry(&thread->writer, hash, fg_capture_stack(thread, walk), key);
}

struct fg_entry *fg_capture_entry_of(
	struct fg_thread *thread, uint64_t walk_hash, uint32_t stack, const struct fg_key *key)
{
	uint64_t hash = entry_key(walk_hash, key);
	struct fg_entry *entry = find_entry(&thread->writer, hash);

	return entry ? entry : new_entry(&thread->writer, hash, stack, key);
}

void fg_entry_publish(struct fg_entry *entry, uint64_t walk_hash, const struct fg_key *key)
{
	__atomic_store_n(&entry->key, entry_key(walk_hash, key), __ATOMIC_RELEASE);
}

bool fg_capture_add(struct fg_thread *thread, const struct fg_walk *walk, const struct fg_key *key,
	uint64_t weight)
{
	struct fg_entry *entry = fg_capture_entry(thread, walk, key);

	if (!entry)
		return false;
	fg_entry_add(entry, weight);
	fg_entry_publish(entry, walk->hash, key);
	return true;
}

void fg_count(enum fg_counter counter)
{
	struct fg_capture_header *header = fg_capture();

	if (header)
		__atomic_fetch_add(&header->counters[counter], 1, __ATOMIC_RELAXED);
}
