#include "words.h"

#include <string.h>

#define PRIME 16777619u
#define OFFSET 2166136261u

/* Byte by byte: FNV-1a. */
uint32_t hash_bytes(const char *text, size_t length)
{
	uint32_t hash = OFFSET;

	for (size_t i = 0; i < length; i++) {
		hash ^= (unsigned char)text[i];
		hash *= PRIME;
	}
	return hash;
}

/* Four bytes at a time, and what is left. */
uint32_t hash_words(const char *text, size_t length)
{
	uint32_t hash = OFFSET, word;

	for (; length >= sizeof(word); text += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = (hash ^ word) * PRIME;
		hash ^= hash >> 15;
	}
	for (; length; text++, length--)
		hash = (hash ^ (unsigned char)*text) * PRIME;
	return hash;
}
