/* SPDX-License-Identifier: Apache-2.0 */
#include "spelling.h"

#include <string.h>

#include "words.h"

static const char *const vocabulary[] = {
	"batteries", "belts", "boots", "chairs", "cheap", "coffee", "curtains", "flights", "garden",
	"gloves", "grinder", "handles", "happiness", "headphones", "helmets", "invoices", "jackets",
	"kettle", "keyboard", "lamps", "lisbon", "measured", "monitor", "mugs", "organization",
	"payments", "quickly", "red", "replacement", "reviews", "running", "settings", "shoes",
	"speakers", "tables", "towels", "umbrella", "waterproof", "winter", "wireless",
};

#define VOCABULARY (sizeof(vocabulary) / sizeof(*vocabulary))

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t row[MAX_SPELLED + 1];

	for (size_t i = 0; i <= a_length; i++)
		row[i] = i;
	for (size_t j = 0; j < b_length; j++) {
		/* Farther from the diagonal there are always too many. */
		size_t low = j > MAX_TYPOS ? j - MAX_TYPOS : 0;
		size_t high = least(a_length, j + MAX_TYPOS + 1);
		size_t diagonal = row[low], best = row[low] = low == 0 ? j + 1 : MAX_TYPOS + 1;

		for (size_t i = low; i < high; i++) {
			size_t above = row[i + 1];

			row[i + 1] = least(least(above, row[i]) + 1, diagonal + (a[i] != b[j]));
			diagonal = above;
			best = least(best, row[i + 1]);
		}
		/* It never gets less from row to row. */
		if (best > MAX_TYPOS)
			return best;
	}
	return row[a_length];
}

/* Words of very different lengths need not be compared. */
static size_t spelling_typos(const char *word, size_t length, const char *other)
{
	size_t other_length = strlen(other);

	if (length > other_length + MAX_TYPOS || other_length > length + MAX_TYPOS)
		return MAX_TYPOS + 1;
	return edit_distance(word, length, other, other_length);
}

const char *spelling_correct(struct spelling *spelling, const char *word, size_t length)
{
	const char *meant = NULL;
	size_t least_typos = MAX_TYPOS + 1;

	/* Most words are spelled well. */
	if (word_find(vocabulary, VOCABULARY, word, length)) {
		spelling->known++;
		return NULL;
	}
	for (size_t i = 0; i < VOCABULARY; i++) {
		size_t typos = spelling_typos(word, length, vocabulary[i]);

		if (typos < least_typos) {
			least_typos = typos;
			meant = vocabulary[i];
		}
	}
	if (meant != NULL)
		spelling->corrected++;
	else
		spelling->unknown++;
	return meant;
}
