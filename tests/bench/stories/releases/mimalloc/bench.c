/* SPDX-License-Identifier: Apache-2.0 */
#include "mimalloc.h"
#include "text.h"

#define SLOTS 4000

static size_t size_of(uint32_t random)
{
	switch (random % 8) {
	case 0:
		return random / 8 % 4000 + 1;
	case 1:
		return random / 8 % 600 + 1;
	default:
		return random / 8 % 120 + 1;
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	static unsigned char *slots[SLOTS];
	uint32_t seed = 1, sum = 0;

	for (int i = 0; i < rounds * 200000; i++) {
		uint32_t slot = text_random(&seed) % SLOTS;
		size_t size = size_of(text_random(&seed));

		if (slots[slot] && i % 5 == 0) {
			slots[slot] = mi_realloc(slots[slot], size);
		} else {
			mi_free(slots[slot]);
			slots[slot] = i % 7 ? mi_malloc(size) : mi_zalloc(size);
		}
		slots[slot][0] = (unsigned char)i;
		sum += slots[slot][0];
	}
	printf("%08x\n", sum);
	return 0;
}
