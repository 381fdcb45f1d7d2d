/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nanoseconds of CPU time per malloc and free, or per lock and unlock that nobody contends for, at
 * a wanted depth of frames: `pairs malloc|lock FRAMES PAIRS`. The best of some rounds: the others
 * were disturbed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/sampler/deep.h"

enum { ROUNDS = 7, SIZES = 16 };

static long pairs;
static double best = 1e18;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *volatile kept;

static void allocate_all(void)
{
	for (long i = 0; i < pairs; i++) {
		kept = malloc((size_t)(i % SIZES + 1) * 16);
		free(kept);
	}
}

static void lock_all(void)
{
	for (long i = 0; i < pairs; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

static void measure(void (*all)(void))
{
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		double each;

		all();
		each = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / (double)pairs;
		best = each < best ? each : best;
	}
}

static void measure_malloc(void)
{
	measure(allocate_all);
}

static void measure_lock(void)
{
	measure(lock_all);
}

/* A second thread, so that a C library which knows a program to have
 * one alone does not skip work. */
static void *nothing(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 4) {
		fprintf(stderr, "usage: pairs malloc|lock FRAMES PAIRS\n");
		return 2;
	}
	if (pthread_create(&thread, NULL, nothing, NULL) != 0)
		return 3;
	pthread_join(thread, NULL);
	pairs = atol(argv[3]);
	deep(atol(argv[2]), strcmp(argv[1], "malloc") == 0 ? measure_malloc : measure_lock);
	printf("pair_ns %.2f\n", best);
	return 0;
}
