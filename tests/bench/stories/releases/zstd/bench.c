/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"
#include "zstd.h"

#define LENGTH 400000

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	static char packed[LENGTH + 8192], plain[LENGTH];
	char *text = text_make(LENGTH, 1);
	uint32_t sum = 0;

	for (int i = 0; i < rounds; i++) {
		size_t size = ZSTD_compress(packed, sizeof(packed), text, LENGTH, 3 + i % 4);

		for (int k = 0; k < 4; k++)
			if (ZSTD_decompress(plain, LENGTH, packed, size) != LENGTH)
				return 1;
		sum = sum * 31 + (uint32_t)plain[i * 100 % LENGTH];
	}
	printf("%08x\n", sum);
	free(text);
	return 0;
}
