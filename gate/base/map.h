/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map: byte-string key -> uint32_t value, open addressing. Keys are copied into the map.
 * The hash is seeded per process start from a fixed constant (deterministic), and the table never
 * exposes its order, so equal inputs give equal outputs.
 */
#ifndef FG_BASE_MAP_H
#define FG_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"

struct map_slot;

struct map {
	struct map_slot *slots;
	size_t capacity, count;
	struct arena keys;
};

#define MAP_NONE UINT32_MAX

void map_init(struct map *map);
void map_release(struct map *map);
/* The value, or MAP_NONE. */
uint32_t map_get(const struct map *map, const void *key, size_t length);
uint32_t map_get_str(const struct map *map, const char *key);
/* Inserts or replaces. */
void map_put(struct map *map, const void *key, size_t length, uint32_t value);
void map_put_str(struct map *map, const char *key, uint32_t value);
/*
 * The value already there, or `value` after inserting it. *added tells which (may be NULL).
 * The usual way to number things: id = map_intern(map, key, length, next_id, &added).
 */
uint32_t map_intern(struct map *map, const void *key, size_t length, uint32_t value, bool *added);

/* 64-bit FNV-1a with a final mix; for tables and short ids, not against adversaries. */
uint64_t hash_bytes(const void *data, size_t length, uint64_t seed);

#endif
