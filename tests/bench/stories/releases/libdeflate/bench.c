/* SPDX-License-Identifier: Apache-2.0 */
#include "libdeflate.h"
#include "text.h"

#define LENGTH 200000

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	static char packed[LENGTH + 4096], plain[LENGTH];
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	char *text = text_make(LENGTH, 1);
	uint32_t sum = 0;

	for (int i = 0; i < rounds; i++) {
		size_t size =
			libdeflate_zlib_compress(compressor, text, LENGTH, packed, sizeof(packed));

		for (int k = 0; k < 6; k++)
			if (libdeflate_zlib_decompress(decompressor, packed, size, plain, LENGTH,
				    NULL) != LIBDEFLATE_SUCCESS)
				return 1;
		sum = sum * 31 + libdeflate_crc32(sum, plain, LENGTH);
	}
	printf("%08x\n", sum);
	libdeflate_free_compressor(compressor);
	libdeflate_free_decompressor(decompressor);
	free(text);
	return 0;
}
