/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store of documents in memory that answers requests: what it allocates, keeps and needs for a
 * moment is the same in every run. Its regions and labels say what it is at.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flamegate.h"

#define DOCUMENTS 2000
#define REQUESTS 60 /* each of them an iteration */
#define HITS 200    /* documents that a request looks at */
#define CACHED 8    /* answers that are kept */

struct document {
	uint32_t length;
	char text[];
};

struct answer {
	size_t length;
	char *text;
};

static struct document *documents[DOCUMENTS];
static struct answer cache[REQUESTS];
static uint64_t state = 42;

static uint32_t next_number(uint32_t limit)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state >> 33) % limit;
}

static struct document *make_document(void)
{
	uint32_t length = 200 + next_number(800);
	struct document *made = malloc(sizeof(*made) + length);

	made->length = length;
	for (uint32_t i = 0; i < length; i++)
		made->text[i] = (char)('a' + next_number(26));
	return made;
}

static void load(void)
{
	flamegate_region_begin("load");
	for (int i = 0; i < DOCUMENTS; i++)
		documents[i] = make_document();
	flamegate_region_end();
}

static uint32_t count_words(const struct document *document)
{
	uint32_t words = 0;

	for (int round = 0; round < 26; round++)
		for (uint32_t i = 0; i < document->length; i++)
			words += document->text[i] == (char)('a' + round);
	return words;
}

static void append(struct answer *answer, const char *text, size_t length)
{
	answer->text = realloc(answer->text, answer->length + length);
	memcpy(answer->text + answer->length, text, length);
	answer->length += length;
}

static struct answer answer_request(void)
{
	struct answer answer = {0, NULL};

	for (int i = 0; i < HITS; i++) {
		const struct document *hit = documents[next_number(DOCUMENTS)];

		if (count_words(hit) > 100)
			append(&answer, hit->text, hit->length / 4);
	}
	return answer;
}

/* The oldest answer makes room. */
static void keep(int request, const struct answer *answer)
{
	cache[request] = *answer;
	if (request >= CACHED) {
		free(cache[request - CACHED].text);
		cache[request - CACHED].text = NULL;
	}
}

static int by_length(const void *a, const void *b)
{
	const struct document *const *left = a, *const *right = b;

	return (*left)->length < (*right)->length ? -1 : (*left)->length > (*right)->length;
}

/* A copy of all documents in their new order, for as long as it takes. */
static void compact(void)
{
	struct document *copies[DOCUMENTS];

	flamegate_region_begin("compact");
	qsort(documents, DOCUMENTS, sizeof(*documents), by_length);
	for (int i = 0; i < DOCUMENTS; i++) {
		size_t bytes = sizeof(*copies[i]) + documents[i]->length;

		copies[i] = memcpy(malloc(bytes), documents[i], bytes);
		free(documents[i]);
	}
	memcpy(documents, copies, sizeof(copies));
	flamegate_region_end();
}

static void serve(int request)
{
	struct answer answer;

	flamegate_region_begin("serve");
	flamegate_label("request", request % 3 ? "search" : "export");
	answer = answer_request();
	keep(request, &answer);
	flamegate_region_end();
}

int main(void)
{
	size_t kept = 0;

	load();
	for (int i = 0; i < REQUESTS; i++) {
		if (i == REQUESTS / 2)
			compact();
		serve(i);
		flamegate_iteration(1);
	}
	for (int i = 0; i < REQUESTS; i++)
		kept += cache[i].text ? cache[i].length : 0;
	printf("%zu bytes kept\n", kept);
	return 0;
}
