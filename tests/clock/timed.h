/* SPDX-License-Identifier: Apache-2.0 */
/* What all programs of this folder do while they look at the clock. */
#ifndef TESTS_CLOCK_TIMED_H
#define TESTS_CLOCK_TIMED_H

#include <stdint.h>
#include <time.h>

#define MS INT64_C(1000000)

static volatile uint64_t sink;

static void work(unsigned rounds)
{
	uint64_t x = 88172645463325252u;

	for (unsigned i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* As a harness does: rounds until the time is over. */
static unsigned timed(clockid_t clock, int64_t ns)
{
	int64_t end = now(clock) + ns;
	unsigned rounds = 0;

	for (; now(clock) < end; rounds++)
		work(20000);
	return rounds;
}

#endif
