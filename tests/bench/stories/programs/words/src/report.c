#include "words.h"

#include <stdlib.h>
#include <string.h>

static int by_count(const void *a, const void *b)
{
	const struct entry *one = *(struct entry *const *)a, *other = *(struct entry *const *)b;

	if (one->count != other->count)
		return one->count < other->count ? 1 : -1;
	return strcmp(one->text, other->text);
}

static struct entry **list_entries(const struct table *table)
{
	struct entry **list = malloc(table->entry_count * sizeof(struct entry *));
	size_t count = 0;

	if (!list)
		exit(1);
	for (size_t i = 0; i < table->bucket_count; i++)
		for (struct entry *entry = table->buckets[i]; entry; entry = entry->next)
			list[count++] = entry;
	return list;
}

static uint32_t mix(uint32_t digest, const struct entry *entry, unsigned nearest)
{
	return (digest ^ hash_bytes(entry->text, sizeof(entry->text))) * 31 + entry->count + nearest;
}

uint32_t report_digest(const struct table *table, size_t window)
{
	struct entry **list = list_entries(table);
	uint32_t digest = 0;
	unsigned rank;

	qsort(list, table->entry_count, sizeof(struct entry *), by_count);
	rank = table_rank(table, list[table->entry_count / 2]);
	for (size_t i = 0; i < table->entry_count; i++)
		digest = mix(digest, list[i], similar_nearest(list, table->entry_count, list[i], window) + rank);
	free(list);
	return digest;
}
