#include "expr.h"

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static size_t add_operand(char *out, uint32_t *seed)
{
	uint32_t random = next_random(seed);

	if (random % 3 == 0) {
		out[0] = (char)('a' + random / 3 % 26);
		return 1;
	}
	out[0] = (char)('1' + random % 9);
	out[1] = (char)('0' + random / 9 % 10);
	return 2;
}

/* Brackets are opened now and then, and closed where three are open. */
size_t source_make(char *out, size_t size, unsigned operations, uint32_t seed)
{
	size_t length = 0;
	unsigned open = 0;

	for (unsigned i = 0; i < operations && length + 16 < size; i++) {
		if (next_random(&seed) % 4 == 0) {
			out[length++] = '(';
			open++;
		}
		length += add_operand(out + length, &seed);
		while (open > 3 || (open && next_random(&seed) % 3 == 0)) {
			out[length++] = ')';
			open--;
		}
		out[length++] = "+-*"[next_random(&seed) % 3];
	}
	out[length++] = '1';
	while (open--)
		out[length++] = ')';
	out[length] = '\0';
	return length;
}
