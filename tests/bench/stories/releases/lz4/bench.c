/* SPDX-License-Identifier: Apache-2.0 */
#include "lz4.h"
#include "text.h"

#define LENGTH 200000

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	static char packed[LENGTH + 4096], plain[LENGTH];
	char *text = text_make(LENGTH, 1);
	uint32_t sum = 0;

	for (int i = 0; i < rounds; i++) {
		int size = LZ4_compress_fast(text, packed, LENGTH, sizeof(packed), i % 3 + 1);

		if (size <= 0)
			return 1;
		for (int k = 0; k < 3; k++)
			if (LZ4_decompress_safe(packed, plain, size, LENGTH) != LENGTH)
				return 1;
		sum = sum * 31 + (uint32_t)plain[i * 100 % LENGTH];
	}
	printf("%08x\n", sum);
	free(text);
	return 0;
}
