#include "words.h"

#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 2048

static void index_text(struct table *table, const char *text)
{
	struct token token;

	while ((text = token_next(text, &token))) {
		token_normalise(&token);
		table_add(table, &token);
	}
}

static uint32_t one_round(unsigned round)
{
	char *text = corpus_make(1000, round);
	struct table table;
	uint32_t digest;

	table_init(&table, BUCKETS);
	index_text(&table, text);
	digest = report_digest(&table, 2);
	table_release(&table);
	free(text);
	return digest;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
	uint32_t digest = 0;

	for (unsigned i = 0; i < rounds; i++)
		digest = digest * 31 + one_round(i);
	printf("%u rounds: %08x\n", rounds, digest);
	return 0;
}
