/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sampler is told to slow down: the runner's side of gate/sampler/slowdown.h. Slowdowns
 * are planted by `flamegate doctor --self-test`, and by the run that shows whether a benchmark's
 * work is fixed (gate/check/fixed_work/work_probe.h); run_execute() takes the variable from everybody
 * else.
 */
#ifndef FG_BENCH_SLOWDOWN_H
#define FG_BENCH_SLOWDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"

#define SLOWDOWN_MAX_RANGES 32
#define SLOWDOWN_MAX_PART 1000
/*
 * Samples per CPU second where a program's own clock shall see it slowed down: what takes less than
 * the time between two samples is mostly not slowed at all.
 */
#define SLOWDOWN_FINE_RATE_HZ 3989

struct slowdown_range {
	uint64_t first, last; /* link-time addresses, both inside */
};

/* A piece of code. Without ranges it is all code. */
struct slowdown_place {
	const struct slowdown_range *ranges;
	size_t range_count;
	const char *module; /* build id in lower-case hex, or the end of the path: "/bench" */
};

/*
 * run_options.slowdown for code that gets slower by `part` of its own cost (0.5: half as much
 * again), from 0 to SLOWDOWN_MAX_PART. The text is as long for one part as for another, so that two
 * versions that differ in it alone have environments of one size. Arena-owned. NULL: the sampler
 * cannot be told so (too many ranges, a name too long).
 */
const char *slowdown_text(const struct slowdown_place *place, double part, struct arena *arena);
/* Such a text means all code. */
bool slowdown_is_everywhere(const char *text);

#endif
