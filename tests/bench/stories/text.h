/* SPDX-License-Identifier: Apache-2.0 */
/* Text for the releases' benchmarks: sentences of words, the same for the same seed; freed by the
 * caller. */
#ifndef STORIES_TEXT_H
#define STORIES_TEXT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t text_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static char *text_make(size_t length, uint32_t seed)
{
	static const char *const words[] = {"river", "of", "stones", "and", "the", "lantern", "in",
		"winter", "gardens", "were", "silver", "bridges", "over", "a", "harbour", "with",
		"copper", "windows", "letters", "from"};
	char *text = malloc(length + 32);
	size_t at = 0;

	if (!text)
		exit(1);
	while (at < length) {
		if (text_random(&seed) % 9 == 0)
			at += (size_t)sprintf(text + at, "%u ", text_random(&seed) % 100000);
		else
			at += (size_t)sprintf(text + at, "%s%s", words[text_random(&seed) % 20],
				text_random(&seed) % 12 == 0 ? ".\n" : " ");
	}
	text[length] = '\0';
	return text;
}

static uint32_t text_sum(const void *data, size_t length)
{
	const unsigned char *bytes = data;
	uint32_t sum = 0;

	for (size_t i = 0; i < length; i++)
		sum = sum * 31 + bytes[i];
	return sum;
}

#endif
