#include "words.h"

#include <string.h>

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

unsigned similar_distance(const char *one, const char *other)
{
	unsigned row[33];
	size_t length = strlen(other);

	for (size_t j = 0; j <= length; j++)
		row[j] = (unsigned)j;
	for (size_t i = 0; one[i]; i++) {
		unsigned corner = row[0];

		row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < length; j++) {
			unsigned above = row[j + 1];

			row[j + 1] = least(above + 1, row[j] + 1, corner + (one[i] != other[j]));
			corner = above;
		}
	}
	return row[length];
}

unsigned similar_nearest(struct entry *const *entries, size_t count, const struct entry *to, size_t window)
{
	unsigned nearest = ~0u;

	for (size_t i = 0; i < count && i < window; i++) {
		unsigned distance = similar_distance(entries[i]->text, to->text);

		if (entries[i] != to && distance < nearest)
			nearest = distance;
	}
	return nearest;
}
