/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/config/quantity.h"

#include <string.h>

const char *const quantity_gate_words[] = {"default", "fail", "warn", "show", NULL};

#define HALF_A_PER_CENT 0.005
#define PER_CENT 0.01

/* clang-format off */
const struct quantity_info quantities[QUANTITY_COUNT] = {
	[QUANTITY_CPU] = {"cpu", "CPU time", "seconds", "cpu", "cpu",
		QUANTITY_TEST_DUET, QUANTITY_FAILS, true, PER_CENT, 0},
	[QUANTITY_INSTRUCTIONS] = {"instructions", "instructions executed", "count", "instructions", "instructions",
		QUANTITY_TEST_EXACT, QUANTITY_FAILS, true, HALF_A_PER_CENT, 0},
	[QUANTITY_ALLOC_OBJECTS] = {"alloc_objects", "allocations", "count", "heap", "alloc_objects",
		QUANTITY_TEST_EXACT, QUANTITY_FAILS, true, HALF_A_PER_CENT, 1},
	[QUANTITY_ALLOC_BYTES] = {"alloc_bytes", "memory allocated", "bytes", "heap", "alloc_bytes",
		QUANTITY_TEST_EXACT, QUANTITY_FAILS, true, HALF_A_PER_CENT, 0},
	[QUANTITY_PEAK_BYTES] = {"peak_bytes", "in use at the peak", "bytes", "heap", "peak_bytes",
		QUANTITY_TEST_EXACT, QUANTITY_FAILS, false, HALF_A_PER_CENT, 0},
	[QUANTITY_INUSE_BYTES] = {"inuse_bytes", "in use at the end", "bytes", "heap", "inuse_bytes",
		QUANTITY_TEST_EXACT, QUANTITY_WARNS, false, HALF_A_PER_CENT, 0},
	/* Growth per iteration: a level of its own, whatever the work; a byte matters. */
	[QUANTITY_LEAK] = {"leak", "leak per iteration", "bytes", "heap", NULL,
		QUANTITY_TEST_PAIRED, QUANTITY_WARNS, false, 0, 1},
	[QUANTITY_WALL] = {"wall", "elapsed time", "seconds", "cpu", NULL,
		QUANTITY_TEST_RANKS, QUANTITY_SHOWN, true, PER_CENT, 0},
	[QUANTITY_OFF_CPU] = {"off_cpu", "waiting, all threads", "seconds", "wall", NULL,
		QUANTITY_TEST_RANKS, QUANTITY_SHOWN, true, PER_CENT, 0},
	[QUANTITY_LOCK_DELAY] = {"lock_delay", "waiting for locks", "seconds", "lock", NULL,
		QUANTITY_TEST_RANKS, QUANTITY_SHOWN, true, PER_CENT, 0},
	[QUANTITY_CONTENTIONS] = {"contentions", "waits for locks", "count", "lock", NULL,
		QUANTITY_TEST_COUNT, QUANTITY_SHOWN, true, PER_CENT, 0},
	[QUANTITY_THREADS] = {"threads", "threads", "count", "cpu", NULL,
		QUANTITY_TEST_COUNT, QUANTITY_SHOWN, false, PER_CENT, 0},
	[QUANTITY_MAX_RSS] = {"max_rss", "largest resident set", "bytes", "cpu", NULL,
		QUANTITY_TEST_PAIRED, QUANTITY_WARNS, false, PER_CENT, 0},
};
/* clang-format on */

enum quantity quantity_of_type(const char *type)
{
	for (unsigned i = 0; i < QUANTITY_COUNT; i++)
		if (quantities[i].type && strcmp(quantities[i].type, type) == 0)
			return (enum quantity)i;
	return QUANTITY_COUNT;
}

enum quantity quantity_find(const char *name)
{
	for (unsigned i = 0; i < QUANTITY_COUNT; i++)
		if (strcmp(quantities[i].name, name) == 0)
			return (enum quantity)i;
	return QUANTITY_COUNT;
}
