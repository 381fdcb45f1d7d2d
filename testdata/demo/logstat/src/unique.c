/* SPDX-License-Identifier: Apache-2.0 */
#include "unique.h"

#include <math.h>

void unique_add(struct unique *unique, uint64_t hash)
{
	uint64_t rest = hash << UNIQUE_BITS | 1;
	uint8_t rank = 1;

	while ((rest & UINT64_C(0x8000000000000000)) == 0 && rank <= 64 - UNIQUE_BITS) {
		rest <<= 1;
		rank++;
	}
	uint8_t *slot = &unique->registers[hash >> (64 - UNIQUE_BITS)];
	if (rank > *slot)
		*slot = rank;
}

double unique_count(const struct unique *unique)
{
	const double m = 1 << UNIQUE_BITS;
	double sum = 0;
	int empty = 0;

	for (int i = 0; i < 1 << UNIQUE_BITS; i++) {
		sum += ldexp(1, -unique->registers[i]);
		empty += unique->registers[i] == 0;
	}
	double estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
	return estimate <= 2.5 * m && empty > 0 ? m * log(m / empty) : estimate;
}
