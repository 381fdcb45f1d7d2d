#include "words.h"

#include <stdlib.h>
#include <string.h>

void table_init(struct table *table, size_t buckets)
{
	table->buckets = calloc(buckets, sizeof(*table->buckets));
	table->bucket_count = buckets;
	table->entry_count = 0;
	if (!table->buckets)
		exit(1);
}

static struct entry *find(const struct table *table, const struct token *token, uint32_t hash)
{
	struct entry *entry = table->buckets[hash % table->bucket_count];

	while (entry && (entry->hash != hash || strcmp(entry->text, token->text) != 0))
		entry = entry->next;
	return entry;
}

static struct entry *insert(struct table *table, const struct token *token, uint32_t hash)
{
	struct entry **bucket = &table->buckets[hash % table->bucket_count];
	struct entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		exit(1);
	memcpy(entry->text, token->text, token->length);
	entry->hash = hash;
	entry->next = *bucket;
	*bucket = entry;
	table->entry_count++;
	return entry;
}

struct entry *table_add(struct table *table, const struct token *token)
{
	uint32_t hash = hash_words(token->text, sizeof(token->text));
	struct entry *entry = find(table, token, hash);

	if (!entry)
		entry = insert(table, token, hash);
	entry->count++;
	return entry;
}

unsigned table_rank(const struct table *table, const struct entry *entry)
{
	unsigned rank = 0;

	for (size_t i = 0; i < table->bucket_count; i++)
		for (const struct entry *other = table->buckets[i]; other; other = other->next)
			rank += other->count > entry->count;
	return rank;
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->bucket_count; i++) {
		struct entry *entry = table->buckets[i];

		while (entry) {
			struct entry *next = entry->next;

			free(entry);
			entry = next;
		}
	}
	free(table->buckets);
}
