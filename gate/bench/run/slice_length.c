/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/slice_length.h"

#include <unistd.h>

#include "gate/bench/run/pair.h"

#define NS_PER_BYTE 20 /* of a turn: 1 ns to bring it in, a twentieth of the turn */
#define UNUSED_BYTES UINT64_C(3000000)
#define LONGEST_NS UINT64_C(100000000)
#define ROUND_NS UINT64_C(1000000)
#define USUAL_CACHE (UINT64_C(32) << 20)

uint64_t slice_cache_size(void)
{
	long size = sysconf(_SC_LEVEL3_CACHE_SIZE);

	if (size <= 0)
		size = sysconf(_SC_LEVEL2_CACHE_SIZE);
	return size > 0 ? (uint64_t)size : USUAL_CACHE;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t cached(const struct slice_needs *needs, int version)
{
	return least(needs->resident[version], needs->cache);
}

uint64_t slice_more(const struct slice_needs *needs)
{
	uint64_t base = cached(needs, 0), head = cached(needs, 1);

	return most(base, head) - least(base, head);
}

uint64_t slice_length(const struct slice_needs *needs)
{
	uint64_t used = most(cached(needs, 0), cached(needs, 1)), wanted = PAIR_SLICE_NS;
	uint64_t possible = (uint64_t)(needs->shorter * 1e9 / PAIR_MIN_SLICES);
	uint64_t more = slice_more(needs) * NS_PER_BYTE;

	if (used > UNUSED_BYTES)
		wanted = least((used - UNUSED_BYTES) * NS_PER_BYTE, LONGEST_NS);
	return most(most(least(wanted, possible), more), PAIR_SLICE_NS) / ROUND_NS * ROUND_NS;
}
