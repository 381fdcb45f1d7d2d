/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/pair_order.h"

#include <string.h>
#include <time.h>

#include "gate/base/map.h"
#include "gate/check/measurements/measurements.h"

/* splitmix64 (Steele, Lea, Flood 2014): enough to shuffle pairs, and the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t pair_seed(const struct check_options *options)
{
	struct timespec t;

	if (options->seed)
		return options->seed;
	clock_gettime(CLOCK_REALTIME, &t);
	return hash_bytes(&t, sizeof(t), 0) >> 16;
}

uint64_t pair_random(uint64_t seed, const char *benchmark)
{
	return seed ^ hash_bytes(benchmark, strlen(benchmark), 0);
}

int pair_first(uint64_t *random)
{
	return next_random(random) & 1 ? VERSION_HEAD : VERSION_BASE;
}
