/* SPDX-License-Identifier: Apache-2.0 */
#include "duplicate.h"

#include <string.h>

#include "hash.h"

#define PROBES 4

/* Eight bytes at a time: a line is long. */
uint64_t line_fingerprint(const char *line, size_t length)
{
	uint64_t hash = length * 0x9e3779b97f4a7c15u, word = 0;

	for (; length >= sizeof(word); line += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, line, sizeof(word));
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 29;
	}
	word = 0;
	memcpy(&word, line, length);
	return hash_number(hash ^ word);
}

int duplicate_check(struct duplicates *duplicates, const char *line, size_t length)
{
	uint64_t fingerprint = line_fingerprint(line, length);
	int seen = 1;

	/* Half full is when it begins to be wrong too often. */
	if (duplicates->set > DUPLICATE_BITS / 2)
		memset(duplicates, 0, sizeof(*duplicates));
	for (int i = 0; i < PROBES; i++, fingerprint = hash_number(fingerprint)) {
		uint64_t *word = &duplicates->bits[fingerprint % DUPLICATE_BITS / 64];
		uint64_t bit = UINT64_C(1) << fingerprint % 64;

		if ((*word & bit) == 0) {
			*word |= bit;
			duplicates->set++;
			seen = 0;
		}
	}
	return seen;
}
