/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a stack walk costs: through the rule cache, with the cache emptied before each walk, and by
 * glibc's backtrace(). Prints; decides nothing. usage: bench_unwind [FRAMES]
 */
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include "gate/sampler/context.h"

enum { DEPTH = 33, BESIDES = 7, HOT = 200000, COLD = 2000, ROUNDS = 5 };

static struct fg_rule_cache *cache;
static struct fg_stack_bounds bounds;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static size_t walk(const struct fg_registers *registers)
{
	uint64_t pcs[FG_MAX_DEPTH], exact[FG_MAX_DEPTH / 64];
	enum fg_walk_end end;

	return fg_unwind(cache, registers, &bounds, pcs, exact, FG_MAX_DEPTH, &end);
}

/* The best round: the others were disturbed. */
static void measure(const char *name, const struct fg_registers *registers, int walks, int forget)
{
	double best = 1e18;
	size_t frames = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double start = now_ns(), took;

		for (int i = 0; i < walks; i++) {
			if (forget)
				fg_rule_cache_forget(cache);
			frames = walk(registers);
		}
		took = (now_ns() - start) / walks;
		best = took < best ? took : best;
	}
	printf("%-28s %8.0f ns per walk of %zu frames, %6.1f ns per frame\n", name, best, frames,
		best / (double)frames);
}

static void measure_backtrace(void)
{
	void *frames[FG_MAX_DEPTH];
	int count = backtrace(frames, FG_MAX_DEPTH);
	double start = now_ns(), took;

	for (int i = 0; i < COLD; i++)
		count = backtrace(frames, FG_MAX_DEPTH);
	took = (now_ns() - start) / COLD;
	printf("%-28s %8.0f ns per walk of %d frames, %6.1f ns per frame\n", "backtrace()", took,
		count, took / count);
}

static void measure_forgetting(void)
{
	double start = now_ns();

	for (int i = 0; i < COLD; i++)
		fg_rule_cache_forget(cache);
	printf("%-28s %8.0f ns (included in the cold walk)\n", "forgetting the rules",
		(now_ns() - start) / COLD);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct fg_registers registers;
	struct fg_stack_bounds known = bounds;

	(void)signal, (void)info;
	fg_registers_of(context, &registers);
	measure("cached", &registers, HOT, 0);
	measure("cold", &registers, COLD, 1);
	bounds.low = bounds.high = 0;
	measure("cached, copied stack", &registers, COLD, 0);
	bounds = known;
	measure_forgetting();
	measure_backtrace();
}

static __attribute__((noinline)) int recurse(int depth)
{
	int below = depth ? recurse(depth - 1) : raise(SIGUSR1);

	__asm__ volatile("" ::: "memory");
	return below + 1;
}

int main(int argc, char **argv)
{
	int depth = (argc > 1 ? atoi(argv[1]) : DEPTH) - BESIDES;
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	pthread_attr_t attributes;
	void *low;
	size_t size;

	cache = mmap(NULL, fg_rule_cache_bytes(), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (cache == MAP_FAILED || pthread_getattr_np(pthread_self(), &attributes) ||
		pthread_attr_getstack(&attributes, &low, &size))
		return 3;
	bounds.low = (uint64_t)(uintptr_t)low;
	bounds.high = bounds.low + size;
	sigaction(SIGUSR1, &action, NULL);
	return recurse(depth) != depth + 1;
}
