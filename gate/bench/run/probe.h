/* SPDX-License-Identifier: Apache-2.0 */
/* What the sampler does on this machine, seen by running a program of fixed work under it. */
#ifndef FG_BENCH_PROBE_H
#define FG_BENCH_PROBE_H

#include <stdbool.h>
#include <stddef.h>

struct error;

struct probe {
	const char *const *argv; /* single-threaded; NULL-terminated */
	const char *scratch;     /* an existing private folder */
};

/* One of the sampling clocks. */
struct probe_sampling {
	bool works;
	int refusal;     /* errno, where the kernel refused it; else 0 */
	double rate_hz;  /* samples per CPU second */
	double complete; /* share of the stacks that reach the thread's first function */
	double coverage; /* the samples' weights / CPU time */
	double own_cost; /* CPU time in the sample handler / CPU time */
};

/*
 * mechanism: "perf" or "posix". A clock that the kernel refuses is no error: it does not work.
 * ERR_BENCHMARK or ERR_MEASURE when the program cannot be run or profiled at all.
 */
int probe_sampling(const struct probe *probe, const char *mechanism, struct probe_sampling *out,
	struct error *err);

/*
 * Runs pairs one after the other on the CPU that a check would take, each run under the sampler or
 * not; seconds gets 2 * pairs CPU times in their order.
 */
int probe_pairs(const struct probe *probe, bool first_sampled, bool second_sampled, size_t pairs,
	double *seconds, struct error *err);

#endif
