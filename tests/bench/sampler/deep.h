/* SPDX-License-Identifier: Apache-2.0 */
/* A call chain of a wanted depth, and clocks, for the measuring programs of this folder. */
#ifndef BENCH_SAMPLER_DEEP_H
#define BENCH_SAMPLER_DEEP_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Calls work() with frames_left frames between; each keeps a value across its call. */
static __attribute__((noinline, unused)) long deep(long frames_left, void (*work)(void))
{
	volatile long kept = frames_left;

	if (frames_left > 0)
		kept += deep(frames_left - 1, work);
	else
		work();
	__asm__ volatile("" ::: "memory");
	return kept;
}

#endif
