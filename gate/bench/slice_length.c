/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/slice_length.h"

#include <unistd.h>

#include "gate/bench/duet.h"

#define NS_PER_BYTE 20 /* of a turn: 1 ns to bring it in, a twentieth of the turn */
#define UNUSED_BYTES UINT64_C(3000000)
#define LONGEST_NS UINT64_C(100000000)
#define ROUND_NS UINT64_C(1000000)
#define USUAL_CACHE (UINT64_C(32) << 20)

uint64_t slice_cache_size(void)
{
	long size = sysconf(_SC_LEVEL3_CACHE_SIZE);

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

uint64_t slice_length(const struct slice_needs *needs)
{
	uint64_t base = least(needs->resident[0], needs->cache);
	uint64_t head = least(needs->resident[1], needs->cache);
	uint64_t more = (most(base, head) - least(base, head)) * NS_PER_BYTE;
	uint64_t used = most(base, head), wanted = DUET_SLICE_NS;
	uint64_t possible = (uint64_t)(needs->shorter * 1e9 / DUET_MIN_SLICES);

	if (used > UNUSED_BYTES)
		wanted = least((used - UNUSED_BYTES) * NS_PER_BYTE, LONGEST_NS);
	return most(most(least(wanted, possible), more), DUET_SLICE_NS) / ROUND_NS * ROUND_NS;
}
