/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/calibration_kernels.h"

#define MULTIPLIER 0x9e3779b97f4a7c15u
#define FNV_BASIS 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u
#define KEY_BYTES 12

uint64_t calibration_alu(uint64_t value, size_t steps)
{
	for (size_t i = 0; i < steps; i++)
		value = (value ^ value >> 29) * MULTIPLIER + 1;
	return value;
}

uint64_t calibration_stream(uint64_t *words, size_t count, uint64_t add)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += words[i];
		words[i] += add;
	}
	return sum;
}

/* xorshift64 (Marsaglia 2003, doi 10.18637/jss.v008.i14). */
static uint64_t next_random(uint64_t value)
{
	value ^= value << 13;
	value ^= value >> 7;
	return value ^ value << 17;
}

/* Sattolo's shuffle gives a single cycle (1986, doi 10.1016/0020-0190(86)90073-6). */
void calibration_chain(struct calibration_line *lines, uint32_t count)
{
	uint64_t random = MULTIPLIER;

	for (uint32_t i = 0; i < count; i++)
		lines[i].next = i;
	for (uint32_t i = count; i > 1; i--) {
		uint32_t j, swap = lines[i - 1].next;

		random = next_random(random);
		j = (uint32_t)((random >> 32) % (i - 1));
		lines[i - 1].next = lines[j].next;
		lines[j].next = swap;
	}
}

uint32_t calibration_chase(const struct calibration_line *lines, uint32_t from, size_t steps)
{
	for (size_t i = 0; i < steps; i++)
		from = lines[from].next;
	return from;
}

/* The empty statements keep both ways apart: a conditional move would have nothing to predict. */
void calibration_branch(struct calibration_branches *branches, size_t steps)
{
	uint64_t random = branches->random;

	for (size_t i = 0; i < steps; i++) {
		random = next_random(random);
		if (random >> 63) {
			__asm__ volatile("" ::: "memory");
			branches->taken++;
		} else {
			__asm__ volatile("" ::: "memory");
			branches->passed++;
		}
	}
	branches->random = random;
}

/* FNV-1a over a key of letters that spells the number. */
static uint64_t hash_key(uint64_t number)
{
	uint64_t hash = FNV_BASIS;

	for (int i = 0; i < KEY_BYTES; i++) {
		hash = (hash ^ ('a' + (number & 15))) * FNV_PRIME;
		number >>= 4;
	}
	return hash;
}

uint64_t calibration_hash(uint32_t *table, uint64_t first, size_t keys)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < keys; i++) {
		uint64_t hash = hash_key((first + i) * MULTIPLIER);

		table[(hash ^ hash >> 32) & (CALIBRATION_TABLE_SIZE - 1)]++;
		sum += hash;
	}
	return sum;
}
