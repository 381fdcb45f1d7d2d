/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a context switch costs a thread that perf samples: the kernel stops the event's timer when
 * the thread leaves the processor and starts it when it comes back. Each sets the processor's
 * timer anew, which in a virtual machine is a way out to the host and back: 10 us for both, where
 * a switch by itself takes 3. The tick of POSIX timers is not touched by a switch.
 */
#ifndef FG_BENCH_SWITCHING_COST_H
#define FG_BENCH_SWITCHING_COST_H

#include <stdint.h>

struct error;

/*
 * ns: beyond what the switch costs by itself; lower quartiles of rounds of two processes that take
 * turns on one processor, one of them sampled. Takes about 0.1 s. ERR_IO: perf does not work here,
 * or there are no processes to be had.
 */
int switching_cost_measure(double *ns, struct error *err);

/* What perf's part of the switches would be of the CPU time in which there were so many. */
double switching_share(double ns, uint64_t switches, uint64_t cpu_ns);

#endif
