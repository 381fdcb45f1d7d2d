/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

/* As strcmp(), for a word that does not end with a NUL. */
static int word_order(const char *listed, const char *word, size_t length)
{
	size_t i = 0;

	while (i < length && listed[i] == word[i])
		i++;
	if (i == length)
		return listed[i] != '\0';
	return (unsigned char)listed[i] - (unsigned char)word[i];
}

int word_find(const char *const *list, size_t count, const char *word, size_t length)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = word_order(list[middle], word, length);

		if (order == 0)
			return 1;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}
