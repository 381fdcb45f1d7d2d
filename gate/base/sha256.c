/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 (FIPS 180-4, section 6.2) of bytes and of files. Not for secrets: nothing here needs
 * constant time. Declared in file.h.
 */
#include "gate/base/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "gate/base/error.h"

#define BLOCK_BYTES 64
#define LENGTH_BYTES 8

struct sha256 {
	uint32_t state[8];
	uint64_t length_bytes;
	unsigned char block[BLOCK_BYTES];
};

static const uint32_t initial_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
	0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
	0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
	0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static uint32_t load_be32(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static void expand(uint32_t w[64], const unsigned char *block)
{
	for (size_t t = 0; t < 16; t++)
		w[t] = load_be32(block + 4 * t);
	for (size_t t = 16; t < 64; t++) {
		uint32_t s0 =
			rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
		uint32_t s1 =
			rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;

		w[t] = w[t - 16] + s0 + w[t - 7] + s1;
	}
}

static void compress_block(uint32_t state[8], const unsigned char *block)
{
	uint32_t w[64], v[8];

	expand(w, block);
	memcpy(v, state, sizeof(v));
	for (size_t t = 0; t < 64; t++) {
		uint32_t big1 =
			rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
		uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t t1 = v[7] + big1 + choice + round_constants[t] + w[t];
		uint32_t big0 =
			rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
		uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + big0 + majority;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += v[i];
}

static void sha256_init(struct sha256 *sha)
{
	memcpy(sha->state, initial_state, sizeof(sha->state));
	sha->length_bytes = 0;
}

static void sha256_add(struct sha256 *sha, const unsigned char *data, size_t length)
{
	while (length) {
		size_t used = sha->length_bytes % BLOCK_BYTES;
		size_t piece = BLOCK_BYTES - used < length ? BLOCK_BYTES - used : length;

		memcpy(sha->block + used, data, piece);
		sha->length_bytes += piece;
		data += piece;
		length -= piece;
		if (used + piece == BLOCK_BYTES)
			compress_block(sha->state, sha->block);
	}
}

/* Padding: one bit, zeros up to the last 8 bytes of a block, the length in bits. */
static void sha256_finish(struct sha256 *sha, char hex[65])
{
	static const unsigned char padding[BLOCK_BYTES] = {0x80};
	static const char digits[] = "0123456789abcdef";
	uint64_t bits = sha->length_bytes * 8;
	size_t used = sha->length_bytes % BLOCK_BYTES;
	size_t room = BLOCK_BYTES - LENGTH_BYTES;
	unsigned char tail[LENGTH_BYTES];

	sha256_add(sha, padding, used < room ? room - used : room + BLOCK_BYTES - used);
	for (size_t i = 0; i < LENGTH_BYTES; i++)
		tail[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha256_add(sha, tail, sizeof(tail));
	for (size_t i = 0; i < 64; i++)
		hex[i] = digits[sha->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
	hex[64] = '\0';
}

void sha256_hex(const void *data, size_t length, char hex[65])
{
	struct sha256 sha;

	sha256_init(&sha);
	sha256_add(&sha, data, length);
	sha256_finish(&sha, hex);
}

int file_sha256_hex(const char *path, char hex[65], struct error *err)
{
	unsigned char data[16 * 1024];
	struct sha256 sha;
	ssize_t got;
	int fd;
	int rc = file_open_regular(path, &fd, err);

	if (rc)
		return rc;
	sha256_init(&sha);
	while ((got = read(fd, data, sizeof(data))) != 0) {
		if (got > 0)
			sha256_add(&sha, data, (size_t)got);
		else if (errno != EINTR)
			break;
	}
	if (got < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot read %s", path);
	else
		sha256_finish(&sha, hex);
	close(fd);
	return rc;
}
