/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/map.h"

#include <stdlib.h>
#include <string.h>

struct map_slot {
	const char *key; /* NULL: free */
	size_t length;
	uint64_t hash;
	uint32_t value;
};

uint64_t hash_bytes(const void *data, size_t length, uint64_t seed)
{
	const unsigned char *bytes = data;
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ seed;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	hash ^= hash >> 33;
	hash *= UINT64_C(0xff51afd7ed558ccd);
	return hash ^ (hash >> 33);
}

void map_init(struct map *map)
{
	memset(map, 0, sizeof(*map));
	arena_init(&map->keys);
}

void map_release(struct map *map)
{
	free(map->slots);
	arena_release(&map->keys);
	map_init(map);
}

/* The slot that holds key, or the free slot where it belongs. capacity is a power of two. */
static struct map_slot *find_slot(
	struct map_slot *slots, size_t capacity, const void *key, size_t length, uint64_t hash)
{
	size_t i = (size_t)hash & (capacity - 1);

	while (slots[i].key && !(slots[i].hash == hash && slots[i].length == length &&
				       memcmp(slots[i].key, key, length) == 0))
		i = (i + 1) & (capacity - 1);
	return &slots[i];
}

static void grow(struct map *map)
{
	size_t capacity = map->capacity ? map->capacity * 2 : 64;
	struct map_slot *slots = xcalloc(capacity, sizeof(*slots));

	for (size_t i = 0; i < map->capacity; i++) {
		struct map_slot *old = &map->slots[i];

		if (old->key)
			*find_slot(slots, capacity, old->key, old->length, old->hash) = *old;
	}
	free(map->slots);
	map->slots = slots;
	map->capacity = capacity;
}

uint32_t map_get(const struct map *map, const void *key, size_t length)
{
	struct map_slot *slot;

	if (!map->count)
		return MAP_NONE;
	slot = find_slot(map->slots, map->capacity, key, length, hash_bytes(key, length, 0));
	return slot->key ? slot->value : MAP_NONE;
}

static struct map_slot *insert(struct map *map, const void *key, size_t length, bool *added)
{
	uint64_t hash = hash_bytes(key, length, 0);
	struct map_slot *slot;

	if ((map->count + 1) * 4 > map->capacity * 3)
		grow(map);
	slot = find_slot(map->slots, map->capacity, key, length, hash);
	*added = !slot->key;
	if (*added) {
		slot->key = arena_strndup(&map->keys, key, length);
		slot->length = length;
		slot->hash = hash;
		map->count++;
	}
	return slot;
}

void map_put(struct map *map, const void *key, size_t length, uint32_t value)
{
	bool added;

	insert(map, key, length, &added)->value = value;
}

uint32_t map_intern(struct map *map, const void *key, size_t length, uint32_t value, bool *added)
{
	bool is_new;
	struct map_slot *slot = insert(map, key, length, &is_new);

	if (is_new)
		slot->value = value;
	if (added)
		*added = is_new;
	return slot->value;
}

uint32_t map_get_str(const struct map *map, const char *key)
{
	return map_get(map, key, strlen(key));
}

void map_put_str(struct map *map, const char *key, uint32_t value)
{
	map_put(map, key, strlen(key), value);
}
