/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions and labels are interned for the whole process: a context is a key, a value and a parent,
 * and its number is the same in this process, its captures and its forked children.
 *
 * Known contexts are found without a lock. The table is only ever added to: a context is written
 * first, into the capture too, and published after by its slot of the index.
 */
#include "gate/sampler/contexts.h"

#include <errno.h>
#include <string.h>

#include "gate/sampler/raw.h"

#define INDEX_SLOTS (2 * FG_MAX_CONTEXTS) /* a power of two; never full */

struct mark {
	uint64_t hash;
	uint32_t parent, depth;
	uint16_t key_bytes, value_bytes;
	char bytes[FG_MAX_CONTEXT_KEY + FG_MAX_CONTEXT_VALUE]; /* key, then value */
};

struct table {
	uint32_t index[INDEX_SLOTS]; /* context, 0: free */
	struct mark marks[FG_MAX_CONTEXTS];
};

static struct {
	struct table *table; /* mapped at the first mark */
	uint32_t lock;       /* of all below, and of adding to the table */
	uint32_t count;      /* of marks in the table */
	uint32_t written;    /* of them into this image's capture */
	struct fg_block *block;
} contexts;

/* ---- the table ------------------------------------------------------------------------------- */

/* At most `most` bytes, and no half of a UTF-8 character. */
struct fg_text fg_text_of(const char *string, uint32_t most)
{
	struct fg_text text = {string ? string : "", 0};

	while (text.length < most && text.bytes[text.length])
		text.length++;
	if (text.length == most && text.bytes[most])
		while (text.length && ((unsigned char)text.bytes[text.length] & 0xc0) == 0x80)
			text.length--;
	return text;
}

static uint64_t hash_text(uint64_t hash, const struct fg_text *text)
{
	for (uint32_t i = 0; i < text->length; i++)
		hash = (hash ^ (unsigned char)text->bytes[i]) * UINT64_C(0x100000001b3);
	return (hash ^ text->length) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct mark *mark_of(uint32_t context)
{
	return &contexts.table->marks[context - 1];
}

static bool is_mark(const struct mark *mark, uint64_t hash, uint32_t parent,
	const struct fg_text *key, const struct fg_text *value)
{
	return mark->hash == hash && mark->parent == parent && mark->key_bytes == key->length &&
	       mark->value_bytes == value->length &&
	       memcmp(mark->bytes, key->bytes, key->length) == 0 &&
	       memcmp(mark->bytes + key->length, value->bytes, value->length) == 0;
}

/* Its slot of the index, or the free one where it belongs. */
static uint32_t *probe(
	uint64_t hash, uint32_t parent, const struct fg_text *key, const struct fg_text *value)
{
	for (uint64_t i = hash >> 20;; i++) {
		uint32_t *slot = &contexts.table->index[i & (INDEX_SLOTS - 1)];
		uint32_t context = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!context || is_mark(mark_of(context), hash, parent, key, value))
			return slot;
	}
}

bool fg_context_has_key(uint32_t context, const struct fg_text *key)
{
	const struct mark *mark = mark_of(context);

	return mark->key_bytes == key->length && memcmp(mark->bytes, key->bytes, key->length) == 0;
}

uint32_t fg_context_parent(uint32_t context)
{
	return mark_of(context)->parent;
}

static uint32_t depth_of(uint32_t context)
{
	return context ? mark_of(context)->depth : 0;
}

/* ---- into the capture (under the lock) ------------------------------------------------------- */

void *fg_record_reserve(struct fg_block **block, enum fg_block_kind kind, uint64_t bytes)
{
	if (!*block || (*block)->used + bytes > (*block)->bytes - sizeof(**block)) {
		struct fg_block *fresh = fg_capture_block(kind, FG_RECORD_BLOCK_BYTES);

		if (!fresh)
			return NULL;
		*block = fresh;
	}
	return (char *)(*block + 1) + (*block)->used;
}

void fg_record_publish(struct fg_block *block, uint64_t bytes)
{
	__atomic_store_n(&block->used, block->used + bytes, __ATOMIC_RELEASE);
}

