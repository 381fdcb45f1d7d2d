/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"
#include "zlib.h"

#define LENGTH 200000

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	static Bytef packed[LENGTH + 4096], plain[LENGTH];
	uint32_t sum = 0;

	for (int i = 0; i < rounds; i++) {
		char *text = text_make(LENGTH, (uint32_t)i);
		uLongf size = sizeof(packed), back = sizeof(plain);

		if (compress2(packed, &size, (const Bytef *)text, LENGTH, 5) != Z_OK ||
			uncompress(plain, &back, packed, size) != Z_OK)
			return 1;
		for (int k = 0; k < 20; k++)
			sum = sum * 31 + (uint32_t)crc32((uLong)k, plain, LENGTH) +
			      (uint32_t)adler32(1, plain, LENGTH);
		free(text);
	}
	printf("%08x\n", sum);
	return 0;
}
