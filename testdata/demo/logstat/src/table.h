/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_TABLE_H
#define LOGSTAT_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Counts by text: open addressing, entries in order of their arrival. */
struct table_entry {
	char *key;
	size_t length;
	uint64_t hash;
	uint64_t count;
	void *data; /* the caller's */
};

struct table {
	uint32_t *slots; /* index + 1 into entries; 0 is empty */
	size_t slot_count;
	struct table_entry *entries;
	size_t count, capacity;
};

void table_init(struct table *table);
void table_release(struct table *table);
/* The entry of the key, new with a count of 0 if it is not there yet. */
struct table_entry *table_get(struct table *table, const char *key, size_t length);
void table_count(struct table *table, const char *key, size_t length);
/* The n entries with the highest counts; returns how many there are. */
size_t table_top(const struct table *table, const struct table_entry **top, size_t n);

#endif
