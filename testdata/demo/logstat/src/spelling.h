/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_SPELLING_H
#define LOGSTAT_SPELLING_H

#include <stddef.h>
#include <stdint.h>

/* Search words that are not in the shop's vocabulary, and what was meant. */
struct spelling {
	uint64_t known, corrected, unknown;
};

#define MAX_TYPOS 2

#define MAX_SPELLED 32

/* Letters to insert, delete or change; more than MAX_TYPOS if there are too many. a_length <= MAX_SPELLED. */
size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length);
/* The word of the vocabulary that was meant, or NULL. */
const char *spelling_correct(struct spelling *spelling, const char *word, size_t length);

#endif
