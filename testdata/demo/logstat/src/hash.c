/* SPDX-License-Identifier: Apache-2.0 */
#include "hash.h"

uint64_t hash_text(const char *text, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < length; i++) {
		hash ^= (unsigned char)text[i];
		hash *= 0x100000001b3u;
	}
	return hash_number(hash);
}

uint64_t hash_number(uint64_t number)
{
	number ^= number >> 33;
	number *= 0xff51afd7ed558ccdu;
	number ^= number >> 33;
	number *= 0xc4ceb9fe1a85ec53u;
	return number ^ number >> 33;
}

uint64_t hash_pair(uint64_t left, uint64_t right)
{
	return hash_number(left * 0x9e3779b97f4a7c15u + right);
}
