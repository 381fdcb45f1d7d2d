/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"

#define FIRST_SLOTS 64

static void *must(void *memory)
{
	if (memory == NULL)
		abort();
	return memory;
}

void table_init(struct table *table)
{
	memset(table, 0, sizeof(*table));
	table->slot_count = FIRST_SLOTS;
	table->slots = must(calloc(FIRST_SLOTS, sizeof(*table->slots)));
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		free(table->entries[i].key);
		free(table->entries[i].data);
	}
	free(table->entries);
	free(table->slots);
}

static void table_place(struct table *table, uint64_t hash, uint32_t index)
{
	size_t slot = hash & (table->slot_count - 1);

	while (table->slots[slot] != 0)
		slot = (slot + 1) & (table->slot_count - 1);
	table->slots[slot] = index + 1;
}

static void table_grow(struct table *table)
{
	free(table->slots);
	table->slot_count *= 2;
	table->slots = must(calloc(table->slot_count, sizeof(*table->slots)));
	for (size_t i = 0; i < table->count; i++)
		table_place(table, table->entries[i].hash, (uint32_t)i);
}

static struct table_entry *table_add(
	struct table *table, const char *key, size_t length, uint64_t hash)
{
	if (table->count == table->capacity) {
		table->capacity = table->capacity ? 2 * table->capacity : FIRST_SLOTS;
		table->entries = must(
			realloc(table->entries, table->capacity * sizeof(*table->entries)));
	}
	if (2 * (table->count + 1) > table->slot_count)
		table_grow(table);
	struct table_entry *entry = &table->entries[table->count];
	*entry = (struct table_entry){must(malloc(length + 1)), length, hash, 0, NULL};
	memcpy(entry->key, key, length);
	entry->key[length] = '\0';
	table_place(table, hash, (uint32_t)table->count++);
	return entry;
}

static int same_key(const struct table_entry *entry, const char *key, size_t length, uint64_t hash)
{
	return entry->hash == hash && entry->length == length &&
	       memcmp(entry->key, key, length) == 0;
}

struct table_entry *table_get(struct table *table, const char *key, size_t length)
{
	uint64_t hash = hash_text(key, length);
	size_t slot = hash & (table->slot_count - 1);

	for (; table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
		struct table_entry *entry = &table->entries[table->slots[slot] - 1];

		if (same_key(entry, key, length, hash))
			return entry;
	}
	return table_add(table, key, length, hash);
}

void table_count(struct table *table, const char *key, size_t length)
{
	table_get(table, key, length)->count++;
}

/* More first; of equal counts the lesser key. */
static int goes_before(const struct table_entry *a, const struct table_entry *b)
{
	if (a->count != b->count)
		return a->count > b->count;
	return strcmp(a->key, b->key) < 0;
}

size_t table_top(const struct table *table, const struct table_entry **top, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct table_entry *entry = &table->entries[i];
		size_t at = found < n ? found++ : n;

		for (; at > 0 && goes_before(entry, top[at - 1]); at--)
			if (at < n)
				top[at] = top[at - 1];
		if (at < n)
			top[at] = entry;
	}
	return found;
}
