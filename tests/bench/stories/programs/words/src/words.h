/* An index of the words of a text: how often each stands in it, and what is near it. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <stdint.h>

struct token {
	char text[32]; /* nothing but zeros behind it */
	size_t length;
};

struct entry {
	char text[32];
	uint32_t hash;
	unsigned count;
	struct entry *next;
};

struct table {
	struct entry **buckets;
	size_t bucket_count, entry_count;
};

/* corpus.c: a text of so many sentences, the same for the same seed; freed by the caller */
char *corpus_make(unsigned sentences, uint32_t seed);

/* token.c */
const char *token_next(const char *text, struct token *token);
void token_normalise(struct token *token);

/* hash.c */
uint32_t hash_bytes(const char *text, size_t length);
uint32_t hash_words(const char *text, size_t length);

/* table.c */
void table_init(struct table *table, size_t buckets);
struct entry *table_add(struct table *table, const struct token *token);
unsigned table_rank(const struct table *table, const struct entry *entry);
void table_release(struct table *table);

/* similar.c: how many letters must change to make one of the other */
unsigned similar_distance(const char *one, const char *other);
unsigned similar_nearest(struct entry *const *entries, size_t count, const struct entry *to, size_t window);

/* report.c: sorts, sums up */
uint32_t report_digest(const struct table *table, size_t window);

#endif
