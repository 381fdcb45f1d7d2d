/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pair of malloc and free costs, at the bottom of so many frames, in CPU time.
 * usage: heap_bench [DEPTH [PAIRS]]; prints "<size> <ns per pair>" lines. heap_bench.sh runs it in
 * each of the heap's modes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5 };

static const size_t sizes[] = {16, 100, 1000, 20000};
static double results[sizeof(sizes) / sizeof(sizes[0])];

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double pairs(size_t size, long count)
{
	double start = cpu_ns();

	for (long i = 0; i < count; i++) {
		void *block = malloc(size);

		__asm__ volatile("" : : "r"(block) : "memory");
		free(block);
	}
	return (cpu_ns() - start) / (double)count;
}

/* The best of several rounds: what else runs on the machine can only add to it. */
static void measure(long count)
{
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (int round = 0; round < ROUNDS; round++) {
			double now = pairs(sizes[s], count / ROUNDS);

			if (round == 0 || now < results[s])
				results[s] = now;
		}
}

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif

ALONE static uint64_t dive(int depth, long count, uint64_t salt)
{
	uint64_t kept = salt * 3 + (uint64_t)depth;

	if (depth > 0)
		kept ^= dive(depth - 1, count, kept);
	else
		measure(count);
	return kept + salt;
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 33;
	long count = argc > 2 ? atol(argv[2]) : 2000000;

	/* main, its caller and the loop itself are frames too. */
	dive(depth > 6 ? depth - 6 : 1, count, (uint64_t)argc);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		printf("%zu %.1f\n", sizes[s], results[s]);
	return 0;
}
