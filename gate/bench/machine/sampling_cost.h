/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one sample costs the sampled program on this machine before the sampler does anything: the
 * timer's interrupt, the signal and the way back. In a virtual machine that is most of the cost.
 */
#ifndef FG_BENCH_SAMPLING_COST_H
#define FG_BENCH_SAMPLING_COST_H

#include <stdint.h>

struct error;

struct sampling_cost {
	const char *mechanism; /* "perf" or "posix" (gate/sampler/environment.h); static */
	/* Lower quartile of the gaps that its signals tore into a loop: what else runs on the
	 * machine only makes them longer. */
	double signal_ns;
	unsigned gaps;
};

/*
 * mechanism: "perf", "posix", or "auto" for the first of them that works. Takes about 0.3 s of CPU
 * time in a process of its own. ERR_IO: this mechanism does not work here. ERR_MEASURE: too few
 * signals came in a second of CPU time.
 */
int sampling_cost_measure(const char *mechanism, struct sampling_cost *out, struct error *err);

/*
 * The rate for `rate: auto`: 997 Hz, or the largest prime below at which this takes at most 1 % of
 * the CPU time, and 97 Hz at the least. Prime, so that no program's period is a multiple of it.
 */
uint32_t sampling_rate_auto(const struct sampling_cost *cost);

#endif