static bool write_mark(const struct mark *mark)
{
	uint32_t text = (uint32_t)mark->key_bytes + mark->value_bytes;
	uint32_t bytes = ((uint32_t)sizeof(struct fg_context) + text + 7) & ~UINT32_C(7);
	struct fg_context *record = fg_record_reserve(&contexts.block, FG_BLOCK_CONTEXTS, bytes);

	if (!record)
		return false;
	record->bytes = bytes;
	record->parent = mark->parent;
	record->key_bytes = mark->key_bytes;
	record->value_bytes = mark->value_bytes;
	memcpy(record + 1, mark->bytes, text);
	fg_record_publish(contexts.block, bytes);
	return true;
}

/* A forked child has no capture before its first sample: then all are written at once. */
static bool write_pending(void)
{
	if (!fg_capture())
		return true;
	for (; contexts.written < contexts.count; contexts.written++)
		if (!write_mark(&contexts.table->marks[contexts.written]))
			return false;
	return true;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static bool map_table(void)
{
	if (!contexts.table)
		__atomic_store_n(
			&contexts.table, fg_raw_pages(sizeof(struct table)), __ATOMIC_RELEASE);
	return contexts.table != NULL;
}

static void fill(struct mark *mark, uint64_t hash, uint32_t parent, const struct fg_text *key,
	const struct fg_text *value)
{
	mark->hash = hash;
	mark->parent = parent;
	mark->depth = depth_of(parent) + 1;
	mark->key_bytes = (uint16_t)key->length;
	mark->value_bytes = (uint16_t)value->length;
	memcpy(mark->bytes, key->bytes, key->length);
	memcpy(mark->bytes + key->length, value->bytes, value->length);
}

/* Under the lock. 0: no room. */
static uint32_t add(
	uint64_t hash, uint32_t parent, const struct fg_text *key, const struct fg_text *value)
{
	uint32_t *slot;

	if (!map_table())
		return 0;
	slot = probe(hash, parent, key, value);
	if (*slot)
		return *slot;
	if (contexts.count >= FG_MAX_CONTEXTS)
		return 0;
	fill(&contexts.table->marks[contexts.count], hash, parent, key, value);
	/* A child forked by another thread now writes it as one that nobody uses. */
	__atomic_store_n(&contexts.count, contexts.count + 1, __ATOMIC_RELEASE);
	if (!write_pending()) {
		contexts.count--;
		return 0;
	}
	__atomic_store_n(slot, contexts.count, __ATOMIC_RELEASE);
	return contexts.count;
}

static uint32_t add_locked(
	uint64_t hash, uint32_t parent, const struct fg_text *key, const struct fg_text *value)
{
	int saved_errno = errno;
	uint32_t context = 0;

	if (fg_marks_lock()) {
		context = add(hash, parent, key, value);
		fg_marks_unlock();
	}
	errno = saved_errno;
	return context;
}

/* The context of this key and value in parent; 0, and counted: no room. */
uint32_t fg_context_intern(uint32_t parent, const struct fg_text *key, const struct fg_text *value)
{
	uint64_t hash = hash_text(hash_text(parent + 1, key), value);
	uint32_t context = 0;

	if (depth_of(parent) < FG_MAX_CONTEXT_DEPTH) {
		if (__atomic_load_n(&contexts.table, __ATOMIC_ACQUIRE))
			context =
				__atomic_load_n(probe(hash, parent, key, value), __ATOMIC_ACQUIRE);
		if (!context)
			context = add_locked(hash, parent, key, value);
	}
	if (!context)
		fg_count(FG_COUNTER_CONTEXTS_LOST);
	return context;
}

bool fg_context_has_value(uint32_t context)
{
	return mark_of(context)->value_bytes != 0;
}

uint32_t fg_context_move(uint32_t context, uint32_t parent)
{
	const struct mark *mark = mark_of(context);
	const struct fg_text key = {mark->bytes, mark->key_bytes};
	const struct fg_text value = {mark->bytes + mark->key_bytes, mark->value_bytes};

	return fg_context_intern(parent, &key, &value);
}

bool fg_marks_lock(void)
{
	return fg_lock(&contexts.lock);
}

void fg_marks_unlock(void)
{
	fg_unlock(&contexts.lock);
}

void fg_contexts_attach(void)
{
	bool written = false;

	if (fg_marks_lock()) {
		written = write_pending();
		fg_marks_unlock();
	}
	if (!written)
		fg_count(FG_COUNTER_CONTEXTS_LOST);
}

void fg_contexts_forked(void)
{
	contexts.lock = contexts.written = 0;
	contexts.block = NULL;
}
