/* SPDX-License-Identifier: Apache-2.0 */
#include "entropy.h"

#include <math.h>
#include <string.h>

#define MAX_COUNTED 64

/* n log2 n, which is all that entropy needs of small counts. */
static const double *weights(void)
{
	static double table[MAX_COUNTED + 1];

	if (table[2] == 0)
		for (int n = 2; n <= MAX_COUNTED; n++)
			table[n] = n * log2(n);
	return table;
}

double text_entropy(struct span text)
{
	unsigned char counts[256] = {0};
	const double *weight = weights();
	size_t length = text.length < MAX_COUNTED ? text.length : MAX_COUNTED;
	double sum = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char *count = &counts[(unsigned char)text.text[i]];

		sum += weight[*count + 1] - weight[*count];
		(*count)++;
	}
	return length == 0 ? 0 : (weight[length] - sum) / (double)length;
}

int looks_random(struct span text)
{
	return text.length >= 16 && memchr(text.text, ' ', text.length) == NULL &&
	       text_entropy(text) > 3;
}

/* Luhn's sum over the digits from the right. */
int looks_like_card(struct span text)
{
	int sum = 0, twice = 0;

	if (text.length < 13 || text.length > 19)
		return 0;
	for (size_t i = text.length; i-- > 0; twice = !twice) {
		int digit = text.text[i] - '0';

		if (digit < 0 || digit > 9)
			return 0;
		if (twice)
			digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
		sum += digit;
	}
	return sum % 10 == 0;
}
