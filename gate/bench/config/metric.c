/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/config/metric.h"

#include <string.h>

const char *const metric_gate_words[] = {"default", "fail", "warn", "show", NULL};

#define HALF_A_PER_CENT 0.005
#define PER_CENT 0.01

/* clang-format off */
const struct metric_info metrics[METRIC_COUNT] = {
	[METRIC_CPU] = {"cpu", "CPU time", "seconds", "cpu", "cpu",
		METRIC_TEST_FUNCTIONS, METRIC_FAILS, true, PER_CENT, 0},
	[METRIC_INSTRUCTIONS] = {"instructions", "instructions executed", "count", "instructions", "instructions",
		METRIC_TEST_EXACT, METRIC_FAILS, true, HALF_A_PER_CENT, 0},
	[METRIC_ALLOC_OBJECTS] = {"alloc_objects", "allocations", "count", "heap", "alloc_objects",
		METRIC_TEST_EXACT, METRIC_FAILS, true, HALF_A_PER_CENT, 1},
	[METRIC_ALLOC_BYTES] = {"alloc_bytes", "memory allocated", "bytes", "heap", "alloc_bytes",
		METRIC_TEST_EXACT, METRIC_FAILS, true, HALF_A_PER_CENT, 0},
	[METRIC_PEAK_BYTES] = {"peak_bytes", "in use at the peak", "bytes", "heap", "peak_bytes",
		METRIC_TEST_EXACT, METRIC_FAILS, false, HALF_A_PER_CENT, 0},
	[METRIC_INUSE_BYTES] = {"inuse_bytes", "in use at the end", "bytes", "heap", "inuse_bytes",
		METRIC_TEST_EXACT, METRIC_WARNS, false, HALF_A_PER_CENT, 0},
	/* Growth per iteration: a level of its own, whatever the work; a byte matters. */
	[METRIC_LEAK] = {"leak", "leak per iteration", "bytes", "heap", NULL,
		METRIC_TEST_PAIRED_T, METRIC_WARNS, false, 0, 1},
	[METRIC_WALL] = {"wall", "elapsed time", "seconds", "cpu", NULL,
		METRIC_TEST_SIGNED_RANKS, METRIC_SHOWN, true, PER_CENT, 0},
	[METRIC_OFF_CPU] = {"off_cpu", "waiting, all threads", "seconds", "wall", NULL,
		METRIC_TEST_SIGNED_RANKS, METRIC_SHOWN, true, PER_CENT, 0},
	[METRIC_LOCK_DELAY] = {"lock_delay", "waiting for locks", "seconds", "lock", NULL,
		METRIC_TEST_SIGNED_RANKS, METRIC_SHOWN, true, PER_CENT, 0},
	[METRIC_CONTENTIONS] = {"contentions", "waits for locks", "count", "lock", NULL,
		METRIC_TEST_COUNT, METRIC_SHOWN, true, PER_CENT, 0},
	[METRIC_THREADS] = {"threads", "threads", "count", "cpu", NULL,
		METRIC_TEST_COUNT, METRIC_SHOWN, false, PER_CENT, 0},
	[METRIC_MAX_RSS] = {"max_rss", "largest resident set", "bytes", "cpu", NULL,
		METRIC_TEST_PAIRED_T, METRIC_WARNS, false, PER_CENT, 0},
};
/* clang-format on */

enum metric metric_of_type(const char *type)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metrics[i].type && strcmp(metrics[i].type, type) == 0)
			return (enum metric)i;
	return METRIC_COUNT;
}

enum metric metric_find(const char *name)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (strcmp(metrics[i].name, name) == 0)
			return (enum metric)i;
	return METRIC_COUNT;
}
