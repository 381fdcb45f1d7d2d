#include "words.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_IN_SENTENCE 12

static const char *const stems[] = {"river", "stone", "cloud", "light", "garden", "window", "letter", "mountain",
	"bridge", "harbour", "forest", "silver", "winter", "copper", "meadow", "lantern"};
static const char *const endings[] = {"", "s", "ed", "ing", "er", "less", "ful", "like"};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static char *add(char *at, const char *text)
{
	size_t length = strlen(text);

	memcpy(at, text, length);
	return at + length;
}

char *corpus_make(unsigned sentences, uint32_t seed)
{
	char *text = malloc((size_t)sentences * WORDS_IN_SENTENCE * 24 + 1), *at = text;

	if (!text)
		exit(1);
	for (unsigned i = 0; i < sentences * WORDS_IN_SENTENCE; i++) {
		at = add(at, stems[next_random(&seed) % 16]);
		if (next_random(&seed) % 3 == 0)
			at = add(at, stems[next_random(&seed) % 16]);
		at = add(at, endings[next_random(&seed) % 8]);
		*at++ = i % WORDS_IN_SENTENCE == WORDS_IN_SENTENCE - 1 ? '.' : ' ';
	}
	*at = '\0';
	return text;
}
