/* SPDX-License-Identifier: Apache-2.0 */
#include "terms.h"

#include <string.h>

#include "words.h"

#define MAX_WORD MAX_SPELLED

void terms_init(struct terms *terms)
{
	memset(terms, 0, sizeof(*terms));
	table_init(&terms->counts);
}

void terms_release(struct terms *terms)
{
	table_release(&terms->counts);
}

static int is_vowel(char c)
{
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
}

/* Vowel-consonant sequences, as in Porter's stemmer: what is left of a stem must have one. */
int word_measure(const char *word, size_t length)
{
	int measure = 0, after_vowel = 0;

	for (size_t i = 0; i < length; i++) {
		int vowel = is_vowel(word[i]);

		measure += after_vowel && !vowel;
		after_vowel = vowel;
	}
	return measure;
}

static const char *const suffixes[] = {
	"ational", "ization", "fulness", "iveness", "ement", "ingly", "ings", "edly", "ness", "ments",
	"ment", "ing", "ies", "ed", "ly", "es", "s",
};

size_t word_stem(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t cut = strlen(suffixes[i]);

		if (length > cut + 1 && word[length - 1] == suffixes[i][cut - 1] &&
			memcmp(word + length - cut, suffixes[i], cut) == 0 &&
			word_measure(word, length - cut) > 0)
			return length - cut;
	}
	return length;
}

static const char *const stop_words[] = {
	"a", "an", "and", "at", "by", "for", "from", "how", "in", "is", "it", "of", "on", "or", "the",
	"to", "what", "with",
};

static char fold_letter(char c)
{
	if (c >= 'A' && c <= 'Z')
		c |= 0x20;
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '\0';
}

/* The next word in lower case; 0 at the end of the text. */
size_t next_term(struct span *text, char *word)
{
	size_t length = 0;

	for (; text->length > 0; text->text++, text->length--) {
		char c = fold_letter(*text->text);

		if (c != '\0' && length < MAX_WORD)
			word[length++] = c;
		else if (c == '\0' && length > 0)
			break;
	}
	return length;
}

void terms_add(struct terms *terms, struct span text)
{
	char word[MAX_WORD];
	size_t length;

	while ((length = next_term(&text, word)) > 0) {
		const char *meant;

		if (word_find(stop_words, sizeof(stop_words) / sizeof(*stop_words), word, length))
			continue;
		meant = spelling_correct(&terms->spelling, word, length);
		if (meant != NULL)
			table_count(&terms->counts, meant, word_stem(meant, strlen(meant)));
		else
			table_count(&terms->counts, word, word_stem(word, length));
	}
}
